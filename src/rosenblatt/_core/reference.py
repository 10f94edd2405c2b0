"""The algorithms in plain NumPy: what the compiled core computes, to the bit.

This file is the specification, the oracle of the tests, and what trains where no compiler was at
hand. It has the functions of the compiled core (`native/`), one for one, and no tricks.

n rows, d features. Labels y are -1 or +1. A weight vector is lifted: w[:d] are the weights, w[d] is
the intercept b. Everything is float64. Training runs in units of the learning rate.

Many classes: labels are the numbers of the classes, 0 to k - 1, and w has a lifted weight vector
for each class, shape (k, d + 1). What learns or counts below takes either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.protocol import (
    SHRINK_EVERY,
    BatchStep,
    Candidates,
    LabelledRows,
    LearnerArrays,
    Mean,
    MistakeTally,
    Permutation,
    UpdateRule,
)

Vector = NDArray[np.float64]
Indices = NDArray[np.integer[Any]]

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


def lifted_square(x: Vector, intercept: bool) -> float:
    """‖(x, 1)‖², or ‖x‖² through the origin: added up as a score is."""
    return score(x, np.append(x, 1.0 if intercept else 0.0))


def lifted_squares(rows: Rows, intercept: bool, begin: int, end: int, out: Vector) -> None:
    for i in range(begin, end):
        out[i - begin] = lifted_square(rows[i], intercept)


def scores(rows: Rows, w: Vector, begin: int, end: int, out: Vector) -> None:
    for i in range(begin, end):
        out[i] = score(rows[i], w) if w.ndim == 1 else scores_of_classes(rows[i], w)


def scores_of_classes(x: Vector, w: Vector) -> list[float]:
    """One score for each class, each by itself."""
    return [score(x, of_class) for of_class in w]


def rival(of_classes: list[float], y: int) -> int:
    """The other class with the highest score; of equal ones the first."""
    others = [c for c in range(len(of_classes)) if c != y]
    best = others[0]
    for c in others:
        if of_classes[c] > of_classes[best]:
            best = c
    return best


def margin_of(x: Vector, y: int, w: Vector, tie: float) -> float:
    """y s, where a score of 0 is taken for `tie`; with many classes the score of class y minus
    that of its rival."""
    if w.ndim == 1:
        return y * (score(x, w) or tie)
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


def next_call(
    y: NDArray[Any], sums: Vector, b: float, margin: float, at: int, tie: float = 0.0
) -> int:
    """The first place from `at` on that calls for an update; the end where none does."""
    scores = sums[at:] + b
    calls = np.flatnonzero(~(y[at:] * np.where(scores == 0, tie, scores) > margin))
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
    _make_swaps(pool, seed, k, range(swaps))


def _make_swaps(pool: Indices, seed: int, k: int, places: range) -> None:
    for i in places:
        _swap(pool, i, _partner(seed, k, len(pool), i))


# --- Learning --------------------------------------------------------------------------------


class _FixedIncrement:
    """The perceptron: a step by c where the margin m of a row is not above μ (Rosenblatt 1958).

    With μ = 0 a row on the hyperplane calls for one.
    """

    def __init__(self, margin: float):
        self.margin = margin

    def calls(self, m: float) -> bool:
        return not m > self.margin

    def step(self, c: float, m: float, square: Callable[[], float]) -> float:
        return c


class _Decaying(_FixedIncrement):
    """A rate that decays: with t updates so far the step is c / (1 + decay t)."""

    def __init__(self, margin: float, decay: float, updates: int):
        super().__init__(margin)
        self.decay, self.updates = decay, updates

    def step(self, c: float, m: float, square: Callable[[], float]) -> float:
        self.updates += 1
        return c / (1 + self.decay * (self.updates - 1))


class _Relaxation:
    """A share λ of the way to the margin 1 (Agmon 1954); a row of zeros has no way there."""

    def __init__(self, share: float):
        self.share = share

    def calls(self, m: float) -> bool:
        return not m > 1

    def step(self, c: float, m: float, square: Callable[[], float]) -> float:
        whole = square()
        return c * self.share * (1 - m) / whole if whole > 0 else 0.0


class _PassiveAggressive:
    """The shortest step after which m is 1, held back by C (Crammer and others 2006).

    PA-I: no longer than C. PA-II: the squared loss that is left counts C times. A weight c is a
    cost: the margin is to be √c, as if m were less by √c - 1; and it multiplies C.
    """

    def __init__(self, C: float, squared: bool):
        self.C, self.squared = C, squared

    def calls(self, m: float) -> bool:
        return not m >= 1

    def step(self, c: float, m: float, square: Callable[[], float]) -> float:
        loss, most = np.float64(1 - m), np.float64(self.C * c)
        with np.errstate(all="ignore"):
            if self.squared:
                return float(loss / (square() + 0.5 / most))
            whole = loss / square()
        return float(whole if whole < most else most)


class _Arow:
    """Weights that many updates have changed change less (Crammer, Kulesza and Dredze 2009).

    How sure the learner is of each is its precision p, 1 at first: the square asked for is
    Σ x_j²/p_j, the step is divided by p_j, and then p_j += x_j²/r. A weight c divides r.
    """

    def __init__(self, r: float):
        self.r = r

    def calls(self, m: float) -> bool:
        return not m >= 1

    def step(self, c: float, m: float, square: Callable[[], float]) -> float:
        return (1 - m) / (square() + self.r / c)


def _rule_of(
    rule: UpdateRule, updates: int
) -> _FixedIncrement | _Relaxation | _PassiveAggressive | _Arow:
    if rule.kind == "perceptron":
        return _FixedIncrement(rule.number)
    if rule.kind in ("decay", "penalised", "projected"):
        return _Decaying(rule.number, rule.decay, updates)
    if rule.kind == "relaxation":
        return _Relaxation(rule.number)
    if rule.kind == "AROW":
        return _Arow(rule.number)
    return _PassiveAggressive(rule.number, squared=rule.kind == "PA-II")


class _Learner:
    """Weights of two classes, and what is remembered about how they came about."""

    def __init__(self, examples: LabelledRows, rule: UpdateRule, arrays: LearnerArrays):
        self.rows, self.y, self.c, self.tie = examples
        self.w, self.correction, self.counts, self.p, self.visits, self.log, before = arrays
        self.rule, self.intercept = _rule_of(rule, before), rule.intercept
        self.signs, self.shrink = rule.signs, rule.shrink
        self.updates = 0  # of this call

    def weight(self, i: int) -> float:
        return 1.0 if self.c is None else float(self.c[i])

    def lifted(self, i: int) -> Vector:
        """(x_i, 1), or (x_i, 0) through the origin"""
        return np.append(self.rows[i], 1.0 if self.intercept else 0.0)

    def margin(self, i: int) -> float:
        return margin_of(self.rows[i], int(self.y[i]), self.w, self.tie)

    def short_of(self, i: int) -> float:
        """The margin that the rule looks at."""
        m = self.margin(i)
        if isinstance(self.rule, _PassiveAggressive):
            m -= math.sqrt(self.weight(i)) - 1
        return m

    def calls(self, i: int) -> bool:
        """Does row i call for an update?"""
        return self.rule.calls(self.short_of(i))

    def noted(self, i: int) -> tuple[float, ...]:
        """What is written down of row i: its score."""
        return (score(self.rows[i], self.w),)

    def note(self, i: int) -> None:
        if self.log is not None:
            of_update = i, self.visits, *self.noted(i)
            for column, value in zip(self.log, of_update, strict=True):
                column[self.updates] = value

    def square(self, i: int) -> float:
        """‖x̃_i‖², or Σ x_j²/p_j"""
        return self.square_over(i, self.p)

    def square_over(self, i: int, p: Vector | None) -> float:
        x = self.rows[i]
        if p is None:
            return lifted_square(x, self.intercept)
        terms = np.append(x * x / p[:-1], 1 / p[-1] if self.intercept else 0.0)
        return score(np.ones(len(x)), terms)

    def step(self, i: int) -> float:
        """How far, along c_i y_i x_i"""
        return self.rule.step(self.weight(i), self.short_of(i), lambda: self.square(i))

    def update(self, i: int) -> None:
        """w += step y_i (x_i, 1)"""
        self.along(i, self.step(i) * float(self.y[i]), ...)
        self.counts[i] += 1

    def along(self, i: int, step: float, of: Any) -> None:
        """w += step (x_i, 1), and what else remembers it; `of` a class, or of all there is."""
        if self.signs is not None:
            self.projected(i, step)
            return
        x, over = self.lifted(i), 1.0 if self.p is None else self.p[of]
        self.w[of] += step * x / over
        if self.correction is not None:  # the mean of w over all visits is w - correction / visits
            self.correction[of] += (self.visits * step) * x / over
        if self.p is not None and isinstance(self.rule, _Arow):
            self.p[of] += x * x / (self.rule.r / self.weight(i))

    def projected(self, i: int, step: float) -> None:
        """w += step (x_i, 1); a weight that is then against its sign becomes 0, and has for the
        mean of w moved by what it was."""
        assert self.signs is not None
        x = self.lifted(i)
        moved = self.w + step * x
        beyond = np.append(self.signs, 0) * moved < 0
        if self.correction is not None:
            self.correction += np.where(beyond, self.visits * -self.w, (self.visits * step) * x)
        self.w[:] = np.where(beyond, 0.0, moved)

    def visit(self, i: int) -> bool:
        """Evaluate row i, and update if it calls for it."""
        mistake = self.calls(i)
        if mistake:
            self.note(i)
            self.update(i)
            self.updates += 1
        if self.shrink and (self.visits + 1) % SHRINK_EVERY == 0:
            self.shrunk()
        self.visits += 1
        return mistake

    def shrunk(self) -> None:
        """Weights, not intercepts, times (1 - ηα)^32: an L2 penalty on the visits since it did."""
        assert isinstance(self.rule, _Decaying)
        factor = 1 - self.shrink / (1 + self.rule.decay * self.rule.updates)
        for _ in range(5):
            factor *= factor
        weights = self.w[..., :-1]
        moved = weights * factor + 0.0  # no -0.0: a row's zeros are added to dense weights alone
        if self.correction is not None:
            self.correction[..., :-1] += self.visits * (moved - weights)
        weights[...] = moved

    def mark(self, i: int, sum: Vector) -> int:
        """1 where row i calls for an update, which is added to the sum; else 0."""
        if not self.calls(i):
            return 0
        sum += self.step(i) * float(self.y[i]) * self.lifted(i)
        return 1


class _JointLearner(_Learner):
    """Weights of k classes: the row's own class comes nearer, its rival goes away (Kesler)."""

    def rival(self, i: int) -> int:
        return rival(scores_of_classes(self.rows[i], self.w), int(self.y[i]))

    def margin(self, i: int) -> float:
        """The score of the row's class minus that of its rival."""
        return margin_of(self.rows[i], int(self.y[i]), self.w, 0.0)

    def noted(self, i: int) -> tuple[float, ...]:
        """Its margin and its rival."""
        return self.margin(i), self.rival(i)

    def square(self, i: int) -> float:
        """That of the change: x_i for one class, -x_i for another."""
        if self.p is None:
            return 2 * self.square_over(i, None)
        y, r = int(self.y[i]), self.rival(i)
        return self.square_over(i, self.p[y]) + self.square_over(i, self.p[r])

    def update(self, i: int) -> None:
        """w_y += step (x_i, 1) and w_r -= step (x_i, 1)"""
        y, r, step = int(self.y[i]), self.rival(i), self.step(i)
        self.along(i, step, y)
        self.along(i, -step, r)
        self.counts[i, y] += 1
        self.counts[i, r] -= 1

    def mark(self, i: int, sum: Vector) -> int:
        """1 + the rival where row i calls for an update, which is added to the sum; else 0."""
        if not self.calls(i):
            return 0
        r = self.rival(i)
        step = self.step(i) * self.lifted(i)
        sum[int(self.y[i])] += step
        sum[r] -= step
        return 1 + r


