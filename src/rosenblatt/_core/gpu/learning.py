"""Learning on a GPU: visits of rows in a given order, by speculation or by the walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.gpu.driver import cupy
from rosenblatt._core.gpu.rows import BLOCK, DeviceLabels, DeviceRows, bounds, ratio_of

MOST_UPDATES = 1 << 20  # that one call makes room for
MOST_ROUNDS = 1 << 17  # of speculation in one call: a few tenths of a second, to hear Ctrl-C
_WALKERS, _PREPARERS = 384, 576  # threads of a block
_TELLS = 4  # numbers that a kernel tells of its call


@dataclass(frozen=True)
class Visits:
    """What is to be visited: places `begin` to `end` of an order, with at most so many updates."""

    rows: DeviceRows
    labels: DeviceLabels
    order: Any  # of the GPU; 0: the rows in their order
    begin: int
    end: int
    most: int
    margin: float
    intercept: bool
    visits: int


@dataclass(frozen=True)
class Made:
    """The place reached, and the rows that were updated, in their order."""

    reached: int
    rows: NDArray[np.int32]
    places: NDArray[np.int32] | None = None  # where they stand in the order; not of the walk
    seen: NDArray[np.float64] | None = None  # scores, of many classes margins; where they are noted
    rivals: NDArray[np.int32] | None = None


class Packet:
    """Weights, drift and what a kernel tells, in one piece: one copy to the GPU, one back."""

    def __init__(
        self,
        rows: DeviceRows,
        w: NDArray[np.float64],
        drift: NDArray[np.float64] | None,
        tell: tuple[int, ...] = (0,) * _TELLS,
    ):
        self._w, self._drift, size = w, drift, w.size
        self._host = np.zeros(2 * size + _TELLS)
        self._host[2 * size :].view(np.int64)[:] = tell
        self._host[:size] = w.reshape(-1)
        if drift is not None:
            self._host[size : 2 * size] = drift.reshape(-1)
        self._gpu = rows.room("packet", len(self._host), np.float64)[: len(self._host)]
        self._gpu.set(self._host)
        self.both = self._gpu[:size], self._gpu[size : 2 * size]
        self.told = self._gpu[2 * size :]

    def back(self) -> list[int]:
        """Weights and drift become what the kernel left; returns what it tells."""
        self._gpu.get(out=self._host)
        size = self._w.size
        self._w.reshape(-1)[:] = self._host[:size]
        if self._drift is not None:
            self._drift.reshape(-1)[:] = self._host[size : 2 * size]
        return [int(told) for told in self._host[2 * size :].view(np.int64)]


def visit(
    given: Visits, w: NDArray[np.float64], drift: NDArray[np.float64] | None, *, noted: bool
) -> Made:
    """Some visits; w and drift are changed. `noted`: scores before the updates are wanted."""
    rows, regime = given.rows, given.rows.regime
    ratio = ratio_of(rows.d)
    if regime.walking and not noted and w.ndim == 1:
        made = _walk(given, w, drift)
        if made is not None:
            regime.walked(made.reached - given.begin, len(made.rows), ratio)
            return made
    made = _speculate(given, w, drift, 0 if noted or w.ndim > 1 else ratio, noted=noted)
    regime.speculated(made.reached - given.begin, len(made.rows), ratio)
    return made


def _speculate(
    given: Visits,
    w: NDArray[np.float64],
    drift: NDArray[np.float64] | None,
    ratio: int,
    *,
    noted: bool,
) -> Made:
    rows, regime, many = given.rows, given.rows.regime, w.ndim > 1
    blocks, most = rows.processors, min(given.most, given.end - given.begin, MOST_UPDATES)
    shared = 16 * w.size
    wide = shared > rows.shared_memory - 1024
    name, threads = _speculation(rows, many=many)
    function = rows.kernel(name, wide=wide)
    if not wide:
        function.max_dynamic_shared_size_bytes = shared
    packet = Packet(rows, w, drift)
    updated, places, rivals = (
        rows.room(name, most, np.int32) for name in ("updated", "places", "rivals")
    )
    seen = rows.room("seen", most, np.float64)
    words = rows.room("words", 3 * blocks + 2, np.uint64)
    if regime.rounds == 0:
        words.fill(0)
    scratch = rows.room("scratch", blocks * w.size, np.float64) if wide else 0
    arguments = (
        rows.X,
        *given.labels.arguments,
        given.order,
        *map(np.int64, (given.begin, given.end, most, given.visits, regime.window)),
        *map(np.int64, (ratio, regime.rounds, MOST_ROUNDS)),
        np.float64(given.margin),
        *map(np.int32, (rows.d, w.shape[0] if many else 0, given.intercept, drift is not None)),
        *(*packet.both, scratch, words, words[2 * blocks :]),
        *(words[2 * blocks + 2 :], updated, places, rivals, seen, packet.told),
    )
    function((blocks,), (threads,), arguments, shared_mem=0 if wide else shared)
    reached, updates, regime.rounds, regime.window = packet.back()
    return Made(
        reached,
        _brought(updated, updates),
        _brought(places, updates) if noted else None,
        _brought(seen, updates) if noted else None,
        _brought(rivals, updates) if many else None,
    )


def _speculation(rows: DeviceRows, *, many: bool) -> tuple[str, int]:
    """The kernel and its threads: rows that fit into registers stay there."""
    if many:
        return "speculate_many", 1024
    if rows.d <= 128:
        return "speculate_short", 1024
    return ("speculate_long", 384) if rows.d <= 4096 // rows.number else ("speculate_any", 1024)


def _brought(array: Any, size: int) -> NDArray[Any]:
    """Its first numbers, on the host."""
    return np.asarray(cupy().asnumpy(array[:size]))


def _walk(given: Visits, w: NDArray[np.float64], drift: NDArray[np.float64] | None) -> Made | None:
    """None where it cannot be: few updates are allowed, or numbers are too large."""
    rows, regime = given.rows, given.rows.regime
    count = min(given.end - given.begin, regime.steps)
    proved = bounds(
        longest=rows.survey()[0],
        heaviest=given.labels.heaviest,
        intercept=given.intercept,
        w_length=1.001 * float(np.linalg.norm(w)),
        rows=count,
        d=rows.d,
    )
    layout = rows.layout
    if given.most < count or proved is None or layout is None:
        return None
    packet = Packet(rows, w, drift, (0, 0, regime.told, regime.blocks))
    updated = rows.room("updated", count, np.int32)
    numbers = (
        *(np.float64(given.margin), *map(np.float32, (proved.size, proved.radius, proved.error))),
        *map(np.int32, (rows.d, given.intercept, drift is not None)),
    )
    walk = rows.kernel("walk")
    walk.max_dynamic_shared_size_bytes = layout.shared
    ahead, now = rows.ahead, cupy().cuda.get_current_stream()
    for event in rows.free:
        now.record(event)
    for turn, (first, some) in enumerate(layout.pieces(count)):
        side = turn % 2
        made = layout.rooms(rows, side)
        at = tuple(map(np.int64, (given.begin + first, some, given.visits + first)))
        what = (rows.X, *given.labels.arguments, given.order, *at, *numbers, *made)
        with ahead:  # while the piece before is walked through
            ahead.wait_event(rows.free[side])
            rows.kernel("prepare")((-(-some // BLOCK),), (_PREPARERS,), what)
            ahead.record(rows.ready[side])
        now.wait_event(rows.ready[side])
        results = (*packet.both, *rows.between, updated, packet.told)
        walk((1 + layout.slices,), (_WALKERS,), (*what, *results), shared_mem=layout.shared)
        now.record(rows.free[side])
    updates, _, regime.told, regime.blocks = packet.back()
    return Made(given.begin + count, _brought(updated, updates))
