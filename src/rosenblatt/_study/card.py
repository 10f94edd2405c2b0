"""Cards in a study: what is compared with --scorecard, the card in the document, and the card that
is offered beside another rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt._study.costs import criterion_of
from rosenblatt._training.card_rule import Card, Term
from rosenblatt._util.spelling import option
from rosenblatt._util.text import many, named
from rosenblatt._validation.signs import demanded
from rosenblatt.data.features import Words
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.preprocessing import Number, Preprocessing
from rosenblatt.data.scaling import finished
from rosenblatt.errors import InputError
from rosenblatt.report.document import (
    CARD,
    CardBeside,
    CardExample,
    CardRule,
    CardTerm,
    Earned,
    OfPoints,
)
from rosenblatt.scorecard import Scorecard
from rosenblatt.selection.measures import error_interval

if TYPE_CHECKING:
    from rosenblatt._study.options import Options
    from rosenblatt._study.reading import Read
    from rosenblatt._study.stages import Compared


MOST_TERMS = MOST_POINTS = 5  # where nobody said how many
_SHARES = 20  # fewer rows than one in so many are shown with their neighbours


# --- What is compared ------------------------------------------------------------------------


def cards(read: Read, options: Options) -> dict[str, Any]:
    """Cards of one term, of two and so on."""
    if len(read.counts) > 2:
        raise InputError(
            f"{option('scorecard', True)} needs two labels; {read.target} has "
            f"{len(read.counts)}: say which is the positive one, {option('positive', ...)}.",
            option="scorecard",
            value=True,
        )
    if sparse.issparse(read.X):
        raise InputError(
            f"{option('scorecard', True)} chooses a few columns, and these rows are sparse: give a "
            "table with a column for each number, without prose.",
            option="scorecard",
            value=True,
        )
    weight, points = _class_weight(read, options), options.max_points or MOST_POINTS
    assert read.preprocessing is not None
    signs = signs_of_points(read.preprocessing, options)
    return {
        f"{CARD} {many(k, 'term')}": Scorecard(
            k, points, class_weight=weight, signs=signs, prove=False
        )
        for k in range(1, (options.max_terms or MOST_TERMS) + 1)
    }


def signs_of_points(preprocessing: Preprocessing, options: Options) -> list[int] | None:
    """By column of `CardPreparation`, which cards see without names."""
    columns = (_with_all_levels(column, options.signs) for column in preprocessing.columns)
    names = [name for column in columns for name in column.features]
    signs = demanded(options.signs, names, len(names))
    return None if signs is None else signs.tolist()


def _class_weight(read: Read, options: Options) -> Any:
    """What errors of each label count in the search: what they cost, where that decides."""
    if options.decides == "balanced":
        return "balanced"
    if options.decides != "cost":
        return options.class_weight
    costs = criterion_of(options, list(read.counts)).costs.max(axis=1)
    return dict(zip(np.unique(read.y).tolist(), costs.tolist(), strict=True))


# --- In the document ---------------------------------------------------------------------------


def sentence(card: Card, names: Sequence[str], chosen: str) -> str:
    """The card in a line."""
    terms = [
        f"{points:+d} {_condition(term, names)}"
        for term, points in zip(card.terms, card.points, strict=True)
    ]
    return f"{chosen} if the points reach {card.threshold}: {', '.join(terms) or 'none'}"


def _condition(term: Term, names: Sequence[str]) -> str:
    words = term.words(names)
    if term.cut is None:
        return f"for {words}"
    return f"if {words} = 1" if term.indicator and "=" not in words else f"if {words}"


def card_rule(
    estimator: Scorecard, X: Any, y: Any, names: Sequence[str], preprocessing: Preprocessing | None
) -> CardRule:
    """The card as the report shows it; X and y are the rows that it learned from."""
    card = estimator._rule
    return {
        "terms": _terms(card, names),
        "threshold": card.threshold,
        "by_points": _by_points(card.totals(X), y == estimator.classes_[1]),
        "example": _example(card, X, names, preprocessing, estimator.classes_),
        "bracket": _bracket(estimator, len(X)),
    }


def _terms(card: Card, names: Sequence[str]) -> list[CardTerm]:
    return [
        {
            "text": _condition(term, names),
            "feature": names[term.column],
            "each": term.cut is None,
            "cut": term.cut,
            "indicator": term.indicator,
            "points": points,
        }
        for term, points in zip(card.terms, card.points, strict=True)
    ]


def _by_points(totals: Any, second: Any) -> list[OfPoints]:
    """How often the second label is right, by points: of neighbours together where few rows have
    them."""
    groups: list[OfPoints] = []
    for total in np.unique(totals).tolist():
        there, points = totals == total, int(total)
        rows, right = int(there.sum()), int(second[there].sum())
        if groups and min(groups[-1]["rows"], rows) < len(totals) / _SHARES:
            groups[-1]["highest"] = points
            groups[-1]["rows"] += rows
            groups[-1]["second"] += right
        else:
            groups.append({"lowest": points, "highest": points, "rows": rows, "second": right})
    return groups


def _bracket(estimator: Scorecard, rows: int) -> str | None:
    """How far it is from the best weights on its terms, in words."""
    if estimator.bracket_ is None:
        return None
    lower, upper = estimator.bracket_
    what = f"errors on the {rows:,} rows it learned from"
    claim, fewer = f"The card makes {upper:,.6g} {what}", "make fewer"
    if isinstance(upper, float):
        claim, fewer = f"Its {what} cost {upper:,.6g}", "cost less"
    these = "for these terms" if estimator.signs is None else "for these terms with these signs"
    if lower >= upper:
        return f"{claim}. No other weights {these}, whole or not, {fewer}: proved."
    return f"{claim}. No weights {these}, whole or not, {fewer} than {lower:,.6g}: proved."


def _example(
    card: Card, X: Any, names: Sequence[str], preprocessing: Preprocessing | None, classes: Any
) -> CardExample:
    """A made-up row: of numbers the median, of counts that of rows which have some, of words the
    first that has points."""
    row = np.quantile(X, 0.5, axis=0, method="lower")
    for term in card.terms:
        if term.cut is None:
            x = X[:, term.column]
            row[term.column] = np.quantile(x[x > 0], 0.5, method="lower")
    for places in _word_features(preprocessing, X.shape[1]):
        earning = [term.column for term in card.terms if term.column in places]
        row[places] = 0.0
        row[earning[:1]] = 1.0
    earned: list[Earned] = [
        {
            "value": float(row[term.column]),
            "counts": float(term.values(row[None])[0]),
            "points": int(points * term.values(row[None])[0]),
        }
        for term, points in zip(card.terms, card.points, strict=True)
    ]
    total = sum(one["points"] for one in earned)
    label = str(classes[int(total >= card.threshold)])
    return {"earned": earned, "total": total, "label": label}


def _word_features(preprocessing: Preprocessing | None, d: int) -> list[list[int]]:
    places: list[list[int]] = []
    begin = 0
    for column in [] if preprocessing is None else preprocessing.columns:
        end = begin + len(column.features)
        if not isinstance(column, Number):
            places.append(list(range(begin, end)))
        begin = end
    return places


# --- Beside another rule -------------------------------------------------------------------------


_SOON = 100_000  # numbers: half a second
_FEW = 60  # columns: the search looks at pairs of terms
_POINT = 0.01  # of the error: worse by no more, a card is offered


def beside(compared: Compared, options: Options) -> CardBeside | None:
    """A card that learned from the same rows and errs as seldom on the same test rows, or almost:
    None where there is none, or none was looked for. Nothing is chosen by it."""
    read, selection = compared.read, compared.selection
    if options.scorecard or options.cv or options.comparison is False or not selection.test_n:
        return None
    if len(read.counts) > 2 or read.preprocessing is None or read.sample is not None:
        return None
    if sparse.issparse(read.X) or read.X.size > _SOON or read.X.shape[1] > _FEW:
        return None
    if selection.interrupted or options.stream:
        return None
    preprocessor = CardPreparation(read.preprocessing, impute=read.impute, signs=options.signs)
    known, test = selection.fitted_on, selection.test
    X = preprocessor.fit(read.X[known]).transform(read.X[known])
    weight, signs = _class_weight(read, options), signs_of_points(read.preprocessing, options)
    card = Scorecard(MOST_TERMS, MOST_POINTS, class_weight=weight, signs=signs, prove=False).fit(
        X, read.y[known]
    )
    criterion, classes, labels = selection.criterion, card.classes_, selection.labels
    answers = card.predict(preprocessor.transform(read.X[test]))
    losses, own, always = (
        criterion.row_costs(labels, answer, classes)
        for answer in (answers, selection.predictions, np.full_like(labels, selection.majority))
    )
    most = own.mean() + _POINT * criterion.costs.max()
    if not card._rule.terms or losses.mean() > most or losses.mean() >= always.mean():
        return None
    wrong, names = answers != labels, preprocessor.preprocessing_.feature_names
    ends = error_interval(wrong, selection.test_groups, selection.confidence)
    chosen = f"{read.target} = {named(str(classes[1]))}"
    return {
        "terms": _terms(card._rule, names),
        "threshold": card._rule.threshold,
        "test_errors": int(wrong.sum()),
        "test_n": len(wrong),
        "interval": None if ends is None else list(ends),
        "cost": None if criterion.objective == "error" else float(losses.mean()),
        "sentence": sentence(card._rule, names, chosen),
    }


# --- Rows for a card: numbers as they stand in the table, and a column for every word ------------


@final
class CardPreparation(TransformerMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """Fills gaps as `Preparation` does, scales nothing, and adds the reference levels.

    Columns of whole numbers are filled with whole ones, so that points stay whole.
    A card gives points for one word, whichever it is: without its own column the reference level
    would take a term for each other word. Of two words one column says all. Where `signs` of a word
    are demanded, they are meant beside the reference level, and that has no points.
    """

    def __init__(
        self,
        preprocessing: Preprocessing,
        *,
        impute: str | None = None,
        signs: dict[str, str] | None = None,
    ):
        self.preprocessing = preprocessing
        self.impute = impute
        self.signs = signs

    def fit(self, X: Any, y: Any = None) -> Self:
        known = (
            Preparation(self.preprocessing, scale=False, impute=self.impute).fit(X).preprocessing_
        )
        fills = [
            fill if fill is None or not _whole(X[:, j]) else float(round(fill))
            for j, fill in zip(
                known.number_places, [column.fill for column in known.numbers], strict=True
            )
        ]
        self._filled = known.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))
        known = self._filled
        columns = (_with_all_levels(column, self.signs) for column in known.columns)
        self.preprocessing_ = replace(known, columns=tuple(columns))
        return self

    def transform(self, X: Any) -> Any:
        rows = finished(self._filled, X)
        blocks, begin = [], 0
        for column in self._filled.columns:
            end = begin + len(column.features)
            block = rows[:, begin:end]
            if isinstance(column, Words) and _lacks(column, self.signs):
                place = column.values.index(str(column.reference))
                block = np.insert(block, place, 1.0 - block.sum(axis=1), axis=1)
            blocks.append(block)
            begin = end
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))


def _whole(x: Any) -> bool:
    """Are all numbers whole that are there?"""
    there = x[~np.isnan(x)]
    return bool((there == np.floor(there)).all())


def _with_all_levels(column: Any, signs: dict[str, str] | None) -> Any:
    return replace(column, reference=None) if _lacks(column, signs) else column


def _lacks(column: Any, signs: dict[str, str] | None) -> bool:
    """Has it a level without a column that is worth one?"""
    words = isinstance(column, Words) and not column.boolean and column.reference is not None
    return words and len(column.levels) > 1 and not (signs or {}).keys() & set(column.features)
