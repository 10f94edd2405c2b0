"""The notes' formulas, against hand calculations and exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import theory

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(st.tuples(numbers, numbers, st.booleans()), min_size=1, max_size=6),
    numbers,
    numbers,
    numbers,
)
def test_separates_is_decided_exactly(rows, w0, w1, b):
    X, y = [[p, q] for p, q, _ in rows], [1 if positive else -1 for *_, positive in rows]
    w = [Fraction(w0), Fraction(w1)]
    exact = [
        v * (w[0] * Fraction(p) + w[1] * Fraction(q) + Fraction(b))
        for (p, q), v in zip(X, y, strict=True)
    ]
    assert theory.separates(X, y, [w0, w1], b) == all(value > 0 for value in exact)


def test_a_row_on_the_hyperplane_is_not_separated():
    assert not theory.separates([[1.0], [2.0]], [-1, 1], [1.0], -1.0)
    assert theory.separates([[1.0], [2.0]], [-1, 1], [1.0], -1.5)


def test_one_class_alone_means_what_its_label_says():
    assert theory.separates([[1.0]], [-1], [-1.0])
    assert not theory.separates([[1.0]], [1], [-1.0])


def test_cover_counts_random_labels():
    # By hand: 2 rows in 1 dimension through the origin: 2 of 4 labellings; 4 rows in the plane with
    # a free line: 14 of 16 (the two of XOR are not separable).
    assert theory.probability_separable(2, 1, fit_intercept=False) == 0.5
    assert theory.probability_separable(4, 2) == 14 / 16
    assert theory.probability_separable(np.int64(100), 49) == 0.5
    assert theory.probability_separable(4000, 1999) == pytest.approx(0.5)
