"""order="mixed": its definition in docs/definitions.md, step by step, and what follows from it."""

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from common import X_VAL, Y_VAL, everything, may_not_converge, may_not_separate, noisy
from oracle import permutation
from pressing import Pressing
from raising import raises
from rosenblatt import (
    AROW,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    StopReason,
    load,
    save,
    train,
)
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._core.screening import Screen
from rosenblatt._model.checkpoint import Checkpoint
from rosenblatt._util.strict_json import NO_SUM, with_sum
from rosenblatt.errors import InputError, ModelFileError, WeightsOverflowError
from rounded import in_lanes, over_blocks, tree

pytestmark = [may_not_converge, may_not_separate]

KEEPS = ["last", "best", "average"]


@pytest.fixture
def small_shards(monkeypatch):
    """Shards of 16 rows."""
    monkeypatch.setattr(compute, "block", 8)
    monkeypatch.setattr(compute, "shard", 2)


def mixed(**more):
    return Perceptron(**{"order": "mixed", "random_state": 3, "max_iter": 6, **more})


# --- The definition ------------------------------------------------------------------------------


def test_by_hand(monkeypatch):
    """Every row is a shard. From zero weights each is a mistake, so each becomes c y (x, 1)."""
    monkeypatch.setattr(compute, "block", 1)
    monkeypatch.setattr(compute, "shard", 1)
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    p = mixed(keep="last", max_iter=1).fit(X, y)
    assert [*p.coef_[0], *p.intercept_] == [6 / 3, 5 / 3, 1 / 3]
    assert p.update_counts_.tolist() == [1, 1, 1]
    # (1, 1) has the score 4 now: it alone is a mistake, and the mixture is what it learned.
    p = mixed(keep="last", max_iter=2).fit(X, y)
    assert [*p.coef_[0], *p.intercept_] == pytest.approx([1, 2 / 3, -2 / 3], abs=1e-15)
    assert (p.mistakes_.tolist(), p.update_counts_.tolist()) == ([3, 1], [1, 1, 2])


