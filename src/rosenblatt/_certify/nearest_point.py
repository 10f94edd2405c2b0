"""The guess, in floating point: the point of the rows' convex hull that is nearest to zero.

With rows b_i (lifted, signed, scaled) minimise ‖Σ x_i (b_i, 1) - (0, 1)‖ over x >= 0, which is
least-distance programming as non-negative least squares (Lawson and Hanson, Solving Least Squares
Problems, 1974, chapter 23). If the residual is not zero, its first part is the separator of the
largest margin; if it is, x is a blend of at most D + 1 rows that is zero: a conflict. Only the rows
that matter are ever in the small problem: those most on the wrong side join until none is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import unwrap

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from rosenblatt._certify.conditioning import some
from rosenblatt._certify.rows import Floats, Index, Rows, View
from rosenblatt._util.budget import Budget

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
    metric: View,
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
    rows: Rows, metric: View, target: Floats, alive: NDArray[np.bool_], start: Sequence[int] = ()
) -> Approach:
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


def mean(rows: Rows, metric: View) -> Floats:
    index = some(rows.n)
    v = metric.blend(rows, index, np.ones(len(index)))
    return v if v.any() and np.isfinite(v).all() else np.ones_like(v)


class _Working:
    """The rows in the small problem."""

    def __init__(
        self, rows: Rows, metric: View, extra: Floats | None = None, target: Floats | None = None
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
        m = m.copy()
        m[self.index[self.index != EXTRA]] = np.inf
        few = min(self._batch, len(m))
        lowest = np.argpartition(m, few - 1)[:few]
        lowest = lowest[m[lowest] < np.inf]
        return self.add(lowest[np.argsort(m[lowest], kind="stable")].tolist())

    def settled(self, lowest: float) -> bool:
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


# --- The small problem of the search: non-negative least squares, column by column ---------------


ZERO = 1e-13  # a residual of this length is taken for zero; whole numbers will tell
_TINY, _TINY_FOR_TARGET = 1e-13, 1e-9
_MANY, _FEW = 1 << 17, 64  # numbers in columns of which not all are asked each time; those that are

# Without SciPy's wrappers, which look for batches of matrices: that takes longer than the work.
_qr_insert, _qr_delete = unwrap(qr_insert), unwrap(qr_delete)


class Corral:
    """Non-negative least squares: x >= 0 that minimises ‖E x - f‖, E the columns (b_i, unit).

    The target f is (0, unit) unless it is given.

    The columns with x > 0 are kept in a QR decomposition. They are independent, so that there are
    at most D + 1 of them.
    """

    def __init__(self, size: int, unit: float, target: Floats | None = None):
        self.size, self.unit = size, unit
        self.target = np.append(np.zeros(size), unit) if target is None else target
        self.scale = float(np.linalg.norm(self.target))
        self._tiny = _TINY if target is None else _TINY_FOR_TARGET
        self.members: list[int]  # places in the small problem
        self._clear()

    def _clear(self) -> None:
        self.q, self.r = np.eye(self.size + 1), np.zeros((self.size + 1, 0))
        self.members, self.x = [], np.zeros(0)

    def residual(self) -> Floats:
        """f - E x, from the complement of the columns: accurate however small it is."""
        free = self.q[:, len(self.members) :]
        return np.asarray(free @ (self.target @ free))

    def _solve(self) -> Floats:
        k = len(self.members)
        solution, _ = dtrtrs(self.r[:k], self.target @ self.q[:, :k])
        return np.asarray(solution)

    def _insert(self, place: int, column: Floats) -> None:
        k = len(self.members)
        if k == 0:
            q, self.r = np.linalg.qr(column[:, None], mode="complete")
            self.q = np.asfortranarray(q)  # which is then changed in its place
        else:
            self.q, self.r = _qr_insert(
                self.q, self.r, column, k, which="col", overwrite_qru=True, check_finite=False
            )
        self.members.append(place)
        self.x = np.concatenate((self.x, (0.0,)))

    def _delete(self, k: int) -> None:
        if len(self.members) == 1:
            self._clear()
            return
        self.q, self.r = _qr_delete(self.q, self.r, k, which="col", check_finite=False)
        del self.members[k]
        self.x = np.concatenate((self.x[:k], self.x[k + 1 :]))

    def begin(self, b: Floats) -> None:
        columns = self._columns(b[: self.size + 1])
        q, self.r = np.linalg.qr(columns.T, mode="complete")
        self.q = np.asfortranarray(q)
        self.members, self.x = list(range(len(columns))), np.zeros(len(columns))
        diagonal = np.abs(np.diag(self.r))
        if diagonal.min() < self._tiny * float(np.linalg.norm(columns, axis=1).max()):
            self._clear()  # they depend on each other
        while self.members:
            self.x = self._solve()
            worst = int(np.argmin(self.x))
            if self.x[worst] > 0:
                return
            self._delete(worst)

    def _columns(self, b: Floats) -> Floats:
        return np.hstack([b, np.full((len(b), 1), self.unit)])

    def minimise(self, b: Floats, budget: Budget) -> None:
        """Until no row of b would make the residual shorter."""
        if not len(b):
            return
        pricing = _Pricing(self._columns(b))
        banned: set[int] = set()
        for _ in range(30 * (self.size + 10) + len(b)):
            budget.spend(self.size**2 // 16)  # a column that joins or leaves moves all of q
            r = self.residual()
            size = math.sqrt(r @ r)
            if size <= ZERO * self.scale:
                return
            least = (1e-15 + 1e-11 * size / self.scale) * self.scale
            place = pricing.best(r, [*self.members, *banned], least)
            if place is None:
                return
            if self._admit(place, pricing.columns[place], pricing.length[place]):
                banned.clear()
            else:
                banned.add(place)

    def _admit(self, place: int, column: Floats, length: float) -> bool:
        """A column joins; those that would turn negative leave. False: it brings nothing."""
        if len(self.members) > self.size:
            return False
        self._insert(place, column)
        k = len(self.members) - 1
        if abs(self.r[k, k]) < self._tiny * length:
            self._delete(k)
            return False
        z = self._solve()
        if not z[-1] > 0:
            self._delete(k)
            return False
        while len(z) and z.min() <= 0:
            falling = np.flatnonzero(z <= 0)
            x, fall = self.x[falling], self.x[falling] - z[falling]
            ratio = np.divide(x, fall, out=np.zeros(len(x)), where=fall > 0)
            step = float(ratio.min())
            self.x = self.x + step * (z - self.x)
            leaving = falling[ratio <= step]
            for j in reversed(leaving.tolist()):
                self._delete(j)
            z = self._solve() if self.members else np.zeros(0)
        self.x = z
        return True


class _Pricing:
    """Which column would make the residual shortest? Of many the best few are asked first."""

    def __init__(self, columns: Floats):
        self.columns, self.length = columns, np.linalg.norm(columns, axis=1)
        self.length[self.length == 0] = np.inf  # rows too short for floats gain nothing
        self._many = columns.size > _MANY
        self._few: Index | None = None
        self._once = 0.0  # what the best of them would have gained when they were chosen

    def best(self, r: Floats, without: list[int], least: float) -> int | None:
        """The place of a column that gains more than the least; None where there is none."""
        if self._few is not None:
            gain = (self.columns[self._few] @ r) / self.length[self._few]
            gain[np.isin(self._few, without)] = -np.inf
            k = int(np.argmax(gain))
            if gain[k] > max(least, self._once / 2):
                return int(self._few[k])
        gain = (self.columns @ r) / self.length
        gain[without] = -np.inf
        place = int(np.argmax(gain))
        if self._many:
            self._few = np.argpartition(gain, -_FEW)[-_FEW:]
            self._once = float(gain[place])
        return place if gain[place] > least else None
