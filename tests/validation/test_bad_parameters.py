"""Bad parameters get one clear error, and the estimator is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common import KEEPS, ORDERS
from refusing import (
    FIT,
    RANDOM_FIT,
    Way,
    X,
    Y,
    both_ways_of_the_perceptron,
    every_way,
    new_and_fitted,
    refused,
)
from rosenblatt.errors import InputError

BAD_PARAMETERS: list[tuple[str, Any]] = [
    *(("order", bad) for bad in ["sorted", None, 3, ["cyclic"]]),
    *(("keep", bad) for bad in ["first", None, 3, ["best"]]),
    *(("eta0", bad) for bad in [0, -1, -0.5, np.nan, np.inf, "1", True, None, 1j]),
    *(("margin", bad) for bad in [-1, -1e-300, np.nan, np.inf, "1", True, None]),
    *(("max_iter", bad) for bad in [0, -1, 1.5, True, "3", None, np.nan]),
    *(("max_updates", bad) for bad in [0, -1, 1.5, True, "3", np.nan]),
    *(("fit_intercept", bad) for bad in ["yes", 1, None]),
    *(("warm_start", bad) for bad in ["yes", 1, None]),
]
ALLOWED = {"order": ORDERS, "keep": KEEPS}


@both_ways_of_the_perceptron
@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad"), BAD_PARAMETERS, ids=[f"{n}={b!r}" for n, b in BAD_PARAMETERS]
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(
    way: Way, fitted: bool, name: str, bad: Any
) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, error=InputError, option=name, value=bad) as caught:
        way.train(estimator, X, Y)
    if name in ALLOWED:
        assert set(ALLOWED[name]) <= set(caught.value.allowed)


@pytest.mark.parametrize("name", ["eta0", "margin", "max_iter", "max_updates", "fit_intercept"])
def test_a_bad_parameter_is_told_with_what_is_allowed(name: str) -> None:
    with refused(estimator := FIT.new(**{name: "1"}), error=InputError, told=True):
        estimator.fit(X, Y)


@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad"),
    [*(("k", bad) for bad in [0, -1, 1.5, True, "3", None]), ("fit_intercept", "yes")],
)
def test_a_bad_parameter_of_the_random_classifier_is_refused(
    fitted: bool, name: str, bad: Any
) -> None:
    estimator = RANDOM_FIT.fitted() if fitted else RANDOM_FIT.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, error=InputError, option=name, value=bad):
        estimator.fit(X, Y)


@every_way
def test_a_bad_random_state_is_refused(way: Way) -> None:
    estimator = way.new().set_params(random_state="dice")
    with refused(estimator, error=ValueError):
        way.train(estimator, X, Y)
