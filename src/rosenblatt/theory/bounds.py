"""How many updates there can be: R²/γ² and its relatives."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt._core.rows import as_table, dense, squares
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.theory import given
from rosenblatt.theory.given import Floats

_ULP = 2.0**-53
_FINITE = Fraction(sys.float_info.max)


class Bound:
    """At most so many: a whole number, and the formula that it comes from."""

    form: str
    _of = ""  # the field with the number, and what is said of it

    def __int__(self) -> int:
        return int(getattr(self, self._of.partition(" ")[0]))

    __index__ = __int__

    def __str__(self) -> str:
        return f"at most {int(self)} {self._of}: {self.form}"


class BoundOfMargin(Bound):
    """By the convergence theorem."""

    gamma_squared: Fraction
    beta_squared: Fraction

    @property
    def gamma(self) -> float:
        return root(self.gamma_squared)

    @property
    def beta(self) -> float:
        return root(self.beta_squared)

    def __str__(self) -> str:
        beta = "R" if self.form.startswith("⌊R") else "β"
        constants = f"γ = {self.gamma:.4g} (homogeneous) and {beta} = {self.beta:.4g}"
        return f"{super().__str__()}, with {constants}"


@dataclass(frozen=True)
class MistakeBound(BoundOfMargin):
    """At most `updates` updates, one row a step, in exact arithmetic; and which theorem says so.

    γ is the homogeneous margin of the given w* (over the rows c_i y_i x̃_i, ‖w*‖ = 1), and
    β² = max ‖c_i x̃_i‖² + 2μ max c_i / η, which is R² without weights and margin.
    """

    updates: int
    form: str
    gamma_squared: Fraction
    beta_squared: Fraction

    _of = "updates"


def mistake_bound(
    X: Any,
    y: Any,
    w_star: Any,
    *,
    eta0: float = 1.0,
    margin: float = 0.0,
    sample_weight: Any = None,
    w0: Any = None,
) -> MistakeBound:
    """The convergence theorem: the most updates that training can make, one row a step.

    With z_i = c_i y_i x̃_i, γ = min ŵ*·z_i, β² = max ‖z_i‖² + 2μ max c_i / η and α = ηβ²/γ there
    are at most ⌊‖w₀ - αŵ*‖² / (η²β²)⌋ updates. From w₀ = 0 that is ⌊β²/γ²⌋, and without weights and
    margin Novikoff's ⌊R²/γ²⌋. It is computed in fractions from the numbers as they are.

    w_star (and w0) are d weights, for training through the origin, or d + 1 numbers with the
    intercept last; a certificate's `separator` will do. Steps of order="batch" are not covered.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(theory.mistake_bound(X, y, w_star=[1, 1, -3]))
    at most 286 updates: ⌊R²/γ²⌋ (Novikoff), with γ = 0.3015 (homogeneous) and R = 5.099
    >>> print(theory.mistake_bound(X, y, w_star=[1, 1, -3], margin=2))
    at most 330 updates: ⌊β²/γ²⌋ with β² = R² + 2μ/η, with γ = 0.3015 (homogeneous) and β = 5.477
    """
    eta = Fraction(parameters.positive("eta0", eta0))
    mu = parameters.not_negative("margin", margin)
    e = given.examples(X, y, sample_weight)
    star, intercept = given.vector(w_star, e.rows.d, "w_star")
    start = np.zeros(len(star))
    if w0 is not None:
        start, lifted = given.vector(w0, e.rows.d, "w0")
        if lifted != intercept:
            raise InputError(
                f"w_star has {len(star)} numbers and w0 has {len(start)}: give both with the "
                "intercept, or both without."
            )
    table, c = as_table(e.rows.X), np.ones(len(e.y)) if e.c is None else e.c
    product, row = least_margin(table, e.y, c, star)
    if product <= 0:
        raise InputError(
            f"w_star does not separate the rows: row {row} has the margin "
            f"{float(max(product, -_FINITE)):.6g}, so that no bound follows from it. "
            "certify(X, y).separator is one that does, if any does."
        )
    star2, start2 = dot(star, star), dot(start, start)
    beta2 = longest(table, c, lifted=intercept) + 2 * Fraction(mu) * Fraction(float(c.max())) / eta
    bound = bound_from(product, beta2, star2, dot(start, star) / eta, start2, eta)
    form = _form(bool(start.any()), e.c is not None, mu > 0)
    return MistakeBound(bound, form, product**2 / star2, beta2)


def bound_from(
    product: Fraction,
    beta2: Fraction,
    star2: Fraction,
    start_star: Fraction,
    start2: Fraction,
    eta: Fraction = Fraction(1),
) -> int:
    """⌊‖w₀ - αŵ‖² / (η²β²)⌋ with αŵ = ηβ² w* / min w*·z_i, from products of the vectors.

    start_star is w₀·w*/η.
    """
    return math.floor(
        start2 / (eta**2 * beta2) - 2 * start_star / product + beta2 * star2 / product**2
    )


def _form(start: bool, weights: bool, margin: bool) -> str:
    length = "max ‖c_i x̃_i‖²" if weights else "R²"
    extra = (" + 2μ max c_i / η" if weights else " + 2μ/η") if margin else ""
    if start:
        where = f"β² = {length}{extra}, α = ηβ²/γ"
        return f"⌊‖w₀ - αŵ*‖² / (η²β²)⌋ with {where}"
    if weights or margin:
        return f"⌊β²/γ²⌋ with β² = {length}{extra}"
    return "⌊R²/γ²⌋ (Novikoff)"


# --- Exact extremes over all rows: floats say which rows can be extreme, fractions decide --------


def least_margin(table: Any, y: Any, c: Floats, star: Floats) -> tuple[Fraction, int]:
    """min c_i y_i w*·x̃_i over the rows of positive weight, and a row that has it.

    Of many classes, whose weights are the rows of `star`: min c_i (w*_y - w*_c)·x̃_i over c != y.
    """
    if star.ndim == 1:
        y, star = (y > 0).astype(np.intp), np.array([np.zeros_like(star), star])
    d, rows = table.shape[1], np.arange(len(y))
    with np.errstate(over="ignore", invalid="ignore"):
        products = np.asarray(table @ star[:, :d].T) + (star[:, d] if star.shape[1] > d else 0.0)
        values = c[:, None] * (products[rows, y][:, None] - products)
        lengths = c * (np.sqrt(squares(table)) + 1) * (np.linalg.norm(star) + 1)
        doubt = (8 * d + 56) * _ULP * lengths[:, None] + 2.0**-400
        values[rows, y] = np.inf
        values[c == 0] = np.inf
        near = ~(values - doubt > np.fmin.reduce(values + doubt, axis=None))
    near[rows, y] = False
    near[c == 0] = False
    weights = [[Fraction(v) for v in of_class] for of_class in star.tolist()]

    @cache
    def apart(own: int, other: int) -> list[Fraction]:
        return [a - b for a, b in zip(weights[own], weights[other], strict=True)]

    margins: dict[int, Fraction] = {}
    for i in _different(table, np.column_stack([y, c, near]), near.any(axis=1)):
        x, others = exact_row(table, i, star.shape[1]), np.flatnonzero(near[i]).tolist()
        margins[i] = Fraction(float(c[i])) * min(_product(x, apart(int(y[i]), r)) for r in others)
    row = min(margins, key=lambda i: (margins[i], i))
    return margins[row], row


def longest(table: Any, c: Floats, *, lifted: bool) -> Fraction:
    """max ‖c_i x̃_i‖²."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = (c * np.sqrt(squares(table) + lifted)) ** 2
        near = ~(sizes * (1 + (4 * table.shape[1] + 24) * _ULP) + 2.0**-900 < sizes.max())
    size = table.shape[1] + lifted
    if _exact_in_floats(table, c, near):
        return Fraction(float(squares(table)[near].max() + lifted))
    return max(
        Fraction(float(c[i])) ** 2 * _square_of_row(table, i, size)
        for i in _different(table, c, near & (c > 0))
    )


