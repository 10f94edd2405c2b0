"""Our exceptions are also those that users of scikit-learn expect."""

from __future__ import annotations

import pytest

from refusing import X, Y
from rosenblatt import Perceptron
from rosenblatt.errors import InputError, RosenblattError, WeightsOverflowError


def test_our_errors_are_those_that_scikit_learn_users_expect() -> None:
    with pytest.raises(RosenblattError):
        Perceptron(order="sorted").fit(X, Y)
    assert issubclass(InputError, ValueError)
    assert issubclass(WeightsOverflowError, OverflowError)
