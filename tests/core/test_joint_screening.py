"""Many classes: screened training is the same training, and no row is skipped that may not be."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from common import KEEPS
from rosenblatt import Perceptron
from rosenblatt._core import screening
from rosenblatt._core.protocol import LabelledRows, UpdateRule
from rosenblatt._core.screening import Screen
from rosenblatt.errors import WeightsOverflowError

_core = pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def eager(monkeypatch):
    """Screening from the second epoch on, on any rows, whether or not it pays."""
    for name in ("FEW", "NEAR", "PAYS", "SAFE"):
        monkeypatch.setattr(screening, name, 0)
    for name in ("PART", "REST", "LEAST"):
        monkeypatch.setattr(screening, name, 1)


def blobs(seed, n=120, d=4, k=4):
    """Classes that hardly overlap, columns on many scales."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(k, d))[y] * 4 + rng.normal(size=(n, d))
    return X * 10.0 ** rng.integers(-8, 9, d), y, rng


def outcome(p, X, y, c):
    try:
        p.fit(X, y, c)
    except WeightsOverflowError as error:
        return str(error)
    memory = p._state.memory
    return (
        p.decision_function(X).tobytes(),
        memory.w.tobytes(),
        None if memory.correction is None else memory.correction.tobytes(),
        memory.counts.tobytes(),
        p.mistakes_.tolist(),
        p.training_errors_,
        p._state.visits,
    )


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "blocks"])
@pytest.mark.parametrize("keep", KEEPS)
def test_screened_training_has_the_same_bits(order, keep, eager, monkeypatch, heavy):
    spared, account = [], Screen._account

    def noted(screen, passed, looked):
        spared.append(passed - looked)
        account(screen, passed, looked)

    monkeypatch.setattr(Screen, "_account", noted)
    for seed in range(heavy(100)):
        X, y, rng = blobs(seed)
        X = sparse.csr_matrix(X) if seed % 2 else X
        c = rng.random(len(y)) + 0.5 if seed % 3 else None
        choices = {"margin": float(seed % 4), "fit_intercept": seed % 5 > 0, "eta0": 0.5}
        found = []
        for allowed in (True, False):
            monkeypatch.setattr(Screen, "allowed", allowed)
            p = Perceptron(order=order, keep=keep, max_iter=12, random_state=0, **choices)
            found.append(outcome(p, X, y, c))
        assert found[0] == found[1]
    assert sum(spared) > 0


def test_the_slack_of_a_row_is_a_distance_within_which_its_margin_holds(heavy):
    """In rationals: weights as far away as the slack allows, in the worst direction."""
    for seed in range(heavy(400)):
        X, y, rng = blobs(seed, n=12, d=3, k=3)
        w = rng.normal(size=(3, 4)) * 10.0 ** rng.integers(-5, 6)
        slack = np.empty(12, dtype=np.float32)
        examples = LabelledRows(_core.dense(X), y.astype(np.int32))
        _core.refer(examples, UpdateRule("perceptron", 0.0), w, 0, 12, slack)
        rows = [[Fraction(v) for v in row] + [Fraction(1)] for row in X.tolist()]
        for i in np.flatnonzero(slack > 0).tolist():
            length2 = sum(v * v for v in rows[i])
            scores = [
                sum(Fraction(a) * b for a, b in zip(of_class, rows[i], strict=True))
                for of_class in w.tolist()
            ]
            margin = scores[y[i]] - max(s for c, s in enumerate(scores) if c != y[i])
            # Moving w_y and the rival's weights by t x each changes the margin by 2 t |x|^2, over
            # a distance of sqrt(2) t |x|: it holds while sqrt(2) |x| slack < margin.
            assert 2 * length2 * Fraction(float(slack[i])) ** 2 < margin**2
            # And slack is not a thousandth smaller than it could be.
            assert 2 * length2 * (Fraction(float(slack[i])) * Fraction(1001, 1000)) ** 2 > margin**2


def test_large_separable_tables_are_screened():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 20_000)
    X = rng.normal(size=(5, 10))[y] * 3 + 0.7 * rng.normal(size=(20_000, 10))
    p = Perceptron(max_iter=40, patience=None, random_state=0, keep="last")
    q = Perceptron(max_iter=40, patience=None, random_state=0, keep="last")
    p.fit(X, y)
    before = Screen.allowed
    try:
        Screen.allowed = False
        q.fit(X, y)
    finally:
        Screen.allowed = before
    assert p.coef_.tobytes() == q.coef_.tobytes()
    assert p.mistakes_.tolist() == q.mistakes_.tolist()
