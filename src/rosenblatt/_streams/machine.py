"""Weights in the space of the features, learned from rows that come block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Weights
from rosenblatt._learning.primal import InFeatures, Memory, Primal
from rosenblatt._rules.voters import Voters
from rosenblatt._streams.examples import StreamedExamples


class Streamed(InFeatures):
    """What `Primal` does with the rows of a block, for one block after another.

    Updates are not counted by row: that would take memory for every row.
    """

    def __init__(self, examples: StreamedExamples, *, margin: float, intercept: bool):
        super().__init__(margin=margin, intercept=intercept)
        self.examples = examples
        self._counts = np.zeros(examples.block(0).rows.n, dtype=np.int64)  # nobody looks at them

    def start(self, w: Weights, *, averaged: bool) -> Memory:
        return self._begun(w, 0, averaged=averaged)

    def visit(
        self,
        memory: Memory,
        b: int,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end] of block b, at most `most` updates; place reached, updates."""
        within = Memory(memory.w, memory.drift, self._counts)
        return self._on(b).visit(within, order, begin, end, most, visits)

    def _on(self, b: int) -> Primal:
        return Primal(self.examples.block(b), margin=self.margin, intercept=self.intercept)

    def descend(self, memory: Memory, visits: int, check_interrupt: Callable[[], None]) -> int:
        """One batch step over all blocks."""
        step, mistakes = np.zeros_like(memory.w), 0
        for b, _ in enumerate(self.examples.blocks(check_interrupt)):
            marks, _ = self._on(b).look(memory.w, step, check_interrupt)
            mistakes += int(np.count_nonzero(marks))
        memory.add(step, visits)
        return mistakes

    def training_votes(
        self, voters: Voters, *, quickly: bool
    ) -> Iterator[NDArray[np.float64]] | None:
        """The mean vote, block by block; None where somebody waits."""
        if quickly:
            return None
        return (voters.scores(block.rows) for block in self.examples.blocks())
