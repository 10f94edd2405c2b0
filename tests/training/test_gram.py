"""Kernels and the cache of their rows: what they mean, and that company changes no bit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from common import every_keep, every_order, may_not_converge, may_not_separate
from kernels import LI_HANG, circles
from rosenblatt import KernelPerceptron
from rosenblatt._training.kernels import Gram, kernel_of
from rosenblatt._validation.rows import checked_rows

pytestmark = [may_not_converge, may_not_separate]


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_kernels_mean_what_they_mean_in_scikit_learn(kernel, dtype, storage, rng):
    X = rng.normal(size=(20, 4)).astype(dtype)
    choices = {"gamma": 0.3, "degree": 2, "coef0": 0.7}
    names = {"rbf": ["gamma"], "sigmoid": ["gamma", "coef0"], "linear": []}.get(kernel, choices)
    expected = pairwise_kernels(X, metric=kernel, **{name: choices[name] for name in names})
    p = KernelPerceptron(kernel=kernel, keep="last", max_iter=3, random_state=0, **choices)
    y = rng.integers(0, 2, size=20)
    p.fit(storage(X), y)
    scores = expected[:, p.support_] @ p.dual_coef_[0] + p.intercept_
    tolerance = 1e-4 if dtype is np.float32 else 1e-9
    assert p.decision_function(storage(X)) == pytest.approx(scores, abs=tolerance)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_gamma_means_what_it_means_in_scikit_learn(gamma, storage, rng):
    X, y = rng.normal(1, 3, size=(30, 4)), rng.integers(0, 2, size=30)
    p = KernelPerceptron(gamma=gamma, max_iter=2).fit(storage(X), y)
    assert p._rule.kernel.gamma == pytest.approx(SVC(gamma=gamma).fit(storage(X), y)._gamma)


@every_order
@every_keep
def test_the_cache_changes_nothing(order, keep):
    X, y = circles(60)
    choices = {"order": order, "keep": keep, "max_iter": 6, "random_state": 0, "gamma": 1.0}
    row = 8 * len(y) / 2**20
    reference = KernelPerceptron(**choices).fit(X, y)
    for rows in (1, 0.05 * len(y), 0.5):
        p = KernelPerceptron(cache_size=rows * row, **choices).fit(X, y)
        assert (p.decision_function(X) == reference.decision_function(X)).all()
        assert (p.update_counts_ == reference.update_counts_).all()
    K = pairwise_kernels(X, metric="rbf", gamma=1.0)
    p = KernelPerceptron(**(choices | {"kernel": "precomputed"})).fit(K, y)
    assert (p.update_counts_ == reference.update_counts_).all()
    assert p.decision_function(K) == pytest.approx(reference.decision_function(X), abs=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_kernel_value_is_the_same_in_whatever_company(kernel, dtype, heavy):
    # exp, tanh and power of NumPy must not depend on where in an array a number stands.
    for seed in range(heavy(200)):
        rng = np.random.default_rng(seed)
        n, d = (int(k) for k in rng.integers(1, 100, size=2))
        X = rng.normal(size=(n, d)).astype(dtype)
        k = kernel_of(kernel, degree=float(rng.choice([0, 1, 2, 3, 5])), gamma=0.1, coef0=1.0)
        gram, alone = Gram(k, X, 2**30), Gram(k, X, 1)
        rows = rng.permutation(n)[:16].tolist()
        for i, row in zip(rows, gram.rows(rows), strict=True):
            assert (alone.row(i) == row).all()
            places = rng.integers(0, n, size=int(rng.integers(0, 40)))
            assert (Gram(k, X, 1).some(i, places) == row[places]).all()
        if kernel != "rbf":  # squared lengths of sparse rows are added up in another order
            X = checked_rows(KernelPerceptron(), sparse.csr_matrix(X), reset=True)
            assert (Gram(k, X, 2**30).row(rows[0]) == gram.row(rows[0])).all()


def test_the_newest_row_stays_and_the_oldest_leaves():
    gram = Gram(kernel_of("linear", degree=3, gamma=1, coef0=1), LI_HANG[0], 2 * 3 * 8)
    for i in (0, 1, 0, 2):
        gram.row(i)
    assert [gram.at_hand(i) for i in range(3)] == [True, False, True]
    gram = Gram(gram.kernel, LI_HANG[0], 1)
    gram.row(1)
    assert gram.at_hand(1)


def test_rows_that_are_never_needed_are_never_computed():
    X, y = circles(60)
    asked = []

    def kernel(a, b):
        asked.append(len(a))
        return pairwise_kernels(a, b, metric="rbf", gamma=1.0)

    p = KernelPerceptron(kernel=kernel, keep="last", random_state=0).fit(X, y)
    assert set(asked) == {1}
    assert len(asked) == np.count_nonzero(p.update_counts_) < len(y)


def test_neither_are_they_where_several_are_computed_at_once(monkeypatch):
    X, y = circles(60)
    asked = []
    computed = Gram._computed

    def noted(gram, rows):
        asked.extend(rows)
        return computed(gram, rows)

    monkeypatch.setattr(Gram, "_computed", noted)
    p = KernelPerceptron(keep="last", random_state=0).fit(X, y)
    assert sorted(asked) == np.flatnonzero(p.update_counts_).tolist()
    assert len(asked) < len(y)
