"""How a mistake is found: the values of `order`. An order advances the epoch by a chunk of visits.

Arrays that an order holds can be rebuilt from the state alone: they are never saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Examples
from rosenblatt._compute.matrices import row_range
from rosenblatt._learning.blocks import (
    arrange_blocks,
    block_order,
    permutation_of_block,
    shard_order,
)
from rosenblatt._learning.machine import TrainingRows, V, W
from rosenblatt._learning.mixing import Part, Share, share_of, take
from rosenblatt._learning.primal import NextOrder, Primal

if TYPE_CHECKING:
    from rosenblatt._compute.update_log import Log
    from rosenblatt._learning.primal import PrimalState
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
        reached, updates = self._look(job, state, order, end, most)
        state.record(reached - state.position, updates)
        state.position = reached
        state.clean = reached == self.n and state.mistakes[-1] == 0

    def _look(
        self, job: Job[W, V], state: State[W, V], order: np.ndarray | None, end: int, most: int
    ) -> tuple[int, int]:
        return job.machine.visit(state.memory, order, state.position, end, most, state.visits)


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

    _next: NextOrder | None = None  # made during this epoch, where another thread has time for it

    def _arrange(self, state: State[W, V]) -> None:
        k, later = state.epoch - 1, self._next
        if self._on_gpu is not None:
            self._arrange_on_gpu(state.seed, k, self.n, [0])
        elif later and (later.seed, later.number, later.made) == (state.seed, k, self.n):
            self.pool, later.pool = later.pool, self.pool
        else:
            compute.backend.arrange(self.pool, self.present, state.seed, k, self.n)

    def _look(
        self, job: Job[W, V], state: State[W, V], order: np.ndarray | None, end: int, most: int
    ) -> tuple[int, int]:
        machine: Any = job.machine
        if not isinstance(machine, Primal) or self._on_gpu is not None:
            return super()._look(job, state, order, end, most)
        memory: Any = state.memory
        return machine.visit(
            *(memory, order, state.position, end, most, state.visits),
            self._following(state),
        )

    def _following(self, state: State[W, V]) -> NextOrder | None:
        """The permutation of the next epoch, made as far as the chunks before needed it."""
        if compute.threads_for(self.n * 16) == 1:
            return None
        if state.position == 0:
            pool = self._room() if self._next is None else self._next.pool
            compute.backend.arrange(pool, self.present, state.seed, state.epoch, 0)
            self._next = NextOrder(pool, state.seed, state.epoch)
        of_next = self._next is not None and self._next.number == state.epoch
        return self._next if of_next else None


class Blocks(_Arranged):
    """Block after block, the blocks and the rows of each in an order of their own every epoch."""

    def _arrange(self, state: State[W, V]) -> None:
        blocks = block_order(self.n, state.seed, state.epoch)
        if self._on_gpu is not None:
            first = permutation_of_block(0, state.epoch)
            self._arrange_on_gpu(state.seed, first, compute.block, blocks)
            return
        arrange_blocks(self.pool, self.present, self.n, blocks, state.seed, state.epoch)


class Mixed(Order):
    """Every shard makes a pass from the same weights, in blocks; then these are mixed.

    An epoch is made of whole shards: one that Ctrl-C cuts short has not begun.
    """

    def __init__(self, examples: TrainingRows[Any]):
        super().__init__(examples)
        # One shard has nothing to be mixed with.
        self._alone = self.alone(examples) if self.n <= compute.rows_of_shard else None
        self._examples: Any = examples
        self._machines: dict[int, Primal] = {}  # of each shard: what it spares, it has learned

    def alone(self, examples: TrainingRows[Any]) -> Order:
        """The order of one shard."""
        return Blocks(examples)

    def advance(self, job: Job[W, V], state: State[W, V], most: int) -> None:
        if self._alone is not None:
            self._alone.advance(job, state, most)
            return
        machine, mixed = job.machine, cast("PrimalState", state)
        log = None if machine.log is None else machine.log.apart()
        share, first_row = self._share(job, mixed, state.position // compute.rows_of_shard, log)
        if machine.log is not None and log is not None:
            machine.log.join(log, first_row, state.visits + state.position)
        take(mixed, share, self.n)

    def _share(
        self, job: Job[W, V], state: PrimalState, s: int, log: Log | None
    ) -> tuple[Share, int]:
        """That of shard s; and the first of its rows, where they are at hand."""
        places = slice(s * compute.rows_of_shard, (s + 1) * compute.rows_of_shard)
        if self.present is None:
            begin, end = places.start, min(places.stop, self.n)
        else:
            begin, end = int(self.present[places][0]), int(self.present[places][-1]) + 1
        order = np.empty(min(places.stop, self.n) - places.start, dtype=self._index_type)
        blocks = shard_order(self.n, s, state.seed, state.epoch)
        arrange_blocks(order, self.present, self.n, blocks, state.seed, state.epoch)
        order -= order.dtype.type(begin)
        if s not in self._machines:
            e, whole = self._examples, job.machine
            X, c = row_range(e.rows.X, begin, end), None if e.c is None else e.c[begin:end]
            some = Examples(X, e.y[begin:end], c, e.k)
            self._machines[s] = Primal(some, margin=whole.margin, intercept=whole.intercept)
        counts = np.zeros_like(state.memory.counts[begin:end])
        share = share_of(
            [Part(self._machines[s], order, counts)],
            state.memory.w,
            averaged=state.memory.drift is not None,
            log=log,
            check_interrupt=job.watch.check_interrupt,
        )
        state.memory.counts[begin:end] += counts
        return share, begin


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
    "mixed": Mixed,
    "random": Random,
    "batch": Batch,
}
