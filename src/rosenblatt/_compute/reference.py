"""The algorithms in plain NumPy: what the compiled core computes, to the bit.

This file is the specification, the oracle of the tests, and what trains where no compiler was at
hand. It has the functions of the compiled core (`native/`), one for one, and no tricks.

n rows, d features. Labels y are -1 or +1. A weight vector is lifted: w[:d] are the weights, w[d] is
the intercept b. Everything is float64. Training runs in units of the learning rate.

Many classes: labels are the numbers of the classes, 0 to k - 1, and w has a lifted weight vector
for each class, shape (k, d + 1). What learns or counts below takes either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Labels = NDArray[Any]  # int8: -1 or +1; int32: numbers of classes
Indices = NDArray[np.integer[Any]]
Log = tuple[NDArray[Any], ...]
"""Room to note of each update: the row, the visit, the score before; with many classes the row, the
visit, the margin before and the rival."""

CHUNK = 1 << 18
"""How many numbers to read in one call, so that Ctrl-C is heard soon."""


# --- Rows ------------------------------------------------------------------------------------


class Rows:
    """Rows read one at a time as float64, from an array or the three arrays of a CSR matrix."""

    def __init__(self, n: int, d: int, values: Any, indices: Any = None, indptr: Any = None):
        self.n, self.d = n, d
        self._values, self._indices, self._indptr = values, indices, indptr

    def __getitem__(self, i: int) -> Vector:
        if self._indptr is None:
            return np.asarray(self._values[i], dtype=np.float64)
        entries = slice(self._indptr[i], self._indptr[i + 1])
        x = np.zeros(self.d)
        x[self._indices[entries]] = self._values[entries]
        return x


def dense(X: NDArray[Any]) -> Rows:
    return Rows(X.shape[0], X.shape[1], X)


def csr(data: NDArray[Any], indices: Indices, indptr: Indices, d: int) -> Rows:
    return Rows(len(indptr) - 1, d, data, indices, indptr)


# --- The score -------------------------------------------------------------------------------

LANES = 16


def score(x: Vector, w: Vector) -> float:
    """w·x + b. Product j goes into lane j mod 16 in increasing j; the lanes fold in halves."""
    return float(scores_of(x[None, :], w)[0])


def scores_of(X: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
    """The scores of several rows, each by itself, in the precision of w."""
    products = X.astype(w.dtype) * w[:-1]
    lanes = np.zeros((len(X), LANES), dtype=w.dtype)
    for j in range(0, X.shape[1], LANES):
        block = products[:, j : j + LANES]
        lanes[:, : block.shape[1]] += block
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return np.asarray(lanes[:, 0] + w[-1])


def scores(rows: Rows, w: Vector, begin: int, end: int, out: Vector) -> None:
    for i in range(begin, end):
        out[i] = score(rows[i], w)


def class_scores(rows: Rows, w: Vector, begin: int, end: int, out: Vector) -> None:
    for i in range(begin, end):
        out[i] = scores_of_classes(rows[i], w)


def scores_of_classes(x: Vector, w: Vector) -> list[float]:
    """One score for each class, each by itself."""
    return [score(x, of_class) for of_class in w]


def rival(of_classes: list[float], y: int) -> int:
    """The other class with the highest score; of equal ones the first."""
    others = [c for c in range(len(of_classes)) if c != y]
    found = others[0]
    for c in others:
        if of_classes[c] > of_classes[found]:
            found = c
    return found


def margin_of(x: Vector, y: int, w: Vector) -> float:
    """y s; with many classes the score of class y minus that of its rival."""
    if w.ndim == 1:
        return y * score(x, w)
    of_classes = scores_of_classes(x, w)
    return of_classes[y] - of_classes[rival(of_classes, y)]


# --- The Gram matrix -------------------------------------------------------------------------


def products(panels: NDArray[Any], w: NDArray[Any], out: NDArray[Any]) -> None:
    """out[a, i] = the score of row i under w[a]. The columns of a panel are rows."""
    for a in range(len(w)):
        begin = 0
        for panel in panels:
            some = out[a, begin : begin + panel.shape[1]]
            some[:] = scores_of(panel.T, w[a])[: len(some)]
            begin += len(some)


def scores_of_some(rows: Rows, w: NDArray[Any], some: Indices | None, out: NDArray[Any]) -> None:
    for k, i in enumerate(range(rows.n) if some is None else some.tolist()):
        out[k] = scores_of(rows[i][None, :], w)[0]


def add(
    values: Sequence[NDArray[Any]], steps: Sequence[Sequence[float]], into: Sequence[Vector]
) -> None:
    """sums += step * values, one after the other, for several sums with steps of their own."""
    for sums, of_sums in zip(into, steps, strict=True):
        for row, step in zip(values, of_sums, strict=True):
            np.add(sums, step * row.astype(np.float64), out=sums)


def rbf_exponents(
    products: NDArray[Any], x_squares: NDArray[Any], z_squares: NDArray[Any], gamma: float
) -> None:
    """Products x·z become -gamma ‖x - z‖²; rounding can make ‖x‖² + ‖z‖² - 2 x·z negative."""
    products *= -2.0
    products += z_squares
    products += x_squares[:, None]
    np.abs(products, out=products)
    products *= -gamma


def all_finite(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all())


def next_call(y: Labels, sums: Vector, b: float, margin: float, at: int) -> int:
    """The first place from `at` on that calls for an update; the end where none does."""
    calls = np.flatnonzero(~(y[at:] * (sums[at:] + b) > margin))
    return at + int(calls[0]) if len(calls) else len(y)


# --- Randomness ------------------------------------------------------------------------------

_G = 0x9E3779B97F4A7C15
_64_BITS = (1 << 64) - 1


def _mix(z: int) -> int:
    """One output of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _64_BITS
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _64_BITS
    return z ^ (z >> 31)


