"""Rows on a GPU, with what is kept beside them from one call to the next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.gpu.driver import cupy, errors_in_words, kernel

THREADS = 256  # of a block, where it does not matter


class DeviceLabels:
    """Labels and weights of rows as kernels take them: three pointers, 0 for what is not there."""

    def __init__(self, y: NDArray[Any], c: NDArray[np.float64] | None):
        self.host = y, c
        on_gpu = cupy().asarray(y)
        two = y.dtype == np.int8
        weights = None if c is None else cupy().asarray(c)
        self._arrays = (on_gpu if two else None, None if two else on_gpu, weights)
        self.arguments = tuple(0 if a is None else a for a in self._arrays)
        self.heaviest = 1.0 if c is None else float(c.max())

    def of(self, begin: int, end: int) -> tuple[Any, ...]:
        return tuple(0 if a is None else a[begin:end] for a in self._arrays)

    def are(self, y: NDArray[Any], c: NDArray[np.float64] | None) -> bool:
        return self.host[0] is y and self.host[1] is c


class DeviceRows:
    """X of n rows and d columns. X is borrowed, never copied."""

    def __init__(self, X: Any):
        self.X = X
        self.n, self.d = (int(size) for size in X.shape)
        self.regime = Regime()
        self._labels: DeviceLabels | None = None
        self._orders: dict[int, tuple[Any, Any]] = {}
        self._rooms: dict[str, Any] = {}
        self.processors = int(X.device.attributes["MultiProcessorCount"])
        self.shared_memory = int(X.device.attributes["MaxSharedMemoryPerBlockOptin"])
        self.number = int(X.dtype.itemsize)
        self.layout = layout_of(self.d, self.number, self.shared_memory, self.processors)
        self._surveyed: tuple[float, int | None] | None = None
        cuda = cupy().cuda
        self.ahead = cuda.Stream(non_blocking=True)  # prepares what the walk comes to next,
        self.ready, self.free = ([cuda.Event(disable_timing=True) for _ in range(2)] for _ in "rf")

    def kernel(self, name: str, *, wide: bool = False) -> Any:
        slice_bytes = 512 if self.layout is None else self.layout.slice_bytes
        return kernel(name, self.X.dtype.name, wide=wide, slice_bytes=slice_bytes)

    @cached_property
    def between(self) -> tuple[Any, Any, Any]:
        """What the multiprocessors of the walk tell each other, from one call to the next."""
        assert self.layout is not None
        return self.layout.between(self)

    def each_row(self, count: int) -> tuple[tuple[int], tuple[int]]:
        """Blocks and threads of a kernel that reads so many rows, 16 threads each."""
        needed = -(-count * 16 // THREADS)
        return (max(1, min(needed, 16 * self.processors)),), (THREADS,)

    def survey(self) -> tuple[float, int | None]:
        """At least the largest ‖x‖², and the first row that is not finite, if any."""
        if self._surveyed is None:
            found = cupy().array([0, self.n], dtype=np.uint64)
            arguments = (self.X, np.int32(self.d), np.int64(self.n), found[:1], found[1:])
            self.kernel("survey")(*self.each_row(self.n), arguments)
            largest, broken = cupy().asnumpy(found)
            row = None if broken == self.n else int(broken)
            self._surveyed = float(largest.view(np.float64)), row
        return self._surveyed

    def labels(self, y: NDArray[Any], c: NDArray[np.float64] | None) -> DeviceLabels:
        if self._labels is None or not self._labels.are(y, c):
            self._labels = DeviceLabels(y, c)
        return self._labels

    def order(self, order: Any) -> Any:
        """Places to rows: none, an array of the GPU, or one of the host, which is sent once."""
        if order is None:
            return 0
        if not isinstance(order, np.ndarray):
            return order
        known = self._orders.get(id(order))
        if known is None:
            known = self._orders[id(order)] = order, cupy().asarray(order, dtype=np.int32)
        return known[1]

    def room(self, name: str, size: int, dtype: Any) -> Any:
        """An array of at least this size, the same one as long as it is large enough."""
        found = self._rooms.get(name)
        if found is None or found.size < size or found.dtype != dtype:
            found = self._rooms[name] = None
            with errors_in_words():
                found = self._rooms[name] = cupy().empty(size, dtype=dtype)
        return found


# --- How the walk lies in the memory of a GPU: slices of columns, and pieces of rows -------------


BLOCK = 96  # rows of a block: W in `prepare.cu`
PIECE = 1 << 25  # bytes that are prepared at a time: the level 2 cache holds them;
_FEW = 64  # blocks at first, and twice as many at least: fewer would leave multiprocessors idle
_RING, _AHEAD = 8, 4  # as in `walk.cu`
_STATIC = 16 << 10  # shared memory that the kernels have besides


@dataclass(frozen=True)
class Layout:
    """Of rows of a given length on a given GPU."""

    slice_bytes: int  # of a row, that one multiprocessor cares for
    slices: int
    row_bytes: int  # of all slices
    shared: int  # bytes of shared memory
    blocks: int  # of a piece

    def pieces(self, rows: int) -> Iterator[tuple[int, int]]:
        """The first row of each piece, and how many; the first ones are small: nothing is walked
        through before the first is prepared."""
        first, size = 0, _FEW * BLOCK
        while first < rows:
            yield first, min(size, rows - first)
            first, size = first + size, min(2 * size, self.blocks * BLOCK)

    def rooms(self, rows: DeviceRows, side: int) -> tuple[Any, Any, Any]:
        count = self.blocks * BLOCK
        return (
            rows.room(f"Z{side}", count * self.row_bytes // rows.number, rows.X.dtype),
            rows.room(f"steps{side}", count, np.float64),
            rows.room(f"gram{side}", 2 * count * BLOCK, np.float32),
        )

    def between(self, rows: DeviceRows) -> tuple[Any, Any, Any]:
        sizes = 3 * _RING, _AHEAD * self.slices * (BLOCK + 1), self.slices
        names = "messages", "products", "handed"
        found = [rows.room(name, n, np.uint64) for name, n in zip(names, sizes, strict=True)]
        for words in found:
            words.fill(0)
        return found[0], found[1], found[2]


def layout_of(d: int, number: int, shared_memory: int, processors: int) -> Layout | None:
    """For d columns of so many bytes a number; None where the GPU is too small."""
    grams = 4 * BLOCK * BLOCK * 4
    for slice_bytes in (512, 256):
        slices = -(-(d + 1) * number // slice_bytes)
        shared = max(grams, _AHEAD * BLOCK * slice_bytes)
        if shared + _STATIC <= shared_memory and 2 * (slices + 1) <= processors:
            row_bytes = slices * slice_bytes
            blocks = max(2 * _FEW, PIECE // (BLOCK * (row_bytes + 8 * BLOCK)))
            return Layout(slice_bytes, slices, row_bytes, shared, blocks)
    return None


# --- Which way through the rows is the fastest: decided by counts, and no bit changes ------------
#
#     speculating ──more mistakes than one row in `ratio`──► walking
#     walking ──fewer──► speculating
#
# Speculation pays for each mistake, the walk for each block of rows: each is judged by the mistakes
# of the visits that it made.


RATIO = 160  # rows that the walk takes while speculation makes one update, of up to 128 columns,
LEAST_RATIO = 80  # and of very many
AT_FIRST, AT_ONCE = 1 << 14, 1 << 19  # rows of one walk


def ratio_of(d: int) -> int:
    """Long rows make the walk slower than they make speculation."""
    return max(LEAST_RATIO, min(RATIO, RATIO * 128 // max(d, 1)))


@dataclass
class Regime:
    """What has been seen of a training so far."""

    walking: bool = False
    steps: int = AT_FIRST  # rows that the walk goes through next
    window: int = 1  # rows that speculation looks at first
    rounds: int = 0  # that it has made, in all calls
    told: int = 0  # messages of the walk, in all calls,
    blocks: int = 0  # and its blocks

    def speculated(self, rows: int, updates: int, ratio: int) -> None:
        self.walking = updates * ratio > rows + 64 * ratio
        self.steps = AT_FIRST

    def walked(self, rows: int, updates: int, ratio: int) -> None:
        self.walking = updates * ratio > rows
        self.steps = min(4 * self.steps, AT_ONCE)


@dataclass(frozen=True)
class Bounds:
    """What makes decisions of the walk certain: N, R and the last terms of E in `decide.cu`."""

    size: float
    radius: float
    error: float


def bounds(
    *, longest: float, heaviest: float, intercept: bool, w_length: float, rows: int, d: int
) -> Bounds | None:
    """Of a call through so many rows; None where numbers are too large or too small for float32.

    `longest`: at least ‖x‖² of all rows; `heaviest`: the largest weight of a row; `w_length`: at
    least the length of the weights.
    """
    square = longest + (1 if intercept else 0)
    if not (1e-12 < square < 1e24 and 1e-9 < heaviest < 1e9 and w_length < 1e30):
        return None
    radius = math.sqrt(square)
    reach = w_length + rows * heaviest * radius  # no weights of the call are longer
    if not radius * reach < 1e30:
        return None
    error = (d / 8 + 64 + 2 * BLOCK) * 2.0**-52 * radius * reach
    error += 256 * (d + 16) * 2.0**-149 * max(heaviest, 1)
    size = 1.0001 * heaviest * square
    return Bounds(size=size, radius=1.0001 * radius, error=1.02 * error)