def _learner(examples: LabelledRows, rule: UpdateRule, arrays: LearnerArrays) -> _Learner:
    return (_Learner if arrays.w.ndim == 1 else _JointLearner)(examples, rule, arrays)


def visit(
    examples: LabelledRows,
    rule: UpdateRule,
    learner: LearnerArrays,
    order: Indices | None,
    begin: int,
    end: int,
    max_updates: int,
    next: Permutation | None = None,
) -> tuple[int, int]:
    """Visit order[begin:end] (rows begin to end without an order), at most `max_updates` updates.

    Returns the place reached and the updates. Of `next`, the order of the next epoch, the swaps
    before `end` are made.
    """
    if next is not None:
        places = range(next.made, min(end, len(next.pool)))
        _make_swaps(next.pool, next.seed, next.number, places)
    of_call, k = _learner(examples, rule, learner), begin
    while k < end and of_call.updates < max_updates:
        of_call.visit(k if order is None else int(order[k]))
        k += 1
    return k, of_call.updates


def search(
    examples: LabelledRows,
    rule: UpdateRule,
    learner: LearnerArrays,
    draw: Permutation,
    max_visits: int,
    max_updates: int,
) -> tuple[int, int, int, int]:
    """Draw rows without replacement until the first mistake, update, draw afresh.

    A whole draw without a mistake ends it. Returns visits, updates, the number of the draw and how
    many of its rows have been seen: the pool holds so many swaps of the draw, before and after.
    """
    pool, seed, number, seen = draw
    of_call, n, visits = _learner(examples, rule, learner), len(pool), 0
    while visits < max_visits and of_call.updates < max_updates and seen < n:
        _swap(pool, seen, _partner(seed, number, n, seen))
        seen, visits = seen + 1, visits + 1
        if of_call.visit(int(pool[seen - 1])):
            for i in reversed(range(seen)):
                _swap(pool, i, _partner(seed, number, n, i))
            number, seen = number + 1, 0
    return visits, of_call.updates, number, seen


