"""What holds beyond the chosen rule: forced errors, forced signs, second opinions, one pass.

No linear rule avoids the errors, all good ones share the signs, others that fit as well are asked
about some test rows, and one pass over all rows bounds the error of the rules that it meets.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._bounds.directions import MOST_COLUMNS
from rosenblatt._certify.table import read
from rosenblatt._core.backend import compute
from rosenblatt._util.budget import Clock
from rosenblatt._util.spelling import either
from rosenblatt._util.text import many, row_number
from rosenblatt._validation.signs import demanded
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.preprocessing import Number
from rosenblatt.error_bracket import minimum_errors
from rosenblatt.errors import InputError
from rosenblatt.opinions import LINES, Opinion, Opinions, RuleSet
from rosenblatt.perceptron import Perceptron
from rosenblatt.report.document import (
    Example,
    Forced,
    Price,
    Progressive,
    SecondOpinions,
    Support,
)
from rosenblatt.scorecard import Scorecard
from rosenblatt.sign_report import signs_within
from rosenblatt.theory.risk import progressive_bound, progressive_lambda, support_bound

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.options import Options
    from rosenblatt._study.reading import Read
    from rosenblatt._study.stages import Compared
    from rosenblatt.sign_report import SignReport


SIGNS_WORK = (
    6_000_000  # row evaluations: some two seconds, counted, so that it is the same everywhere
)
_MOST_PAIRS = 2_500_000  # of rows of both labels: with more, one look takes too long


def signs(X: Any, y: Any, weights: Any, certificate: Certificate) -> SignReport | None:
    """None where there is nothing to ask, or no answer could be hoped for in so short a time."""
    if certificate.separable is not False or certificate.many or compute.cones is None:
        return None
    if sparse.issparse(X) or not 1 <= X.shape[1] <= MOST_COLUMNS:
        return None
    if int(np.prod(np.unique(y, return_counts=True)[1], dtype=np.float64)) > _MOST_PAIRS:
        return None
    asker = either("rosenblatt.forced_signs", "rosenblatt certify --forced-signs")
    try:
        return signs_within(
            Clock(None, SIGNS_WORK),
            np.asarray(X),
            y,
            sample_weight=weights,
            names=certificate.feature_names,
            longer=f"{asker}, which searches longer",
        )
    except InputError:  # numbers that are too far apart
        return None


PRICE_SECONDS = 2.0  # for the rules with the signs that are demanded, and as many without


def price(X: Any, y: Any, weights: Any, certificate: Certificate, options: Options) -> Price:
    """What the demand costs on all rows: between which numbers of errors, and how it is known."""
    names = certificate.feature_names
    signs = demanded(options.signs, names, len(names))
    asked = [
        minimum_errors(X, y, sample_weight=weights, signs=each, time_limit=PRICE_SECONDS)
        for each in (None, signs)
    ]
    free, fair = (bracket.named(names) for bracket in asked)
    least, most = fair.price(free)
    sentence = fair.price_sentence(free)
    if options.scorecard:
        sentence = f"For linear rules of all columns, {sentence[0].lower()}{sentence[1:]}"
    return {
        "signs": fair.signs,
        "rows": fair.n_rows,
        "errors_at_least": int(fair.lower),
        "errors_at_most": int(fair.upper),
        "at_least": int(least),
        "at_most": int(most),
        "sentence": sentence,
    }


def forced(compared: Compared, report: SignReport, options: Options) -> Forced:
    own = _errors_of_the_rule(compared)
    return {
        "rows": report.n_rows,
        "at_least": int(report.at_least),
        "errors": int(report.errors),
        "rule_errors": own,
        "columns": [
            {
                "feature": column.name,
                "sign": column.sign,
                "free": column.free,
                "collinear": column.collinear,
                "otherwise_at_least": int(column.at_least),
                "otherwise_at_most": int(column.at_most),
                "tolerates_labels": column.tolerates.labels if column.tolerates else None,
                "tolerates_rows": column.tolerates.rows if column.tolerates else None,
            }
            for column in report
        ],
        "sentence": _forced_sentence(report, own, options.decides),
    }


def _errors_of_the_rule(compared: Compared) -> int | None:
    """Of the chosen rule on all rows; None of one that is no linear rule of the columns."""
    read, selection = compared.read, compared.selection
    estimator, preprocessor = selection.estimator, selection.preprocessor
    if read.sample is not None or len(read.X) != len(read.y):
        return None
    if isinstance(estimator, Scorecard) or not hasattr(estimator, "coef_"):
        return None
    rows = read.X if preprocessor is None else preprocessor.transform(read.X)
    return int((estimator.predict(rows) != read.y).sum())


def _forced_sentence(report: SignReport, own: int | None, decides: str) -> str:
    least, errors, rows = report.at_least, report.errors, report.n_rows
    if least == errors:
        few = f"No linear rule makes fewer than {errors:,} errors on these {rows:,} rows"
    elif least:
        few = (
            f"Every linear rule misclassifies at least {least:,} of these {rows:,} rows; the "
            f"best one found in this short search misclassifies {errors:,}"
        )
    else:
        few = (
            f"The best linear rule found in this short search misclassifies {errors:,} of these "
            f"{rows:,} rows"
        )
    if decides != "error":
        few += " (all errors count alike here: no costs, no weights)"
    signs = []
    for sign, word in (("+", "positive"), ("-", "negative")):
        if names := [column.name for column in report if column.sign == sign]:
            signs.append(f"a {word} weight to {', '.join(names)}")
    if not signs:
        return f"{few}. No weight is known to need a certain sign."
    so_few = f"Every rule with at most {errors:,} errors"
    sentence = f"{few}. {so_few} gives {' and '.join(signs)} (positive speaks for {report.label})."
    for column in report:
        if column.tolerates is not None and column.tolerates.labels:
            word = "positive" if column.sign == "+" else "negative"
            firm = f"any {column.tolerates.labels:,} of the {rows:,} labels are wrong"
            sentence += f" {column.name} is {word} in every best rule, even if {firm}."
    if own is not None and own > errors:
        sentence += f" The rule above makes {own:,}, so it is not bound by this."
    return sentence


# --- Second opinions -----------------------------------------------------------------------------


ROWS = 40  # test rows that are asked about
OPINIONS_WORK, EACH = 1_000_000, 20_000  # row evaluations: some tenths of a second in all
_MOST_NUMBERS = 200_000  # in the training rows
_EXAMPLES = 3
_LEVEL = 0.05  # of the test whether contested rows are wrong more often


def second_opinions(compared: Compared, X: Any, options: Options) -> SecondOpinions | None:
    """X: all rows in the units of the table, missing values filled. None where there is nothing to
    ask, no answer could be hoped for in so short a time, or most rows were not settled in it."""
    table, selection = compared.read, compared.selection
    if selection.cv or options.stream or table.sample is not None or len(table.counts) != 2:
        return None
    if options.decides != "error":
        return None  # rules would be compared by errors, which this one was not chosen by
    known = selection.fitted_on
    if not len(selection.test) or sparse.issparse(X) or compute.cones is None:
        return None
    if len(known) * X.shape[1] > _MOST_NUMBERS or X.shape[1] > len(known):
        return None
    if len(X) != len(table.y):  # rows without a label stand in X where they do in the table
        X = np.delete(X, list(table.notes.unlabelled), axis=0)
    asked = selection.test
    if len(asked) > ROWS:
        asked = np.sort(
            np.random.default_rng(options.random_state).choice(asked, ROWS, replace=False)
        )
    try:
        return _opinions(compared, X, asked, rows=not options.private)
    except InputError:  # one label only, or numbers that are too far apart
        return None


def _opinions(
    compared: Compared, X: Any, asked: NDArray[Any], *, rows: bool
) -> SecondOpinions | None:
    selection, y = compared.selection, compared.read.y
    known = selection.fitted_on
    table = read(X[known], y[known], numbers="float", function="second_opinion")
    answers, fitted = _predicted(compared, asked), _predicted(compared, known)
    rules = RuleSet(
        table,
        np.asarray(X[asked], dtype=np.float64),
        answers=np.where(answers == table.origin.classes[-1], 1, -1).astype(np.int8),
        errors=int((fitted != y[known]).sum()),
        work_limit=EACH,
        work=OPINIONS_WORK,
        lines=LINES,
    )
    opinions = rules.all(list(rules.opinions()))
    if 2 * (len(opinions) - opinions.count("open")) < len(asked):
        return None
    return _described(opinions, answers != y[asked], compared, asked, rows=rows)


def _predicted(compared: Compared, rows: NDArray[Any]) -> NDArray[Any]:
    X, preprocessor = compared.read.X[rows], compared.selection.preprocessor
    return np.asarray(
        compared.selection.estimator.predict(
            X if preprocessor is None else preprocessor.transform(X)
        )
    )


def _described(
    opinions: Opinions,
    wrong: NDArray[np.bool_],
    compared: Compared,
    asked: NDArray[Any],
    *,
    rows: bool,
) -> SecondOpinions:
    selection = compared.selection
    contested = np.array([opinion.status in ("contested", "overruled") for opinion in opinions])
    counts = (int((wrong & contested).sum()), int((wrong & ~contested).sum()))
    return {
        "asked": len(opinions),
        "test_rows": len(selection.test),
        "train": opinions.n_rows,
        "separable": opinions.separable,
        "errors": opinions.errors,
        "contested": opinions.count("contested"),
        "forced": opinions.count("forced"),
        "overruled": opinions.count("overruled"),
        "open": opinions.count("open"),
        "contested_wrong": counts[0],
        "other_wrong": counts[1],
        "bound": opinions.bound,
        "examples": _examples(opinions, compared, asked) if rows else [],
        "sentence": _opinions_sentence(opinions, counts, len(selection.test)),
    }


def _examples(opinions: Opinions, compared: Compared, asked: NDArray[Any]) -> list[Example]:
    """Contested ones first; of these the cheapest."""
    table = compared.read
    order = {"overruled": 0, "contested": 1, "open": 2, "forced": 3}

    def first(opinion: Opinion) -> tuple[int, int, int]:
        return order[opinion.status], opinion.at_most or 0, opinion.row

    return [
        {
            "row": table.number(int(asked[opinion.row])),
            "label": str(table.y[asked[opinion.row]]),
            "answer": str(opinion.answer),
            "status": opinion.status,
            "sentence": _in_table_rows(opinions, opinion, compared),
        }
        for opinion in sorted(opinions, key=first)[:_EXAMPLES]
    ]


def _in_table_rows(opinions: Opinions, opinion: Opinion, compared: Compared) -> str:
    table, known = compared.read, compared.selection.fitted_on
    return opinions.sentence(opinion.row, lambda row: row_number(table.number(int(known[row]))))


def _opinions_sentence(opinions: Opinions, wrong: tuple[int, int], test_rows: int) -> str:
    n, forced, unsettled = len(opinions), opinions.count("forced"), opinions.count("open")
    k = n - forced - unsettled
    few = "that fits all training rows" if opinions.separable else "with no more training errors"
    drawn = f"Of {many(test_rows, 'test row')}, {n:,} drawn at random were examined"
    sentence = (
        f"{drawn if n < test_rows else f'All {test_rows:,} test rows were examined'}: {k:,} "
        f"contested (another linear rule {few} gives the other answer), {forced:,} forced (all "
        f"such rules agree), {unsettled:,} undecided within the search limit."
    )
    if not 0 < k < n:
        return sentence
    oftener = ", more often where contested" if _more_often(wrong, k, n) else ""
    return (
        f"{sentence} This rule is wrong on {wrong[0]:,} of the {k:,} contested and on "
        f"{wrong[1]:,} of the other {n - k:,}{oftener}."
    )


def _more_often(wrong: tuple[int, int], k: int, n: int) -> bool:
    """Fisher's exact test, one-sided: would chance put so many of the errors among k of n rows?"""
    errors = sum(wrong)
    ways = sum(comb(k, i) * comb(n - k, errors - i) for i in range(wrong[0], min(k, errors) + 1))
    return ways <= _LEVEL * comb(n, errors)


