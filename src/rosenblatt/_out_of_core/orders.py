"""The values of `order` for rows in partitions. The visits are those of `_training/orders.py`."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any, ClassVar, cast, final

from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.learner import PartitionedExamples, PartitionedLearner
from rosenblatt._out_of_core.partitions import Epoch
from rosenblatt._out_of_core.work import Stretch
from rosenblatt._training.learner import PrimalState
from rosenblatt._training.orders import Batch, Order, block_order, n_blocks, take
from rosenblatt._training.state import Job, State, V, W


class PartitionedCyclic(Order):
    """The given order, exactly: the weights travel to where the next blocks are.

    An engine gives it the memory of many machines, and the speed of one core.
    """

    shuffled: ClassVar = False

    def __init__(self, examples: PartitionedExamples):
        super().__init__(examples)
        self._rows = examples.partitioned
        self._epoch = 0
        self._blocks: list[int] = []  # as that epoch visits them,
        self._begins: list[int] = []  # and where each begins, counted in visits

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._epoch != state.epoch:
            self._blocks, self._epoch = self._order_of_blocks(state), state.epoch
            sizes = [min(compute.block, self.n - b * compute.block) for b in self._blocks]
            self._begins = list(accumulate(sizes, initial=0))
        learner: Any = job.learner
        assert isinstance(learner, PartitionedLearner)
        epoch = Epoch(state.seed, state.epoch, self.shuffled)
        stretch = self._stretch(state.position)
        memory = cast("PrimalState", state).memory
        made, updates = learner.visit_blocks(memory, epoch, stretch, most, state.visits)
        state.record(made, updates)
        state.position += made
        state.clean = state.position == self.n and state.mistakes[-1] == 0

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return list(range(n_blocks(self.n)))

    def _stretch(self, position: int) -> Stretch:
        """The visits from here on that are made in one call, all in one partition."""
        blocks, begins, rows = self._blocks, self._begins, self._rows
        turn, end = bisect_right(begins, position) - 1, min(position + self.chunk, self.n)
        partition = rows.partition_of(blocks[turn] * compute.block)
        stretch = list[tuple[int, int, int]]()
        while position < end and rows.partition_of(blocks[turn] * compute.block) == partition:
            reached = min(end, begins[turn + 1])
            stretch.append((blocks[turn], position - begins[turn], reached - begins[turn]))
            position, turn = reached, turn + (reached == begins[turn + 1])
        return Stretch(stretch, blocks[turn % len(blocks)])


@final
class PartitionedBlocks(PartitionedCyclic):
    """As `Blocks`: an order of blocks, and of the rows of each, of their own every epoch."""

    shuffled: ClassVar = True

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return block_order(self.n, state.seed, state.epoch)


@final
class PartitionedMixed(Order):
    """As `Mixed`: on an engine all shards at once, from disk one after the other."""

    def __init__(self, examples: PartitionedExamples):
        super().__init__(examples)
        # One shard has nothing to be mixed with.
        self._alone = PartitionedBlocks(examples) if self.n <= compute.rows_of_shard else None

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._alone is not None:
            self._alone.advance(job, state, most)
            return
        learner, mixed = cast("Any", job.learner), cast("PrimalState", state)
        assert isinstance(learner, PartitionedLearner)
        epoch = Epoch(state.seed, state.epoch, shuffled=True)
        first = state.position // compute.rows_of_shard  # others may have made some of them
        for share in learner.mix(mixed.memory, epoch, first):
            take(mixed, share, self.n)


ORDERS: dict[str, type[Order]] = {
    "cyclic": PartitionedCyclic,
    "blocks": PartitionedBlocks,
    "mixed": PartitionedMixed,
    "batch": Batch,
}
