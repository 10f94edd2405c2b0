"""What the loop works with: the job, where training stands, and the candidates it has judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import summation
from rosenblatt._core.cyclic import overflow
from rosenblatt._core.protocol import Mean, Permutation, UpdateRule
from rosenblatt._core.rows import Scale
from rosenblatt._core.summation import Fold, in_order
from rosenblatt._core.update_log import Log

if TYPE_CHECKING:
    from rosenblatt._training.keeps import Keep
    from rosenblatt._training.monitor import Watch
    from rosenblatt._training.orders import Order, Share


Where = Literal["mixed", "gpu", "engine"]
"""Where not everything can be done: with order="mixed", on a GPU, on the machines of an engine."""


class Cannot(NamedTuple):
    """Why an order or a keep is refused there, and what to use instead."""

    why: str
    instead: str


# --- The seams of the loop: what looks at rows, what it has learned, what it learns from ---------
#
# W is what is learned: lifted weights, or an expansion in kernels. V holds those that vote. A new
# way to learn (on a stream, a cluster, a GPU) is a new class that satisfies `Learner`; the loop
# stays.


Floats = NDArray[np.float64]
Indices = NDArray[Any]  # int32 or int64


class Learned(Protocol):
    """Weights of the features, or an expansion in kernels."""

    def copy(self) -> Self: ...

    def any(self) -> Any:
        """Whether it is not zero everywhere."""


class VoterSet(Protocol):
    """Weights or functions that vote with keep="vote"."""

    def __len__(self) -> int: ...

    def copy(self) -> Self: ...

    def close(self, visits: int, /) -> None:
        """The newest one gets its votes up to now."""


W = TypeVar("W", bound=Learned)
V = TypeVar("V", bound=VoterSet)
W_contra = TypeVar("W_contra", bound=Learned, contravariant=True)


def copied(w: W) -> W:
    """It lies as the original."""
    return cast("W", np.copy(w)) if isinstance(w, np.ndarray) else w.copy()


@dataclass
class Memory(Generic[W]):
    """What a learner has learned."""

    w: W
    correction: W | None  # of the average, w - correction/visits: Σ (visits before) · step
    counts: NDArray[np.int64]  # updates by row (and class); none on a stream
    precision: W | None = None  # how sure AROW is of each weight: 1 + (precision - 1) · faded
    updates: int = 0  # so far, which a rate that decays asks for
    faded: float = 1.0  # what `forget` has left of all precisions

    @property
    def current_precision(self) -> Any:
        p: Any = self.precision
        return p if self.faded == 1 else 1 + (p - 1) * self.faded

    @property
    def parts(self) -> tuple[W | None, ...]:
        """What there is for each feature."""
        return self.w, self.correction, self.precision

    def copy(self) -> Memory[W]:
        correction = None if self.correction is None else copied(self.correction)
        precision = None if self.precision is None else copied(self.precision)
        return replace(
            self,
            w=copied(self.w),
            correction=correction,
            counts=self.counts.copy(),
            precision=precision,
        )


class EvaluationRows(Protocol[W_contra]):
    """Labelled rows that candidates are compared on."""

    @property
    def n(self) -> int:
        """How many exist: a row of weight 0 does not."""

    @property
    def total_weight(self) -> float: ...

    @property
    def tie(self) -> float:
        """What a score of 0 is taken for."""

    def count(
        self, weights: Sequence[W_contra], limits: list[float] | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Mistakes of each, plain and weighted; counting one ends where it reaches its limit."""


class TrainingRows(EvaluationRows[W_contra], Protocol[W_contra]):
    """Labelled rows that are learned from."""

    @property
    def d(self) -> int: ...

    @property
    def k(self) -> int | None:
        """How many classes; None: two."""

    @property
    def present(self) -> Indices | None:
        """The rows that exist; None: all."""

    @property
    def gpu(self) -> Any:
        """The rows, where they are on a GPU; else None."""

    @property
    def chunk(self) -> int:
        """Rows to visit in one call."""

    @property
    def index_type(self) -> type[np.signedinteger[Any]]: ...

    @property
    def quick(self) -> bool:
        """Whether all rows can be looked at once more while somebody waits."""


