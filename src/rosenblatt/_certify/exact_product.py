"""Long whole numbers times a matrix of short ones, exactly, at the speed of floating point.

All numbers are cut into limbs of 20 bits: a sum of up to 2^12 products of two limbs is below 2^53,
so that a matrix product in floating point has no rounding at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Vector = list[int]

_LIMB = 20
_MOST = 1 << 12  # products in a sum
MOST_TERMS = _MOST - 1  # and one number more
_DIGITS = 53  # bits of a float
_SPREAD = 400  # bits between the exponents of the numbers in a column
_HIGHEST = 1 << 20  # above all exponents
_PAYS = 1 << 14  # numbers in a matrix, from which on this is faster than Python's own arithmetic


class Combining:
    """Σ weight_i row_i of the same rows with several weights."""

    def __init__(self, rows: Sequence[Sequence[int]]):
        self._rows, self._limbs = rows, list[list[Ints]]()
        if rows and len(rows) * len(rows[0]) >= _PAYS:
            parts = (rows[begin : begin + _MOST] for begin in range(0, len(rows), _MOST))
            self._limbs = [limbs_of(part, _LIMB) for part in parts]

    def __call__(self, weights: Sequence[int]) -> Vector:
        if not self._limbs:
            columns = zip(*self._rows, strict=True)
            return [sum(map(int.__mul__, weights, column)) for column in columns]
        parts = [
            _joined(_products(weights[k * _MOST : (k + 1) * _MOST], limbs))
            for k, limbs in enumerate(self._limbs)
        ]
        return [sum(values) for values in zip(*parts, strict=True)]


def combined(weights: Sequence[int], rows: Sequence[Sequence[int]]) -> Vector:
    return Combining(rows)(weights)


def _products(weights: Sequence[int], limbs: Sequence[Ints]) -> Ints:
    long = _long(weights)
    out = np.zeros((limbs[0].shape[1], long.shape[1] + len(limbs)), dtype=np.int64)
    for place, limb in enumerate(limbs):
        exact = limb.T.astype(np.float64) @ long
        out[:, place : place + long.shape[1]] += exact.astype(np.int64)
    return out


def _long(numbers: Sequence[int]) -> NDArray[np.float64]:
    """Numbers as rows of limbs, signed as they are: five bytes are two limbs."""
    size = max(1, -(-longest([numbers]) // (2 * _LIMB)))
    data = b"".join(abs(v).to_bytes(5 * size, "little") for v in numbers)
    b = np.frombuffer(data, dtype=np.uint8).reshape(len(numbers), size, 5).astype(np.int64)
    out = np.empty((len(numbers), size, 2))
    out[..., 0] = b[..., 0] | b[..., 1] << 8 | (b[..., 2] & 15) << 16
    out[..., 1] = b[..., 2] >> 4 | b[..., 3] << 4 | b[..., 4] << 12
    out *= np.array([-1.0 if v < 0 else 1.0 for v in numbers])[:, None, None]
    return out.reshape(len(numbers), 2 * size)


def _carried(limbs: Ints) -> tuple[Ints, Ints]:
    """Limbs of 20 bits, an even number of them, from limbs of any size and sign; what is left.

    That is 0, or -1: the number is negative, and 2^(20 places) too large.
    """
    out = np.zeros((len(limbs), (limbs.shape[1] + 4) // 2 * 2), dtype=np.int64)
    carry = np.zeros(len(limbs), dtype=np.int64)
    for place in range(out.shape[1]):
        if place < limbs.shape[1]:
            carry += limbs[:, place]
        out[:, place] = carry & ((1 << _LIMB) - 1)
        carry >>= _LIMB
    return out, carry


def _joined(limbs: Ints) -> Vector:
    out, left = _carried(limbs)
    low, high = out[:, ::2], out[:, 1::2]
    data = np.empty((*low.shape, 5), dtype=np.uint8)
    data[..., 0], data[..., 1] = low & 255, low >> 8 & 255
    data[..., 2] = low >> 16 | (high & 15) << 4
    data[..., 3], data[..., 4] = high >> 4 & 255, high >> 12
    borrowed = 1 << (_LIMB * out.shape[1])
    return [
        int.from_bytes(row.tobytes(), "little") + c * borrowed
        for row, c in zip(data, left.tolist(), strict=True)
    ]


def longest(matrix: Sequence[Sequence[int]]) -> int:
    ends = (end for row in matrix if row for end in (max(row), -min(row)))
    return max(ends, default=0).bit_length()


def limbs_of(matrix: Sequence[Sequence[int]], limb: int) -> list[Ints]:
    """The matrix as Σ limb_k 2^(limb k), with limbs of so many bits, signed as the entries."""
    bits = longest(matrix)
    if bits < 63:
        m = np.array(matrix, dtype=np.int64)
        return _split(np.abs(m), np.sign(m), bits, limb)
    m = np.array(matrix, dtype=object)
    sign, m = np.where(m < 0, -1, 1).astype(np.int64), np.abs(m)
    width = 62 // limb * limb
    out: list[Ints] = []
    while bits > 0:
        low = (m & ((1 << width) - 1)).astype(np.int64)
        out += _split(low, sign, min(bits, width), limb)
        m, bits = m >> width, bits - width
    return out


def _split(m: Ints, sign: Ints, bits: int, limb: int) -> list[Ints]:
    mask = (1 << limb) - 1
    return [sign * (m >> k & mask) for k in range(0, max(bits, 1), limb)]


# --- Floats --------------------------------------------------------------------------------------


def signs_of_products(x: Floats, w: Sequence[int], last: int) -> NDArray[np.int8] | None:
    """The sign of x_i·w + last for every row; None where a column's exponents differ too much."""
    limbs = _of_floats(x, w, last)
    if limbs is None:
        return None
    out, left = _carried(limbs[0])
    return np.where(left < 0, -1, out.any(axis=1)).astype(np.int8)


