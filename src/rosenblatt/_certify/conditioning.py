"""Rows as the search in floating point sees them: scaled, centered, collinear columns split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf

from rosenblatt._certify.rows import Floats, Index, Rows, View, spanning_rows
from rosenblatt._core.rows import squares

_DIGITS = 53  # bits of a float


@dataclass(frozen=True)
class Metric:
    """Rows as the search sees them: b_i = length_i · y_i (scale ∘ (x_i - center), lift) · basis."""

    scale: Floats
    center: Floats
    lift: float
    unit: float = 1.0  # the last coordinate in the search; near the margin it resolves best
    length: Floats | None = None  # None: all 1
    basis: Floats | None = None  # None: the whole space

    def dimensions(self, rows: Rows) -> int:
        return int(rows.D if self.basis is None else self.basis.shape[1])

    def weights(self, rows: Rows, v: Floats) -> tuple[Floats, float]:
        """(w, b) such that b_i·v = length_i y_i (w·x_i + b)."""
        if self.basis is not None:
            v = self.basis @ v
        w = self.scale * v[: rows.d]
        b = float(self.lift * v[-1] - w @ self.center) if rows.intercept else 0.0
        return w, b

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        w = rows.lifted(*self.weights(rows, v))
        return [Fraction(x) for x in (w if np.isfinite(w).all() else np.zeros(rows.D)).tolist()]

    def rows(self, rows: Rows, index: Index) -> Floats:
        x = (rows.dense(index) - self.center) * self.scale
        if rows.intercept:
            x = np.hstack([x, np.full((len(x), 1), self.lift)])
        x *= (rows.y[index] if self.length is None else rows.y[index] * self.length[index])[:, None]
        x = np.nan_to_num(x, nan=0.0, posinf=1e100, neginf=-1e100)  # it is only a guess
        return x if self.basis is None else x @ self.basis

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return np.ones(len(index)) if self.length is None else self.length[index]

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        share = shares * rows.y[index] * (1.0 if self.length is None else self.length[index])
        total = self.scale * (share @ rows.dense(index) - share.sum() * self.center)
        total = rows.lifted(total, self.lift * share.sum())
        return total if self.basis is None else total @ self.basis

    def scores(self, rows: Rows, v: Floats) -> Floats:
        m = rows.scores(*self.weights(rows, v))
        return m if self.length is None else m * self.length


def decision_metric(rows: Rows) -> Metric:
    """Centered columns of similar size, rows of length 1: the verdict is the same, and clearer."""
    return narrowed(rows, even_metric(rows))


def even_metric(rows: Rows) -> Metric:
    mean, spread = _moments(rows)
    center = mean if rows.intercept else np.zeros(rows.d)
    size = spread if rows.intercept else np.hypot(spread, mean)
    scale = np.exp2(-np.round(np.log2(size)))
    scale[~np.isfinite(scale) | (scale == 0)] = 1.0
    return Metric(scale, center, 1.0, length=_lengths(rows, scale, center))


def narrowed(rows: Rows, metric: Metric) -> Metric:
    """Fewer rows than dimensions: only the space that they span matters."""
    if rows.n >= rows.D:
        return metric
    rows.budget.spend(rows.n * rows.n // 16)
    q, _ = np.linalg.qr(metric.rows(rows, np.arange(rows.n)).T)
    return replace(metric, basis=q)


def _moments(rows: Rows) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the columns over some rows; safe for huge and tiny numbers."""
    x = rows.dense(some(rows.n))
    unit = np.abs(x).max(axis=0, initial=0.0)
    unit[unit == 0] = 1.0
    x = x / unit
    spread = x.std(axis=0)
    spread[spread < 1e-9] = 1.0  # as good as constant
    return x.mean(axis=0) * unit, spread * unit


def some(n: int, most: int = 4096) -> Index:
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def _lengths(rows: Rows, scale: Floats, center: Floats) -> Floats:
    out = np.empty(rows.n)
    shift = float(np.sum((scale * center) ** 2)) + rows.intercept
    for begin, end in rows.chunks():
        x = rows.x(begin, end)
        if hasattr(x, "multiply"):
            x = x.multiply(scale).tocsr()
            square = squares(x) - 2 * (x @ (scale * center)) + shift
        else:
            x = x - center
            x *= scale
            square = squares(x) + rows.intercept
        out[begin:end] = 1 / np.sqrt(np.maximum(square, 1e-300))
    return np.where(np.isfinite(out) & (out < 1e100), out, 1.0)


def bits(rows: Rows) -> int:
    """From the first bit of the largest number to the last one of the least, or more; and of 1."""
    low = high = 0
    for begin, end in rows.chunks():
        x = rows.x(begin, end)
        numbers = x.data if hasattr(x, "indptr") else x
        exponent = np.frexp(numbers)[1][numbers != 0]
        low = min(low, int(exponent.min(initial=0)))
        high = max(high, int(exponent.max(initial=0)))
    return high - low + _DIGITS


