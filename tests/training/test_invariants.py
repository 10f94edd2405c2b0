"""What must hold for every fit: bounds, scale, counts."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from common import KEEPS, ORDERS
from rosenblatt import Perceptron, StopReason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def separable(seed, n=40, d=3, intercept=True):
    """Integer rows and a separator with a margin of at least 1/2 in every row."""
    rng = np.random.default_rng(seed)
    while True:
        w = rng.integers(-4, 5, d + 1)
        w[d] *= intercept
        X = rng.integers(-6, 7, (n, d)).astype(float)
        s = X @ w[:d] + w[d]
        X, s = X[s != 0], s[s != 0]
        if len(set(np.sign(s))) == 2:
            return X, np.sign(s).astype(int), w


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@given(
    seed=st.integers(0, 10**6),
    eta=st.sampled_from([0.25, 1.0, 8.0]),
    margin=st.sampled_from([0.0, 1.0, 4.0]),
    weighted=st.booleans(),
    started=st.booleans(),
    intercept=st.booleans(),
)
def test_updates_never_exceed_the_bound(order, seed, eta, margin, weighted, started, intercept):
    # With z_i = c_i y_i (x_i, 1), unit ŵ, γ = min ŵ·z_i, β² = max‖z_i‖² + 2μ max c_i/η, α = ηβ²/γ:
    # updates <= ‖w₀ - αŵ‖² / (η²β²). All in rationals but for ‖ŵ‖, whose square is rational.
    X, y, w = separable(seed, intercept=intercept)
    rng = np.random.default_rng(seed + 1)
    c = rng.choice([0.5, 1.0, 2.0], len(y)) if weighted else np.ones(len(y))
    w0 = rng.integers(-3, 4, 4) * [1, 1, 1, intercept] * (1.0 if started else 0.0)
    p = Perceptron(
        order=order,
        keep="last",
        eta0=eta,
        margin=margin,
        fit_intercept=intercept,
        max_iter=5000,
        random_state=seed,
    ).fit(X, y, c, coef_init=w0[:3], intercept_init=w0[3])
    assert p.stop_reason_ is StopReason.CLEAN
    F = Fraction
    z = [[F(c[i]) * int(y[i]) * F(v) for v in (*X[i], int(intercept))] for i in range(len(y))]
    w_star, eta_, mu = [F(int(v)) for v in w], F(eta), F(margin)
    norm2 = sum(v * v for v in w_star)
    gamma_norm = min(sum(a * b for a, b in zip(w_star, row, strict=True)) for row in z)  # γ‖w*‖
    beta2 = max(sum(v * v for v in row) for row in z) + 2 * mu * F(max(c)) / eta_
    # α ŵ = ηβ²/γ · w*/‖w*‖ = ηβ² w*/(γ‖w*‖), rational.
    target = [eta_ * beta2 * v / gamma_norm for v in w_star]
    bound = sum((F(a) - b) ** 2 for a, b in zip(w0, target, strict=True)) / (eta_**2 * beta2)
    assert gamma_norm > 0
    assert norm2 > 0
    assert p.n_updates_ <= bound


@given(seed=st.integers(0, 10**6))
def test_batch_updates_never_exceed_their_bound(seed):
    # Σ|M_t| <= max|M_t| R²/γ², from zero weights.
    X, y, w = separable(seed)
    p = Perceptron(order="batch", keep="last", max_iter=5000).fit(X, y)
    lifted = np.column_stack([X, np.ones(len(X))])
    R2 = Fraction(int((lifted**2).sum(axis=1).max()))
    gamma2 = Fraction(int((y * (lifted @ w)).min()) ** 2, int(w @ w))
    assert p.converged_
    assert p.mistakes_.sum() == p.n_updates_
    assert p.n_updates_ <= int(p.mistakes_.max()) * R2 / gamma2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
@given(seed=st.integers(0, 10**6), eta=st.floats(1e-3, 1e3))
def test_eta_scales_the_weights_and_changes_nothing_else(order, keep, seed, eta):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (20, 2)).astype(float), rng.integers(0, 2, 20)
    assume(len(set(y)) == 2)
    one, other = (
        Perceptron(order=order, keep=keep, eta0=e, max_iter=5, random_state=seed).fit(X, y)
        for e in (1.0, eta)
    )
    for name in ("n_iter_", "n_updates_", "training_errors_", "converged_", "stop_reason_"):
        assert getattr(one, name) == getattr(other, name)
    assert one.mistakes_.tolist() == other.mistakes_.tolist()
    assert one.update_counts_.tolist() == other.update_counts_.tolist()
    assert one.predict(X).tolist() == other.predict(X).tolist()
    if keep != "vote":
        assert (eta * one.coef_).tolist() == other.coef_.tolist()
        assert (eta * one.intercept_).tolist() == other.intercept_.tolist()
        assert (eta * one.decision_function(X)).tolist() == other.decision_function(X).tolist()


@given(seed=st.integers(0, 10**6), power=st.integers(-20, 20))
def test_eta_and_margin_scale_together(seed, power):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 2)), rng.integers(0, 2, 20)
    assume(len(set(y)) == 2)
    one, other = (
        Perceptron(eta0=0.3 * s, margin=0.7 * s, max_iter=5, random_state=seed).fit(X, y)
        for s in (1.0, 2.0**power)
    )
    assert (2.0**power * one.coef_).tolist() == other.coef_.tolist()
    assert one.mistakes_.tolist() == other.mistakes_.tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
@given(
    seed=st.integers(0, 10**6), eta=st.sampled_from([1.0, 0.1]), margin=st.sampled_from([0.0, 1.0])
)
def test_recounting_agrees_and_converged_means_no_errors(order, keep, seed, eta, margin):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (15, 2)).astype(float), rng.choice([-1, 1], 15)
    assume(len(set(y)) == 2)
    p = Perceptron(
        order=order, keep=keep, eta0=eta, margin=margin, max_iter=20, random_state=seed
    ).fit(X, y)
    assert p.training_errors_ == int(np.sum(y * p.decision_function(X) <= 0))
    assert 15 * (1 - p.score(X, y)) <= p.training_errors_ + 1e-9
    if p.converged_ and keep in ("last", "best", "pocket"):
        assert p.training_errors_ == 0
    assert p.update_counts_.sum() == p.n_updates_ == p.mistakes_.sum()
    assert p.n_iter_ == len(p.mistakes_)


@pytest.mark.parametrize("keep", ["best", "pocket"])
@given(seed=st.integers(0, 10**6))
def test_kept_weights_are_never_worse_than_those_of_an_earlier_epoch(keep, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 2)), rng.choice([-1, 1], 25)
    assume(len(set(y)) == 2)
    errors = [
        Perceptron(keep=keep, max_iter=k, random_state=seed).fit(X, y).training_errors_
        for k in range(1, 8)
    ]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**6))
def test_the_last_weights_are_the_sum_of_the_updates(order, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (15, 2)).astype(float), rng.choice([-1, 1], 15)
    assume(len(set(y)) == 2)
    c, start = rng.choice([0.5, 1.0, 2.0], 15), rng.integers(-2, 3, 2).astype(float)
    p = Perceptron(order=order, keep="last", eta0=0.5, max_iter=4, random_state=seed)
    p.fit(X, y, c, coef_init=start)
    alpha = 0.5 * c * p.update_counts_ * y
    assert p.coef_[0].tolist() == (start + alpha @ X).tolist()
    assert p.intercept_[0] == alpha.sum()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
def test_a_row_of_weight_zero_does_not_exist(order, keep, rng):
    X, y = rng.normal(size=(30, 3)), rng.choice([-1, 1], 30)
    c = rng.choice([0.0, 1.0, 2.0], 30)
    choices = {"order": order, "keep": keep, "max_iter": 5, "random_state": 0}
    with_zeros = Perceptron(**choices).fit(X, y, c)
    without = Perceptron(**choices).fit(X[c > 0], y[c > 0], c[c > 0])
    assert with_zeros.decision_function(X).tolist() == without.decision_function(X).tolist()
    assert with_zeros.mistakes_.tolist() == without.mistakes_.tolist()
    assert with_zeros.update_counts_[c > 0].tolist() == without.update_counts_.tolist()
    assert with_zeros.update_counts_[c == 0].sum() == 0
    assert with_zeros.training_errors_ == without.training_errors_


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_seed_gives_the_same_fit(order, rng):
    X, y = rng.normal(size=(200, 4)), rng.choice([-1, 1], 200)
    fits = [Perceptron(order=order, max_iter=5, random_state=3).fit(X, y).coef_ for _ in range(2)]
    assert fits[0].tolist() == fits[1].tolist()
    if order in ("shuffle", "random"):
        other = Perceptron(order=order, max_iter=5, random_state=4).fit(X, y).coef_
        assert other.tolist() != fits[0].tolist()


def test_the_default_separates_every_one_of_200_separable_sets(heavy):
    # 200 x 10, unit rows, labelled by a random hyperplane through the origin.
    for seed in range(heavy(200)):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 10))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = X @ rng.normal(size=10) > 0
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            p = Perceptron(random_state=seed).fit(X, y)
        assert p.converged_
        assert p.training_errors_ == 0
        assert p.score(X, y) == 1.0


def test_on_noisy_labels_the_default_is_near_logistic_regression(rng):
    X = rng.normal(size=(100_000, 20))
    y = (X @ rng.normal(size=20) > 0) ^ (rng.random(100_000) < 0.1)
    p = Perceptron(random_state=0, max_iter=30).fit(X, y)
    logistic = 1 - LogisticRegression().fit(X, y).score(X, y)
    assert 0.09 < logistic < 0.11
    assert p.training_errors_ / 100_000 <= logistic + 0.005
