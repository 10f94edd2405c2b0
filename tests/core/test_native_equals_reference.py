"""The compiled core against the NumPy reference: update by update, and whole fits, bit for bit."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import KEEPS, ORDERS
from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import LabelledRows, LearnerArrays, Permutation, UpdateRule
from rosenblatt._training.kernels import _panels
from storing import rows_of, store

_core = pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGES = ["dense", "csr32", "csr64"]


def make(seed, n=24, d=None):
    """Rows on many scales, a third of the entries zero, so that rounding matters."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 40)) if d is None else d
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    X[rng.random((n, d)) < 0.3] = 0
    y = np.where(rng.random(n) < 0.5, -1, 1).astype(np.int8)
    y[:2] = [-1, 1]
    return X, y, rng


def bits(array):
    return np.ascontiguousarray(array, dtype=np.float64).view(np.int64).tolist()


@pytest.fixture(params=_core.cpu_levels())
def cpu_level(request):
    before = _core.cpu_levels()[-1]
    assert _core.use_cpu_level(request.param)
    yield request.param
    _core.use_cpu_level(before)


def test_a_cpu_level_that_this_machine_lacks_is_refused():
    assert not _core.use_cpu_level("x86-64-v9")
    assert _core.cpu_levels()[0] == "baseline"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", STORAGES)
def test_scores_have_the_same_bits(cpu_level, storage, dtype, heavy):
    for seed in range(heavy(2000)):
        X, _, rng = make(seed)
        X = X.astype(dtype)
        w, out, expected = rng.normal(size=X.shape[1] + 1), np.empty(len(X)), np.empty(len(X))
        _core.scores(rows_of(_core, X, storage), w, 0, len(X), out)
        reference.scores(reference.dense(X), w, 0, len(X), expected)
        assert bits(out) == bits(expected)


