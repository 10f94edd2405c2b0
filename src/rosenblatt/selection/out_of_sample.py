"""Scores of rows that the rule which gave them has not seen: they choose thresholds, and become
probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.probability import Platt, Probability, Softmax, sigmoid

Floats = NDArray[np.float64]
Threshold = float | Floats
"""From which score on a row is called the second class; of more than two classes what is subtracted
from the score of each before they are compared."""


@dataclass(frozen=True)
class OutOfSample:
    """A score for each row, of more than two classes one for each; and its class by number."""

    scores: Floats
    codes: NDArray[np.intp]

    @classmethod
    def joined(cls, parts: list[OutOfSample]) -> OutOfSample:
        scores = np.concatenate([part.scores for part in parts])
        return cls(scores, np.concatenate([part.codes for part in parts]))

    @property
    def many(self) -> bool:
        return self.scores.ndim == 2

    @property
    def second(self) -> NDArray[np.bool_]:
        return np.asarray(self.codes == 1)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=self.scores.shape[1] if self.many else 2)

    def lowered(self, by: Threshold) -> OutOfSample:
        return replace(self, scores=self.scores - by)

    def called(self, threshold: Threshold) -> NDArray[np.intp]:
        if self.many:
            return np.asarray((self.scores - threshold).argmax(axis=1))
        return (self.scores >= threshold).astype(np.intp)

    def costs(self, threshold: Threshold, costs: Floats) -> Floats:
        """What each row costs."""
        return np.asarray(costs[self.codes, self.called(threshold)])

    def errors(self, threshold: Threshold) -> int:
        return int((self.called(threshold) != self.codes).sum())

    def cheapest(self, costs: Floats) -> Threshold:
        """The threshold of the lowest cost: 0 if nothing is cheaper, else between two scores."""
        if self.many:
            return _cheapest_of_many(self.scores, self.codes, costs)
        cuts = self.cuts()
        cost = costs[1, 0] * cuts.missed + costs[0, 1] * cuts.false
        best = np.flatnonzero(cost == cost.min())
        return float(cuts.thresholds[best[np.abs(cuts.thresholds[best]).argmin()]])

    def cuts(self) -> Cuts:
        """All that thresholds of two classes can do, from the lowest one on."""
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


_ROUNDS = 20


def _cheapest_of_many(scores: Floats, codes: NDArray[np.intp], costs: Floats) -> Floats:
    """Class by class the cheapest place while the others stay, where it saves a standard error of
    what it saves at least: k places would fit k times as much chance as a single threshold."""
    n, k = scores.shape
    offsets, rows = np.zeros(k), np.arange(n)
    now = costs[codes, scores.argmax(axis=1)]
    for _ in range(_ROUNDS):
        before = now
        for c in range(k):
            others = scores - offsets
            others[:, c] = -np.inf
            rival = others.argmax(axis=1)
            lead = scores[:, c] - others[rows, rival]  # called c where it is above the offset
            own, theirs = costs[codes, c], costs[codes, rival]
            order = np.argsort(lead, kind="stable")
            cost = own.sum() + np.append(0.0, np.cumsum((theirs - own)[order]))
            ends = lead[order]
            beyond = float(ends[-1] - ends[0]) or 1.0
            low, high = np.append(ends[0] - beyond, ends), np.append(ends, ends[-1] + beyond)
            cost[low == high] = np.inf  # an offset divides no equal leads
            middle = (low + (high - low) / 2)[cost == cost.min()]
            offset = middle[np.abs(middle - offsets[c]).argmin()]
            then = np.where(lead > offset, own, theirs)
            saved = now - then
            if saved.sum() > np.sqrt((saved**2).sum()):
                offsets[c], now = offset, then
        if now is before:
            break
    return offsets


def scores_of(rule: Any, X: Any) -> Floats:
    """Of two classes: 0 or more means the second; constant where a rule has no scores. Of more a
    column for each, whose mean in each row is 0."""
    if len(rule.classes_) > 2:
        scores = np.asarray(_scores_of_many(rule, X), dtype=np.float64)
        return np.asarray(scores - scores.mean(axis=1, keepdims=True))
    if hasattr(rule, "decision_function"):
        return np.asarray(rule.decision_function(X), dtype=np.float64)
    if hasattr(rule, "predict_proba"):
        return np.asarray(rule.predict_proba(X)[:, 1] - 0.5, dtype=np.float64)
    return np.where(rule.predict(X) == rule.classes_[1], 1.0, -1.0)


def _scores_of_many(rule: Any, X: Any) -> Any:
    for name in ("decision_function", "predict_proba"):
        if hasattr(rule, name):
            scores = getattr(rule, name)(X)
            if scores.shape[1] == len(rule.classes_):  # and not one for each pair of them
                return scores
    return rule.predict(X)[:, None] == rule.classes_


class Unit(NamedTuple):
    """Mean and standard deviation of the scores of the rows that a rule learned from.

    Rules that learned from different rows have different scales, and perceptrons also intercepts
    that jump: measured in these units, their scores are alike. Of many classes each has its mean.
    """

    center: Threshold
    spread: float

    @classmethod
    def of(cls, scores: Floats) -> Unit:
        with np.errstate(over="ignore", invalid="ignore"):
            center = scores.mean(axis=0)
            spread = float(scores.std() if scores.ndim == 1 else (scores - center).std())
        return cls(center, spread) if 0 < spread < np.inf else cls(0.0, 1.0)

    def measured(self, scores: Floats) -> Floats:
        return (scores - self.center) / self.spread

    def scores(self, measured: Floats) -> Floats:
        return measured * self.spread + self.center

    def lowered(self, by: Threshold) -> Unit:
        return Unit(self.center - by, self.spread)


# --- Probabilities from scores: Platt's sigmoid, and a softmax of more than two classes ----------


_STEPS = 100
_CLOSE = 1e-10


def probability_of(out_of_sample: OutOfSample) -> Probability:
    return softmax(out_of_sample) if out_of_sample.many else platt(out_of_sample)


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
    >>> found = platt(OutOfSample(np.array([-2.0, -1, 1, 2]), np.array([0, 1, 0, 1])))
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


def _fitted(x: Floats, target: Floats) -> tuple[float, float]:
    lifted = np.column_stack([x, np.ones_like(x)])

    def loss(at: Floats) -> float:
        z = lifted @ at
        return float((np.logaddexp(0, z) - target * z).sum())

    def derivatives(at: Floats) -> tuple[Floats, Floats]:
        p = sigmoid(lifted @ at)
        gradient = lifted.T @ (p - target)
        return gradient, lifted.T @ (lifted * (p * (1 - p))[:, None]) + 1e-12 * np.eye(2)

    begin = np.array([0.0, np.log(target.mean() / (1 - target.mean()))])
    slope, intercept = _newton(begin, loss, derivatives)
    return float(slope), float(intercept)


def softmax(out_of_sample: OutOfSample) -> Softmax:
    """The slope and the intercepts that fit labels to scores best.

    Platt's targets: (n_c + 1)/(n_c + 2) for the class c of a row, and the others share the rest. Of
    two classes it is his sigmoid.
    """
    scores, counts = out_of_sample.scores, out_of_sample.counts
    n, k = scores.shape
    unit = float(np.abs(scores).max()) or 1.0
    target = np.repeat(1 / ((counts + 2) * (k - 1)), k).reshape(k, k)
    np.fill_diagonal(target, (counts + 1) / (counts + 2))
    slope, intercepts = _fitted_of_many(scores / unit, target[out_of_sample.codes])
    if slope <= 0:
        return Softmax(0.0, tuple(np.log(counts + 1.0).tolist()), n)
    return Softmax(slope / unit, tuple((intercepts - intercepts.mean()).tolist()), n)


def _fitted_of_many(x: Floats, target: Floats) -> tuple[float, Floats]:
    k = x.shape[1]

    def loss(at: Floats) -> float:
        z = at[0] * x + at[1:]
        return float((np.logaddexp.reduce(z, axis=1) - (target * z).sum(axis=1)).sum())

    def derivatives(at: Floats) -> tuple[Floats, Floats]:
        p = Softmax(float(at[0]), tuple(at[1:].tolist()), 0).of(x)
        mean = (p * x).sum(axis=1, keepdims=True)
        gradient = np.append(((p - target) * x).sum(), (p - target).sum(axis=0))
        curved = np.diag(np.append((p * (x - mean) ** 2).sum(), p.sum(axis=0)))
        curved[1:, 1:] -= p.T @ p
        curved[0, 1:] = curved[1:, 0] = (p * (x - mean)).sum(axis=0)
        return gradient, curved + 1e-9 * len(x) * np.eye(k + 1)  # all intercepts may rise together

    at = _newton(np.append(0.0, np.log(target.mean(axis=0))), loss, derivatives)
    return float(at[0]), at[1:]


def _newton(
    at: Floats,
    loss: Callable[[Floats], float],
    derivatives: Callable[[Floats], tuple[Floats, Floats]],
) -> Floats:
    """Newton's method; a step that would lose is halved."""
    now = loss(at)
    for _ in range(_STEPS):
        gradient, curved = derivatives(at)
        step, length = np.linalg.solve(curved, gradient), 1.0
        while (then := loss(at - length * step)) > now and length > 1e-10:
            length /= 2
        at, now = at - length * step, min(then, now)
        if np.abs(length * step).max() <= _CLOSE * max(1.0, np.abs(at).max()):
            break
    return at
