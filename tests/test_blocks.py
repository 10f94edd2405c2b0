"""order="blocks": its definition in docs/definitions.md, step by step, and what follows from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from common import KEEPS, everything, may_not_converge, may_not_separate, noisy
from rosenblatt import Perceptron, StopReason, _orders, _reference

G, BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1
pytestmark = [may_not_converge, may_not_separate]


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & BITS
    return z ^ (z >> 31)


def permutation(seed, k, n):
    """Permutation k of n places, written down from the definition."""
    places, start = list(range(n)), mix((seed + (k + 1) * G) & BITS)
    for i in range(n):
        j = i + (mix((start + (i + 1) * G) & BITS) * (n - i) >> 64)
        places[i], places[j] = places[j], places[i]
    return places


def visiting(seed, e, n, block):
    """The rows that epoch e visits."""
    rows = []
    for b in permutation(seed, e << 32, -(-n // block)):
        within = permutation(seed, (e << 32) + 1 + b, min(block, n - b * block))
        rows += [b * block + i for i in within]
    return rows


def by_definition(X, y, seed, epochs, block):
    """The perceptron algorithm in plain Python; whole numbers, so that nothing is rounded."""
    w = [0] * (X.shape[1] + 1)
    for e in range(epochs):
        for i in visiting(seed, e, len(y), block):
            x = [*X[i].tolist(), 1]
            if y[i] * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
                w = [a + y[i] * b for a, b in zip(w, x, strict=True)]
    return w


@given(
    n=st.integers(2, 40),
    block=st.integers(1, 12),
    epochs=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_as_defined(n, block, epochs, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, 2)).astype(float)
    y = np.where(np.arange(n) == 0, 1, rng.choice([-1, 1], size=n))
    y[1] = -1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_orders, "BLOCK", block)
        p = Perceptron(
            order="blocks", keep="last", max_iter=epochs, patience=None, random_state=seed
        )
        p.fit(X, y)
    w = by_definition(X.astype(int), y.tolist(), p._state.seed, p.n_iter_, block)
    assert [*p.coef_[0].tolist(), p.intercept_[0]] == w


@pytest.mark.parametrize("keep", KEEPS)
def test_native_equals_reference(keep, monkeypatch, with_core):
    X, y = noisy(50)
    monkeypatch.setattr(_orders, "BLOCK", 16)

    def fitted():
        p = Perceptron(order="blocks", keep=keep, max_iter=4, random_state=3)
        return everything(p.fit(X, y), X)

    native = fitted()
    with_core(_reference)
    assert fitted() == native


@pytest.mark.parametrize("keep", ["last", "best"])
def test_rows_of_weight_zero_do_not_exist(keep, monkeypatch):
    """Blocks are counted without them."""
    monkeypatch.setattr(_orders, "BLOCK", 8)
    X, y = noisy(50)
    c = np.where(np.arange(50) % 3 == 1, 0.0, 1.0)
    p = Perceptron(order="blocks", keep=keep, max_iter=5, random_state=0)
    with_gaps = p.fit(X, y, c).coef_
    assert with_gaps.tobytes() == p.fit(X[c > 0], y[c > 0]).coef_.tobytes()


def test_each_epoch_visits_every_row_once():
    """200,000 rows with the block of 65,536 that users have."""
    n = 200_000
    X = np.zeros((n, 1))  # every visit is a mistake: the weights stay zero but for the intercept
    y = np.where(np.arange(n) % 2, 1, -1)
    p = Perceptron(order="blocks", keep="last", fit_intercept=False, max_iter=3, patience=None)
    assert (p.fit(X, y).update_counts_ == 3).all()


def test_going_on_in_the_middle_of_a_block(monkeypatch):
    monkeypatch.setattr(_orders, "BLOCK", 16)
    X, y = noisy(50)
    p = Perceptron(order="blocks", max_iter=6, patience=None, random_state=1, warm_start=True)
    whole = everything(p.fit(X, y), X)
    p = clone(p).set_params(max_updates=7).fit(X, y)
    assert p.stop_reason_ is StopReason.MAX_UPDATES
    p.set_params(max_updates=None, max_iter=6 - p.n_iter_).fit(X, y)
    assert everything(p, X) == whole
