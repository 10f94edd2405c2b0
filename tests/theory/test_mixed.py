"""At most R²/γ² epochs of order="mixed" have a mistake, whatever the number of shards."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import Perceptron, certify, theory
from rosenblatt._core.backend import compute


def test_by_hand():
    """R² = 26 from (4, 3, 1), γ² = 1/11 with (1, 1, -3): ⌊286⌋; with μ = 2, η = 1: 30·11."""
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    bound = theory.mixed_epoch_bound(X, y, [1, 1, -3])
    assert (int(bound), bound.gamma_squared, bound.beta_squared) == (286, Fraction(1, 11), 26)
    assert bound.form == "⌊R²/γ²⌋"
    assert str(bound).startswith("at most 286 epochs with a mistake: ⌊R²/γ²⌋, with γ = 0.3015")
    assert int(theory.mixed_epoch_bound(X, y, [1, 1, -3], margin=2)) == 330
    # From 10 w*: α = ηβ²/γ, and ‖10 w* - αŵ‖² / β² = (10‖w*‖ - β²/γ)² / β².
    length = 11**0.5
    expected = (10 * length - 26 * length) ** 2 / 26
    assert int(theory.mixed_epoch_bound(X, y, [1, 1, -3], w0=[10, 10, -30])) == int(expected)


def separated(rng):
    """Whole numbers, with a hyperplane that no row is on, and a row on either side."""
    while True:
        X = rng.integers(-4, 5, (14, 2)).astype(float)
        star = np.append(2 * rng.integers(-3, 4, 2), rng.choice([-3, -1, 1, 3]))
        y = np.sign(X @ star[:2] + star[2])
        if abs(y.sum()) < len(y):
            return X, y, star


@pytest.mark.parametrize(("block", "shard"), [(1, 1), (1, 4), (2, 2), (5, 1)])
def test_it_holds_on_small_separable_tables(block, shard, heavy, monkeypatch):
    monkeypatch.setattr(compute, "block", block)
    monkeypatch.setattr(compute, "shard", shard)
    rng = np.random.default_rng(block)
    for seed in range(heavy(2000)):
        X, y, star = separated(rng)
        c = rng.choice([0.5, 1.0, 2.0], 14) if seed % 4 == 1 else None
        margin = 0.5 if seed % 4 == 2 else 0.0
        if seed % 8 == 0:  # the hyperplane that promises most
            star = certify(X, y).homogeneous_separator
        bound = int(theory.mixed_epoch_bound(X, y, star, margin=margin, sample_weight=c))
        p = Perceptron(order="mixed", keep="last", margin=margin, random_state=seed)
        p.set_params(max_iter=bound + 1, patience=None).fit(X, y, sample_weight=c)
        assert p.converged_
        assert np.count_nonzero(p.mistakes_) <= bound


def test_of_many_classes_it_is_that_of_the_lifted_rows(heavy, monkeypatch):
    """‖z‖² = 2‖x̃‖²; the weights of all classes are mixed together."""
    monkeypatch.setattr(compute, "block", 2)
    monkeypatch.setattr(compute, "shard", 1)
    rng, made = np.random.default_rng(0), 0
    for seed in range(heavy(400)):
        X = rng.integers(-4, 5, (12, 2)).astype(float)
        W = rng.integers(-3, 4, (3, 3)) + rng.random((3, 3)) / 8
        y = (np.column_stack([X, np.ones(12)]) @ W.T).argmax(axis=1)
        if len(np.unique(y)) < 3:
            continue
        Z = theory.kesler_lift(theory.lift(X), y)
        bound = theory.mixed_epoch_bound(Z, [1] * len(Z), W.ravel())
        p = Perceptron(order="mixed", keep="last", random_state=seed, patience=None)
        p.set_params(max_iter=min(int(bound) + 1, 10**6)).fit(X, y)
        assert p.converged_
        assert p.training_errors_ == 0
        assert np.count_nonzero(p.mistakes_) <= int(bound)
        made += 1
    assert made > heavy(400) // 8
