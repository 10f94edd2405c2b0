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
    LIMB,
    PRIMES,
    Floats,
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
_MOST_FLOAT = 500  # bits of a number of which floats can take products


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
        self._floats: Floats | None = None
        self._determinant = 0.0  # its binary logarithm
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
        digits, count = np.empty((most, self.k), dtype=np.int64), 0
        step = max(1, _AT_ONCE // (self.k**2 * (1 + len(self._limbs))))
        for wanted in _stops(self._expected(right), most):
            while count < wanted:
                check_interrupt()
                more = min(step, wanted - count)
                digits[count : count + more] = lifting.digits(more)
                count += more
            found = common_fraction(digits[:count], self.prime)
            if found is not None and self._solves(*found, right):
                return found
        found = fractions(digits, self.prime)
        if found is not None and self._solves(*found, right):
            return found
        raise ArithmeticError("p-adic lifting did not end in the solution")  # cannot happen

    def _expected(self, right: Sequence[int]) -> int:
        """Digits that most solutions take: numerators and denominator are determinants, of about
        the size that floats say. 0: floats cannot say it."""
        if max(self._longest, longest([right])) > _MOST_FLOAT:
            return 0
        if self._floats is None:
            self._floats = np.zeros((self.k, self.k))
            for place, limb in enumerate(self._limbs):
                self._floats += limb * 2.0 ** (LIMB * place - self._longest)
            log = np.linalg.slogdet(self._floats)[1] / math.log(2)
            self._determinant = float(log) + self.k * self._longest
        side = np.array([v / (1 << self._longest) for v in right])
        try:
            x = float(np.abs(np.linalg.solve(self._floats, side)).max())
        except np.linalg.LinAlgError:
            return 0
        bits = 2 * self._determinant + max(math.log2(x), 0.0) if 0 < x < math.inf else math.inf
        spare = SPARE + 2 * self.k.bit_length()
        return int((bits + spare) / math.log2(self.prime)) + 2 if math.isfinite(bits) else 0

    def _solves(self, x: Vector, denominator: int, right: Sequence[int]) -> bool:
        if self._columns is None:
            self._columns = Combining([[*column] for column in zip(*self.matrix, strict=True)])
        return self._columns(x) == [denominator * r for r in right]


def _stops(expected: int, most: int) -> list[int]:
    """How many digits to have when fractions are tried: few are enough where numbers are simple.

    Shortly before the number that is expected it is not worth a trial.
    """
    wanted, out = 8, {most, min(expected, most)} - {0}
    while wanted < most:
        if not wanted < expected < 2 * wanted:
            out.add(wanted)
        wanted += wanted // 2
    return sorted(out)


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
