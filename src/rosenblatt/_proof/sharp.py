"""Columns that are collinear but for rounding, made visible to floating point.

Where a column is a blend of others up to its last bits, only those bits tell it apart: 10^-16 of it,
which floating point takes for nothing, and which whole numbers do not. So the rows are seen through a
triangular map T = R⁻¹, from a QR decomposition of the columns: what is left of each column after the
blend of those before it, scaled up (Rump, Japan Journal of Industrial and Applied Mathematics 26,
2009). The product with T is computed to twice the digits, then rounded. T is as it is, whole numbers
know it exactly: what is found through it is proved for the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from rosenblatt._proof.least_distance import Metric, some
from rosenblatt._proof.modular import PRIMES, Ints, echelon, inverse, product
from rosenblatt._proof.rows import Floats, Rows

_FAINT = 1e-7  # of a column's length is left after the blend of the others: floats do not see it
_CLEAR = 1e-4  # is left: ordinary products are accurate enough
_MOST_NUMBERS = 2 * 10**8  # in the rows that are seen
_SLICES = 5  # parts that a number is cut into: about 100 bits
_MOST_ROUNDS = 8


@dataclass(frozen=True)
class Sharp:
    """Rows as the search sees them: b_i = length_i · y_i (scale ∘ (x_i, 1)) · T, computed once."""

    table: Floats
    columns: list[int]  # of the lifted rows: as many as are independent
    scale: Floats  # of these columns: powers of two
    factor: Floats  # T
    unit: float = 1.0

    def dimensions(self, rows: Rows) -> int:
        return self.table.shape[1]

    def weights(self, rows: Rows, v: Floats) -> tuple[Floats, float]:
        """Floating point is too coarse for them: see `exactly`."""
        w = np.zeros(rows.D)
        w[self.columns] = self.scale * (self.factor @ v)
        return rows.split(w)

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        """T v, in whole numbers."""
        out = [Fraction(0)] * rows.D
        if not np.isfinite(v).all():
            return out
        shares = [Fraction(share) for share in v.tolist()]
        for j, scale, row in zip(self.columns, self.scale.tolist(), self.factor, strict=True):
            terms = (Fraction(t) * share for t, share in zip(row.tolist(), shares, strict=True) if t)
            out[j] = Fraction(scale) * _sum(list(terms))
        return out

    def rows(self, rows: Rows, index: NDArray[np.intp]) -> Floats:
        return np.asarray(self.table[index])

    def blend(self, rows: Rows, index: NDArray[np.intp], shares: Floats) -> Floats:
        return np.asarray(shares @ self.table[index])

    def scores(self, rows: Rows, v: Floats) -> Floats:
        rows.budget.spend(rows.n)
        return np.asarray(self.table @ v)


def _sum(terms: list[Fraction]) -> Fraction:
    """Of fractions whose denominators are powers of two."""
    common = max((v.denominator for v in terms), default=1)
    return Fraction(sum(v.numerator * (common // v.denominator) for v in terms), common)


def sharpened(rows: Rows, metric: Metric) -> Sharp | None:
    """None where floating point sees all columns as it is."""
    if rows.decimal or rows.n < rows.D or rows.n * rows.D > _MOST_NUMBERS:
        return None
    index = some(rows.n, 4 * rows.D + 64)
    if _clear(metric.rows(rows, index)):
        return None
    rows.budget.spend(4 * rows.n)
    sample = _lifted(rows, index)
    scale = _scale(sample)
    r, order = qr(np.nan_to_num(sample * scale), mode="r", pivoting=True)
    faint = _left(r) <= _FAINT * np.linalg.norm(r, axis=0)
    places = _independent(rows, order.tolist()) if faint.any() else []
    if not faint[places].any():
        return None
    columns = order[places].tolist()
    scale = scale[columns]
    r = r[: rows.D] if len(columns) == rows.D else np.linalg.qr(sample[:, columns] * scale, mode="r")
    if not _left(r).min() > 0:
        return None
    factor = solve_triangular(r, np.eye(len(columns)))
    factor *= np.exp2(-np.round(np.log2(np.abs(factor).max(axis=0))))
    if not np.isfinite(factor).all():
        return None
    clear = _left(r) > _CLEAR * np.linalg.norm(r, axis=0)
    return Sharp(_seen(rows, columns, scale, factor, clear), columns, scale, factor)


def _lifted(rows: Rows, index: NDArray[np.intp]) -> Floats:
    x = rows.dense(index)
    return np.hstack([x, np.ones((len(x), 1))]) if rows.intercept else x


def _clear(b: Floats) -> bool:
    """Is no column nearly a blend of others? By Cholesky's decomposition, which is quick."""
    gram = b.T @ b
    size = np.sqrt(np.diag(gram))
    if not (np.isfinite(gram).all() and (size > 0).all()):
        return False
    try:
        left = np.linalg.cholesky(gram / np.outer(size, size))
    except np.linalg.LinAlgError:
        return False
    return bool(np.diag(left).min() > 1e-5)


