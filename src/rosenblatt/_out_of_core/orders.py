"""The values of `order` for rows that come block by block. The visits are those of `orders.py`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Examples
from rosenblatt._out_of_core.learner import Distributed
from rosenblatt._out_of_core.rows import RemoteExamples, StreamedExamples
from rosenblatt._out_of_core.work import Turn
from rosenblatt._training.learner import PrimalState
from rosenblatt._training.orders import (
    Batch,
    Mixed,
    Order,
    Share,
    Turns,
    arrange_block,
    block_order,
    parts_of,
    shard_order,
    share_of,
    take,
)
from rosenblatt._training.state import Job, State, TrainingRows, V, W

if TYPE_CHECKING:
    from rosenblatt._core.update_log import Log


class _InBlocks(Order):
    """Every row once, a block at a time."""

    def __init__(self, examples: StreamedExamples):
        super().__init__(examples)
        self._examples, self._n_blocks = examples, examples.n_blocks
        self._epoch, self._turns = 0, Turns(self.n, [])  # the turns of that epoch

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._epoch != state.epoch:
            self._turns = Turns(self.n, self._order_of_blocks(state))
            self._epoch = state.epoch
        turn = self._turns.at(state.position)
        first, last = self._turns.begins[turn : turn + 2].tolist()
        b, place = self._turns.blocks[turn], state.position - first
        order = self._within(b, last - first, state)
        end = min(place + self.chunk, last - first)
        self._examples.enter(b)
        reached, updates = job.machine.visit(state.memory, order, place, end, most, state.visits)
        self._examples.expect(self._turns.blocks[(turn + 1) % self._n_blocks])
        state.record(reached - place, updates)
        state.position = first + reached
        state.clean = state.position == self.n and state.mistakes[-1] == 0

    @abstractmethod
    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        """As this epoch visits them."""

    @abstractmethod
    def _within(self, b: int, size: int, state: State[W, V]) -> np.ndarray | None:
        """The rows of block b as this epoch visits them; None: in their order."""


class StreamedCyclic(_InBlocks):
    """The given order."""

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return list(range(self._n_blocks))

    def _within(self, b: int, size: int, state: State[W, V]) -> np.ndarray | None:
        return None


class StreamedBlocks(_InBlocks):
    """As `Blocks`, with memory for the order of one block."""

    def __init__(self, examples: StreamedExamples):
        super().__init__(examples)
        self._order = np.empty(min(self.n, compute.block), dtype=self._index_type)
        self._arranged = (0, -1)  # epoch and block

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return block_order(self.n, state.seed, state.epoch)

    def _within(self, b: int, size: int, state: State[W, V]) -> np.ndarray | None:
        if self._arranged != (state.epoch, b):
            arrange_block(self._order[:size], None, b, state.seed, state.epoch)
            self._arranged = (state.epoch, b)
        return self._order[:size]


class StreamedMixed(Mixed):
    """As `Mixed`, with memory for the order of one block."""

    def alone(self, examples: TrainingRows[Any]) -> Order:
        assert isinstance(examples, StreamedExamples)
        return StreamedBlocks(examples)

    def _share(
        self, job: Job[W, V], state: PrimalState, s: int, log: Log | None
    ) -> tuple[Share, int]:
        blocks = self._blocks(shard_order(self.n, s, state.seed, state.epoch))
        whole, averaged = job.machine, state.memory.drift is not None
        parts = parts_of(
            blocks, state.seed, state.epoch, margin=whole.margin, intercept=whole.intercept
        )
        return share_of(parts, state.memory.w, averaged=averaged, log=log), 0

    def _blocks(self, numbers: list[int]) -> Iterator[tuple[int, Examples]]:
        for b, following in zip(numbers, [*numbers[1:], numbers[-1]], strict=True):
            block = self._examples.block(b)
            self._examples.expect(following)
            yield b, block


STREAMED_ORDERS: dict[str, type[Order]] = {
    "cyclic": StreamedCyclic,
    "blocks": StreamedBlocks,
    "mixed": StreamedMixed,
    "batch": Batch,
}


# The values of `order` on an engine.


_MOST_BLOCKS = 64  # in one call: a checkpoint can be written between


class _Ring(Order):
    """Every row once, a block at a time, exactly: the weights travel to where the next blocks are.
    It buys the memory of many machines, and has the speed of one core."""

    shuffled: bool

    def __init__(self, examples: RemoteExamples):
        super().__init__(examples)
        self._divided = examples.divided
        self._epoch, self._turns = 0, Turns(self.n, [])  # the turns of that epoch

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._epoch != state.epoch:
            self._turns = Turns(self.n, self._order_of_blocks(state))
            self._epoch = state.epoch
        machine = job.machine
        assert isinstance(machine, Distributed)
        made, updates = machine.travel(
            state.memory,
            Turn(state.seed, state.epoch, self.shuffled),
            self._stretch(state.position),
            most,
            state.visits,
        )
        state.record(made, updates)
        state.position += made
        state.clean = state.position == self.n and state.mistakes[-1] == 0

    def _stretch(self, position: int) -> list[tuple[int, int, int]]:
        """The blocks from here on that are in one place, each with where to begin and its size."""
        blocks, begins, turn = self._turns.blocks, self._turns.begins, self._turns.at(position)
        place, found, where = position - int(begins[turn]), list[tuple[int, int, int]](), -1
        for t in range(turn, min(turn + _MOST_BLOCKS, len(blocks))):
            b = blocks[t]
            bundle = self._divided.bundle_of(b * compute.block)
            if found and bundle != where:
                break
            where = bundle
            found.append((b, 0 if found else place, int(begins[t + 1] - begins[t])))
        return found

    @abstractmethod
    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        """As this epoch visits them."""


class RemoteCyclic(_Ring):
    """The given order."""

    shuffled = False

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return list(range(self._divided.n_blocks))


class RemoteBlocks(_Ring):
    """As `Blocks`: an order of blocks, and of the rows of each, of their own every epoch."""

    shuffled = True

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return block_order(self.n, state.seed, state.epoch)


class RemoteMixed(Order):
    """As `Mixed`, all shards at once."""

    def __init__(self, examples: RemoteExamples):
        super().__init__(examples)
        # One shard has nothing to be mixed with.
        self._alone = RemoteBlocks(examples) if self.n <= compute.rows_of_shard else None

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._alone is not None:
            self._alone.advance(job, state, most)
            return
        machine, mixed = job.machine, cast("PrimalState", state)
        assert isinstance(machine, Distributed)
        turn = Turn(state.seed, state.epoch, shuffled=True)
        first = state.position // compute.rows_of_shard  # others may have made some of them
        for share in machine.mix(mixed.memory, turn, first):
            take(mixed, share, self.n)


REMOTE_ORDERS: dict[str, type[Order]] = {
    "cyclic": RemoteCyclic,
    "blocks": RemoteBlocks,
    "mixed": RemoteMixed,
    "batch": Batch,
}
