"""A lower bound by directions: cones of weights, the weakest of them split again and again.

Every rule has its weights in one of the cones, and errs on as many rows as that one forces; so the
least of their bounds holds for all rules. The middle of each cone is tried as a rule.
"""

from __future__ import annotations

import heapq
from fractions import Fraction

import numpy as np
from scipy import sparse

from rosenblatt._minimum.cones import Cone, Cones, best_cut
from rosenblatt._minimum.pairs import NO_PAIRS, PairTable
from rosenblatt._minimum.problem import Problem
from rosenblatt._support.budget import LimitReached

MOST_COLUMNS = 10  # of 2^10 orthants
_MOST_NUMBERS = 4 * 10**6  # in the table
_MOST_PAIRS = 25 * 10**6  # of rows of both labels, in more than two columns
_MANY, _SOME = 256, 4  # after so many cones the middle of one in four is tried as a rule
BESIDE = 500  # row evaluations: what a cone takes besides its rows
_MOST_RANKS = 2 * 10**8  # kept in memory, of all open cones


class Directions:
    """The open cones of a problem, and those whose bound is final."""

    def __init__(
        self,
        problem: Problem,
        signs: dict[int, int] | None = None,
        *,
        table: PairTable | None = None,
        keep: bool = False,
    ):
        self.problem, self.table = problem, table or problem.pairs
        self._keep = keep  # cones that are split
        self._cones = problem.cones if table is None else Cones(table)
        self.signs = signs or {}
        self.roots: list[Cone] = []
        self._open: list[tuple[int, int, Cone]] = []
        self._final: list[int] = []  # the least bound of cones that are split no further
        self.made = 0

    @property
    def bound(self) -> int:
        """What every rule (with these signs) costs at least; 0 before all orthants were seen."""
        if not self.roots:
            return 0
        return min([*self._final, *(bound for bound, _, _ in self._open[:1])])

    def reach(self, most: int | None = None) -> None:
        """Split until the bound is what the best rule costs, or `most` cones were made."""
        if not self.roots:
            self._begin()
        while self._open and self.bound < self._enough():
            # Nothing below may be cut short: a cone is open or its halves are.
            self.problem.rows.budget.spend(2 * (self.table.n + BESIDE))
            if self.made * self.table.n > _MOST_RANKS:
                raise LimitReached
            if most is not None and self.made > most:
                return
            _, _, cone = heapq.heappop(self._open)
            if not self._cones.halves(cone):
                self._final = [min([*self._final, cone.bound])]
                if cone.settled and cone.bound < self.problem.best.cost:
                    self._offer_exactly(cone)
                continue
            for half in cone.halves:
                self._enter(half)
            if not self._keep:
                cone.generators, cone.pairs = (), NO_PAIRS  # the halves have them

    def _begin(self) -> None:
        """With all orthants or none."""
        roots = []
        # Those that are known count as work, too: no answer depends on who asked first.
        for cone in self._cones.orthants(self.signs):
            self.problem.rows.budget.spend(self.table.n + BESIDE)
            roots.append(cone)
        self.roots = roots
        for cone in roots:
            self._enter(cone)

    def _enough(self) -> int:
        beyond = self.problem.beyond_floats
        return self.problem.best.cost if beyond is None else min(self.problem.best.cost, beyond)

    def _enter(self, cone: Cone) -> None:
        self.made += 1
        if cone.bound < self.problem.best.cost and (self.made < _MANY or self.made % _SOME == 0):
            self._offer(cone)
        heapq.heappush(self._open, (cone.bound, -self.made, cone))

    def _offer(self, cone: Cone) -> None:
        """The middle of the cone as a rule, with the best intercept; floating point may guess."""
        errors, cut = self._cones.cut(cone)
        if errors < self.problem.best.cost:
            v = self._cones.middle(cone)
            self.problem.offer(np.append(np.ldexp(v, self.table.below - self.table.bits), -cut))

    def _offer_exactly(self, cone: Cone) -> None:
        """Nothing in the cone is undecided: the middle makes no more errors than it forces."""
        middle = self._cones.whole_middle(cone)
        scores = [
            sum(v * x for v, x in zip(middle, self.table.whole(i), strict=True))
            for i in range(self.table.n)
        ]
        order = {value: place for place, value in enumerate(sorted(set(scores)))}
        place = np.array([order[s] for s in scores], dtype=np.float64)
        _, cut = best_cut(place, self.table.y, self.table.cost)
        values = sorted(order)
        at = max(int(np.ceil(cut)), 0)  # the cut is below the value of this place
        low = values[at - 1] if at > 0 else values[0] - 2
        high = values[at] if at < len(values) else values[-1] + 2
        w = [Fraction(v << k) for v, k in zip(middle, self.table.below.tolist(), strict=True)]
        self.problem.offer_exact([*w, -Fraction(low + high, 2)])


def directions(problem: Problem, signs: dict[int, int] | None = None) -> Directions | None:
    """None: the table is not one for it."""
    rows = problem.rows
    if not rows.intercept or not 1 <= rows.d <= MOST_COLUMNS or sparse.issparse(rows.X):
        return None
    labels = [int((rows.y == label).sum()) for label in (1, -1)]
    if not all(labels) or rows.n * rows.d > _MOST_NUMBERS or problem.cost.dtype == object:
        return None
    if rows.d > 2 and labels[0] * labels[1] > _MOST_PAIRS:
        return None
    return Directions(problem, signs) if problem.pairs.possible else None
