"""The likelihood of a logistic regression, its maximum and its profiles.

l(β) = Σ c_i (t_i η_i - log(1 + exp η_i)) with η = Xβ and t = 0 or 1; its information is X'WX,
W = diag(c_i π_i (1 - π_i)). Columns are scaled to length 1 in the mean: the maximum does not depend
on it, and floats do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, special, stats

Numbers = NDArray[np.float64]
_STEPS, _HALVINGS, _DOUBLINGS = 500, 40, 60
_LONGEST = 5.0  # a step of a coefficient, of a scaled column
_SHORTEST = 1e-11  # below it is no step
_GAIN = 1e-11  # of the likelihood: profiles are not asked for more
_NOISE = 1e-14  # of the likelihood, as a share of it
_LEAST = 1e-290  # weight of a row, so that logarithms are finite


@dataclass(frozen=True)
class _Point:
    value: float
    score: Numbers
    root: Numbers  # R with R'R = the information


class Likelihood:
    """Of rows X, which have the column of the intercept, outcomes t and weights c of rows."""

    def __init__(self, X: Numbers, t: Numbers, c: Numbers):
        self.scale = np.sqrt(np.mean(X * X, axis=0))
        self.scale[self.scale == 0] = 1.0
        self._X, self._t, self._c = X / self.scale, t, c

    @property
    def size(self) -> int:
        return int(self._X.shape[1])

    def at(self, beta: Numbers) -> _Point:
        eta = self._X @ beta
        p = special.expit(eta)
        value = float(np.sum(self._c * (self._t * eta - np.logaddexp(0.0, eta))))
        residual = self._c * (self._t - p)
        weight = np.maximum(self._c * p * special.expit(-eta), _LEAST)
        half = self._X * np.sqrt(weight)[:, None]
        root: Numbers = np.asarray(np.linalg.qr(half, mode="r"))
        return _Point(value, self._X.T @ residual, root)

    def maximum(self, start: Numbers, fixed: int | None = None) -> tuple[Numbers, float]:
        """By Newton's method with the information; the fixed coefficient stays as it starts.

        All coefficients are found to the last digits; with a fixed one, the value is.
        """
        free = np.array([j for j in range(self.size) if j != fixed], dtype=np.intp)
        beta, here = start.copy(), self.at(start)
        for _ in range(_STEPS if len(free) else 0):
            step = np.zeros(self.size)
            step[free] = _solved(here.root[:, free], here.score[free])
            longest = float(np.abs(step).max())
            gain = float(step @ here.score)
            if longest <= _SHORTEST or (fixed is not None and gain <= _GAIN):
                return beta, here.value
            step *= min(1.0, _LONGEST / longest)
            for _ in range(_HALVINGS):
                there = self.at(beta + step)
                if there.value >= here.value - _NOISE * (1.0 + abs(here.value)):
                    break
                step /= 2
            else:
                return beta, here.value
            beta, here = beta + step, there
        return beta, here.value

    def errors(self, beta: Numbers) -> Numbers:
        """Standard errors, from the information, of columns that are not scaled."""
        inverse = linalg.solve_triangular(self.at(beta).root, np.eye(self.size))
        found: Numbers = np.sqrt(np.sum(inverse * inverse, axis=1)) / self.scale
        return found

    # --- Profiles ---

    def interval(
        self, beta: Numbers, value: float, j: int, confidence: float
    ) -> tuple[float, float]:
        """Where the profile of coefficient j is as high as a test at that confidence demands."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        width = float(np.sqrt(quantile) * self.errors(beta)[j] * self.scale[j])
        ends = []
        for side in (-1.0, 1.0):
            profile = self._profile(beta, value, j, quantile)
            end = _crossing(profile, self.coefficient(beta, j), side * max(width, 1e-8))
            ends.append(end / float(self.scale[j]))
        return ends[0], ends[1]

    def one_sided(self, value: float, j: int, side: float, confidence: float) -> float:
        """The finite end of the interval of a coefficient that runs to infinity on this side,
        where the likelihood rises to this value."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        profile = self._profile(np.zeros(self.size), value, j, quantile)
        inner = 0.0
        for k in range(_DOUBLINGS):
            if profile(inner) < 0:
                break
            inner = side * 2.0**k
        else:
            return -side * np.inf
        return _crossing(profile, inner, -side) / float(self.scale[j])

    def deviance(self, beta: Numbers, value: float, j: int, at: float) -> float:
        """Twice what the likelihood loses if coefficient j is held there."""
        return self._profile(beta, value, j, 0.0)(at * float(self.scale[j]))

    def coefficient(self, beta: Numbers, j: int) -> float:
        """Of the scaled column j."""
        return float(beta[j])

    def moved(self, beta: Numbers, j: int, at: float) -> Numbers:
        """Where the profile of coefficient j is sought from, with this maximum at hand."""
        start = beta.copy()
        start[j] = at
        return start

    def _profile(
        self, beta: Numbers, value: float, j: int, quantile: float
    ) -> Callable[[float], float]:
        last = beta
        known = (
            {self.coefficient(beta, j): -quantile} if beta.any() else {}
        )  # asked twice, the same answer

        def below(at: float) -> float:
            nonlocal last
            if at not in known:
                last, there = self.maximum(self.moved(last, j, at), fixed=j)
                known[at] = 2.0 * (value - there) - quantile
            return known[at]

        return below


def _solved(root: Numbers, score: Numbers) -> Numbers:
    """(root' root)^-1 score; by some columns where that is not unique."""
    _, r, order = linalg.qr(root, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.sum(diagonal > 1e-13 * max(float(diagonal.max(initial=0.0)), _LEAST)))
    found = np.zeros(len(score))
    if rank:
        part = r[:rank, :rank]
        inner = linalg.solve_triangular(part, score[order[:rank]], trans="T")
        found[order[:rank]] = linalg.solve_triangular(part, inner)
    return found


def _crossing(profile: Callable[[float], float], inner: float, step: float) -> float:
    """Where the profile, which is below 0 at `inner`, reaches 0 in the direction of the step."""
    outer, farthest = inner + step, 1e8 * max(1.0, abs(step))
    for _ in range(_DOUBLINGS):
        if profile(outer) > 0:
            return float(optimize.brentq(profile, inner, outer, xtol=1e-9, rtol=1e-10))
        inner, step = outer, 2 * step
        outer = inner + step
        if abs(outer) > farthest:
            break
    return float(np.sign(step) * np.inf)
