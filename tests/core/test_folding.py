"""Sums over many rows: from zero in each block, folded in one tree, whoever makes them."""

import copy
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import may_not_converge, may_not_separate
from pressing import Pressing
from rosenblatt import KernelPerceptron, Perceptron, theory, trace, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Examples, as_matrix
from rosenblatt._core.summation import Fold, blocks, folded
from rounded import over_blocks, tree

pytestmark = [may_not_converge, may_not_separate]


def shown(a, b):
    return f"({a}{b})"


def test_the_tree_by_hand():
    assert folded("a", shown) == "a"
    assert folded("abc", shown) == "((ab)c)"
    assert folded("abcdefg", shown) == "(((ab)(cd))((ef)g))"
    assert [folded("abcdefghijk"[:n], shown) for n in range(1, 12)] == [
        tree("abcdefghijk"[:n], shown) for n in range(1, 12)
    ]


def test_more_may_come_after_a_total():
    fold = Fold(shown)
    for n, letter in enumerate("abcdefghij", start=1):
        fold.add(letter)
        assert fold.total() == tree("abcdefghij"[:n], shown)


@pytest.mark.parametrize("of_branch", [1, 2, 4, 8])
def test_powers_of_two_are_branches(of_branch):
    letters = "abcdefghijklmnopqrstu"
    for n in range(1, len(letters) + 1):
        parts = [letters[i : min(i + of_branch, n)] for i in range(0, n, of_branch)]
        assert folded((folded(p, shown) for p in parts), shown) == tree(letters[:n], shown)


def test_blocks_are_65536_rows():
    assert list(blocks(140_000)) == [(0, 65_536), (65_536, 131_072), (131_072, 140_000)]


