"""Linear algebra in whole numbers: solve, kernel, null space.

Systems are solved by Dixon's p-adic lifting (Numerische Mathematik 40, 1982): one inverse modulo a
prime, then a digit of the solution after the other, then fractions from their residues. What comes
out is multiplied back before it is believed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Vector = list[int]

# For ranks: a product of residues fits into int64. For lifting: a sum of 512 products does. None is
# near a power of two, as numbers in tables often are.
PRIMES = (1873402121, 1650298873, 2011736471)
_LIFTING = (113902421, 127330991, 120476581)
_LIMB = 24


class Singular(Exception):  # noqa: N818 - it is not an error
    """The matrix has no inverse, by the word of three primes."""


def mod(matrix: Sequence[Sequence[int]], prime: int) -> Ints:
    return np.array([[v % prime for v in row] for row in matrix], dtype=np.int64)


def echelon(matrix: Ints, prime: int) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest square block that is invertible modulo the prime.

    Rows are taken as early as possible.
    """
    m = matrix.copy() % prime
    rows: list[int] = []
    columns: list[int] = []
    for i in range(len(m)):
        nonzero = np.flatnonzero(m[i])
        if not len(nonzero):
            continue
        j = int(nonzero[0])
        rows.append(i)
        columns.append(j)
        factor = m[i + 1 :, j] * pow(int(m[i, j]), -1, prime) % prime
        hit = np.flatnonzero(factor) + i + 1
        m[hit] = (m[hit] - factor[hit - i - 1, None] * m[i]) % prime
        if len(rows) == m.shape[1]:
            break
    return rows, columns


_NOTHING = np.empty((0, 0), dtype=np.int64)


def inverse(matrix: Ints, prime: int) -> Ints | None:
    """Modulo the prime; None where there is none."""
    k = len(matrix)
    m = np.hstack([matrix % prime, np.eye(k, dtype=np.int64)])
    for j in range(k):
        nonzero = np.flatnonzero(m[j:, j])
        if not len(nonzero):
            return None
        i = j + int(nonzero[0])
        if i != j:
            m[[i, j]] = m[[j, i]]
        m[j] = m[j] * pow(int(m[j, j]), -1, prime) % prime
        factor = m[:, j].copy()
        factor[j] = 0
        m = (m - factor[:, None] * m[j]) % prime
    return m[:, k:]


class System:
    """A square system that is invertible; solves for several right sides."""

    def __init__(self, matrix: Sequence[Sequence[int]]):
        self.matrix, self.k = matrix, len(matrix)
        for self.prime in _LIFTING:
            found = inverse(mod(matrix, self.prime), self.prime) if self.k else _NOTHING
            if found is not None:
                break
        else:
            raise Singular
        self._inverse = found
        self._limbs = _limbs(matrix)
        # |det| and all numerators are products of norms at most (Hadamard).
        self._bits = sum(_norm_bits(column) for column in zip(*matrix, strict=True))

    def solve(
        self, right: Sequence[int], check_interrupt: Callable[[], None]
    ) -> tuple[Vector, int]:
        """x and a common denominator > 0: matrix·x = denominator·right."""
        if not self.k:
            return [], 1
        bits = self._bits + _norm_bits(right)  # of numerators and of the denominator, at most
        most = (2 * bits + 4) // (self.prime.bit_length() - 1) + 1
        residual, x, power = list(right), [0] * self.k, 1
        wanted = 8
        for digits in range(1, most + 1):
            check_interrupt()
            digit = self._digit(residual)
            x = [a + power * b for a, b in zip(x, digit.tolist(), strict=True)]
            power *= self.prime
            product = self._times(digit)
            residual = [(r - t) // self.prime for r, t in zip(residual, product, strict=True)]
            if digits in (wanted, most):  # few digits are enough where the numbers are simple
                wanted *= 2
                found = _fractions(x, power)
                if found is not None and self._solves(*found, right):
                    return found
        raise ArithmeticError("p-adic lifting did not end in the solution")  # cannot happen

    def _digit(self, residual: Vector) -> Ints:
        r = np.array([v % self.prime for v in residual], dtype=np.int64)
        total = np.zeros(self.k, dtype=np.int64)
        for begin in range(0, self.k, 256):
            part = slice(begin, begin + 256)
            total = (total + self._inverse[:, part] @ r[part]) % self.prime
        return total

    def _times(self, digit: Ints) -> Vector:
        total = [0] * self.k
        for place, limb in enumerate(self._limbs):
            shift = place * _LIMB
            total = [t + (v << shift) for t, v in zip(total, (limb @ digit).tolist(), strict=True)]
        return total

    def _solves(self, x: Vector, denominator: int, right: Sequence[int]) -> bool:
        return all(
            sum(a * b for a, b in zip(row, x, strict=True) if a) == denominator * r
            for row, r in zip(self.matrix, right, strict=True)
        )


def _limbs(matrix: Sequence[Sequence[int]]) -> list[Ints]:
    """The matrix as Σ limb_k 2^(24 k), with limbs of up to 24 bits, signed as the entries."""
    bits = max((abs(v).bit_length() for row in matrix for v in row), default=0)
    mask = (1 << _LIMB) - 1
    sign = [[-1 if v < 0 else 1 for v in row] for row in matrix]
    out = []
    for place in range(bits // _LIMB + 1):
        limb = [[abs(v) >> (place * _LIMB) & mask for v in row] for row in matrix]
        out.append(np.array(limb, dtype=np.int64) * np.array(sign, dtype=np.int64))
    return out


def _norm_bits(vector: Sequence[int]) -> int:
    """log2 of the norm, rounded up."""
    return (sum(v * v for v in vector).bit_length() + 1) // 2 + 1


def _fractions(x: Sequence[int], modulus: int) -> tuple[Vector, int] | None:
    """Numerators and a common denominator with these residues, the simplest ones."""
    bound = math.isqrt(modulus // 2)
    denominator = 1
    for value in x:
        below = _denominator(value * denominator % modulus, modulus, bound)
        denominator *= below
        if denominator > bound:
            return None
    numerators = []
    for value in x:
        v = value * denominator % modulus
        numerators.append(v - modulus if 2 * v > modulus else v)
    return numerators, denominator


def _denominator(residue: int, modulus: int, bound: int) -> int:
    """q of the fraction p/q with this residue and |p| <= bound, by Euclid's algorithm."""
    if residue <= bound or modulus - residue <= bound:
        return 1
    a, b, u, v = modulus, residue, 0, 1
    while b > bound:
        quotient, rest = divmod(a, b)
        a, b = b, rest
        u, v = v, u - quotient * v
    return abs(v)


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
        if not any(_sums(out, rows)):
            return reduce(out)
    return None


def _sums(weights: Sequence[int], rows: Sequence[Sequence[int]]) -> Vector:
    return [
        sum(c * v for c, v in zip(weights, column, strict=True))
        for column in zip(*rows, strict=True)
    ]


def null_space(
    rows: Sequence[Sequence[int]], size: int, check_interrupt: Callable[[], None]
) -> list[Vector]:
    """Whole vectors that span all that is orthogonal to the rows, which are independent."""
    for prime in PRIMES:
        independent, columns = echelon(mod(rows, prime), prime)
        if len(independent) < len(rows):
            continue
        try:
            system = System([[rows[i][j] for j in columns] for i in independent])
        except Singular:
            continue
        out = []
        for free in sorted(set(range(size)) - set(columns)):
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
