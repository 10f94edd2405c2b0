"""Weights in the space of the features, learned from rows that come block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._compute.folding import Fold
from rosenblatt._learning import primal
from rosenblatt._learning.adaptive import Adaptive, is_confident, machine_with
from rosenblatt._learning.machine import Indices, Memory
from rosenblatt._learning.primal import InFeatures, Primal, PrimalMemory, may_vote
from rosenblatt._learning.rule import Rule
from rosenblatt._rules.voters import Voters
from rosenblatt._streams.examples import StreamedExamples


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

    def descend(
        self, memory: PrimalMemory, visits: int, check_interrupt: Callable[[], None]
    ) -> int:
        """One batch step over all blocks: all of it, or nothing."""
        fold, noted, mistakes = Fold[Weights](), [], 0
        for block in self.examples.blocks(check_interrupt):
            on_block = self._on(block)
            assert isinstance(on_block, Primal)
            found = on_block.look(memory.w, check_interrupt)
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
        self, voters: Voters, check_interrupt: Callable[[], None], *, quickly: bool
    ) -> Iterator[NDArray[np.float64]] | None:
        """The mean vote, block by block; None where it would take long."""
        blocks = self.examples.blocks
        parts = (block.rows for block in blocks(check_interrupt))
        if quickly or not may_vote(voters, parts, primal.MOST_VOTED):
            return None
        return (voters.scores(block.rows, check_interrupt) for block in blocks())