def _scale(x: Floats) -> Floats:
    largest = np.abs(x).max(axis=0)
    scale = np.exp2(-np.round(np.log2(np.where(largest > 0, largest, 1.0))))
    return np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)


def _left(r: Floats) -> Floats:
    """The length that is left of each column after the blend of those before it."""
    return np.abs(np.diag(r))


# --- Columns that are independent, by residues ----------------------------------------------------


def _independent(rows: Rows, order: list[int]) -> list[int]:
    """Places in the order of columns that are no blend of others, the first ones.

    Some rows tell; where another row does not agree, it joins them.
    """
    prime = PRIMES[0]
    index = np.linspace(0, rows.n - 1, min(rows.n, 2 * rows.D + 64)).astype(np.intp)
    for _ in range(_MOST_ROUNDS):
        residues = rows.residues(prime, index)[:, order]
        places, members = echelon(np.ascontiguousarray(residues.T), prime)
        if len(places) == rows.D:
            break
        other = _disagreeing(rows, order, residues, places, members)
        if not len(other):
            break
        index = np.append(index, other)
    return places


def _disagreeing(
    rows: Rows, order: list[int], residues: Ints, places: list[int], members: list[int]
) -> NDArray[np.intp]:
    """Rows in which the other columns are not the blends that they are in these rows."""
    prime = PRIMES[0]
    block = residues[members]
    rest = sorted(set(range(len(order))) - set(places))
    below = inverse(block[:, places], prime)
    assert below is not None
    blend = product(below, block[:, rest], prime)
    found: list[NDArray[np.intp]] = []
    for begin, end in rows.chunks():
        x = rows.residues(prime, np.arange(begin, end))[:, order]
        off = (product(x[:, places], blend, prime) != x[:, rest]).any(axis=1)
        found.append(np.flatnonzero(off) + begin)
        if sum(map(len, found)) > 2 * rows.D:
            break
    return np.concatenate(found)[: 2 * rows.D]


# --- Products with twice the digits ---------------------------------------------------------------


def _seen(
    rows: Rows, columns: list[int], scale: Floats, factor: Floats, clear: NDArray[np.bool_]
) -> Floats:
    out = np.empty((rows.n, len(columns)))
    slices = _sliced(factor[:, ~clear], axis=0)
    for begin, end in rows.chunks():
        a = _lifted(rows, np.arange(begin, end))[:, columns] * scale
        b = a @ factor
        b[:, ~clear] = _accurate(_sliced(a, axis=1), slices)
        out[begin:end] = b
    out = np.nan_to_num(out, nan=0.0, posinf=1e100, neginf=-1e100)  # it is only a guess
    spread = np.sqrt(np.mean(np.square(out[some(rows.n, 1024)]), axis=0))
    power = np.exp2(-np.round(np.log2(np.where(spread > 0, spread, 1.0))))
    factor *= power
    out *= power
    length = np.linalg.norm(out, axis=1)
    out *= (rows.y / np.where(length > 0, length, 1.0))[:, None]
    return out


def _sliced(a: Floats, axis: int) -> list[Floats]:
    """a as a sum of parts of so few bits that products of two are exact (Ozaki and others 2012).

    Each part has the same unit in each row (or column).
    """
    inner = a.shape[1] if axis == 1 else a.shape[0]
    bits = (52 - max(inner, 2).bit_length()) // 2
    largest = np.abs(a).max(axis=axis, keepdims=True, initial=1e-300)
    unit = np.exp2(np.ceil(np.log2(largest)))
    out, rest = [], a
    for _ in range(_SLICES):
        unit = unit * 2.0**-bits
        high = 1.5 * 2.0**52 * unit
        part = (rest + high) - high
        out.append(part)
        rest = rest - part
    return out


def _accurate(left: list[Floats], right: list[Floats]) -> Floats:
    """The product of two sums of parts, its parts summed with their rounding errors."""
    total = np.zeros((len(left[0]), right[0].shape[1]))
    error = np.zeros_like(total)
    for i, a in enumerate(left):
        for b in right[: len(right) - i]:
            term = a @ b
            both = total + term
            back = both - total
            error += (total - (both - back)) + (term - back)
            total = both
    return total + error