def _exact_in_floats(table: Any, c: Floats, near: Any) -> bool:
    """Whole numbers whose squares add up below 2^53 are not rounded."""
    values = table.data if sparse.issparse(table) else table[near]
    if not (c[near] == 1).all() or not np.abs(values).max(initial=0) < 2**26:
        return False
    return bool((values == np.rint(values)).all() and squares(table)[near].max() < 2**52)


def _different(table: Any, factor: Floats, near: Any) -> list[int]:
    """Of the rows that are near, one of each kind: equal ones need not be looked at twice."""
    rows = np.flatnonzero(near)
    if len(rows) < 64 or sparse.issparse(table):
        return rows.tolist()
    _, first = np.unique(np.column_stack([table[rows], factor[rows]]), axis=0, return_index=True)
    return list(rows[np.sort(first)].tolist())


def _square_of_row(table: Any, i: int, size: int) -> Fraction:
    """‖x̃_i‖², exactly: in whole numbers over a power of two."""
    row = dense(table[[i]])[0].astype(np.float64).tolist()
    ratios = [v.as_integer_ratio() for v in row if v]
    most = max((below.bit_length() for _, below in ratios), default=1)
    total = sum((above << (most - below.bit_length())) ** 2 for above, below in ratios)
    return Fraction(total, 1 << 2 * (most - 1)) + (size - len(row))


