"""Linear algebra in whole numbers: ranks and inverses modulo a prime, then systems and kernels.

Systems are solved by Dixon's p-adic lifting (Numerische Mathematik 40, 1982): one inverse modulo a
prime, then a digit of the solution after the other, then fractions from their residues. What comes
out is multiplied back before it is believed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt._certify.exact_product import (
    Combining,
    Floats,
    Ints,
    Vector,
    combined,
    limbs_of,
    longest,
)
from rosenblatt._core.backend import compute
from rosenblatt._util.budget import Budget

# --- Modulo a prime ------------------------------------------------------------------------------
#
# The compiled core has the loops of it (native/modular.hpp); where there is none, NumPy does the
# same.


# For ranks: a product of residues fits into int64. For lifting: a sum of 512 products does. None is
# near a power of two, as numbers in tables often are.
PRIMES = (1873402121, 1650298873, 2011736471)
LIFTING = (113902421, 127330991, 120476581)
LIMB = 24
MOST_LIFTED = 4096  # the size of a system whose sums fit into 64 bits
_IN_A_CALL = 1 << 26  # products in one call of the core: some hundredths of a second


def mod(matrix: Sequence[Sequence[int]], prime: int) -> Ints:
    return np.array([[v % prime for v in row] for row in matrix], dtype=np.int64)


def product(left: Ints, right: Ints, prime: int) -> Ints:
    """The matrix product modulo a prime below 2^31.

    In halves of 16 bits sums of up to 2^20 products are exact in floating point, which is fastest.
    """
    return joined(*halves(left), right, prime)


def halves(m: Ints) -> tuple[Floats, Floats]:
    return (m >> 16).astype(np.float64), (m & 0xFFFF).astype(np.float64)


def joined(a: Any, b: Any, right: Ints, prime: int) -> Ints:
    """(a 2^16 + b) right modulo the prime; a and b may be sparse."""
    c, d = halves(right)
    high, low = (a @ c).astype(np.int64) % prime, (b @ d).astype(np.int64)
    middle = (a @ d + b @ c).astype(np.int64) % prime
    return np.asarray((((high << 16) + middle) % prime * 65536 + low) % prime)


def echelon(matrix: Ints, prime: int) -> tuple[list[int], list[int]]:
    """Rows and columns of a largest square block that is invertible modulo the prime.

    Rows are taken as early as possible.
    """
    if not matrix.size:
        return [], []
    n, width = matrix.shape
    pivot = np.full(n, -1, dtype=np.int64)
    if (core := compute.algebra) is not None:
        m = np.ascontiguousarray(matrix % prime, dtype=np.uint32)
        step = max(1, _IN_A_CALL // max(n * width, 1))
        for begin in range(0, n, step):
            core.eliminate(m, prime, begin, min(begin + step, n), pivot)
    else:
        _eliminate(matrix % prime, prime, pivot)
    rows = np.flatnonzero(pivot >= 0)
    return rows.tolist(), pivot[rows].tolist()


def _eliminate(m: Ints, prime: int, pivot: Ints) -> None:
    for i in range(len(m)):
        nonzero = np.flatnonzero(m[i])
        if not len(nonzero):
            continue
        j = pivot[i] = int(nonzero[0])
        factor = m[i + 1 :, j] * pow(int(m[i, j]), -1, prime) % prime
        hit = np.flatnonzero(factor) + i + 1
        m[hit] = (m[hit] - factor[hit - i - 1, None] * m[i]) % prime


def inverse(matrix: Ints, prime: int) -> Ints | None:
    k = len(matrix)
    exchanged = np.zeros(k, dtype=np.int64)
    m = matrix % prime
    if (core := compute.algebra) is not None:
        residues = np.ascontiguousarray(m, dtype=np.uint32)
        step = max(1, _IN_A_CALL // max(k * k, 1))
        for begin in range(0, k, step):
            if not core.invert(residues, prime, begin, min(begin + step, k), exchanged):
                return None
        m = residues.astype(np.int64)
    elif not _invert(m, prime, exchanged):
        return None
    for j, i in reversed(list(enumerate(exchanged.tolist()))):
        if i != j:
            m[:, [i, j]] = m[:, [j, i]]
    return m


def _invert(m: Ints, prime: int, exchanged: Ints) -> bool:
    for j in range(len(m)):
        nonzero = np.flatnonzero(m[j:, j])
        if not len(nonzero):
            return False
        i = exchanged[j] = j + int(nonzero[0])
        m[[i, j]] = m[[j, i]]
        below, m[j, j] = pow(int(m[j, j]), -1, prime), 1
        m[j] = m[j] * below % prime
        factor = m[:, j].copy()
        factor[j], m[:, j] = 0, np.where(np.arange(len(m)) == j, m[:, j], 0)
        m -= factor[:, None] * m[j] % prime
        m %= prime
    return True


class Lifting:
    """The digits, modulo powers of the prime, of x with matrix·x = right: Dixon's method."""

    def __init__(
        self, limbs: Sequence[Ints], inverse: Ints, prime: int, right: Sequence[int], bits: int
    ):
        """`limbs` are the matrix, see `limbs_of`; no number of it or of `right` has more bits."""
        self.prime, self.k = prime, len(inverse)
        self._limbs, self._inverse, self._right = limbs, inverse, list(right)
        self._core = compute.algebra if self.k <= MOST_LIFTED else None
        if self._core is not None:
            pieces = max(len(limbs), bits // LIMB + 1) + 2
            self._residual = np.array([_pieces(v, pieces) for v in right], dtype=np.int64)
            self._short = (
                np.ascontiguousarray(inverse, dtype=np.int32),
                np.ascontiguousarray(np.array(limbs), dtype=np.int32),
            )

    def digits(self, count: int) -> Ints:
        if self._core is None:
            return np.array([self._next() for _ in range(count)], dtype=np.int64)
        out, room = np.empty((count, self.k), dtype=np.int32), np.empty(self.k, dtype=np.int32)
        self._core.lift(*self._short, self._residual, self.prime, out, room)
        return out.astype(np.int64)

    def _next(self) -> Ints:
        r = np.array([v % self.prime for v in self._right], dtype=np.int64)
        digit = np.zeros(self.k, dtype=np.int64)
        for begin in range(0, self.k, 256):
            part = slice(begin, begin + 256)
            digit = (digit + self._inverse[:, part] @ r[part]) % self.prime
        total = [0] * self.k
        for place, limb in enumerate(self._limbs):
            shift = place * LIMB
            total = [t + (v << shift) for t, v in zip(total, (limb @ digit).tolist(), strict=True)]
        self._right = [(v - t) // self.prime for v, t in zip(self._right, total, strict=True)]
        return digit


def _pieces(value: int, count: int) -> Vector:
    """A number in pieces of 24 bits, the last of them signed."""
    mask = (1 << LIMB) - 1
    low = [value >> (LIMB * place) & mask for place in range(count - 1)]
    return [*low, value >> (LIMB * (count - 1))]


# --- Systems, kernels and null spaces in whole numbers --------------------------------------------


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
        self._limbs = limbs_of(matrix, LIMB)
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
