"""Ctrl-C: the estimator is left fitted with the best so far, then KeyboardInterrupt goes on."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV

import fitting
from common import X_VAL, Y_VAL, X, Y, every_keep, every_order, everything, may_not_converge, noisy
from fitting import fit_until_ctrl_c
from forked import started
from pressing import Pressing
from rosenblatt import Perceptron, RandomLinearClassifier, StopReason
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Examples
from rosenblatt.errors import WeightsOverflowError


@pytest.fixture(autouse=True)
def python_hears_ctrl_c():
    """Python's own handler, also where the tests run in the background and nobody hears Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wrong(p, rows, labels):
    return int(np.sum(labels * p.decision_function(rows) <= 0))


# --- A process of its own, and a signal from outside --------------------------------------------

PATIENCE = 120  # seconds: far more than is needed, only to end at all


class Child:
    """A process that trains; its lines of stdout and stderr together."""

    def __init__(self, place, n, d, cases):
        self.pipe = place / "printed"
        os.mkfifo(self.pipe)
        quiet = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
        streams = (os.devnull, self.pipe, self.pipe)
        self.process = started(fit_until_ctrl_c, n, d, cases, environment=quiet, streams=streams)
        self.limit = threading.Timer(PATIENCE, self.end)

    def __enter__(self):
        self.limit.start()
        self.lines = open(self.pipe)
        return self

    def __exit__(self, *_):
        self.limit.cancel()
        self.process.kill()
        self.process.join()
        self.lines.close()

    def end(self):
        self.process.kill()
        os.close(os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK))  # nobody waits for it to begin

    def wait_for(self, word):
        seen = []
        for line in self.lines:
            seen.append(line)
            if word in line:
                return line
        pytest.fail(f"ended or was ended after {PATIENCE} s without {word!r}: {seen[-20:]}")

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)


@every_order
def test_ctrl_c_stops_a_fit_that_would_take_years(order, tmp_path):
    cases = [(order, keep) for keep in ("last", "best", "pocket", "vote")]
    n = 500
    with Child(tmp_path, n, 3, cases) as child:
        for _ in cases:
            child.wait_for("epoch 1/")  # it trains; the first epoch is over
            child.interrupt()
            found = json.loads(child.wait_for("caught").removeprefix("caught"))
            assert found["reason"] == "INTERRUPTED"
            assert found["errors"] == found["recount"] <= n
            assert found["predicted"] == [-1, 1]
            assert found["epochs"] >= 1
            assert found["updates"] >= sum(found["mistakes"]) > 0
            assert found["handler"]
        child.wait_for("end")
        child.process.join()
        assert child.process.exitcode == 0


def test_ctrl_c_is_heard_within_an_epoch_of_many_rows(tmp_path):
    # An epoch is several calls of a kernel and takes about a second.
    n = 4_500_000
    with Child(tmp_path, n, 4, [("shuffle", "best"), ("random", "last")]) as child:
        for _ in range(2):
            child.wait_for("epoch 1/")
            time.sleep(0.1)  # into the second epoch
            child.interrupt()
            found = json.loads(child.wait_for("caught").removeprefix("caught"))
            assert found["reason"] == "INTERRUPTED"
            assert found["errors"] == found["recount"]