@pytest.mark.parametrize(
    ("dtype", "precision"),
    [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float64)],
)
def test_inner_products_have_the_same_bits_however_many_at_once(cpu_level, dtype, precision, heavy):
    for seed in range(heavy(1000)):
        rng = np.random.default_rng(seed)
        X, _, rng = make(seed, n=int(rng.integers(2, 70)))
        X, k = X.astype(dtype), int(rng.integers(1, 6))
        n, d = X.shape
        w = np.zeros((k, d + 1), dtype=precision)
        w[:, :-1] = X[rng.integers(0, n, size=k)]
        found, expected = np.empty((k, n), dtype=precision), np.empty((k, n), dtype=precision)
        _core.products(_panels(X), w, found)
        reference.products(_panels(X), w, expected)
        assert bits(found) == bits(expected)
        some = rng.integers(0, n, size=int(rng.integers(0, 30))).astype(
            [np.int32, np.int64][seed % 2]
        )
        one, other = (np.empty(len(some), dtype=precision) for _ in range(2))
        _core.scores_of_some(rows_of(_core, X, STORAGES[seed % 3]), w[0], some, one)
        reference.scores_of_some(reference.dense(X), w[0], some, other)
        assert bits(one) == bits(other) == bits(found[0, some])
        everything = np.empty(n, dtype=precision)
        _core.scores_of_some(rows_of(_core, X, STORAGES[seed % 3]), w[0], None, everything)
        assert bits(everything) == bits(found[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_steps_of_the_dual_machine_have_the_same_bits(cpu_level, dtype, heavy):
    for seed in range(heavy(200)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 3000))
        values = [rng.normal(size=n).astype(dtype) for _ in range(3)]
        steps, sums = rng.normal(size=(seed % 2 + 1, 3)).tolist(), rng.normal(size=n)
        found, expected = ([sums.copy() for _ in steps] for _ in range(2))
        _core.add(values, steps, found)
        reference.add(values, steps, expected)
        assert bits(np.array(found)) == bits(np.array(expected))
        y, b = rng.choice([-1, 1], size=n).astype(np.int8), float(rng.normal())
        sums[rng.integers(0, n)] = np.nan
        for margin in (-2.0, 0.0, 0.1):
            at = int(rng.integers(0, n + 1))
            places = [c.next_call(y, sums, b, margin, at) for c in (_core, reference)]
            assert places[0] == places[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exponents_of_the_rbf_kernel_have_the_same_bits(cpu_level, dtype, heavy):
    for seed in range(heavy(400)):
        rng = np.random.default_rng(seed)
        m, n, scale = int(rng.integers(1, 4)), int(rng.integers(0, 100)), 10.0 ** (seed % 40)
        with np.errstate(over="ignore"):  # float32 does
            products = (scale * rng.normal(size=(m, n))).astype(dtype)
            x, z = [(scale * rng.random(size)).astype(dtype) for size in (m, n)]
        gamma, found, expected = float(rng.random()), products.copy(), products.copy()
        _core.rbf_exponents(found, x, z, gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            reference.rbf_exponents(expected, x, z, gamma)
        np.testing.assert_array_equal(found, expected, strict=True)
        for row in found:
            for wrong in (None, np.nan, np.inf, -np.inf):
                if wrong is not None and n > 0:
                    row[rng.integers(n)] = wrong
                assert _core.all_finite(row) == reference.all_finite(row)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
def test_every_single_update_has_the_same_bits(cpu_level, order, storage, heavy):
    for seed in range(heavy(200)):
        X, y, rng = make(seed)
        n, d = X.shape
        c = rng.random(n) if seed % 2 else None
        both = [
            (core, np.zeros(d + 1), np.zeros(d + 1), np.zeros(n, dtype=np.int64))
            for core in (_core, reference)
        ]
        path = [[], []]
        log = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1)
        rule = UpdateRule("perceptron", 0.1)
        for k, (core, w, drift, counts) in enumerate(both):
            examples = LabelledRows(rows_of(core, X, storage), y, c)
            pool = np.empty(n, dtype=np.int32)
            learner = LearnerArrays(w, drift, counts, log=log)
            if order == "random":
                core.arrange(pool, None, seed, 0, 0)
                place, visits = (0, 0), 0
                for _ in range(60):
                    draw = Permutation(pool, seed, *place)
                    looked, updates, *place = core.search(
                        examples, rule, learner._replace(visits=visits), draw, 7, 1
                    )
                    visits += looked
                    noted = [part.tolist() for part in log]
                    path[k].append(
                        (looked, updates, *place, bits(w), bits(drift), pool.tolist(), noted)
                    )
                    if place[1] == n:
                        break
            else:
                core.arrange(pool, None, seed, 0, n)
                turn, at, visits = (pool if order == "shuffle" else None), 0, 0
                while at < n:
                    reached, updates = core.visit(
                        examples, rule, learner._replace(visits=visits), turn, at, n, 1
                    )
                    visits, at = visits + reached - at, reached
                    noted = [part.tolist() for part in log]
                    path[k].append((reached, updates, bits(w), bits(drift), counts.tolist(), noted))
        assert path[0] == path[1]


def fit(X, y, **choices):
    start = choices.pop("start", None)
    init = {} if start is None else {"coef_init": start[:-1], "intercept_init": start[-1]}
    weights = choices.pop("sample_weight", None)
    return Perceptron(max_iter=3, random_state=1, **choices).fit(X, y, weights, **init)


def fingerprint(p, X):
    """All that a fit says, bit for bit."""
    return {
        "scores": bits(p.decision_function(X)),
        "rule": None if p.keep == "vote" else bits(np.append(p.coef_, p.intercept_)),
        "last": bits(p._state.memory.w),
        "counts": p.update_counts_.tolist(),
        "mistakes": p.mistakes_.tolist(),
        "ended": (p.n_iter_, p.n_updates_, p.training_errors_, p.converged_, str(p.stop_reason_)),
    }


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_whole_fits_are_equal(order, keep, storage, with_core, heavy):
    """Of float32 and float64, with and without an intercept, weights of the rows, and a start."""
    each = itertools.product([np.float32, np.float64], *[[True, False]] * 3, range(heavy(20)))
    for dtype, intercept, weighted, started, seed in each:
        X, y, rng = make(seed, n=16)
        X = store(X.astype(dtype), storage)
        choices = {"order": order, "keep": keep, "fit_intercept": intercept}
        if weighted:
            choices["sample_weight"] = rng.choice([0.0, 0.3, 1.0, 2.5], 16)
            choices["sample_weight"][:2] = 1.0
        if started:
            choices["start"] = rng.normal(size=X.shape[1] + 1) * [*[1] * X.shape[1], intercept]
        results = []
        for core in (_core, reference):
            with_core(core)
            results.append(fingerprint(fit(X, y, **choices), X))
        assert results[0] == results[1], (dtype.__name__, choices, seed)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
@given(seed=st.integers(0, 10**6), margin=st.sampled_from([0.0, 1.5]))
def test_dense_sparse_and_precision_do_not_matter(order, keep, seed, margin):
    X, y, rng = make(seed)
    X = X.astype(np.float32)  # exact in both precisions
    weights = rng.random(len(y)) + 0.1
    variants = [
        X,
        X.astype(np.float64),
        store(X, "csr32"),
        store(X, "csr64"),
        store(X.astype(np.float64), "csr32"),
        np.asfortranarray(X),
    ]
    all_of_them = [
        fingerprint(fit(V, y, order=order, keep=keep, margin=margin, sample_weight=weights), V)
        for V in variants
    ]
    assert all(one == all_of_them[0] for one in all_of_them)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("keep", KEEPS)
def test_every_cpu_level_gives_the_same_bits(order, keep, heavy):
    levels = _core.cpu_levels()
    for seed in range(heavy(400)):
        X, y, _ = make(seed, n=60)
        results = []
        for level in levels:
            _core.use_cpu_level(level)
            results.append(fingerprint(fit(X, y, order=order, keep=keep), X))
            S = sparse.csr_matrix(X)
            results.append(fingerprint(fit(S, y, order=order, keep=keep), S))
        _core.use_cpu_level(levels[-1])
        assert all(r == results[0] for r in results)


@pytest.mark.parametrize("order", ORDERS)
def test_the_size_of_a_chunk_does_not_matter(order, monkeypatch, heavy):

    for seed in range(heavy(200)):
        X, y, _ = make(seed, n=50)
        results = []
        for chunk in (1, 7, 1 << 24):
            monkeypatch.setattr(compute, "chunk", chunk * X.shape[1])
            results += [(keep, fingerprint(fit(X, y, order=order, keep=keep), X)) for keep in KEEPS]
        for keep in KEEPS:
            assert len({str(r) for k, r in results if k == keep}) == 1


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_fits_with_a_kernel_are_equal(kernel, storage, dtype, with_core, heavy):
    for seed in range(heavy(40)):
        X, y, _ = make(seed, n=40)
        X = store(np.tanh(X).astype(dtype), storage)
        choices = {"order": ORDERS[seed % len(ORDERS)], "keep": KEEPS[seed % len(KEEPS)]}
        found = []
        for core in (_core, reference):
            with_core(core)
            p = KernelPerceptron(kernel=kernel, max_iter=3, random_state=seed, **choices).fit(X, y)
            found.append((bits(p._state.memory.w.scores), p.update_counts_.tolist()))
        assert found[0] == found[1]
