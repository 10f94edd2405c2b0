"""Permutations on a GPU: `permute.cu` says how all places are found at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._compute.gpu.driver import cupy
from rosenblatt._compute.gpu.rows import THREADS, DeviceRows


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
        grid,
        threads,
        (*stream, *(head, following, before), place, rows.order(present), pool),
    )


_64_BITS = (1 << 64) - 1