class Learner(Protocol[W, V]):
    """Looks at rows and steps. Weights are in units of the learning rate. How rows are visited is
    between a learner and its order."""

    rule: UpdateRule
    log: Log | None  # where updates are noted
    scale: Scale | None  # how large rows are, where a rule asks for it
    counts_rows: bool  # updates are counted by row

    @property
    def examples(self) -> TrainingRows[W]: ...

    def descend(self, memory: Memory[W], visits: int) -> int:
        """One batch step on all rows that call for an update; returns how many they are."""

    def average(self, memory: Memory[W], visits: int) -> W:
        """The mean of the weights over all visits, those after each visit counted once."""

    def candidate_mean(self, memory: Memory[W], visits: int) -> Any:
        """The same to be counted: it may not be worked out yet."""

    def use(self, rule: UpdateRule) -> None:
        """Another margin from here on."""

    def forget(self, memory: Memory[W]) -> None:
        """The mean of the weights begins anew."""

    def finite(self, memory: Memory[W]) -> bool:
        """Whether nothing grew beyond the largest floating-point number."""

    def voters(self, memory: Memory[W]) -> V:
        """Nobody votes yet."""

    def admit(self, voters: V, memory: Memory[W], visits: int) -> None:
        """The weights have become current with visit number `visits`: they vote from now on."""

    def validation_mistakes(self, voters: V, rows: EvaluationRows[W]) -> int:
        """Other rows whose mean vote is wrong; asked again, only new voters are counted."""

    def vote_mistakes(self, voters: V, *, quickly: bool) -> int | None:
        """The training rows whose mean vote is wrong; None where it would take long."""

    def learned_rule(self, learned: Any, eta: float) -> Any:
        """What an estimator predicts with that has learned this."""


