"""The one loop: epochs, until no row calls for an update or a limit is reached.

    state ──order.advance──► visits, updates ──keep──► candidates judged ──► state

The loop does not know how rows are evaluated (the learner, `learner.py` or `dual.py`), in which
order (`orders.py`) or what is returned in the end (`keeps.py`). It can be left at any point and
entered again with the same state: the result is the same to the bit.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import KeptWeights, Permutation
from rosenblatt._core.rows import Weights
from rosenblatt._training.learner import Primal, PrimalState
from rosenblatt._training.monitor import Interrupted
from rosenblatt._training.orders import Cyclic, Shuffle
from rosenblatt._training.state import UNLIMITED, Candidate, Job, State, V, W, check_finite
from rosenblatt._training.stopping import Patience, StopReason
from rosenblatt._util.progress import check_interrupt, interrupted_by


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
        with interrupted_by(job.watch.check_interrupt):
            return _train(job, state, last_epoch, last_update, patience)
    except Interrupted:
        return StopReason.INTERRUPTED


def _train(
    job: Job[W, V], state: State[W, V], last_epoch: int, last_update: int, patience: Patience | None
) -> StopReason:
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
            if last_update == UNLIMITED and make_epochs(job, state, free):
                continue
            job.watch.begin_epoch()
            state.begin_epoch()
        reason = _finish_epoch(job, state, last_update, patience)
        if reason is not None:
            return reason
    job.keep.after_clean(job, state)
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
        if state.clean or state.position >= job.learner.examples.n:
            break
        if state.updates >= last_update:
            return StopReason.MAX_UPDATES
        check_interrupt()
        state.memory.updates = state.updates
        job.order.advance(job, state, min(most_at_once, last_update - state.updates))
        job.watch.chunk(state)
    check_finite(job, state)
    job.keep.after_epoch(job, state)
    state.note(job.keep.monitored_mistakes(state))
    if patience is not None:
        patience.note(job, state)
    state.under_way = False
    return StopReason.CALLBACK if job.watch.epoch(state) and not state.clean else None


# --- Many epochs of a small table in one call of the core ----------------------------------------
#
# There an epoch takes microseconds, and the loop around it would take longer. Nothing changes but
# the time: the same visits, the same comparisons, the same state to the bit. It is for rows in
# memory that nobody follows epoch by epoch; all other epochs are made one by one.


def make_epochs(job: Job[W, V], state: State[W, V], max_epochs: int) -> bool:
    """Make some epochs, at most `max_epochs`. False: they are to be made one by one."""
    learner, order, keep = job.learner, job.order, job.keep
    if not isinstance(learner, Primal) or not isinstance(order, Cyclic | Shuffle):
        return False
    if learner.rule.kind != "perceptron" or learner.log is not None:
        return False
    e = learner.examples
    if e.c is not None and e.rows.n > compute.block:
        return False  # mistakes are weighed block by block
    if not keep.in_whole_epochs or job.validating or job.watch.followed:
        return False
    epochs = min(max_epochs, learner.screen.epochs_of_one_call(order.n))
    if epochs < 1:
        return False
    check_interrupt()
    primal = cast("PrimalState", state)
    _make(primal, learner, order, primal.kept if keep.compares else None, epochs)
    check_finite(job, state)
    return True


def _make(
    state: PrimalState,
    learner: Primal,
    order: Cyclic | Shuffle,
    kept: Candidate[Weights] | None,
    epochs: int,
) -> None:
    e, backend = learner.examples, compute.whole_epochs
    assert backend is not None
    best = None
    if kept is not None:
        w = np.copy(e.rows.placed(kept.weights))
        best = KeptWeights(w, kept.mistakes, float(kept.weighted), kept.averaged)
    permutation = None
    if order.pool is not None:
        permutation = Permutation(order.pool, state.seed, state.epoch)
    updates, standing = np.empty(epochs, dtype=np.int64), np.empty(epochs)
    done, visits, clean, mistakes, weighted, averaged = backend.epochs(
        e.labelled,
        learner.rule,
        learner.arrays(state.memory, state.visits),
        order.present if isinstance(order, Shuffle) else order.rows(state.seed),
        permutation,
        best,
        updates,
        standing,
    )
    made = updates[:done].tolist()
    order.arranged(state.epoch + done)
    learner.screen.skipped(done, visits - state.visits, made[-1])
    for of_epoch, stood in zip(made, standing[:done].tolist(), strict=True):
        state.epoch += 1
        state.updates += of_epoch
        state.mistakes.append(of_epoch)
        state.note(stood)
    state.visits, state.position, state.clean = visits, order.n, clean
    if best is not None and (weighted, averaged) != (best.weighted, best.averaged):
        state.kept = Candidate(best.w, mistakes, weighted, averaged)