def exact_row(table: Any, i: int, size: int) -> list[Fraction]:
    row = [Fraction(v) for v in dense(table[[i]])[0].astype(np.float64).tolist()]
    return row + [Fraction(1)] * (size - len(row))


def _product(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def dot(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    """a·b, exactly."""
    return _product([Fraction(v) for v in a], [Fraction(v) for v in b])


def root(value: Fraction) -> float:
    """√value, also where the square is beyond the range of floats."""
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(value / Fraction(4) ** shift), shift)


# --- How many epochs there can be with order="mixed" ---------------------------------------------


@dataclass(frozen=True)
class EpochBound(BoundOfMargin):
    """At most `epochs` epochs with a mistake, in exact arithmetic, whatever the number of shards.

    γ and β are those of `MistakeBound`.
    """

    epochs: int
    form: str
    gamma_squared: Fraction
    beta_squared: Fraction

    _of = "epochs with a mistake"


def mixed_epoch_bound(
    X: Any,
    y: Any,
    w_star: Any,
    *,
    eta0: float = 1.0,
    margin: float = 0.0,
    sample_weight: Any = None,
    w0: Any = None,
) -> EpochBound:
    """The most epochs with a mistake that training with order="mixed" can make.

    An epoch with k_s mistakes in shard s, k in all, brings the weights forward as Σ k_s²/k updates
    of one row do in `mistake_bound`, and that is at least 1. So the bound of the updates there,
    ⌊R²/γ²⌋ from zero weights, without weights of rows and margin, is one of these sums, and of the
    epochs, here: `docs/theory.md` has the proof. The arguments are those of `mistake_bound`.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(theory.mixed_epoch_bound(X, y, w_star=[1, 1, -3]))
    at most 286 epochs with a mistake: ⌊R²/γ²⌋, with γ = 0.3015 (homogeneous) and R = 5.099
    """
    bound = mistake_bound(
        X, y, w_star, eta0=eta0, margin=margin, sample_weight=sample_weight, w0=w0
    )
    form = bound.form.removesuffix(" (Novikoff)")
    return EpochBound(bound.updates, form, bound.gamma_squared, bound.beta_squared)
