"""When to stop without being done: patience, and the question that it ends with.

After `limit` epochs without fewer mistakes training asks, once, whether a hyperplane separates the
rows. If it is proved that none does, training would never end by itself: stop. If one does, it will
end: go on. The answer is part of the state, so that training resumed is training uninterrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rosenblatt._learning.loop import Job, State
from rosenblatt._learning.orders import Batch
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._proof.question import Asked
from rosenblatt._support.budget import Budget

LEAST_VISITS = 1000
"""Epochs of fewer rows than this tell little: as many as make so many visits count as one,"""

MOST_TOGETHER = 50
"""but not more than these; and so many where an epoch is one step."""

_LEAST_WORK = 100_000  # row evaluations that may be spent on the answer in any case,
_LEAST_LOOKS = 20  # and looks at each row


@dataclass(frozen=True)
class Patience:
    """So many epochs (None: without end); then the question, where it can be answered."""

    limit: int | None
    question: Asked | None
    row_evaluations: Callable[[Job, State], int]

    def over(self, job: Job, state: State) -> StopReason | None:
        """Why to stop before the next epoch begins, if so."""
        if self.limit is None or state.epoch - state.fewest_in < self._epochs(job):
            return None
        if _separated(job, state):
            return None
        if self.question is None:
            return StopReason.PATIENCE
        if state.certificate is None:
            budget = Budget(work_limit=self.work(job, state), hear=job.watch.check_interrupt)
            state.certificate = self.question.is_separable(budget)
        if state.certificate.separable:
            return None
        return _NOT[state.certificate.separable]

    def _epochs(self, job: Job) -> int:
        assert self.limit is not None
        n = int(job.machine.examples.n)
        together = min(-(-LEAST_VISITS // n), MOST_TOGETHER)
        if isinstance(job.order, Batch) and n < LEAST_VISITS:
            together = MOST_TOGETHER
        return self.limit * together

    def work(self, job: Job, state: State) -> int:
        """Row evaluations that may be spent on a certificate: as many as training has made."""
        n = int(job.machine.examples.n)
        return max(self.row_evaluations(job, state), _LEAST_WORK, _LEAST_LOOKS * n)


_NOT = {False: StopReason.NOT_SEPARABLE, None: StopReason.UNDECIDED}


def _separated(job: Job, state: State) -> bool:
    """Weights without a mistake are at hand: the answer is known."""
    return not job.validating and state.kept is not None and state.kept.mistakes == 0


def in_features(job: Job, state: State) -> int:
    """Row evaluations so far: visits, and judging."""
    return job.order.looks(state) + job.keep.judged(job, state)


def in_rows(job: Job, state: State) -> int:
    """The same in dual form, where each update brings the scores of all rows up to date."""
    return in_features(job, state) + state.updates * int(job.machine.examples.n)
