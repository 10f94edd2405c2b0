"""keep="vote": the votes on the training rows are counted where that takes seconds at most."""

import signal

import numpy as np
import pytest
from scipy import sparse

from common import noisy
from pressing import Pressing
from rosenblatt import Perceptron, train
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import fit as out_of_core
from rosenblatt._training import learner


def fitted(rows, labels, epochs=4, **choices):
    p = Perceptron(keep="vote", max_iter=epochs, patience=None, random_state=0, **choices)
    return p.fit(rows, labels)


def test_many_voters_and_many_rows_do_not_keep_a_finished_training_waiting(with_core, rng):
    # 45,000 voters would read 30,000 rows each: a thousand times what three epochs have read.
    X, y = rng.normal(size=(30_000, 2)), rng.integers(0, 2, 30_000)
    counting = Pressing(only=("vote",))
    with_core(counting)
    p = fitted(X, y, 3, order="random")
    assert p.training_errors_ is None
    assert counting.calls == 0
    assert p.n_iter_ == 3
    assert set(p.predict(X[:50]).tolist()) <= {0, 1}


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_the_limit_is_the_numbers_that_are_read_however_they_are_stored(monkeypatch, form):
    X, y = noisy(60, 3)
    voters = fitted(X, y).n_updates_
    read = voters * 60 * 16  # a row counts for 16 numbers at least
    for limit, counted in ((read, True), (read - 1, False)):
        monkeypatch.setattr(learner, "MOST_VOTED", limit)
        p = fitted(form(X), y)
        assert p.n_updates_ == voters
        wrong = int(np.sum(y * p.decision_function(X) <= 0))
        assert p.training_errors_ == (wrong if counted else None)


def test_zeros_do_not_count_and_other_numbers_do(monkeypatch):
    X = np.zeros((40, 50))
    X[:, :20], y = noisy(40, 20)
    voters = fitted(X, y).n_updates_
    monkeypatch.setattr(learner, "MOST_VOTED", voters * 40 * 20)
    assert fitted(X, y).training_errors_ is not None
    assert fitted(sparse.csr_matrix(X), y).training_errors_ is not None
    monkeypatch.setattr(learner, "MOST_VOTED", voters * 40 * 20 - 1)
    assert fitted(X, y).training_errors_ is None
    assert fitted(sparse.csr_matrix(X), y).training_errors_ is None


def test_of_a_stream_as_well(monkeypatch):
    X, y = noisy(60, 3)

    def batches():
        yield X[:40], y[:40]
        yield X[40:], y[40:]

    def streamed():
        return train(Perceptron(keep="vote", order="blocks", max_iter=4, random_state=0), batches)

    p = streamed()
    assert p.training_errors_ == int(np.sum(y * p.decision_function(X) <= 0))
    monkeypatch.setattr(out_of_core, "MOST_VOTED", p.n_updates_ * 60 * 16 - 1)
    assert streamed().training_errors_ is None


def test_ctrl_c_ends_the_count_and_leaves_the_rule(with_core, monkeypatch):
    monkeypatch.setattr(compute, "chunk", 1 << 22)  # several calls
    monkeypatch.setattr(learner, "MOST_VOTED_QUICKLY", 1 << 22)  # the whole count takes longer
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        X, y = noisy(400, 40)
        whole = fitted(X, y, 20)
        pressing = Pressing(0, only=("vote",))
        with_core(pressing)
        p = Perceptron(keep="vote", max_iter=20, patience=None, random_state=0)
        with pytest.raises(KeyboardInterrupt):
            p.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressing.calls == 1  # of several: the rest is not counted
    assert p.training_errors_ is None
    assert p.n_updates_ == whole.n_updates_
    assert np.array_equal(p.decision_function(X), whole.decision_function(X))
