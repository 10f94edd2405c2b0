"""Rows as they are seen along the directions that are orthogonal to the rows taken in.

The numbers a_i·normal_k, to the last digit: where products cancel they are computed exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.exact_product import combined
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats, Vector

_BITS = 256  # of a normal are looked at, from the first one on
_ENOUGH = 2.0**30  # a product this many times as large as its rounding needs no second look
_ROUND = 1e-10  # a direction of which less is left is not turned

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Projected:
    """b_i = length_i · (a_i·normal_k / 2^bits_k) · turn, computed once."""

    table: Floats
    length: Floats
    normals: list[Vector]
    bits: Vector
    turn: Floats
    unit: float = 1.0

    @classmethod
    def of(cls, rows: Rows, normals: list[Vector]) -> Projected:
        bits = [max(abs(v).bit_length() for v in normal) for normal in normals]
        columns = [_seen(rows, normal, b) for normal, b in zip(normals, bits, strict=True)]
        table = np.array(columns).T.reshape(rows.n, len(normals))
        turn = _turn(table)
        table = np.nan_to_num(table @ turn)
        norm = np.sqrt(np.einsum("ij,ij->i", table, table))
        length = 1 / np.where(norm > 1e-200, norm, 1.0)
        return cls(table * length[:, None], length, normals, bits, turn)

    def dimensions(self, rows: Rows) -> int:
        return len(self.normals)

    def rows(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.table[index])

    def row(self, a: list[Fraction]) -> Floats:
        """Any row, as it is seen, of length 1."""
        pairs = zip(self.normals, self.bits, strict=True)
        products = [sum(v * x for v, x in zip(n, a, strict=True) if x) / (1 << b) for n, b in pairs]
        seen = np.array([float(v) for v in products]) @ self.turn
        return np.asarray(seen / (np.linalg.norm(seen) or 1.0))

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.length[index])

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        return np.asarray(shares @ self.table[index])

    def scores(self, rows: Rows, v: Floats) -> Floats:
        rows.budget.spend(rows.n)
        return np.asarray(self.table @ v)

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        """A blend of the normals, in whole numbers."""
        shares = (self.turn @ v).tolist()
        if not np.isfinite(shares).all():
            return [Fraction(0)] * rows.D
        exact = [Fraction(s) / (1 << b) for s, b in zip(shares, self.bits, strict=True)]
        common = max(s.denominator for s in exact)  # all are powers of two
        whole = [s.numerator * (common // s.denominator) for s in exact]
        return [Fraction(v) for v in combined(whole, self.normals)]


def _seen(rows: Rows, normal: Vector, bits: int) -> Floats:
    """a_i·normal / 2^bits."""
    drop = max(bits - _BITS, 0)
    short = [v >> drop for v in normal] if drop else normal
    f = np.array([v / (1 << (bits - drop)) for v in short])
    w, b = rows.split(f)
    out = rows.scores(w, b)
    rounding = rows.rounding * (rows.norms() + 2) * float(np.linalg.norm(f))
    doubtful = np.flatnonzero(~(np.abs(out) > _ENOUGH * rounding))
    exact = rows.products(doubtful, short)
    out[doubtful] = [above / (below << (bits - drop)) for above, below in exact]
    return out


def _turn(table: Floats) -> Floats:
    """What makes the columns orthogonal and about as large, where floats can tell them apart."""
    size = np.sqrt(np.mean(np.square(table), axis=0))
    power = np.exp2(-np.round(np.log2(np.where(size > 0, size, 1.0))))
    r = np.linalg.qr(np.nan_to_num(table * power), mode="r")
    left = np.abs(np.diag(r))
    if len(left) < len(power) or not left.min() > _ROUND * np.linalg.norm(r, axis=0).max():
        return np.diag(power)
    return np.asarray(power[:, None] * np.linalg.inv(r) * np.sqrt(len(table)))