def test_ctrl_c_that_nobody_catches_ends_the_process():
    code = f"""
import sys
sys.path.insert(0, {os.path.dirname(fitting.__file__)!r})
from fitting import fit_until_ctrl_c
fit_until_ctrl_c(500, 3, [("shuffle", "best")], catch=False)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        limit = threading.Timer(PATIENCE, process.kill)
        limit.start()
        assert any("epoch 1/" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert any("KeyboardInterrupt" in line for line in process.stdout)
        assert process.wait() == -signal.SIGINT
        limit.cancel()


# --- At every moment: the signal comes with a chosen call of a kernel ---------------------------


@pytest.fixture
def press(with_core, monkeypatch):
    """A function that has Ctrl-C pressed at some calls; rows come in chunks of a few."""
    monkeypatch.setattr(compute, "chunk", 21)

    def at(*calls, only=Pressing.READING):
        pressing = Pressing(*calls, only=only)
        with_core(pressing)
        return pressing

    return at


@pytest.fixture
def some_calls(heavy, rng):
    """A function that chooses among so many calls: every one at first, then fewer.

    A twentieth of those in `make test`, with the first and the last.
    """

    def choose(total):
        assert total > 3
        moments, moment = [], 0
        while moment < total:
            moments.append(moment)
            moment += max(1, moment // 12)
        chosen = rng.choice(moments, heavy(len(moments)), replace=False)
        return sorted({0, total - 1, *chosen.tolist()})

    return choose


@every_order
@every_keep
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@may_not_converge
def test_interrupted_at_any_call_it_is_fitted_and_goes_on_to_the_same(
    order, keep, stored, press, some_calls
):
    rows, labels = stored(X[:30]), Y[:30]
    choices = {"order": order, "keep": keep, "eta0": 0.1, "random_state": 0}
    press()
    uninterrupted = {
        epochs: everything(Perceptron(max_iter=epochs, **choices).fit(rows, labels), rows)
        for epochs in range(1, 6)
    }
    unpressed = press()
    Perceptron(max_iter=3, warm_start=True, **choices).fit(rows, labels)
    for moment in some_calls(unpressed.calls):
        pressing = press(moment)
        p = Perceptron(max_iter=3, warm_start=True, **choices)
        with pytest.raises(KeyboardInterrupt):
            p.fit(rows, labels)
        assert pressing.calls > moment
        press()
        assert p.training_errors_ == wrong(p, rows, labels)
        assert p.update_counts_.sum() == p.mistakes_.sum() == p.n_updates_
        assert len(p.predict(rows)) == 30
        assert p.stop_reason_ is StopReason.INTERRUPTED or (  # or it had come to its end anyway
            p.n_iter_ == 3 and p.stop_reason_ is StopReason.MAX_ITER
        )
        assert p.n_iter_ <= 3
        p.set_params(max_iter=1).fit(rows, labels)
        assert everything(p, rows) == uninterrupted[p.n_iter_]


@every_order
@every_keep
@may_not_converge
def test_interrupted_while_validating_it_goes_on_to_the_same(order, keep, press, some_calls):
    given = {"sample_weight": np.arange(30) % 4, "X_val": X_VAL, "y_val": Y_VAL}
    choices = {"order": order, "keep": keep, "random_state": 0}
    unpressed = press()
    Perceptron(max_iter=2, warm_start=True, **choices).fit(X[:30], Y[:30], **given)
    for moment in some_calls(unpressed.calls):
        press(moment)
        p = Perceptron(max_iter=2, warm_start=True, **choices)
        with pytest.raises(KeyboardInterrupt):
            p.fit(X[:30], Y[:30], **given)
        press()
        there = given["sample_weight"] > 0
        assert p.training_errors_ == wrong(p, X[:30][there], Y[:30][there])
        assert p.n_iter_ - 1 <= len(p.validation_mistakes_) <= p.n_iter_
        p.set_params(max_iter=1).fit(X[:30], Y[:30], **given)
        one = Perceptron(max_iter=p.n_iter_, **choices).fit(X[:30], Y[:30], **given)
        assert everything(p) == everything(one)
        assert len(p.validation_mistakes_) == p.n_iter_


@every_order
@every_keep
@may_not_converge
def test_interrupted_again_and_again_it_goes_on_to_the_same(order, keep, press, rng, heavy):
    choices = {"order": order, "keep": keep, "random_state": 0, "margin": 0.1}
    p = Perceptron(patience=None, max_iter=10**6, warm_start=True, **choices)
    for _ in range(heavy(800)):
        press(int(rng.integers(0, 60)))
        with pytest.raises(KeyboardInterrupt):
            p.fit(X, Y)
        assert p.stop_reason_ is StopReason.INTERRUPTED
        p = pickle.loads(pickle.dumps(p)) if rng.random() < 0.3 else p
    press()
    p.set_params(max_iter=1).fit(X, Y)
    one = Perceptron(patience=None, max_iter=p.n_iter_, **choices).fit(X, Y)
    assert everything(p) == everything(one)


@every_keep
@may_not_converge
def test_interrupted_while_the_start_is_judged_it_is_fitted_with_the_start(keep, press):
    # The very first calls: nothing was visited yet, the start is the best so far.
    start = {"coef_init": [1.0, -2.0, 0.5], "intercept_init": 0.25}
    press(0)
    p = Perceptron(patience=None, keep=keep, warm_start=True, random_state=0, max_iter=10**6)
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, Y, **start)
    press()
    assert p.stop_reason_ is StopReason.INTERRUPTED
    assert p.training_errors_ == wrong(p, X, Y)
    if keep in ("best", "pocket"):
        assert p.coef_.tolist() == [start["coef_init"]]
        assert p.intercept_.tolist() == [0.25]
    p.set_params(max_iter=2).fit(X, Y)
    one = Perceptron(patience=None, keep=keep, random_state=0, max_iter=p.n_iter_).fit(
        X, Y, **start
    )
    assert everything(p) == everything(one)


@pytest.mark.parametrize("keep", ["best", "pocket"])
def test_interrupted_it_returns_the_best_so_far(keep, press):
    press()
    five = Perceptron(keep=keep, random_state=0, max_iter=5).fit(X, Y)
    done = Pressing()  # how many calls five epochs take
    for _ in range(20):
        press(done.calls)
        p = Perceptron(patience=None, keep=keep, random_state=0, max_iter=10**6)
        with pytest.raises(KeyboardInterrupt):
            p.fit(X, Y)
        if p.n_iter_ > 5:
            break
        done.calls += 500
    assert p.n_iter_ > 5
    assert p.training_errors_ <= five.training_errors_
    assert p.training_errors_ == wrong(p, X, Y)


@pytest.mark.parametrize("quick", [True, False])  # whether all rows may be looked at once more
def test_interrupted_in_its_clean_epoch_it_returns_the_separator(quick, press, monkeypatch):
    monkeypatch.setattr(Examples, "quick", quick)
    rows = np.array([[3.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-3.0, -1.0]])
    labels = np.array([1, 1, -1, -1])
    unpressed = press()
    Perceptron(random_state=0).fit(rows, labels)
    reasons = []
    for moment in range(unpressed.calls):
        pressing = press(moment)
        p = Perceptron(random_state=0)
        with pytest.raises(KeyboardInterrupt):
            p.fit(rows, labels)
        assert quick or pressing.calls <= moment + 2  # an order is arranged, then rows are read
        press()
        reasons.append(p.stop_reason_)
        assert p.training_errors_ == wrong(p, rows, labels) <= 4 * (not p.converged_)
    assert StopReason.CLEAN in reasons


@every_order
@every_keep
def test_an_interrupted_partial_fit_is_fitted_and_goes_on(order, keep, press):
    for moment in range(8):
        press(moment)
        p = Perceptron(order=order, keep=keep)
        try:
            p.partial_fit(X, Y)
        except KeyboardInterrupt:
            press()
            assert p.training_errors_ == wrong(p, X, Y)
            assert p.stop_reason_ in (StopReason.INTERRUPTED, StopReason.ONE_PASS)
            if p.stop_reason_ is StopReason.INTERRUPTED and order != "batch":
                assert 0 < p.n_updates_ == p.update_counts_.sum()
        press()
        p.partial_fit(X, Y)
        assert p.stop_reason_ is StopReason.ONE_PASS
        assert p.n_iter_ == 2
        assert p.training_errors_ == wrong(p, X, Y)


# --- At any time: the signal comes from another thread ------------------------------------------


def interrupt_after(seconds, work):
    """Do the work with Ctrl-C pressed after a while; whether KeyboardInterrupt came."""
    timer = threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        work()
        timer.join()  # Ctrl-C that comes too late is heard here
        time.sleep(0.001)
    except KeyboardInterrupt:
        timer.join()
        return True
    return False


@every_order
@every_keep
@may_not_converge
def test_interrupted_at_random_times_it_goes_on_to_the_same(order, keep, rng, heavy):
    # Rows enough that an epoch takes about a millisecond or so.
    rows, labels = noisy({"pocket": 200, "vote": 50}.get(keep, 20_000))
    choices = {"order": order, "keep": keep, "random_state": 0}
    p = Perceptron(patience=None, max_iter=10**9, warm_start=True, **choices)
    for _ in range(heavy(120)):
        assert interrupt_after(rng.uniform(0, 0.02), lambda: p.fit(rows, labels))
    p.set_params(max_iter=1).fit(rows, labels)
    one = Perceptron(patience=None, max_iter=p.n_iter_, **choices).fit(rows, labels)
    assert everything(p, rows) == everything(one, rows)


# --- Who hears it -------------------------------------------------------------------------------


def test_a_grid_search_does_not_swallow_it(press):
    pressing = press(3)
    search = GridSearchCV(
        Perceptron(patience=None, max_iter=10**6, random_state=0), {"keep": ["last", "best"]}, cv=2
    )
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert pressing.calls < 100
    assert not hasattr(search, "cv_results_")


def test_an_error_of_the_same_fit_does_not_swallow_it(press):
    # Ctrl-C is pressed in the pass in which the weights overflow: a grid search would take the
    # error for one bad candidate and go on as if nothing had been pressed.
    press(0, only=("visit",))
    huge = np.array([[1e308, 1e308, 1e308], [-1e308, 1e308, 1e308], [1e308, -1e308, 1e308]])
    p = Perceptron(order="cyclic", keep="last", max_iter=5)
    with pytest.raises(KeyboardInterrupt):
        p.fit(huge, [1, -1, -1], sample_weight=[1e300, 1e300, 1e300])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@every_keep
def test_the_handler_of_before_is_called_once_and_is_there_again(keep, press):
    heard = []

    def handler(number, frame):
        heard.append(number)

    signal.signal(signal.SIGINT, handler)
    press(2)
    p = Perceptron(patience=None, keep=keep, max_iter=10**6, random_state=0)
    assert p.fit(X, Y) is p  # this handler raises nothing
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is handler
    assert p.stop_reason_ is StopReason.INTERRUPTED
    press()
    assert p.training_errors_ == wrong(p, X, Y)


def test_a_handler_that_raises_an_error_of_its_own_leaves_the_estimator_fitted(press):
    class EnoughError(Exception):
        pass

    def handler(number, frame):
        raise EnoughError

    signal.signal(signal.SIGINT, handler)
    press(2)
    p = Perceptron(patience=None, max_iter=10**6, random_state=0)
    with pytest.raises(EnoughError):
        p.fit(X, Y)
    assert signal.getsignal(signal.SIGINT) is handler
    press()
    assert p.stop_reason_ is StopReason.INTERRUPTED
    assert p.training_errors_ == wrong(p, X, Y)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_the_handler_is_there_again_after_every_end(method):
    def handler(number, frame):
        raise AssertionError("nobody pressed")

    signal.signal(signal.SIGINT, handler)
    p = Perceptron(max_iter=3)
    getattr(p, method)(X, Y)
    assert signal.getsignal(signal.SIGINT) is handler
    huge = np.array([[1e308, 1e308, 1e308], [-1e308, 1e308, 1e308], [1e308, -1e308, 1e308]])
    with pytest.raises(WeightsOverflowError):
        getattr(p, method)(huge, [1, -1, -1], sample_weight=[1e300, 1e300, 1e300])
    assert signal.getsignal(signal.SIGINT) is handler


@may_not_converge
def test_who_ignores_ctrl_c_is_left_alone(press):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    press(0, 1, 2, 5)
    p = Perceptron(keep="last", max_iter=3, random_state=0).fit(X, Y)
    assert p.stop_reason_ is StopReason.MAX_ITER
    assert p.n_iter_ == 3
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@every_order
@every_keep
def test_a_fit_in_another_thread_works_and_touches_no_handler(order, keep):
    fits, handlers = [], []

    def work():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits.append(Perceptron(order=order, keep=keep, max_iter=5, random_state=0).fit(X, Y))
        handlers.append(signal.getsignal(signal.SIGINT))

    work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert everything(fits[0]) == everything(fits[1])
    assert handlers == [signal.default_int_handler] * 2


def test_ctrl_c_before_training_begins_leaves_the_estimator_as_it_was():
    class Labels:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt  # pressed while labels are read

    fresh, fitted = Perceptron(), Perceptron(random_state=0, max_iter=3).fit(X[:, :2], Y)
    for p in (fresh, fitted):
        before = vars(p).copy()
        with pytest.raises(KeyboardInterrupt):
            p.fit(X, Labels())
        assert vars(p) == before
    assert len(fitted.predict(X[:, :2])) == len(X)


def test_a_second_ctrl_c_while_the_result_is_put_together_is_heard_at_once(press):
    # The first one stops training; counting the mistakes of the result takes calls 4 and later.
    p = Perceptron(patience=None, keep="last", order="cyclic", max_iter=10**6)
    before = vars(p).copy()
    pressing = press(3, 5)
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, Y)
    assert pressing.calls == 6
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    # There is no result: nothing is half done.
    assert vars(p) == before


# --- The random linear classifier ---------------------------------------------------------------


def test_random_hyperplanes_stop_too_and_the_best_so_far_is_kept(press):
    rows, labels = X[:10], Y[:10]
    press()
    whole = RandomLinearClassifier(k=2000, random_state=0).fit(rows, labels)
    press(7, only=("count",))
    p = RandomLinearClassifier(k=2000, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        p.fit(rows, labels)
    press()
    judged = len(p.candidate_errors_)
    assert 0 < judged < 2000
    assert p.candidate_errors_.tolist() == whole.candidate_errors_[:judged].tolist()
    assert p.training_errors_ == p.candidate_errors_.min() == wrong(p, rows, labels)


def test_random_hyperplanes_stop_also_where_all_rows_are_one_chunk(with_core):
    # Ten rows are one call of a kernel; 2000 hyperplanes are many calls.
    pressing = Pressing(3, only=("count",))
    with_core(pressing)
    p = RandomLinearClassifier(k=2000, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        p.fit(X[:10], Y[:10])
    assert 0 < len(p.candidate_errors_) < 2000
    assert p.training_errors_ == p.candidate_errors_.min() == wrong(p, X[:10], Y[:10])


def test_even_at_the_first_call_there_is_a_best_of_some(press):
    press(0, only=("count",))
    p = RandomLinearClassifier(k=2000, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, Y)
    press()
    assert 0 < len(p.candidate_errors_) < 2000
    assert p.training_errors_ == p.candidate_errors_.min() == wrong(p, X, Y)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
