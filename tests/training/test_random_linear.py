"""RandomLinearClassifier: the best of k hyperplanes, uniform on the unit sphere."""

import inspect

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse, stats

from rosenblatt import RandomLinearClassifier


def noisy(n=60, d=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)


X, Y = noisy()


def lifted(p):
    return np.append(p.coef_[0], p.intercept_)


def wrong(p, rows, labels):
    return int(np.sum(labels * p.decision_function(rows) <= 0))


# --- What is returned ---------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), k=st.integers(1, 60), d=st.integers(1, 6))
def test_the_hyperplane_is_a_unit_vector_of_the_lifted_space(seed, k, d):
    rows, labels = noisy(20, d, seed)
    assume(len(set(labels)) == 2)
    p = RandomLinearClassifier(k, random_state=seed).fit(rows, labels)
    assert p.coef_.shape == (1, d)
    assert p.intercept_.shape == (1,)
    assert np.linalg.norm(lifted(p)) == pytest.approx(1, abs=1e-14)
    assert p.intercept_[0] != 0
    through = RandomLinearClassifier(k, fit_intercept=False, random_state=seed).fit(rows, labels)
    assert np.linalg.norm(through.coef_) == pytest.approx(1, abs=1e-14)
    assert through.intercept_.tolist() == [0.0]


@pytest.mark.parametrize("intercept", [True, False])
@given(seed=st.integers(0, 10**6), k=st.integers(1, 60))
def test_training_errors_are_the_fewest_of_all_candidates_and_a_recount_agrees(intercept, seed, k):
    rows, labels = noisy(20, 2, seed)
    assume(len(set(labels)) == 2)
    p = RandomLinearClassifier(k, fit_intercept=intercept, random_state=seed).fit(rows, labels)
    assert p.candidate_errors_.shape == (k,)
    assert p.training_errors_ == p.candidate_errors_.min() == wrong(p, rows, labels)
    assert p.score(rows, labels) == pytest.approx(1 - p.training_errors_ / 20)
    assert p.candidate_errors_.min() >= 0
    assert p.candidate_errors_.max() <= 20


def test_rows_on_every_hyperplane_are_mistakes_though_predicted_as_the_second_class():
    # The origin has score 0 under every hyperplane through it.
    p = RandomLinearClassifier(30, fit_intercept=False, random_state=0)
    p.fit(np.zeros((4, 2)), [1, -1, 1, 1])
    assert p.candidate_errors_.tolist() == [4] * 30
    assert p.training_errors_ == 4
    assert p.predict(np.zeros((4, 2))).tolist() == [1, 1, 1, 1]


@given(seed=st.integers(0, 10**6), ks=st.lists(st.integers(1, 130), min_size=2, max_size=5))
def test_with_the_same_seed_more_hyperplanes_are_those_and_more(seed, ks):
    rows, labels = noisy(25, 2, seed)
    ks = sorted(ks)
    fits = [RandomLinearClassifier(k, random_state=seed).fit(rows, labels) for k in ks]
    most = fits[-1]
    for p, k in zip(fits, ks, strict=True):
        assert p.candidate_errors_.tolist() == most.candidate_errors_[:k].tolist()
    errors = [p.training_errors_ for p in fits]
    assert errors == sorted(errors, reverse=True)


@given(seed=st.integers(0, 10**6))
def test_of_equal_candidates_the_first_is_kept(seed):
    rows, labels = noisy(6, 2, seed)  # few rows: many are equally good
    assume(len(set(labels)) == 2)
    p = RandomLinearClassifier(120, random_state=seed).fit(rows, labels)
    first, *others = np.flatnonzero(p.candidate_errors_ == p.candidate_errors_.min()).tolist()
    assume(others)
    # The first `first + 1` draws are the same: the last of them is the one.
    until = RandomLinearClassifier(first + 1, random_state=seed).fit(rows, labels)
    assert lifted(until).tolist() == lifted(p).tolist()
    if first:
        before = RandomLinearClassifier(first, random_state=seed).fit(rows, labels)
        assert lifted(before).tolist() != lifted(p).tolist()
        assert before.training_errors_ > p.training_errors_


