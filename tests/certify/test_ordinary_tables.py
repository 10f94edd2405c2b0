"""Tables as people have them: redundant columns, one-hot columns, rows of one length, wide text.

Each certificate is handed to the independent verifier, so that the verdict is right; what is asked
here besides is that it is found as it should be: by floats that guess and whole numbers that prove.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_moons
from sklearn.kernel_approximation import RBFSampler

from rational import COMPLETE, OVERLAP, QUASI
from rosenblatt import Perceptron, certify
from rosenblatt._certify import diagnostics, facial_reduction
from rosenblatt._certify.conditioning import decision_metric, near_collinear
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget


@pytest.fixture
def no_simplex(monkeypatch):
    """The fallback that decides everything, and takes long, is not to be needed."""

    def refuse(*_):
        pytest.fail("the guess was wrong")

    monkeypatch.setattr(facial_reduction, "decide", refuse)
    monkeypatch.setattr(diagnostics, "decide", refuse)


def certified(X, y, **choices):
    certificate = certify(X, y, **choices)
    certificate.verify(X, y)
    return certificate


def rows_of(X, y):
    signs = np.where(np.asarray(y) > 0, 1, -1).astype(np.int8)
    return Rows(X, signs, intercept=True, decimal=False, budget=Budget())


# --- Columns that are collinear but for rounding --------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(300, 10), (1000, 20), (500, 60)])
def test_redundant_columns_do_not_call_for_the_simplex(no_simplex, n, d):
    X, y = make_classification(n, d, random_state=0)  # two columns are blends of two others
    certificate = certified(X, y)
    assert certificate.verdict == OVERLAP
    # Whole numbers see all dimensions, though two of them are rounding: d + 2 rows are in conflict.
    assert len(certificate.conflict.rows) == d + 2


def test_what_rounding_left_may_separate(no_simplex):
    Z, y = make_moons(400, noise=0.2, random_state=0)
    X = RBFSampler(n_components=150, random_state=0).fit_transform(Z)
    assert np.linalg.matrix_rank(X) < 150
    certificate = certified(X, y)
    assert certificate.verdict == COMPLETE
    assert certificate.mistake_bound > 10**15


def test_a_faint_column_is_seen_as_what_is_left_of_it(rng):
    X = rng.normal(size=(60, 4))
    X[:, 3] = 0.3 * X[:, 0] - 1.7 * X[:, 1]
    rows = rows_of(X, rng.choice([-1, 1], 60))
    view = near_collinear(rows, decision_metric(rows))
    singular = np.linalg.svd(view.table, compute_uv=False)
    assert singular[-1] > 0.01 * singular[0]
    v = rng.normal(size=view.dimensions(rows))
    w = view.exactly(rows, v)
    for i in range(60):
        exact = sum((a * b for a, b in zip(rows.exact(i), w, strict=True)), Fraction(0))
        assert float(exact) * view.length[i] == pytest.approx(view.table[i] @ v, abs=1e-12)


def test_clear_columns_are_seen_as_they_are(rng):
    rows = rows_of(rng.normal(size=(60, 4)), rng.choice([-1, 1], 60))
    assert near_collinear(rows, decision_metric(rows)) is None


def test_columns_that_depend_exactly_are_left_out(rng):
    X = rng.normal(size=(80, 5))
    X[:, 2], X[:, 4] = X[:, 0], 0.3 * X[:, 0] - 1.7 * X[:, 1]  # one exactly, one but for rounding
    rows = rows_of(X, rng.choice([-1, 1], 80))
    assert near_collinear(rows, decision_metric(rows)).dimensions(rows) == 5


# --- One-hot columns ------------------------------------------------------------------------------


def one_hot(rng, n, levels, numbers):
    factors = [np.eye(k)[rng.integers(0, k, n)] for k in levels]
    return np.hstack([rng.normal(size=(n, numbers)), *factors])


def test_one_hot_columns_overlap_in_the_space_that_they_span(no_simplex, rng):
    X = one_hot(rng, 600, (3, 5, 7), 2)
    certificate = certified(X, rng.integers(0, 2, 600))
    assert certificate.verdict == OVERLAP
    assert len(certificate.to_dict()["orthogonal"]) == 3  # of each factor the levels sum to 1


def test_levels_of_one_class_are_all_that_is_separated(no_simplex, rng):
    X, y = one_hot(rng, 600, (3, 5, 7), 2), rng.integers(0, 2, 600)
    y[X[:, 4] == 1] = 1  # the last level of the first factor
    y[X[:, 9] == 1] = 0  # the last level of the second one
    both = (X[:, 4] == 1) & (X[:, 9] == 1)
    X, y = X[~both], y[~both]
    certificate = certified(X, y)
    assert certificate.verdict == QUASI
    expected = np.flatnonzero((X[:, 4] == 1) | (X[:, 9] == 1))
    assert certificate.separated_rows.tolist() == expected.tolist()
    assert certificate.coefficient_signs["x0"] == "0"


def test_words_of_one_class_are_all_that_is_separated(no_simplex, rng):
    X = sparse.random_array((900, 60), density=0.1, rng=rng, format="csr")
    y = rng.integers(0, 2, 900)
    here = X[:, [7]].toarray().ravel() > 0
    y[here] = 1
    certificate = certified(X, y)
    assert certificate.verdict == QUASI
    assert certificate.separated_rows.tolist() == np.flatnonzero(here).tolist()
    assert certificate.coefficient_signs["x7"] == "+"


def test_equal_rows_are_shown_and_do_not_hide_how_the_others_lie(no_simplex, rng):
    X, y = rng.normal(size=(400, 12)), rng.integers(0, 2, 400)
    X[300], y[300] = X[5], 1 - y[5]
    certificate = certified(X, y)
    assert certificate.verdict == OVERLAP
    assert certificate.conflict.rows == [5, 300]


# --- Rows of one length, wide text ----------------------------------------------------------------


def text_like(rng, n, d, density):
    """Rows of length 1, as of a vectoriser; the first words tell the class."""
    X = sparse.random_array((n, d), density=density, rng=rng, format="csr").tolil()
    y = rng.integers(0, 2, n)
    X[np.arange(n), y] = 1.0
    X = X.tocsr()
    scale = sparse.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1)))
    return (scale @ X).tocsr(), y


@pytest.mark.parametrize(("n", "d"), [(300, 40), (2100, 2500)])
def test_the_longest_of_rows_of_one_length_is_found_exactly(rng, n, d):
    X, y = text_like(rng, n, d, 10 / d)
    certificate = certified(X, y)
    assert certificate.verdict == COMPLETE
    squares = [sum(Fraction(v) ** 2 for v in X[[i]].data.tolist()) for i in range(n)]
    assert max(squares) != min(squares)  # floats do not see it
    assert certificate.to_dict()["radius_row"] == squares.index(max(squares))


def test_what_the_perceptron_separates_late_is_separated(rng):
    Z, w = rng.normal(size=(2100, 6)), np.full(6, 6**-0.5)
    y = np.where(Z @ w > 0, 1, -1)
    Z += 0.001 * np.outer(y, w)  # how far the nearest row is from the hyperplane, or more
    X = sparse.hstack([sparse.csr_array(Z), sparse.csr_array((2100, 2494))]).tocsr()
    slow = Perceptron(order="cyclic", keep="last", patience=None, max_iter=5000).fit(X, y)
    assert slow.converged_
    assert slow.n_iter_ > 200
    assert certified(X, y).verdict == COMPLETE
