"""From the digits of p-adic numbers to fractions."""

from __future__ import annotations

import math

import numpy as np

from rosenblatt._proof.modular import Ints, Vector

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
        (blend,) = numbers(_carried(_exact_product(digits, share), prime), prime)
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
    found = numbers(_multiple(digits[:places], denominator, prime), prime)
    found = [v - top if 2 * v > top else v for v in found]
    divisor = math.gcd(denominator, *found)
    return [v // divisor for v in found], denominator // divisor


def _exact_product(digits: Ints, shares: Ints) -> Ints:
    """In floating point, which is faster: sums of 2^14 products of 27 and 10 bits are exact."""
    if len(shares) > 1 << 14:
        return np.asarray(digits @ shares)
    return (digits.astype(np.float64) @ shares.astype(np.float64)).astype(np.int64)


def fractions(digits: Ints, prime: int) -> tuple[Vector, int] | None:
    """The same without luck, where the digits are enough: one entry after the other."""
    modulus, x = prime ** len(digits), numbers(digits, prime)
    bound = math.isqrt(modulus // 2)
    denominator = 1
    for value in x:
        denominator *= _denominator(value * denominator % modulus, modulus, bound)
        if denominator > bound:
            return None
    found = (value * denominator % modulus for value in x)
    return [v - modulus if 2 * v > modulus else v for v in found], denominator


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
    """Digits below the prime; what is beyond the last place is dropped."""
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
    """The first places of a number, by halves."""
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
