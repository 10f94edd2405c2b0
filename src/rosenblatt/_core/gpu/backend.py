"""The GPU as a backend of the loop: the functions of `protocol.py` that it has, on `DeviceRows`.

Weights, counts and labels are arrays of the host, as those of the other backends; rows and orders
are on the GPU. What it does not have is refused before training begins (`refuse`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.gpu import learning
from rosenblatt._core.gpu.driver import cupy, errors_in_words
from rosenblatt._core.gpu.rows import THREADS, DeviceLabels, DeviceRows
from rosenblatt._core.protocol import (
    BatchStep,
    Floats,
    LabelledRows,
    LearnerArrays,
    LogColumns,
    MistakeTally,
    UpdateRule,
)


class OnGpu:
    """One GPU."""

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
        with errors_in_words():
            labels, places = rows.labels(y, c), rows.order(order)
            made = learning.visit(
                learning.Visits(rows, labels, rule, learner, places, begin, end, max_updates)
            )
        updated = made.rows
        if made.rivals is None:
            counts[updated] += 1  # a row is visited once in a pass
        else:
            counts[updated, y[updated]] += 1
            counts[updated, made.rivals] -= 1
        if log is not None:
            _note(log, made, begin, learner.visits)
        return made.reached, len(updated)

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
        with errors_in_words():
            marked, marks = look(examples, rule, w, begin, end, step)
        step.marks[marked] = marks
        return len(marked)

    def count(self, examples: LabelledRows, tally: MistakeTally, begin: int, end: int, /) -> bool:
        """Whole counts: nothing is gained by stopping at a limit. Weights are added in order."""
        rows, y, c, _ = examples
        w, limit, plain, weighted = tally
        with errors_in_words():
            found, flags = mistakes(rows, rows.labels(y, c), w, begin, end)
        plain += found
        if flags is None or c is None:
            weighted += found
        else:
            for a, wrong in enumerate(flags):
                terms = np.append(weighted[a], c[begin:end][wrong])
                weighted[a] = np.add.accumulate(terms)[-1]
        return bool((weighted < limit).any())

    def scores(self, rows: DeviceRows, w: Floats, begin: int, end: int, out: Floats, /) -> None:
        with errors_in_words():
            scores(rows, w, begin, end, out)

    # Orders.

    def pool(self, n: int) -> Any:
        with errors_in_words():
            return cupy().empty(n, dtype=np.int32)

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
        n, place, places = len(pool), 0, [0] * len(blocks)
        for b in blocks:
            places[b] = place
            place += min(size, n - b * size)
        with errors_in_words():
            arrange(rows, pool, present, seed, first, size, places)


def _note(log: LogColumns, made: learning.Made, begin: int, visits: int) -> None:
    """Row, visit, and the score before; of many classes margin and rival instead."""
    assert made.places is not None
    visit = visits + made.places.astype(np.int64) - begin
    noted = (made.rows, visit, made.seen, made.rivals)
    for column, values in zip(log, noted, strict=False):
        column[: len(made.rows)] = values


# --- What changes no weights: counting, scores, the rows of a batch step -------------------------


_COLUMNS = 32  # threads of a block that adds rows


def mistakes(
    rows: DeviceRows, labels: DeviceLabels, w: NDArray[np.float64], begin: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """How many each of several candidates makes; and which, where rows have weights."""
    library, number = cupy(), len(w)
    plain = library.zeros(number, dtype=np.uint64)
    weighted = labels.host[1] is not None
    flags = library.empty((number, end - begin), dtype=np.uint8) if weighted else 0
    arguments = (
        *(rows.X, *labels.arguments, np.int32(w.shape[1] if w.ndim > 2 else 0)),
        *(library.asarray(w), np.int32(number), np.int32(rows.d), np.int64(begin), np.int64(end)),
        *(plain, flags),
    )
    rows.kernel("count")(*rows.each_row(end - begin), arguments)
    found = library.asnumpy(plain).astype(np.int64)
    return found, library.asnumpy(flags).view(np.bool_) if weighted else None


def scores(
    rows: DeviceRows, w: NDArray[np.float64], begin: int, end: int, out: NDArray[np.float64]
) -> None:
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


def look(
    examples: LabelledRows, rule: UpdateRule, w: Floats, begin: int, end: int, step: BatchStep
) -> tuple[NDArray[Any], NDArray[Any]]:
    """step.sum += the steps of the rows that call for an update; returns those and their marks."""
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
    return begin + library.asnumpy(some), library.asnumpy(marks[some])


# --- Permutations: `permute.cu` says how all places are found at once ----------------------------


def arrange(
    rows: DeviceRows, pool: Any, present: Any, seed: int, first: int, size: int, places: list[int]
) -> None:
    """pool := the rows, where each `size` of them are permuted by themselves.

    Block b is permuted by permutation `first + b` of the seed, and visited from places[b] on.
    """
    library, n = cupy(), len(pool)
    head, following, before = (rows.room(name, n, np.int32) for name in ("head", "next", "before"))
    head[:n].fill(-1)
    grid, threads = (-(-n // THREADS),), (THREADS,)
    stream = np.int32(n), np.int32(size), np.uint64(seed & _64_BITS), np.uint64(first & _64_BITS)
    rows.kernel("link_steps")(grid, threads, (*stream, head, following))
    rows.kernel("steps_before")(grid, threads, (np.int32(n), head, following, before))
    place = library.asarray(places, dtype=np.int32)
    rows.kernel("settle")(
        grid, threads, (*stream, *(head, following, before), place, rows.order(present), pool)
    )


_64_BITS = (1 << 64) - 1
