"""The GPU as a backend of the loop: the functions of `protocol.py` that it has, on `DeviceRows`.

Weights, counts and labels are arrays of the host, as those of the other backends; rows and orders
are on the GPU. What it does not have is refused before training begins (`refuse`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.gpu.driver import cupy, errors_in_words
from rosenblatt._core.gpu.rows import BLOCK, THREADS, DeviceLabels, DeviceRows, bounds, ratio_of
from rosenblatt._core.protocol import (
    BatchStep,
    Floats,
    LabelledRows,
    LearnerArrays,
    LogColumns,
    MistakeTally,
    UpdateRule,
)

MOST_UPDATES = 1 << 20  # that one call makes room for
MOST_ROUNDS = 1 << 17  # of speculation in one call: a few tenths of a second, to hear Ctrl-C
_WALKERS, _PREPARERS = 384, 576  # threads of a block
_TELLS = 4  # numbers that a kernel tells of its call
_COLUMNS = 32  # threads of a block that adds rows
_64_BITS = (1 << 64) - 1


class OnGpu:
    """One GPU."""

    @errors_in_words()
    def visit(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        learner: LearnerArrays,
        order: Any,
        begin: int,
        end: int,
        max_updates: int,
        /,
    ) -> tuple[int, int]:
        """As the protocol has it; it may stop earlier, and orders are made by `arrange` alone."""
        rows, y, c, _ = examples
        counts, log = learner.counts, learner.log
        labels, places = rows.labels(y, c), rows.order(order)
        made = made_by(Visits(rows, labels, rule, learner, places, begin, end, max_updates))
        updated = made.rows
        if made.rivals is None:
            counts[updated] += 1  # a row is visited once in a pass
        else:
            counts[updated, y[updated]] += 1
            counts[updated, made.rivals] -= 1
        if log is not None:
            _note(log, made, begin, learner.visits)
        return made.reached, len(updated)

    # What changes no weights.

    @errors_in_words()
    def look(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        w: Floats,
        begin: int,
        end: int,
        step: BatchStep,
        /,
    ) -> int:
        rows, labels = examples.rows, examples.rows.labels(examples.y, examples.c)
        library, k, n = cupy(), 0 if w.ndim == 1 else len(w), end - begin
        X, y = rows.X[begin:end], labels.of(begin, end)
        marks = library.empty(n, dtype=np.int32)
        shown = 0 if step.scores is None else library.empty(n)
        arguments = (
            *(X, *y, np.int32(k), library.asarray(w), np.int32(rows.d)),
            *(np.float64(rule.margin), np.int64(n), marks, shown),
        )
        rows.kernel("look")(*rows.each_row(n), arguments)
        some = library.flatnonzero(marks)
        total = library.asarray(step.sum)
        grid = (-(-(rows.d + 1) // _COLUMNS), max(k, 1))
        numbers = np.int64(len(some)), np.int32(rows.d), np.int32(rule.intercept)
        arguments = (X, *y, marks, some, *numbers, total)
        rows.kernel("add_marked")(grid, (_COLUMNS,), arguments)
        step.sum[...] = library.asnumpy(total)
        if step.scores is not None:
            step.scores[begin:end] = library.asnumpy(shown)
        step.marks[begin + library.asnumpy(some)] = library.asnumpy(marks[some])
        return len(some)

    @errors_in_words()
    def count(self, examples: LabelledRows, tally: MistakeTally, begin: int, end: int, /) -> bool:
        """Whole counts: nothing is gained by stopping at a limit. Weights are added in order."""
        rows, y, c, _ = examples
        w, limit, plain, weighted = np.array(tally.w), tally.limit, tally.plain, tally.weighted
        library, number = cupy(), len(w)
        mistakes = library.zeros(number, dtype=np.uint64)
        flags = 0 if c is None else library.empty((number, end - begin), dtype=np.uint8)
        k = np.int32(w.shape[1] if w.ndim > 2 else 0)
        arguments = (
            *(rows.X, *rows.labels(y, c).arguments, k, library.asarray(w)),
            *(np.int32(number), np.int32(rows.d), np.int64(begin), np.int64(end)),
            *(mistakes, flags),
        )
        rows.kernel("count")(*rows.each_row(end - begin), arguments)
        found = library.asnumpy(mistakes).astype(np.int64)
        plain += found
        if c is None:
            weighted += found
        else:
            for a, wrong in enumerate(library.asnumpy(flags).view(np.bool_)):
                terms = np.append(weighted[a], c[begin:end][wrong])
                weighted[a] = np.add.accumulate(terms)[-1]
        return bool((weighted < limit).any())

    @errors_in_words()
    def scores(self, rows: DeviceRows, w: Floats, begin: int, end: int, out: Floats, /) -> None:
        """out[begin:end] := the scores; of many classes one for each."""
        library, k = cupy(), 1 if w.ndim == 1 else len(w)
        found = library.empty((end - begin) * k)
        some = rows.X[begin:end]
        arguments = (
            *(some, library.asarray(w), np.int32(k), np.int32(rows.d), np.int64(0)),
            *(np.int64(end - begin), found),
        )
        rows.kernel("scores")(*rows.each_row(end - begin), arguments)
        out[begin:end] = library.asnumpy(found).reshape(out[begin:end].shape)

    # Orders: `permute.cu` says how all places are found at once.

    @errors_in_words()
    def pool(self, n: int) -> Any:
        return cupy().empty(n, dtype=np.int32)

    @errors_in_words()
    def arrange(
        self,
        rows: DeviceRows,
        pool: Any,
        present: Any,
        seed: int,
        first: int,
        size: int,
        blocks: list[int],
        /,
    ) -> None:
        """pool := the rows as an epoch visits them: block after block of so many rows.

        The rows of block b are permuted by permutation `first + b` of the seed.
        """
        library, n, place, places = cupy(), len(pool), 0, [0] * len(blocks)
        for b in blocks:
            places[b] = place
            place += min(size, n - b * size)
        head, following, before = (
            rows.room(name, n, np.int32) for name in ("head", "next", "before")
        )
        head[:n].fill(-1)
        grid, threads = (-(-n // THREADS),), (THREADS,)
        stream = (
            np.int32(n),
            np.int32(size),
            np.uint64(seed & _64_BITS),
            np.uint64(first & _64_BITS),
        )
        rows.kernel("link_steps")(grid, threads, (*stream, head, following))
        rows.kernel("steps_before")(grid, threads, (np.int32(n), head, following, before))
        at = library.asarray(places, dtype=np.int32)
        rows.kernel("settle")(
            grid, threads, (*stream, *(head, following, before), at, rows.order(present), pool)
        )


def _note(log: LogColumns, made: Made, begin: int, visits: int) -> None:
    """Row, visit, and the score before; of many classes margin and rival instead."""
    assert made.places is not None
    visit = visits + made.places.astype(np.int64) - begin
    noted = (made.rows, visit, made.seen, made.rivals)
    for column, values in zip(log, noted, strict=False):
        column[: len(made.rows)] = values


# --- Learning: visits of rows in a given order, by speculation or by the walk ---------------------


@dataclass(frozen=True)
class Visits:
    """What is to be visited: places `begin` to `end` of an order, with at most so many updates."""

    rows: DeviceRows
    labels: DeviceLabels
    rule: UpdateRule
    learner: LearnerArrays  # its weights and their averaging correction are changed
    order: Any  # of the GPU; 0: the rows in their order
    begin: int
    end: int
    max_updates: int

    @property
    def noted(self) -> bool:
        return self.learner.log is not None


@dataclass(frozen=True)
class Made:
    """The place reached, and the rows that were updated, in their order."""

    reached: int
    rows: NDArray[np.int32]
    places: NDArray[np.int32] | None = None  # where they stand in the order; not of the walk
    seen: NDArray[np.float64] | None = None  # scores, of many classes margins; where they are noted
    rivals: NDArray[np.int32] | None = None


class Packet:
    """Weights, correction and what a kernel tells, in one piece: one copy to the GPU, one back."""

    def __init__(
        self, rows: DeviceRows, learner: LearnerArrays, tell: tuple[int, ...] = (0,) * _TELLS
    ):
        w, correction = self._w, self._correction = learner.w, learner.correction
        size = w.size
        self._host = np.zeros(2 * size + _TELLS)
        self._host[2 * size :].view(np.int64)[:] = tell
        self._host[:size] = w.reshape(-1)
        if correction is not None:
            self._host[size : 2 * size] = correction.reshape(-1)
        self._gpu = rows.room("packet", len(self._host), np.float64)[: len(self._host)]
        self._gpu.set(self._host)
        self.both = self._gpu[:size], self._gpu[size : 2 * size]
        self.told = self._gpu[2 * size :]

    def back(self) -> list[int]:
        """Weights and correction become what the kernel left; returns what it tells."""
        self._gpu.get(out=self._host)
        size = self._w.size
        self._w.reshape(-1)[:] = self._host[:size]
        if self._correction is not None:
            self._correction.reshape(-1)[:] = self._host[size : 2 * size]
        return [int(told) for told in self._host[2 * size :].view(np.int64)]


def made_by(call: Visits) -> Made:
    rows, regime = call.rows, call.rows.regime
    ratio = ratio_of(rows.d)
    only_speculation = call.noted or call.learner.w.ndim > 1
    if regime.walking and not only_speculation:
        made = _walk(call)
        if made is not None:
            regime.walked(made.reached - call.begin, len(made.rows), ratio)
            return made
    made = _speculate(call, 0 if only_speculation else ratio)
    regime.speculated(made.reached - call.begin, len(made.rows), ratio)
    return made


def _speculate(call: Visits, ratio: int) -> Made:
    rows, regime, learner, rule = call.rows, call.rows.regime, call.learner, call.rule
    w, correction = learner.w, learner.correction
    many, noted = w.ndim > 1, call.noted
    blocks, most = rows.processors, min(call.max_updates, call.end - call.begin, MOST_UPDATES)
    shared = 16 * w.size
    wide = shared > rows.shared_memory - 1024
    name, threads = _speculation(rows, many=many)
    function = rows.kernel(name, wide=wide)
    if not wide:
        function.max_dynamic_shared_size_bytes = shared
    packet = Packet(rows, learner)
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
        *call.labels.arguments,
        call.order,
        *map(np.int64, (call.begin, call.end, most, learner.visits, regime.window)),
        *map(np.int64, (ratio, regime.rounds, MOST_ROUNDS)),
        np.float64(rule.margin),
        *map(np.int32, (rows.d, w.shape[0] if many else 0, rule.intercept, correction is not None)),
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
    return np.asarray(cupy().asnumpy(array[:size]))


def _walk(call: Visits) -> Made | None:
    """None where it cannot be: few updates are allowed, or numbers are too large."""
    rows, regime, learner, rule = call.rows, call.rows.regime, call.learner, call.rule
    count = min(call.end - call.begin, regime.steps)
    proved = bounds(
        longest=rows.survey()[0],
        heaviest=call.labels.heaviest,
        intercept=rule.intercept,
        w_length=1.001 * float(np.linalg.norm(learner.w)),
        rows=count,
        d=rows.d,
    )
    layout = rows.layout
    if call.max_updates < count or proved is None or layout is None:
        return None
    packet = Packet(rows, learner, (0, 0, regime.told, regime.blocks))
    updated = rows.room("updated", count, np.int32)
    numbers = (
        *(np.float64(rule.margin), *map(np.float32, (proved.size, proved.radius, proved.error))),
        *map(np.int32, (rows.d, rule.intercept, learner.correction is not None)),
    )
    walk = rows.kernel("walk")
    walk.max_dynamic_shared_size_bytes = layout.shared
    ahead, now = rows.ahead, cupy().cuda.get_current_stream()
    for event in rows.free:
        now.record(event)
    for turn, (first, some) in enumerate(layout.pieces(count)):
        side = turn % 2
        made = layout.rooms(rows, side)
        at = tuple(map(np.int64, (call.begin + first, some, learner.visits + first)))
        what = (rows.X, *call.labels.arguments, call.order, *at, *numbers, *made)
        with ahead:  # while the piece before is walked through
            ahead.wait_event(rows.free[side])
            rows.kernel("prepare")((-(-some // BLOCK),), (_PREPARERS,), what)
            ahead.record(rows.ready[side])
        now.wait_event(rows.ready[side])
        results = (*packet.both, *rows.between, updated, packet.told)
        walk((1 + layout.slices,), (_WALKERS,), (*what, *results), shared_mem=layout.shared)
        now.record(rows.free[side])
    updates, _, regime.told, regime.blocks = packet.back()
    return Made(call.begin + count, _brought(updated, updates))
