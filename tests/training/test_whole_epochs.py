"""Many epochs in one call: the same as one by one, in every attribute and to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import everything, may_not_converge, may_not_separate
from rosenblatt import Perceptron
from rosenblatt._core import screening
from rosenblatt._core.backend import compute
from rosenblatt._training import training
from rosenblatt.errors import WeightsOverflowError

_core = pytest.importorskip("rosenblatt._core._native")
pytestmark = [may_not_converge, may_not_separate]


def one_by_one(patched):
    patched.setattr(compute, "whole_epochs", None)


def table(seed, n, d, noise, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, d)) / 4
    if classes > 2:
        scores = X @ rng.normal(size=(d, classes)) + noise * rng.normal(size=(n, classes))
        return X, scores.argmax(axis=1)
    score = X @ rng.normal(size=d) + noise * rng.normal(size=n)
    return X, np.where(score > np.median(score), 1, -1)


@given(
    seed=st.integers(0, 10**6),
    shape=st.sampled_from([(20, 2), (60, 17), (150, 40)]),
    noise=st.sampled_from([0.0, 0.5]),
    order=st.sampled_from(["cyclic", "shuffle"]),
    keep=st.sampled_from(["best", "last", "average"]),
    stored=st.sampled_from([np.asarray, np.float32, sparse.csr_array]),
    weighted=st.sampled_from([None, "some", "none"]),
    intercept=st.booleans(),
    margin=st.sampled_from([0.0, 0.75]),
    patience=st.sampled_from([None, 1, 5]),
    chunk=st.sampled_from([1 << 24, 20_000]),
    classes=st.sampled_from([2, 2, 3, 7]),
)
def test_as_one_by_one(
    seed, shape, noise, order, keep, stored, weighted, intercept, margin, patience, chunk, classes
):
    X, y = table(seed, *shape, noise, classes)
    c = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 2.5], len(y))
    c[:classes] = 1.0
    y[:classes] = range(classes)
    p = Perceptron(
        order=order,
        keep=keep,
        fit_intercept=intercept,
        margin=margin,
        patience=patience,
        max_iter=40,
        random_state=seed,
    )
    given = {"sample_weight": None if weighted is None else c if weighted == "some" else c * 0 + 1}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compute, "chunk", chunk)
        found = everything(p.fit(stored(X), y, **given), X)
        one_by_one(patched)
        expected = everything(p.fit(stored(X), y, **given), X)
    assert found == expected


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize("keep", ["best", "last", "average"])
@pytest.mark.parametrize("classes", [2, 4])
def test_training_goes_on_from_either(order, keep, classes, monkeypatch):
    X, y = table(3, 90, 6, 0.5, classes)
    p = Perceptron(order=order, keep=keep, patience=None, warm_start=True, random_state=0)
    for epochs in (3, 1, 7):
        with pytest.MonkeyPatch.context() as patched:
            if epochs == 1:
                one_by_one(patched)
            p.set_params(max_iter=epochs).fit(X, y)
    q = Perceptron(order=order, keep=keep, patience=None, max_iter=11, random_state=0)
    one_by_one(monkeypatch)
    assert everything(p, X) == everything(q.fit(X, y), X)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_used_where_it_can_be(classes, monkeypatch):
    calls = []
    epochs = _core.epochs
    monkeypatch.setattr(
        _core, "epochs", lambda *given: calls.append(len(given[6])) or epochs(*given)
    )
    X, y = table(0, 200, 5, 1.0, classes)
    p = Perceptron(keep="best", patience=None, max_iter=500, random_state=0).fit(X, y)
    assert p.n_iter_ == 500
    assert calls == [500]
    calls.clear()
    for other in ({"keep": "pocket"}, {"order": "batch"}, {"max_updates": 50}):
        Perceptron(max_iter=3, **other).fit(X, y)
    Perceptron(max_iter=3).fit(X, y, X_val=X, y_val=y)
    assert calls == []
    Perceptron(max_iter=3).fit(sparse.csr_array(X), y)
    assert calls


def test_a_call_leaves_time_to_hear_ctrl_c(monkeypatch):
    most = []
    make = training._make
    monkeypatch.setattr(training, "_make", lambda *of: most.append(of[-1]) or make(*of))
    # Seven epochs, visits and two counts of each, in a quarter of a chunk.
    monkeypatch.setattr(compute, "chunk", 4 * 3 * 200 * 16 * 7)
    X, y = table(0, 200, 5, 1.0)
    Perceptron(keep="best", patience=None, max_iter=20, random_state=0).fit(X, y)
    assert most == [7, 7, 6]
    most.clear()
    X, y = table(0, 200, 5, 1.0, 3)  # three scores of each row: two epochs
    Perceptron(keep="best", patience=None, max_iter=5, random_state=0).fit(X, y)
    assert most == [2, 2, 1]


@pytest.mark.parametrize("keep", ["best", "average"])
@pytest.mark.parametrize("classes", [2, 3])
def test_beside_screening(keep, classes, monkeypatch, heavy):
    monkeypatch.setattr(screening, "LEAST", 50)
    for seed in range(heavy(100)):
        X, y = table(seed, 400, 3, 0.0, classes)
        p = Perceptron(keep=keep, patience=None, max_iter=60, random_state=seed)
        found = everything(p.fit(X, y), X)
        with pytest.MonkeyPatch.context() as patched:
            one_by_one(patched)
            assert everything(p.fit(X, y), X) == found


@pytest.mark.parametrize("y", [[1, 1, -1], [0, 1, 2]])
def test_weights_that_overflow_are_refused_with_the_epoch(y, monkeypatch):
    X = np.array([[1e308, 1.0], [-1e308, 1.0], [1e308, -1.0]])
    p = Perceptron(order="cyclic", max_iter=50)
    with pytest.raises(WeightsOverflowError) as found:
        p.fit(X, y)
    one_by_one(monkeypatch)
    with pytest.raises(WeightsOverflowError) as expected:
        p.fit(X, y)
    assert str(found.value) == str(expected.value)
