"""`fit` for rows that are not in memory: on disk, or on the machines of an engine.

With the same order the result is that of `fit` in memory, to the bit.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Self, TypeVar, cast, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Scale, Weights
from rosenblatt._core.summation import folded
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.partitions import Epoch, Labelling, PartitionedRows, on_disk
from rosenblatt._out_of_core.store import Stored
from rosenblatt._out_of_core.work import Stretch
from rosenblatt._training import orders
from rosenblatt._training.estimator import TrainedLinearClassifier, Training
from rosenblatt._training.fit import fit
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import (
    MOST_VOTED,
    InFeatures,
    Primal,
    PrimalJob,
    PrimalMemory,
    PrimalState,
)
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import Batch, Order, Share, block_order, n_blocks, take
from rosenblatt._training.settings import Recipe, Settings, learner_of, refuse, refuse_tie
from rosenblatt._training.state import Job, State, V, W
from rosenblatt._training.stopping import Patience, SeparabilityOracle
from rosenblatt._training.training import PAIR, Given, WeightsSet
from rosenblatt._util.budget import Budget
from rosenblatt._validation import targets
from rosenblatt._validation.rows import learn_features
from rosenblatt.certificate import Certificate, RowsOracle

P = TypeVar("P", bound="TrainedLinearClassifier")

_BLOCKS_OF_CALL = 64  # that an engine visits in one call: a checkpoint can be written between
MOST_ASKED = 1 << 30
"""Bytes of rows on disk about which `prove=True` still asks whether a hyperplane separates them."""


def fit_stored(p: P, stored: Stored) -> P:
    return fit_partitioned(p, on_disk(stored))


def fit_partitioned(p: P, rows: PartitionedRows) -> P:
    fit(p, OutOfCore(rows))
    return p


@final
@dataclass(frozen=True)
class OutOfCore(WeightsSet, Given):
    """Rows that are not in memory, and the weights of their classes."""

    rows: PartitionedRows
    by_class: tuple[float, ...] = ()
    one: int | None = None  # of many classes the one that is +1, where the others are -1
    start: Weights | None = None
    tie: float = 0.0  # what a score of 0 is taken for

    def checked(self, estimator: Training, settings: Settings) -> Self:
        rows = self.rows
        if rows.stored is None:
            refuse("engine", settings)
        elif settings.order not in ORDERS:
            _warn_of_jumps(settings.order, rows.n)
        learn_features(estimator, rows.d, rows.feature_names)
        weights = estimator.class_weight
        by_class = targets.class_weights_of_many(weights, rows.classes, rows.counts)
        refuse_tie(settings, rows.k)
        return replace(self, by_class=by_class, tie=settings.units.score_of_tie)

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override] # read-only
        return self.rows.classes if self.one is None else PAIR

    @property
    def d(self) -> int:
        return self.rows.d

    @property
    def n(self) -> int:
        return self.rows.n

    n_rows = n  # all of them exist

    @property
    def workers(self) -> Callable[[], str] | None:  # type: ignore[override] # read-only
        return self.rows.client.speeds if self.rows.stored is None else None

    @property
    def attributes(self) -> dict[str, Any]:
        """Updates are not counted by row, not even where an order needed it."""
        none: dict[str, Any] = {"_counts": None}
        preprocessing = self.rows.preprocessing
        return (
            none
            if preprocessing is None or self.one is not None
            else none | {"preprocessing_": preprocessing}
        )

    def update_counts(self, of_classes: list[Any]) -> None:
        """None, as above."""

    @property
    def _labelling(self) -> Labelling:
        return Labelling(self.rows.k, self.by_class, self.one, self.tie)

    def job(self, settings: Settings, watch: Watch) -> PrimalJob:
        keep = KEEPS[settings.units.keep]()
        if settings.order in ORDERS:
            examples = PartitionedExamples(self.rows, self._labelling)
            learner = learner_of(settings, PartitionedLearner, examples)
            order = ORDERS[settings.order](learner)
            return Job(learner, order, keep, examples, validating=False, watch=watch)
        assert self.rows.stored is not None
        mapped = self._labelling.examples(*self.rows.stored.whole())
        in_memory = learner_of(settings, Primal, mapped)
        order = orders.ORDERS[settings.order](in_memory)
        return Job(in_memory, order, keep, in_memory.evaluation_rows, validating=False, watch=watch)

    def patience(self, settings: Settings) -> Patience:
        return Patience(settings.patience, self._oracle(settings), tol=settings.tol_in_units)

    def _oracle(self, settings: Settings) -> SeparabilityOracle | None:
        intercept, stored = settings.units.fit_intercept, self.rows.stored
        if not settings.prove:
            return None
        if stored is None:
            return PartitionedOracle(self.rows, intercept)
        return None if stored.nbytes > MOST_ASKED else StoredOracle(stored, intercept)

    def recipe(self, settings: Settings) -> Recipe:
        """Does not depend on where the rows are: training begun in one place resumes in another."""
        rows, labelling = self.rows, self._labelling
        return Recipe(
            settings.units,
            settings.order,
            settings.rule.identity,
            self.classes.tolist(),
            (rows.n, rows.d),
            rows.fingerprint if self.one is None else rows.fingerprint_of(labelling),
            None if targets.all_one(self.by_class) else rows.fingerprint_of_weights(labelling),
            None,
        )

    def against_rest(self, c: int, start: Weights | None) -> Self:
        return replace(self, one=c, start=start)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        examples = PartitionedExamples(self.rows, self._labelling)
        if isinstance(rule, SeparateVoters):
            return examples.vote_mistakes(rule)
        return int(examples.count([rule.weights])[0][0])


def _warn_of_jumps(order: str, n: int) -> None:
    warnings.warn(
        f"order={order!r} jumps between all rows and holds a permutation of them: "
        f"{12 * n / 2**20:,.0f} MiB for {n:,} rows, and the rows themselves should "
        "fit into memory, too. order='blocks' reads 65,536 rows at a time.",
        UserWarning,
        stacklevel=8,
    )


@final
@dataclass(frozen=True)
class StoredOracle:
    """A RowsOracle about rows that are mapped into memory when it is asked."""

    stored: Stored
    fit_intercept: bool

    def is_separable(self, budget: Budget) -> Certificate:
        X, signs = self.stored.whole()
        names, classes = self.stored.feature_names, self.stored.classes
        y = self.stored.named(signs)
        oracle = RowsOracle(X, signs, None, names, y, classes, self.fit_intercept)
        return oracle.is_separable(budget)


@final
@dataclass(frozen=True)
class PartitionedOracle:
    """Asks all rows where they are."""

    rows: PartitionedRows
    fit_intercept: bool

    def is_separable(self, budget: Budget) -> Certificate:
        from rosenblatt._out_of_core.certify import certified

        return certified(self.rows, fit_intercept=self.fit_intercept, budget=budget, margins=False)


# --- Rows, and weights that are learned from them where they are ----------------------------------


@final
class PartitionedExamples:
    """What `Examples` offers of rows in memory."""

    present = None  # all rows exist
    gpu = None
    quick = False  # to read all of them once more takes long
    index_type = np.int32  # of places in a block

    def __init__(self, rows: PartitionedRows, labelling: Labelling):
        self.partitioned, self.labelling = rows, labelling
        self.n, self.d, self.tie = rows.n, rows.d, labelling.tie
        self.k = rows.k if labelling.one is None else None
        self.shape_of_weights = (self.d + 1,) if self.k is None else (self.k, self.d + 1)
        self.chunk = _BLOCKS_OF_CALL * compute.block
        if rows.stored is not None:
            (self.chunk,) = rows.each(work.chunk, self.labelling)
        self.total_weight = float(self.n)
        if not targets.all_one(labelling.by_class):
            self.total_weight = float(folded(rows.of_shards(work.weigh, labelling)))

    def size(self, *, intercept: bool) -> Scale:
        both = self.partitioned.of_shards(work.measure, self.labelling, intercept)
        with np.errstate(over="ignore"):
            return Scale(folded(a for a, _ in both), folded(b for _, b in both))

    def count(
        self, weights: Sequence[Weights], limits: list[float] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        parts = self.partitioned.each(work.count, self.labelling, list(weights), limits)
        plain = np.array([mistakes for mistakes, _ in parts]).sum(axis=0)
        return plain, folded(shard for _, shards in parts for shard in shards)

    def vote_mistakes(self, voters: Voters | SeparateVoters) -> int:
        return sum(self.partitioned.each(work.vote_mistakes, self.labelling, voters))


@final
class PartitionedLearner(InFeatures):
    """What `Primal` does with rows in memory, block by block.

    Updates are not counted by row: that would take memory for every row.
    """

    def __init__(self, examples: PartitionedExamples, rule: UpdateRule):
        super().__init__(rule)
        self.examples = examples
        self._rows = examples.partitioned
        self._steps = work.Steps(examples.labelling, rule)

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, 0, averaged=averaged)

    def use(self, rule: UpdateRule) -> None:
        self.rule = rule
        self._steps = work.Steps(self.examples.labelling, rule)

    def visit_blocks(
        self,
        memory: PrimalMemory,
        epoch: Epoch,
        stretch: Stretch,
        max_updates: int,
        visits: int,
    ) -> tuple[int, int]:
        place = self._rows.partition_of(stretch.blocks[0][0] * compute.block)
        arguments = self._steps, memory, epoch, stretch, max_updates, visits, self.log
        learned, made, updates = self._rows.one(place, stretch.rows, work.visit, *arguments)
        _take(memory, learned)
        return made, updates

    def mix(self, memory: PrimalMemory, epoch: Epoch, first: int) -> list[Share]:
        rows = self._rows
        behind = -(-rows.n // compute.rows_of_shard) if rows.stored is None else first + 1
        averaged = memory.correction is not None
        log = None if self.log is None else self.log.apart()
        arguments = self._steps, memory.w, epoch, range(first, behind), rows.n, averaged, log
        return rows.of_shards(work.mix, *arguments)

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        parts = self._rows.each(work.descend, self._steps, memory.w, self.log)
        self._step(memory, folded(step for part in parts for step in part.of_shards), visits)
        for look, y in (noted for part in parts for noted in part.noted):
            assert self.log is not None
            assert look.scores is not None
            self.log.add(look.rows, visits, look.scores, y, look.rivals)
        return sum(part.mistakes for part in parts)

    def vote_mistakes(self, voters: Voters, *, quickly: bool) -> int | None:
        most, labelling = MOST_VOTED, self.examples.labelling
        if quickly:
            return None
        read = self._rows.each(work.numbers_of_votes, labelling, voters.vectors, most)
        return None if sum(read) > most else self.examples.vote_mistakes(voters)


def _take(memory: PrimalMemory, learned: PrimalMemory) -> None:
    """In place, since the state is shared."""
    memory.w[...] = learned.w
    if memory.correction is not None:
        memory.correction[...] = learned.correction
    if memory.precision is not None:
        memory.precision[...] = learned.precision


# --- Orders, with the visits of `_training/orders.py` ---------------------------------------------


class PartitionedCyclic(Order):
    """The given order: on an engine the memory of many machines, and the speed of one core."""

    learner: PartitionedLearner
    shuffled: ClassVar = False

    def __init__(self, learner: PartitionedLearner):
        super().__init__(learner)
        self._rows = learner.examples.partitioned
        self._epoch = 0
        self._blocks: list[int] = []  # as that epoch visits them,
        self._begins: list[int] = []  # and where each begins, counted in visits

    def advance(self, state: State[W, V], most: int) -> None:
        if self._epoch != state.epoch:
            self._blocks, self._epoch = self._order_of_blocks(state), state.epoch
            sizes = [min(compute.block, self.n - b * compute.block) for b in self._blocks]
            self._begins = list(accumulate(sizes, initial=0))
        epoch = Epoch(state.seed, state.epoch, self.shuffled)
        stretch = self._stretch(state.position)
        memory = cast("PrimalState", state).memory
        made, updates = self.learner.visit_blocks(memory, epoch, stretch, most, state.visits)
        state.record(made, updates)
        state.position += made
        still = not self.learner.rule.shrink
        state.clean = still and state.position == self.n and state.mistakes[-1] == 0

    def _order_of_blocks(self, state: State[W, V]) -> list[int]:
        return list(range(n_blocks(self.n)))

    def _stretch(self, position: int) -> Stretch:
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

    learner: PartitionedLearner

    def __init__(self, learner: PartitionedLearner):
        super().__init__(learner)
        # One shard has nothing to be mixed with.
        self._alone = PartitionedBlocks(learner) if self.n <= compute.rows_of_shard else None

    def advance(self, state: State[W, V], most: int) -> None:
        if self._alone is not None:
            self._alone.advance(state, most)
            return
        mixed = cast("PrimalState", state)
        epoch = Epoch(state.seed, state.epoch, shuffled=True)
        first = state.position // compute.rows_of_shard  # others may have made some of them
        for share in self.learner.mix(mixed.memory, epoch, first):
            take(mixed, share, self.n)


ORDERS: dict[str, Callable[[PartitionedLearner], Order]] = {
    "cyclic": PartitionedCyclic,
    "blocks": PartitionedBlocks,
    "mixed": PartitionedMixed,
    "batch": Batch,
}
