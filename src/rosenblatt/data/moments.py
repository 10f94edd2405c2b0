"""Mean and spread of columns, the same to the bit however the rows are divided into batches.

Rows are taken 2^m at a time, by row number, so few that a cache holds them. Their moments fold in
a binary tree over their numbers, as sums over blocks do (`_core/summation.py`). A block of 65,536
rows is a branch of it: moments of blocks can be made elsewhere, and fold to the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.summation import Fold

Numbers = NDArray[np.float64]
_PART = 1 << 17  # numbers that are added up together, at most, but for one row


@dataclass(frozen=True)
class Seen:
    """What some rows hold, by column; NaN is a missing number and does not count."""

    count: Numbers
    mean: Numbers
    squares: Numbers  # of the distances from the mean, added up
    least: Numbers
    greatest: Numbers

    def spread(self) -> Numbers:
        """The standard deviation; 1 for a column that is the same everywhere."""
        with np.errstate(all="ignore"):
            deviation = np.sqrt(self.squares / np.maximum(self.count, 1.0))
        constant = (self.least >= self.greatest) | (deviation < 2.0**-500)
        return np.where(constant, 1.0, deviation)

    def center(self) -> Numbers:
        """The mean; exactly the value of a column that is the same everywhere."""
        return np.where(self.least == self.greatest, self.least, self.mean)


class Moments:
    """Add rows, in their order."""

    def __init__(self, columns: int):
        self._size = part_of(columns)
        self._waiting = np.empty((0, columns))
        self._seen = Fold[Seen](together)

    def add(self, rows: Numbers) -> None:
        begin = 0
        if len(self._waiting):
            begin = min(self._size - len(self._waiting), len(rows))
            self._waiting = np.concatenate([self._waiting, rows[:begin]])
            if len(self._waiting) < self._size:
                return
            self._seen.add(seen(self._waiting))
        while len(rows) - begin >= self._size:
            self._seen.add(seen(rows[begin : begin + self._size]))
            begin += self._size
        self._waiting = rows[begin:].copy()

    def finish(self) -> Seen:
        """No more rows come: what all of them hold."""
        if len(self._waiting):
            self._seen.add(seen(self._waiting))
            self._waiting = self._waiting[:0]
        return self._seen.total()


def part_of(columns: int) -> int:
    """Rows that are added up together: a power of two, at most a block."""
    most = max(1, _PART // max(columns, 1))
    return min(1 << (most.bit_length() - 1), compute.block)


@np.errstate(all="ignore")  # overflow is looked for where the result is used
def seen(rows: Numbers) -> Seen:
    """Of some rows, in two passes."""
    rows = np.ascontiguousarray(rows)
    none = np.isnan(rows)
    count = len(rows) - none.sum(axis=0).astype(np.float64)
    rows = np.where(none, 0.0, rows) if none.any() else rows
    mean = rows.sum(axis=0) / np.maximum(count, 1.0)
    away = rows - mean
    away[none] = 0.0
    least = np.where(none, np.inf, rows).min(axis=0)
    greatest = np.where(none, -np.inf, rows).max(axis=0)
    return Seen(count, mean, (away * away).sum(axis=0), least, greatest)


@np.errstate(all="ignore")
def together(one: Seen, other: Seen) -> Seen:
    """Chan, Golub and LeVeque (1979): moments of two sets of rows from those of each."""
    both = np.maximum(one.count + other.count, 1.0)
    apart = other.mean - one.mean
    mean = np.where(other.count > 0, one.mean + apart * (other.count / both), one.mean)
    squares = one.squares + other.squares + apart**2 * (one.count * other.count / both)
    return Seen(
        one.count + other.count,
        mean,
        squares,
        np.minimum(one.least, other.least),
        np.maximum(one.greatest, other.greatest),
    )
