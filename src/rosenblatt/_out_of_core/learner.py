"""Weights in the space of the features, learned from rows that come block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Examples, Weights
from rosenblatt._core.summation import Fold, folded
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.rows import RemoteExamples, StreamedExamples
from rosenblatt._training import learner
from rosenblatt._training.learner import (
    Adaptive,
    InFeatures,
    Primal,
    PrimalMemory,
    is_confident,
    machine_with,
    may_vote,
)
from rosenblatt._training.linear_rule import Voters
from rosenblatt._training.orders import Share
from rosenblatt._training.rule import Rule
from rosenblatt._training.state import Indices, Memory


class Streamed(InFeatures):
    """What `Primal` does with the rows of a block, for one block after another.

    Updates are not counted by row: that would take memory for every row.
    """

    def __init__(self, rule: Rule, examples: StreamedExamples, *, margin: float, intercept: bool):
        super().__init__(margin=margin, intercept=intercept)
        self._machine, self.confident = machine_with(rule), is_confident(rule)
        self.examples = self.evaluation_rows = examples
        of = (examples.block(0).rows.n, *examples.shape_of_weights[:-1])
        self._counts = np.zeros(of, dtype=np.int64)  # nobody looks at them

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, 0, averaged=averaged)

    def visit(
        self,
        memory: PrimalMemory,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end] of the block that was entered, as `Primal` does."""
        within = Memory(memory.w, memory.drift, self._counts, memory.precision)
        return self._on(self.examples.entered).visit(within, order, begin, end, most, visits)

    def search(
        self,
        memory: PrimalMemory,
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        raise NotImplementedError("order='random' needs all rows at hand: it is `Primal`'s")

    def _on(self, block: Examples) -> Primal | Adaptive:
        machine = self._machine(block, margin=self.margin, intercept=self.intercept)
        machine.log = self.log
        return machine

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        """One batch step over all blocks: all of it, or nothing."""
        fold, noted, mistakes = Fold[Weights](), [], 0
        for block in self.examples.blocks():
            on_block = self._on(block)
            assert isinstance(on_block, Primal)
            found = on_block.look(memory.w)
            fold.add(found.step)
            mistakes += len(found.rows)
            if self.log is not None:
                noted.append((found, block.y))
        self._step(memory, fold.total(), visits)
        for found, y in noted:
            assert self.log is not None
            assert found.scores is not None
            self.log.add(found.rows, visits, found.scores, y, found.rivals)
        return mistakes

    def training_votes(
        self, voters: Voters, *, quickly: bool
    ) -> Iterator[NDArray[np.float64]] | None:
        """The mean vote, block by block; None where it would take long."""
        blocks = self.examples.blocks
        parts = (block.rows for block in blocks())
        if quickly or not may_vote(voters, parts, learner.MOST_VOTED):
            return None
        return (voters.scores(block.rows) for block in blocks())


# Weights in the space of the features, learned from rows on many machines.


_ELSEWHERE = "the rows are on other machines: orders of an engine ask for stretches of them"


@final
class Distributed(InFeatures):
    """What `Streamed` does with one block after another, where the blocks are."""

    def __init__(self, rule: Rule, examples: RemoteExamples, *, margin: float, intercept: bool):
        super().__init__(margin=margin, intercept=intercept)
        self.examples = self.evaluation_rows = examples
        self.confident = is_confident(rule)
        self.how = examples.how._replace(rule=rule, margin=margin, intercept=intercept)

    def workers(self) -> str:
        """How fast each machine is, in words."""
        return self.examples.divided.team.told()

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, 0, averaged=averaged)

    def travel(
        self,
        memory: PrimalMemory,
        turn: work.Turn,
        stretch: Sequence[tuple[int, int, int]],
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """The weights go to these blocks, all in one bundle: (number, place, size).

        Returns how many visits and updates were made.
        """
        rows = self.examples.divided
        learned, made, updates = rows.one(
            rows.bundle_of(stretch[0][0] * compute.block),
            work.visit,
            self.how,
            memory,
            turn,
            [(b, place) for b, place, _ in stretch],
            most,
            visits,
            rows=sum(size - place for _, place, size in stretch),
        )
        take(memory, learned)
        return made, updates

    def mix(self, memory: PrimalMemory, turn: work.Turn, first: int) -> list[Share]:
        """What each shard, from the first one on, adds to this epoch, in their order."""
        rows = self.examples.divided
        averaged = memory.drift is not None
        given = (self.how, memory.w, turn, first, rows.n, averaged)
        found = rows.each(work.mix, *given)
        return [share for part in found for share in part]

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        """One batch step over all rows."""
        found = self.examples.divided.each(work.descend, self.how, memory.w)
        self._step(memory, folded(shard for steps, _ in found for shard in steps), visits)
        return sum(mistakes for _, mistakes in found)

    def visit(
        self,
        memory: PrimalMemory,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        raise NotImplementedError(_ELSEWHERE)

    def search(
        self,
        memory: PrimalMemory,
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        raise NotImplementedError(_ELSEWHERE)

    def training_votes(
        self, voters: Voters, *, quickly: bool
    ) -> Iterator[NDArray[np.float64]] | None:
        raise NotImplementedError(_ELSEWHERE)


def take(memory: PrimalMemory, learned: PrimalMemory) -> None:
    """What was learned elsewhere; in place, since the state is shared."""
    memory.w[...] = learned.w
    for mine, theirs in ((memory.drift, learned.drift), (memory.precision, learned.precision)):
        if mine is not None and theirs is not None:
            mine[...] = theirs
