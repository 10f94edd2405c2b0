"""The values of `order` for rows in partitions. The visits are those of `_training/orders.py`."""

from __future__ import annotations

from typing import Any, ClassVar, cast, final

from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.learner import PartitionedExamples, PartitionedLearner
from rosenblatt._out_of_core.partitions import Epoch
from rosenblatt._out_of_core.work import Stretch
from rosenblatt._training.learner import PrimalState
from rosenblatt._training.orders import Batch, Order, Turns, block_order, n_blocks, take
from rosenblatt._training.state import Job, State, V, W


class PartitionedCyclic(Order):
    """The given order, exactly: the weights travel to where the next blocks are.

    An engine gives it the memory of many machines, and the speed of one core.
    """

    shuffled: ClassVar = False

    def __init__(self, examples: PartitionedExamples):
        super().__init__(examples)
        self._rows = examples.partitioned
        self._epoch, self._turns = 0, Turns(self.n, [])  # the turns of that epoch

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._epoch != state.epoch:
            self._turns = Turns(self.n, self._order_of_blocks(state))
            self._epoch = state.epoch
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
        blocks, begins, turn = self._turns.blocks, self._turns.begins, self._turns.at(position)
        end, stretch = min(position + self.chunk, self.n), list[tuple[int, int, int]]()
        partition = self._rows.partition_of(blocks[turn] * compute.block)
        while position < end:
            b, first = blocks[turn], int(begins[turn])
            if self._rows.partition_of(b * compute.block) != partition:
                break
            reached = min(end, int(begins[turn + 1]))
            stretch.append((b, position - first, reached - first))
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
