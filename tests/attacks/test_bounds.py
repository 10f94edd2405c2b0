"""Scores within ulps of their bound: floats decide only where fractions would decide alike."""

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from scipy import sparse

import rational
from certificates import packed
from rosenblatt import verify
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget


def case(rng):
    """Rows and weights whose products cancel to a little, on any scale; the labels; the choices."""
    d, n = int(rng.integers(1, 30)), int(rng.integers(1, 24))
    size = 10.0 ** rng.integers(-150, 150, endpoint=True) if rng.random() < 0.5 else 1.0
    spread = float(rng.choice([0, 3, 30, 100]))
    w = rng.standard_normal(d) * 10.0 ** rng.uniform(-spread, spread, d) / size
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-spread, spread, d) * size
    match rng.integers(5):
        case 0:  # whole numbers: many scores are the same
            X = rng.integers(-3, 4, (n, d)) * size
            w = rng.integers(-3, 4, d).astype(float)
        case 1 if d > 1:  # the last column undoes the others, up to rounding
            w[-1] = w[-1] or 1.0
            X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
        case 2:  # decimals of a few digits
            X = np.round(X / size, 3)
        case 3:  # along the weights: their distance from a point far out is all there is to know
            w = rng.standard_normal(d)
            X = rng.standard_normal((n, 1)) * w * size
    X = np.where(np.isfinite(X), X, 1.0)
    y = rng.choice([-1, 1], n).tolist()
    return X.tolist(), [Fraction(float(v)) for v in w], y


def bounds(scores, sizes, rng):
    """Numbers that a score reaches, misses or exceeds by about as much as floats can tell."""
    k = int(rng.integers(len(scores)))
    yield scores[k]
    for power in (-1100, -80, -60, -53, -52, -50, -48, -44, -40, -36, -33, -30, -20):
        yield scores[k] + int(rng.choice([-1, 1])) * sizes[k] * Fraction(2) ** power
    nearest = float(scores[k]) if abs(scores[k]) < 2**1000 else 0.0
    for float_bound in (nearest, math.nextafter(nearest, 9e999), math.nextafter(nearest, -9e999)):
        yield Fraction(float_bound)


@pytest.mark.parametrize("numbers", ["float", "decimal"])
@pytest.mark.parametrize("intercept", [True, False])
def test_signs_near_their_bound_are_those_of_fractions(numbers, intercept, heavy, rng):
    exact = rational.decimal if numbers == "decimal" else Fraction
    looks = exact_looks = 0
    for _ in range(heavy(600)):
        X, w, y = case(rng)
        w = [*w, Fraction(float(rng.standard_normal()))][: len(w) + intercept]
        rows = rational.lifted(X, y, intercept, exact)
        scores = [rational.dot(a, w) for a in rows]
        sizes = [sum(abs(p * q) for p, q in zip(a, w, strict=True)) for a in rows]
        one, *others = data(X, y, intercept, numbers)
        one.sign = counted = mock.Mock(wraps=one.sign)
        for bound in bounds(scores, sizes, rng):
            right = [(s > bound) - (s < bound) for s in scores]
            assert one.signs(w, bound) == right
            for twin in others:
                assert twin.signs(w, bound).tolist() == right
            looks += len(right)
        exact_looks += counted.call_count
    assert looks / 10 < exact_looks < looks * 9 / 10  # both ways were tried


def data(X, y, intercept, numbers):
    """The rows for the verifier, and for its twin: dense and sparse."""
    claim = {"rows": len(X), "columns": [f"x{j}" for j in range(len(X[0]))], "dropped": []}
    claim |= {"fit_intercept": intercept, "numbers": numbers}
    yield verify.Data(claim, packed(X), y)
    choices = {"intercept": intercept, "decimal": numbers == "decimal", "budget": Budget()}
    for table in (np.array(X), sparse.csr_matrix(np.array(X))):
        yield Rows(table, np.array(y, dtype=np.int8), **choices)