def table(seed, n, d=3):
    """Numbers that addition rounds."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.3, 0, rng.normal(size=(n, d)))
    y = np.where(np.arange(n) % 2, 1, -1)
    return X, y, rng.choice([0.0, 0.1, 0.3, 1 / 3, 2.7], n), rng.normal(size=(2, d + 1))


CASES = {
    "seed": st.integers(0, 10_000),
    "n": st.integers(2, 60),
    "block": st.integers(1, 9),
    "as_sparse": st.booleans(),
    "native": st.booleans(),
}


@given(**CASES)
def test_the_weights_of_mistakes(seed, n, block, as_sparse, native):
    X, y, c, w = table(seed, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        if not native:
            patch.setattr(compute, "backend", reference)
        rows = as_matrix(sparse.csr_array(X) if as_sparse else X)
        examples = Examples(rows, y.astype(np.int8), c)
        assert examples.total_weight == over_blocks(c.tolist(), block)
        plain, weighted = examples.count(list(w))
        scores = np.array([examples.rows.scores(v) for v in w])
        wrong = (y * scores <= 0) & (c > 0)
        assert plain.tolist() == wrong.sum(axis=1).tolist()
        terms = np.where(wrong, c, 0.0)
        assert weighted.tolist() == [over_blocks(t.tolist(), block) for t in terms]
        # Counting one ends where it reaches its limit; the other is not disturbed.
        limits = [float(weighted[0]), float(np.nextafter(weighted[1], np.inf))]
        _, again = examples.count(list(w), limits)
        assert again[0] >= limits[0]
        assert again[1] == weighted[1]


@given(**CASES, k=st.sampled_from([2, 3]), weighted=st.booleans())
def test_a_batch_step(seed, n, block, as_sparse, native, k, weighted):
    X, _, c, _ = table(seed, n)
    c = np.where(c > 0, c, 1.0) if weighted else np.ones(n)
    y = np.arange(n) % k
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        if not native:
            patch.setattr(compute, "backend", reference)
        p = Perceptron(order="batch", keep="last", max_iter=1)
        p.fit(
            sparse.csr_array(X) if as_sparse else X,
            y,
            sample_weight=c,
        )
    lifted = np.column_stack([X, np.ones(n)])
    if len(p.classes_) == 2:  # from zero weights every row calls for an update
        terms = (np.where(y == p.classes_[1], 1.0, -1.0) * c)[:, None] * lifted
        assert [*p.coef_[0].tolist(), p.intercept_[0]] == total(terms, block)
        return
    for of_class in range(k):  # the rival of class 0 is class 1, that of the others class 0
        rival = np.where(y == 0, 1, 0)
        signs = (y == of_class).astype(float) - (rival == of_class)
        terms = (signs * c)[:, None] * lifted
        found = [*p.coef_[of_class].tolist(), p.intercept_[of_class]]
        assert found == total(terms, block)


def total(terms, block):
    return over_blocks(list(terms), block, operator.add, np.zeros(terms.shape[1])).tolist()


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("tol", ["patience", 1e-3])
def test_batch_steps_are_the_same_streamed(k, tol, monkeypatch):
    monkeypatch.setattr(compute, "block", 7)
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % k
    p = Perceptron(order="batch", max_iter=9, tol=tol, margin=0.3, class_weight="balanced")
    inside = copy.copy(p).fit(X, y)
    streamed = train(copy.copy(p), lambda: iter([(X[:31], y[:31]), (X[31:], y[31:])]))
    assert streamed.coef_.tobytes() == inside.coef_.tobytes()
    assert streamed.mistakes_.tolist() == inside.mistakes_.tolist()
    if tol != "patience":
        lowest = inside._state.losses.lowest
        assert streamed._state.losses.lowest == lowest
        monkeypatch.setattr(compute, "block", 1 << 16)
        assert copy.copy(p).fit(X, y)._state.losses.lowest != lowest  # other sums, other bits


@pytest.mark.parametrize("k", [2, 3])
def test_a_trace_replays_batch_steps_over_blocks(k, monkeypatch):
    monkeypatch.setattr(compute, "block", 7)
    X = np.random.default_rng(1).normal(size=(60, 3))
    found = trace(Perceptron(order="batch", keep="last", max_iter=9), X, np.arange(60) % k)
    record = found.check()["record"]
    assert (record.status, record.step) == ("held", None)  # scores to the bit


def test_counts_of_a_kernel_perceptron_and_the_gradient(monkeypatch):
    monkeypatch.setattr(compute, "block", 7)
    X, y, c, _ = table(3, 50)
    p = KernelPerceptron(kernel="linear", max_iter=3, random_state=0)
    p.fit(X, y, sample_weight=c)
    kept = p._state.kept
    wrong = (y * p._state.kept.weights.scores <= 0) & (c > 0)
    assert kept.weighted == over_blocks(np.where(wrong, c, 0.0).tolist(), 7)
    gradient = theory.perceptron_loss_gradient(X, y, np.zeros(3), sample_weight=c)
    terms = np.where(c > 0, y * c, 0.0)[:, None] * np.column_stack([X, np.ones(50)])
    assert [*gradient.w.tolist(), gradient.b] == [-v for v in total(terms, 7)]


def test_a_batch_step_is_made_whole_or_not_at_all(monkeypatch):
    """Ctrl-C within a look at a stream leaves weights and losses as they were."""
    monkeypatch.setattr(compute, "block", 7)
    X = np.random.default_rng(2).normal(size=(60, 3))
    y = np.where(X[:, 0] > X[:, 1] ** 2, 1, -1)
    given = {"order": "batch", "tol": 1e-12, "margin": 0.3, "warm_start": True, "patience": 99}
    whole = train(Perceptron(max_iter=4, **given), lambda: iter([(X, y)]))
    p, backend = Perceptron(max_iter=4, **given), compute.backend
    monkeypatch.setattr(compute, "backend", Pressing(9 + 4, only=("look",)))  # 9 blocks a step
    with pytest.raises(KeyboardInterrupt):
        train(p, lambda: iter([(X, y)]))
    monkeypatch.setattr(compute, "backend", backend)
    assert (p.n_iter_, p.n_updates_) == (2, whole.mistakes_[0])
    train(p.set_params(max_iter=2), lambda: iter([(X, y)]))
    assert p.coef_.tobytes() == whole.coef_.tobytes()
    assert p._state.losses == whole._state.losses
