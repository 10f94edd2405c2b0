"""The trace of order="mixed" with several shards: every epoch is replayed, every claim tested."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import may_not_converge, noisy
from planes import small
from raising import check_sentence, raises
from rosenblatt import Perceptron, trace
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._tracing import check
from rosenblatt._tracing.trace import Trace
from rosenblatt.errors import InputError

pytestmark = may_not_converge


@pytest.fixture
def small_shards(monkeypatch):
    """Shards of 8 rows."""
    monkeypatch.setattr(compute, "block", 4)
    monkeypatch.setattr(compute, "shard", 2)


def mixed(**more):
    return Perceptron(**{"order": "mixed", "keep": "last", "random_state": 1, **more})


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(9, 40),
    d=st.integers(1, 3),
    margin=st.sampled_from([0.0, 1.5]),
    intercept=st.booleans(),
    weighted=st.booleans(),
    exact=st.booleans(),
)
def test_every_claim_holds(seed, n, d, margin, intercept, weighted, exact):
    X, y = small(seed, n, d, can_be_separated=seed % 3 > 0)
    c = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], n) if weighted else None
    options = {"margin": margin, "fit_intercept": intercept, "max_iter": 30, "patience": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", 4)
        patch.setattr(compute, "shard", 2)
        if not exact:
            patch.setattr(check, "MOST_EXACT", 0)
        found = trace(mixed(**options), X, y, sample_weight=c)
        result = found.check()
        assert result.ok, result
        assert result["record"].status == "held"  # scores to the bit
        p = found.estimator
        if len(found):
            w, b = found.weights_at(len(found))
            assert [*w, b] == [*p.coef_[0], *p.intercept_]
        assert len(found) == np.count_nonzero(p.mistakes_)
        assert (found.epoch == np.repeat(np.arange(p.n_iter_) + 1, p.mistakes_)).all()


@pytest.mark.usefixtures("small_shards")
def test_what_an_epoch_counts_for():
    """The first epoch by hand: k_s mistakes in shard s, the weights a mean of theirs."""
    X, y = noisy(20)
    found = trace(mixed(max_iter=1), X, y)
    first, shards = found.replay.run.updates_of(1), found.visit // 8
    k = np.bincount(shards[first])
    assert float(found.replay.run.gains[0]) == pytest.approx((k**2).sum() / k.sum())
    each = [
        (y[rows][:, None] * np.column_stack([X[rows], np.ones(len(rows))])).sum(axis=0)
        for rows in (found.row[shards == s] for s in range(3))
    ]
    w, b = found.weights_at(1)
    assert [*w, b] == pytest.approx(sum(ks * ws for ks, ws in zip(k, each, strict=True)) / k.sum())


@pytest.mark.usefixtures("small_shards")
def test_in_words_and_as_a_document():
    X, y = [[3, 3], [4, 3], [1, 1]] * 4, [1, 1, -1] * 4
    found = trace(mixed(), X, y)
    words = found.step(1)
    assert words.startswith("step 1: ")
    check_sentence(words)
    assert f" in {len(found)} epochs, at most {found.bound} epochs by the" in str(found)
    check_sentence(found.check()["bound"].statement)
    again = Trace.from_json(found.to_json())
    assert again.check().ok
    assert again.steps() == found.steps()
    with raises(InputError):
        found.alpha_at(1)


@pytest.mark.usefixtures("small_shards")
def test_another_run_is_seen():
    X, y = noisy(30)
    found = trace(mixed(max_iter=4), X, y)
    run = found.replay.run
    run.scores[len(run.scores) // 2] += 1e-6
    assert found.check()["record"].status == "violated"
    found = trace(mixed(max_iter=4), X, y)
    found.replay.run.rows[1] = found.replay.run.rows[0]
    check_sentence(found.check()["record"].detail)


@pytest.mark.usefixtures("small_shards")
def test_many_classes_are_refused_in_one_sentence():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = trace(mixed(max_iter=2), X, np.arange(30) % 3)
    with raises(InputError):
        found.check()


def test_of_one_shard_a_step_is_an_update():
    X, y = noisy(30)
    found = trace(mixed(max_iter=4), X, y)
    assert len(found) == found.estimator.n_updates_
    assert found.check().ok


@pytest.mark.usefixtures("small_shards")
def test_the_reference_leaves_the_same_record(with_core):
    X, y = noisy(30)
    native = trace(mixed(max_iter=4), X, y)
    with_core(reference)
    again = trace(mixed(max_iter=4), X, y)
    for name in ("rows", "visits", "scores"):
        assert (getattr(again.replay.run, name) == getattr(native.replay.run, name)).all()
