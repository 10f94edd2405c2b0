"""A rule without a single weight vector says why it has none."""

from __future__ import annotations

import pytest

from containers import X, Y
from raising import raises
from rosenblatt import Perceptron


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