class VisitingLearner(Learner[W, V], Protocol[W, V]):
    """Its rows are at hand, and visited by their numbers."""

    def visit(
        self,
        memory: Memory[W],
        order: Indices | None,
        begin: int,
        end: int,
        max_updates: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `max_updates` updates; returns place reached, updates."""

    def search(
        self, memory: Memory[W], draw: Permutation, max_visits: int, max_updates: int, visits: int
    ) -> tuple[int, int, int, int]:
        """Draw until mistakes; returns visits, updates, the draw, rows of it that were seen."""


UNLIMITED = 1 << 62

NOTICEABLE = 16
"""Mistakes have fallen noticeably when they are fewer by one in so many."""


class Verdict(Protocol):
    """What training wants to know of a certificate."""

    @property
    def separable(self) -> bool | None:
        """Whether a hyperplane separates the rows; None where it is undecided."""

    @property
    def mistake_bound(self) -> int | None:
        """The most updates there can be, where it does."""


@dataclass(frozen=True)
class Candidate(Generic[W]):
    """Weights that were judged. Of equal ones an average is kept, then the older."""

    weights: W
    mistakes: int
    weighted: float
    averaged: bool

    def limit_for(self, *, averaged: bool) -> float:
        """The weighted mistakes with which newer weights no longer replace these."""
        wins_a_tie = averaged and not self.averaged
        return float(np.nextafter(self.weighted, np.inf)) if wins_a_tie else self.weighted

    def settled(self, current: W) -> Candidate[W]:
        """Worked out, and not the weights that training changes, but a copy."""
        if isinstance(self.weights, Mean):
            return replace(self, weights=cast("W", self.weights.worked_out()))
        return replace(self, weights=copied(current)) if self.weights is current else self

    def or_newer(self, other: Candidate[W]) -> Candidate[W]:
        return other if other.weighted < self.limit_for(averaged=other.averaged) else self


@dataclass
class State(Generic[W, V]):
    """Where training stands: everything that going on needs besides the data."""

    memory: Memory[W]
    seed: int
    epoch: int = 0  # epochs begun
    position: int = 0  # visits made in this epoch
    under_way: bool = False  # this epoch has begun and was not yet judged
    clean: bool = False  # every row was looked at under these weights, none called for an update
    unseen_update: bool = False  # the last update has not yet been shown to `keep`
    draw: int = 0  # order="random": number of the permutation drawn from,
    seen: int = 0  # and how many of its rows were looked at
    visits: int = 0  # that the mean of the weights is over,
    visits_before: int = 0  # and those before them
    updates: int = 0
    mistakes: list[int] = field(default_factory=list)  # by epoch
    validation: list[int] = field(default_factory=list)  # by epoch
    kept: Candidate[W] | None = None
    fewest: float = np.inf  # mistakes by the word of `keep` when they last fell noticeably,
    fewest_in: int = 0  # and the epoch that ended with them
    certificate: Verdict | None = None  # the answer, once it was asked for
    voters: V | None = None  # with keep="vote"
    scale: Scale | None = None  # how large rows were, where the rule asks for it
    losses: Losses | None = None  # with tol: None where they are not followed
    ahead: tuple[float, float] = (0.0, 0.0)  # partial_fit: mistakes of the mean, and of the last
    mixing: Fold[Share] | None = None  # order="mixed": what shards have added in this epoch
    in_place: bool = False  # partial_fit changes the weights of this state, which nobody shares

    def forget(self, learner: Learner[W, V]) -> None:
        """The mean of the weights begins anew."""
        if self.memory.correction is not None:
            learner.forget(self.memory)
        self.visits_before, self.visits = self.visits_before + self.visits, 0

    def copy(self) -> State[W, V]:
        return replace(
            self,
            memory=self.memory.copy(),
            in_place=False,
            mistakes=self.mistakes.copy(),
            validation=self.validation.copy(),
            voters=None if self.voters is None else self.voters.copy(),
            losses=None if self.losses is None else replace(self.losses),
            mixing=None if self.mixing is None else self.mixing.copy(),
        )

    def begin_epoch(self) -> None:
        self.epoch += 1
        self.position = 0
        self.under_way = True
        self.mistakes.append(0)

    def record(self, visits: int, updates: int) -> None:
        self.visits += visits
        self.updates += updates
        self.mistakes[-1] += updates
        self.unseen_update = updates > 0

    def note(self, *mistakes: float) -> None:
        """Of the newest epochs, the last of them this one."""
        fewest, first = self.fewest, self.epoch + 1 - len(mistakes)
        for epoch, of_epoch in enumerate(mistakes, first):
            if of_epoch < fewest and NOTICEABLE * of_epoch <= (NOTICEABLE - 1) * fewest:
                fewest, self.fewest_in = of_epoch, epoch
        self.fewest = fewest


@dataclass(frozen=True)
class Job(Generic[W, V]):
    """What is to be learned from, and how."""

    learner: Learner[W, V]
    order: Order
    keep: Keep
    evaluation_rows: EvaluationRows[W]  # that candidates are compared on
    validating: bool  # whether those are not the training rows
    watch: Watch


AnyState = State[Any, Any]  # for those who look on, whatever is learned
AnyJob = Job[Any, Any]


def check_finite(job: Job[W, V], state: State[W, V]) -> None:
    if not job.learner.finite(state.memory):
        raise overflow(state.epoch)


# --- The loss of the epochs, for training that ends when it no longer falls: `tol` ---------------
#
# A visited row that calls for an update has the loss μ - m, with the margin m that it had then; all
# others have none. The loss of an epoch is the mean over its rows. Sums are in the order of the
# updates, so that they have the same bits wherever a call of the core ends; that of a batch step is
# one over blocks of rows.


@dataclass
class Losses:
    """Where the loss stands, in units of the learning rate."""

    of_epoch: float = 0.0  # the sum so far; NaN: not all of this epoch was followed
    lowest: float = math.inf  # mean loss of an epoch
    idle: int = 0  # epochs in a row that were not lower than the lowest by `tol`

    def close(self, rows: int, tol: float) -> None:
        """An epoch of so many rows is over. (What is not a number counts as a gain.)"""
        mean = self.of_epoch / rows
        self.idle = self.idle + 1 if mean > self.lowest - tol else 0
        if mean < self.lowest:
            self.lowest = mean
        self.of_epoch = 0.0


class LossLog(Log):
    """Adds up the loss of the updates; `also` may want to keep them."""

    def __init__(self, losses: Losses, margin: float, k: int | None, also: Log | None):
        super().__init__(rivals=k is not None)
        self._losses, self._margin, self._also = losses, margin, also
        self._many = k is not None
        self._step, self._blocks = -1, Fold[float]()  # the batch step under way
        if also is not None:
            self.columns = also.columns

    @property
    def loss(self) -> float:  # type: ignore[override] # there it is always 0
        return self._losses.of_epoch

    def apart(self) -> LossLog:
        k = 3 if self._many else None
        also = None if self._also is None else self._also.apart()
        return LossLog(Losses(), self._margin, k, also)

    def join(self, other: Log, first_row: int, first_visit: int) -> None:
        """The loss itself is with the share of those rows."""
        if self._also is not None and isinstance(other, LossLog) and other._also is not None:
            self._also.join(other._also, first_row, first_visit)

    def take(self, updates: int, y: NDArray[Any]) -> None:
        rows, _, scores = self.columns[:3]
        before = self._losses.of_epoch
        self._losses.of_epoch = self._sum(before, rows[:updates], scores[:updates], y)
        if self._also is not None:
            self._also.take(updates, y)

    def add(
        self,
        rows: NDArray[Any],
        visit: int,
        scores: Floats,
        y: NDArray[Any],
        rivals: NDArray[Any] | None = None,
    ) -> None:
        if visit != self._step:
            self._step, self._blocks = visit, Fold()
        edges = np.searchsorted(rows, [begin for begin, _ in summation.blocks(len(y))])
        for some in np.split(np.arange(len(rows)), edges[1:]):
            self._blocks.add(self._sum(0.0, rows[some], scores[some], y))
        self._losses.of_epoch = self._blocks.total()
        if self._also is not None:
            self._also.add(rows, visit, scores, y, rivals)

    @np.errstate(over="ignore", invalid="ignore")  # weights that overflow are refused by the loop
    def _sum(self, before: float, rows: NDArray[Any], scores: Floats, y: NDArray[Any]) -> float:
        margins = scores if self._many else y[rows] * scores
        return float(in_order(np.concatenate([[before], self._margin - margins])))


def follow(job: AnyJob, state: AnyState) -> None:
    if state.losses is None:
        state.losses = Losses(math.nan if state.under_way else 0.0)
    learner: Any = job.learner
    learner.log = LossLog(state.losses, learner.rule.margin, learner.examples.k, learner.log)
