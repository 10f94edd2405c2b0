"""order="mixed": every shard of the rows makes a pass from the same weights, and these are mixed.

With w the weights that an epoch begins with, w_s those after the pass of shard s, and k_s its
mistakes: w' = w + Σ k_s (w_s - w) / Σ k_s (McDonald, Hall and Mann 2010). A shard without a mistake
has no say; an epoch without one is clean. The sum folds in the binary tree over the shards, so that
shares can be made and added anywhere: `share_of` and `together` depend on what they are given and
on nothing else.

The average is that over all visits of all shards. With A = Σ over visits of (the weights after it
- w) the sum of weights over V visits, V w - drift, grows by n w + A in an epoch of n visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.folding import Fold
from rosenblatt._learning.blocks import arrange_block
from rosenblatt._learning.machine import Indices, Memory
from rosenblatt._learning.primal import Primal
from rosenblatt._learning.state import UNLIMITED, overflow
from rosenblatt._support.interrupt import no_interrupt

if TYPE_CHECKING:
    from rosenblatt._compute.examples import Examples, Weights
    from rosenblatt._compute.update_log import Log
    from rosenblatt._learning.primal import PrimalMemory, PrimalState


class Part(NamedTuple):
    """Some rows of a shard, and the order in which they are visited."""

    machine: Primal
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
    blocks: Iterable[tuple[int, Examples]],
    seed: int,
    epoch: int,
    *,
    margin: float,
    intercept: bool,
) -> Iterator[Part]:
    """Of a shard whose blocks come one after the other, with their numbers (see `shard_order`)."""
    for b, block in blocks:
        order = np.empty(block.n, dtype=block.index_type)
        arrange_block(order, block.present, b, seed, epoch)
        counts = np.zeros((block.rows.n, *block.shape_of_weights[:-1]), dtype=np.int64)
        yield Part(Primal(block, margin=margin, intercept=intercept), order, counts)


@np.errstate(over="ignore", invalid="ignore")  # the loop looks for it
def share_of(
    parts: Iterable[Part],
    w: Weights,
    *,
    averaged: bool,
    log: Log | None = None,
    check_interrupt: Callable[[], None] = no_interrupt,
) -> Share:
    """One pass over the rows of a shard, from these weights."""
    drift = np.zeros_like(w) if averaged else None
    memory: PrimalMemory = Memory(w.copy(), drift, np.empty(0, dtype=np.int64))
    visits = mistakes = 0
    for machine, order, counts in parts:
        machine.log, memory.counts, place = log, counts, 0
        while place < len(order):
            check_interrupt()
            end = min(place + machine.examples.chunk, len(order))
            reached, updates = machine.visit(memory, order, place, end, UNLIMITED, visits)
            visits, mistakes = visits + reached - place, mistakes + updates
            place = reached
    change = memory.w - w
    summed = None if drift is None else visits * change - drift
    return Share(mistakes * change, summed, visits, mistakes, 0.0 if log is None else log.loss)


@np.errstate(over="ignore", invalid="ignore")
def together(one: Share, other: Share) -> Share:
    """What both add."""
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
    """The weights after an epoch; there were so many visits before it."""
    if not total.mistakes:
        return
    w = memory.w + total.moved / total.mistakes
    if memory.drift is not None and total.summed is not None:
        memory.drift += (visits + total.visits) * (w - memory.w) - total.summed
    memory.w[...] = w
