"""From floating-point numbers and fractions to whole numbers, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = list[int]


def decimal_ratio(x: float) -> tuple[int, int]:
    """The shortest decimal number that reads as x."""
    return Decimal(repr(x)).as_integer_ratio()


def whole_binary(x: Floats) -> tuple[list[Vector], Vector]:
    """Whole multiples of the columns, and what they were multiplied by: powers of two."""
    digits, up, below = binary_parts(x)
    pairs = zip(digits.tolist(), up.tolist(), strict=True)
    rows = [list(map(int.__lshift__, row, shifts)) for row, shifts in pairs]
    return rows, [1 << k for k in below.tolist()]


def binary_parts(x: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """digits, up and below: digits 2^up are whole, and x times 2^below of its column."""
    part, exponent = np.frexp(x)
    digits = np.ldexp(part, 53).astype(np.int64)
    lowest = np.maximum(digits & -digits, 1)  # the lowest bit that is set
    zeros = np.frexp(lowest.astype(np.float64))[1] - 1
    digits >>= zeros
    exponent = np.where(digits == 0, 0, exponent - 53 + zeros)  # x = digits · 2^exponent, odd
    below = np.maximum(-exponent.min(axis=0, initial=0), 0)
    return digits, (exponent + below).astype(np.int64), below.astype(np.int64)


def nearest_floats(w: Sequence[Fraction]) -> Floats:
    """A positive multiple of w, the largest entry about 1."""
    exact, _ = whole_vector(w)
    scale = 1 << max((abs(v).bit_length() for v in exact), default=0)
    return np.array([v / scale for v in exact])


def whole_vector(w: Sequence[Fraction], bound: Fraction = Fraction(0)) -> tuple[Vector, int]:
    """A positive multiple of (w, bound) in whole numbers."""
    common = math.lcm(*(v.denominator for v in w), bound.denominator)
    *whole, low = (v.numerator * (common // v.denominator) for v in [*w, bound])
    return whole, low
