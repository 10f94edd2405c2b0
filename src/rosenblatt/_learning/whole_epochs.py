"""Many epochs of a small table in one call of the core.

Where an epoch takes microseconds, the loop around it would take longer than the epoch. This changes
nothing but the time: the same visits, the same judging, the same state to the bit. It is for
training on rows in memory that nobody follows epoch by epoch; all other epochs are made one by one.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Csr
from rosenblatt._learning.keeps import Average, Best, Last
from rosenblatt._learning.machine import V, W
from rosenblatt._learning.orders import Cyclic, Shuffle
from rosenblatt._learning.primal import Primal, PrimalState
from rosenblatt._learning.state import Candidate, Job, State, check_finite

_MOST = 1 << 12  # epochs of one call: room for what is noted of each


def make_epochs(job: Job[W, V], state: State[W, V], most: int) -> bool:
    """Make some epochs, at most `most`. False: they are to be made one by one."""
    machine, order, keep = job.machine, job.order, job.keep
    if not isinstance(machine, Primal) or not isinstance(order, Cyclic | Shuffle):
        return False
    e = machine.examples
    if machine.log is not None or e.rows.on_gpu:
        return False
    if e.c is not None and e.rows.n > compute.block:
        return False  # mistakes are weighed block by block
    if e.k is not None and isinstance(e.rows.X, Csr):
        return False  # one by one sparse rows of many classes find their weights side by side
    if type(keep) not in (Best, Last, Average) or job.validating or job.watch.followed:
        return False
    # Visits and two counts of an epoch, as numbers; a call should leave time to hear Ctrl-C. Longer
    # epochs are better made one by one: several threads work on each.
    together = compute.chunk // max(12 * order.n * e.rows.row_size * (e.k or 1), 1)
    most = min(most, together, _MOST, machine.screen.epochs_without())
    if most < 1 or compute.whole_epochs is None:
        return False
    job.watch.check_interrupt()
    _make(cast("PrimalState", state), machine, order, most)
    check_finite(job, state)
    return True


def _make(state: PrimalState, machine: Primal, order: Cyclic | Shuffle, most: int) -> None:
    e, memory, kept, backend = machine.examples, state.memory, state.kept, compute.whole_epochs
    assert backend is not None
    best = None if kept is None else kept.weights.copy()
    mistakes, weighted, averaged = (0, 0.0, False)
    if kept is not None:
        mistakes, weighted, averaged = kept.mistakes, kept.weighted, kept.averaged
    updates, standing = np.empty(most, dtype=np.int64), np.empty(most)
    done, visits, clean, mistakes, weighted, averaged = backend.epochs(
        e.rows.native,
        e.y,
        e.c,
        order.present,
        order.pool,
        order.n,
        state.seed,
        state.epoch,
        most,
        machine.margin,
        machine.intercept,
        memory.w,
        memory.drift,
        memory.counts,
        state.visits,
        best,
        mistakes,
        weighted,
        averaged,
        updates,
        standing,
    )
    made = updates[:done].tolist()
    order.arranged(state.epoch + done)
    machine.screen.skipped(done, visits - state.visits, made[-1])
    for of_epoch, stood in zip(made, standing[:done].tolist(), strict=True):
        state.epoch += 1
        state.updates += of_epoch
        state.mistakes.append(of_epoch)
        state.note(stood)
    state.visits, state.position, state.clean = visits, order.n, clean
    if (
        kept is not None
        and best is not None
        and (weighted, averaged) != (kept.weighted, kept.averaged)
    ):
        state.kept = Candidate(best, mistakes, weighted, averaged)