def test_100_hyperplanes_are_the_default():
    assert RandomLinearClassifier().k == 100
    assert inspect.signature(RandomLinearClassifier).parameters["k"].default == 100
    assert RandomLinearClassifier(random_state=0).fit(X, Y).candidate_errors_.shape == (100,)


def test_the_same_seed_gives_the_same_fit_and_another_one_another():
    fits = [RandomLinearClassifier(random_state=s).fit(X, Y) for s in (3, 3, 4)]
    assert lifted(fits[0]).tobytes() == lifted(fits[1]).tobytes()
    assert fits[0].candidate_errors_.tolist() == fits[1].candidate_errors_.tolist()
    assert lifted(fits[0]).tolist() != lifted(fits[2]).tolist()
    # Fitting again draws the same again; a generator goes on.
    assert lifted(fits[0].fit(X, Y)).tobytes() == lifted(fits[1]).tobytes()
    one = RandomLinearClassifier(random_state=np.random.RandomState(3))
    assert lifted(one.fit(X, Y)).tolist() == lifted(fits[1]).tolist()
    assert lifted(one.fit(X, Y)).tolist() != lifted(fits[1]).tolist()


@pytest.mark.parametrize("k", [1, 24, 25, 26, 50, 51, 1000])
def test_any_number_of_hyperplanes_is_judged(k):
    p = RandomLinearClassifier(k, random_state=0).fit(X, Y)
    assert p.candidate_errors_.shape == (k,)
    assert p.candidate_errors_.dtype.kind == "i"


# --- Weights ------------------------------------------------------------------------------------


def test_the_weight_decides_and_training_errors_are_still_counted_plainly():
    # Twenty rows (1, t) with t from -1 to 0.9 are of label 1, three heavy rows (1, 0) of label -1.
    # By number the best is right on the twenty. By weight w₁ < 0 is better, which makes (1, 0) of
    # label 1 wrong, and all t > 0 or all t < 0: at least 10 rows.
    rows = np.array([[1.0, i / 10] for i in range(-10, 10)] + [[1.0, 0.0]] * 3)
    labels, c = np.array([1] * 20 + [-1] * 3), np.array([1.0] * 20 + [100.0] * 3)
    choices = {"k": 200, "fit_intercept": False, "random_state": 0}
    plain = RandomLinearClassifier(**choices).fit(rows, labels)
    heavy = RandomLinearClassifier(**choices).fit(rows, labels, c)
    assert plain.predict([[1.0, 0.0]]).tolist() == [1]
    assert plain.training_errors_ == 3
    assert heavy.predict([[1.0, 0.0]]).tolist() == [-1]
    assert heavy.training_errors_ == wrong(heavy, rows, labels) >= 10
    # The same hyperplanes are drawn, and all mistakes are counted plainly.
    assert heavy.candidate_errors_.tolist() == plain.candidate_errors_.tolist()


@given(seed=st.integers(0, 10**6))
def test_the_fewest_mistakes_by_weight_win(seed):
    # Whole weights: repeating a row is an independent way to count it as often.
    rows, labels = noisy(15, 2, seed)
    assume(len(set(labels)) == 2)
    c = np.random.default_rng(seed).integers(0, 4, 15)
    there = c > 0
    assume(len(set(labels[there])) == 2)
    weighted = RandomLinearClassifier(80, random_state=seed).fit(rows, labels, c)
    repeated = RandomLinearClassifier(80, random_state=seed)
    repeated.fit(np.repeat(rows, c, axis=0), np.repeat(labels, c))
    assert lifted(weighted).tolist() == lifted(repeated).tolist()
    assert weighted.training_errors_ == wrong(weighted, rows[there], labels[there])
    assert repeated.training_errors_ == np.sum(c * (labels * weighted.decision_function(rows) <= 0))


def test_rows_of_weight_zero_do_not_exist():
    c = np.arange(60) % 3
    with_zeros = RandomLinearClassifier(random_state=0).fit(X, Y, c)
    without = RandomLinearClassifier(random_state=0).fit(X[c > 0], Y[c > 0], c[c > 0])
    assert lifted(with_zeros).tolist() == lifted(without).tolist()
    assert with_zeros.candidate_errors_.tolist() == without.candidate_errors_.tolist()


