"""Rows modulo a prime: which are orthogonal to given vectors, and which are independent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.exact_product import vanishing
from rosenblatt._certify.modular import PRIMES, Ints, echelon, halves, inverse, joined, mod, product
from rosenblatt._certify.rows import Floats, LiftedRows, Rows, Vector, decimal_ratio


def residues(rows: Rows, prime: int, index: Any) -> Ints:
    """Rows modulo a prime below 2^31: fractions of powers of 2 (or 10) have residues, too."""
    out = _residues(rows, prime, rows.dense(index))
    if rows.intercept:
        out = np.hstack([out, np.ones((len(out), 1), dtype=np.int64)])
    negative = rows.y[index] < 0
    out[negative] = -out[negative] % prime
    return out


def times(rows: Rows, normals: Ints, index: Any, prime: int) -> Ints:
    """Rows times the columns of a matrix modulo the prime; rows as they are, not signed."""
    if isinstance(rows, LiftedRows):
        return _times_lifted(rows, normals, index, prime)
    used = np.flatnonzero(normals[: rows.d].any(axis=1))
    x = rows.X[index] if len(used) == rows.d else rows.X[index][:, used]
    if not sparse.issparse(x):
        out = product(_residues(rows, prime, x.astype(np.float64)), normals[used], prime)
    else:
        parts = halves(_residues(rows, prime, x.data.astype(np.float64)))
        high, low = (x.__class__((v, x.indices, x.indptr), shape=x.shape) for v in parts)
        out = joined(high, low, normals[used], prime)
    return (out + normals[-1]) % prime if rows.intercept else out


def _times_lifted(rows: LiftedRows, normals: Ints, index: Any, prime: int) -> Ints:
    """From the products of the points with the blocks of each class."""
    used, row = np.unique(rows.row[index], return_inverse=True)
    D, many = rows.points.D, normals.shape[1]
    blocks = normals.reshape(rows.classes - 1, D, many).transpose(1, 0, 2).reshape(D, -1)
    found = times(rows.points, np.ascontiguousarray(blocks), used, prime)
    scores = np.zeros((len(used), rows.classes, many), dtype=np.int64)
    scores[:, :-1] = found.reshape(len(used), -1, many)
    return np.asarray((scores[row, rows.own[index]] - scores[row, rows.rival[index]]) % prime)


def _residues(rows: Rows, prime: int, x: Floats) -> Ints:
    if rows.decimal:
        values, place = np.unique(x, return_inverse=True)
        ratios = (decimal_ratio(v) for v in values.tolist())
        found = np.array([a * pow(b, -1, prime) % prime for a, b in ratios], dtype=np.int64)
        return np.asarray(found[place.reshape(x.shape)])
    mantissa, exponent = np.frexp(x)
    whole = np.ldexp(mantissa, 53).astype(np.int64) % prime
    whole *= _powers_of_two(prime)[exponent.astype(np.int64) - 53 + 1130]
    whole %= prime
    return whole


@lru_cache(maxsize=8)
def _powers_of_two(prime: int) -> Ints:
    """2^k modulo the prime, from k = -1130 on: all that the exponents of floats need."""
    return np.array([pow(2, k, prime) for k in range(-1130, 1025)], dtype=np.int64)


def orthogonal(rows: Rows, normals: list[Vector]) -> NDArray[np.bool_]:
    """The rows that are orthogonal to all of the vectors, exactly.

    Residues tell of most others that they are not. Only columns are read in which a vector is not
    zero.
    """
    columns = rows.used(*normals)
    short = [[v[j] for j in columns] + v[rows.d :] for v in normals]
    flat = np.zeros(rows.n, dtype=bool)
    modulo = mod(normals, PRIMES[0]).T
    for begin, end in rows.chunks():
        index = np.arange(begin, end)
        index = index[~times(rows, modulo, index, PRIMES[0]).any(axis=1)]
        exact = None
        if not rows.decimal:
            exact = vanishing(rows.dense(index, columns), short, rows.intercept)
        if exact is None:
            found = [not any(rows.product(i, v)[0] for v in normals) for i in index.tolist()]
            exact = np.array(found, dtype=bool)
        flat[index] = exact
    return flat


def independent(rows: Rows, index: list[int]) -> list[int]:
    """As many of the rows as are independent; a positive blend of them is zero, so never all."""
    best: list[int] = []
    for prime in PRIMES:
        found, _ = echelon(residues(rows, prime, index), prime)
        best = max(best, found, key=len)
        if len(best) == min(len(index) - 1, rows.D):  # there cannot be more
            break
    return [index[k] for k in best]


def spanning_rows(
    rows: Rows,
    pool: NDArray[np.intp],
    first: Sequence[int] = (),
    order: NDArray[np.intp] | None = None,
) -> tuple[list[int], list[int]]:
    """Independent rows that span those of the pool, and columns in which they are independent.

    Some rows tell; where another row is not in their span, it joins them. Columns are taken as
    early in the `order` as possible.
    """
    order = np.arange(rows.D) if order is None else order
    prime, place = PRIMES[0], np.linspace(0, len(pool) - 1, min(len(pool), 2 * rows.D + 64))
    index = np.array([*first, *pool[place.astype(np.intp)]], dtype=np.intp)
    while True:
        found = residues(rows, prime, index)
        places, members = echelon(np.ascontiguousarray(found[:, order].T), prime)
        index, columns = index[members], order[places].tolist()
        other = _outside(rows, pool, found[members], columns) if len(index) < rows.D else index[:0]
        if not len(other):
            return index.tolist(), columns
        index = np.append(index, other)


def _outside(
    rows: Rows, pool: NDArray[np.intp], basis: Ints, columns: list[int]
) -> NDArray[np.intp]:
    """Rows of the pool that are not in the span of the basis; not more than some."""
    prime = PRIMES[0]
    rest = sorted(set(range(rows.D)) - set(columns))
    below = inverse(basis[:, columns], prime)
    assert below is not None
    normals = np.zeros((rows.D, len(rest)), dtype=np.int64)
    normals[columns] = prime - product(below, basis[:, rest], prime)
    normals[rest, range(len(rest))] = 1
    found: list[NDArray[np.intp]] = [pool[:0]]
    step = max(1, (1 << 17) // rows.D)
    for begin in range(0, len(pool), step):
        rows.budget.check_interrupt()
        some = pool[begin : begin + step]
        found.append(some[times(rows, normals, some, prime).any(axis=1)])
        if sum(map(len, found)) > 2 * rows.D:
            break
    return np.concatenate(found)[: 2 * rows.D]
