"""What every rule costs that is right about one more row: cones of directions, shared by all rows.

Where a cone has the new row, as a negative one, at least as far along each generator as a positive
row i, then every rule of the cone that is right about the new row errs on i. All these rows are
errors; the pairs that the cone forces among the others are as many more.
"""

from __future__ import annotations

import copy
import heapq
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.cones import Cone, Cones
from rosenblatt._bounds.directions import BESIDE, Directions
from rosenblatt._bounds.pairs import Pairs, PairTable
from rosenblatt._bounds.problem import Problem
from rosenblatt._certify.conditioning import Metric, decision_metric
from rosenblatt._certify.rows import Floats, Rows
from rosenblatt._util.budget import Budget, LimitReached
from rosenblatt.data.stack import below

_LOOK = 8  # one look at a cone is so much less than splitting it
_FEW = 64  # rows beside the new one that are looked at
_MOST_RANKS = 10**8  # kept in memory, of all cones


class SharedCones:
    """The cones of the known rows; the rows X_new are in the table, too, and cost nothing there."""

    def __init__(self, problem: Problem, X_new: Floats):
        known = problem.rows
        self.problem, self.n = problem, known.n
        self.order = np.argsort(-known.y, kind="stable")  # positive rows first
        self.positive = int((known.y > 0).sum())
        none = np.zeros(len(X_new), dtype=np.int64)
        x = known.x(0, known.n)[self.order]
        y = np.append(known.y[self.order], none + 1).astype(np.int8)
        cost = np.append(problem.cost[self.order].astype(np.int64), none)
        self.table = PairTable(np.vstack([x, X_new]), y, cost)
        self._left: dict[int, NDArray[np.int64]] = {}
        self._made = 0

    def grow(self, budget: Budget, best_cuts: BestCuts) -> int:
        self.cones = Cones(self.table)
        self.best_cuts = best_cuts
        search = Directions(self.problem, table=self.table, keep=True)
        before, self.problem.rows.budget = self.problem.rows.budget, budget
        try:
            search.reach()
        except LimitReached:
            pass
        finally:
            self.problem.rows.budget = before
        self.roots = search.roots
        waiting = list(self.roots)
        while waiting:
            cone = waiting.pop()
            self._note(cone)
            waiting += cone.halves
        return search.bound

    def _note(self, cone: Cone) -> None:
        self._made += 1
        self.best_cuts.add(self.weights(cone))

    def weights(self, cone: Cone) -> Floats:
        v = self.cones.middle(cone)
        return np.asarray(np.ldexp(v, self.table.below - self.table.bits))

    def _inside(self, cone: Cone) -> Floats:
        """Another one, nearest to a whole vector: of narrow cones the first may lie outside."""
        whole = self.cones.whole_middle(cone)
        longest = max(max(abs(v) for v in whole).bit_length() - 52, 0)
        w = np.array([float(v >> longest) for v in whole])
        return np.asarray(np.ldexp(w, self.table.below))

    # --- One row ---

    def least(self, row: int, sign: int, enough: int, budget: Budget) -> int:
        one = _NewRow(self, self.n + row, sign)
        final, number = enough, 0
        waiting: list[tuple[int, bool, int, Cone]] = []

        def enter(cone: Cone, least: int) -> None:
            nonlocal number
            bound = max(least, one.at_sight(cone))
            if bound < enough:
                number += 1
                heapq.heappush(waiting, (bound, False, number, cone))

        try:
            budget.spend(len(self.roots) * (self.n // _LOOK))
            for root in self.roots:
                enter(root, 0)
            while waiting:
                bound, looked, at, cone = waiting[0]
                if not looked:
                    budget.spend(self.n + BESIDE)
                    bound = max(bound, one.paired(cone))
                    heapq.heapreplace(waiting, (bound, True, at, cone))
                    continue
                if bound >= enough:
                    break
                budget.spend(self.n // _LOOK)
                halves = self._halves(cone, one, budget)
                heapq.heappop(waiting)  # nothing below may be cut short
                if not halves:
                    final = min(final, bound)
                    self.best_cuts.add(self._inside(cone))
                for half in halves:
                    enter(half, bound)
        except LimitReached:
            if not number:
                return 0
        return min([final, *(entry[0] for entry in waiting[:1])])

    def _halves(self, cone: Cone, one: _NewRow, budget: Budget) -> list[Cone]:
        if not cone.halves:
            budget.spend(2 * (self.n + BESIDE))
            if self._made * self.table.n > _MOST_RANKS:
                raise LimitReached
            if self.cones.halves(cone, one.undecided):
                for half in cone.halves:
                    self._note(half)
        return cone.halves

    def left(self, cone: Cone) -> NDArray[np.int64]:
        if id(cone) not in self._left:
            self._left[id(cone)] = self.table.left(cone.pairs)
        return self._left[id(cone)]


class _NewRow:
    """A row that a rule must be right about, among those of the table."""

    def __init__(self, shared: SharedCones, place: int, sign: int):
        self.shared, self.place, self.sign = shared, place, sign
        p = shared.positive
        self.others = slice(0, p) if sign < 0 else slice(p, shared.n)  # of the other label
        self.cost = shared.table.cost[self.others]

    def _errors(self, cone: Cone) -> NDArray[np.bool_]:
        errors = np.ones(len(self.cost), dtype=bool)
        for g in cone.generators:
            rank = g.rank[self.others]
            here = g.rank[self.place]
            errors &= (rank <= here) if self.sign < 0 else (rank >= here)
        return errors

    def undecided(self, cone: Cone) -> Pairs:
        nearer, farther = (np.zeros(len(self.cost), dtype=bool) for _ in range(2))
        for g in cone.generators:
            rank, here = g.rank[self.others], g.rank[self.place]
            nearer |= rank < here
            farther |= rank > here
        rows = self.others.start + np.flatnonzero(nearer & farther & (self.cost > 0))[:_FEW]
        mine, amount = np.full(len(rows), self.place), np.ones(len(rows), dtype=np.int64)
        ends = (rows, mine) if self.sign < 0 else (mine, rows)
        return Pairs(ends[0].astype(np.int32), ends[1].astype(np.int32), amount)

    def at_sight(self, cone: Cone) -> int:
        errors = self._errors(cone)
        return cone.bound + int(self.shared.left(cone)[self.others][errors].sum())

    def paired(self, cone: Cone) -> int:
        errors, table = self._errors(cone), self.shared.table
        cost = table.cost.copy()
        cost[self.others][errors] = 0
        pairs = cone.pairs
        ends = pairs.positive if self.sign < 0 else pairs.negative
        gone = np.zeros(table.n, dtype=bool)
        gone[self.others] = errors
        kept = ~gone[ends]
        known = Pairs(pairs.positive[kept], pairs.negative[kept], pairs.amount[kept])
        pairs = table.forced([g.rank for g in cone.generators], known, cost)
        return int(self.cost[errors].sum()) + pairs.total


# --- Directions of good rules: the fewest errors along any of them, for each row in question -----
#
# Along one direction a rule is a cut. With a row that must be on one side of it, the cuts on one
# side of its score are left: their least errors are running minima, so that one sort serves all
# rows.


_NONE = np.iinfo(np.int64).max


class _Best(NamedTuple):
    """By row that is asked about, all of them on one side."""

    errors: NDArray[np.int64]
    direction: NDArray[np.intp]
    cut: Floats


class BestCuts:
    """The best cut of any direction so far, for each of the rows X_new on either side."""

    def __init__(self, problem: Problem, X_new: Any):
        self._X, self._X_new = problem.rows.X, X_new
        self._up, self._cost = problem.rows.y > 0, problem.cost.astype(np.int64)
        self.directions: list[Floats] = []
        n = X_new.shape[0]
        self._best = {
            sign: _Best(np.full(n, _NONE), np.zeros(n, dtype=np.intp), np.zeros(n))
            for sign in (1, -1)
        }

    @np.errstate(all="ignore")
    def add(self, w: Floats) -> None:
        scores, new = self._X @ w, self._X_new @ w
        if not (np.isfinite(scores).all() and np.isfinite(new).all()):
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
            way, place = (errors, np.searchsorted(s, new)) if sign > 0 else (errors[::-1], None)
            if place is None:
                place = len(s) - np.searchsorted(s, new, side="right")
            least = np.minimum.accumulate(way)
            better = np.flatnonzero(least[place] < best.errors)
            if not len(better):
                continue
            first = np.searchsorted(-least, -least[place[better]])  # where the minimum is reached
            at = first if sign > 0 else len(s) - first
            best.errors[better] = least[place[better]]
            best.direction[better] = number
            best.cut[better] = _between(s, at, new[better], sign)

    def errors(self, row: int, sign: int) -> int:
        return int(self._best[sign].errors[row])

    def rule(self, row: int, sign: int) -> Floats | None:
        best = self._best[sign]
        if best.errors[row] == _NONE:
            return None
        return np.append(self.directions[best.direction[row]], -best.cut[row])


def _between(s: Floats, at: NDArray[np.intp], new: Floats, sign: int) -> Floats:
    """Cuts below the scores s[at], with the row on its side: in the middle of what is left."""
    reach = max(float(s[-1] - s[0]), 1e-9)
    low = np.where(at > 0, s[np.maximum(at - 1, 0)], np.minimum(s[0], new) - reach)
    high = np.where(at < len(s), s[np.minimum(at, len(s) - 1)], np.maximum(s[-1], new) + reach)
    if sign > 0:
        high = np.minimum(high, new)
    else:
        low = np.maximum(low, new)
    return np.asarray(low + (high - low) / 2)


# --- The known rows and one more, which costs more than all: a rule must be right about it -------


def with_row(problem: Problem, x: Any, sign: int) -> Problem:
    known, more = problem.rows, copy.copy(problem)
    vars(more).pop("pairs", None)
    more.rows = known.like(below([known.X, x], known.d), np.append(known.y, sign).astype(np.int8))
    heavy = int(problem.cost.sum()) + 1
    more.cost = np.append(problem.cost, heavy)
    more.c = np.append(problem.c, heavy / problem.scale)
    more.metric = _metric(problem, more.rows)
    more.best, more.beyond_floats = more.nothing(), None
    return more


def _metric(problem: Problem, rows: Rows) -> Metric:
    known = problem.metric
    if known.basis is not None or known.length is None:
        return decision_metric(rows)
    x = (rows.dense([rows.n - 1])[0] - known.center) * known.scale
    size = float(np.sqrt(x @ x + 1.0))
    return replace(known, length=np.append(known.length, 1 / size if np.isfinite(size) else 1.0))