class Tabulated:
    """Rows b_i that are computed once."""

    table: Floats
    length: Floats
    unit = 1.0

    def dimensions(self, rows: Rows) -> int:
        return int(self.table.shape[1])

    def rows(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.table[index])

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return np.asarray(self.length[index])

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        return np.asarray(shares @ self.table[index])

    def scores(self, rows: Rows, v: Floats) -> Floats:
        rows.budget.spend(rows.n)
        return np.asarray(self.table @ v)


# --- Columns that are collinear but for rounding, made visible to floating point ----------------
#
# Where a column is a blend of others up to its last bits, only those bits tell it apart: 10^-16 of
# it, which floating point takes for nothing, and which whole numbers do not. So what the search
# sees instead of it is what is left after the blend, scaled up. That is computed with twice the
# digits, then rounded, and again as long as it is nearly a blend itself (as Rump inverts matrices,
# Japan Journal of Industrial and Applied Mathematics 26, 2009). The blends are floats that whole
# numbers know exactly: what is found through them is proved for the rows themselves.


_CLEAR = 1e-4  # of a column's length is left after the blend of the others: floats see it well
_MOST_NUMBERS = 2 * 10**8  # in the rows that are seen
_MOST_KEPT = 1 << 24  # numbers that are kept at hand
_LEVELS = 8


@dataclass(frozen=True)
class BlendedColumns(Tabulated):
    """Rows as the search sees them: b_i = length_i · y_i (scale ∘ (x_i, 1)) · T, computed once.

    T leaves the independent columns as they are, and puts blends in the place of the others.
    """

    table: Floats
    length: Floats
    clear: list[int]  # columns of the lifted rows
    scale: Floats  # of these: powers of two
    blends: Precise  # a column for each that is not clear

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        out = [Fraction(0)] * rows.D
        if not np.isfinite(v).all():
            return out
        k = len(self.clear)
        shares = [Fraction(share) for share in v[k:].tolist()]
        for j, both in enumerate(np.hstack([self.blends.high, self.blends.low]).tolist()):
            parts = zip(both, [*shares, *shares], strict=True)
            out[j] = _sum([Fraction(t) * share for t, share in parts if t])
        for j, share in zip(self.clear, (self.scale * v[:k]).tolist(), strict=True):
            out[j] += Fraction(share)
        return out