def look(
    examples: LabelledRows, rule: UpdateRule, w: Vector, begin: int, end: int, step: BatchStep
) -> int:
    """Mark the rows that call for an update under w, and add their updates up.

    The scores of all rows, with many classes their margins, are written down where there is room.
    """
    nothing = np.zeros(0, dtype=np.int64)
    learner = _learner(examples, rule, LearnerArrays(w, None, nothing))
    for i in range(begin, end):
        if step.scores is not None:
            step.scores[i] = learner.noted(i)[0]
        step.marks[i] = learner.mark(i, step.sum) if learner.weight(i) != 0 else 0
    return int(np.count_nonzero(step.marks[begin:end]))


# --- Evaluating ------------------------------------------------------------------------------


def count(examples: LabelledRows, tally: MistakeTally, begin: int, end: int) -> bool:
    """Add the mistakes of each weight vector, plain and weighted.

    One that reaches its limit is out. Returns whether any is still in.
    """
    rows, y, c, tie = examples
    w, limit, plain, weighted = tally
    w = [each.worked_out() if isinstance(each, Mean) else each for each in w]
    for i in range(begin, end):
        weight = 1.0 if c is None else float(c[i])
        if weight == 0:
            continue
        x = rows[i]
        for a in np.flatnonzero(weighted < limit):
            if not margin_of(x, int(y[i]), w[a], tie) > 0:
                plain[a] += 1
                weighted[a] += weight
    return bool((weighted < limit).any())


