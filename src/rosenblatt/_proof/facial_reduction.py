"""Which rows can be strictly on the right side: complete, quasi-complete or no separation.

If a positive blend of rows is zero, then every w with all a_i·w >= 0 has a_i·w = 0 on those rows,
and on all rows in their span. Look along what is orthogonal to that span; there the other rows
either have a strict separator, and that is the answer, or again a blend that is zero: take it in,
and go on.
Each round takes in at least one dimension, so that there are at most D of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.balance import Blend, spanning_balance
from rosenblatt._proof.completed import completed
from rosenblatt._proof.exact_product import combined
from rosenblatt._proof.face import Face
from rosenblatt._proof.integer_algebra import Misled, kernel, null_space, reduce
from rosenblatt._proof.least_distance import Guess, nearest_point
from rosenblatt._proof.lifted_sight import looked, metric_of
from rosenblatt._proof.metric import Metric, Sight
from rosenblatt._proof.modular import PRIMES, longest, mod
from rosenblatt._proof.projected import Projected
from rosenblatt._proof.quotient import Quotient, merged, positive_kernel
from rosenblatt._proof.residues import independent, times
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.simplex import decide
from rosenblatt._proof.whole_numbers import Vector
from rosenblatt._support.budget import LimitReached

_MOST_DIRECTIONS = 2000
TOO_MANY = "more than one guess takes too long in so many dimensions"
ONLY_SEPARABLE = "only whether the rows are separable was asked"


@dataclass
class Partition:
    """What is known so far; at the end all of it."""

    rows: Rows
    metric: Metric | None = None
    conflict: Blend | None = None  # the first blend that is zero: at most D + 1 rows
    balance: Blend = field(default_factory=dict)  # a positive blend of all rows taken in, zero
    normals: list[Vector] | None = None  # span what is orthogonal to them; None: no rows taken in
    alive: NDArray[np.bool_] | None = None  # rows outside their span; None: all
    separator: list[Fraction] | None = None  # strict on the living rows, zero on the others
    support: list[int] = field(default_factory=list)  # rows near the separator
    done: bool = False
    first_conflict: bool = False  # is enough: more is not asked
    only_guess: bool = False  # one guess and its proof: more would take too long
    _sight: Sight | None = None  # how the search sees all rows
    _quotient: Quotient | None = None  # what was taken in but is not yet in the balance

    def run(self, known: Blend | None) -> None:
        """Until the answer is proved; `known` is a conflict that was found by looking."""
        if self.metric is None:
            self.metric = metric_of(self.rows)
        self.conflict = known
        self._first_round()
        while not self.done:
            self._round()
        self.done = False  # if a limit strikes here
        self._complete()
        self.done = True

    def _first_round(self) -> None:
        """A separator of all rows, or a conflict; then a balance of many rows at once."""
        assert self.metric is not None
        if self.conflict is None:
            sight = self._look(np.arange(self.rows.n))
            guess = nearest_point(self.rows, sight, first=True)
            support = guess.support
            if self.only_guess and not guess.separates:
                support = completed(self.rows, sight, support)
            self._decide(guess, support, sight.exactly(self.rows, guess.direction))
        if self.done:
            return
        assert self.conflict is not None
        first = independent(self.rows, list(self.conflict))
        if len(first) < self.rows.D and (self.only_guess or self.first_conflict):
            raise LimitReached(TOO_MANY if self.only_guess else ONLY_SEPARABLE)
        balance = None
        if len(first) < self.rows.D:
            balance = spanning_balance(self.rows, self._look, first)
        self._take_in(balance or self.conflict)

    def _look(self, pool: NDArray[np.intp], rank: int | None = None) -> Sight:
        """How the search sees some rows best; their rank, where it is known."""
        assert self.metric is not None
        if len(pool) < self.rows.n:
            return looked(self.rows, self.metric, pool, rank)
        if self._sight is None:
            self._sight = looked(self.rows, self.metric)
        return self._sight

    def _round(self) -> None:
        """The same for the rows that are left, along what is orthogonal to those taken in."""
        assert self.normals is not None
        assert self.alive is not None
        if not self.alive.any():
            self.done = True
            return
        index = np.flatnonzero(self.alive)
        living = self.rows.part(index)
        sight = Projected.of(living, self.normals)
        guess = nearest_point(living, sight, first=True)
        self._decide(guess, index[guess.support].tolist(), sight.exactly(living, guess.direction))

    def _decide(self, guess: Guess, support: list[int], weights: list[Fraction]) -> None:
        """By the guess if it is right, else by the simplex."""
        rows, self.support = self.rows, support
        if guess.separates and self._separates(weights):
            return
        if not guess.separates and self._conflicting(support):
            return
        if self.only_guess:
            raise LimitReached(TOO_MANY)
        index = range(rows.n) if self.alive is None else np.flatnonzero(self.alive).tolist()
        decision = decide(Face(rows, index, self.normals), support)
        if decision.separator is not None:
            proved = self._separates(decision.separator)
        else:
            assert decision.conflict is not None
            proved = self._conflicting(list(decision.conflict))
        if not proved:
            raise Misled

    # --- Separators ---

    def _separates(self, w: list[Fraction]) -> bool:
        """Keep w if it is strictly right for every living row."""
        signs = self.rows.signs(w, only=self.alive)
        living = signs if self.alive is None else signs[self.alive]
        if not (living > 0).all():
            return False
        self.separator, self.done = w, True
        return True

    # --- Conflicts ---

    def _conflicting(self, support: Sequence[int]) -> bool:
        """A blend of these rows and of those taken in before that is zero, if it is one."""
        if not support:
            return False
        if self._quotient is None:
            return self._first_conflict(support)
        if self._quotient.pays(len(support), self.rows.D - len(self.normals or [])):
            if not self._quotient.take_in(support):
                return False
            self._see(self._quotient.normals())
            return True
        self._complete()
        old = independent(self.rows, list(self.balance))
        found = self._zero([*support, *old], len(support))
        if found is None:
            return False
        blend = {i: v for i, v in zip(support, found, strict=False) if v}
        self._take_in(blend, dict(zip(old, found[len(support) :], strict=True)))
        return True

    def _first_conflict(self, support: Sequence[int]) -> bool:
        found = self._zero(support, len(support))
        if found is None:
            return False
        self.conflict = {i: v for i, v in sorted(zip(support, found, strict=True)) if v}
        return True

    def _zero(self, index: Sequence[int], count: int) -> Vector | None:
        """The blend of these rows that is zero, if it is positive on the first of them."""
        whole, _ = self.rows.whole(index)
        self.rows.budget.spend_on_algebra(len(index), longest(whole))
        return positive_kernel(whole, count, self.rows.budget.check_interrupt)

    def _complete(self) -> None:
        """What was taken in up to the span of the balance becomes part of it."""
        if self._quotient is None or not self._quotient.blend:
            return
        blend, old = self._quotient.blend, independent(self.rows, list(self.balance))
        whole, _ = self.rows.whole([*blend, *old])
        self.rows.budget.spend_on_algebra(len(old), longest(whole))
        total = combined(list(blend.values()), whole[: len(blend)])
        found = kernel([*whole[len(blend) :], total], self.rows.budget.check_interrupt)
        if found is None or not found[-1]:
            raise Misled
        times = abs(found[-1])
        shares = [v * (times // found[-1]) for v in found[:-1]]
        new = {i: times * v for i, v in blend.items()}
        self.balance = merged(self.balance, new, dict(zip(old, shares, strict=True)))
        self._quotient = Quotient(self.rows, self.normals) if self.normals else None

    def _take_in(self, blend: Blend, correction: Blend | None = None) -> None:
        """blend + correction (on rows taken in before, of any sign) is zero."""
        self.balance = merged(self.balance, blend, correction or {})
        rows = self.rows
        basis = independent(rows, list(self.balance))
        if rows.D - len(basis) > _MOST_DIRECTIONS:
            raise LimitReached(f"{rows.D} dimensions are too many to tell which rows can be strict")
        whole, scale = rows.whole(basis)
        rows.budget.spend_on_algebra(len(basis), longest(whole))
        found = (
            null_space(whole, rows.D, rows.budget.check_interrupt) if len(basis) < rows.D else []
        )
        normals = [reduce([v * s for v, s in zip(n, scale, strict=True)]) for n in found]
        self._quotient = Quotient(rows, normals) if normals else None
        self._see(normals)

    def _see(self, normals: list[Vector]) -> None:
        """The directions orthogonal to all rows taken in, and the rows that can be seen there."""
        rows, self.normals = self.rows, normals
        if not normals:
            self.alive = np.zeros(rows.n, dtype=bool)
            return
        # A row times a direction takes as long modulo a prime as four do in floating point.
        rows.budget.spend(4 * rows.n * len(normals))
        alive = np.ones(rows.n, dtype=bool) if self.alive is None else self.alive
        modulo = [mod(normals, prime).T for prime in PRIMES]
        for begin, end in rows.chunks():
            some = np.flatnonzero(alive[begin:end]) + begin
            alive[some] = False
            for prime, directions in zip(PRIMES, modulo, strict=True):
                seen = times(rows, directions, some, prime).any(axis=1)
                alive[some[seen]] = True  # certainly; of the others the next prime is asked
                some = some[~seen]
        self.alive = alive
