"""At most R²/γ² epochs of order="mixed" have a mistake, whatever the number of shards."""

from fractions import Fraction

import numpy as np
import pytest

from planes import small
from rosenblatt import Perceptron, certify, theory
from rosenblatt._compute.backend import compute


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


@pytest.mark.parametrize(("block", "shard"), [(1, 1), (1, 4), (2, 2), (5, 1)])
def test_it_holds_on_small_separable_tables(block, shard, heavy, monkeypatch):
    """Counted by epochs, and by what they count for: Σ over epochs of Σ k_s²/k."""
    monkeypatch.setattr(compute, "block", block)
    monkeypatch.setattr(compute, "shard", shard)
    rng, made, most = np.random.default_rng(block), 0, 0.0
    for seed in range(heavy(1000)):
        X, y = small(int(rng.integers(2**32)), n=14, d=2, can_be_separated=True)
        c = rng.choice([0.5, 1.0, 2.0], 14) if seed % 4 == 1 else None
        margin = 0.5 if seed % 4 == 2 else 0.0
        certificate = certify(X, y, sample_weight=c)
        if not certificate.separable:
            continue
        star = certificate.homogeneous_separator
        given = {"margin": margin, "sample_weight": c}
        bound = int(theory.mixed_epoch_bound(X, y, star, **given))
        p = Perceptron(order="mixed", keep="last", margin=margin, random_state=seed)
        p.set_params(max_iter=bound + 1, patience=None).fit(X, y, sample_weight=c)
        assert p.converged_  # all but the last epoch had a mistake: they are within the bound
        assert np.count_nonzero(p.mistakes_) <= bound
        made, most = made + 1, max(most, p.n_iter_ / bound)
    assert made > heavy(1000) // 4
    assert most > 0.01  # the bound is not far away from all of them
