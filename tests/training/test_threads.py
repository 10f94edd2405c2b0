"""Several threads and one estimator: calls wait for each other, and none is lost."""

import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

from common import noisy
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier
from rosenblatt._training import fit


@pytest.fixture(autouse=True)
def threads_change_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count, work):
    """Four threads that begin at once."""
    gate = threading.Barrier(4)

    def each(k):
        gate.wait()
        return [work(k * count + j) for j in range(count)]

    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(each, range(4)))


@pytest.mark.parametrize("keep", ["best", "last", "average", "vote"])
def test_no_call_of_partial_fit_is_lost(keep, heavy):
    count = heavy(2000)
    X, y = noisy(4 * 50, 3)
    p = Perceptron(keep=keep)
    p.partial_fit(X[:50], y[:50], classes=[-1, 1])
    in_threads(count, lambda k: p.partial_fit(X[k % 200 : k % 200 + 1], y[k % 200 : k % 200 + 1]))
    assert p.n_iter_ == 1 + 4 * count
    assert p._state.visits == 50 + 4 * count


def test_the_sum_of_the_steps_is_that_of_the_calls_whatever_their_order():
    # With a margin that no row reaches every call steps: w = Σ y x, and sums of quarters are exact.
    rng = np.random.default_rng(0)
    X, y = rng.integers(-8, 9, (400, 3)) / 4, rng.choice([-1, 1], 400)
    p = Perceptron(keep="last", margin=1e9)
    in_threads(100, lambda k: p.partial_fit(X[k : k + 1], y[k : k + 1], classes=[-1, 1]))
    assert p.coef_.tolist() == [(y @ X).tolist()]
    assert p.n_updates_ == 400


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(max_iter=5, patience=None, warm_start=True, random_state=0),
        KernelPerceptron(max_iter=2, patience=None, warm_start=True, random_state=0),
    ],
)
def test_fits_that_go_on_add_up(estimator):
    X, y = noisy(60, 3)
    p, one = clone(estimator), clone(estimator)
    in_threads(3, lambda _: p.fit(X, y))
    for _ in range(12):
        one.fit(X, y)
    assert p.n_iter_ == one.n_iter_ == 12 * estimator.max_iter
    assert np.array_equal(p.decision_function(X), one.decision_function(X))


def test_predictions_meanwhile_are_those_of_some_moment():
    X, y = noisy(80, 3)
    p = Perceptron(keep="last").partial_fit(X, y)
    done = threading.Event()

    def learn():
        for k in range(200):
            p.partial_fit(X[k % 80 : k % 80 + 1], y[k % 80 : k % 80 + 1])
        done.set()

    thread = threading.Thread(target=learn)
    thread.start()
    while not done.is_set():
        assert set(p.predict(X).tolist()) <= {-1, 1}
    thread.join()


def test_different_estimators_do_not_wait_and_one_may_ask_itself():
    a, b = Perceptron(), Perceptron()
    with fit.locks.of(a), fit.locks.of(a):
        thread = threading.Thread(target=lambda: b.fit(*noisy(20, 2)))
        thread.start()
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_locks_are_neither_copied_nor_kept():
    before = len(fit.locks.all)
    p = RandomLinearClassifier(k=3, random_state=0).fit(*noisy(20, 2))
    assert len(fit.locks.all) == before + 1
    again = pickle.loads(pickle.dumps(p))
    assert vars(again).keys() == vars(p).keys()
    del p
    assert len(fit.locks.all) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_is_not_kept_waiting_by_a_thread_that_it_does_not_have():
    p, (X, y) = Perceptron(random_state=0), noisy(20, 2)
    held, over = threading.Event(), threading.Event()

    def hold():
        with fit.locks.of(p):
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    child = os.fork()
    if child == 0:
        timer = threading.Timer(60, os._exit, (1,))
        timer.daemon = True
        timer.start()
        p.fit(X, y)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0