def products(x: Floats, w: Sequence[int], last: int) -> tuple[Vector, int] | None:
    """x_i·w + last for every row, as whole numbers over a common denominator; None as above."""
    limbs = _of_floats(x, w, last)
    return None if limbs is None else (_joined(limbs[0]), limbs[1])


def combinations(x: Floats, several: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """x_i·w for every row and several w."""
    cut = _cut_columns(x)
    if cut is None:
        exact = [[*map(Fraction, row)] for row in x.tolist()]
        return [[sum(map(mul, row, w), Fraction(0)) for w in several] for row in exact]
    limbs, used, least = cut
    each = [_joined(_products(_scaled(w, 0, used, least), limbs)) for w in several]
    return [[Fraction(v, 1 << -least) for v in row] for row in zip(*each, strict=True)]


def vanishing(
    x: Floats, normals: Sequence[Sequence[int]], intercept: bool
) -> NDArray[np.bool_] | None:
    """Which rows (x, 1), or x, are orthogonal to all of the vectors? None as above."""
    cut = _cut_columns(x)
    if cut is None:
        return None
    limbs, used, least = cut
    out = np.ones(len(x), dtype=bool)
    for normal in normals:
        last = normal[-1] if intercept else 0
        scaled = _scaled(normal[: x.shape[1]], last, used, least)
        places = [k for k, v in enumerate(scaled) if v]
        part = [limb[places] for limb in limbs]
        out &= ~_carried(_products([scaled[k] for k in places], part))[0].any(axis=1)
    return out


def _of_floats(x: Floats, w: Sequence[int], last: int) -> tuple[Ints, int] | None:
    cut = _cut_columns(x)
    if cut is None:
        return None
    limbs, used, least = cut
    return _products(_scaled(w, last, used, least), limbs), 1 << -least


def _cut_columns(x: Floats) -> tuple[list[Ints], Vector, int] | None:
    """Columns in limbs, as rows, and a 1 appended: x = whole · 2^shift in each column; the shifts,
    and the least of them and 0."""
    if not len(x) or not 0 < x.shape[1] < _MOST:
        return None
    whole, exponent = np.frexp(x)
    whole = np.ldexp(whole, _DIGITS).astype(np.int64)
    exponent = np.where(whole == 0, _HIGHEST, exponent - _DIGITS).astype(np.int64)
    shift = exponent.min(axis=0)
    above = np.where(whole == 0, 0, exponent - shift)
    if int(above.max(initial=0)) > _SPREAD:
        return None
    used = [int(v) if v < _HIGHEST else 0 for v in shift]
    ones = np.ones((1, len(x)), dtype=np.int64)
    limbs = [np.vstack([limb.T, ones * (k == 0)]) for k, limb in enumerate(_cut(whole, above))]
    return limbs, used, min(*used, 0)


def _scaled(w: Sequence[int], last: int, used: Vector, least: int) -> Vector:
    """Weights of whole columns: each times the power of two of its column."""
    return [v << (e - least) for v, e in zip(w, used, strict=True)] + [last << -least]


def _cut(whole: Ints, above: Ints) -> list[Ints]:
    """whole · 2^above in limbs."""
    sign, size = np.sign(whole), np.abs(whole)
    places = (_DIGITS + int(above.max(initial=0))) // _LIMB + 1
    out = []
    for place in range(places):
        down = place * _LIMB - above  # bits to drop; negative: to append
        part = np.where(down >= 0, size >> np.clip(down, 0, 63), size << np.clip(-down, 0, _LIMB))
        out.append(sign * (part & ((1 << _LIMB) - 1)))
    return out