def _partner(seed: int, k: int, n: int, i: int) -> int:
    """In permutation k of n places, place i is swapped with this one: i + ⌊u_i (n-i) / 2^64⌋."""
    start = _mix((seed + (k + 1) * _G) & _64_BITS)
    return i + (_mix((start + (i + 1) * _G) & _64_BITS) * (n - i) >> 64)


def _swap(pool: Indices, i: int, j: int) -> None:
    pool[i], pool[j] = int(pool[j]), int(pool[i])


def arrange(pool: Indices, rows: Indices | None, seed: int, k: int, swaps: int) -> None:
    """pool := the given rows (all, in order, where None) after the first swaps of permutation k."""
    n = len(pool)
    pool[:] = np.arange(n) if rows is None else rows
    for i in range(swaps):
        _swap(pool, i, _partner(seed, k, n, i))


# --- Learning --------------------------------------------------------------------------------


class _Learner:
    """Weights of two classes, and what is remembered about how they came about."""

    def __init__(
        self,
        rows: Rows,
        y: Labels,
        c: Vector | None,
        margin: float,
        intercept: bool,
        w: Vector,
        drift: Vector | None,
        counts: NDArray[np.int64],
        visits: int,
        log: Log | None = None,
    ):
        self.rows, self.y, self.c = rows, y, c
        self.margin, self.intercept = margin, intercept
        self.w, self.drift, self.counts = w, drift, counts
        self.visits, self.updates, self.log = visits, 0, log

    def step(self, i: int) -> float:
        """c_i y_i"""
        return float(self.y[i]) * (1.0 if self.c is None else float(self.c[i]))

    def lifted(self, i: int) -> Vector:
        """(x_i, 1), or (x_i, 0) through the origin"""
        return np.append(self.rows[i], 1.0 if self.intercept else 0.0)

    def calls(self, i: int) -> bool:
        """Does row i call for an update? On the hyperplane: yes."""
        return not float(self.y[i]) * score(self.rows[i], self.w) > self.margin

    def seen(self, i: int) -> float:
        """What is written down of row i: its score."""
        return score(self.rows[i], self.w)

    def note(self, i: int) -> None:
        if self.log is not None:
            noted = i, self.visits, self.seen(i)
            for column, value in zip(self.log, noted, strict=True):
                column[self.updates] = value

    def update(self, i: int) -> None:
        """w += c_i y_i (x_i, 1)"""
        self.w += self.step(i) * self.lifted(i)
        if self.drift is not None:  # the mean of w over all visits is w - drift / visits
            self.drift += (self.visits * self.step(i)) * self.lifted(i)
        self.counts[i] += 1

    def visit(self, i: int) -> bool:
        """One look at row i, and the update if it calls for one."""
        mistake = self.calls(i)
        if mistake:
            self.note(i)
            self.update(i)
            self.updates += 1
        self.visits += 1
        return mistake

    def mark(self, i: int, sum: Vector) -> int:
        """1 where row i calls for an update, which is added to the sum; else 0."""
        if not self.calls(i):
            return 0
        sum += self.step(i) * self.lifted(i)
        return 1


