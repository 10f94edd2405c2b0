"""Threads of the compiled core: who gets them, and that no bit depends on them."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from rosenblatt._core import backend as threads
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import (
    LabelledRows,
    LearnerArrays,
    MistakeTally,
    Permutation,
    UpdateRule,
)
from rosenblatt._training.kernels import _panels
from storing import rows_of

_core = pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")

PERCEPTRON = UpdateRule("perceptron", 0.0)

N = 1 << 16  # rows: with 16 numbers each, work for four threads
NUMBERS = (1, 2, 4)


def with_threads(most, work):
    before = _core.threads()
    threads.use(_core, most)
    try:
        return work()
    finally:
        threads.use(_core, before)


def same_for_all(work):
    """What `work` returns with one thread; it is the same with more."""
    alone, *others = [with_threads(most, work) for most in NUMBERS]
    for other in others:
        for one, more in zip(alone, other, strict=True):
            np.testing.assert_array_equal(one, more, strict=True)
    return alone


def table(d, *, sparse_rows=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) * 10.0 ** rng.integers(-2, 3, d)
    if sparse_rows:
        X[rng.random(X.shape) < 0.7] = 0
    y = np.where((X @ rng.normal(size=d) > 0) ^ (rng.random(N) < 0.1), 1, -1).astype(np.int8)
    return X, y, rng


def visited(X, y, storage, c=None, most=1 << 60, begin=3, backend=_core):
    """The place reached, updates, weights, their drift, counts, and the log of two passes."""
    n, d = X.shape
    rows = rows_of(backend, X, storage)
    order = np.empty(n, dtype=np.int32 if storage != "csr64" else np.int64)
    w, drift, counts = np.zeros(d + 1), np.zeros(d + 1), np.zeros(n, dtype=np.int64)
    log = (np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n))
    told = []
    for k in range(2):
        _core.arrange(order, None, 7, k, n)
        learner = LearnerArrays(w, drift, counts, visits=k * n, log=log)
        told += backend.visit(
            LabelledRows(rows, y, c), PERCEPTRON, learner, order, begin, n - 5, most
        )
    return np.array(told), w, drift, counts, *log


@pytest.mark.parametrize("storage", ["dense", "csr32", "csr64"])
@pytest.mark.parametrize(("d", "dtype"), [(1, "f4"), (2, "f8"), (5, "f4"), (12, "f8"), (40, "f4")])
def test_a_pass_in_any_order_has_the_same_bits(storage, d, dtype):
    X, y, rng = table(d, sparse_rows=storage != "dense", seed=d)
    X, c = X.astype(dtype), rng.integers(1, 4, N) / 2
    told, *_ = same_for_all(lambda: visited(X, y, storage, c))
    assert told[0] == N - 5  # to the end of the order
    assert min(told[1::2]) > 1000  # updates


def test_a_pass_stops_at_the_same_update():
    X, y, _ = table(20)
    told, *_ = same_for_all(lambda: visited(X, y, "dense", most=(1 << 15) + 7))
    free, *_ = visited(X, y, "dense")
    for most in (1, 100, int(free[1]) - 1):
        told, *_ = same_for_all(lambda most=most: visited(X, y, "dense", most=most))
        assert told[1] == most


def test_rows_that_do_not_fit_in_a_block_are_visited_where_they_lie():
    """One row in a hundred holds most of the numbers."""
    rng = np.random.default_rng(3)
    X = np.zeros((N // 4, 300))
    X[np.arange(len(X)), rng.integers(0, 300, len(X))] = 1
    X[::100] = rng.normal(size=X[::100].shape)
    y = np.where(rng.random(len(X)) < 0.5, -1, 1).astype(np.int8)
    same_for_all(lambda: visited(X, y, "csr32"))


def test_threads_train_as_the_reference_does():
    X, y, _ = table(16)
    X, y = X[: N // 2 + 8], y[: N // 2 + 8]
    order = np.random.default_rng(1).permutation(len(X)).astype(np.int32)
    found = []
    for backend in (_core, reference):
        w, counts = np.zeros(17), np.zeros(len(X), dtype=np.int64)
        examples, learner = LabelledRows(backend.dense(X), y), LearnerArrays(w, None, counts)
        told = backend.visit(examples, PERCEPTRON, learner, order, 0, len(X), 1 << 60)
        found.append((told, w.tolist(), counts.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("backend", [_core, reference], ids=["native", "reference"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_next_order_is_made_while_rows_are_visited(backend, index):
    """As far as the visits go: in two calls, the second of which stops at its first update."""
    n = N if backend is _core else 300
    X, y, _ = table(2)
    X, y, expected = X[:n], y[:n], np.empty(n, dtype=index)
    _core.arrange(expected, None, 7, 5, n)

    def made():
        order, pool = np.arange(n, dtype=index)[::-1].copy(), np.empty(n, dtype=index)
        w, counts = np.zeros(3), np.zeros(n, dtype=np.int64)
        call = LabelledRows(backend.dense(X), y), PERCEPTRON, LearnerArrays(w, None, counts)
        backend.arrange(pool, None, 7, 5, 10)
        backend.visit(*call, order, 0, n - 9, 1 << 60, Permutation(pool, 7, 5, 10))
        partly = pool.copy()
        backend.visit(*call, order, n - 9, n, 1, Permutation(pool, 7, 5, n - 9))
        return partly, pool, w, counts

    partly, pool, *_ = same_for_all(made)
    np.testing.assert_array_equal(pool, expected)
    np.testing.assert_array_equal(partly[: n - 9], expected[: n - 9])  # swaps go from the front


@pytest.mark.parametrize("d", [2, 40])
def test_counts_scores_votes_and_slack_have_the_same_bits(d):
    X, y, rng = table(d)
    rows, w = _core.dense(X), rng.normal(size=(3, d + 1))

    def judged():
        scores, votes, slack = np.empty(N), np.zeros(N), np.empty(N, dtype=np.float32)
        _core.scores(rows, w[0], 2, N - 1, scores)
        _core.vote(rows, w, np.array([1.0, 2.0, 0.5]), 2, N - 1, votes)
        rule = UpdateRule("perceptron", 0.1)
        _core.refer(LabelledRows(rows, y), rule, w[1], 2, N - 1, slack)
        return scores[2:-1], votes[2:-1], slack[2:-1], *counted(None), *counted(rng_weights)

    def counted(c):
        plain, weighted = np.array([5, 0, 0]), np.array([5.0, 0.0, 0.0])
        tally = MistakeTally(w, np.full(3, np.inf), plain, weighted)
        _core.count(LabelledRows(rows, y, c), tally, 2, N - 1)
        return plain, weighted

    rng_weights = rng.random(N)
    scores, _, _, plain, weighted, *_ = same_for_all(judged)
    expected = np.count_nonzero(~(y[2:-1] * scores > 0)) + 5
    assert (plain[0], weighted[0]) == (expected, expected)


def test_a_count_ends_when_no_candidate_can_win():
    X, y, rng = table(20)
    examples, w = LabelledRows(_core.dense(X), y), rng.normal(size=(2, 21))
    everything = np.zeros(2, dtype=np.int64)
    _core.count(examples, MistakeTally(w, np.full(2, np.inf), everything, np.zeros(2)), 0, N)
    for most in NUMBERS:
        # The first is dropped, the second is not: its number is whole.
        plain, weighted = np.zeros(2, dtype=np.int64), np.zeros(2)
        limit = np.array([100.0, np.inf])
        tally = MistakeTally(w, limit, plain, weighted)
        count = lambda: _core.count(examples, tally, 0, N)  # noqa: B023,E731
        assert with_threads(most, count)
        assert 100 <= weighted[0] == plain[0] < everything[0]
        assert (plain[1], weighted[1]) == (everything[1], everything[1])
        # Both are.
        limit[1] = 100.0
        plain[:], weighted[:] = 0, 0
        assert not with_threads(most, count)
        assert weighted.min() >= 100


@pytest.mark.parametrize("storage", ["dense", "csr32"])
def test_many_classes_are_scored_and_counted_alike(storage):
    X, _, rng = table(20, sparse_rows=storage != "dense")
    rows, order = rows_of(_core, X, storage), "C" if storage == "dense" else "F"
    w = [np.asarray(one, order=order) for one in rng.normal(size=(2, 3, 21))]
    y = rng.integers(0, 3, N, dtype=np.int32)

    def judged():
        scores, plain, weighted = np.empty((N, 3)), np.zeros(2, dtype=np.int64), np.zeros(2)
        _core.scores(rows, w[0], 0, N, scores)
        tally = MistakeTally(w, np.full(2, np.inf), plain, weighted)
        _core.count(LabelledRows(rows, y), tally, 0, N)
        return scores, plain, weighted

    scores, plain, _ = same_for_all(judged)
    own = scores[np.arange(N), y]
    scores[np.arange(N), y] = -np.inf
    assert plain[0] == np.count_nonzero(~(own - scores.max(axis=1) > 0))


def test_gram_rows_and_sums_have_the_same_bits():
    X, *_ = table(24)
    X = X[: N // 4 + 3]
    n, panels, w = len(X), _panels(X), np.zeros((4, 25))
    w[:, :-1] = X[:4]

    def computed():
        products, sums = np.empty((4, n)), [np.zeros(n), np.ones(n)]
        _core.products(panels, w, products)
        steps = [[1.0, -0.5, 2.0, 0.25] * 8] * 2
        _core.add(list(products) * 8, steps, sums)
        return products, *sums

    products, *_ = same_for_all(computed)
    np.testing.assert_allclose(products[:, :100], X[:4] @ X[:100].T, rtol=1e-9, atol=1e-9)


def test_a_number_that_is_not_finite_is_found_in_every_part():
    values = np.zeros(1 << 20)
    for place in (0, 1 << 19, len(values) - 1):
        assert with_threads(2, lambda: _core.all_finite(values))
        values[place] = np.nan
        assert not with_threads(2, lambda: _core.all_finite(values))
        values[place] = 0


def test_work_is_shared_in_order_and_its_errors_are_raised():
    for number in NUMBERS:
        assert threads.side_by_side(lambda i: i * i, 7, number) == [0, 1, 4, 9, 16, 25, 36]
        with pytest.raises(ZeroDivisionError):
            threads.side_by_side(lambda i: 1 // (5 - i), 7, number)


def test_short_work_and_other_threads_of_python_get_one():
    found = []

    def ask():
        found.append(_core.threads_for(1 << 30))

    def here_and_elsewhere():
        ask()
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        found.append(_core.threads_for(1 << 18))

    with_threads(3, here_and_elsewhere)
    assert found == [3, 1, 1]


def test_threadpoolctl_sees_the_core_and_limits_it():
    (info,) = [i for i in threadpool_info() if i["user_api"] == "rosenblatt"]
    assert info["num_threads"] == _core.threads()

    def limited():
        with threadpool_limits(limits=1):
            inside = _core.threads_for(1 << 30)
        return inside, _core.threads_for(1 << 30)

    assert with_threads(2, limited) == (1, 2)
    assert compute.threads_for(0) == 1


def test_how_many_there_are(monkeypatch, tmp_path):
    monkeypatch.setattr(threads, "_QUOTA", tmp_path / "none")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads.allowed() == 6
    for said, expected in [("4", 4), ("2,1", 2), ("64", 6), ("0", 6), ("many", 6)]:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert threads.allowed() == expected
    monkeypatch.delenv("OMP_NUM_THREADS")
    for written, expected in [("max 100000", 6), ("250000 100000", 2), ("50000 100000", 1)]:
        (tmp_path / "cpu.max").write_text(written)
        monkeypatch.setattr(threads, "_QUOTA", tmp_path / "cpu.max")
        assert threads.allowed() == expected


EVERYWHERE = """
import hashlib, json, os, sys, warnings
import joblib, numpy as np
from rosenblatt import Perceptron
from rosenblatt._core.backend import compute
warnings.simplefilter("ignore")

