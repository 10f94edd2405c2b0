"""Weights in the space of the features, learned from rows in partitions, where those are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Scale, Weights
from rosenblatt._core.summation import folded
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.partitions import Epoch, Labelling, PartitionedRows
from rosenblatt._training import learner
from rosenblatt._training.learner import InFeatures, PrimalMemory
from rosenblatt._training.linear_rule import SeparateVoters, Voters
from rosenblatt._training.orders import Share
from rosenblatt._validation import targets

_BLOCKS_OF_CALL = 64  # that an engine visits in one call: a checkpoint can be written between


@final
class PartitionedExamples:
    """What `Examples` offers of rows in memory."""

    present = None  # all rows exist
    gpu = None
    quick = False  # to read all of them once more takes long
    index_type = np.int32  # of places in a block

    def __init__(self, rows: PartitionedRows, labelling: Labelling):
        self.partitioned, self.labelling = rows, labelling
        self.n, self.d = rows.n, rows.d
        self.k = rows.k if labelling.one is None else None
        self.shape_of_weights = (self.d + 1,) if self.k is None else (self.k, self.d + 1)
        self.chunk = _BLOCKS_OF_CALL * compute.block
        if rows.stored is not None:
            (self.chunk,) = rows.each(work.chunk, self.labelling)
        self.total_weight = self._total_weight()

    def _total_weight(self) -> float:
        if targets.all_one(self.labelling.by_class):
            return float(self.n)
        return float(folded(self.partitioned.of_shards(work.weigh, self.labelling)))

    def size(self, *, intercept: bool) -> Scale:
        """How large the rows are."""
        both = self.partitioned.of_shards(work.measure, self.labelling, intercept)
        with np.errstate(over="ignore"):
            return Scale(folded(a for a, _ in both), folded(b for _, b in both))

    def count(
        self, weights: Sequence[Weights], limits: list[float] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Mistakes of each, plain and weighted; counting one ends where it reaches its limit."""
        parts = self.partitioned.each(work.count, self.labelling, list(weights), limits)
        plain = np.array([mistakes for mistakes, _ in parts]).sum(axis=0)
        return plain, folded(shard for _, shards in parts for shard in shards)

    def vote_mistakes(self, voters: Voters | SeparateVoters) -> int:
        """The rows whose mean vote is wrong."""
        return sum(self.partitioned.each(work.vote_mistakes, self.labelling, voters))


@final
class PartitionedLearner(InFeatures):
    """What `Primal` does with rows in memory, block by block.

    Updates are not counted by row: that would take memory for every row.
    """

    def __init__(self, examples: PartitionedExamples, rule: UpdateRule):
        super().__init__(rule)
        self.examples = self.evaluation_rows = examples
        self._rows = examples.partitioned
        self._steps = work.Steps(examples.labelling, rule)

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, 0, averaged=averaged)

    def visit_blocks(
        self,
        memory: PrimalMemory,
        epoch: Epoch,
        stretch: work.Stretch,
        max_updates: int,
        visits: int,
    ) -> tuple[int, int]:
        """The weights go to these blocks, all in one partition; returns visits and updates."""
        place = self._rows.partition_of(stretch.blocks[0][0] * compute.block)
        arguments = self._steps, memory, epoch, stretch, max_updates, visits, self.log
        learned, made, updates = self._rows.one(place, stretch.rows, work.visit, *arguments)
        _take(memory, learned)
        return made, updates

    def mix(self, memory: PrimalMemory, epoch: Epoch, first: int) -> list[Share]:
        """What shards from the first one on add to this epoch, in their order: here the next one,
        on an engine all."""
        rows = self._rows
        behind = -(-rows.n // compute.rows_of_shard) if rows.stored is None else first + 1
        averaged, log = (
            memory.correction is not None,
            None if self.log is None else self.log.apart(),
        )
        arguments = self._steps, memory.w, epoch, range(first, behind), rows.n, averaged, log
        return rows.of_shards(work.mix, *arguments)

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        """One batch step over all rows: all of it, or nothing."""
        parts = self._rows.each(work.descend, self._steps, memory.w, self.log)
        self._step(memory, folded(step for part in parts for step in part.of_shards), visits)
        for look, y in (noted for part in parts for noted in part.noted):
            assert self.log is not None
            assert look.scores is not None
            self.log.add(look.rows, visits, look.scores, y, look.rivals)
        return sum(part.mistakes for part in parts)

    def vote_mistakes(self, voters: Voters, *, quickly: bool) -> int | None:
        """The training rows whose mean vote is wrong; None where it would take long."""
        most, labelling = learner.MOST_VOTED, self.examples.labelling
        if quickly:
            return None
        read = self._rows.each(work.numbers_of_votes, labelling, voters.vectors, most)
        return None if sum(read) > most else self.examples.vote_mistakes(voters)


def _take(memory: PrimalMemory, learned: PrimalMemory) -> None:
    """In place, since the state is shared."""
    memory.w[...] = learned.w
    for mine, theirs in (
        (memory.correction, learned.correction),
        (memory.precision, learned.precision),
    ):
        if mine is not None and theirs is not None:
            mine[...] = theirs