class _JointLearner(_Learner):
    """Weights of k classes: the row's own class comes nearer, its rival goes away (Kesler)."""

    def step(self, i: int) -> float:
        """c_i"""
        return 1.0 if self.c is None else float(self.c[i])

    def rival(self, i: int) -> int:
        return rival(scores_of_classes(self.rows[i], self.w), int(self.y[i]))

    def calls(self, i: int) -> bool:
        """Is the score of the row's class not above that of its rival by more than the margin?"""
        return not self.seen(i) > self.margin

    def seen(self, i: int) -> float:
        """Its margin."""
        return margin_of(self.rows[i], int(self.y[i]), self.w)

    def note(self, i: int) -> None:
        if self.log is not None:
            noted = i, self.visits, self.seen(i), self.rival(i)
            for column, value in zip(self.log, noted, strict=True):
                column[self.updates] = value

    def update(self, i: int) -> None:
        """w_y += c_i (x_i, 1) and w_r -= c_i (x_i, 1)"""
        y, r = int(self.y[i]), self.rival(i)
        self._add(self.w, y, r, self.step(i) * self.lifted(i))
        if self.drift is not None:
            self._add(self.drift, y, r, (self.visits * self.step(i)) * self.lifted(i))
        self.counts[i, y] += 1
        self.counts[i, r] -= 1

    def mark(self, i: int, sum: Vector) -> int:
        """1 + the rival where row i calls for an update, which is added to the sum; else 0."""
        if not self.calls(i):
            return 0
        r = self.rival(i)
        self._add(sum, int(self.y[i]), r, self.step(i) * self.lifted(i))
        return 1 + r

    @staticmethod
    def _add(into: Vector, y: int, r: int, step: Vector) -> None:
        into[y] += step
        into[r] -= step


def _learner(
    rows: Rows, y: Labels, c: Vector | None, margin: float, intercept: bool, w: Vector, *more: Any
) -> _Learner:
    kind = _Learner if w.ndim == 1 else _JointLearner
    return kind(rows, y, c, margin, intercept, w, *more)


def visit(
    rows: Rows,
    y: Labels,
    c: Vector | None,
    order: Indices | None,
    begin: int,
    end: int,
    most: int,
    margin: float,
    intercept: bool,
    w: Vector,
    drift: Vector | None,
    counts: NDArray[np.int64],
    visits: int,
    log: Log | None,
) -> tuple[int, int]:
    """Visit order[begin:end], at most `most` updates. Returns the place reached and the updates."""
    learner = _learner(rows, y, c, margin, intercept, w, drift, counts, visits, log)
    k = begin
    while k < end and learner.updates < most:
        learner.visit(k if order is None else int(order[k]))
        k += 1
    return k, learner.updates