# --- One pass over all rows, each judged before it is learned from -------------------------------


CONFIDENCE = 0.95
_LEAST_ROWS = 40  # rows
_BLOCKS = 32  # of each half: rows that the same rule judges, and then learns from
_MOST_PASSED = 10**8  # in the table: more take longer than a glance


def one_pass(read: Read, certificate: Certificate, options: Options) -> Progressive | None:
    """None where rows do not come one by one, are too few or too many, or the rule was not chosen
    by its errors: then a bound of errors without costs only misleads. None, too, where the bound is
    no better than the error of always saying one label."""
    n, d = read.X.shape
    if options.groups is not None or options.stream or read.sample is not None:
        return None
    if options.split_by_time is not None:
        return None
    if options.decides != "error":
        return None
    if n < _LEAST_ROWS or n * d > _MOST_PASSED:
        return None
    order = np.random.default_rng(options.random_state).permutation(n)
    expected, mistakes, rows = _pass(read, order, options.random_state)
    lam = progressive_lambda(expected, rows, confidence=CONFIDENCE)
    bound = progressive_bound(mistakes, rows, lam=lam, confidence=CONFIDENCE)
    always = 1 - max(read.counts.values()) / n
    if bound >= always:
        return None
    support = _support(read, certificate)
    if support is not None and support["bound"] >= always:
        support = None
    return {
        "rows": rows,
        "mistakes": mistakes,
        "bound": bound,
        "confidence": CONFIDENCE,
        "lam": lam,
        "support": support,
        "sentence": _pass_sentence(rows, mistakes, bound, support),
    }