def _sum(terms: list[Fraction]) -> Fraction:
    """Of fractions whose denominators are powers of two."""
    common = max((v.denominator for v in terms), default=1)
    return Fraction(sum(v.numerator * (common // v.denominator) for v in terms), common)


def near_collinear(
    rows: Rows, metric: Metric, pool: Index | None = None, rank: int | None = None
) -> BlendedColumns | None:
    """None where floating point sees all columns of the rows in the pool (None: all) as it is.

    `rank` is that of the rows, where it is known.
    """
    pool = np.arange(rows.n) if pool is None else pool
    if rows.decimal or len(pool) < rows.D or rows.n * rows.D > _MOST_NUMBERS:
        return None
    b = metric.rows(rows, pool[some(len(pool), 4 * rows.D + 64)])
    b = np.delete(b, _zero_columns(rows, pool, b), axis=1)
    gram = b.T @ b
    regular = np.isfinite(gram).all() and np.diag(gram).min() > 0
    if regular and len(_clearest(gram, np.diag(gram))) == len(gram):
        return None
    rows.budget.spend(4 * len(pool))
    return _Columns(rows, pool).view(rank)


def view_of(rows: Rows, metric: Metric, pool: Index | None = None, rank: int | None = None) -> View:
    points = rows.points
    if points is not rows:
        rank = None  # it is that of the lifted rows
    return rows.lift(near_collinear(points, metric, rows.points_among(pool), rank) or metric)


def _zero_columns(rows: Rows, pool: Index, b: Floats) -> Index:
    """Columns without a number in any row of the pool; b are some of the rows."""
    zero = np.flatnonzero(~b[:, : rows.d].any(axis=0)) if b.shape[1] == rows.D else pool[:0]
    if not len(zero):
        return zero
    low, high = rows.ranges(np.isin(np.arange(rows.n), pool))
    return np.asarray(zero[(low[zero] == 0) & (high[zero] == 0)])


def _clearest(gram: Floats, square: Floats) -> Index:
    """The places of columns of which something is left after the blend of the others among them.

    `gram` are their inner products; their squared lengths may once have been larger.
    """
    size = np.sqrt(np.where(square > 0, square, 1.0))
    gram = gram / np.outer(size, size)
    if not np.diag(gram).max(initial=0.0) > _CLEAR**2:  # dpstrf does not test the first pivot
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
            if self._kept:
                yield part, self._kept[k]
                continue
            x = self.rows.dense(self.pool[part])
            if self.rows.intercept:
                x = np.hstack([x, np.ones((len(x), 1))])
            yield part, x * self.scale

    def view(self, rank: int | None) -> BlendedColumns | None:
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
        identity = np.eye(self.rows.D)[:, faint]
        blends = Precise(identity, np.zeros_like(identity))
        for _ in range(_LEVELS):
            blended, blends = self._blended(blends)
            nearer = self._nearer(gram[np.ix_(clear, clear)], clear, blended, blends)
            if nearer is None:
                break
            blends = nearer
        return self._table(clear, blended, blends)

    def _blended(self, blends: Precise) -> tuple[Floats, Precise]:
        """The blends of the rows, rounded once, all about as large."""
        out = np.empty((len(self.pool), blends.high.shape[1]))
        used = np.flatnonzero(blends.high.any(axis=1))
        parts = _cut(blends.high[used], 0, blends.low[used])
        for chunk, a in self._chunks():
            total, error = _product(_cut(a[:, used], 1), parts)
            out[chunk] = np.nan_to_num(total + error)
        spread = np.sqrt(np.einsum("ij,ij->j", out, out) / len(out))
        power = np.exp2(-np.round(np.log2(np.where(spread > 0, spread, 1.0))))
        out *= power
        return out, blends.scaled(power)

    def _nearer(
        self, gram: Floats, clear: Index, blended: Floats, blends: Precise
    ) -> Precise | None:
        """What is left of blends that are themselves nearly blends of others; None: none is."""
        cross = np.zeros((len(clear), blended.shape[1]))
        for part, a in self._chunks():
            cross += a[:, clear].T @ blended[part]
        own = blended.T @ blended
        factor = np.linalg.cholesky(gram) if len(clear) else gram
        known = solve_triangular(factor, cross, lower=True) if len(clear) else cross
        fine = _clearest(own - known.T @ known, np.diag(own))
        rest = np.setdiff1d(np.arange(blended.shape[1]), fine)
        if not len(rest):
            return None
        inside = np.block([[gram, cross[:, fine]], [cross[:, fine].T, own[np.ix_(fine, fine)]]])
        right = np.vstack([cross[:, rest], own[np.ix_(fine, rest)]])
        try:
            shares = cho_solve(cho_factor(inside), right)
        except np.linalg.LinAlgError:
            return None
        direct = np.zeros((self.rows.D, len(rest)))
        direct[clear] = -shares[: len(clear)]
        return blends.changed(rest, direct, fine, -shares[len(clear) :])

    def _table(self, clear: Index, blended: Floats, blends: Precise) -> BlendedColumns:
        table = np.zeros((self.rows.n, len(clear) + blended.shape[1]))
        for part, a in self._chunks():
            table[self.pool[part]] = np.hstack([a[:, clear], blended[part]])
        norm = np.sqrt(np.einsum("ij,ij->i", table, table))
        length = 1 / np.where(norm > 1e-200, norm, 1.0)
        table *= (self.rows.y * length)[:, None]
        blends = blends.scaled(self.scale[:, None])
        return BlendedColumns(table, length, clear.tolist(), self.scale[clear], blends)


# --- Matrices of twice the digits, and their products: parts of few bits, multiplied exactly -----
#
# A number is cut into parts of so few bits that a product of two matrices of parts has no rounding
# (Ozaki, Ogita, Oishi and Rump, Numerical Algorithms 59, 2012). It is for guessing: nothing here is
# proved.


_PARTS = 6  # that a number is cut into: about 120 bits


@dataclass(frozen=True)
class Precise:
    """high + low, the second much smaller."""

    high: Floats
    low: Floats

    def scaled(self, power: Floats) -> Precise:
        return Precise(self.high * power, self.low * power)

    def changed(self, places: Index, direct: Floats, others: Index, shares: Floats) -> Precise:
        """With `direct` and shares of other columns added to some columns."""
        total, error = _product(_cut(self.high[:, others], 1, self.low[:, others]), _cut(shares, 0))
        high, low = self.high.copy(), self.low.copy()
        for term, rest in ((total, error), (direct, np.zeros_like(direct))):
            both, off = _two_sum(high[:, places], term)
            off += low[:, places] + rest
            high[:, places], low[:, places] = _two_sum(both, off)
        return Precise(high, low)


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
    total = np.zeros((len(left[0]), right[0].shape[1]))
    error = np.zeros_like(total)
    for i, a in enumerate(left):
        for b in right[: _PARTS - i]:
            total, off = _two_sum(total, a @ b)
            error += off
    return total, error
