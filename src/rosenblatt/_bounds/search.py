"""The search from both sides: a better rule, another conflict, until the two ends meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
from scipy import sparse

from rosenblatt._bounds import conflicts, rules
from rosenblatt._bounds.directions import MOST_COLUMNS, Directions, directions
from rosenblatt._bounds.hitting_set import Cover, Packing, Relaxation, Shares
from rosenblatt._bounds.problem import Mask, Problem
from rosenblatt._bounds.proof import Case, Cases
from rosenblatt._certify.rows import Floats
from rosenblatt._util.budget import Budget, Clock, LimitReached

_MANY = 50  # conflicts that are added before the cover is solved again
_PETALS = 3  # conflicts that have one row in common and no other
_MOST_ABSORBED = 500  # errors: each takes a search
_IN_VAIN = 20  # rows in a row that are in no conflict with those that are left
_TINY = 64  # rows: conflicts are found at once, and say more
_MOST_CONES = 20_000  # without a time limit
_SOON, _NEARLY = 4000, 2  # after so many cones, so few errors apart: conflicts may find the rule
_FAR = 4  # a gap of more than a quarter of the errors
_SOLVER = 1e-6  # what the solver's sums may be off by


class Search:
    """What is known so far: the best rule in `problem`, conflicts in `cover`, two lower bounds.

    `proof` is in conflicts; where cones of directions prove more, `cones` has the proof.
    """

    def __init__(self, problem: Problem, clock: Clock):
        self.problem, self.clock = problem, clock
        self.cover = Cover(problem.cost, problem.scale)
        self.proof = Case()
        self.cones: Directions | None = None
        self._first_turn = problem.rows.n > _TINY
        self.proved = 0  # in units, exactly
        self.trusted = 0  # by the solver's word, if that is more
        self.settled = False  # nothing is cheaper than the best rule, by the solver's word
        self.cut_short = False

    @property
    def lower(self) -> int:
        return max(self.proved, self.trusted)

    @property
    def closed(self) -> bool:
        least = self.problem.beyond_floats
        best = self.problem.best.cost
        return self.lower >= (best if least is None else min(best, least))

    @np.errstate(all="ignore")  # floating point only guesses here
    def run(self) -> None:
        stages: list[tuple[float, Callable[[], None]]] = [
            (0.3, self._rules),
            (0.6, self._turn),
            (0.7, self._absorb),
            (0.85, self._pack),
            (0.85, self._meet),
            (1.0, self._prove),
            (1.0, self._turn),
        ]
        if self.problem.wide:
            stages = [(0.8, self._rules), (1.0, self._see)]
        rules.constant(self.problem)
        for part, stage in stages:
            in_vain = stage in (self._meet, self._prove) and self._cones_lead()
            if not in_vain and not (self.closed and self.proved == self.lower):
                with self._until(part):
                    stage()
        self.problem.rows.budget = Budget()

    @contextmanager
    def _until(self, part: float) -> Iterator[None]:
        self.problem.rows.budget = self.clock.budget(part)
        try:
            yield
        except LimitReached:
            self.cut_short = True

    # --- Rules first ---

    def _rules(self) -> None:
        if not self.problem.wide:
            everything = np.ones(self.problem.rows.n, dtype=bool)
            first = self._ask(everything)
            if first is None:
                return  # separable
            self._believe({first: Fraction(int(self.problem.cost[self.cover.rows[first]].min()))})
        rules.improve(self.problem)
        if self.problem.rows.d <= MOST_COLUMNS and not sparse.issparse(self.problem.rows.X):
            for j in range(self.problem.rows.d):  # fewer columns are searched more easily
                rules.without(self.problem, j)

    def _absorb(self) -> None:
        """The separator errs no more than that rule: about errors in no conflict it is right."""
        while True:
            rule, alive = self.problem.best, np.ones(self.problem.rows.n, dtype=bool)
            if np.count_nonzero(rule.wrong) > _MOST_ABSORBED:
                return
            depth = np.abs(self.problem.rows.scores(*self.problem.rows.split(rule.w)))
            while (number := self._ask(alive)) is not None:
                rows = self.cover.rows[number]
                errors = rows[rule.wrong[rows]]
                alive[errors[np.argmax(depth[errors])]] = False
            if rule is self.problem.best:
                return

    def _ask(self, alive: Mask, always: int | None = None) -> int | None:
        answer = conflicts.ask(self.problem, alive, always=always)
        if answer.conflict is not None:
            return self.cover.add(answer.conflict)
        assert answer.separator is not None
        self.problem.offer_exact(answer.separator)
        return None

    # --- Cones of directions ---

    def _turn(self) -> None:
        cones = self.cones or (directions(self.problem) if self._first_turn else None)
        self._first_turn = False
        if cones is None:
            return  # by now conflicts prove more
        try:
            cones.reach(most=_SOON)
            if 0 < self.problem.best.cost - cones.bound <= _NEARLY * self.problem.scale:
                self._absorb()  # a better rule may be all that is missing
            cones.reach(most=None if self.clock.limited else _MOST_CONES)
        finally:
            if cones.bound > self.proved or cones is self.cones:
                self.proved, self.proof, self.cones = cones.bound, Case(), cones

    def _cones_lead(self) -> bool:
        """Conflicts prove less and will not close so wide a gap: cones get the time left."""
        gap = self.problem.best.cost - self.proved
        return self.clock.limited and self.cones is not None and gap * _FAR > self.problem.best.cost

    # --- Conflicts that share no row (or share what it costs) ---

    def _see(self) -> None:
        """Conflicts at sight are enough where the search for others would not fit."""
        packing = Packing(self.cover)
        for conflict in conflicts.visible(self.problem.rows):
            packing.add(self.cover.add(conflict))
        self._believe(packing.shares)

    def _pack(self) -> None:
        """Around each error of the best rule, among the rows that it is right about.

        Those have a separator, so that a conflict of one error with them has that error and no
        other: as many as possible fit beside each other. No conflict is a better rule.
        """
        while True:
            packing, rule = Packing(self.cover), self.problem.best
            try:
                for conflict in conflicts.visible(self.problem.rows):
                    packing.add(self.cover.add(conflict))
                self._around(packing)
            finally:
                self._believe(packing.shares)
            if rule is self.problem.best:
                break
        try:
            while not self.closed and (number := self._ask(packing.left > 0)) is not None:
                packing.add(number)
        finally:
            self._believe(packing.shares)

    def _around(self, packing: Packing) -> None:
        rule, in_vain = self.problem.best, 0
        depth = np.abs(self.problem.rows.scores(*self.problem.rows.split(rule.w)))
        for e in sorted(np.flatnonzero(rule.wrong).tolist(), key=lambda i: -depth[i]):
            while packing.left[e] > 0:
                alive = ~rule.wrong & (packing.left > 0)
                alive[e] = True
                number = self._ask(alive, e)
                if rule is not self.problem.best:
                    return  # a better rule: its errors are others
                if number is None:
                    in_vain += 1
                    break
                in_vain = 0
                packing.add(number)
            if in_vain >= _IN_VAIN and self.problem.rows.n > 10**4:
                return

    # --- The cheapest set that meets all conflicts ---

    def _meet(self) -> None:
        while not self.closed:
            self.problem.rows.budget.check_interrupt()
            relaxed = self._relaxed(0.85)
            if relaxed.value * (1 + _SOLVER) > self.proved:
                self._believe(relaxed.prove())
            if self.closed or self._cut(relaxed.x):
                continue
            cheapest = self.cover.integral(self.clock.left(0.85))
            self._trust(cheapest.bound)
            if cheapest.removed is None:
                raise LimitReached
            if self.closed or self._cut_whole(cheapest.removed):
                continue
            if cheapest.done:
                self.settled = True
                return
            raise LimitReached

    def _relaxed(self, part: float) -> Relaxation:
        none, among = np.zeros(self.problem.rows.n, dtype=bool), range(len(self.cover.rows))
        budget = self.problem.rows.budget
        return self.cover.relaxation(among, none, budget, self.clock.left(part))

    def _cut(self, x: Floats) -> int:
        added = self._add_conflicts(x <= _SOLVER) + self._add_around(x)
        return added or self._add_conflicts(x < 1 / (self.problem.rows.D + 1) - _SOLVER)

    def _cut_whole(self, removed: Mask) -> bool:
        known = len(self.cover.rows)
        number = self._ask(~removed)
        if number is None:
            return False
        if number < known:
            raise LimitReached  # the solver's set does not do what was asked
        self._add_conflicts(~removed)
        self._add_around(removed.astype(np.float64))
        return True

    def _add_around(self, x: Floats) -> int:
        rule, known = self.problem.best, len(self.cover.rows)
        alive = ~rule.wrong & (x <= _SOLVER)
        errors = np.flatnonzero(rule.wrong & (x < 1 - _SOLVER))
        for e in errors[np.argsort(x[errors], kind="stable")][:_MANY].tolist():
            petals = alive.copy()
            petals[e] = True
            for _ in range(_PETALS):
                number = self._ask(petals, e)
                if number is None:
                    break
                petals[self.cover.rows[number]] = False
                petals[e] = True
        return len(self.cover.rows) - known

    def _add_conflicts(self, alive: Mask) -> int:
        """One after the other; of each a row leaves that the best rule errs on."""
        alive, known = alive.copy(), len(self.cover.rows)
        for k in range(_MANY):
            number = self._ask(alive)
            if number is None:
                break
            rows = self.cover.rows[number]
            errors = rows[self.problem.best.wrong[rows]]
            alive[errors[k % len(errors)]] = False
        return len(self.cover.rows) - known

    def _trust(self, bound: float) -> None:
        """The solver's bound in units: up to the next one, where its rounding cannot matter.

        Not if a rule makes fewer errors than it says are possible.
        """
        if math.isfinite(bound):
            units = math.ceil((bound - _SOLVER * max(1.0, abs(bound))) * self.problem.scale)
            if units <= self.problem.best.cost:
                self.trusted = max(self.trusted, units)

    # --- In fractions ---

    def _believe(self, shares: Shares) -> None:
        bound = math.ceil(sum(shares.values()))
        if bound > self.proved:
            self.proved, self.proof, self.cones = bound, Case(shares=dict(shares)), None

    def _prove(self) -> None:
        relaxed = self._relaxed(1.0)
        self._believe(relaxed.prove())
        target = self.problem.best.cost if self.settled else self.lower
        if self.proved >= target:
            return
        cases = Cases(self.cover, relaxed, self.problem.rows.budget)
        cases.reach(target)
        if cases.bound > self.proved:
            self.proved, self.proof, self.cones = cases.bound, cases.root, None
