"""A cone and its pairs."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

from pictures import words
from raising import raises
from rosenblatt.errors import InputError
from rosenblatt.plots import ConeDisplay


def above(x, z, generators):
    """Whether z is at least as far as x along each generator, in fractions."""
    apart = [Fraction(b) - Fraction(a) for a, b in zip(x, z, strict=True)]
    return all(sum(Fraction(v) * c for v, c in zip(g, apart, strict=True)) >= 0 for g in generators)


@pytest.mark.parametrize("generators", [[[1, 0], [0, 1]], [[2, 1], [-0.1, 3]], [[1, 1], [1, -2]]])
def test_there_are_as_many_pairs_as_there_can_be(generators):
    rng = np.random.default_rng(1)
    X = rng.integers(-9, 10, (40, 2)) / 10
    y = np.where(X.sum(axis=1) + rng.normal(0, 1, 40) > 0, 1, -1)
    display = ConeDisplay.from_rows(X, y, generators)
    assert len(set(display.pairs.ravel().tolist())) == 2 * len(display.pairs) > 6
    for i, k in display.pairs.tolist():
        assert (y[i], y[k]) == (1, -1)
        assert above(X[i], X[k], generators)
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    possible = [[above(X[i], X[k], generators) for k in minus] for i in plus]
    matched = maximum_bipartite_matching(sparse.csr_matrix(possible), perm_type="column")
    assert len(display.pairs) == np.count_nonzero(matched >= 0)
    assert f"at least {len(display.pairs)} of 40 rows" in words(display).replace("\n", " ")


def test_what_is_drawn():
    """One pair, at (0, 0) and (2, 1); as far along both axes is the quadrant above the first."""
    X = pd.DataFrame({"a": [0.0, 2.0, 1.0, 3.0], "b": [0.0, 1.0, 3.0, 2.0]})
    display = ConeDisplay.from_rows(X, ["y", "n", "y", "y"], [[1, 0], [0, 1]])
    assert display.corner == 0
    assert_array_equal(display.lines_.get_xydata()[:2], [[0, 0], [2, 1]])
    wedge = display.wedge_.get_path()
    assert wedge.contains_points([[0.1, 0.1], [3, 3]]).all()
    assert not wedge.contains_points([[-0.1, 1], [1, -0.1]]).any()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("a", "b")
    assert "as far as row 0" in words(display)


def test_a_cone_that_forces_nothing_and_pairs_at_one_point():
    none = ConeDisplay.from_rows([[0, 0], [1, 1]], [0, 1], [[1, 0], [0, 1]])
    assert none.pairs.shape == (0, 2)
    assert "This cone forces no error" in words(none)
    point = ConeDisplay.from_rows([[0, 0], [0, 0], [1, 1]], [0, 1, 1], [[1, 0], [0, 1]])
    assert_array_equal(point.pairs, [[1, 0]])
    assert "1 pair of rows at one point" in words(point)


@pytest.mark.parametrize(
    ("X", "generators"),
    [
        ([[1, 2, 3], [4, 5, 6]], [[1, 0], [0, 1]]),
        ([[1, 2], [3, 4]], [[1, 0], [-2, 0]]),
        ([[1, 2], [3, 4]], [[1, 0]]),
        ([[1, 2], [3, 4]], "ab"),
        ([[1e-300, 2], [1, 4]], [[1, 0], [0, 1]]),
        ([[1, 2], [3, 4]], [[1, 1e-300], [0, 1]]),
    ],
)
def test_what_cannot_be_drawn_is_said(X, generators):
    with raises(InputError):
        ConeDisplay.from_rows(X, [0, 1], generators)
    assert not plt.get_fignums()