# --- Any storage --------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_dense_and_sparse_rows_give_the_same_bits(stored, intercept, rng):
    rows = X * (rng.random(X.shape) < 0.6)
    choices = {"fit_intercept": intercept, "random_state": 0}
    dense = RandomLinearClassifier(**choices).fit(rows, Y)
    other = RandomLinearClassifier(**choices).fit(stored(rows), Y)
    assert lifted(dense).tobytes() == lifted(other).tobytes()
    assert dense.candidate_errors_.tolist() == other.candidate_errors_.tolist()
    assert (
        dense.decision_function(rows).tobytes() == other.decision_function(stored(rows)).tobytes()
    )


def test_float32_rows_give_the_same_bits_as_float64_rows_of_the_same_numbers():
    rows = X.astype(np.float32)
    single, double = (
        RandomLinearClassifier(random_state=0).fit(r, Y) for r in (rows, rows.astype(np.float64))
    )
    assert lifted(single).tobytes() == lifted(double).tobytes()
    assert single.candidate_errors_.tolist() == double.candidate_errors_.tolist()


def test_any_two_labels_are_predicted_back():
    words = np.where(Y > 0, "yes", "no")
    p = RandomLinearClassifier(random_state=0).fit(X, words)
    q = RandomLinearClassifier(random_state=0).fit(X, Y)
    assert p.classes_.tolist() == ["no", "yes"]
    assert (p.predict(X) == "yes").tolist() == (q.predict(X) == 1).tolist()


# --- Uniform on the sphere ----------------------------------------------------------------------


def draws(count, d, *, intercept=True):
    """Single hyperplanes, drawn one after the other from one generator."""
    rows, labels = np.vstack([np.eye(d), -np.eye(d)]), [1] * d + [-1] * d
    p = RandomLinearClassifier(
        1, fit_intercept=intercept, random_state=np.random.RandomState(20240501)
    )
    return np.array([lifted(p.fit(rows, labels)) for _ in range(count)])


def test_hyperplanes_are_uniform_on_the_sphere(heavy):
    # In the plane with intercept the lifted space has three dimensions, and on its sphere every
    # coordinate is uniform on [-1, 1] (Archimedes); so is the angle around every axis on [-π, π].
    # Six Kolmogorov-Smirnov tests and one chi-square test, each with a false alarm once in 10⁶:
    # together below 7·10⁻⁶ for a seed chosen anew.
    w = draws(heavy(40_000), 2)
    for j in range(3):
        assert stats.kstest(w[:, j], stats.uniform(-1, 2).cdf).pvalue > 1e-6
        angle = np.arctan2(w[:, (j + 1) % 3], w[:, (j + 2) % 3])
        assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-6
    octant = (w > 0) @ [1, 2, 4]
    assert stats.chisquare(np.bincount(octant, minlength=8)).pvalue > 1e-6


def test_hyperplanes_through_the_origin_are_uniform_on_the_circle(heavy):
    w = draws(heavy(40_000), 2, intercept=False)  # a false alarm once in 10⁶
    angle = np.arctan2(w[:, 1], w[:, 0])
    assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-6


@pytest.mark.parametrize("degrees", [30, 60, 90, 150])
@pytest.mark.parametrize("intercept", [True, False])
def test_two_rows_are_told_apart_as_often_as_their_angle_says(degrees, intercept):
    # Two lifted rows at an angle θ: a random hyperplane has them on different sides with
    # probability θ/π. Labels +1 and -1: 0 mistakes with θ/2π, 1 with 1 - θ/π, 2 with θ/2π.
    theta, k = np.radians(degrees), 20_000
    rows = np.array([[1.0, 0.0], [np.cos(theta), np.sin(theta)]])
    if intercept:  # lifted (x, 1): the angle between those
        a, b = np.column_stack([rows, np.ones(2)])
        theta = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    p = RandomLinearClassifier(k, fit_intercept=intercept, random_state=degrees)
    p.fit(rows, [1, -1])
    found = np.bincount(p.candidate_errors_, minlength=3)
    expected = k * np.array([theta / (2 * np.pi), 1 - theta / np.pi, theta / (2 * np.pi)])
    # A false alarm once in 10⁶ for each of the eight cases, for a seed chosen anew.
    assert stats.chisquare(found, expected).pvalue > 1e-6
