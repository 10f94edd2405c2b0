"""The values of `order` for rows that come block by block. The visits are those of `orders.py`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Examples
from rosenblatt._learning.blocks import Turns, arrange_block, block_order, shard_order
from rosenblatt._learning.machine import TrainingRows, V, W
from rosenblatt._learning.mixing import Share, parts_of, share_of
from rosenblatt._learning.orders import Batch, Mixed, Order
from rosenblatt._learning.primal import PrimalState
from rosenblatt._learning.state import Job, State
from rosenblatt._streams.examples import StreamedExamples

if TYPE_CHECKING:
    from rosenblatt._compute.update_log import Log


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
        hear = job.watch.check_interrupt
        return share_of(parts, state.memory.w, averaged=averaged, log=log, check_interrupt=hear), 0

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