def _pass(read: Read, order: NDArray[np.intp], seed: int) -> tuple[float, int, int]:
    """The share of mistakes that the first half lets expect; mistakes and rows of the second."""
    half = len(order) // 2
    preprocessor = None
    if read.preprocessing is not None:
        preprocessor = Preparation(read.preprocessing, impute=read.impute).fit(
            read.X[np.sort(order[:half])]
        )
    rule = Perceptron(keep="average", random_state=seed)
    classes, first, second = np.unique(read.y), _blocks(order[:half]), _blocks(order[half:])
    wrong: list[int] = []
    for block in (*first, *second):
        X = read.X[block] if preprocessor is None else preprocessor.transform(read.X[block])
        if wrong:
            wrong.append(int((rule.predict(X) != read.y[block]).sum()))
        else:
            wrong.append(0)  # there is no rule yet
        rule.partial_fit(X, read.y[block], classes)
    later = len(first) // 2  # of the first half only what came late is like the second
    before = sum(map(len, first[later:]))
    return (
        sum(wrong[later : len(first)]) / before,
        sum(wrong[len(first) :]),
        len(order) - half,
    )


def _blocks(order: NDArray[np.intp]) -> list[NDArray[Any]]:
    return np.array_split(order, min(_BLOCKS, len(order)))


