"""Rows modulo a prime: which are orthogonal to given vectors, and which are independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt._certify.exact_product import vanishing
from rosenblatt._certify.modular import PRIMES, Ints, echelon, inverse, mod, product
from rosenblatt._certify.rows import Index, Rows, Vector


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
        index = index[~rows.times(modulo, index, PRIMES[0]).any(axis=1)]
        exact = None
        if not rows.decimal:
            exact = vanishing(rows.dense(index, columns), short, rows.intercept)
        if exact is None:
            exact = np.ones(len(index), dtype=bool)
            for v in normals:
                flat_here = [not above for above, _ in rows.products(index, v)]
                exact &= np.array(flat_here, dtype=bool)
        flat[index] = exact
    return flat


def independent(rows: Rows, index: list[int]) -> list[int]:
    """As many of the rows as are independent; a positive blend of them is zero, so never all."""
    best: list[int] = []
    for prime in PRIMES:
        places, _ = echelon(rows.residues(index, prime), prime)
        best = max(best, places, key=len)
        if len(best) == min(len(index) - 1, rows.D):  # there cannot be more
            break
    return [index[k] for k in best]


def spanning_rows(
    rows: Rows, pool: Index, first: Sequence[int] = (), order: Index | None = None
) -> tuple[list[int], list[int]]:
    """Independent rows that span those of the pool, and columns in which they are independent.

    Some rows tell; where another row is not in their span, it joins them. Columns are taken as
    early in the `order` as possible.
    """
    order = np.arange(rows.D) if order is None else order
    prime, place = PRIMES[0], np.linspace(0, len(pool) - 1, min(len(pool), 2 * rows.D + 64))
    index = np.array([*first, *pool[place.astype(np.intp)]], dtype=np.intp)
    while True:
        residues = rows.residues(index, prime)
        places, members = echelon(np.ascontiguousarray(residues[:, order].T), prime)
        index, columns = index[members], order[places].tolist()
        other = (
            _outside(rows, pool, residues[members], columns) if len(index) < rows.D else index[:0]
        )
        if not len(other):
            return index.tolist(), columns
        index = np.append(index, other)


def _outside(rows: Rows, pool: Index, basis: Ints, columns: list[int]) -> Index:
    """Rows of the pool that are not in the span of the basis; not more than some."""
    prime = PRIMES[0]
    rest = sorted(set(range(rows.D)) - set(columns))
    below = inverse(basis[:, columns], prime)
    assert below is not None
    normals = np.zeros((rows.D, len(rest)), dtype=np.int64)
    normals[columns] = prime - product(below, basis[:, rest], prime)
    normals[rest, range(len(rest))] = 1
    outside: list[Index] = [pool[:0]]
    step = max(1, (1 << 17) // rows.D)
    for begin in range(0, len(pool), step):
        rows.budget.check_interrupt()
        some = pool[begin : begin + step]
        outside.append(some[rows.times(normals, some, prime).any(axis=1)])
        if sum(map(len, outside)) > 2 * rows.D:
            break
    return np.concatenate(outside)[: 2 * rows.D]
