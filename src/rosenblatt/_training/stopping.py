"""When to stop without being done: by counts alone, or with a proof where one was asked for.

Training ends after `limit` epochs without noticeably fewer mistakes, but not before it has read a
million numbers, or two where few mistakes are left: that takes milliseconds. So small tables train
to the end at no cost, and large ones stop in time. Nothing exact is asked and nothing is timed: the
same data stop at the same epoch everywhere. Whether a hyperplane separates the rows is then not
known.

With `prove=True` it is asked, once. If it is proved that none does, training would never end by
itself: stop. If one does, it will end: go on. The answer is part of the state, so that training
resumed is training uninterrupted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from rosenblatt._training.state import UNLIMITED, Job, State, V, Verdict, W
from rosenblatt._util.budget import Budget


class StopReason(StrEnum):
    """Why training ended; each member is a sentence."""

    CLEAN = "Converged: a whole pass over the rows made no update."
    MAX_ITER = "Stopped at max_iter epochs; some rows still called for updates."
    MAX_UPDATES = "max_updates updates were made."
    NOT_SEPARABLE = "No hyperplane separates the rows: certificate_ has the proof."
    UNDECIDED = (
        "Stopped early (patience): the last epochs brought no noticeable gain, and whether a "
        "hyperplane separates the rows is undecided."
    )
    PATIENCE = "Stopped early (patience): the last epochs brought no noticeably fewer mistakes."
    TOL = (
        "Stopped early (patience): in the last epochs the mean loss was not lower than before by "
        "tol."
    )
    FAR = (
        "Stopped where the margin had fallen to 0: more than one row in 8 was a mistake, so that "
        "more epochs would bring little."
    )
    SEPARATED = (
        "The rule makes no mistake on the training rows, and more epochs would bring nothing more."
    )
    CALLBACK = "A callback ended training."
    INTERRUPTED = "Training was interrupted (Ctrl-C)."
    ONE_PASS = "partial_fit made its one pass over the given rows."
    FROM_CERTIFICATE = "Nothing was trained: the rule is the separator of a certificate."


LEAST_READ, NEARLY_READ = 1 << 20, 1 << 21
"""Numbers that training reads in any case; and where at most one row in NEARLY is wrong."""

NEARLY = 64

BEFORE_PROOF = 1 << 14
"""Numbers that are read before a proof is asked for, which tells more than many epochs."""

SHORTEST, LONGEST = 16, 32
"""Columns that a visited row counts for, at least and at most, however the rows are held."""

_LEAST_WORK = 100_000  # row evaluations that may be spent on the answer in any case,
_LEAST_OF_EACH = 20  # and of each row


class SeparabilityOracle(Protocol):
    """Answers whether a hyperplane separates the training rows, with a proof."""

    def is_separable(self, budget: Budget) -> Verdict:
        """This and nothing more."""


@dataclass(frozen=True)
class Patience:
    """How many epochs without progress end training (None: any number), and who is asked then."""

    limit: int | None
    oracle: SeparabilityOracle | None
    in_dual_form: bool = False  # each update brings the scores of all rows up to date
    tol: float | None = None  # the loss is looked at, not mistakes: by how much it must fall

    def over(self, job: Job[W, V], state: State[W, V]) -> StopReason | None:
        if not self._spent(job, state):
            return None
        if self.oracle is None:
            return StopReason.PATIENCE if self.tol is None else StopReason.TOL
        if _separated(job, state):
            return None
        if state.certificate is None:
            budget = Budget(work_limit=self.work(job, state))
            state.certificate = self.oracle.is_separable(budget)
        return _ANSWERED[state.certificate.separable]

    def note(self, job: Job[W, V], state: State[W, V]) -> None:
        if self.tol is not None and state.losses is not None:
            state.losses.close(job.learner.examples.n, self.tol)

    def _spent(self, job: Job[W, V], state: State[W, V]) -> bool:
        if self.limit is None:
            return False
        if state.losses is not None:
            return state.losses.idle >= self.limit
        return state.epoch - state.fewest_in >= self.limit and self._unread(job, state) <= 0

    def epochs_left(self, job: Job[W, V], state: State[W, V]) -> int:
        """At least so many epochs will be made before it ends training, whatever they bring."""
        known = state.certificate is not None and state.certificate.separable
        if self.limit is None or known:
            return UNLIMITED
        for_reading = -(-self._unread(job, state) // (job.order.rows_of_an_epoch * row_size(job)))
        return max(state.fewest_in + self.limit - state.epoch, for_reading, 1)

    def _unread(self, job: Job[W, V], state: State[W, V]) -> int:
        """Numbers still to be read before patience can end training.

        Visits count. Comparing weights does not, nor what screening spares: they differ by machine.
        """
        nearly = state.fewest * NEARLY <= job.learner.examples.n
        least = NEARLY_READ if nearly else LEAST_READ
        least = least if self.oracle is None else BEFORE_PROOF
        return least - job.order.row_evaluations(state) * row_size(job)

    def work(self, job: Job[W, V], state: State[W, V]) -> int:
        """Row evaluations that may be spent on a certificate: as many as training has made."""
        n = job.learner.examples.n
        made = job.order.row_evaluations(state) + job.keep.row_evaluations(job, state)
        made += state.updates * n if self.in_dual_form else 0
        return max(made, _LEAST_WORK, _LEAST_OF_EACH * n)


_ANSWERED = {True: None, False: StopReason.NOT_SEPARABLE, None: StopReason.UNDECIDED}


def row_size(job: Job[W, V]) -> int:
    return min(max(job.learner.examples.d, SHORTEST), LONGEST)


def _separated(job: Job[W, V], state: State[W, V]) -> bool:
    """Weights without a mistake are at hand: the answer is known."""
    return not job.validating and state.kept is not None and state.kept.mistakes == 0
