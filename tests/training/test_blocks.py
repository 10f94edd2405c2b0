"""order="blocks": its definition in docs/definitions.md, step by step, and what follows from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from common import KEEPS, everything, may_not_converge, may_not_separate, noisy
from oracle import Oracle
from rosenblatt import Perceptron, StopReason
from rosenblatt._core import reference
from rosenblatt._core.backend import compute

pytestmark = [may_not_converge, may_not_separate]


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
        patch.setattr(compute, "block", block)
        p = Perceptron(
            order="blocks", keep="last", max_iter=epochs, patience=None, random_state=seed
        )
        p.fit(X, y)
    oracle = Oracle(X, y, seed=p._state.seed).run("blocks", epochs, block)
    assert [*p.coef_[0].tolist(), p.intercept_[0]] == [float(v) for v in oracle.w]
    assert p.update_counts_.tolist() == oracle.counts


@pytest.mark.parametrize("keep", KEEPS)
def test_native_equals_reference(keep, monkeypatch, with_core):
    X, y = noisy(50)
    monkeypatch.setattr(compute, "block", 16)

    def fitted():
        p = Perceptron(order="blocks", keep=keep, max_iter=4, random_state=3)
        return everything(p.fit(X, y), X)

    native = fitted()
    with_core(reference)
    assert fitted() == native


@pytest.mark.parametrize("keep", ["last", "best"])
def test_rows_of_weight_zero_do_not_exist(keep, monkeypatch):
    """Blocks are counted without them."""
    monkeypatch.setattr(compute, "block", 8)
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
    monkeypatch.setattr(compute, "block", 16)
    X, y = noisy(50)
    p = Perceptron(order="blocks", max_iter=6, patience=None, random_state=1, warm_start=True)
    whole = everything(p.fit(X, y), X)
    p = clone(p).set_params(max_updates=7).fit(X, y)
    assert p.stop_reason_ is StopReason.MAX_UPDATES
    p.set_params(max_updates=None, max_iter=6 - p.n_iter_).fit(X, y)
    assert everything(p, X) == whole
