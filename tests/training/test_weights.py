"""A rule without a single weight vector says why it has none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import recall_score

from containers import X, Y
from raising import raises
from rosenblatt import PassiveAggressive, Perceptron, theory


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
def test_a_vote_has_no_single_weight_vector_and_says_why(name: str) -> None:
    trained = Perceptron(keep="vote", random_state=0).fit(X, Y)
    assert not hasattr(trained, name)
    with raises(AttributeError):
        getattr(trained, name)


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
@pytest.mark.parametrize("keep", ["best", "vote"])
def test_an_estimator_that_is_not_fitted_has_no_weights_and_says_why(name: str, keep: str) -> None:
    assert not hasattr(Perceptron(keep=keep), name)
    with raises(AttributeError):
        getattr(Perceptron(keep=keep), name)


# --- PassiveAggressive: a weight is a cost, the margin wanted is its root -------------------------


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_weight_of_passive_aggressive_asks_for_a_margin_of_its_root(loss):
    # From zero weights the first row, of weight 9, has the step 3 / 26, or 3 / (26 + 0.5 / 9).
    p = PassiveAggressive(loss=loss, keep="last", order="cyclic", max_updates=1)
    p.fit([[3.0, 4.0], [-3.0, -4.0]], [1, 0], sample_weight=[9.0, 1.0])
    step = 3 / 26 if loss == "hinge" else 3 / (26 + 0.5 / 9)
    assert p.coef_[0] == pytest.approx([3 * step, 4 * step], rel=1e-14)
    assert p.intercept_ == pytest.approx([step], rel=1e-14)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_mistakes_stay_within_the_bound_with_weights(loss):
    rng = np.random.default_rng(0)
    for _ in range(30):
        X, y = rng.normal(size=(20, 3)), rng.choice([-1, 1], 20)
        c, u = rng.choice([0.3, 1.0, 4.0, 20.0], 20), rng.normal(size=4)
        w, mistakes, C = np.zeros(4), 0, 0.7
        for x, label, cost in zip(np.column_stack([X, np.ones(20)]), y, c, strict=True):
            m, q = label * (w @ x), x @ x
            mistakes += m <= 0
            left = max(0.0, np.sqrt(cost) - m)
            step = min(C * cost, left / q) if loss == "hinge" else left / (q + 0.5 / (C * cost))
            w = w + step * label * x
        bound = theory.passive_aggressive_bound(X, y, u, C=C, loss=loss, sample_weight=c)
        assert mistakes <= bound.mistakes


def test_a_heavier_class_is_found_more_often():
    X, y = make_classification(800, 10, weights=[0.85], flip_y=0.1, random_state=0)
    recalls = [
        recall_score(y, PassiveAggressive(class_weight={1: c}, random_state=0).fit(X, y).predict(X))
        for c in (1.0, 3.0, 10.0, 50.0)
    ]
    assert recalls == sorted(recalls)
    assert recalls[-1] > recalls[0] + 0.1
