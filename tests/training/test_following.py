"""partial_fit with keep="auto" follows a rule that changes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from rosenblatt import AROW, PassiveAggressive, Perceptron, load, save

ROWS, CHANGE = 3000, 1200


def changing(noise=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 10))
    before, after = X @ rng.normal(size=10) > 0, X @ rng.normal(size=10) > 0
    y = np.where(np.arange(ROWS) < CHANGE, before, after)
    return X, np.where(rng.random(ROWS) < noise, ~y, y).astype(int)


def wrong_ahead(p, X, y):
    """Each row is predicted before it is learned from."""
    wrong = np.zeros(len(y))
    for i in range(len(y)):
        one = slice(i, i + 1)
        wrong[i] = i > 0 and p.predict(X[one])[0] != y[i]
        p.partial_fit(X[one], y[one], classes=[0, 1])
    return wrong


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive, AROW])
def test_soon_after_a_change_it_errs_as_little_as_before(kind):
    X, y = changing(noise=0.1)
    wrong = wrong_ahead(kind(), X, y)
    before, after = wrong[CHANGE - 500 : CHANGE].mean(), wrong[-500:].mean()
    assert after <= before + 0.03
    assert after <= 0.1 + 0.06


def test_arow_forgets_with_each_row_and_not_in_fit():
    X, y = changing()
    once = AROW(r=1.0, forget=0.5, random_state=0).fit(X[:50], y[:50])
    assert (
        once.precision_.tolist()
        == AROW(r=1.0, forget=0, random_state=0).fit(X[:50], y[:50]).precision_.tolist()
    )
    before = once.precision_
    once.partial_fit(np.zeros((3, 10)), y[:3])  # rows of zeros: only the intercept is learned
    assert once.precision_[0, :-1] == pytest.approx(1 + (before[0, :-1] - 1) / 8, rel=1e-12)


def test_precisions_fade_as_if_each_faded_by_itself():
    """Beside the steps of AROW as they are written down, each precision faded before each row."""
    forget, r = 0.05, 2.0  # of 2,500 rows: more than once all precisions are worked out anew
    X, y = changing()
    X[X < 0.5] = 0.0
    w, p, fitted = np.zeros(11), np.ones(11), AROW(r=r, forget=forget, keep="last")
    for i in range(2500):
        x, sign = np.append(X[i], 1.0), 2 * y[i] - 1
        p = 1 + (p - 1) * (1 - forget)
        m = sign * (w @ x)
        if m < 1:
            w += (1 - m) / ((x * x / p).sum() + r) * sign * x / p
            p += x * x / r
        fitted.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    assert fitted.precision_[0] == pytest.approx(p, rel=1e-9)
    assert fitted.coef_[0] == pytest.approx(w[:-1], rel=1e-9)


def test_without_a_change_it_is_the_mean_of_all():
    X, y = changing(0.1)
    some = slice(0, CHANGE)
    follows, mean = (
        PassiveAggressive(keep=keep).partial_fit(X[some], y[some]) for keep in ("auto", "average")
    )
    for _ in range(3):
        follows.partial_fit(X[some], y[some])
        mean.partial_fit(X[some], y[some])
    assert follows.coef_.tolist() == mean.coef_.tolist()


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive, AROW])
def test_a_copy_follows_to_the_same_bits(kind, tmp_path):
    X, y = changing()
    p = kind(random_state=0)
    for i in range(0, CHANGE + 100, 10):
        p.partial_fit(X[i : i + 10], y[i : i + 10], classes=[0, 1])
    save(p, tmp_path / "model.json")
    others = [pickle.loads(pickle.dumps(p)), load(tmp_path / "model.json")]
    for one in (p, *others):
        for i in range(CHANGE + 100, ROWS, 10):
            one.partial_fit(X[i : i + 10], y[i : i + 10])
    for one in others:
        assert one.coef_.tolist() == p.coef_.tolist()
