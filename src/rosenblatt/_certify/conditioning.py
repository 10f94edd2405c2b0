"""Rows as the search in floating point sees them: scaled, centered, of length 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rosenblatt._certify.rows import Floats, Index, Rows
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
    mean, spread = _moments(rows)
    center = mean if rows.intercept else np.zeros(rows.d)
    size = spread if rows.intercept else np.hypot(spread, mean)
    scale = np.exp2(-np.round(np.log2(size)))
    scale[~np.isfinite(scale) | (scale == 0)] = 1.0
    return narrowed(rows, Metric(scale, center, 1.0, length=_lengths(rows, scale, center)))


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
