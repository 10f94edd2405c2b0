"""Linear algebra modulo a prime: ranks, inverses, and the digits of p-adic solutions.

The compiled core has the loops of it (native/modular.hpp); where there is none, NumPy does the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Vector = list[int]

# For ranks: a product of residues fits into int64. For lifting: a sum of 512 products does. None is
# near a power of two, as numbers in tables often are.
PRIMES = (1873402121, 1650298873, 2011736471)
LIFTING = (113902421, 127330991, 120476581)
LIMB = 24
MOST_LIFTED = 4096  # the size of a system whose sums fit into 64 bits
_AT_ONCE = 1 << 26  # products in one call of the core: some hundredths of a second


def mod(matrix: Sequence[Sequence[int]], prime: int) -> Ints:
    return np.array([[v % prime for v in row] for row in matrix], dtype=np.int64)


def product(left: Ints, right: Ints, prime: int) -> Ints:
    """The matrix product modulo a prime below 2^31.

    In halves of 16 bits sums of up to 2^20 products are exact in floating point, which is fastest.
    """
    return joined(*halves(left), right, prime)


def halves(m: Ints) -> tuple[Floats, Floats]:
    return (m >> 16).astype(np.float64), (m & 0xFFFF).astype(np.float64)


def joined(a: Any, b: Any, right: Ints, prime: int) -> Ints:
    """(a 2^16 + b) right modulo the prime; a and b may be sparse."""
    c, d = halves(right)
    high, low = (a @ c).astype(np.int64) % prime, (b @ d).astype(np.int64)
    middle = (a @ d + b @ c).astype(np.int64) % prime
    return np.asarray((((high << 16) + middle) % prime * 65536 + low) % prime)


def echelon(matrix: Ints, prime: int) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest square block that is invertible modulo the prime.

    Rows are taken as early as possible.
    """
    if not matrix.size:
        return [], []
    n, width = matrix.shape
    pivot = np.full(n, -1, dtype=np.int64)
    if (core := compute.algebra) is not None:
        m = np.ascontiguousarray(matrix % prime, dtype=np.uint32)
        step = max(1, _AT_ONCE // max(n * width, 1))
        for begin in range(0, n, step):
            core.eliminate(m, prime, begin, min(begin + step, n), pivot)
    else:
        _eliminate(matrix % prime, prime, pivot)
    rows = np.flatnonzero(pivot >= 0)
    return rows.tolist(), pivot[rows].tolist()


def _eliminate(m: Ints, prime: int, pivot: Ints) -> None:
    for i in range(len(m)):
        nonzero = np.flatnonzero(m[i])
        if not len(nonzero):
            continue
        j = pivot[i] = int(nonzero[0])
        factor = m[i + 1 :, j] * pow(int(m[i, j]), -1, prime) % prime
        hit = np.flatnonzero(factor) + i + 1
        m[hit] = (m[hit] - factor[hit - i - 1, None] * m[i]) % prime


def inverse(matrix: Ints, prime: int) -> Ints | None:
    k = len(matrix)
    exchanged = np.zeros(k, dtype=np.int64)
    m = matrix % prime
    if (core := compute.algebra) is not None:
        residues = np.ascontiguousarray(m, dtype=np.uint32)
        step = max(1, _AT_ONCE // max(k * k, 1))
        for begin in range(0, k, step):
            if not core.invert(residues, prime, begin, min(begin + step, k), exchanged):
                return None
        m = residues.astype(np.int64)
    elif not _invert(m, prime, exchanged):
        return None
    for j, i in reversed(list(enumerate(exchanged.tolist()))):
        if i != j:
            m[:, [i, j]] = m[:, [j, i]]
    return m


def _invert(m: Ints, prime: int, exchanged: Ints) -> bool:
    for j in range(len(m)):
        nonzero = np.flatnonzero(m[j:, j])
        if not len(nonzero):
            return False
        i = exchanged[j] = j + int(nonzero[0])
        m[[i, j]] = m[[j, i]]
        below, m[j, j] = pow(int(m[j, j]), -1, prime), 1
        m[j] = m[j] * below % prime
        factor = m[:, j].copy()
        factor[j], m[:, j] = 0, np.where(np.arange(len(m)) == j, m[:, j], 0)
        m -= factor[:, None] * m[j] % prime
        m %= prime
    return True


class Lifting:
    """The digits, modulo powers of the prime, of x with matrix·x = right: Dixon's method."""

    def __init__(
        self, limbs: Sequence[Ints], inverse: Ints, prime: int, right: Sequence[int], bits: int
    ):
        """`limbs` are the matrix, see `limbs_of`; no number of it or of `right` has more bits."""
        self.prime, self.k = prime, len(inverse)
        self._limbs, self._inverse, self._right = limbs, inverse, list(right)
        self._core = compute.algebra if self.k <= MOST_LIFTED else None
        if self._core is not None:
            pieces = max(len(limbs), bits // LIMB + 1) + 2
            self._residual = np.array([_pieces(v, pieces) for v in right], dtype=np.int64)
            self._short = (
                np.ascontiguousarray(inverse, dtype=np.int32),
                np.ascontiguousarray(np.array(limbs), dtype=np.int32),
            )

    def digits(self, count: int) -> Ints:
        if self._core is None:
            return np.array([self._next() for _ in range(count)], dtype=np.int64)
        out, room = np.empty((count, self.k), dtype=np.int32), np.empty(self.k, dtype=np.int32)
        self._core.lift(*self._short, self._residual, self.prime, out, room)
        return out.astype(np.int64)

    def _next(self) -> Ints:
        r = np.array([v % self.prime for v in self._right], dtype=np.int64)
        digit = np.zeros(self.k, dtype=np.int64)
        for begin in range(0, self.k, 256):
            part = slice(begin, begin + 256)
            digit = (digit + self._inverse[:, part] @ r[part]) % self.prime
        total = [0] * self.k
        for place, limb in enumerate(self._limbs):
            shift = place * LIMB
            total = [t + (v << shift) for t, v in zip(total, (limb @ digit).tolist(), strict=True)]
        self._right = [(v - t) // self.prime for v, t in zip(self._right, total, strict=True)]
        return digit


def _pieces(value: int, count: int) -> Vector:
    """A number in pieces of 24 bits, the last of them signed."""
    mask = (1 << LIMB) - 1
    low = [value >> (LIMB * place) & mask for place in range(count - 1)]
    return [*low, value >> (LIMB * (count - 1))]


def longest(matrix: Sequence[Sequence[int]]) -> int:
    ends = (end for row in matrix if row for end in (max(row), -min(row)))
    return max(ends, default=0).bit_length()


def limbs_of(matrix: Sequence[Sequence[int]], limb: int = LIMB) -> list[Ints]:
    """The matrix as Σ limb_k 2^(24 k), with limbs of up to 24 bits, signed as the entries."""
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