def vote(rows: Rows, voters: Candidates, votes: Vector, begin: int, end: int, out: Vector) -> None:
    """out[i] += Σ over voters of votes · sign(score), with sign(0) = +1.

    With many classes a voter gives its votes to the class of the highest score: out[i, c] += votes.
    """
    for i in range(begin, end):
        x = rows[i]
        for a, voter in enumerate(voters):
            if voter.ndim > 1:
                out[i, highest(scores_of_classes(x, voter))] += votes[a]
            else:
                out[i] += votes[a] if score(x, voter) >= 0 else -votes[a]


def highest(of_classes: list[float]) -> int:
    """The class with the highest score; of equal ones the first."""
    return max(range(len(of_classes)), key=lambda c: of_classes[c])


# --- Pairs of rows that a cone of directions forces (`_bounds/pairs.py`) ----------------------

_Found = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


def ranks_along(
    rows: Sequence[Sequence[int]], direction: Sequence[int], rank: NDArray[np.int32]
) -> None:
    far = [sum(a * b for a, b in zip(row, direction, strict=True)) for row in rows]
    number = {value: place for place, value in enumerate(sorted(set(far)))}
    rank[:] = [number[value] for value in far]


def forced_pairs(
    rank: NDArray[np.int32],
    y: NDArray[np.int8],
    cost: NDArray[np.int64],
    positive: NDArray[np.int32],
    negative: NDArray[np.int32],
    amount: NDArray[np.int64],
) -> _Found:
    """A maximum flow (Ford and Fulkerson, 1956), along shortest ways."""
    up, down = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    above = np.asarray((rank[:, None, down] >= rank[:, up, None]).all(axis=0))
    give, take = cost[up].copy(), cost[down].copy()
    flow = np.zeros(above.shape, dtype=np.int64)
    place = np.empty(len(y), dtype=np.intp)
    place[up], place[down] = np.arange(len(up)), np.arange(len(down))
    for i, k, much in zip(place[positive], place[negative], amount, strict=True):
        flow[i, k] += much
        give[i] -= much
        take[k] -= much
    while (way := _way(above, flow, give, take)) is not None:
        _augment(way, flow, give, take)
    i, k = np.nonzero(flow)
    return up[i].astype(np.int32), down[k].astype(np.int32), flow[i, k]


