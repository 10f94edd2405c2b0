"""Dense rows in thousands of dimensions: the squared hinge, by least squares and Newton's method.

Σ max(0, 1 - b_i·v)² is 0 at a separator. Fewer rows than dimensions mostly have one with all scores
1, v = B'(BB')⁻¹1. Of more rows those with scores below 1 are solved for, until they are the same.
Where rows overlap, what is left of them, x_i = max(0, 1 - b_i·v), is a blend that is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk, ssyrk

from rosenblatt._certify.rows import Floats, Index, Rows, View

_RIDGES = {"d": 1e-12, "f": 1e-5}  # of the mean square of a row in a coordinate, by precision
_MOST_STEPS, _MOST_HALVES = 30, 20
_WIDE = 1e-2  # scores that are certainly positive, beside 1
_AT_ONCE = 1 << 22  # numbers of rows that are looked at together


@dataclass(frozen=True)
class Fit:
    direction: Floats  # in the view
    blend: Floats  # shares of the rows b_i, none negative
    scores: Floats


def fit(rows: Rows, view: View) -> Fit | None:
    """None: floating point sees no minimum."""
    size = view.dimensions(rows)
    rows.budget.spend(min(rows.n, size) * rows.n // 16)
    try:
        with np.errstate(all="ignore"):
            fitted = _least_squares(rows, view) if rows.n <= size else _newton(rows, view)
    except (np.linalg.LinAlgError, ValueError):  # not positive definite, or not finite
        return None
    return fitted if np.isfinite(fitted.direction).all() else None


def _least_squares(rows: Rows, view: View) -> Fit:
    parts = [view.rows(rows, index) for index in _chunks(rows, view)]
    b = np.concatenate(parts)
    gram = dsyrk(1.0, b.T, trans=True, lower=True)
    shares = _solved(gram, np.ones(rows.n))
    direction = shares @ b
    return Fit(direction, np.maximum(shares, 0.0), b @ direction)


def _newton(rows: Rows, view: View) -> Fit:
    """In single precision, which is twice as fast and mostly enough for a separator; where that
    finds none, on from there in double."""
    m, v = np.zeros(rows.n), np.zeros(view.dimensions(rows))
    if rows.n <= 2 * len(v):  # of more rows separators are rare (Cover 1965)
        with suppress(np.linalg.LinAlgError):
            v, m = _descended(rows, view, v, m, np.float32)
    if not m.min() > _WIDE:
        v, m = _descended(rows, view, v, m, np.float64)
    return Fit(v, np.maximum(1.0 - m, 0.0), m)


def _descended(
    rows: Rows, view: View, v: Floats, m: Floats, kind: type[np.floating[Any]]
) -> tuple[Floats, Floats]:
    """Newton's method from direction v, with scores m, to where it ends."""
    active, gram = np.zeros(rows.n, dtype=bool), _zero(len(v), kind)
    for _ in range(_MOST_STEPS):
        now = m < 1
        joined, left = np.flatnonzero(now & ~active), np.flatnonzero(active & ~now)
        if len(joined) + len(left) < np.count_nonzero(now):
            gram = with_squares(gram, rows, view, joined, 1.0)
            gram = with_squares(gram, rows, view, left, -1.0)
        else:
            gram = with_squares(_zero(len(v), kind), rows, view, np.flatnonzero(now), 1.0)
        active = now
        # The shortest step, so that rows with larger scores mostly keep them.
        v_step = _solved(gram.copy(order="F"), blended(rows, view, np.maximum(1.0 - m, 0.0)))
        step = view.scores(rows, v_step)
        share = 1.0 if (m + step).min() > _WIDE else _share(m, step)
        v, m = v + share * v_step, m + share * step
        if m.min() > _WIDE or (share == 1.0 and (active == (m < 1)).all()):
            break
    return v, m


def _zero(size: int, kind: type[np.floating[Any]]) -> Floats:
    return np.zeros((size, size), dtype=kind, order="F")


def _share(m: Floats, step: Floats) -> float:
    """Of the way to where Newton's method goes: all of it, or as much as is no way up."""

    def loss(scores: Floats) -> float:
        return float(np.square(np.maximum(1.0 - scores, 0.0)).sum())

    now, share = loss(m), 1.0
    for _ in range(_MOST_HALVES):
        if loss(m + share * step) <= now:
            break
        share /= 2
    return share


def with_squares(
    gram: Floats, rows: Rows, view: View, index: Index, sign: float, shares: Floats | None = None
) -> Floats:
    """And Σ b_i b_i' of some rows, in shares, added or taken away; of all the lower part."""
    for some in _chunks(rows, view, index):
        b = view.rows(rows, some)
        if shares is not None:
            b *= np.sqrt(shares[some])[:, None]
        syrk = dsyrk if gram.dtype == np.float64 else ssyrk
        gram = syrk(sign, b.astype(gram.dtype).T, beta=1.0, c=gram, lower=True, overwrite_c=True)
    return gram


def blended(rows: Rows, view: View, shares: Floats) -> Floats:
    index = np.flatnonzero(shares)
    parts = (shares[some] @ view.rows(rows, some) for some in _chunks(rows, view, index))
    return sum(parts, np.zeros(view.dimensions(rows)))


def _chunks(rows: Rows, view: View, index: Index | None = None) -> Iterator[Index]:
    index = np.arange(rows.n) if index is None else index
    step = max(1, _AT_ONCE // view.dimensions(rows))
    for begin in range(0, len(index), step):
        rows.budget.check_interrupt()
        yield index[begin : begin + step]


def _solved(gram: Floats, right: Floats) -> Floats:
    diagonal = np.einsum("ii->i", gram)
    diagonal += _RIDGES[gram.dtype.char] * max(float(diagonal.mean()), 1e-300)
    factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    solution = cho_solve(factor, right.astype(gram.dtype), check_finite=False)
    return np.asarray(solution, dtype=np.float64)
