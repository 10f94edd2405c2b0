"""What every rule costs that is right about one more row: cones of directions, shared by all rows.

Where a cone has the new row, as a negative one, at least as far along each generator as a positive
row i, then every rule of the cone that is right about the new row errs on i. All these rows are
errors; the pairs that the cone forces among the others are as many more.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._minimum import pairs_reference
from rosenblatt._minimum.cones import Cone, Cones
from rosenblatt._minimum.directions import BESIDE, Directions
from rosenblatt._minimum.pairs import Pairs, PairTable
from rosenblatt._minimum.problem import Problem
from rosenblatt._opinion.library import Library
from rosenblatt._proof.whole_numbers import Floats
from rosenblatt._support.budget import Budget, LimitReached

_LOOK = 8  # one look at a cone is so much less than splitting it
_FEW = 64  # rows beside the new one that are looked at
_MOST_RANKS = 10**8  # kept in memory, of all cones


class Cells:
    """The cones of the known rows; the rows Q are in the table, too, and cost nothing there."""

    def __init__(self, problem: Problem, Q: Floats):
        known = problem.rows
        self.problem, self.n = problem, known.n
        self.order = np.argsort(-known.y, kind="stable")  # positive rows first
        self.positive = int((known.y > 0).sum())
        none = np.zeros(len(Q), dtype=np.int64)
        x = known.x(0, known.n)[self.order]
        y = np.append(known.y[self.order], none + 1).astype(np.int8)
        cost = np.append(problem.cost[self.order].astype(np.int64), none)
        self.table = PairTable(np.vstack([x, Q]), y, cost)
        self._left: dict[int, NDArray[np.int64]] = {}
        self._made = 0

    def grow(self, budget: Budget, library: Library) -> int:
        """What every rule costs at least; the directions that were tried go into the library."""
        self.cones = Cones(self.table)
        self.library = library
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
        self.library.add(self.weights(cone))

    def weights(self, cone: Cone) -> Floats:
        """A direction inside the cone."""
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
        """What every rule costs that has row `row` of Q on side `sign`; `enough` is possible."""
        one = _One(self, self.n + row, sign)
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
                    self.library.add(self._inside(cone))
                for half in halves:
                    enter(half, bound)
        except LimitReached:
            if not number:
                return 0
        return min([final, *(entry[0] for entry in waiting[:1])])

    def _halves(self, cone: Cone, one: _One, budget: Budget) -> list[Cone]:
        if not cone.halves:
            budget.spend(2 * (self.n + BESIDE))
            if self._made * self.table.n > _MOST_RANKS:
                raise LimitReached
            if self.cones.halves(cone, one.undecided):
                for half in cone.halves:
                    self._note(half)
        return cone.halves

    def left(self, cone: Cone) -> NDArray[np.int64]:
        """What each row has not given to a pair of the cone."""
        found = self._left.get(id(cone))
        if found is None:
            found = self._left[id(cone)] = self.table.left(cone.pairs)
        return found


class _One:
    """One row that a rule must be right about."""

    def __init__(self, cells: Cells, place: int, sign: int):
        self.cells, self.place, self.sign = cells, place, sign
        p = cells.positive
        self.others = slice(0, p) if sign < 0 else slice(p, cells.n)  # of the other label
        self.cost = cells.table.cost[self.others]

    def _errors(self, cone: Cone) -> NDArray[np.bool_]:
        """The rows of the other label on which every rule of the cone errs."""
        found = np.ones(len(self.cost), dtype=bool)
        for g in cone.generators:
            rank = g.rank[self.others]
            here = g.rank[self.place]
            found &= (rank <= here) if self.sign < 0 else (rank >= here)
        return found

    def undecided(self, cone: Cone) -> Pairs:
        """The new row with rows of the other label that some rules of the cone err on."""
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
        return cone.bound + int(self.cells.left(cone)[self.others][errors].sum())

    def paired(self, cone: Cone) -> int:
        """With the best pairs among the rows that are not errors already."""
        errors, table = self._errors(cone), self.cells.table
        cost = table.cost.copy()
        cost[self.others][errors] = 0
        pairs = cone.pairs
        ends = pairs.positive if self.sign < 0 else pairs.negative
        gone = np.zeros(table.n, dtype=bool)
        gone[self.others] = errors
        kept = ~gone[ends]
        known = Pairs(pairs.positive[kept], pairs.negative[kept], pairs.amount[kept])
        core: Any = compute.cones or pairs_reference
        ranks = np.stack([g.rank for g in cone.generators])
        found = Pairs(*core.forced_pairs(ranks, table.y, cost, *known))
        return int(self.cost[errors].sum()) + found.total