class Literal:
    """Followed literally in floats, each operation rounded once."""

    def __init__(self, X, y, c, *, margin, intercept, seed, block, shard):
        self.X = [[*row, 1.0 if intercept else 0.0] for row in X.tolist()]
        self.y, self.c, self.seed = y.tolist(), c.tolist(), seed
        self.margin, self.block, self.shard = margin, block, shard
        self.present = [i for i, weight in enumerate(self.c) if weight]
        self.w = [0.0] * len(self.X[0])
        self.counts, self.mistakes, self.after_visits = [0] * len(self.y), [], []

    def rows(self, e, s):
        n, size = len(self.present), self.block * self.shard
        blocks = -(-min(size, n - s * size) // self.block)
        number = e << 32 if s == 0 else ((e + 1) << 32) - s
        for place in permutation(self.seed, number, blocks):
            b = s * self.shard + place
            first = b * self.block
            within = permutation(self.seed, (e << 32) + 1 + b, min(self.block, n - first))
            yield from (self.present[first + i] for i in within)

    def shard_pass(self, e, s):
        w, mistakes = list(self.w), 0
        for i in self.rows(e, s):
            x = self.X[i]
            score = in_lanes([a * b for a, b in zip(x[:-1], w[:-1], strict=True)]) + w[-1]
            if self.y[i] * score <= self.margin:
                step = self.c[i] * self.y[i]
                w = [a + step * b for a, b in zip(w, x, strict=True)]
                self.counts[i] += 1
                mistakes += 1
            self.after_visits.append(w)
        return [mistakes * (a - b) for a, b in zip(w, self.w, strict=True)], mistakes

    def run(self, epochs):
        shards = -(-len(self.present) // (self.block * self.shard))
        for e in range(epochs):
            shares = [self.shard_pass(e, s) for s in range(shards)]
            k = sum(mistakes for _, mistakes in shares)
            self.mistakes.append(k)
            if k == 0:
                break
            moved = [tree(list(column)) for column in zip(*(m for m, _ in shares), strict=True)]
            self.w = [a + b / k for a, b in zip(self.w, moved, strict=True)]
        return self

    def mean(self):
        visits = len(self.after_visits)
        columns = zip(*self.after_visits, strict=True)
        return [float(sum(map(Fraction, column)) / visits) for column in columns]


@given(
    n=st.integers(12, 50),
    d=st.integers(1, 18),
    block=st.integers(1, 5),
    shard=st.sampled_from([1, 2, 4]),
    epochs=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    margin=st.sampled_from([0.0, 0.7]),
    intercept=st.booleans(),
    weighted=st.booleans(),
    as_sparse=st.booleans(),
)
def test_as_defined(n, d, block, shard, epochs, seed, margin, intercept, weighted, as_sparse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)) * 0.1
    y = np.where(rng.random(n) < 0.5, -1, 1)
    c = rng.choice([0.0, 0.3, 1.0, 2.0], n) if weighted else np.ones(n)
    y[:2], c[:2] = [-1, 1], 1.0
    if np.count_nonzero(c) <= block * shard:
        return  # one shard: another test has it
    given = {"max_iter": epochs, "patience": None, "random_state": seed, "margin": margin}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        patch.setattr(compute, "shard", shard)
        rows = sparse.csr_array(X) if as_sparse else X
        last = mixed(keep="last", fit_intercept=intercept, **given).fit(rows, y, c)
        average = mixed(keep="average", fit_intercept=intercept, **given).fit(rows, y, c)
    options = {"margin": margin, "intercept": intercept, "seed": last._state.seed}
    literal = Literal(X, y, c, block=block, shard=shard, **options).run(epochs)
    assert [*last.coef_[0].tolist(), last.intercept_[0]] == literal.w
    assert last.mistakes_.tolist() == average.mistakes_.tolist() == literal.mistakes
    assert last.update_counts_.tolist() == literal.counts
    assert last.n_updates_ == sum(literal.counts)
    assert last.converged_ == (literal.mistakes[-1] == 0)
    # The mean over all visits of all shards, the weights after each visit counted once.
    found = [*average.coef_[0].tolist(), average.intercept_[0]]
    assert found == pytest.approx(literal.mean(), rel=1e-11, abs=1e-11)
    assert average.t_ == len(literal.after_visits) + 1


# --- One shard is blocks -------------------------------------------------------------------------


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("k", [2, 3])
def test_of_one_shard_it_is_blocks(keep, k, monkeypatch):
    monkeypatch.setattr(compute, "block", 16)  # 64 of them are a shard
    X = np.random.default_rng(0).normal(size=(300, 4))
    y = np.arange(300) % k
    p = mixed(keep=keep)
    blocks = clone(p).set_params(order="blocks")
    assert everything(p.fit(X, y), X) == everything(blocks.fit(X, y), X)
    streamed = train(clone(p), lambda: iter([(X, y)]))
    assert streamed.coef_.tobytes() == p.coef_.tobytes()


def test_a_shard_is_4_million_rows():
    assert compute.rows_of_shard == 64 * 65_536 == 4_194_304


# --- The same everywhere -------------------------------------------------------------------------


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("keep", KEEPS)
def test_native_is_the_reference_and_a_stream(keep, k, storage, with_core):
    X = np.round(np.random.default_rng(1).normal(size=(70, 3)), 1)
    X = sparse.csr_array(X) if storage == "csr" else X
    y = np.arange(70) % k
    p = mixed(keep=keep, class_weight="balanced", margin="scale")
    native = everything(clone(p).fit(X, y), X)
    streamed = train(clone(p), lambda: ((X[i : i + 9], y[i : i + 9]) for i in range(0, 70, 9)))
    assert streamed.update_counts_ is None
    streamed._counts = np.empty(0)
    apart = {"update_counts_": None}
    assert everything(streamed, X) | apart == native | apart
    with_core(reference)
    assert everything(clone(p).fit(X, y), X) == native


@pytest.mark.usefixtures("small_shards")
def test_rows_of_weight_zero_do_not_exist():
    X, y = noisy(90)
    c = np.where(np.arange(90) % 3 == 1, 0.0, 1.0)
    p = mixed()
    with_gaps = p.fit(X, y, c).coef_
    assert with_gaps.tobytes() == p.fit(X[c > 0], y[c > 0]).coef_.tobytes()


def test_rows_that_are_passed_over_change_nothing(monkeypatch):
    """Each of three shards finds out by itself which of its rows are out of reach."""
    monkeypatch.setattr(compute, "block", 1 << 12)
    monkeypatch.setattr(compute, "shard", 2)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    y = np.where(X @ rng.normal(size=20) > 0, 1, -1)
    visits, screened = Screen.visit, []
    monkeypatch.setattr(Screen, "visit", lambda *a: screened.append(1) or visits(*a))
    p = mixed(max_iter=40, patience=None)
    spared = everything(p.fit(X, y), X)
    assert screened
    monkeypatch.setattr(Screen, "allowed", False)
    assert everything(p.fit(X, y), X) == spared


@pytest.mark.usefixtures("small_shards")
def test_every_chunk_and_the_learning_rate(monkeypatch):
    X, y = noisy(90)
    whole = everything(mixed().fit(X, y), X)
    other = mixed(eta0=0.3).fit(X, y)
    assert other.mistakes_.tobytes() == whole["mistakes_"][2]
    monkeypatch.setattr(compute, "chunk", 48)  # three rows at a time
    assert everything(mixed().fit(X, y), X) == whole


@pytest.mark.usefixtures("small_shards")
def test_validation_rows_and_the_loss():
    X, y = noisy(90)
    p = mixed().fit(X, y, X_val=X_VAL, y_val=Y_VAL)
    assert len(p.validation_mistakes_) == p.n_iter_
    followed = mixed(tol=1e-3, margin=0.5, max_iter=50).fit(X, y)
    assert followed.stop_reason_ is StopReason.TOL
    streamed = train(mixed(tol=1e-3, margin=0.5, max_iter=50), lambda: iter([(X, y)]))
    assert streamed.n_iter_ == followed.n_iter_
    assert streamed._state.losses == followed._state.losses


@pytest.mark.usefixtures("small_shards")
def test_the_loss_is_that_of_the_shards():
    """Every row of zeros is a mistake with the margin 0, so that its loss is μ."""
    X, y = np.zeros((40, 1)), np.arange(40) % 2
    p = mixed(tol=1e-3, margin=0.1, fit_intercept=False, max_iter=1).fit(X, y)
    sums = [over_blocks([0.1] * size, size) for size in (16, 16, 8)]
    assert p._state.losses.lowest == tree(sums) / 40


@pytest.mark.usefixtures("small_shards")
def test_ovr_and_partial_fit():
    X = np.random.default_rng(4).normal(size=(60, 3))
    y = np.arange(60) % 3
    separate = mixed(multi_class="ovr", keep="last").fit(X, y)
    streamed = train(mixed(multi_class="ovr", keep="last"), lambda: iter([(X, y)]))
    assert streamed.coef_.tobytes() == separate.coef_.tobytes()
    passed, cyclic = (Perceptron(order=o).partial_fit(X, y) for o in ("mixed", "cyclic"))
    assert passed.coef_.tobytes() == cyclic.coef_.tobytes()


# --- Leaving and going on ------------------------------------------------------------------------


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("keep", KEEPS)
def test_going_on_is_one_training(keep, tmp_path):
    X, y = noisy(90)
    whole = everything(mixed(keep=keep, max_iter=7, patience=None).fit(X, y), X)
    p = mixed(keep=keep, max_iter=3, patience=None, warm_start=True).fit(X, y)
    save(p, tmp_path / "model.json")
    assert everything(p.set_params(max_iter=4).fit(X, y), X) == whole
    assert everything(load(tmp_path / "model.json").set_params(max_iter=4).fit(X, y), X) == whole


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("press", [0, 5, 6, 20, 40, 70])
def test_ctrl_c_within_an_epoch(keep, press, monkeypatch, tmp_path):
    """Some shards have made their share; one is left as if it had not begun."""
    monkeypatch.setattr(compute, "chunk", 48)  # three rows at a time
    X, y = noisy(90)
    given = {"keep": keep, "patience": None, "warm_start": True, "tol": 1e-9}
    whole = everything(mixed(max_iter=4, **given).fit(X, y), X)
    p = mixed(max_iter=4, **given)
    backend = compute.backend
    monkeypatch.setattr(compute, "backend", Pressing(press, only=("visit",)))
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, y)
    monkeypatch.setattr(compute, "backend", backend)
    assert p.stop_reason_ is StopReason.INTERRUPTED
    assert p.n_updates_ == p.mistakes_.sum() == p.update_counts_.sum()
    save(p, tmp_path / "model.json")
    left = 4 - p.n_iter_
    for again in (p, load(tmp_path / "model.json")):
        assert everything(again.set_params(max_iter=left).fit(X, y), X) == whole


