"""The GPU as a backend of the loop: the functions of `protocol.py` that it has, on `DeviceRows`.

Weights, counts and labels are arrays of the host, as those of the other backends; rows and orders
are on the GPU. What it does not have is refused before training begins (`refuse`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._compute.gpu import judging, learning, permuting
from rosenblatt._compute.gpu.driver import cupy, errors_in_words
from rosenblatt._compute.gpu.rows import DeviceRows
from rosenblatt._compute.protocol import Floats, Ints, Labels, LogColumns, NextPool


class OnGpu:
    """One GPU."""

    def visit(
        self,
        rows: DeviceRows,
        y: Labels,
        c: Floats | None,
        order: Any,
        begin: int,
        end: int,
        most: int,
        margin: float,
        intercept: bool,
        w: Floats,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        next: NextPool | None = None,
        /,
    ) -> tuple[int, int]:
        """As the protocol has it; it may stop earlier, and orders are made by `arrange` alone."""
        with errors_in_words():
            labels = rows.labels(y, c)
            given = learning.Visits(
                *(rows, labels, rows.order(order), begin, end, most, margin, intercept, visits)
            )
            made = learning.visit(given, w, drift, noted=log is not None)
        updated = made.rows
        if made.rivals is None:
            counts[updated] += 1  # a row is visited once in a pass
        else:
            counts[updated, y[updated]] += 1
            counts[updated, made.rivals] -= 1
        if log is not None:
            _note(log, made, begin, visits)
        return made.reached, len(updated)

    def look(
        self,
        rows: DeviceRows,
        y: Labels,
        c: Floats | None,
        begin: int,
        end: int,
        margin: float,
        intercept: bool,
        w: Floats,
        sum: Floats,
        mark: Any,
        scores: Floats | None,
        /,
    ) -> int:
        with errors_in_words():
            given = rows, rows.labels(y, c), begin, end, margin, intercept
            some, marks = judging.look(*given, w, sum, scores)
        mark[some] = marks
        return len(some)

    def count(
        self,
        rows: DeviceRows,
        y: Labels,
        c: Floats | None,
        w: Floats,
        limit: Floats,
        begin: int,
        end: int,
        plain: Ints,
        weighted: Floats,
        /,
    ) -> bool:
        """Whole counts: nothing is gained by stopping at a limit. Weights are added in order."""
        with errors_in_words():
            found, flags = judging.mistakes(rows, rows.labels(y, c), w, begin, end)
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
            judging.scores(rows, w, begin, end, out)

    class_scores = scores

    # Orders.

    def pool(self, n: int) -> Any:
        """Room for an order of so many rows."""
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
            permuting.arrange(rows, pool, present, seed, first, size, places)


def _note(log: LogColumns, made: learning.Made, begin: int, visits: int) -> None:
    """Row, visit, and the score before; of many classes margin and rival instead."""
    assert made.places is not None
    visit = visits + made.places.astype(np.int64) - begin
    noted = (made.rows, visit, made.seen, made.rivals)
    for column, values in zip(log, noted, strict=False):
        column[: len(made.rows)] = values
