"""Long whole numbers times a matrix of short ones, exactly, at the speed of floating point.

All numbers are cut into limbs of 20 bits: a sum of up to 2^12 products of two limbs is below 2^53, so
that a matrix product in floating point has no rounding at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.modular import Ints, Vector, limbs_of

_LIMB = 20
_MOST = 1 << 12  # products in a sum
_PAYS = 1 << 14  # numbers in a matrix, from which on this is faster than Python's own arithmetic


def combined(weights: Sequence[int], rows: Sequence[Sequence[int]]) -> Vector:
    """Σ weight_i row_i."""
    if len(rows) * len(rows[0]) < _PAYS:
        columns = zip(*rows, strict=True)
        return [sum(map(int.__mul__, weights, column)) for column in columns]
    total = [0] * len(rows[0])
    for begin in range(0, len(rows), _MOST):
        some = slice(begin, begin + _MOST)
        part = _joined(_products(weights[some], limbs_of(rows[some], _LIMB)))
        total = [a + b for a, b in zip(total, part, strict=True)]
    return total


def _products(weights: Sequence[int], limbs: Sequence[Ints]) -> Ints:
    """A row of limbs for each column of the matrix; not yet carried over."""
    long = _long(weights)
    out = np.zeros((limbs[0].shape[1], long.shape[1] + len(limbs)), dtype=np.int64)
    for place, limb in enumerate(limbs):
        exact = limb.T.astype(np.float64) @ long
        out[:, place : place + long.shape[1]] += exact.astype(np.int64)
    return out


def _long(numbers: Sequence[int]) -> NDArray[np.float64]:
    """Numbers as rows of limbs, signed as they are: five bytes are two limbs."""
    size = max(1, max(-(-abs(v).bit_length() // (2 * _LIMB)) for v in numbers))
    data = b"".join(abs(v).to_bytes(5 * size, "little") for v in numbers)
    b = np.frombuffer(data, dtype=np.uint8).reshape(len(numbers), size, 5).astype(np.int64)
    out = np.empty((len(numbers), size, 2))
    out[..., 0] = b[..., 0] | b[..., 1] << 8 | (b[..., 2] & 15) << 16
    out[..., 1] = b[..., 2] >> 4 | b[..., 3] << 4 | b[..., 4] << 12
    out *= np.array([-1.0 if v < 0 else 1.0 for v in numbers])[:, None, None]
    return out.reshape(len(numbers), 2 * size)


def _joined(limbs: Ints) -> Vector:
    """The numbers that rows of limbs stand for: limbs of any size and sign."""
    out = np.zeros((len(limbs), limbs.shape[1] + 4 + limbs.shape[1] % 2), dtype=np.int64)
    carry = np.zeros(len(limbs), dtype=np.int64)
    for place in range(out.shape[1] - 2):
        carry += limbs[:, place] if place < limbs.shape[1] else 0
        out[:, place] = carry & ((1 << _LIMB) - 1)
        carry >>= _LIMB
    # What is left is 0, or -1: the number is negative, and 2^(20 places) too large.
    pairs = out[:, : out.shape[1] - 2].reshape(len(out), -1, 2)
    low, high = pairs[..., 0], pairs[..., 1]
    data = np.empty((*low.shape, 5), dtype=np.uint8)
    data[..., 0], data[..., 1] = low, low >> 8
    data[..., 2] = low >> 16 | (high & 15) << 4
    data[..., 3], data[..., 4] = high >> 4, high >> 12
    borrowed = 1 << (_LIMB * 2 * low.shape[1])
    return [
        int.from_bytes(row.tobytes(), "little") + c * borrowed
        for row, c in zip(data, carry.tolist(), strict=True)
    ]
