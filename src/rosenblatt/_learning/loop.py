"""The one loop: epochs, until no row calls for an update or a limit is reached.

    state ──order.advance──► visits, updates ──keep──► candidates judged ──► state

The loop does not know how rows are looked at (the machine, `primal.py` or `dual.py`), in which
order (`orders.py`) or what is returned in the end (`keeps.py`). It can be left at any point and
entered again with the same state: the result is the same to the bit.
"""

from __future__ import annotations

from rosenblatt._learning.machine import V, W
from rosenblatt._learning.patience import Patience
from rosenblatt._learning.state import UNLIMITED, Job, State, check_finite
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Interrupted
from rosenblatt._learning.whole_epochs import make_epochs


def train(
    job: Job[W, V],
    state: State[W, V],
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
                free = UNLIMITED if patience is None else patience.epochs_left(job, state)
                free = min(free, last_epoch - state.epoch)
                if max_updates is None and make_epochs(job, state, free):
                    continue
                job.watch.begin_epoch()
                state.begin_epoch()
            reason = _finish_epoch(job, state, last_update, patience)
            if reason is not None:
                return reason
    except Interrupted:
        return StopReason.INTERRUPTED
    return StopReason.CLEAN


def _finish_epoch(
    job: Job[W, V], state: State[W, V], last_update: int, patience: Patience | None
) -> StopReason | None:
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
    check_finite(job, state)
    job.keep.after_epoch(job, state)
    state.note(job.keep.standing(state))
    if patience is not None:
        patience.note(job, state)
    state.under_way = False
    return StopReason.CALLBACK if job.watch.epoch(state) and not state.clean else None
