"""Pairs of rows of which every rule misclassifies one, for all rules whose weights lie in a cone.

Let i be a positive row, k a negative one, and g·(x_k - x_i) >= 0 for each generator g of the cone.
Then w·x_k >= w·x_i for every w in it: where the rule (w, b) is right about i, it is wrong about k.
Pairs that have no row in common are as many errors. Where an error counts more than 1, a row gives
to its pairs no more than it counts.

Whole numbers decide: X in multiples of a power of two, each column its own, of 128 bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._certify.rows import Floats, binary_parts
from rosenblatt._core import reference
from rosenblatt._core.backend import compute

Ranks = NDArray[np.int32]
Ints = NDArray[np.int64]
Direction = tuple[int, ...]  # in the units of the whole numbers

_BITS = 126  # of a sum of products, which has a sign and must not overflow
_ROOM = 16  # of them for directions, at least


class Pairs(NamedTuple):
    """Row `positive[e]` and row `negative[e]` give `amount[e]` errors."""

    positive: NDArray[np.int32]
    negative: NDArray[np.int32]
    amount: Ints

    @property
    def total(self) -> int:
        return int(self.amount.sum())


NO_PAIRS = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64))


class PairTable:
    """The rows in whole numbers, and what each costs."""

    def __init__(self, x: Floats, y: NDArray[np.int8], cost: Ints):
        self.n, self.d = int(x.shape[0]), int(x.shape[1])
        self.y, self.cost = y, cost
        self._digits, self._up, self.below = binary_parts(x)
        length = np.frexp(np.abs(self._digits).astype(np.float64))[1] + self._up
        self.bits = np.where(self._digits == 0, 0, length).max(axis=0, initial=0)  # of each column
        self.possible = int(self.bits.max(initial=0)) <= _BITS - _ROOM
        if self.possible:
            self._wide = self._in_two_words()
            # Columns of similar size, for what floating point may guess: where to split.
            self.scaled = np.ldexp(self._digits.astype(np.float64), self._up - self.bits)

    def fits(self, direction: Direction) -> bool:
        """Whether projections on it are below 2^126."""
        longest = max(
            int(b) + abs(v).bit_length() for b, v in zip(self.bits, direction, strict=True)
        )
        return longest + int(self.d).bit_length() <= _BITS

    def _in_two_words(self) -> NDArray[np.uint64]:
        """digits 2^up in two's complement, the low word first."""
        up, digits = self._up.astype(np.uint64), self._digits
        out = _aligned((self.n, self.d, 2))
        low = np.minimum(up, np.uint64(63))
        out[:, :, 0] = np.where(up < 64, digits.astype(np.uint64) << low, np.uint64(0))
        spilled = digits >> np.where(up == 0, 63, 64 - np.minimum(self._up, 63))
        far = digits << np.maximum(self._up - 64, 0)
        out[:, :, 1] = np.where(up < 64, spilled, far).astype(np.uint64)
        return out

    def whole(self, row: int) -> list[int]:
        return [
            v << k for v, k in zip(self._digits[row].tolist(), self._up[row].tolist(), strict=True)
        ]

    def ranks(self, direction: Direction) -> Ranks:
        rank = np.empty(self.n, dtype=np.int32)
        core = compute.cones
        if core is None:
            reference.ranks_along([self.whole(i) for i in range(self.n)], direction, rank)
        else:
            words = _aligned((self.d, 2))
            words[:] = [[v & (2**64 - 1), v >> 64 & (2**64 - 1)] for v in direction]
            core.rank_along(self._wide, words, rank)
        return rank

    def forced(self, ranks: list[Ranks], known: Pairs, cost: Ints | None = None) -> Pairs:
        core, cost = compute.cones or reference, self.cost if cost is None else cost
        return Pairs(*core.forced_pairs(_rows(ranks), self.y, cost, *known))

    def left(self, pairs: Pairs) -> Ints:
        left = self.cost.copy()
        np.subtract.at(left, pairs.positive, pairs.amount)
        np.subtract.at(left, pairs.negative, pairs.amount)
        return left

    def undecided(self, ranks: list[Ranks], left: Ints, most: int) -> Pairs:
        core = compute.cones or reference
        return Pairs(*core.undecided_pairs(_rows(ranks), self.y, left, most))


def _rows(ranks: list[Ranks]) -> NDArray[np.int32]:
    """np.stack, in less time."""
    return np.concatenate(ranks).reshape(len(ranks), -1)


def _aligned(shape: tuple[int, ...]) -> NDArray[np.uint64]:
    """Pairs of words that the core reads as numbers of 128 bits: at a multiple of 16 bytes."""
    size = math.prod(shape)
    words = np.empty(size + 1, dtype=np.uint64)
    skipped = words.ctypes.data % 16 // 8
    return words[skipped : skipped + size].reshape(shape)
