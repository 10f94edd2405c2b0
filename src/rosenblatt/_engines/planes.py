"""Cutting planes: a few rows are decided about exactly; all rows are asked whether it holds.

The weights that separate the few best go to every machine, and the rows that are most on the wrong
side come back and join the few, until none is. A conflict among the few is one among all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import numpy as np

from rosenblatt._compute.backend import compute
from rosenblatt._engines import proof_work as work
from rosenblatt._engines.divided import Divided
from rosenblatt._engines.proof_work import Some
from rosenblatt._proof import margins
from rosenblatt._proof.bounds import Bound, proved
from rosenblatt._proof.facial_reduction import Partition
from rosenblatt._proof.least_distance import nearest_point
from rosenblatt._proof.lifted_sight import looked, metric_of
from rosenblatt._proof.many_classes import conflict_at_sight
from rosenblatt._proof.rows import Rows
from rosenblatt._support.budget import Budget, LimitReached

_BATCH = 16  # rows for a dimension that join at a time
_WIDEN = 12  # looks up to which the margin is bracketed more closely
_CLOSE = 1e-6  # a relative gap that is close enough
_NO_MORE = "{} looks at all rows were not enough"


@final
@dataclass
class Planes:
    """The search; at the end it holds what was found."""

    all: Divided
    intercept: bool
    budget: Budget
    most_looks: int
    margins: bool  # how wide a separation is is asked, too
    looks: int = 0
    few: Some = field(init=False)
    partition: Partition = field(init=False)  # of the few
    bound: Bound | None = None  # of the margin of all rows
    complete: bool = False  # what `partition` says holds for all rows

    def run(self) -> None:
        """Raises LimitReached where it is cut short; then `partition` has what is known."""
        self.few = self._sampled()
        self._begin()
        while True:
            w = self._separator()
            if w is None:
                break
            if self._holds(w):
                return
            self._begin()
        self._facial_reduction()

    # --- Complete separation, or a conflict ---

    def _sampled(self) -> Some:
        """A first few rows: of every shard, or of some of them where there are many."""
        size = 2 * (self.all.d + 2)
        shards = [some for part in self.all.each(work.sample, size) for some in part]
        step = max(1, len(shards) // 64)
        return Some.joined(shards[::step])

    def _begin(self) -> None:
        self._rows = self.few.rows(intercept=self.intercept, budget=self.budget)
        self.partition = Partition(self._rows)

    def _separator(self) -> list[Fraction] | None:
        """Weights that separate the few, widely; None: there are none, `partition` proves it."""
        rows, part = self._rows, self.partition
        part.conflict = conflict_at_sight(rows)
        if part.conflict is None:
            part.metric = metric_of(rows)
            sight = looked(rows, part.metric)
            guess = nearest_point(rows, sight)
            part.support = guess.support
            w = sight.exactly(rows, guess.direction)
            if guess.separates and (rows.signs(w) > 0).all():
                return self._wide(w, guess.support)
        part.first_conflict = True
        try:
            part.run(part.conflict)
        except LimitReached:
            if part.conflict is None:
                raise
        if part.conflict is not None:
            return None
        assert part.separator is not None
        return self._wide(part.separator, part.support)

    def _wide(self, w: list[Fraction], support: list[int]) -> list[Fraction]:
        """With the largest margin among the few, where that is soon found."""
        self.partition.separator, self.partition.support = w, support
        self._on_few = margins.homogeneous(self._rows, support, w)
        return list(self._on_few.separator)

    def _holds(self, w: list[Fraction]) -> bool:
        """Do they separate all rows? If not, or not closely enough, rows join the few."""
        self._look()
        most, few = _BATCH * self._rows.D, self._few
        found = [
            shard
            for part in self.all.each(work.look, w, self.intercept, few, hear=self.budget.hear)
            for shard in part
        ]
        if not sum(shard.wrong for shard in found):
            reached = min(shard.reached for shard in found if shard.reached is not None)
            self._keep(w, reached)
            close = self.bound is not None and self.bound.gap < _CLOSE
            if close or not self.margins or self.looks >= _WIDEN:
                return True
        joined = self._join([shard.worst for shard in found], [s.standing for s in found], most)
        return not joined and self.complete

    @property
    def _few(self) -> int:
        """Rows that a shard picks out: as many as join where there is one, a quarter of it where
        there are many."""
        shards = -(-self.all.n // compute.rows_of_shard)
        return int(self._rows.D) * max(_BATCH // shards, _BATCH // 4)

    def _keep(self, w: list[Fraction], reached: Fraction) -> None:
        part = self.partition
        part.separator, part.done, self.complete = w, True, True
        upper = self._on_few
        found = proved(self._rows, w, reached, upper.weights, free=False)
        if self.bound is None or found.gap < self.bound.gap:
            self.bound, self.proved_on = found, self.few

    def _join(self, rows: list[Some], standing: list[np.ndarray], most: int) -> bool:
        """The lowest of these, of equal ones the first; False: they were all there."""
        some, low = Some.joined(rows), np.concatenate(standing)
        new = ~np.isin(some.number, self.few.number)
        if self.complete:  # only those that would narrow the margin
            new &= low < np.inf
        places = np.flatnonzero(new)
        places = places[np.lexsort((some.number[places], low[places]))][:most]
        if len(places):
            self.few = Some.joined([self.few, some.part(places)])
        return bool(len(places))

    def _look(self) -> None:
        if self.looks >= self.most_looks:
            raise LimitReached(_NO_MORE.format(self.looks))
        self.budget.spend(self.all.n)
        self.looks += 1

    # --- Which rows can be strict, once there is a conflict ---

    def _facial_reduction(self) -> None:
        """Overlap, or quasi-complete separation of all rows."""
        while True:
            conflict = self.partition.conflict
            self.partition = Partition(self._rows)
            self.partition.run(conflict)
            part = self.partition
            if part.separator is None and not part.normals:  # no direction is left, for nobody
                self.complete = True
                return
            self._look()  # without a separator: for rows outside the span of the few
            strays = self.all.each(
                work.astray,
                part.separator or [Fraction(0)] * self._rows.D,
                part.normals or [],
                self.intercept,
                self._few,
                hear=self.budget.hear,
            )
            found = [some for shards in strays for some in shards]
            if not sum(len(some.number) for some in found):
                self.complete = True
                return
            part.done = False  # of the few, not of all
            if not self._join(found, [np.zeros(len(s.number)) for s in found], 1 << 14):
                raise LimitReached(_NO_MORE.format(self.looks))
            self._begin()
            self.partition.conflict = conflict

    @property
    def rows(self) -> Rows:
        """The few, as the proof reads them."""
        return self._rows
