"""How the walk lies in the memory of a GPU: slices of columns, and pieces of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rosenblatt._compute.gpu.rows import DeviceRows

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
        """Where a piece is prepared: rows, their weights, products of rows with each other."""
        count = self.blocks * BLOCK
        return (
            rows.room(f"Z{side}", count * self.row_bytes // rows.number, rows.X.dtype),
            rows.room(f"steps{side}", count, np.float64),
            rows.room(f"gram{side}", 2 * count * BLOCK, np.float32),
        )

    def between(self, rows: DeviceRows) -> tuple[Any, Any, Any]:
        """What the multiprocessors tell each other."""
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
