"""Directions of good rules: for each row that is asked about the fewest errors along any of them.

Along one direction a rule is a cut. With a row that must be on one side of it, the cuts on one side
of its score are left: their least errors are running minima, so that one sort serves all rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._minimum.problem import Problem
from rosenblatt._proof.whole_numbers import Floats

_NONE = np.iinfo(np.int64).max


class _Best(NamedTuple):
    """By row that is asked about, all of them on one side."""

    errors: NDArray[np.int64]
    direction: NDArray[np.intp]
    cut: Floats


class Library:
    """The best cut of any direction so far, for each of the rows Q on either side."""

    def __init__(self, problem: Problem, Q: Any):
        self._X, self._Q = problem.rows.X, Q
        self._up, self._cost = problem.rows.y > 0, problem.cost.astype(np.int64)
        self.directions: list[Floats] = []
        n = Q.shape[0]
        self._best = {
            sign: _Best(np.full(n, _NONE), np.zeros(n, dtype=np.intp), np.zeros(n))
            for sign in (1, -1)
        }

    @np.errstate(all="ignore")
    def add(self, w: Floats) -> None:
        scores, asked = self._X @ w, self._Q @ w
        if not (np.isfinite(scores).all() and np.isfinite(asked).all()):
            return
        order = np.argsort(scores, kind="stable")
        s, up, cost = scores[order], self._up[order], self._cost[order]
        errors = np.empty(len(s) + 1, dtype=np.int64)  # of the cut below each score
        errors[0] = cost[~up].sum()
        np.cumsum(np.where(up, cost, -cost), out=errors[1:])
        errors[1:] += errors[0]
        errors[1:-1][s[1:] <= s[:-1]] = _NONE
        number = len(self.directions)
        self.directions.append(w)
        for sign, best in self._best.items():
            # A row that must score above the cut: cuts below it; and the other way round.
            way, place = (errors, np.searchsorted(s, asked)) if sign > 0 else (errors[::-1], None)
            if place is None:
                place = len(s) - np.searchsorted(s, asked, side="right")
            least = np.minimum.accumulate(way)
            better = np.flatnonzero(least[place] < best.errors)
            if not len(better):
                continue
            first = np.searchsorted(-least, -least[place[better]])  # where the minimum is reached
            at = first if sign > 0 else len(s) - first
            best.errors[better] = least[place[better]]
            best.direction[better] = number
            best.cut[better] = _between(s, at, asked[better], sign)

    def errors(self, row: int, sign: int) -> int:
        return int(self._best[sign].errors[row])

    def rule(self, row: int, sign: int) -> Floats | None:
        """Weights and intercept."""
        best = self._best[sign]
        if best.errors[row] == _NONE:
            return None
        return np.append(self.directions[best.direction[row]], -best.cut[row])


def _between(s: Floats, at: NDArray[np.intp], asked: Floats, sign: int) -> Floats:
    """Cuts below the scores s[at], with the row on its side: in the middle of what is left."""
    reach = max(float(s[-1] - s[0]), 1e-9)
    low = np.where(at > 0, s[np.maximum(at - 1, 0)], np.minimum(s[0], asked) - reach)
    high = np.where(at < len(s), s[np.minimum(at, len(s) - 1)], np.maximum(s[-1], asked) + reach)
    if sign > 0:
        high = np.minimum(high, asked)
    else:
        low = np.maximum(low, asked)
    return np.asarray(low + (high - low) / 2)
