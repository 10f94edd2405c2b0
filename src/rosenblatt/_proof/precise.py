"""Matrices of twice the digits, and their products: parts of few bits, multiplied exactly.

A number is cut into parts of so few bits that a product of two matrices of parts has no rounding
(Ozaki, Ogita, Oishi and Rump, Numerical Algorithms 59, 2012). It is for guessing: nothing here is
proved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_PARTS = 6  # that a number is cut into: about 120 bits


@dataclass(frozen=True)
class Precise:
    """high + low, the second much smaller."""

    high: Floats
    low: Floats

    @classmethod
    def of(cls, matrix: Floats) -> Precise:
        return cls(matrix, np.zeros_like(matrix))

    def scaled(self, power: Floats) -> Precise:
        """Columns times powers of two."""
        return Precise(self.high * power, self.low * power)

    def sliced(self) -> Sliced:
        return Sliced(_cut(self.high, 0, self.low))

    def changed(
        self, places: NDArray[np.intp], direct: Floats, others: NDArray[np.intp], shares: Floats
    ) -> Precise:
        """With `direct` and shares of other columns added to some columns."""
        total, error = _product(_cut(self.high[:, others], 1, self.low[:, others]), _cut(shares, 0))
        high, low = self.high.copy(), self.low.copy()
        for term, rest in ((total, error), (direct, np.zeros_like(direct))):
            both, off = _two_sum(high[:, places], term)
            off += low[:, places] + rest
            high[:, places], low[:, places] = _two_sum(both, off)
        return Precise(high, low)


@dataclass(frozen=True)
class Sliced:
    """A matrix cut into parts."""

    parts: list[Floats]

    def of_rows(self, a: Floats) -> Floats:
        """a times the matrix, rounded once."""
        total, error = _product(_cut(a, 1), self.parts)
        return np.asarray(total + error)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The sum and its rounding error (Knuth)."""
    both = a + b
    back = both - a
    return both, (a - (both - back)) + (b - back)


def _cut(a: Floats, axis: int, low: Floats | None = None) -> list[Floats]:
    """Parts that sum to a (and low), each with the same unit in every row (or column)."""
    bits = (52 - max(a.shape[axis], 2).bit_length()) // 2
    largest = np.abs(a).max(axis=axis, keepdims=True, initial=1e-300)
    unit = np.exp2(np.ceil(np.log2(largest)))
    out, rest = [], a
    for k in range(_PARTS):
        if k == 3 and low is not None:
            rest = rest + low
        unit = unit * 2.0**-bits
        high = 1.5 * 2.0**52 * unit
        part = (rest + high) - high
        out.append(part)
        rest = rest - part
        if low is None and not rest.any():
            break
    return out


def _product(left: list[Floats], right: list[Floats]) -> tuple[Floats, Floats]:
    """The product of two sums of parts, and the sum of its rounding errors."""
    total = np.zeros((len(left[0]), right[0].shape[1]))
    error = np.zeros_like(total)
    for i, a in enumerate(left):
        for b in right[: _PARTS - i]:
            total, off = _two_sum(total, a @ b)
            error += off
    return total, error
