"""Which rows of a sparse table can be strict: a linear programme guesses, whole numbers prove.

max Σ t_i with t_i <= a_i·w and 0 <= t_i <= 1 has t_i = 1 for each row that can be strictly on the
right side while none is on the wrong one, and 0 for the others; its multipliers are a positive
blend of these that is zero. Of the multipliers all but those of a basis are rounded and kept, and
the basis is solved for in whole numbers. So are the numbers of w in as many columns.

Where rows are blends of others but for the last bits of their numbers, floats take them for zero.
Then scores of a basis of them become coordinates, in units of 2^-53: what is left of the other rows
is as small, so that the next programme sees it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import qr

from rosenblatt import verify
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.exact_product import combined, longest
from rosenblatt._certify.linear_algebra import PRIMES, Singular, System, echelon, kernel, reduce
from rosenblatt._certify.rows import Floats, Index, Rows, Vector
from rosenblatt._util.budget import LimitReached

_ROUNDS = 8  # of programmes, each in smaller units
_CLEAR = 1e-9  # of a row of length 1: floats see it
_BITS = (8, 40)  # of multipliers that are kept
_WEIGHT_BITS = (20, 52)  # below the point, of weights that are kept
_MOST_ROWS = 7000  # in a programme that takes seconds, and not minutes
_METHOD = "highs-ds"


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
    if rows.n > _MOST_ROWS and not rows.budget.timed:
        raise LimitReached(f"{rows.n} rows are too many for a linear programme")
    coordinates = _Coordinates(rows)
    for _ in range(_ROUNDS):
        guess = _programme(rows, coordinates.table)
        proof = _Proof(rows, coordinates, guess)
        if (proved := proof.run()) is not None:
            return proved
        coordinates.magnify(proof.basis, proof.rest)
    raise LimitReached("linear programmes did not tell which rows can be strictly right")


@dataclass(frozen=True)
class _Guess:
    weights: Floats
    strict: NDArray[np.bool_]
    multipliers: Floats


def _programme(rows: Rows, table: Any) -> _Guess:
    from scipy.optimize import linprog  # late: it takes longer to import than most proofs

    n, size = table.shape
    for presolve in (True, False):
        rows.budget.spend(16 * rows.n)
        left = rows.budget.seconds_left()
        result = linprog(
            np.concatenate([np.zeros(size), -np.ones(n)]),
            A_ub=sparse.hstack([-table, sparse.identity(n)], format="csr"),
            b_ub=np.zeros(n),
            bounds=[(None, None)] * size + [(0.0, 1.0)] * n,
            method=_METHOD,
            options={"presolve": presolve}
            | ({} if left is None else {"time_limit": max(left, 0.0)}),
        )
        if result.x is not None:
            return _Guess(result.x[:size], result.x[size:] > 0.5, -result.ineqlin.marginals)
    raise LimitReached(f"a linear programme was not solved: {result.message}")


def a_conflict(rows: Rows, balance: Blend) -> Blend:
    """Rows of the balance of which a positive blend is zero: few, where a programme finds them."""
    from scipy.optimize import linprog

    index = np.array(list(balance), dtype=np.intp)
    table = _Coordinates(rows.part(index)).table
    least = np.zeros(len(index))
    least[np.argmin(np.diff(table.indptr))] = 1.0
    result = linprog(
        np.ones(len(index)),
        A_eq=sparse.csr_array(table.T),
        b_eq=np.zeros(rows.D),
        bounds=np.stack([least, np.full(len(index), np.inf)], axis=1),
        method=_METHOD,
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


# --- The proof -----------------------------------------------------------------------------------


class _Proof:
    """Of a guess: `basis` are rows that span those on the boundary as far as floats see, and
    `columns` some in which they are far from dependent, the best first."""

    def __init__(self, rows: Rows, coordinates: _Coordinates, guess: _Guess):
        self.rows, self.coordinates, self.guess = rows, coordinates, guess
        self.strict = np.flatnonzero(guess.strict)
        boundary = np.flatnonzero(~guess.strict)
        table = coordinates.dense(boundary)
        place, self.columns = _spanning(table), np.zeros(0, dtype=np.intp)
        if len(place):
            _, self.columns = qr(table[place], mode="r", pivoting=True, check_finite=False)
        self.basis, self.rest = boundary[place], np.delete(boundary, place)

    def run(self) -> Split | None:
        if self._sees_all():
            balance = self._balance()
            if balance is not None:
                for bits in _WEIGHT_BITS:
                    w = self._weights(bits)
                    if w is not None and (self.rows.signs(w)[self.strict] > 0).all():
                        return Split(self.strict, balance, w)
        if not len(self.basis):
            raise LimitReached("a linear programme was wrong about all rows")
        return None

    def _sees_all(self) -> bool:
        """Does the basis span the others in whole numbers, too? Then it is known in which columns
        it is independent."""
        index = np.concatenate([self.basis, self.rest])
        if not len(index):
            return True
        residues = self.rows.residues(index, PRIMES[0])
        places, _ = echelon(residues, PRIMES[0])
        if places != list(range(len(self.basis))):
            return False
        others = np.setdiff1d(np.arange(self.rows.D), self.columns)
        order = np.concatenate([self.columns, others])
        own = np.ascontiguousarray(residues[: len(self.basis)][:, order].T)
        self.columns = order[echelon(own, PRIMES[0])[0]]
        return True

    def _balance(self) -> Blend | None:
        names = [*self.basis.tolist(), *self.rest.tolist()]
        if not names:
            return {}
        columns, k = self.columns.tolist(), len(self.basis)
        whole, _ = self.rows.whole(names)
        self.rows.budget.spend_on_algebra(k, longest(whole))
        try:
            system = System([[row[j] for row in whole[:k]] for j in columns])
        except Singular:
            return None
        for bits in _BITS:
            shares = self.coordinates.shares(self.rest, self.guess.multipliers[self.rest], bits)
            total = combined(shares, whole[k:]) if shares else [0] * self.rows.D
            x, times = system.solve([-total[j] for j in columns], self.rows.budget)
            weights = reduce([*x, *(times * v for v in shares)])
            if min(weights) > 0 and not any(combined(weights, whole)):
                return dict(sorted(zip(names, weights, strict=True)))
        return None

    def _weights(self, bits: int) -> list[Fraction] | None:
        """Those of the guess, with others in the columns, so that scores of the basis are 0."""
        w, columns = self.coordinates.weights(self.guess.weights, bits), self.columns.tolist()
        if not columns:
            return w
        for j in columns:
            w[j] = Fraction(0)
        whole, scale = self.rows.whole(self.basis.tolist())  # whole_ij = scale_j a_ij
        *kept, common = verify.whole([*w, 1])
        least = math.lcm(*scale)
        beside = [v * (least // s) for v, s in zip(kept, scale, strict=True)]
        right = [-sum(map(mul, row, beside)) for row in whole]
        try:
            system = System([[row[j] for j in columns] for row in whole])
        except Singular:
            return None
        x, times = system.solve(right, self.rows.budget)
        for j, v in zip(columns, x, strict=True):
            w[j] = Fraction(v * scale[j], times * common * least)
        return w


def _spanning(table: Floats) -> Index:
    if not table.size:
        return np.zeros(0, dtype=np.intp)
    r, order = qr(table.T, mode="r", pivoting=True, check_finite=False)
    size = np.abs(np.diag(r))
    return np.asarray(order[: np.count_nonzero(size > _CLEAR * size[0])], dtype=np.intp)


# --- Coordinates ---------------------------------------------------------------------------------


_UNIT = 53  # bits between a coordinate and the one that takes its place
_POINT = 640  # bits below the point of the numbers in coordinates
_JUNK = 40  # of these, that are rounding
_FADED = 2.0**-20  # of a row in other coordinates: there floats may see rounding
_ROUNDING = 2.0**-46  # of the sizes that are added up, in a sum that may be zero
_FAINT = 1e-11  # of the largest number in a row: the programme does not see it
_EVEN = 8  # times a pivot may be as large: then the one that changes fewer rows is taken

Sparse = dict[int, int]  # column: number


class _Coordinates:
    """Rows as the programme sees them: each times a power of two, in coordinates that are columns
    times powers of two, or scores of some rows in smaller and smaller units."""

    def __init__(self, rows: Rows):
        self._rows = rows
        signed = sparse.diags_array(rows.y) @ sparse.csr_array(rows.X).astype(np.float64)
        if rows.intercept:
            signed = sparse.hstack([signed, sparse.csr_array(rows.y[:, None])])
        self._columns = _powers(signed, 0)
        scaled = signed @ sparse.diags_array(np.exp2(self._columns))
        self._powers = _powers(scaled, 1)
        self.table = sparse.csr_array(sparse.diags_array(np.exp2(self._powers)) @ scaled)
        self._exact: dict[int, Sparse] = {}  # rows that floats take for zero, with many digits
        self._turned: list[tuple[int, Sparse]] = []  # coordinates that were replaced, and by what

    def dense(self, index: Index) -> Floats:
        out = self.table[index].toarray()
        norm = np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(out / np.where(norm > 0, norm, 1.0))

    def shares(self, index: Index, multipliers: Floats, bits: int) -> Vector:
        """Positive whole multipliers of the rows as they are."""
        power = self._powers[index]
        each = zip(multipliers.tolist(), (power - power.min(initial=0)).tolist(), strict=True)
        return [max(round(v * 2.0**bits), 1) << up for v, up in each]

    def weights(self, u: Floats, bits: int) -> list[Fraction]:
        """Of the columns as they are."""
        out = [Fraction(round(v * 2.0**bits), 1 << bits) for v in u.tolist()]
        for j, blend in reversed(self._turned):
            others = sum((v * out[k] for k, v in blend.items()), Fraction(0))
            exact = out[j] / (1 << _UNIT) - others / (1 << _POINT)
            out[j] = Fraction(round(exact * (1 << _POINT)), 1 << _POINT)
        return [v * Fraction(2) ** c for v, c in zip(out, self._columns.tolist(), strict=True)]

    def magnify(self, basis: Index, rest: Index) -> None:
        """The scores of the basis become coordinates. The rest is what floats take for its span."""
        self._take_exactly([*basis.tolist(), *rest.tolist()])
        table, holders = self._exact, defaultdict[int, set[int]](set)
        for i, row in table.items():
            for j in row:
                holders[j].add(i)
        others = np.delete(np.arange(self._rows.n), list(table))
        beside = np.bincount(self.table[others].indices, minlength=self._rows.D).tolist()
        left, known = set(basis.tolist()), len(self._turned)
        done = set[int]()
        while left:
            i = min(left, key=lambda i: len(table[i]))
            left.remove(i)
            self._rows.budget.check_interrupt()
            free = {j: abs(v) for j, v in table[i].items() if j not in done}
            most = max(free.values(), default=0)
            even = (j for j, v in free.items() if _EVEN * v >= most)
            pivot = min(even, key=lambda j: len(holders[j]) + beside[j], default=None)
            if pivot is not None:
                done.add(pivot)
                self._turn(table[i], pivot, holders)
        self._see(self._turned[known:])

    def _turn(self, row: Sparse, j: int, holders: dict[int, set[int]]) -> None:
        """w_j = 2^-53 v - Σ blend_k w_k, so that v is a score of the row up to a factor."""
        blend = {k: (v << _POINT) // row[j] for k, v in row.items() if k != j}
        self._turned.append((j, blend))
        for i in holders[j]:
            fresh, gone = _replace(self._exact[i], j, blend)
            for k in fresh:
                holders[k].add(i)
            for k in gone:
                holders[k].discard(i)

    def _take_exactly(self, index: list[int]) -> None:
        for i in index:
            if i not in self._exact:
                self._exact[i] = row = self._digits(i)
                for j, blend in self._turned:
                    if j in row:
                        _replace(row, j, blend)

    def _digits(self, i: int) -> Sparse:
        """A row of the table, with as many digits as there are below the point."""
        rows, out = self._rows, Sparse()
        numbers = [(j, *rows.ratio(v)) for j, v in rows.numbers(i)]
        for j, above, below in [*numbers, *([(rows.d, 1, 1)] * rows.intercept)]:
            up = _POINT + int(self._powers[i] + self._columns[j])
            out[j] = int(rows.y[i]) * ((above << max(up, 0)) // (below << max(-up, 0)))
        return out

    def _see(self, turned: list[tuple[int, Sparse]]) -> None:
        table = self._in_floats(turned)
        size = abs(table).max(axis=1).toarray().ravel()
        self._take_exactly(np.flatnonzero(size < _FADED).tolist())
        up = _power_below(size)
        places = list[tuple[float, int, int]]()
        for i, exact in self._exact.items():
            bits = max((abs(v).bit_length() for v in exact.values()), default=_POINT)
            up[i] = max(_POINT - bits, 0)
            self._exact[i] = {j: v << int(up[i]) for j, v in exact.items()}
            places += [(v / (1 << _POINT), i, j) for j, v in self._exact[i].items()]
        self._powers += up
        rough = sparse.coo_array(sparse.diags_array(np.exp2(up)) @ table)
        kept = ~np.isin(rough.row, list(self._exact))
        several = zip((rough.data, rough.row, rough.col), zip(*places, strict=True), strict=True)
        value, row, column = (np.concatenate([part[kept], more]) for part, more in several)
        seen = np.abs(value) > _FAINT
        self.table = sparse.csr_array((value[seen], (row[seen], column[seen])), self.table.shape)

    def _in_floats(self, turned: list[tuple[int, Sparse]]) -> Any:
        """The table in the new coordinates, where rows that are not nearly zero are right."""
        size = self.table.shape[1]
        place = {j: k for k, (j, _) in enumerate(turned)}
        change, most = np.zeros((2, len(turned), size))
        for k, (j, blend) in reversed([*enumerate(turned)]):
            change[k, j] = most[k, j] = 2.0**-_UNIT
            for other, v in blend.items():
                share = v / (1 << _POINT)
                if other in place:
                    change[k] -= share * change[place[other]]
                    most[k] += abs(share) * most[place[other]]
                else:
                    change[k, other] -= share
                    most[k, other] += abs(share)
        row, column = np.nonzero(np.abs(change) > _ROUNDING * most)
        kept = np.delete(np.arange(size), list(place))
        value = np.concatenate([np.ones(len(kept)), change[row, column]])
        column = np.concatenate([kept, column])
        row = np.concatenate([kept, np.array(list(place), dtype=np.intp)[row]])
        whole = sparse.csr_array((value, (row, column)), shape=(size, size))
        out = sparse.csr_array(self.table @ whole)
        rounding = _ROUNDING * sparse.csr_array(abs(self.table) @ abs(whole))
        return sparse.csr_array(out.multiply(abs(out) > rounding))


def _replace(row: Sparse, j: int, blend: Sparse) -> tuple[list[int], list[int]]:
    """In a row; which coordinates are new in it, and which it has no longer."""
    factor, fresh, gone = row[j], list[int](), list[int]()
    row[j] = factor >> _UNIT
    for k, v in blend.items():
        less = factor * v >> _POINT
        if k not in row:
            if abs(less) >> _JUNK:
                row[k] = -less
                fresh.append(k)
        elif abs(row[k] - less) >> _JUNK:
            row[k] -= less
        else:
            del row[k]
            gone.append(k)
    return fresh, gone


def _power_below(size: Floats) -> NDArray[np.int64]:
    return -np.round(np.log2(np.where(size > 0, size, 1.0))).astype(np.int64)


def _powers(table: Any, axis: int) -> NDArray[np.int64]:
    """Of two, that make the largest numbers in columns (0) or rows (1) about 1."""
    return _power_below(abs(table).max(axis=axis).toarray().ravel())
