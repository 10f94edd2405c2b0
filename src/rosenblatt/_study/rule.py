"""The chosen rule: in the units of the table, a threshold for two classes, scores for more; how its
training went, and how the training rows lie about it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt._core.rows import dense, standing
from rosenblatt._study import card
from rosenblatt._util.text import named
from rosenblatt.data.preprocessing import Number
from rosenblatt.data.scaling import Moments
from rosenblatt.perceptron import Perceptron
from rosenblatt.report.document import (
    LISTED,
    LISTED_OF_A_ROW,
    ClassRule,
    Difference,
    HardRow,
    Histogram,
    Learning,
    Rule,
    Term,
)
from rosenblatt.report.terminal import column, plain, weighted_sum
from rosenblatt.scorecard import Scorecard

if TYPE_CHECKING:
    from rosenblatt._study.stages import Compared
    from rosenblatt.data import Preprocessing
    from rosenblatt.selection import Selection


_LEAST_LISTED = 20  # terms of each class, however many classes there are
_DIFFERENCES = 30  # pairs of classes that are told apart in words


def rule(
    selection: Selection,
    X: Any,
    y: Any,
    names: Sequence[str],
    preprocessing: Preprocessing | None,
    target: str,
) -> Rule:
    """X and y are the training rows as the rule saw them."""
    estimator = selection.estimator
    classes = [str(c) for c in estimator.classes_]
    content: Rule = {
        "name": selection.winner.name,
        "terms": [],
        "n_terms": 0,
        "references": [],
        "threshold": None,
        "label": classes[1] if len(classes) == 2 else None,
        "other": classes[0] if len(classes) == 2 else None,
        "sentence": "",
    }
    chosen = column(target) if len(classes) > 2 else _chosen(target, classes[1], preprocessing)
    if isinstance(estimator, Scorecard):
        content["sentence"] = card.sentence(estimator._rule, names, chosen)
        content["card"] = card.card_rule(estimator, X, y, names, preprocessing)
        return content
    if not hasattr(estimator, "coef_"):
        content["sentence"] = (
            f"{chosen} by an rbf kernel: {len(estimator.support_):,} training rows vote, nearer "
            "ones count more; there are no weights of columns to show"
        )
        return content
    if preprocessing is not None:
        content["references"] = preprocessing.references[:LISTED]
    units = _Units.of(X, names, preprocessing)
    if len(classes) > 2:
        _of_many(content, estimator, units, X, y, chosen)
        return content
    sum_ = units.sum(estimator.coef_[0], float(estimator.intercept_[0]), LISTED)
    content["terms"], content["n_terms"] = sum_.terms, sum_.n_terms
    content["threshold"], content["sentence"] = sum_.threshold, f"{chosen} if {sum_.reaches}"
    return content


def _chosen(target: str, label: str, preprocessing: Preprocessing | None) -> str:
    condition = (
        preprocessing is not None
        and preprocessing.target is not None
        and not preprocessing.target.values
    )
    return f"{column(target)} {label}" if condition else f"{column(target)} = {named(label)}"


# --- Sums of weights times features --------------------------------------------------------------


class _Sum(NamedTuple):
    """Weights of the columns, the heaviest first, and what their sum must reach."""

    terms: list[Term]
    n_terms: int
    threshold: float

    @property
    def reaches(self) -> str:
        return f"{weighted_sum(self.terms, self.n_terms)} >= {plain(self.threshold)}"


@final
@dataclass(frozen=True)
class _Units:
    """From the numbers that training saw back to those of the table."""

    names: Sequence[str]
    centers: NDArray[np.float64]
    scales: NDArray[np.float64]
    indicators: NDArray[np.bool_]
    deviations: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, names: Sequence[str], preprocessing: Preprocessing | None) -> _Units:
        d = len(names)
        centers, scales, indicators = np.zeros(d), np.ones(d), np.zeros(d, dtype=bool)
        if preprocessing is not None:
            indicators[:] = True
            indicators[preprocessing.number_places] = False
            numbers = preprocessing.numbers
            centers[preprocessing.number_places] = [column.center for column in numbers]
            scales[preprocessing.number_places] = [column.scale for column in numbers]
        return cls(names, centers, scales, indicators, _deviations(X))

    def sum(self, w: NDArray[np.float64], b: float, listed: int) -> _Sum:
        weights, heavy = w / self.scales, w * self.deviations
        order = [j for j in np.argsort(-np.abs(heavy), kind="stable") if w[j] != 0]
        terms: list[Term] = [
            {
                "feature": self.names[j],
                "indicator": bool(self.indicators[j]),
                "weight": float(weights[j]),
                "scaled_weight": float(heavy[j]),
            }
            for j in order[:listed]
        ]
        return _Sum(terms, len(order), float(weights @ self.centers - b))


def _deviations(X: Any) -> Any:
    if not isinstance(X, np.ndarray):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0.0))
    moments = Moments(X.shape[1])
    moments.add(X)
    return moments.finish().spread()


# --- Many classes --------------------------------------------------------------------------------


def _of_many(rule: Rule, estimator: Any, units: _Units, X: Any, y: Any, target: str) -> None:
    """A card for each class, and why a row is of one and not of its nearest rival."""
    w, b, classes = estimator.coef_, estimator.intercept_, [str(c) for c in estimator.classes_]
    listed = max(_LEAST_LISTED, LISTED // len(classes))
    cards: list[ClassRule] = []
    for c, label in enumerate(classes):
        terms, n_terms, threshold = units.sum(w[c], float(b[c]), listed)
        constant = 0.0 - threshold
        cards.append({"label": label, "terms": terms, "n_terms": n_terms, "constant": constant})
    differences: list[Difference] = []
    for first, second in nearest_rivals(estimator, X, y)[:_DIFFERENCES]:
        sum_ = units.sum(w[first] - w[second], float(b[first] - b[second]), listed)
        label, other = classes[first], classes[second]
        differences.append(
            {
                "label": label,
                "other": other,
                "terms": sum_.terms,
                "n_terms": sum_.n_terms,
                "threshold": sum_.threshold,
                "sentence": f"{named(label)}, not {named(other)}, if {sum_.reaches}",
            }
        )
    rule["sentence"] = f"{target} = the label with the highest of {len(classes)} scores"
    rule["classes"], rule["differences"] = cards, differences


def nearest_rivals(estimator: Any, X: Any, y: Any) -> list[tuple[int, int]]:
    """For each class the other one whose score most often comes nearest to that of its rows.

    Pairs of places, the lower one first: of equal scores that class is predicted.
    """
    own, k = np.searchsorted(estimator.classes_, y), len(estimator.classes_)
    _, nearest = standing(estimator.decision_function(X), own)
    rivals = [int(np.bincount(nearest[own == c], minlength=k).argmax()) for c in range(k)]
    return sorted({(min(c, r), max(c, r)) for c, r in enumerate(rivals) if c != r})


# --- How its training went -----------------------------------------------------------------------


_HARDEST = 10
_BINS = 30
_REPLAYED = 10_000_000  # n·d up to which training is repeated to see what was kept
# for people who do not set parameters, nor look at attributes
_ENDED = {
    "NOT_SEPARABLE": "It ended when it was proved that no hyperplane separates the training rows.",
    "MAX_ITER": "It ended at the limit of epochs; rows still changed the weights.",
    "MAX_UPDATES": "It ended at the limit of updates.",
    "UNDECIDED": "It ended early (early stopping): further epochs brought no fewer mistakes. "
    "Whether a hyperplane separates the training rows is not known.",
    "PATIENCE": "It ended early (early stopping): further epochs brought no fewer mistakes.",
}


def learning(estimator: Any, X: Any, y: Any, rows: int) -> Learning | None:
    """How training of the chosen rule went; None for rules that are drawn, not learned.

    X and y are the training rows, or a sample of these `rows`.
    """
    if not hasattr(estimator, "mistakes_"):
        return None
    return {
        "mistakes": estimator.mistakes_.tolist(),
        "kept": _kept(estimator, X, y) if X.shape[0] == rows else None,
        "rows": rows,
        "updates": int(estimator.n_updates_),
        "epochs": int(estimator.n_iter_),
        "ended": _ENDED.get(estimator.stop_reason_.name, str(estimator.stop_reason_)),
    }


def _kept(estimator: Any, X: Any, y: Any) -> list[int] | None:
    """Training errors of what would be returned after each epoch: training again, same seed."""
    if type(estimator) is not Perceptron or X.shape[0] * X.shape[1] > _REPLAYED:
        return None
    again = clone(estimator).set_params(max_iter=max(1, estimator.n_iter_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # was said the first time
        again.fit(X, y, X_val=X, y_val=y)
    errors: list[int] = again.validation_mistakes_.tolist()
    return errors


def margins(estimator: Any, X: Any, y: Any, rows: int) -> Histogram:
    """Distances of the training rows to the hyperplane, below 0 on the wrong side.

    X and y are the training rows, or a sample of these `rows`.
    """
    of = _margins_of_two if len(estimator.classes_) == 2 else _margins_of_many
    values, unit = of(estimator, X, y)
    edges = _edges(float(values.min()), float(values.max()))
    values = values.clip(edges[0], edges[-1])  # rounding may have put an end beside its bar
    counts = {
        str(label): np.histogram(values[y == label], bins=edges)[0].tolist()
        for label in estimator.classes_
    }
    sample = None if len(y) == rows else len(y)
    return {"edges": edges.tolist(), "counts": counts, "unit": unit, "sample": sample}


def _margins_of_two(estimator: Any, X: Any, y: Any) -> tuple[Any, str]:
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    values, unit = signs * estimator.decision_function(X), "score"
    if hasattr(estimator, "coef_") and (length := float(np.linalg.norm(estimator.coef_))) > 0:
        values, unit = values / length, "distance"
    return values, unit


def _margins_of_many(estimator: Any, X: Any, y: Any) -> tuple[Any, str]:
    """Of the planes between a row's own class and each other one the nearest, or the one that it
    is farthest beyond."""
    scores = estimator.decision_function(X)
    rows, own = np.arange(len(y)), np.searchsorted(estimator.classes_, y)
    ahead, unit = scores[rows, own, None] - scores, "score"
    if hasattr(estimator, "coef_"):
        w = estimator.coef_
        lengths = np.linalg.norm(w[:, None, :] - w[None, :, :], axis=2)
        np.fill_diagonal(lengths, 1.0)
        if (lengths > 0).all():
            ahead, unit = ahead / lengths[own], "distance"
    ahead[rows, own] = np.inf
    return ahead.min(axis=1), unit


def _edges(low: float, high: float) -> Any:
    """Of bars that all are wrong, or all right: 0 is between two of them."""
    step = (high - low) / _BINS or abs(high) or 1.0
    return step * np.arange(np.floor(low / step), np.floor(high / step) + 2)


def hardest_rows(compared: Compared, X_train: Any, rule: Rule) -> list[HardRow]:
    """Training rows with the most updates: perhaps their labels are wrong."""
    read, estimator = compared.read, compared.selection.estimator
    train = compared.selection.fitted_on
    counts = getattr(estimator, "update_counts_", None)
    if counts is None:
        return []
    if counts.ndim > 1:  # of many classes: how often it was added to its own
        counts = counts.maximum(0).sum(axis=1)
    order = [int(i) for i in np.argsort(-counts, kind="stable")[:_HARDEST] if counts[i] > 0]
    if not order:
        return []
    predicted = estimator.predict(X_train[order])
    columns = _heaviest_columns(read.preprocessing, compared.names, _terms(rule))
    return [
        {
            "row": read.number(row := int(train[i])),
            "updates": int(counts[i]),
            "label": str(read.y[row]),
            "predicted": str(label),
            "values": _as_in_table(read.X[row], columns),
        }
        for i, label in zip(order, predicted, strict=True)
    ]


def _terms(rule: Rule) -> list[Term]:
    """The heaviest first, whatever class they are of."""
    terms = rule["terms"] or [term for card in rule.get("classes", []) for term in card["terms"]]
    heaviest: dict[str, Term] = {}
    for term in sorted(terms, key=lambda term: -abs(term["scaled_weight"])):
        heaviest.setdefault(term["feature"], term)
    return list(heaviest.values())


def _heaviest_columns(
    preprocessing: Preprocessing | None, names: Sequence[str], terms: list[Term]
) -> list[tuple[str, Any, slice]]:
    """Name, column and place of each; rows of numbers without a table have names alone."""
    rank = {term["feature"]: place for place, term in enumerate(terms)}
    columns: list[tuple[int, str, Any, slice]] = []
    begin = 0
    for one in names if preprocessing is None else preprocessing.columns:
        name, features = (one, [one]) if isinstance(one, str) else (one.name, one.features)
        heaviest = min((rank.get(feature, len(terms)) for feature in features), default=len(terms))
        columns.append((heaviest, name, one, slice(begin, begin + len(features))))
        begin += len(features)
    columns.sort(key=lambda column: column[0])  # of equal ones the first
    return [column[1:] for column in columns[:LISTED_OF_A_ROW]]


def _as_in_table(x: Any, columns: list[tuple[str, Any, slice]]) -> dict[str, Any]:
    numbers = dense(x).ravel()
    row: dict[str, Any] = {}
    for name, one, where in columns:
        part = numbers[where]
        if isinstance(one, str | Number):
            row[name] = None if part[0] != part[0] else float(part[0])
        else:
            row[name] = one.value_of(part)
    return row
