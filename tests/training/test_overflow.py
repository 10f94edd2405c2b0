"""Weights that grow beyond the largest number are an error with advice, never a result."""

from __future__ import annotations

import numpy as np
import pytest

from common import KEEPS, ORDERS, may_not_separate
from refusing import X, Y, new_and_fitted, refused
from rosenblatt import Perceptron
from rosenblatt.errors import WeightsOverflowError

HUGE = np.array([[1e308, 1e308], [1e308, 1.7e308]] * 6)  # weights overflow in the sixth update
HUGE_Y = [1, 0] * 6
SCALE = ("weights", "too large", "scale")


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
@new_and_fitted
@may_not_separate
def test_weights_that_overflow_are_an_error_with_the_advice_to_scale(
    order: str, keep: str, fitted: bool
) -> None:
    estimator = Perceptron(order=order, keep=keep, random_state=0)
    if fitted:
        estimator.fit(X[:, :2], Y)
    with refused(estimator, *SCALE, error=WeightsOverflowError):
        estimator.fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("keep", KEEPS)
@new_and_fitted
def test_weights_that_overflow_in_partial_fit_are_an_error_with_the_advice_to_scale(
    keep: str, fitted: bool
) -> None:
    estimator = Perceptron(keep=keep)
    if fitted:
        estimator.partial_fit(X[:, :2], Y)
    with refused(estimator, *SCALE, error=WeightsOverflowError):
        estimator.partial_fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("keep", ["last", "best", "average", "vote"])
def test_weights_that_overflow_are_an_error_where_max_updates_cuts_the_epoch_short(
    keep: str,
) -> None:
    estimator = Perceptron(order="cyclic", keep=keep, max_updates=7)
    with refused(estimator, *SCALE, error=WeightsOverflowError):
        estimator.fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("order", ["cyclic", "batch"])
@pytest.mark.parametrize("keep", ["best", "average"])
def test_an_average_is_never_returned_with_weights_that_are_not_finite(
    order: str, keep: str
) -> None:
    """The last weights are finite here; the sums for the average may not be."""
    rows, labels = np.array([[1.0]] * 6 + [[1e308]]), [1] * 6 + [0]
    estimator = Perceptron(order=order, keep=keep, patience=None, max_iter=20)
    try:
        estimator.fit(rows, labels)
    except WeightsOverflowError:
        assert not hasattr(estimator, "classes_")
    else:
        assert np.isfinite(estimator.coef_).all()


def test_weights_that_overflow_only_in_the_units_of_eta0_are_an_error() -> None:
    estimator = Perceptron(eta0=1e300, random_state=0)
    with refused(estimator, error=WeightsOverflowError):
        estimator.fit(X * 1e10, Y)
