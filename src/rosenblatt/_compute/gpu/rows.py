"""Rows on a GPU, with what is kept beside them from one call to the next."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.gpu.driver import cupy, errors_in_words
from rosenblatt._compute.gpu.layout import layout_of
from rosenblatt._compute.gpu.regime import Regime
from rosenblatt._compute.gpu.source import kernel

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
        """The same pointers for some of the rows."""
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
