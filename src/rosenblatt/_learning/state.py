"""What the loop works with: the job, where training stands, and the candidates it has judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol

import numpy as np

from rosenblatt._compute.scale import Scale
from rosenblatt._learning.losses import Losses
from rosenblatt._learning.machine import EvaluationRows, Machine, Memory, V, W
from rosenblatt.errors import WeightsOverflow

if TYPE_CHECKING:
    from rosenblatt._compute.folding import Fold
    from rosenblatt._learning.keeps import Keep
    from rosenblatt._learning.mixing import Share
    from rosenblatt._learning.orders import Order
    from rosenblatt._learning.watch import Watch

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

    def or_newer(self, other: Candidate[W]) -> Candidate[W]:
        """The one to keep of this and of newer weights."""
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
    visits: int = 0
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
    mixing: Fold[Share] | None = None  # order="mixed": what shards have added in this epoch

    def copy(self) -> State[W, V]:
        return replace(
            self,
            memory=self.memory.copy(),
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

    def note(self, mistakes: float) -> None:
        """An epoch ended with so many mistakes."""
        fell = NOTICEABLE * mistakes <= (NOTICEABLE - 1) * self.fewest
        if fell and mistakes < self.fewest:
            self.fewest, self.fewest_in = mistakes, self.epoch


@dataclass(frozen=True)
class Job(Generic[W, V]):
    """What is to be learned from, and how."""

    machine: Machine[W, V]
    order: Order
    keep: Keep
    evaluation_rows: EvaluationRows[W]  # that candidates are compared on
    validating: bool  # whether those are not the training rows
    watch: Watch


AnyState = State[Any, Any]  # for those who look on, whatever is learned
AnyJob = Job[Any, Any]


def check_finite(job: Job[W, V], state: State[W, V]) -> None:
    if not job.machine.finite(state.memory):
        raise overflow(state.epoch)


def overflow(epoch: int) -> WeightsOverflow:
    return WeightsOverflow(
        f"The weights grew beyond the largest floating-point number in epoch {epoch}. "
        "Something is too large: scale the features, for example with "
        "sklearn.preprocessing.StandardScaler; weights, starts and 1/eta0 count, too."
    )
