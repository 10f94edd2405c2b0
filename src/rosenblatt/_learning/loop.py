"""The one loop: epochs, until no row calls for an update or a limit is reached.

    state ──order.advance──► visits, updates ──keep──► candidates judged ──► state

The loop does not know how rows are looked at (the machine, `_primal.py` or `_dual.py`), in which
order (`_orders.py`) or what is returned in the end (`_keeps.py`). It can be left at any point and
entered again with the same state: the result is the same to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Interrupted, Watch
from rosenblatt.errors import WeightsOverflow

if TYPE_CHECKING:
    from rosenblatt._learning.keeps import Keep
    from rosenblatt._learning.orders import Order
    from rosenblatt._learning.patience import Patience
    from rosenblatt.certificate import Certificate

UNLIMITED = 1 << 62


@dataclass(frozen=True)
class Candidate:
    """Weights that were judged. Of equal ones the last weights are kept, then the older."""

    weights: Any  # the machine's: lifted weights, or a function of the rows
    mistakes: int
    weighted: float
    averaged: bool

    def limit_for(self, *, averaged: bool) -> float:
        """The weighted mistakes with which newer weights no longer replace these."""
        wins_a_tie = self.averaged and not averaged
        return float(np.nextafter(self.weighted, np.inf)) if wins_a_tie else self.weighted

    def or_newer(self, other: Candidate) -> Candidate:
        """The one to keep of this and of newer weights."""
        return other if other.weighted < self.limit_for(averaged=other.averaged) else self


@dataclass
class State:
    """Where training stands: everything that going on needs besides the data."""

    memory: Any  # the machine's: what has been learned
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
    kept: Candidate | None = None
    fewest: float = np.inf  # mistakes that an epoch ended with, by the word of `keep`,
    fewest_in: int = 0  # and the first epoch that did
    certificate: Certificate | None = None  # the answer, once it was asked for
    voters: Any = None  # the machine's, with keep="vote"

    def copy(self) -> State:
        return replace(
            self,
            memory=self.memory.copy(),
            mistakes=self.mistakes.copy(),
            validation=self.validation.copy(),
            voters=None if self.voters is None else self.voters.copy(),
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
        if mistakes < self.fewest:
            self.fewest, self.fewest_in = mistakes, self.epoch


@dataclass(frozen=True)
class Job:
    """What is to be learned from, and how."""

    machine: Any  # Primal, Dual or Streamed: looks at rows and steps
    order: Order
    keep: Keep
    judges: Any  # the rows that candidates are compared on, with labels
    validating: bool  # whether those are not the training rows
    watch: Watch


def train(
    job: Job,
    state: State,
    *,
    max_iter: int,
    max_updates: int | None,
    patience: Patience | None = None,
) -> StopReason:
    """Run epochs; `state` is changed in place and is consistent whenever this returns."""
    last_epoch = state.epoch + max_iter
    last_update = UNLIMITED if max_updates is None else state.updates + max_updates
    try:
        if state.kept is None and state.epoch == 0:
            job.keep.begin(job, state)
        while not state.clean or state.under_way:
            if not state.under_way:
                if state.epoch >= last_epoch:
                    return StopReason.MAX_ITER
                if state.updates >= last_update:
                    return StopReason.MAX_UPDATES
                reason = None if patience is None else patience.over(job, state)
                if reason is not None:
                    return reason
                state.begin_epoch()
            reason = _finish_epoch(job, state, last_update)
            if reason is not None:
                return reason
    except Interrupted:
        return StopReason.INTERRUPTED
    return StopReason.CLEAN


def _finish_epoch(job: Job, state: State, last_update: int) -> StopReason | None:
    most_at_once = 1 if job.keep.sees_every_update else UNLIMITED
    while True:
        if state.unseen_update:
            job.keep.after_update(job, state)
            state.unseen_update = False
            job.watch.judged(state)
        if state.clean or state.position >= job.machine.examples.n:
            break
        if state.updates >= last_update:
            return StopReason.MAX_UPDATES
        job.watch.check_interrupt()
        job.order.advance(job, state, min(most_at_once, last_update - state.updates))
        job.watch.chunk(state)
    check_finite(state)
    job.keep.after_epoch(job, state)
    state.note(job.keep.standing(state))
    state.under_way = False
    job.watch.epoch(state)
    return None


def check_finite(state: State) -> None:
    if not state.memory.finite():
        raise WeightsOverflow(
            f"The weights grew beyond the largest floating-point number in epoch {state.epoch}. "
            "Something is too large: scale the features, for example with "
            "sklearn.preprocessing.StandardScaler; weights, starts and 1/eta0 count, too."
        )
