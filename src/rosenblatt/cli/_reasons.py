"""What adds up to a score: the reasons that `rosenblatt predict --explain` gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt._support.words import many
from rosenblatt.cli._rows import Judged
from rosenblatt.errors import InputError

_ROUNDING = 1e-12


class Why(NamedTuple):
    """What adds up to a score: the heaviest features, all other features, the intercept.

    Of many classes: to what the score of the predicted class is above that of its runner-up.
    """

    reasons: list[tuple[str, float]]
    said: list[str]  # the same features, with their values
    others: float
    n_others: int
    intercept: float
    threshold: int | None = None  # of a card: what its points are compared with


def lead(w: Any, b: Any, first: int, second: int | None) -> tuple[Any, float]:
    """The weights and the intercept of a score, or of how far one is above another."""
    if second is None:
        return w[first], float(b[first])
    return w[first] - w[second], float(b[first] - b[second])


def why_of(of: Weighed, x: Any, w: Any, count: int, intercept: float) -> Why:
    """x: a row as the weights take it."""
    import numpy as np

    added = w * x
    order = np.argsort(-np.abs(added), kind="stable")
    order = order[: np.count_nonzero(added)]
    reasons = [(of.names[j], float(added[j])) for j in order[:count]]
    said = [of.said(int(j), float(x[j])) for j in order[:count]]
    rest = added[order[count:]]
    return Why(reasons, said, math.fsum(rest), len(rest), intercept, of.threshold)


class Weighed(NamedTuple):
    """What the weights of a rule are of: features, or the terms of a card."""

    names: Sequence[str]
    rows: Callable[[Any], Any]
    threshold: int | None  # of a card
    numbers: Mapping[int, Any] = {}  # places of scaled columns of numbers

    def said(self, j: int, x: float) -> str:
        """A feature with its value: reports 0 (average 0.46):"""
        column = self.numbers.get(j)
        if column is None:
            return self.names[j]
        value = x * column.scale + column.center
        if abs(value) < _ROUNDING * (abs(column.center) + column.scale):
            value = 0.0  # but for rounding
        return f"{self.names[j]} {value:.4g} (average {column.center:.4g}):"


def is_card(estimator: Any) -> bool:
    return hasattr(estimator, "term_values")


def points_of(estimator: Any, X: Any) -> list[float] | None:
    """What a card adds up for each row, whole numbers where all counts are; None of other rules."""
    if not is_card(estimator):
        return None
    points = estimator._rule.totals(X).tolist()
    return [int(sum_) if sum_.is_integer() else sum_ for sum_ in points]


def weighed(estimator: Any, asked: Judged) -> Weighed:
    if is_card(estimator):
        return Weighed(estimator.terms_, estimator._rule.values, estimator.threshold_)
    return Weighed(asked.names, lambda X: X, None, asked.numbers)


def weights(estimator: Any) -> tuple[Any, Any]:
    if is_card(estimator):  # the score is half a point above its points
        return estimator.points_[None], [0.5 - estimator.threshold_]
    weights = getattr(estimator, "coef_", None) if hasattr(estimator, "coef_") else None
    if weights is None:
        raise InputError(
            "--explain needs a rule with one weight for each feature. This model has none: it is a "
            "voted or a kernel perceptron."
        )
    return weights, estimator.intercept_


def told(why: Why) -> str:
    found = [f"{said} {added:+.4g}" for said, (_, added) in zip(why.said, why.reasons, strict=True)]
    if why.n_others:
        found.append(f"{many(why.n_others, 'other')} {why.others:+.4g}")
    if why.threshold is None:
        return "; ".join([*found, f"intercept {why.intercept:+.4g}"])
    points = why.others + math.fsum(added for _, added in why.reasons)
    return "; ".join([*found, f"points {points:.4g}, threshold {why.threshold}"])
