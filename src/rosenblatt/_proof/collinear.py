"""Columns that are combinations of others: found modulo a prime, proved in whole numbers.

Such a column says nothing new: its coefficient can be 0, and is taken to be, as software for
logistic regression does. What the other coefficients do is then the question of separation alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._proof.modular import PRIMES, inverse, product
from rosenblatt._proof.residues import orthogonal, residues, spanning_rows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Vector

_MOST_COLUMNS = 500  # beyond that it would take longer than the verdict
_MOST_LEFT_OUT = 50
_MOST = 1 << 29  # numerators and denominators of the shares of columns


@dataclass(frozen=True)
class Collinear:
    """vector·(x_i, 1) = 0 for every row, and the vector is 0 in all other columns left out."""

    column: int  # the one that is left out
    vector: Vector  # positive in that column


def collinear_columns(rows: Rows) -> list[Collinear]:
    """Columns without which no other is a combination of the rest, as far as these are simple ones;
    none where there are fewer rows than coefficients, since then almost all would be."""
    if min(rows.n, _MOST_COLUMNS) < rows.D:
        return []
    index, kept = spanning_rows(rows, np.arange(rows.n), order=_rare_first(rows))
    left_out = sorted(set(range(rows.D)) - set(kept))[:_MOST_LEFT_OUT]
    if not left_out:
        return []
    rows.budget.spend(4 * rows.n * len(left_out))
    found = [Collinear(j, v) for j, v in _combinations(rows, index, kept, left_out) if v]
    if not found or orthogonal(rows, [c.vector for c in found]).all():
        return found
    return [c for c in found if orthogonal(rows, [c.vector]).all()]


def _combinations(
    rows: Rows, index: list[int], kept: list[int], left_out: list[int]
) -> Iterator[tuple[int, Vector]]:
    """Each column left out, and its vector as two primes see it: empty where it is not simple."""
    shares = []
    for prime in PRIMES[:2]:
        basis = residues(rows, prime, index)
        below = inverse(basis[:, kept], prime)
        if below is None:
            return
        shares.append(product(below, basis[:, left_out], prime))
    for k, j in enumerate(left_out):
        vector = [Fraction(0)] * rows.D
        vector[j] = Fraction(1)
        for i in np.flatnonzero(shares[0][:, k] | shares[1][:, k]).tolist():
            fraction = _simple(int(shares[0][i, k]), int(shares[1][i, k]))
            vector[kept[i]] = Fraction(0) if fraction is None else -fraction
        common = math.lcm(*(v.denominator for v in vector))
        yield j, [int(v * common) for v in vector] if common < _MOST**2 else []


def _simple(one: int, two: int) -> Fraction | None:
    """The fraction of small numbers that has these residues modulo both primes, by Euclid."""
    p, q = PRIMES[:2]
    a, b = p * q, one + p * ((two - one) * pow(p, -1, q) % q)
    s, t = 0, 1
    while b > _MOST:
        a, b, s, t = b, a % b, t, s - a // b * t
    return Fraction(b, t) if 0 < abs(t) <= _MOST else None


def _rare_first(rows: Rows) -> NDArray[np.intp]:
    """The intercept, then columns with few numbers that are not 0: of the 0/1 columns for the words
    of a table that of the most frequent one is left out, as if it were the reference level."""
    if sparse.issparse(rows.X):
        count = np.bincount(rows.X.indices[rows.X.data != 0], minlength=rows.d)
    else:
        count = np.count_nonzero(rows.X, axis=0)
    order = np.argsort(count, kind="stable")
    return np.append(rows.d, order) if rows.intercept else order


def functional(collinear: list[Collinear], j: int) -> dict[int, Fraction]:
    """What gives, for any weights, the j-th one of those weights with the same scores that are 0
    in the columns left out: the shares of the few columns that it takes."""
    out = {j: Fraction(1)}
    for c in collinear:
        if c.vector[j]:
            share = Fraction(c.vector[j], c.vector[c.column])
            out[c.column] = out.get(c.column, Fraction(0)) - share
    return {k: share for k, share in out.items() if share}