def _support(read: Read, certificate: Certificate) -> Support | None:
    """Of columns that were not made from the rows themselves."""
    if certificate.many or certificate.separable is not True:
        return None
    columns = () if read.preprocessing is None else read.preprocessing.columns
    if read.impute is not None or not all(isinstance(column, Number) for column in columns):
        return None
    rows = _determining(certificate)
    if rows is None:
        return None
    bound = support_bound(min(rows, certificate.n_rows), certificate.n_rows, confidence=CONFIDENCE)
    return {"rows": rows, "bound": bound}


def _determining(certificate: Certificate) -> int | None:
    """How many rows determine the separator of the largest margin: d + 1 at most."""
    margin = certificate.to_dict().get("margins", {}).get("geometric")
    if margin is None:
        return None
    return len(margin["rows"]) if margin["exact"] else certificate.n_features + 1


def _pass_sentence(rows: int, mistakes: int, bound: float, support: Support | None) -> str:
    sentence = (
        "for comparison, not about the rule above: one pass over all rows predicted each row "
        f"before learning from it (progressive validation), and {mistakes / rows:.1%} of the last "
        f"{rows:,} were wrong. With 95 % confidence its intermediate rules misclassify at most "
        f"{bound:.1%} of new rows, on average."
    )
    if support is not None:
        widest = "the separator of the largest margin"
        sentence += (
            f" With the same confidence {widest} misclassifies at most {support['bound']:.1%}."
        )
    return sentence
