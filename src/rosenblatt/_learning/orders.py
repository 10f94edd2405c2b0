"""How a mistake is found: the values of `order`. An order advances the epoch by a chunk of visits.

Arrays that an order holds can be rebuilt from the state alone: they are never saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rosenblatt._compute.backend import compute
from rosenblatt._learning.machine import TrainingRows, V, W

if TYPE_CHECKING:
    from rosenblatt._learning.state import Job, State


class Order(ABC):
    """An order of visits."""

    def __init__(self, examples: TrainingRows[Any]):  # those of the machine
        self.present, self.chunk = examples.present, examples.chunk
        self._index_type = examples.index_type
        self.n = examples.n
        rows = getattr(examples, "rows", None)  # of a stream, or in dual form, they are elsewhere
        self._on_gpu: Any = rows if getattr(rows, "on_gpu", False) else None

    def _room(self) -> Any:
        if self._on_gpu is not None:
            return self._on_gpu.backend.pool(self.n)
        return np.empty(self.n, dtype=self._index_type)

    def looks(self, state: State[W, V]) -> int:
        """Row evaluations that visits have taken so far."""
        return state.visits

    @property
    def rows_of_an_epoch(self) -> int:
        """Row evaluations that the visits of an epoch take."""
        return self.n

    @abstractmethod
    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        """Make some visits of the epoch under way, with at most `most` updates."""


class _Pass(Order):
    """Every row once, in an order known beforehand."""

    def _visit(
        self, job: Job[W, V], state: State[W, V], order: np.ndarray | None, most: int
    ) -> None:
        end = min(state.position + self.chunk, self.n)
        reached, updates = job.machine.visit(
            state.memory, order, state.position, end, most, state.visits
        )
        state.record(reached - state.position, updates)
        state.position = reached
        state.clean = reached == self.n and state.mistakes[-1] == 0


class Cyclic(_Pass):
    """The given order."""

    pool = None  # no permutation

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        self._visit(job, state, self.present, most)

    def arranged(self, epoch: int) -> None:
        """There is nothing to arrange."""


class _Arranged(_Pass):
    """Every row once, arranged anew every epoch."""

    def __init__(self, examples: TrainingRows[Any]):
        super().__init__(examples)
        self.pool = self._room()  # the order of this epoch
        self._arranged_for = 0

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._arranged_for != state.epoch:
            self._arrange(state)
            self.arranged(state.epoch)
        self._visit(job, state, self.pool, most)

    def _arrange_on_gpu(self, seed: int, first: int, size: int, blocks: list[int]) -> None:
        rows = self._on_gpu
        rows.backend.arrange(rows.native, self.pool, self.present, seed, first, size, blocks)

    def arranged(self, epoch: int) -> None:
        """The pool holds the order of this epoch."""
        self._arranged_for = epoch

    @abstractmethod
    def _arrange(self, state: State[W, V]) -> None:
        """`pool` := the rows as this epoch visits them."""


class Shuffle(_Arranged):
    """A fresh permutation every epoch: permutation e of the seed in epoch e, counted from 0."""

    def _arrange(self, state: State[W, V]) -> None:
        k = state.epoch - 1
        if self._on_gpu is not None:
            self._arrange_on_gpu(state.seed, k, self.n, [0])
        else:
            compute.backend.arrange(self.pool, self.present, state.seed, k, self.n)


class Blocks(_Arranged):
    """Block after block, the blocks and the rows of each in an order of their own every epoch."""

    def _arrange(self, state: State[W, V]) -> None:
        if self._on_gpu is not None:
            first, blocks = _permutation_of_block(0, state), block_order(self.n, state)
            self._arrange_on_gpu(state.seed, first, compute.block, blocks)
            return
        place = 0
        for b in block_order(self.n, state):
            rows = slice(b * compute.block, (b + 1) * compute.block)
            size = min(self.n - rows.start, compute.block)
            found = self.pool[place : place + size]
            arrange_block(found, None if self.present is None else self.present[rows], b, state)
            if self.present is None:
                found += rows.start
            place += size


class Drawn(Protocol):
    """What an order of blocks and rows depends on: a state of training, or a part of it."""

    @property
    def seed(self) -> int: ...

    @property
    def epoch(self) -> int: ...


def block_order(n: int, state: Drawn) -> list[int]:
    """The blocks of n rows as this epoch visits them."""
    order = np.empty(-(-n // compute.block), dtype=np.int64)
    compute.backend.arrange(order, None, state.seed, (state.epoch - 1) << 32, len(order))
    return order.tolist()


def arrange_block(pool: np.ndarray, rows: np.ndarray | None, b: int, state: Drawn) -> None:
    """pool := the rows of block b (None: 0, 1, …) as this epoch visits them.

    In epoch e the permutations e·2³² + 1 + b of the seed are those of the blocks b, and e·2³² is
    that of their order, counted from 0: no two are the same.
    """
    compute.backend.arrange(pool, rows, state.seed, _permutation_of_block(b, state), len(pool))


def _permutation_of_block(b: int, state: Drawn) -> int:
    return ((state.epoch - 1) << 32) + 1 + b


class Random(Order):
    """Rows of a fresh permutation until the first mistake: uniform among all mistakes.

    Draw k uses permutation k of the seed. A whole permutation without a mistake is clean.
    """

    def __init__(self, examples: TrainingRows[Any]):
        super().__init__(examples)
        self._pool = self._room()
        self._arranged = False

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if not self._arranged:
            compute.backend.arrange(self._pool, self.present, state.seed, state.draw, state.seen)
            self._arranged = True
        # Scattered draws are slower than a pass, so fewer at a time.
        looks = min(max(self.chunk // 8, 1), self.n - state.position)
        visits, updates, state.draw, state.seen = job.machine.search(
            state.memory,
            self._pool,
            state.seed,
            state.draw,
            state.seen,
            looks,
            most,
            state.visits,
        )
        state.record(visits, updates)
        state.position += visits
        state.clean = state.seen == self.n


class Batch(Order):
    """All mistakes at once: a step of gradient descent on the perceptron loss. One visit."""

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        mistakes = job.machine.descend(state.memory, state.visits, job.watch.check_interrupt)
        state.record(1, mistakes)
        state.position = self.n
        state.clean = mistakes == 0

    def looks(self, state: State[W, V]) -> int:
        return state.visits * self.n


ORDERS: dict[str, type[Order]] = {
    "cyclic": Cyclic,
    "shuffle": Shuffle,
    "blocks": Blocks,
    "random": Random,
    "batch": Batch,
}
