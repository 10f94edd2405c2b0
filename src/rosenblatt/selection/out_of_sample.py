"""Scores of rows that the rule which gave them has not seen: they choose thresholds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.probability import Platt, sigmoid

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OutOfSample:
    """Two classes: a score for each row, and whether its label is the second class."""

    scores: Floats
    second: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: list[OutOfSample]) -> OutOfSample:
        scores = np.concatenate([part.scores for part in parts])
        return cls(scores, np.concatenate([part.second for part in parts]))

    def lowered(self, by: float) -> OutOfSample:
        return replace(self, scores=self.scores - by)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of the first and of the second class."""
        return np.bincount(self.second, minlength=2)

    def costs(self, threshold: float, costs: Floats) -> Floats:
        """What each row costs if scores from the threshold on are called the second class."""
        called = self.scores >= threshold
        missed, false = costs[1, 0] * ~called, costs[0, 1] * called
        return np.asarray(np.where(self.second, missed, false))

    def errors(self, threshold: float) -> int:
        """How many rows are wrong if scores from the threshold on are called the second class."""
        return int(((self.scores >= threshold) != self.second).sum())

    def cheapest(self, costs: Floats) -> float:
        """The threshold of the lowest cost: 0 if nothing is cheaper, else between two scores."""
        cuts = self.cuts()
        cost = costs[1, 0] * cuts.missed + costs[0, 1] * cuts.false
        best = np.flatnonzero(cost == cost.min())
        return float(cuts.thresholds[best[np.abs(cuts.thresholds[best]).argmin()]])

    def cuts(self) -> Cuts:
        """All that thresholds can do, from the lowest one on."""
        order = np.argsort(self.scores, kind="stable")
        scores, second = self.scores[order], self.second[order]
        ends = np.append(np.flatnonzero(np.diff(scores) > 0) + 1, len(scores))
        begins = np.insert(ends, 0, 0)  # rows before these are called the first class
        beyond = float(scores[-1] - scores[0]) or 1.0
        low = np.concatenate([[scores[0] - beyond], scores[ends - 1]])
        high = np.concatenate([scores[np.insert(ends[:-1], 0, 0)], [scores[-1] + beyond]])
        thresholds = np.where((low < 0) & (high >= 0), 0.0, low + (high - low) / 2)
        thresholds = np.where(thresholds > low, thresholds, high)  # of neighbours among floats
        missed = np.concatenate([[0], np.cumsum(second)])[begins]
        firsts = np.concatenate([[0], np.cumsum(~second)])
        return Cuts(thresholds, missed, firsts[-1] - firsts[begins], len(scores) - begins)


@dataclass(frozen=True)
class Cuts:
    """For each threshold: how many rows of the second class are missed, how many of the first are
    called the second, and how many are called the second at all."""

    thresholds: Floats
    missed: NDArray[np.int64]
    false: NDArray[np.int64]
    called: NDArray[np.int64]


def scores_of(rule: Any, X: Any) -> Floats:
    """Of two classes: 0 or more means the second; constant where a rule has no scores."""
    if hasattr(rule, "decision_function"):
        return np.asarray(rule.decision_function(X), dtype=np.float64)
    if hasattr(rule, "predict_proba"):
        return np.asarray(rule.predict_proba(X)[:, 1] - 0.5, dtype=np.float64)
    return np.where(rule.predict(X) == rule.classes_[1], 1.0, -1.0)


class Unit(NamedTuple):
    """Mean and standard deviation of the scores of the rows that a rule learned from.

    Rules that learned from different rows have different scales, and perceptrons also intercepts
    that jump: measured in these units, their scores are alike.
    """

    center: float
    spread: float

    @classmethod
    def of(cls, scores: Floats) -> Unit:
        with np.errstate(over="ignore", invalid="ignore"):
            center, spread = float(scores.mean()), float(scores.std())
        return cls(center, spread) if 0 < spread < np.inf else cls(0.0, 1.0)

    def measured(self, scores: Floats) -> Floats:
        return (scores - self.center) / self.spread

    def scores(self, measured: Floats) -> Floats:
        return measured * self.spread + self.center

    def lowered(self, by: float) -> Unit:
        return Unit(self.center - by, self.spread)


# --- Probabilities from scores: Platt's sigmoid --------------------------------------------------


_STEPS = 100
_CLOSE = 1e-10


def platt(out_of_sample: OutOfSample) -> Platt:
    """The sigmoid that fits labels to scores best (Platt 1999; Newton's method as in Lin, Lin and
    Weng, Machine Learning 68, 2007).

    Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, so that there is a finite best
    one. Where higher scores do not mean the second class more often, the probability is its share.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.selection.out_of_sample import platt
    >>> from rosenblatt.selection.out_of_sample import OutOfSample
    >>> found = platt(OutOfSample(np.array([-2.0, -1, 1, 2]), np.array([False, True, False, True])))
    >>> found.of(np.array([-3.0, 0.0, 3.0])).round(3).tolist()
    [0.353, 0.5, 0.647]
    """
    second = out_of_sample.second
    positive, negative = int(second.sum()), int((~second).sum())
    target = np.where(second, (positive + 1) / (positive + 2), 1 / (negative + 2))
    unit = float(np.abs(out_of_sample.scores).max()) or 1.0
    slope, intercept = _fitted(out_of_sample.scores / unit, target)
    if slope <= 0:
        return Platt(0.0, float(np.log((positive + 1) / (negative + 1))), len(second))
    return Platt(slope / unit, intercept, len(second))


def _fitted(x: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[float, float]:
    at = np.array([0.0, np.log(target.mean() / (1 - target.mean()))])
    lifted = np.column_stack([x, np.ones_like(x)])

    def loss(at: NDArray[np.float64]) -> float:
        z = lifted @ at
        return float((np.logaddexp(0, z) - target * z).sum())

    now = loss(at)
    for _ in range(_STEPS):
        p = sigmoid(lifted @ at)
        gradient = lifted.T @ (p - target)
        curved = lifted.T @ (lifted * (p * (1 - p))[:, None]) + 1e-12 * np.eye(2)
        step, length = np.linalg.solve(curved, gradient), 1.0
        while (then := loss(at - length * step)) > now and length > 1e-10:
            length /= 2
        at, now = at - length * step, min(then, now)
        if np.abs(length * step).max() <= _CLOSE * max(1.0, np.abs(at).max()):
            break
    return float(at[0]), float(at[1])
