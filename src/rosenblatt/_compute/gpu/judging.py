"""Looks on a GPU that change nothing: counting, scores, the rows of a batch step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.gpu.driver import cupy
from rosenblatt._compute.gpu.rows import DeviceLabels, DeviceRows

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
    rows: DeviceRows,
    labels: DeviceLabels,
    begin: int,
    end: int,
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    sum: NDArray[np.float64],
    seen: NDArray[np.float64] | None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """sum += the steps of the rows that call for an update; returns those rows and their marks."""
    library, k, n = cupy(), 0 if w.ndim == 1 else len(w), end - begin
    X, y = rows.X[begin:end], labels.of(begin, end)
    marks = library.empty(n, dtype=np.int32)
    shown = 0 if seen is None else library.empty(n)
    arguments = (
        *(X, *y, np.int32(k), library.asarray(w), np.int32(rows.d)),
        *(np.float64(margin), np.int64(n), marks, shown),
    )
    rows.kernel("look")(*rows.each_row(n), arguments)
    some = library.flatnonzero(marks)
    total = library.asarray(sum)
    grid = (-(-(rows.d + 1) // _COLUMNS), max(k, 1))
    numbers = np.int64(len(some)), np.int32(rows.d), np.int32(intercept)
    arguments = (X, *y, marks, some, *numbers, total)
    rows.kernel("add_marked")(grid, (_COLUMNS,), arguments)
    sum[...] = library.asnumpy(total)
    if seen is not None:
        seen[begin:end] = library.asnumpy(shown)
    return begin + library.asnumpy(some), library.asnumpy(marks[some])