def _way(
    above: NDArray[np.bool_],
    flow: NDArray[np.int64],
    give: NDArray[np.int64],
    take: NDArray[np.int64],
) -> list[int] | None:
    """Positive, negative, positive, ..., negative: from one that can give to one that can take."""
    came = {int(p): -1 for p in np.flatnonzero(give > 0)}
    entered: dict[int, int] = {}
    queue = list(came)
    for p in queue:
        for q in np.flatnonzero(above[p]).tolist():
            if q in entered:
                continue
            entered[q] = p
            if take[q] > 0:
                way = [q, p]
                while came[way[-1]] >= 0:
                    way += [came[way[-1]], entered[came[way[-1]]]]
                return way[::-1]
            for other in np.flatnonzero(flow[:, q]).tolist():
                if other not in came:
                    came[other] = q
                    queue.append(other)
    return None


def _augment(
    way: list[int], flow: NDArray[np.int64], give: NDArray[np.int64], take: NDArray[np.int64]
) -> None:
    forward = list(zip(way[::2], way[1::2], strict=True))
    back = list(zip(way[2::2], way[1::2], strict=False))
    much = min([give[way[0]], take[way[-1]], *(flow[p, q] for p, q in back)])
    for p, q in forward:
        flow[p, q] += much
    for p, q in back:
        flow[p, q] -= much
    give[way[0]] -= much
    take[way[-1]] -= much


def undecided_pairs(
    rank: NDArray[np.int32], y: NDArray[np.int8], left: NDArray[np.int64], most: int
) -> _Found:
    up, down = np.flatnonzero((y > 0) & (left > 0)), np.flatnonzero((y < 0) & (left > 0))
    here, there = rank[:, up, None], rank[:, None, down]
    i, k = np.nonzero((there > here).any(axis=0) & (there < here).any(axis=0))
    i, k = i[:most], k[:most]
    return up[i].astype(np.int32), down[k].astype(np.int32), np.ones(len(i), dtype=np.int64)


# --- The compiled core has several CPU levels; this has one --------------------------------------


def cpu_levels() -> list[str]:
    return ["reference"]


def use_cpu_level(name: str) -> bool:
    return name == "reference"
