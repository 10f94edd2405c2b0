"""Whole numbers at the speed of floats: each primitive against Python's own arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt._certify import linear_algebra
from rosenblatt._certify.exact_product import combined, products, signs_of_products, vanishing
from rosenblatt._certify.linear_algebra import (
    LIFTING,
    PRIMES,
    Singular,
    System,
    echelon,
    inverse,
    kernel,
    null_space,
    product,
)
from rosenblatt._core import reference
from rosenblatt._util.budget import Budget


def whole(rng, shape, bits):
    """Numbers of up to so many bits, of either sign."""
    parts = [rng.integers(-(2**30), 2**30, shape).astype(object) for _ in range(-(-bits // 30))]
    return sum((p << (30 * k) for k, p in enumerate(parts)), np.zeros(shape, dtype=object)).tolist()


def solved(matrix, right):
    """By elimination in fractions."""
    rows = [[*map(Fraction, row), Fraction(r)] for row, r in zip(matrix, right, strict=True)]
    for j in range(len(rows)):
        i = next(i for i in range(j, len(rows)) if rows[i][j])
        rows[i], rows[j] = rows[j], [v / rows[i][j] for v in rows[i]]
        for k, row in enumerate(rows):
            if k != j:
                rows[k] = [a - row[j] * b for a, b in zip(row, rows[j], strict=True)]
    return [row[-1] for row in rows]


@pytest.fixture(params=["native", "reference"])
def either_core(request, with_core):
    if request.param == "reference":
        with_core(reference)
    else:
        pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")


@pytest.mark.parametrize("bits", [1, 3, 30, 60, 200])
@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_a_system_is_solved_as_in_fractions(either_core, rng, size, bits, heavy):
    for _ in range(heavy(60)):
        matrix, right = whole(rng, (size, size), bits), whole(rng, size, bits)
        try:
            x, below = System(matrix).solve(right, Budget())
        except Singular:
            continue
        assert below > 0
        assert [Fraction(v, below) for v in x] == solved(matrix, right)
        assert math.gcd(below, *x) == 1


def test_a_large_system_is_solved(either_core, rng):
    matrix, right = whole(rng, (70, 70), 60), whole(rng, 70, 60)
    x, below = System(matrix).solve(right, Budget())
    assert below.bit_length() > 3000
    pairs = ((sum(map(int.__mul__, row, x)), r) for row, r in zip(matrix, right, strict=True))
    assert all(left == below * r for left, r in pairs)


def test_a_denominator_that_few_entries_have_is_found(either_core):
    # Blends of all entries may lack a factor that only some have: small ones are tried anyway.
    for prime in (2**20, 3**4, 19, 23, 10007):
        matrix = [[int(i == j) for j in range(9)] for i in range(9)]
        matrix[4][4] = prime
        assert System(matrix).solve([1] * 9, Budget()) == ([prime] * 4 + [1] + [prime] * 4, prime)


def test_fractions_are_found_one_by_one_as_well(rng):
    prime = LIFTING[0]
    fractions = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 10**6, (7, 2))]
    modulus = prime**16
    values = [f.numerator * pow(f.denominator, -1, modulus) % modulus for f in fractions]
    digits = np.array([linear_algebra._digits_of(v, 16, prime) for v in values]).T
    assert linear_algebra.numbers(digits, prime) == values
    for found in (
        linear_algebra.fractions(digits, prime),
        linear_algebra.common_fraction(digits, prime),
    ):
        above, below = found
        assert [Fraction(v, below) for v in above] == fractions


def test_too_few_digits_give_no_fraction(rng):
    digits = rng.integers(0, LIFTING[0], (8, 5))
    assert linear_algebra.common_fraction(digits, LIFTING[0]) is None


@pytest.mark.parametrize("rank", [0, 1, 4, 6])
def test_kernels_and_null_spaces_are_what_they_should_be(either_core, rng, rank):
    basis = whole(rng, (rank, 7), 40)
    if rank:
        normals = null_space(basis, 7, Budget())
        assert len(normals) == 7 - rank
        assert not any(sum(map(int.__mul__, row, n)) for row in basis for n in normals)
    weights = rng.integers(1, 9, rank).tolist()
    last = [-v for v in combined(weights, basis)] if rank else [0] * 7
    assert kernel([*basis, last], Budget()) == [*weights, 1]
    assert kernel(whole(rng, (3, 7), 40), Budget()) is None


def test_the_core_eliminates_and_inverts_as_numpy_does(rng, with_core):
    core = pytest.importorskip("rosenblatt._core._native", reason="the core is not built")
    for prime in (*PRIMES, *LIFTING, 7):
        for shape in ((1, 1), (6, 4), (5, 9), (20, 20)):
            m = rng.integers(0, prime, shape)
            m[-1] = m[0] * 3 % prime
            answers = []
            for backend in (core, reference):
                with_core(backend)
                square = m[: min(shape), : min(shape)]
                found = inverse(square, prime)
                answers.append((echelon(m, prime), None if found is None else found.tolist()))
                if found is not None:
                    assert (product(found, square, prime) == np.eye(len(square))).all()
            assert answers[0] == answers[1]


@pytest.mark.parametrize(("n", "width", "bits"), [(3, 2, 50), (200, 150, 500), (130, 200, 10)])
def test_long_numbers_times_short_ones(rng, n, width, bits):
    weights, rows = whole(rng, n, bits), whole(rng, (n, width), 70)
    columns = zip(*rows, strict=True)
    assert combined(weights, rows) == [sum(map(int.__mul__, weights, c)) for c in columns]


VALUES = [0.0, -0.0, 1.0, 0.5, 0.1, 3e-5, -7.0, 1e20, 2.0**-30, 5e-324, 2.0**-200]


def test_products_with_floats_are_exact(rng, heavy):
    for _ in range(heavy(400)):
        n, d = rng.integers(1, 12), rng.integers(1, 5)
        x = rng.choice(VALUES[: rng.integers(3, 12)], (n, d)) * rng.choice([1, -1], (n, d))
        w, last = whole(rng, d, 90), int(rng.choice([0, 1, -(3**50)]))
        exact = [
            sum((Fraction(a) * v for a, v in zip(row, w, strict=True)), last) for row in x.tolist()
        ]
        signs, found = signs_of_products(x, w, last), products(x, w, last)
        flat = vanishing(x, [[*w, last]], True)
        if found is None:  # exponents too far apart, which is decided row by row
            assert signs is None
            assert flat is None
            assert np.abs(np.log2(np.abs(x[x != 0]))).max() > 300
            continue
        assert [Fraction(v, found[1]) for v in found[0]] == exact
        assert signs.tolist() == [(v > 0) - (v < 0) for v in exact]
        assert flat.tolist() == [v == 0 for v in exact]
