"""Columns that are collinear but for rounding, made visible to floating point.

Where a column is a blend of others up to its last bits, only those bits tell it apart: 10^-16 of
it, which floating point takes for nothing, and which whole numbers do not. So what the search sees
instead of it is what is left after the blend, scaled up. That is computed with twice the digits,
then rounded, and again as long as it is nearly a blend itself (as Rump inverts matrices, Japan
Journal of Industrial and Applied Mathematics 26, 2009). The blends are floats that whole numbers
know exactly: what is found through them is proved for the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from rosenblatt._proof.metric import Metric, some
from rosenblatt._proof.precise import Precise
from rosenblatt._proof.residues import spanning_rows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats

_CLEAR = 1e-4  # of a column's length is left after the blend of the others: floats see it well
_MOST_NUMBERS = 2 * 10**8  # in the rows that are seen
_MOST_KEPT = 1 << 24  # numbers that are kept at hand
_LEVELS = 8

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Sharp:
    """Rows as the search sees them: b_i = length_i · y_i (scale ∘ (x_i, 1)) · T, computed once.

    T leaves the clear columns as they are, and puts blends in the place of the others.
    """

    table: Floats
    length: Floats
    clear: list[int]  # columns of the lifted rows
    scale: Floats  # of these: powers of two
    columns: list[int]  # all that are blended; as many as are independent
    blends: Precise  # a column for each that is not clear
    unit: float = 1.0

    def dimensions(self, rows: Rows) -> int:
        return int(self.table.shape[1])

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        """T v, in whole numbers."""
        out = [Fraction(0)] * rows.D
        if not np.isfinite(v).all():
            return out
        k = len(self.clear)
        shares = [Fraction(share) for share in v[k:].tolist()]
        for j, high, low in zip(self.columns, self.blends.high, self.blends.low, strict=True):
            parts = zip([*high.tolist(), *low.tolist()], [*shares, *shares], strict=True)
            out[j] = _sum([Fraction(t) * share for t, share in parts if t])
        for j, share in zip(self.clear, (self.scale * v[:k]).tolist(), strict=True):
            out[j] += Fraction(share)
        return out

    def rows(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.table[index])

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.length[index])

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        return np.asarray(shares @ self.table[index])

    def scores(self, rows: Rows, v: Floats) -> Floats:
        rows.budget.spend(rows.n)
        return np.asarray(self.table @ v)


def _sum(terms: list[Fraction]) -> Fraction:
    """Of fractions whose denominators are powers of two."""
    common = max((v.denominator for v in terms), default=1)
    return Fraction(sum(v.numerator * (common // v.denominator) for v in terms), common)


def sharpened(
    rows: Rows, metric: Metric, pool: Index | None = None, rank: int | None = None
) -> Sharp | None:
    """None where floating point sees all columns of the rows in the pool (None: all) as it is.

    `rank` is that of the rows, where it is known.
    """
    pool = np.arange(rows.n) if pool is None else pool
    if rows.decimal or len(pool) < rows.D or rows.n * rows.D > _MOST_NUMBERS:
        return None
    b = metric.rows(rows, pool[some(len(pool), 4 * rows.D + 64)])
    if _all_clear(np.delete(b, _zero_columns(rows, pool, b), axis=1)):
        return None
    rows.budget.spend(4 * len(pool))
    return _Columns(rows, pool).sharp(rank)


def _zero_columns(rows: Rows, pool: Index, seen: Floats) -> Index:
    """Columns without a number in any row of the pool; `seen` are some of the rows."""
    zero = np.flatnonzero(~seen[:, : rows.d].any(axis=0)) if seen.shape[1] == rows.D else pool[:0]
    if not len(zero):
        return zero
    low, high = rows.ranges(np.isin(np.arange(rows.n), pool))
    return np.asarray(zero[(low[zero] == 0) & (high[zero] == 0)])


def _all_clear(b: Floats) -> bool:
    """Is no column nearly a blend of others?"""
    gram = b.T @ b
    if not (np.isfinite(gram).all() and np.diag(gram).min() > 0):
        return False
    return len(_clearest(gram, np.diag(gram))) == len(gram)


def _clearest(gram: Floats, square: Floats) -> Index:
    """The places of columns of which something is left after the blend of the others among them.

    `gram` are their inner products; their squared lengths may once have been larger.
    """
    size = np.sqrt(np.where(square > 0, square, 1.0))
    gram = gram / np.outer(size, size)
    if not np.diag(gram).max(initial=0.0) > _CLEAR**2:  # which is not looked at there
        return np.zeros(0, dtype=np.intp)
    _, order, rank, _ = dpstrf(gram, tol=_CLEAR**2)
    return np.asarray(np.sort(order[:rank] - 1), dtype=np.intp)


class _Columns:
    """The columns of the rows in the pool, scaled to similar size; lifted, and not signed."""

    def __init__(self, rows: Rows, pool: Index):
        self.rows, self.pool = rows, pool
        self._kept: list[Floats] = []  # the chunks, where there is room for them
        self.scale = np.ones(rows.D)
        largest = np.zeros(rows.D)
        for _, a in self._chunks():
            np.maximum(largest, np.abs(a).max(axis=0), out=largest)
        power = np.exp2(-np.round(np.log2(np.where(largest > 0, largest, 1.0))))
        self.scale = np.where(np.isfinite(power) & (power > 0), power, 1.0)
        if len(pool) * rows.D <= _MOST_KEPT:
            self._kept = [a for _, a in self._chunks()]

    def _chunks(self) -> Iterator[tuple[slice, Floats]]:
        step = max(1, (1 << 19) // self.rows.D)
        for k, begin in enumerate(range(0, len(self.pool), step)):
            self.rows.budget.check_interrupt()
            part = slice(begin, min(begin + step, len(self.pool)))
            yield part, self._kept[k] if self._kept else self._chunk(self.pool[part])

    def _chunk(self, index: Index) -> Floats:
        x = self.rows.dense(index)
        if self.rows.intercept:
            x = np.hstack([x, np.ones((len(x), 1))])
        return np.asarray(x * self.scale)

    def sharp(self, rank: int | None) -> Sharp | None:
        """None where nothing is gained."""
        gram = sum((a.T @ a for _, a in self._chunks()), np.zeros((self.rows.D, self.rows.D)))
        if not np.isfinite(gram).all():
            return None
        clear = _clearest(gram, np.diag(gram))
        if len(clear) == rank:
            return None
        order = np.append(clear, np.setdiff1d(np.arange(self.rows.D), clear))
        _, columns = spanning_rows(self.rows, self.pool, order=order)
        faint = np.setdiff1d(np.array(columns, dtype=np.intp), clear)
        clear = np.intersect1d(np.array(columns, dtype=np.intp), clear)
        if not len(faint):
            return None
        blends = Precise.of(np.eye(self.rows.D)[:, faint])
        for _ in range(_LEVELS):
            seen, blends = self._seen(blends)
            nearer = self._nearer(gram[np.ix_(clear, clear)], clear, seen, blends)
            if nearer is None:
                break
            blends = nearer
        return self._looked(clear, seen, blends)

    def _seen(self, blends: Precise) -> tuple[Floats, Precise]:
        """The blends of the rows, rounded once, all about as large."""
        out = np.empty((len(self.pool), blends.high.shape[1]))
        used = np.flatnonzero(blends.high.any(axis=1))
        sliced = Precise(blends.high[used], blends.low[used]).sliced()
        for part, a in self._chunks():
            out[part] = np.nan_to_num(sliced.of_rows(a[:, used]))
        spread = np.sqrt(np.einsum("ij,ij->j", out, out) / len(out))
        power = np.exp2(-np.round(np.log2(np.where(spread > 0, spread, 1.0))))
        out *= power
        return out, blends.scaled(power)

    def _nearer(self, gram: Floats, clear: Index, seen: Floats, blends: Precise) -> Precise | None:
        """What is left of blends that are themselves nearly blends of others; None: none is."""
        cross = np.zeros((len(clear), seen.shape[1]))
        for part, a in self._chunks():
            cross += a[:, clear].T @ seen[part]
        own = seen.T @ seen
        factor = np.linalg.cholesky(gram) if len(clear) else gram
        known = solve_triangular(factor, cross, lower=True) if len(clear) else cross
        fine = _clearest(own - known.T @ known, np.diag(own))
        rest = np.setdiff1d(np.arange(seen.shape[1]), fine)
        if not len(rest):
            return None
        inside = np.block([[gram, cross[:, fine]], [cross[:, fine].T, own[np.ix_(fine, fine)]]])
        asked = np.vstack([cross[:, rest], own[np.ix_(fine, rest)]])
        try:
            shares = cho_solve(cho_factor(inside), asked)
        except np.linalg.LinAlgError:
            return None
        direct = np.zeros((self.rows.D, len(rest)))
        direct[clear] = -shares[: len(clear)]
        return blends.changed(rest, direct, fine, -shares[len(clear) :])

    def _looked(self, clear: Index, seen: Floats, blends: Precise) -> Sharp:
        """All rows of length 1."""
        table = np.zeros((self.rows.n, len(clear) + seen.shape[1]))
        for part, a in self._chunks():
            table[self.pool[part]] = np.hstack([a[:, clear], seen[part]])
        norm = np.sqrt(np.einsum("ij,ij->i", table, table))
        length = 1 / np.where(norm > 1e-200, norm, 1.0)
        table *= (self.rows.y * length)[:, None]
        return Sharp(
            table,
            length,
            clear.tolist(),
            self.scale[clear],
            list(range(self.rows.D)),
            Precise(blends.high * self.scale[:, None], blends.low * self.scale[:, None]),
        )
