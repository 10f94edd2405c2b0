"""Mean and spread of columns, the same to the bit however the rows are divided into parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_BLOCK = 1 << 17  # numbers: rows are always added up in the same blocks of about that size


class Moments:
    """Add rows; NaN is a missing number and does not count."""

    def __init__(self, columns: int):
        self.count = np.zeros(columns)
        self.mean = np.zeros(columns)
        self.squares = np.zeros(columns)  # of the distances from the mean, added up
        self.least = np.full(columns, np.inf)
        self.greatest = np.full(columns, -np.inf)
        self._size = max(1, _BLOCK // max(columns, 1))
        self._waiting = np.empty((0, columns))

    def add(self, rows: Numbers) -> None:
        begin = 0
        if len(self._waiting):
            begin = min(self._size - len(self._waiting), len(rows))
            self._waiting = np.concatenate([self._waiting, rows[:begin]])
            if len(self._waiting) < self._size:
                return
            self._block(self._waiting)
        while len(rows) - begin >= self._size:
            self._block(rows[begin : begin + self._size])
            begin += self._size
        self._waiting = rows[begin:].copy()

    def finish(self) -> None:
        if len(self._waiting):
            self._block(self._waiting)
            self._waiting = self._waiting[:0]

    @np.errstate(all="ignore")  # overflow is looked for where the result is used
    def _block(self, rows: Numbers) -> None:
        """Chan, Golub and LeVeque (1979): moments of two sets from those of each."""
        rows = np.ascontiguousarray(rows)
        none = np.isnan(rows)
        count = len(rows) - none.sum(axis=0).astype(np.float64)
        rows = np.where(none, 0.0, rows) if none.any() else rows
        some = np.maximum(count, 1.0)
        mean = rows.sum(axis=0) / some
        away = rows - mean
        away[none] = 0.0
        both = np.maximum(self.count + count, 1.0)
        apart = mean - self.mean
        self.mean = np.where(count > 0, self.mean + apart * (count / both), self.mean)
        self.squares = (
            self.squares + (away * away).sum(axis=0) + apart**2 * (self.count * count / both)
        )
        self.count = self.count + count
        self.least = np.minimum(self.least, np.where(none, np.inf, rows).min(axis=0))
        self.greatest = np.maximum(self.greatest, np.where(none, -np.inf, rows).max(axis=0))

    def spread(self) -> Numbers:
        """The standard deviation; 1 for a column that is the same everywhere."""
        with np.errstate(all="ignore"):
            deviation = np.sqrt(self.squares / np.maximum(self.count, 1.0))
        constant = (self.least >= self.greatest) | (deviation < 2.0**-500)
        return np.where(constant, 1.0, deviation)

    def center(self) -> Numbers:
        """The mean; exactly the value of a column that is the same everywhere."""
        return np.where(self.least == self.greatest, self.least, self.mean)
