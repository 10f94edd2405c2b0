"""Linear algebra in whole numbers: solve, kernel, null space.

Systems are solved by Dixon's p-adic lifting (Numerische Mathematik 40, 1982): one inverse modulo a
prime, then a digit of the solution after the other, then fractions from their residues. What comes
out is multiplied back before it is believed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rosenblatt._proof.exact_product import Combining, combined
from rosenblatt._proof.modular import (
    LIFTING,
    PRIMES,
    Lifting,
    Vector,
    echelon,
    inverse,
    limbs_of,
    longest,
    mod,
)
from rosenblatt._proof.padic import SPARE, common_fraction, fractions

_AT_ONCE = 1 << 24  # products modulo the prime between two breaths


_NOTHING = np.empty((0, 0), dtype=np.int64)


class Singular(Exception):  # noqa: N818 - it is not an error
    """The matrix has no inverse, by the word of three primes."""


class System:
    """A square system that is invertible; solves for several right sides."""

    def __init__(self, matrix: Sequence[Sequence[int]]):
        self.matrix, self.k = matrix, len(matrix)
        for self.prime in LIFTING:
            found = inverse(mod(matrix, self.prime), self.prime) if self.k else _NOTHING
            if found is not None:
                break
        else:
            raise Singular
        self._inverse = found
        self._limbs = limbs_of(matrix)
        self._columns: Combining | None = None
        self._longest = longest(matrix)
        # |det| and all numerators are products of norms at most (Hadamard).
        self._bits = sum(_norm_bits(column) for column in zip(*matrix, strict=True))

    def solve(
        self, right: Sequence[int], check_interrupt: Callable[[], None]
    ) -> tuple[Vector, int]:
        """x and a common denominator > 0: matrix·x = denominator·right."""
        if not any(right):
            return [0] * self.k, 1
        bits = self._bits + _norm_bits(right)  # of numerators and of the denominator, at most
        most = (2 * bits + SPARE + 2 * self.k.bit_length()) // (self.prime.bit_length() - 1) + 1
        most_bits = max(self._longest, longest([right]))
        lifting = Lifting(self._limbs, self._inverse, self.prime, right, most_bits)
        digits, wanted = np.zeros((0, self.k), dtype=np.int64), 8
        step = max(1, _AT_ONCE // (self.k**2 * (1 + len(self._limbs))))
        while len(digits) < most:
            check_interrupt()
            count = min(step, wanted - len(digits), most - len(digits))
            digits = np.vstack([digits, lifting.digits(count)])
            if len(digits) in (wanted, most):  # few digits are enough where the numbers are simple
                wanted += wanted // 2
                found = common_fraction(digits, self.prime)
                if found is not None and self._solves(*found, right):
                    return found
        found = fractions(digits, self.prime)
        if found is not None and self._solves(*found, right):
            return found
        raise ArithmeticError("p-adic lifting did not end in the solution")  # cannot happen

    def _solves(self, x: Vector, denominator: int, right: Sequence[int]) -> bool:
        if self._columns is None:
            self._columns = Combining([[*column] for column in zip(*self.matrix, strict=True)])
        return self._columns(x) == [denominator * r for r in right]


def _norm_bits(vector: Sequence[int]) -> int:
    """log2 of the norm, or somewhat more."""
    largest = max(max(vector, default=0), -min(vector, default=0))
    return largest.bit_length() + (len(vector).bit_length() + 1) // 2


def reduce(vector: Sequence[int]) -> Vector:
    """Divided by the greatest common divisor."""
    divisor = math.gcd(*vector) or 1
    return [v // divisor for v in vector]


class Misled(ArithmeticError):  # noqa: N818 - the word says what happened
    """Three primes gave ranks that whole numbers contradict: one in 10^20, unless by design."""

    def __init__(self) -> None:
        super().__init__("Ranks modulo three primes contradict whole numbers: please report this.")


def independent_rows(rows: Sequence[Sequence[int]]) -> list[int]:
    """As many rows as are independent: the most that any of the primes finds."""
    best: list[int] = []
    for prime in PRIMES:
        found, _ = echelon(mod(rows, prime), prime)
        best = max(best, found, key=len)
        if rows and len(best) == min(len(rows), len(rows[0])):
            break  # there cannot be more
    return best


def kernel(rows: Sequence[Sequence[int]], check_interrupt: Callable[[], None]) -> Vector | None:
    """The whole numbers c with Σ c_i row_i = 0, unique up to a factor; None where they are not."""
    for prime in PRIMES:
        independent, columns = echelon(mod(rows, prime), prime)
        if len(independent) != len(rows) - 1:
            continue  # a prime can only find too few
        rest = next(i for i in range(len(rows)) if i not in set(independent))
        matrix = [[rows[i][j] for i in independent] for j in columns]
        try:
            found, denominator = System(matrix).solve(
                [-rows[rest][j] for j in columns], check_interrupt
            )
        except Singular:
            continue
        out = [0] * len(rows)
        for i, v in zip(independent, found, strict=True):
            out[i] = v
        out[rest] = denominator
        if len(columns) < len(rows[0]):  # the numbers of the row that is left may be much longer
            left = combined(found, [rows[i] for i in independent]) if independent else []
            if (left or [0] * len(rows[0])) != [-denominator * v for v in rows[rest]]:
                continue
        return reduce(out)
    return None


def null_space(
    rows: Sequence[Sequence[int]], size: int, check_interrupt: Callable[[], None]
) -> list[Vector]:
    """Whole vectors that span all that is orthogonal to the rows, which are independent."""
    for prime in PRIMES:
        independent, columns = echelon(mod(rows, prime), prime)
        if len(independent) < len(rows):
            continue
        others = sorted(set(range(size)) - set(columns))
        if not any(rows[i][free] for i in independent for free in others):
            return [[int(j == free) for j in range(size)] for free in others]  # zero columns
        try:
            system = System([[rows[i][j] for j in columns] for i in independent])
        except Singular:
            continue
        out = []
        for free in others:
            found, denominator = system.solve(
                [-rows[i][free] for i in independent], check_interrupt
            )
            vector = [0] * size
            for j, v in zip(columns, found, strict=True):
                vector[j] = v
            vector[free] = denominator
            out.append(reduce(vector))
        return out  # orthogonal to all rows, since each of them was multiplied back
    raise Misled
