"""keep="auto" with margin="auto": the margin falls in six steps, then the plain rule goes on."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from common import everything
from oracle import Oracle
from rosenblatt import Perceptron, StopReason, train

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)


def table(n, d, wrong=0.0, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (n, d)) / 4  # quarters: scores are exact
    y = np.argmax(X @ rng.normal(size=(d, classes)), axis=1)
    flipped = rng.random(n) < wrong
    return X, np.where(flipped, (y + 1) % classes, y)


def epochs_of_a_step(n, columns=16):
    return min(math.ceil(2**18 / (6 * n * columns)), 10)


class Followed:
    """The definition, literally, in exact arithmetic."""

    def __init__(self, X, y, seed, mu, c=None):
        self.o = Oracle(X, np.where(y == 1, 1, -1), seed=seed, c=c)
        self.mu, self.of_step, self.since = mu, epochs_of_a_step(len(y)), 0

    def run(self, epochs):
        o = self.o
        for e in range(epochs):
            step = e // self.of_step
            if e == 3 * self.of_step:
                self.since = len(o.after_visit)
            o.margin = Fraction(self.mu * (1 - step / 6)) if step < 6 else Fraction(0)
            if not sum([o.visit(i) for i in o.rows("shuffle", e, None)]):
                break
        return self

    def mean(self):
        some = self.o.after_visit[self.since :]
        return [float(sum(w[j] for w in some) / len(some)) for j in range(len(self.o.w))]

    def better(self):
        """Mean or last: fewer mistakes, of equally many the mean."""
        mean, last = self.mean(), [float(v) for v in self.o.w]
        exact = [Fraction(v) for v in mean]
        return mean if self.o.weighted_errors(exact) <= self.o.weighted_errors(self.o.w) else last


def weights(p):
    return [*p.coef_[0], *p.intercept_]


@pytest.mark.parametrize("epochs", [1, 9, 25, 31, 45, 60])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_follows_the_definition(epochs, weighted):
    X, y = table(40, 3, wrong=0.3)
    c = np.random.default_rng(1).choice([0.5, 1.0, 2.0], len(y)) if weighted else None
    p = Perceptron(random_state=3, max_iter=epochs).fit(X, y, sample_weight=c)
    squares = (X**2).sum(axis=1) + 1
    assert p.margin_ == pytest.approx(np.average(squares, weights=c), rel=1e-12)
    followed = Followed(X, y, p._state.seed, p.margin_, c).run(epochs)
    assert p.n_iter_ == epochs
    assert weights(p) == pytest.approx(followed.better(), rel=1e-9)
    assert p.stop_reason_ is (StopReason.FAR if epochs == 60 else StopReason.MAX_ITER)


def test_where_few_rows_are_mistakes_the_plain_rule_goes_on_to_a_separator():
    for seed in range(20):
        X, y = table(60, 4, seed=seed)
        X, y = X[(s := X.any(axis=1))], y[s]
        p = Perceptron(random_state=seed).fit(X, y)
        assert p.training_errors_ == 0
        assert p.converged_
        assert p.stop_reason_ in (StopReason.CLEAN, StopReason.SEPARATED)


def test_random_separable_sets_are_separated(heavy):
    for seed in range(heavy(200)):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 10))
        X /= np.linalg.norm(X, axis=1)[:, None]
        y = X @ rng.normal(size=10) > 0
        assert Perceptron(fit_intercept=False, random_state=seed).fit(X, y).converged_


def test_many_mistakes_end_it_unless_patience_is_none():
    X, y = table(300, 4, wrong=0.3)
    p = Perceptron(random_state=0).fit(X, y)
    assert (p.stop_reason_, p.n_iter_) == (StopReason.FAR, 6 * epochs_of_a_step(300))
    assert not p.converged_
    on = Perceptron(random_state=0, patience=None, max_iter=100).fit(X, y)
    assert (on.stop_reason_, on.n_iter_) == (StopReason.MAX_ITER, 100)


CASES = {
    "far": (table(120, 3, wrong=0.3), {}),
    "near": (table(300, 5, wrong=0.02, seed=1), {}),
    "separable": (table(60, 4, seed=2), {}),
    "classes": (table(90, 3, wrong=0.1, seed=3, classes=4), {}),
    "one against the rest": (table(90, 3, 0.1, seed=3, classes=3), {"multi_class": "ovr"}),
    "cyclic": (table(300, 5, wrong=0.02, seed=1), {"order": "cyclic"}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("pieces", [(3, 20, 40, 57), (30, 30, 60), (1, 59, 1, 59), (119, 1)])
def test_epochs_in_pieces_are_epochs_at_once(case, pieces):
    (X, y), choices = CASES[case]
    whole = Perceptron(random_state=1, max_iter=sum(pieces), **choices).fit(X, y)
    p = Perceptron(random_state=1, warm_start=True, **choices)
    for epochs in pieces:
        p.set_params(max_iter=epochs).fit(X, y)
    assert everything(p, X) == everything(whole, X)


@pytest.mark.parametrize("case", ["far", "near", "separable", "classes"])
@pytest.mark.parametrize("order", ["blocks", "cyclic", "mixed"])
def test_from_a_stream_it_learns_the_same(case, order, tmp_path):
    (X, y), _ = CASES[case]
    here = Perceptron(order=order, random_state=0).fit(X, y)

    def batches():
        return ((X[i : i + 7], y[i : i + 7]) for i in range(0, len(y), 7))

    estimator = Perceptron(order=order, random_state=0)
    there = train(estimator, batches, cache=tmp_path / "cache")
    assert there.coef_.tolist() == here.coef_.tolist()
    assert there.intercept_.tolist() == here.intercept_.tolist()
    assert (there.n_iter_, there.stop_reason_) == (here.n_iter_, here.stop_reason_)
    assert there.training_errors_ == here.training_errors_


@pytest.mark.parametrize(
    "choices",
    [
        {"keep": "best"},
        {"margin": 0},
        {"order": "batch"},
        {"order": "random"},
        {"decay": 0.1},
        {"tol": 1e-3},
    ],
    ids=str,
)
def test_any_other_choice_is_the_plain_rule(choices):
    X, y = table(100, 3, wrong=0.1)
    p = Perceptron(random_state=0, max_iter=20, **choices).fit(X, y)
    plain = Perceptron(random_state=0, max_iter=20, **{"keep": "best", "margin": 0} | choices).fit(
        X, y
    )
    assert everything(p, X) == everything(plain, X)
    assert p.margin_ == 0


def test_validation_rows_choose_after_every_epoch():
    X, y = table(120, 3, wrong=0.2)
    p = Perceptron(random_state=0).fit(X[:80], y[:80], X_val=X[80:], y_val=y[80:])
    assert len(p.validation_mistakes_) == p.n_iter_
    assert p.validation_mistakes_[-1] == p.validation_mistakes_.min()
    assert p.validation_mistakes_[-1] <= (p.predict(X[80:]) != y[80:]).sum() + 1
