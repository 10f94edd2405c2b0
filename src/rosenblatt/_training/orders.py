"""How a mistake is found: the values of `order`. An order advances the epoch by a chunk of visits.

Arrays that an order holds can be rebuilt from the state alone: they are never saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.cyclic import overflow
from rosenblatt._core.protocol import Permutation, UpdateRule
from rosenblatt._core.rows import Examples, row_range
from rosenblatt._core.summation import Fold
from rosenblatt._training.learner import NextOrder, Primal
from rosenblatt._training.state import UNLIMITED, Cannot, Indices, Memory, V, W, Where
from rosenblatt._util.progress import check_interrupt

if TYPE_CHECKING:
    from rosenblatt._core.rows import Weights
    from rosenblatt._core.update_log import Log
    from rosenblatt._training.learner import PrimalMemory, PrimalState
    from rosenblatt._training.state import Learner, State, VisitingLearner


_ON_MANY_MACHINES = Cannot(
    "needs a call to another machine for every row",
    "order='mixed' trains on all machines at once; order='blocks' is exact, one machine after the "
    "other",
)


class Order(ABC):
    """An order of visits."""

    any_rule = True  # False: only steps that do not depend on the row can be added up
    mixes = False  # weights of the features that shards have learned side by side
    opens = False  # keep="auto" begins with a margin
    of_a_pass = "cyclic"  # what partial_fit makes of it
    cannot: ClassVar[Mapping[Where, Cannot]] = {}

    def __init__(self, learner: Learner[Any, Any]):
        self.learner, examples = learner, learner.examples
        self.present, self.chunk = examples.present, examples.chunk
        self._index_type = examples.index_type
        self.n = examples.n
        self._gpu = examples.gpu

    def _room(self) -> Any:
        if self._gpu is not None:
            return self._gpu.backend.pool(self.n)
        return np.empty(self.n, dtype=self._index_type)

    def row_evaluations(self, state: State[W, V]) -> int:
        """How many visits have taken so far."""
        return state.visits

    @property
    def rows_of_an_epoch(self) -> int:
        return self.n

    @abstractmethod
    def advance(self, state: State[W, V], most: int) -> None:
        """Make some visits of the epoch under way, with at most `most` updates."""


class _Pass(Order):
    """Every row once, in an order known beforehand."""

    learner: VisitingLearner[Any, Any]
    opens = True

    def _visit(self, state: State[W, V], order: np.ndarray | None, most: int) -> None:
        end = min(state.position + self.chunk, self.n)
        reached, updates = self._look(state, order, end, most)
        state.record(reached - state.position, updates)
        state.position = reached
        still = not self.learner.rule.shrink  # the weights were the same all the time
        state.clean = still and reached == self.n and state.mistakes[-1] == 0

    def _look(
        self, state: State[W, V], order: np.ndarray | None, end: int, most: int
    ) -> tuple[int, int]:
        return self.learner.visit(state.memory, order, state.position, end, most, state.visits)


class Cyclic(_Pass):
    """The given order."""

    pool = None  # no permutation of this epoch alone

    def advance(self, state: State[W, V], most: int) -> None:
        self._visit(state, self.rows(state.seed), most)

    def rows(self, seed: int) -> Any:
        """As every epoch visits them; None: as they stand."""
        return self.present

    def arranged(self, epoch: int) -> None:
        """There is nothing to arrange."""


class Fixed(Cyclic):
    """One permutation for all epochs: that of the first epoch of order="shuffle"."""

    cannot: ClassVar[Mapping[Where, Cannot]] = {
        "gpu": Cannot("", "order='shuffle'"),
        "engine": _ON_MANY_MACHINES,
    }
    _arranged: Any = None

    def rows(self, seed: int) -> Any:
        if self._arranged is None:
            self._arranged = self._room()
            compute.backend.arrange(self._arranged, self.present, seed, 0, self.n)
        return self._arranged


class _Arranged(_Pass):
    """Every row once, arranged anew every epoch."""

    def __init__(self, learner: Learner[Any, Any]):
        super().__init__(learner)
        self.pool = self._room()  # the order of this epoch
        self._arranged_for = 0

    def advance(self, state: State[W, V], most: int) -> None:
        if self._arranged_for != state.epoch:
            self._arrange(state)
            self.arranged(state.epoch)
        self._visit(state, self.pool, most)

    def _arrange_on_gpu(self, seed: int, first: int, size: int, blocks: list[int]) -> None:
        rows = self._gpu
        rows.backend.arrange(rows.native, self.pool, self.present, seed, first, size, blocks)

    def arranged(self, epoch: int) -> None:
        """The pool holds the order of this epoch."""
        self._arranged_for = epoch

    @abstractmethod
    def _arrange(self, state: State[W, V]) -> None:
        """`pool` := the rows as this epoch visits them."""


class Shuffle(_Arranged):
    """A fresh permutation every epoch: permutation e of the seed in epoch e, counted from 0."""

    cannot: ClassVar[Mapping[Where, Cannot]] = {"engine": _ON_MANY_MACHINES}
    _next: NextOrder | None = None  # made during this epoch, where another thread has time for it

    def _arrange(self, state: State[W, V]) -> None:
        k, later = state.epoch - 1, self._next
        if self._gpu is not None:
            self._arrange_on_gpu(state.seed, k, self.n, [0])
        elif later and (later.seed, later.number, later.made) == (state.seed, k, self.n):
            self.pool, later.pool = later.pool, self.pool
        else:
            compute.backend.arrange(self.pool, self.present, state.seed, k, self.n)

    def _look(
        self, state: State[W, V], order: np.ndarray | None, end: int, most: int
    ) -> tuple[int, int]:
        if not isinstance(self.learner, Primal) or self._gpu is not None:
            return super()._look(state, order, end, most)
        memory: Any = state.memory
        return self.learner.visit(
            *(memory, order, state.position, end, most, state.visits), self._following(state)
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
        if self._gpu is not None:
            first = permutation_of_block(0, state.epoch)
            self._arrange_on_gpu(state.seed, first, compute.block, blocks)
            return
        arrange_blocks(self.pool, self.present, self.n, blocks, state.seed, state.epoch)


class Mixed(Order):
    """Every shard makes a pass from the same weights, in blocks; then these are mixed.

    An epoch is made of whole shards: one that Ctrl-C cuts short has not begun.
    """

    any_rule = False
    mixes = opens = True
    cannot: ClassVar[Mapping[Where, Cannot]] = {
        "gpu": Cannot("", "order='blocks', which is the same on one shard"),
    }

    def __init__(self, learner: Learner[Any, Any]):
        super().__init__(learner)
        # One shard has nothing to be mixed with.
        self._alone = Blocks(learner) if self.n <= compute.rows_of_shard else None
        self._learners: dict[int, Primal] = {}  # of each shard: what it spares, it has learned

    def advance(self, state: State[W, V], most: int) -> None:
        if self._alone is not None:
            self._alone.advance(state, most)
            return
        learner, mixed = self.learner, cast("PrimalState", state)
        log = None if learner.log is None else learner.log.apart()
        share, first_row = self._share(mixed, state.position // compute.rows_of_shard, log)
        if learner.log is not None and log is not None:
            learner.log.join(log, first_row, state.visits + state.position)
        take(mixed, share, self.n)

    def _share(self, state: PrimalState, s: int, log: Log | None) -> tuple[Share, int]:
        """What shard s adds to the epoch; and the first of its rows."""
        places = slice(s * compute.rows_of_shard, (s + 1) * compute.rows_of_shard)
        if self.present is None:
            begin, end = places.start, min(places.stop, self.n)
        else:
            begin, end = int(self.present[places][0]), int(self.present[places][-1]) + 1
        order = np.empty(min(places.stop, self.n) - places.start, dtype=self._index_type)
        blocks = shard_order(self.n, s, state.seed, state.epoch)
        arrange_blocks(order, self.present, self.n, blocks, state.seed, state.epoch)
        order -= order.dtype.type(begin)
        if s not in self._learners:
            e: Any = self.learner.examples
            X, c = row_range(e.rows.X, begin, end), None if e.c is None else e.c[begin:end]
            some = Examples(X, e.y[begin:end], c, e.k, e.tie)
            self._learners[s] = Primal(some, self.learner.rule)
        self._learners[s].use(self.learner.rule)
        counts = np.zeros_like(state.memory.counts[begin:end])
        share = share_of(
            [Part(self._learners[s], order, counts)],
            state.memory.w,
            averaged=state.memory.correction is not None,
            log=log,
        )
        state.memory.counts[begin:end] += counts
        return share, begin


class Random(Order):
    """Rows of a fresh permutation until the first mistake: uniform among all mistakes.

    Draw k uses permutation k of the seed. A whole permutation without a mistake is clean.
    """

    learner: VisitingLearner[Any, Any]
    cannot: ClassVar[Mapping[Where, Cannot]] = {
        "gpu": Cannot("", "order='shuffle'"),
        "engine": _ON_MANY_MACHINES,
    }

    def __init__(self, learner: Learner[Any, Any]):
        super().__init__(learner)
        self._pool = self._room()
        self._arranged = False

    def advance(self, state: State[W, V], most: int) -> None:
        if not self._arranged:
            compute.backend.arrange(self._pool, self.present, state.seed, state.draw, state.seen)
            self._arranged = True
        # Scattered draws are slower than a pass, so fewer at a time.
        looks = min(max(self.chunk // 8, 1), self.n - state.position)
        visits, updates, state.draw, state.seen = self.learner.search(
            state.memory,
            Permutation(self._pool, state.seed, state.draw, state.seen),
            looks,
            most,
            state.visits,
        )
        state.record(visits, updates)
        state.position += visits
        state.clean = state.seen == self.n


class Batch(Order):
    """All mistakes at once: a step of gradient descent on the perceptron loss. One visit."""

    any_rule = False
    of_a_pass = "batch"

    def advance(self, state: State[W, V], most: int) -> None:
        mistakes = self.learner.descend(state.memory, state.visits)
        state.record(1, mistakes)
        state.position = self.n
        state.clean = mistakes == 0

    def row_evaluations(self, state: State[W, V]) -> int:
        return state.visits * self.n


ORDERS: dict[str, type[Order]] = {  # their names are in signatures and in `cli/trace.py`, too
    "cyclic": Cyclic,
    "shuffle": Shuffle,
    "fixed": Fixed,
    "blocks": Blocks,
    "mixed": Mixed,
    "random": Random,
    "batch": Batch,
}


# --- Rows within blocks and shards: their order follows from seed, epoch and numbers -------------
#
# In epoch e, counted from 0, the permutation e·2³² + 1 + b of the seed is that of the rows of block
# b; e·2³² is that of the blocks, or of those of shard 0; and (e + 1)·2³² - s is that of the blocks
# of shard s > 0. No two are the same. The functions count epochs from 1.


def block_order(n: int, seed: int, epoch: int) -> list[int]:
    return _arranged(0, n_blocks(n), seed, (epoch - 1) << 32)


def shard_order(n: int, s: int, seed: int, epoch: int) -> list[int]:
    first = s * compute.shard
    number = (epoch - 1 + (s > 0)) << 32
    return _arranged(first, min(first + compute.shard, n_blocks(n)), seed, number - s)


def n_blocks(n: int) -> int:
    return -(-n // compute.block)


def _arranged(first: int, last: int, seed: int, number: int) -> list[int]:
    order = np.empty(last - first, dtype=np.int64)
    compute.backend.arrange(order, None, seed, number, len(order))
    return (order + first).tolist()


def permutation_of_block(b: int, epoch: int) -> int:
    return ((epoch - 1) << 32) + 1 + b


def arrange_block(pool: np.ndarray, rows: np.ndarray | None, b: int, seed: int, epoch: int) -> None:
    """pool := the rows of block b (None: 0, 1, …) as this epoch visits them."""
    compute.backend.arrange(pool, rows, seed, permutation_of_block(b, epoch), len(pool))


def arrange_blocks(
    pool: np.ndarray, present: np.ndarray | None, n: int, blocks: list[int], seed: int, epoch: int
) -> None:
    place = 0
    for b in blocks:
        rows = slice(b * compute.block, (b + 1) * compute.block)
        size = min(n - rows.start, compute.block)
        part = pool[place : place + size]
        arrange_block(part, None if present is None else present[rows], b, seed, epoch)
        if present is None:
            part += rows.start
        place += size


# --- order="mixed": every shard makes a pass from the same weights, and these are mixed ----------
#
# With w the weights that an epoch begins with, w_s those after the pass of shard s, and k_s its
# mistakes: w' = w + Σ k_s (w_s - w) / Σ k_s (McDonald, Hall and Mann 2010). A shard without a
# mistake has no say; an epoch without one is clean. The sum folds in the binary tree over the
# shards, so that shares can be made and added anywhere: `share_of` and `together` depend on what
# they are given and on nothing else.
#
# The average is that over all visits of all shards. With A = Σ over visits of (the weights after it
# - w) the sum of weights over V visits, V w - correction, grows by n w + A in an epoch of n visits.


class Part(NamedTuple):
    """Some rows of a shard, and the order in which they are visited."""

    learner: Primal
    order: Indices
    counts: NDArray[np.int64]  # updates by row, to be added to


class Share(NamedTuple):
    """What shards add to an epoch."""

    moved: Weights  # Σ k_s (w_s - w)
    summed: Weights | None  # A, where the average is wanted
    visits: int
    mistakes: int
    loss: float  # of the rows that called for an update, where it is followed


def parts_of(
    blocks: Iterable[tuple[int, Examples]], rule: UpdateRule, seed: int, epoch: int
) -> Iterator[Part]:
    """Of a shard whose blocks come one after the other, with their numbers (see `shard_order`)."""
    for b, block in blocks:
        order = np.empty(block.n, dtype=block.index_type)
        arrange_block(order, block.present, b, seed, epoch)
        counts = np.zeros((block.rows.n, *block.shape_of_weights[:-1]), dtype=np.int64)
        yield Part(Primal(block, rule), order, counts)


@np.errstate(over="ignore", invalid="ignore")  # the loop looks for it
def share_of(parts: Iterable[Part], w: Weights, *, averaged: bool, log: Log | None = None) -> Share:
    nothing = np.zeros_like(w) if averaged else None
    memory: PrimalMemory = Memory(w.copy(), nothing, np.empty(0, dtype=np.int64))
    visits = mistakes = 0
    for learner, order, counts in parts:
        learner.log, memory.counts, place = log, counts, 0
        while place < len(order):
            check_interrupt()
            end = min(place + learner.examples.chunk, len(order))
            reached, updates = learner.visit(memory, order, place, end, UNLIMITED, visits)
            visits, mistakes = visits + reached - place, mistakes + updates
            place = reached
    change = memory.w - w
    summed = None if memory.correction is None else visits * change - memory.correction
    return Share(mistakes * change, summed, visits, mistakes, 0.0 if log is None else log.loss)


@np.errstate(over="ignore", invalid="ignore")
def together(one: Share, other: Share) -> Share:
    summed = None
    if one.summed is not None and other.summed is not None:
        summed = one.summed + other.summed
    return Share(
        one.moved + other.moved,
        summed,
        one.visits + other.visits,
        one.mistakes + other.mistakes,
        one.loss + other.loss,
    )


def take(state: PrimalState, share: Share, n: int) -> None:
    """The share of the next shard is there; with that of the last of n rows the epoch is over.

    Until then the weights are those that it began with, and so are the visits, which the average
    needs.
    """
    if not all(np.isfinite(part).all() for part in share[:2] if part is not None):
        raise overflow(state.epoch)
    if state.mixing is None:
        state.mixing = Fold(together)
    state.mixing.add(share)
    state.record(0, share.mistakes)
    state.position += share.visits
    if state.position < n:
        return
    total = state.mixing.total()
    mix(state.memory, total, state.visits)
    state.mixing, state.visits = None, state.visits + total.visits
    state.clean = total.mistakes == 0
    if state.losses is not None:
        state.losses.of_epoch += total.loss  # of the whole epoch: it was 0, or not followed


@np.errstate(over="ignore", invalid="ignore")
def mix(memory: PrimalMemory, total: Share, visits: int) -> None:
    if not total.mistakes:
        return
    w = memory.w + total.moved / total.mistakes
    if memory.correction is not None and total.summed is not None:
        memory.correction += (visits + total.visits) * (w - memory.w) - total.summed
    memory.w[...] = w