def search(
    rows: Rows,
    y: Labels,
    c: Vector | None,
    pool: Indices,
    seed: int,
    number: int,
    seen: int,
    looks: int,
    most: int,
    margin: float,
    intercept: bool,
    w: Vector,
    drift: Vector | None,
    counts: NDArray[np.int64],
    visits: int,
    log: Log | None,
) -> tuple[int, int, int, int]:
    """Draw rows without replacement until the first mistake, update, draw afresh.

    At most `looks` visits and `most` updates; a whole draw without a mistake ends it. Returns
    visits, updates, the number of the draw and how many of its rows have been seen. `pool` holds
    the first `seen` swaps of the draw, before and after.
    """
    n = len(pool)
    learner = _learner(rows, y, c, margin, intercept, w, drift, counts, visits, log)
    while learner.visits - visits < looks and learner.updates < most and seen < n:
        _swap(pool, seen, _partner(seed, number, n, seen))
        seen += 1
        if learner.visit(int(pool[seen - 1])):
            for i in reversed(range(seen)):
                _swap(pool, i, _partner(seed, number, n, i))
            number, seen = number + 1, 0
    return learner.visits - visits, learner.updates, number, seen


def look(
    rows: Rows,
    y: Labels,
    c: Vector | None,
    begin: int,
    end: int,
    margin: float,
    intercept: bool,
    w: Vector,
    sum: Vector,
    mark: NDArray[Any],
    scores: Vector | None,
) -> int:
    """Mark the rows that call for an update under w; sum += their updates.

    A mark is 1, with many classes 1 + the rival. The scores of all rows, with many classes their
    margins, are written down where there is room for them.
    """
    nothing = np.zeros(rows.n, dtype=np.int64)
    learner = _learner(rows, y, c, margin, intercept, w, None, nothing, 0)
    for i in range(begin, end):
        if scores is not None:
            scores[i] = learner.seen(i)
        mark[i] = learner.mark(i, sum) if c is None or c[i] != 0 else 0
    return int(np.count_nonzero(mark[begin:end]))


# --- Judging ---------------------------------------------------------------------------------


def count(
    rows: Rows,
    y: Labels,
    c: Vector | None,
    w: NDArray[np.float64],
    limit: Vector,
    begin: int,
    end: int,
    plain: NDArray[np.int64],
    weighted: Vector,
) -> bool:
    """Add the mistakes of each rule in w, plain and weighted. One that reaches its limit is out.

    Returns whether any is still in.
    """
    for i in range(begin, end):
        weight = 1.0 if c is None else float(c[i])
        if weight == 0:
            continue
        x = rows[i]
        for a in np.flatnonzero(weighted < limit):
            if not margin_of(x, int(y[i]), w[a]) > 0:
                plain[a] += 1
                weighted[a] += weight
    return bool((weighted < limit).any())


def vote(
    rows: Rows,
    voters: NDArray[np.float64],
    votes: Vector,
    begin: int,
    end: int,
    out: Vector,
) -> None:
    """out[i] += Σ over voters of votes · sign(score), with sign(0) = +1."""
    for i in range(begin, end):
        x = rows[i]
        for a, voter in enumerate(voters):
            out[i] += votes[a] if score(x, voter) >= 0 else -votes[a]


def class_votes(
    rows: Rows,
    voters: NDArray[np.float64],
    votes: Vector,
    begin: int,
    end: int,
    out: NDArray[np.float64],
) -> None:
    """A voter gives its votes to the class of the highest score: out[i, c] += votes."""
    for i in range(begin, end):
        x = rows[i]
        for a, voter in enumerate(voters):
            out[i, highest(scores_of_classes(x, voter))] += votes[a]


def highest(of_classes: list[float]) -> int:
    """The class with the highest score; of equal ones the first."""
    return max(range(len(of_classes)), key=lambda c: of_classes[c])


# --- The compiled core has several CPU levels; this has one --------------------------------------


def cpu_levels() -> list[str]:
    return ["reference"]


def use_cpu_level(name: str) -> bool:
    return name == "reference"