class Crash(Exception):  # noqa: N818 - it is not an error of ours
    """The process ends here."""


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("streamed", [False, True])
def test_crashes_change_nothing(streamed, tmp_path, monkeypatch, rng):
    X, y = noisy(90)
    source = (lambda: iter([(X[:50], y[:50]), (X[50:], y[50:])])) if streamed else (X, y)
    whole = mixed(max_iter=5, patience=None).fit(X, y)
    write, left = Checkpoint.write, [0]

    def writing(self, state):
        write(self, state)
        left[0] -= 1
        if left[0] == 0:
            raise Crash

    monkeypatch.setattr(Checkpoint, "write", writing)
    crashes, p = 0, mixed(max_iter=5, patience=None)
    while True:
        left[0] = int(rng.integers(2, 9))
        try:
            train(p, source, checkpoint=tmp_path / "run", checkpoint_every=0)
            break
        except Crash:
            crashes += 1
    assert crashes > 3
    assert p.coef_.tobytes() == whole.coef_.tobytes()
    assert p.mistakes_.tolist() == whole.mistakes_.tolist()


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("shards", 5),
        ("shards", 7),
        ("branches", []),
        ("more", 1),
    ],
)
def test_a_damaged_file_is_refused(field, value, tmp_path, monkeypatch):
    X, y = noisy(90)
    p = mixed(warm_start=True)
    monkeypatch.setattr(compute, "backend", Pressing(2, only=("visit",)))
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, y)
    save(p, tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["state"]["mixing"]["shards"] == 3
    assert len(document["state"]["mixing"]["branches"]) == 2  # of two shards, and of one
    document["state"]["mixing"][field] = value
    document["sha256"] = NO_SUM
    (tmp_path / "model.json").write_bytes(with_sum(json.dumps(document).encode()))
    with raises(ModelFileError):
        load(tmp_path / "model.json")


# --- What it is not ------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_shards")
def test_update_counts_are_not_the_dual():
    X, y = noisy(90)
    p = mixed(keep="last", fit_intercept=False).fit(X, y)
    assert p.update_counts_.sum() == p.n_updates_
    assert not np.allclose((p.update_counts_ * y) @ X, p.coef_[0])
    blocks = mixed(keep="last", order="blocks", fit_intercept=False).fit(X, y)
    assert np.allclose((blocks.update_counts_ * y) @ X, blocks.coef_[0])


@pytest.mark.parametrize(
    "refused",
    [
        {"keep": "pocket"},
        {"keep": "vote"},
        {"max_updates": 5},
    ],
)
def test_what_follows_single_updates_is_refused(refused):
    p = mixed(**refused)
    with raises(InputError):
        p.fit(*noisy())
    assert not hasattr(p, "coef_")


@pytest.mark.parametrize("other", [AROW, PassiveAggressive, KernelPerceptron])
def test_other_rules_do_not_mix(other):
    with raises(InputError, option="order", value="mixed"):
        other(order="mixed").fit(*noisy())


@pytest.mark.usefixtures("small_shards")
def test_weights_that_overflow():
    X, y = noisy(90)
    p = mixed(warm_start=True)
    with raises(WeightsOverflowError):
        p.fit(X * 1e307, y, sample_weight=np.full(90, 50.0))
    assert not hasattr(p, "coef_")
    assert copy.copy(p).fit(X, y).n_iter_
