"""The fallback that always decides: a dual simplex in whole numbers.

Columns e_i are positive multiples of (a_i, 1), restricted to independent coordinates. From a basis
B solve B x = e_last. If x >= 0 it is a conflict: a blend of rows that is zero. Otherwise take the
first negative x and its row of B⁻¹; a column with a negative product enters, the first one (Bland's
rule, so that it ends). Is there none, then that row of B⁻¹ is a separator: all products are >= 0,
so that its part v has v·a_i >= -x > 0.

The inverse is kept as adjoint/det in whole numbers; a pivot divides without rest (Edmonds 1967).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rosenblatt._proof.face import Decision, Face
from rosenblatt._proof.integer_algebra import Misled, Singular, System, reduce
from rosenblatt._proof.long_floats import guess
from rosenblatt._proof.modular import PRIMES, echelon
from rosenblatt._proof.whole_numbers import Vector
from rosenblatt._support.budget import Budget


def decide(face: Face, start: Sequence[int]) -> Decision:
    """A strict separator of the face's rows, or a conflict among them; `start` comes first."""
    found = guess(face)
    if found is not None:
        return found
    order = [*start, *(i for i in face.index if i not in set(start))]
    for prime in PRIMES:
        basis, coordinates, flat = _basis(face, order, prime)
        if flat:
            found = _level(face, basis, coordinates)
        else:
            found = _Simplex(face, basis, coordinates).run()
        if found is not None and face.agrees(found):
            return found
    raise Misled


def _basis(face: Face, order: Sequence[int], prime: int) -> tuple[list[int], list[int], bool]:
    """Rows whose (a_i, 1) are a basis, and coordinates in which they are independent.

    The last coordinate is among them, unless all rows can have the score 1 (`flat`): then the basis
    and the coordinates are those of the a_i alone.
    """
    size = face.size
    lifted = np.zeros((0, size + 1), dtype=np.int64)
    members: list[int] = []
    for begin in range(0, len(order), 256):
        some = list(order[begin : begin + 256])
        candidates = (face.column(i)[0] for i in some)
        block = [[v % prime for v in (last, *a)] for *a, last in candidates]
        stack = np.vstack([lifted, np.array(block, dtype=np.int64)])
        independent, _ = echelon(stack, prime)
        both = [*members, *some]
        members = [both[k] for k in independent]
        lifted = stack[independent]
        if len(members) == size + 1:
            break
    without = lifted[:, 1:]
    rows, coordinates = echelon(without, prime)
    if len(rows) == len(members) and members:
        return [members[k] for k in rows], coordinates, True
    _, columns = echelon(lifted, prime)
    return members, [c - 1 for c in columns if c > 0], False


def _level(face: Face, basis: list[int], coordinates: list[int]) -> Decision | None:
    """v with v·a_i = 1 for the basis, hence for all rows."""
    columns = [face.column(i)[0] for i in basis]
    matrix = [[c[j] for j in coordinates] for c in columns]
    try:
        found, below = System(matrix).solve(
            [c[-1] for c in columns], face.rows.budget.check_interrupt
        )
    except Singular:
        return None
    v = [Fraction(0)] * face.size
    for j, value in zip(coordinates, found, strict=True):
        v[j] = Fraction(value, below)
    w = face.weights(v)
    return Decision(separator=w)


class _Simplex:
    def __init__(self, face: Face, basis: list[int], coordinates: list[int]):
        self.face, self.basis, self.coordinates = face, basis, coordinates
        self.k = len(basis)
        face.rows.budget.spend_on_algebra(self.k)
        matrix = [self._restricted(i) for i in basis]  # rows of Bᵀ
        columns = [list(c) for c in zip(*matrix, strict=True)]
        self.det, self.adjoint = _adjoint(columns, face.rows.budget)

    def _restricted(self, i: int) -> Vector:
        column, _ = self.face.column(i)
        return [*(column[j] for j in self.coordinates), column[-1]]

    def run(self) -> Decision:
        while True:
            self.face.rows.budget.check_interrupt()
            x = [row[-1] for row in self.adjoint]  # det > 0 times the solution of B x = e_last
            negative = [(i, q) for q, i in enumerate(self.basis) if x[q] < 0]
            if not negative:
                return self._conflict(x)
            _, q = min(negative)
            entering = self._entering(self.adjoint[q])
            if entering is None:
                return self._separator(self.adjoint[q])
            self._pivot(q, entering)

    def _entering(self, row: Vector) -> int | None:
        """The first row i of the face with row·e_i < 0."""
        w, bound = self._direction(row)
        return self.face.first_below(w, bound, strictly=True)

    def _direction(self, row: Vector) -> tuple[list[Fraction], Fraction]:
        v = [Fraction(0)] * self.face.size
        for j, value in zip(self.coordinates, row, strict=False):
            v[j] = Fraction(value)
        return self.face.weights(v), Fraction(-row[-1])

    def _pivot(self, q: int, entering: int) -> None:
        column = self._restricted(entering)
        product = [sum(a * c for a, c in zip(row, column, strict=True)) for row in self.adjoint]
        pivot, old = product[q], self.adjoint[q]
        self.face.rows.budget.spend_on_long(self.k**2, pivot.bit_length(), divided=True)
        for i, row in enumerate(self.adjoint):
            if i != q:
                p = product[i]
                pairs = zip(row, old, strict=True)
                self.adjoint[i] = [(pivot * a - p * b) // self.det for a, b in pairs]
        self.det, self.basis[q] = pivot, entering
        if self.det < 0:
            self.det = -self.det
            self.adjoint = [[-v for v in row] for row in self.adjoint]

    def _conflict(self, x: Vector) -> Decision:
        pairs = [
            (i, v * self.face.column(i)[1]) for i, v in zip(self.basis, x, strict=True) if v > 0
        ]
        weights = reduce([v for _, v in pairs])
        return Decision(conflict={i: v for (i, _), v in zip(pairs, weights, strict=True)})

    def _separator(self, row: Vector) -> Decision:
        w, _ = self._direction(reduce(row))
        return Decision(separator=w)


def _adjoint(matrix: list[Vector], budget: Budget) -> tuple[int, list[Vector]]:
    """det > 0 and det·B⁻¹ (both negated where det < 0), without fractions (Bareiss 1968)."""
    k = len(matrix)
    m = [[*row, *(int(i == j) for j in range(k))] for i, row in enumerate(matrix)]
    det = 1
    for j in range(k):
        pivot_row = next(i for i in range(j, k) if m[i][j])
        m[j], m[pivot_row] = m[pivot_row], m[j]
        pivot, source = m[j][j], m[j]
        budget.spend_on_long(2 * k**2, pivot.bit_length(), divided=True)
        for i in range(k):
            if i != j:
                factor = m[i][j]
                pairs = zip(m[i], source, strict=True)
                m[i] = [(pivot * a - factor * b) // det for a, b in pairs]
        det = pivot
    inverse = [row[k:] for row in m]
    return (det, inverse) if det > 0 else (-det, [[-v for v in row] for row in inverse])
