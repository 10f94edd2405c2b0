"""Linear algebra in whole numbers: solve, kernel, null space.

Systems are solved by Dixon's p-adic lifting (Numerische Mathematik 40, 1982): one inverse modulo a
prime, then a digit of the solution after the other, then fractions from their residues. What comes
out is multiplied back before it is believed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rosenblatt._certify.exact_product import Combining, combined
from rosenblatt._certify.modular import (
    LIFTING,
    LIMB,
    PRIMES,
    Floats,
    Ints,
    Lifting,
    Vector,
    echelon,
    inverse,
    limbs_of,
    longest,
    mod,
)
from rosenblatt._util.budget import Budget

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
            below = inverse(mod(matrix, self.prime), self.prime) if self.k else _NOTHING
            if below is not None:
                break
        else:
            raise Singular
        self._inverse = below
        self._limbs = limbs_of(matrix)
        self._columns: Combining | None = None
        self._floats: Floats | None = None
        self._determinant = 0.0  # its binary logarithm
        self._longest = longest(matrix)
        # |det| and all numerators are products of norms at most (Hadamard).
        self._bits = sum(_norm_bits(column) for column in zip(*matrix, strict=True))

    def solve(self, right: Sequence[int], budget: Budget) -> tuple[Vector, int]:
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
                budget.check_interrupt()
                more = min(step, wanted - count)
                digits[count : count + more] = lifting.digits(more)
                count += more
            solution = common_fraction(digits[:count], self.prime)
            if solution is not None and self._solves(*solution, right):
                return solution
        solution = fractions(digits, self.prime)
        if solution is not None and self._solves(*solution, right):
            return solution
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
        independent, _ = echelon(mod(rows, prime), prime)
        best = max(best, independent, key=len)
        if rows and len(best) == min(len(rows), len(rows[0])):
            break  # there cannot be more
    return best


def kernel(rows: Sequence[Sequence[int]], budget: Budget) -> Vector | None:
    """The whole numbers c with Σ c_i row_i = 0, unique up to a factor; None where they are not."""
    for prime in PRIMES:
        independent, columns = echelon(mod(rows, prime), prime)
        if len(independent) != len(rows) - 1:
            continue  # a prime can only find too few
        rest = next(i for i in range(len(rows)) if i not in set(independent))
        matrix = [[rows[i][j] for i in independent] for j in columns]
        try:
            shares, denominator = System(matrix).solve([-rows[rest][j] for j in columns], budget)
        except Singular:
            continue
        out = [0] * len(rows)
        for i, v in zip(independent, shares, strict=True):
            out[i] = v
        out[rest] = denominator
        if len(columns) < len(rows[0]):  # the numbers of the row that is left may be much longer
            left = combined(shares, [rows[i] for i in independent]) if independent else []
            if (left or [0] * len(rows[0])) != [-denominator * v for v in rows[rest]]:
                continue
        return reduce(out)
    return None


def null_space(rows: Sequence[Sequence[int]], size: int, budget: Budget) -> list[Vector]:
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
            entries, denominator = system.solve([-rows[i][free] for i in independent], budget)
            vector = [0] * size
            for j, v in zip(columns, entries, strict=True):
                vector[j] = v
            vector[free] = denominator
            out.append(reduce(vector))
        return out  # orthogonal to all rows, since each of them was multiplied back
    raise Misled


# --- From the digits of p-adic numbers to fractions ----------------------------------------------


_SHARES = 10  # bits of a random number
_UNLIKELY = 64  # bits that a fraction must be shorter than its residue to be worth trying
_BLENDS = 2
_SMOOTH = 2**16 * 3**4 * 5**2 * 7**2 * 11 * 13 * 17 * 19
SPARE = 2 * (_SHARES + _SMOOTH.bit_length()) + _UNLIKELY + 4
"""Bits beyond those that determine the fractions."""

_HALF = 14  # bits of a part of a digit: sums of 2^12 products with a digit are exact in floats


def common_fraction(digits: Ints, prime: int) -> tuple[Vector, int] | None:
    """Numerators and a common denominator > 0 with these digits (one row a place, low ones first).

    A guess; None: more digits are needed. Random blends of all entries have the denominator that
    they have in common, or one that lacks a factor that divides all blends: hardly a large one, and
    small ones are added.
    """
    modulus, denominator = prime ** len(digits), 1
    bound = math.isqrt(modulus // 2)
    shares = np.random.default_rng(0).integers(1, 1 << _SHARES, (_BLENDS, digits.shape[1], 1))
    for share in shares:
        # Sums of 2^14 products of 27 and 10 bits are exact in floating point, which is faster.
        product = (digits.astype(np.float64) @ share.astype(np.float64)).astype(np.int64)
        (blend,) = numbers(_carried(product, prime), prime)
        residue = blend * denominator % modulus
        below = _denominator(residue, modulus, bound)
        denominator *= below
        above = residue * below % modulus
        above = min(above, modulus - above)
        used = above.bit_length() + denominator.bit_length() + 2 * _SMOOTH.bit_length()
        if used + _UNLIKELY > modulus.bit_length():
            return None
    denominator *= _SMOOTH
    # Numerators are shorter than what the denominator leaves of the modulus.
    places = len(digits) - (denominator.bit_length() - 1) // prime.bit_length()
    top = prime**places
    numerators = numbers(_multiple(digits[:places], denominator, prime), prime)
    numerators = [v - top if 2 * v > top else v for v in numerators]
    divisor = math.gcd(denominator, *numerators)
    return [v // divisor for v in numerators], denominator // divisor


def fractions(digits: Ints, prime: int) -> tuple[Vector, int] | None:
    modulus, x = prime ** len(digits), numbers(digits, prime)
    bound = math.isqrt(modulus // 2)
    denominator = 1
    for value in x:
        denominator *= _denominator(value * denominator % modulus, modulus, bound)
        if denominator > bound:
            return None
    numerators = (value * denominator % modulus for value in x)
    return [v - modulus if 2 * v > modulus else v for v in numerators], denominator


def numbers(digits: Ints, prime: int) -> Vector:
    """What digits stand for, a column each: pairs become one digit, until there is but one."""
    parts, power = _even(digits), prime
    parts = (parts[::2] + parts[1::2] * power).astype(object)
    while len(parts) > 1:
        power *= power
        parts = _even(parts)
        parts = parts[::2] + parts[1::2] * power
    return parts[0].tolist()  # type: ignore[no-any-return]


def _even(parts: Ints) -> Ints:
    return np.vstack([parts, parts[:1] * 0]) if len(parts) % 2 else parts


def _carried(digits: Ints, prime: int) -> Ints:
    out, carry = np.empty_like(digits), np.zeros_like(digits[0])
    for place, digit in enumerate(digits):
        carry = carry + digit
        out[place] = carry % prime
        carry //= prime
    return out


def _multiple(digits: Ints, factor: int, prime: int) -> Ints:
    """The digits of factor · x in as many places: a convolution, as matrix products."""
    places = len(digits)
    own = np.array(_digits_of(factor, places, prime), dtype=np.int64)
    shifted = np.zeros((places, places), dtype=np.int64)
    for place in range(places):
        shifted[place, : place + 1] = own[place::-1]
    x = digits.astype(np.float64)
    low = (shifted & ((1 << _HALF) - 1)).astype(np.float64) @ x
    high = (shifted >> _HALF).astype(np.float64) @ x
    over, rest = np.divmod(high.astype(np.int64), prime)
    total = low.astype(np.int64) + (rest << _HALF)
    total[1:] += over[:-1] << _HALF
    return _carried(total, prime)


def _digits_of(value: int, places: int, prime: int) -> Vector:
    if places <= 8:
        out = []
        for _ in range(places):
            value, digit = divmod(value, prime)
            out.append(digit)
        return out
    half = places // 2
    high, low = divmod(value, prime**half)
    return _digits_of(low, half, prime) + _digits_of(high, places - half, prime)


def _denominator(residue: int, modulus: int, bound: int) -> int:
    """q of the fraction p/q with this residue and |p| <= bound, by Euclid's algorithm.

    Far from its end many steps are made at once, from the leading bits alone (Lehmer 1938).
    """
    if residue <= bound or modulus - residue <= bound:
        return 1
    a, b, u, v = modulus, residue, 0, 1
    near = bound.bit_length() + 64
    while b > bound:
        m = _leading(a, b) if b.bit_length() > near else None
        if m is None:
            quotient, rest = divmod(a, b)
            a, b = b, rest
            u, v = v, u - quotient * v
        else:
            (p, q), (r, s) = m
            a, b = p * a + q * b, r * a + s * b
            u, v = p * u + q * v, r * u + s * v
    return abs(v)


def _leading(a: int, b: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """What Euclid's steps do as long as the leading bits of a and b tell the quotients."""
    shift = a.bit_length() - 62
    x, y = a >> shift, b >> shift
    p, q, r, s = 1, 0, 0, 1
    while y + r > 0 and y + s > 0:
        quotient = (x + p) // (y + r)
        if quotient != (x + q) // (y + s):
            break
        p, q, r, s = r, s, p - quotient * r, q - quotient * s
        x, y = y, x - quotient * y
    return None if q == 0 else ((p, q), (r, s))
