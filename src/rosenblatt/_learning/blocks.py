"""The order of rows within blocks and shards: a function of the seed, the epoch and their numbers.

In epoch e, counted from 0, the permutation e·2³² + 1 + b of the seed is that of the rows of block
b; e·2³² is that of the blocks, or of those of shard 0; and (e + 1)·2³² - s is that of the blocks of
shard s > 0. No two are the same. The functions count epochs from 1.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._compute.backend import compute


def block_order(n: int, seed: int, epoch: int) -> list[int]:
    """The blocks of n rows as this epoch visits them."""
    return _arranged(0, n_blocks(n), seed, (epoch - 1) << 32)


def shard_order(n: int, s: int, seed: int, epoch: int) -> list[int]:
    """Those of shard s."""
    first = s * compute.shard
    number = (epoch - 1 + (s > 0)) << 32
    return _arranged(first, min(first + compute.shard, n_blocks(n)), seed, number - s)


def n_blocks(n: int) -> int:
    """Of n rows."""
    return -(-n // compute.block)


class Turns:
    """The blocks of an epoch in the order of their visits, and where each begins."""

    def __init__(self, n: int, blocks: list[int]):
        self.blocks = blocks
        sizes = [min(compute.block, n - b * compute.block) for b in blocks]
        self.begins = np.cumsum([0, *sizes])  # counted in visits

    def at(self, position: int) -> int:
        """Whose turn it is after so many visits."""
        return int(np.searchsorted(self.begins, position, side="right")) - 1


def _arranged(first: int, last: int, seed: int, number: int) -> list[int]:
    order = np.empty(last - first, dtype=np.int64)
    compute.backend.arrange(order, None, seed, number, len(order))
    return (order + first).tolist()


def permutation_of_block(b: int, epoch: int) -> int:
    """Its number."""
    return ((epoch - 1) << 32) + 1 + b


def arrange_block(pool: np.ndarray, rows: np.ndarray | None, b: int, seed: int, epoch: int) -> None:
    """pool := the rows of block b (None: 0, 1, …) as this epoch visits them."""
    compute.backend.arrange(pool, rows, seed, permutation_of_block(b, epoch), len(pool))


def arrange_blocks(
    pool: np.ndarray, present: np.ndarray | None, n: int, blocks: list[int], seed: int, epoch: int
) -> None:
    """pool := the rows of these blocks of n rows, those that are `present` or all."""
    place = 0
    for b in blocks:
        rows = slice(b * compute.block, (b + 1) * compute.block)
        size = min(n - rows.start, compute.block)
        found = pool[place : place + size]
        arrange_block(found, None if present is None else present[rows], b, seed, epoch)
        if present is None:
            found += rows.start
        place += size
