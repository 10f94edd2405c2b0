"""The guess, in floating point: the point of the rows' convex hull that is nearest to zero.

With rows b_i (lifted, signed, scaled) minimise ‖Σ x_i (b_i, 1) - (0, 1)‖ over x >= 0, which is
least-distance programming as non-negative least squares (Lawson and Hanson, Solving Least Squares
Problems, 1974, chapter 23). If the residual is not zero, its first part is the separator of the
largest margin; if it is, x is a blend of at most D + 1 rows that is zero: a conflict. Only the rows
that matter are ever in the small problem: those most on the wrong side join until none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.corral import ZERO, Corral
from rosenblatt._proof.metric import Sight, some
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats

_MOST_PASSES = 200
REACHED = 1e-12  # a target of length 1 that is as near as this is taken for reached
_NEARLY = 1e-10  # a score of rows of length 1 that is taken for zero
EXTRA = -1  # the number of a row that is not among the rows


@dataclass
class Guess:
    """What floating point believes."""

    direction: Floats  # weights, in the space of the search
    support: list[int] = field(default_factory=list)  # rows
    blend: Floats = field(default_factory=lambda: np.zeros(0))  # their shares, all positive
    separates: bool = False  # every row has a positive score; else the blend is (nearly) zero
    width: float = 0.0  # the smallest score of unit weights


def nearest_point(
    rows: Rows,
    metric: Sight,
    *,
    start: Sequence[int] = (),
    alive: NDArray[np.bool_] | None = None,
    extra: Floats | None = None,
    first: bool = False,
) -> Guess:
    """The nearest point of the hull of the living rows; with `first` any separator will do.

    `extra` is one more row, given in the metric; in the support it has the number EXTRA.
    """
    working = _Working(rows, metric, extra)
    v = working.begin(start)
    best: Guess | None = None
    for _ in range(_MOST_PASSES):
        m = metric.scores(rows, v)
        m[np.isnan(m)] = -np.inf
        if alive is not None:
            m[~alive] = np.inf
        lowest = min(float(m.min(initial=np.inf)), np.inf if extra is None else float(extra @ v))
        guess = working.guess(v, lowest)
        if guess.separates and (first or working.settled(lowest)):
            return guess
        if guess.separates and (best is None or guess.width > best.width):
            best = guess
        if not working.add_worst(m) and working.corral.members:
            break  # all that matter are inside: floating point can do no better
        working.corral.minimise(working.b, rows.budget)
        rows.budget.spend(len(working.index))
        r = working.corral.residual()
        v = -r[:-1]
        if float(np.linalg.norm(r)) <= ZERO * metric.unit:
            return working.guess(v, 0.0)
    return best or working.guess(v, 0.0)


@dataclass(frozen=True)
class Approach:
    """How near positive blends of rows come to a target."""

    complete: bool  # they reach it
    support: list[int]
    direction: Floats  # of what is left, turned round: no row has a negative score with it
    scores: Floats


def blend_to(
    rows: Rows,
    metric: Sight,
    target: Floats,
    alive: NDArray[np.bool_],
    start: Sequence[int] = (),
) -> Approach:
    """The positive blend of living rows that is nearest to the target; `start` may be near it."""
    working = _Working(rows, metric, target=target / (float(np.linalg.norm(target)) or 1.0))
    if working.add(start):
        working.corral.begin(working.b)
    r = working.corral.residual()
    for _ in range(_MOST_PASSES):
        m = metric.scores(rows, -r[:-1])
        m[np.isnan(m)] = -np.inf
        m[~alive] = np.inf
        if not m.min() < -_NEARLY * float(np.linalg.norm(r)) or not working.add_worst(m):
            break
        working.corral.minimise(working.b, rows.budget)
        r = working.corral.residual()
        if float(np.linalg.norm(r)) <= REACHED:
            break
    support = working.index[working.corral.members].tolist()
    return Approach(float(np.linalg.norm(r)) <= REACHED, support, -r[:-1], m)


def mean(rows: Rows, metric: Sight) -> Floats:
    """The mean of the rows, as a first guess."""
    index = some(rows.n)
    v = metric.blend(rows, index, np.ones(len(index)))
    return v if v.any() and np.isfinite(v).all() else np.ones_like(v)


class _Working:
    """The rows in the small problem."""

    def __init__(
        self,
        rows: Rows,
        metric: Sight,
        extra: Floats | None = None,
        target: Floats | None = None,
    ):
        self.rows, self.metric = rows, metric
        size = metric.dimensions(rows)
        self.index = np.zeros(0, dtype=np.intp)
        self.b = np.zeros((0, size))
        if extra is not None:
            self.index, self.b = np.array([EXTRA], dtype=np.intp), extra[None, :]
        unit = metric.unit if target is None else 0.0
        self.corral = Corral(size, unit, None if target is None else np.append(target, 0.0))
        self._inside: set[int] = set()
        self._batch = 4 * (size + 1)

    def begin(self, start: Sequence[int]) -> Floats:
        """A first guess: from these rows, else the mean of all."""
        if self.add(start):
            self.corral.begin(self.b)
        if not self.corral.members:
            return mean(self.rows, self.metric)
        return -self.corral.residual()[:-1]

    def add(self, index: Sequence[int]) -> bool:
        new = [i for i in index if i not in self._inside and i != EXTRA]
        if new:
            self._inside.update(new)
            added = np.array(new, dtype=np.intp)
            self.index = np.append(self.index, added)
            self.b = np.vstack([self.b, self.metric.rows(self.rows, added)])
        return bool(new)

    def add_worst(self, m: Floats) -> bool:
        """The rows of the lowest scores that are not yet inside."""
        m = m.copy()
        m[self.index[self.index != EXTRA]] = np.inf
        few = min(self._batch, len(m))
        lowest = np.argpartition(m, few - 1)[:few]
        lowest = lowest[m[lowest] < np.inf]
        return self.add(lowest[np.argsort(m[lowest], kind="stable")].tolist())

    def settled(self, lowest: float) -> bool:
        """No row outside is nearer than those inside."""
        if not self.corral.members:
            return False
        reached = self.corral.unit * float(self.corral.residual()[-1])
        return lowest >= reached * (1 - 1e-9)

    def guess(self, v: Floats, lowest: float) -> Guess:
        length = float(np.linalg.norm(v))
        return Guess(
            v,
            self.index[self.corral.members].tolist(),
            self.corral.x.copy(),
            lowest > 0,
            lowest / length if 0 < length < np.inf else 0.0,
        )
