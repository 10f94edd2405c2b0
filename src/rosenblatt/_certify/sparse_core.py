"""Which rows of a sparse table can be strict: a linear programme guesses, whole numbers prove.

max Σ t_i with t_i <= a_i·w and 0 <= t_i <= 1 has t_i = 1 for each row that can be strictly on the
right side while none is on the wrong one, and 0 for the others; its multipliers are a positive blend
of these that is zero. From the guess of them all but a basis is kept, rounded, and the weights of
the basis are solved for in whole numbers. So are the numbers of w in as many columns.

Where rows are blends of others but for the last bits of their numbers, floats take them for zero.
Then scores of a basis of them become coordinates, in units of 2^-53: what is left of the other rows
is small, too, so that in the next programme all are numbers that floats see.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from rosenblatt import verify
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.exact_product import combined
from rosenblatt._certify.linear_algebra import Singular, System, kernel, reduce
from rosenblatt._certify.modular import PRIMES, echelon, longest
from rosenblatt._certify.rows import Floats, Index, Rows, Vector
from rosenblatt._util.budget import LimitReached

_UNIT = 53  # bits between a coordinate and the one that takes its place
_POINT = 640  # bits below the point of numbers in coordinates
_LEVELS = 8
_JUNK = 40  # last bits below the point that are rounding
_FAINT = 1e-11  # of the largest number in a row: the programme does not see it
_CLEAR = 1e-9  # of a row of length 1: floats see it
_BITS = (8, 40)  # of multipliers that are kept
_WEIGHT_BITS = (20, 52)  # of weights that are kept


@dataclass(frozen=True)
class Split:
    """The rows that can be strict, and the others, with a proof of both."""

    strict: Index
    balance: Blend  # of all others, positive and zero
    separator: list[Fraction]  # strict there, and 0 on the others


def split(rows: Rows) -> Split:
    """LimitReached where the guesses do not lead to a proof."""
    if not rows.D:  # rows of zeros
        return Split(np.zeros(0, dtype=np.intp), dict.fromkeys(range(rows.n), 1), [])
    seen = _Coordinates(rows)
    for _ in range(_LEVELS):
        guess = _programme(seen.table(), rows)
        boundary = np.flatnonzero(guess.strict < 0.5)
        proof = _proved(rows, seen, guess, boundary)
        if isinstance(proof, Split):
            return proof
        if not len(proof):
            break
        seen.magnify(proof)
    raise LimitReached(
        "the linear programme did not lead to a proof of which rows can be strictly right"
    )


# --- The guess -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Guess:
    weights: Floats
    strict: Floats  # t
    multipliers: Floats


def _programme(table: Any, rows: Rows) -> _Guess:
    from scipy.optimize import linprog  # late: it takes longer to import than most proofs

    n, size = table.shape
    rows.budget.spend(8 * rows.n)
    result = None
    for options in ({}, {"presolve": False}):
        result = linprog(
            np.concatenate([np.zeros(size), -np.ones(n)]),
            A_ub=sparse.hstack([-table, sparse.identity(n)]).tocsr(),
            b_ub=np.zeros(n),
            bounds=[(None, None)] * size + [(0.0, 1.0)] * n,
            method="highs-ds",
            options=options,
        )
        if result.x is not None:
            return _Guess(result.x[:size], result.x[size:], -result.ineqlin.marginals)
    raise LimitReached(f"the linear programme has no solution: {result.message}")


# --- The proof -----------------------------------------------------------------------------------


def _proved(rows: Rows, seen: _Coordinates, guess: _Guess, boundary: Index) -> Split | Index:
    """Or rows that are to be looked at more closely; none: nothing helps."""
    strict = np.setdiff1d(np.arange(rows.n), boundary)
    basis, columns = _basis(seen.dense(boundary))
    index = boundary[basis]
    exact = _exact_basis(rows, boundary, basis, columns)
    if exact is None:
        return index
    balance = Blend()
    if len(boundary):
        found = _balance(rows, boundary, basis, exact, guess.multipliers[boundary], seen)
        if found is None:
            return index
        balance = found
    for bits in _WEIGHT_BITS:
        w = _weights(rows, index, exact, seen.weights(guess.weights, bits))
        if w is None:
            return index
        if (rows.signs(w)[strict] > 0).all():
            return Split(strict, balance, w)
    return index


def _basis(table: Floats) -> tuple[Index, Index]:
    """Places of rows that span the others as far as floats see, and of columns in which they are
    far from dependent, the best first."""
    if not table.size:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    r, order = qr(table.T, mode="r", pivoting=True, check_finite=False)
    size = np.abs(np.diag(r))
    basis = np.asarray(order[: int(np.count_nonzero(size > _CLEAR * size[0]))], dtype=np.intp)
    _, columns = qr(table[basis], mode="r", pivoting=True, check_finite=False)
    return basis, np.asarray(columns, dtype=np.intp)


def _exact_basis(rows: Rows, boundary: Index, basis: Index, columns: Index) -> list[int] | None:
    """Columns in which the rows of the basis are independent; None: they span less than all."""
    if not len(boundary):
        return []
    others = np.setdiff1d(np.arange(len(boundary)), basis)
    residues = rows.residues(boundary[np.concatenate([basis, others])], PRIMES[0])
    places, _ = echelon(residues, PRIMES[0])
    if places != list(range(len(basis))):
        return None
    order = np.concatenate([columns, np.setdiff1d(np.arange(rows.D), columns)])
    chosen, _ = echelon(np.ascontiguousarray(residues[: len(basis)][:, order].T), PRIMES[0])
    return [int(v) for v in order[chosen]]


def _balance(
    rows: Rows,
    boundary: Index,
    basis: Index,
    columns: list[int],
    multipliers: Floats,
    seen: _Coordinates,
) -> Blend | None:
    whole, _ = rows.whole(boundary.tolist())
    inside, rest = basis.tolist(), np.setdiff1d(np.arange(len(boundary)), basis).tolist()
    rows.budget.spend_on_algebra(len(inside), longest(whole))
    try:
        system = System([[whole[k][j] for k in inside] for j in columns])
    except Singular:
        return None
    for bits in _BITS:
        shares = seen.shares(boundary[rest], multipliers[rest], bits)
        total = combined(shares, [whole[k] for k in rest]) if rest else [0] * rows.D
        x, times = system.solve([-total[j] for j in columns], rows.budget)
        if min(x, default=1) <= 0:
            continue
        weights = reduce([*x, *(times * v for v in shares)])
        if any(combined(weights, [whole[k] for k in [*inside, *rest]])):
            return None
        names = boundary[[*inside, *rest]].tolist()
        return dict(sorted(zip(names, weights, strict=True)))
    return None


def _weights(
    rows: Rows, index: Index, columns: list[int], w: list[Fraction]
) -> list[Fraction] | None:
    """With other numbers in these columns, so that the scores of the rows are 0."""
    if not len(index):
        return w
    whole, scale = rows.whole(index.tolist())  # whole_ij = scale_j a_ij
    own = set(columns)
    *kept, common = verify.whole([*(0 if j in own else v for j, v in enumerate(w)), 1])
    least = math.lcm(*scale)
    beside = [v * (least // s) for v, s in zip(kept, scale, strict=True)]
    right = [-sum(map(mul, row, beside)) for row in whole]
    try:
        system = System([[row[j] for j in columns] for row in whole])
    except Singular:
        return None
    x, times = system.solve(right, rows.budget)
    out = list(w)
    for j, v in zip(columns, x, strict=True):
        out[j] = Fraction(v * scale[j], times * common * least)
    return out


def a_conflict(rows: Rows, balance: Blend) -> Blend:
    """Rows of the balance of which a positive blend is zero: few, where a programme finds them."""
    from scipy.optimize import linprog

    index = np.array(list(balance), dtype=np.intp)
    table = _Coordinates(rows.part(index)).table()
    least = np.zeros(len(index))
    least[np.argmin(np.diff(table.indptr))] = 1.0
    result = linprog(
        np.ones(len(index)),
        A_eq=sparse.csr_array(table.T),
        b_eq=np.zeros(rows.D),
        bounds=np.stack([least, np.full(len(index), np.inf)], axis=1),
        method="highs-ds",
    )
    if result.x is not None:
        few = index[result.x > _CLEAR].tolist()
        whole, _ = rows.whole(few)
        rows.budget.spend_on_algebra(len(few), longest(whole))
        blend = kernel(whole, rows.budget) or [0]
        if min(blend) > 0 or max(blend) < 0:
            return {i: abs(v) for i, v in zip(few, blend, strict=True)}
    if len(balance) > rows.D + 1:
        raise LimitReached("no conflict of few rows was found")
    return balance


# --- Coordinates ---------------------------------------------------------------------------------


class _Coordinates:
    """Rows as the programme sees them: each times a power of two, in coordinates that are columns
    times powers of two, or scores of some rows in smaller and smaller units."""

    def __init__(self, rows: Rows):
        self._rows = rows
        x = sparse.csr_array(rows.X).astype(np.float64)
        x = sparse.diags_array(rows.y) @ x
        if rows.intercept:
            x = sparse.hstack([x, sparse.csr_array(rows.y[:, None])])
        self._floats = sparse.csr_array(x)
        self._exact: list[dict[int, int]] | None = None
        self._turned: list[tuple[int, dict[int, int], int]] = []
        self._place()

    def _place(self) -> None:
        x = self._floats
        size = np.maximum(abs(x).max(axis=0).toarray().ravel(), 1e-300)
        self.column = -np.round(np.log2(size)).astype(np.int64)
        x = x @ sparse.diags_array(np.exp2(self.column))
        self.row = -np.ceil(np.log2(np.maximum(abs(x).max(axis=1).toarray().ravel(), 1e-300))).astype(np.int64)
        self._table = sparse.csr_array(sparse.diags_array(np.exp2(self.row)) @ x)

    def table(self) -> Any:
        return self._table

    def dense(self, index: Index) -> Floats:
        out = self._table[index].toarray()
        norm = np.sqrt(np.einsum("ij,ij->i", out, out))
        return out / np.where(norm > 0, norm, 1.0)[:, None]

    def shares(self, index: Index, multipliers: Floats, bits: int) -> Vector:
        """Of the rows as they are, positive whole numbers."""
        power = self.row[index]
        low = int(power.min(initial=0))
        out = []
        for v, p in zip(multipliers.tolist(), power.tolist(), strict=True):
            out.append(max(round(v * 2.0**bits), 1) << (p - low))
        return out

    def weights(self, u: Floats, bits: int) -> list[Fraction]:
        out = [Fraction(round(v * 2.0**bits), 1 << bits) for v in u.tolist()]
        for p, blend, unit in reversed(self._turned):
            total = out[p] / (1 << unit)
            total -= sum((Fraction(v, 1 << _POINT) * out[j] for j, v in blend.items()), Fraction(0))
            out[p] = total
        return [v * Fraction(2) ** int(c) for v, c in zip(out, self.column, strict=True)]

    def magnify(self, index: Index) -> None:
        """The scores of these rows become coordinates."""
        if self._exact is None:
            self._exact = self._fixed()
        table, holders = self._exact, defaultdict[int, set[int]](set)
        for i, row in enumerate(table):
            for j in row:
                holders[j].add(i)
        done = set[int]()
        left = set(index.tolist())
        while left:
            i = min(left, key=lambda i: len(table[i]))
            left.remove(i)
            self._turn(i, done, holders)
        self._see()

    def _turn(self, i: int, done: set[int], holders: Any) -> None:
        table = self._exact
        row = table[i]
        free = {j: abs(v) for j, v in row.items() if j not in done}
        if not free:
            return
        most = max(free.values())
        p = min((j for j, v in free.items() if 8 * v >= most), key=lambda j: len(holders[j]))
        own = row[p]
        blend = {j: (v << _POINT) // own for j, v in row.items() if j != p}
        done.add(p)
        self._turned.append((p, blend, _UNIT))
        for k in holders[p]:
            other = table[k]
            factor = other[p]
            other[p] = factor >> _UNIT
            for j, v in blend.items():
                left = other.get(j, 0) - (factor * v >> _POINT)
                if abs(left) >> _JUNK:
                    other[j] = left
                    holders[j].add(k)
                elif j in other:
                    del other[j]
                    holders[j].discard(k)

    def _fixed(self) -> list[dict[int, int]]:
        rows, out = self._rows, []
        for i in range(rows.n):
            power = int(self.row[i])
            y = int(rows.y[i])
            row = {}
            for j, v in rows.numbers(i):
                above, below = rows.ratio(v)
                up = _POINT + power + int(self.column[j])
                row[j] = y * (above << up) // below if up >= 0 else y * above // (below << -up)
            if rows.intercept:
                up = _POINT + power + int(self.column[-1])
                row[rows.D - 1] = y << up
            out.append(row)
        return out

    def _see(self) -> None:
        rows = self._rows
        i, j, value = [], [], []
        for k, row in enumerate(self._exact):
            bits = max((abs(v).bit_length() for v in row.values()), default=0)
            self.row[k] += _POINT - bits
            unit = 1 << bits
            for place, v in row.items():
                row[place] = v << max(_POINT - bits, 0)
                if abs(x := v / unit) > _FAINT:
                    i.append(k)
                    j.append(place)
                    value.append(x)
        self._table = sparse.csr_array((value, (i, j)), shape=(rows.n, rows.D))