def fit(_=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1 << 16, 10))
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    p = Perceptron(max_iter=2, patience=None, random_state=0).fit(X, y)
    bits = p.coef_.tobytes() + p.decision_function(X).tobytes() + bytes(str(p.mistakes_), "ascii")
    return compute.backend.threads_for(1 << 30), hashlib.sha256(bits).hexdigest()

if __name__ == "__main__":
    found = {"main": fit()}
    for backend in sys.argv[1:]:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            (found[backend],) = joblib.Parallel()([joblib.delayed(fit)(0)])[:1]
    if hasattr(os, "fork"):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, json.dumps(fit()).encode())
            os._exit(0)
        os.wait()
        found["fork"] = json.loads(os.read(reader, 1000))
    print(json.dumps(found))
"""


def test_the_same_bits_in_workers_and_after_a_fork(tmp_path):
    program, found = tmp_path / "everywhere.py", {}
    program.write_text(EVERYWHERE)
    plain = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    # A worker of loky has one thread either way: two of them are started once.
    for said, workers in ((None, ["threading", "loky"]), ("1", ["threading"])):
        given = plain if said is None else {**plain, "OMP_NUM_THREADS": said}
        command = [sys.executable, str(program), *workers]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
        found[said] = json.loads(done.stdout)
    assert found[None]["main"][0] == min(threads.processors(), threads.MOST)
    assert found["1"]["main"][0] == 1
    for places in found.values():
        assert all(number == 1 for name, (number, _) in places.items() if name != "main")
    assert len({bits for places in found.values() for _, bits in places.values()}) == 1


def test_nobody_votes_and_nobody_is_counted():
    X, y, _ = table(2)
    rows, votes = _core.dense(X), np.ones(N)
    _core.vote(rows, np.empty((0, 3)), np.empty(0), 0, N, votes)
    assert (votes == 1).all()
    nothing = np.empty(0, dtype=np.int64), np.empty(0)
    tally = MistakeTally(np.empty((0, 3)), np.empty(0), *nothing)
    assert _core.count(LabelledRows(rows, y), tally, 0, N)
