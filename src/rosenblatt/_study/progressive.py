"""One pass over all rows, each judged before it is learned from: what that bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._study.options import Options
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.preprocessing import Number
from rosenblatt.perceptron import Perceptron
from rosenblatt.report.document import Progressive, Support
from rosenblatt.theory.risk import progressive_bound, progressive_lambda, support_bound

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.reading import Read


CONFIDENCE = 0.95
_LEAST = 40  # rows
_BLOCKS = 32  # of each half: rows that the same rule judges, and then learns from
_MOST_NUMBERS = 10**8  # in the table: more take longer than a glance


def one_pass(read: Read, certificate: Certificate, options: Options) -> Progressive | None:
    """None where rows do not come one by one, are too few or too many, or the rule was not chosen
    by its errors: then a bound of errors without costs only misleads. None, too, where the bound is
    no better than the error of always saying one label."""
    n, d = read.X.shape
    if options.groups is not None or options.stream or read.sample is not None:
        return None
    if options.decides != "error":
        return None
    if n < _LEAST or n * d > _MOST_NUMBERS:
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
        "sentence": _sentence(rows, mistakes, bound, support),
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


def _sentence(rows: int, mistakes: int, bound: float, support: Support | None) -> str:
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
