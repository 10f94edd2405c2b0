"""Many classes: the compiled core against the NumPy reference, update by update and whole fits."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from common import KEEPS, ORDERS
from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._core.cyclic import train_cyclic
from rosenblatt._core.protocol import (
    BatchStep,
    LabelledRows,
    LearnerArrays,
    MistakeTally,
    Permutation,
    UpdateRule,
)
from rosenblatt._core.rows import Examples, as_matrix
from storing import rows_of, store

_core = pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGES = ["dense", "csr32", "csr64"]


def make(seed, n=20):
    """Rows on many scales, a third of the entries zero; 3 to 20 classes."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 40)), int(rng.integers(3, 21)) if seed % 2 else 3
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    X[rng.random((n, d)) < 0.3] = 0
    y = rng.integers(0, k, n).astype(np.int32)
    y[: min(k, n)] = np.arange(k)[:n]
    return X, y, k, rng


def placed(w, storage):
    """One class after another, of sparse rows one feature after another."""
    return np.asarray(w, order="C" if storage == "dense" else "F")


@pytest.fixture(params=_core.cpu_levels())
def cpu_level(request):
    before = _core.cpu_levels()[-1]
    assert _core.use_cpu_level(request.param)
    yield request.param
    _core.use_cpu_level(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", STORAGES)
def test_scores_votes_and_counts_have_the_same_bits(cpu_level, storage, dtype, heavy):
    for seed in range(heavy(200)):
        X, y, k, rng = make(seed)
        n, d = X.shape
        X, c = X.astype(dtype), rng.random(n) if seed % 3 else None
        w = rng.normal(size=(4, k, d + 1))
        found = []
        for core in (_core, reference):
            rows, lying = rows_of(core, X, storage), [placed(one, storage) for one in w]
            scores, votes = np.empty((n, k)), np.zeros((n, k))
            core.scores(rows, lying[0], 0, n, scores)
            one_by_one = np.empty((n, k))
            for i in range(n):  # for a few sparse rows weights need not be moved
                core.scores(rows, w[0], i, i + 1, one_by_one)
            core.vote(rows, lying, np.array([1.0, 2.0, 4.0, 8.0]), 0, n, votes)
            plain, weighted = np.zeros(4, dtype=np.int64), np.zeros(4)
            tally = MistakeTally(lying, np.full(4, np.inf), plain, weighted)
            core.count(LabelledRows(rows, y, c), tally, 0, n)
            found.append([a.tobytes() for a in (scores, one_by_one, votes, plain, weighted)])
        assert found[0] == found[1]
        assert found[0][0] == found[0][1]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random", "batch"])
def test_every_single_update_has_the_same_bits(cpu_level, order, storage, heavy):
    for seed in range(heavy(100)):
        X, y, k, rng = make(seed)
        n, d = X.shape
        c = rng.random(n) if seed % 2 else None
        paths = []
        for core in (_core, reference):
            w, drift = (placed(np.zeros((k, d + 1)), storage) for _ in range(2))
            counts, path = np.zeros((n, k), dtype=np.int64), []
            log = (*np.zeros((2, 1), dtype=np.int64), np.zeros(1), np.zeros(1, dtype=np.int64))
            examples = LabelledRows(rows_of(core, X, storage), y, c)
            pool, rule = np.empty(n, dtype=np.int32), UpdateRule("perceptron", 0.1)
            learner = LearnerArrays(w, drift, counts, log=log)
            core.arrange(pool, None, seed, 0, 0 if order == "random" else n)
            place, at, visits = (0, 0), 0, 0
            for _ in range(6 if order == "batch" else 30):
                if order == "random":
                    draw = Permutation(pool, seed, *place)
                    seen, updates, *place = core.search(
                        examples, rule, learner._replace(visits=visits), draw, 7, 1
                    )
                    visits += seen
                    done = place[1] == n
                elif order == "batch":
                    marks, margins = np.zeros(n, dtype=np.int32), np.zeros(n)
                    updates = core.look(examples, rule, w, 0, n, BatchStep(drift, marks, margins))
                    w += drift
                    path.append((marks.tolist(), margins.tobytes()))
                    done = updates == 0
                else:
                    turn = pool if order == "shuffle" else None
                    reached, updates = core.visit(
                        examples, rule, learner._replace(visits=visits), turn, at, n, 1
                    )
                    visits, at = visits + reached - at, reached
                    done = at == n
                noted = [part.tolist() for part in log]
                path.append((updates, *place, w.tobytes(), drift.tobytes(), counts.tolist(), noted))
                if done:
                    break
            paths.append(path)
        assert paths[0] == paths[1]


def fingerprint(p, X):
    return {
        "scores": p.decision_function(X).tobytes(),
        "last": p._state.memory.w.tobytes(),
        "counts": p.update_counts_.toarray().tolist(),
        "mistakes": p.mistakes_.tolist(),
        "ended": (p.n_iter_, p.n_updates_, p.training_errors_, p.converged_, str(p.stop_reason_)),
    }


CHOICES = list(itertools.product(ORDERS, KEEPS, STORAGES))


@pytest.mark.parametrize(("order", "keep", "storage"), CHOICES)
def test_whole_fits_are_equal(order, keep, storage, with_core, heavy):
    for seed in range(heavy(40)):
        X, y, k, rng = make(seed, n=24)
        X = store(X.astype([np.float32, np.float64][seed % 2]), storage)
        weights = None
        if seed % 2:
            weights = rng.choice([0.0, 0.3, 1.0, 2.5], 24)
            weights[:k] = 1.0
        results = []
        for core in (_core, reference):
            with_core(core)
            p = Perceptron(order=order, keep=keep, max_iter=2, random_state=1, margin=seed % 2)
            results.append(fingerprint(p.fit(X, y, weights), X))
        assert results[0] == results[1]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
def test_storage_precision_and_processor_do_not_matter(order, keep, heavy):
    levels = _core.cpu_levels()
    for seed in range(heavy(60)):
        X, y, _, rng = make(seed, n=40)
        X = X.astype(np.float32)  # exact in both precisions
        weights = rng.random(len(y)) + 0.1
        variants = [X, X.astype(float), store(X, "csr32"), store(X.astype(float), "csr64")]
        found = []
        for level in levels:
            _core.use_cpu_level(level)
            for V in variants:
                p = Perceptron(order=order, keep=keep, max_iter=3, random_state=0)
                found.append(fingerprint(p.fit(V, y, weights), V))
        _core.use_cpu_level(levels[-1])
        assert all(one == found[0] for one in found)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
def test_the_linear_kernel_is_the_primal_on_whole_numbers(order, keep, heavy):
    for seed in range(heavy(60)):
        rng = np.random.default_rng(seed)
        X = rng.integers(-5, 6, size=(32, 3)).astype(float)
        y, c = rng.integers(0, 4, 32), rng.integers(1, 4, 32).astype(float)
        choices = {"order": order, "keep": keep, "margin": 2, "random_state": 0}
        start = rng.integers(-2, 3, size=(4, 4)) * (seed % 2)
        primal = Perceptron(max_iter=2, **choices)
        primal.fit(X, y, c, intercept_init=start[:, 0])
        dual = KernelPerceptron(kernel="linear", max_iter=2, **choices)
        dual.fit(X, y, c, intercept_init=start[:, 0])
        assert (primal.update_counts_ != dual.update_counts_).nnz == 0
        assert primal.mistakes_.tolist() == dual.mistakes_.tolist()
        assert primal.training_errors_ == dual.training_errors_
        assert primal.predict(X).tolist() == dual.predict(X).tolist()
        np.testing.assert_allclose(
            dual.decision_function(X), primal.decision_function(X), rtol=1e-12, atol=1e-12
        )
        if keep in ("last", "pocket"):  # means of the dual are sums in another order
            assert dual.coef_.tolist() == primal.coef_.tolist()
            assert dual.intercept_.tolist() == primal.intercept_.tolist()
        if keep == "last":
            assert (dual.alpha_.T @ X).tolist() == primal.coef_.tolist()


def test_sparse_rows_in_one_long_call_and_in_short_ones(monkeypatch, heavy):
    """However few rows a call reads: the same bits."""
    for seed in range(heavy(40)):
        rng = np.random.default_rng(seed)
        X = sparse.random(300, 50, 0.1, format="csr", random_state=seed)
        y, found = rng.integers(0, 3 + seed % 20, 300), []
        for chunk in (compute.chunk, 1 << 8):
            monkeypatch.setattr(compute, "chunk", chunk)
            found.append(Perceptron(max_iter=3, random_state=0).fit(X, y)._state.memory.w)
        monkeypatch.undo()
        assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("k", [3, 20])
def test_epochs_in_the_given_order_of_sparse_rows(k):
    X = sparse.random(400, 60, 0.2, format="csr", random_state=k)
    y = np.argmax(X @ np.random.default_rng(k).normal(size=(60, k)), axis=1).astype(np.int32)
    found = [
        train_cyclic(Examples(rows, y, None, k), margin=0.01, intercept=True, max_epochs=60)
        for rows in (as_matrix(X), X.toarray())
    ]
    assert found[0].epochs == found[1].epochs
    assert found[0].w.tobytes() == found[1].w.tobytes()
    assert found[0].counts.tolist() == found[1].counts.tolist()
