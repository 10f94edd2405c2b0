"""Bad parameters get one clear error, and the estimator is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common import KEEPS, ORDERS
from refusing import (
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

BAD_PARAMETERS: list[tuple[str, Any, tuple[str, ...]]] = [
    *(("order", bad, tuple(repr(o) for o in ORDERS)) for bad in ["sorted", None, 3, ["cyclic"]]),
    *(("keep", bad, tuple(repr(k) for k in KEEPS)) for bad in ["first", None, 3, ["best"]]),
    *(
        ("eta0", bad, ("finite number greater than 0",))
        for bad in [0, -1, -0.5, np.nan, np.inf, "1", True, None, 1j]
    ),
    *(
        ("margin", bad, ("finite number, 0 or greater",))
        for bad in [-1, -1e-300, np.nan, np.inf, "1", True, None]
    ),
    *(
        ("max_iter", bad, ("whole number, 1 or greater",))
        for bad in [0, -1, 1.5, True, "3", None, np.nan]
    ),
    *(
        ("max_updates", bad, ("whole number, 1 or greater", "None"))
        for bad in [0, -1, 1.5, True, "3", np.nan]
    ),
    *(("fit_intercept", bad, ("True or False",)) for bad in ["yes", 1, None]),
    *(("warm_start", bad, ("True or False",)) for bad in ["yes", 1, None]),
]


@both_ways_of_the_perceptron
@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad", "says"), BAD_PARAMETERS, ids=[f"{n}={b!r}" for n, b, _ in BAD_PARAMETERS]
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(
    way: Way, fitted: bool, name: str, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, f"{name}={bad!r}", *says, error=InputError):
        way.train(estimator, X, Y)


@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        *(("k", bad, "whole number, 1 or greater") for bad in [0, -1, 1.5, True, "3", None]),
        ("fit_intercept", "yes", "True or False"),
    ],
)
def test_a_bad_parameter_of_the_random_classifier_is_refused(
    fitted: bool, name: str, bad: Any, says: str
) -> None:
    estimator = RANDOM_FIT.fitted() if fitted else RANDOM_FIT.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, f"{name}={bad!r}", says, error=InputError):
        estimator.fit(X, Y)


@every_way
def test_a_bad_random_state_is_refused(way: Way) -> None:
    estimator = way.new().set_params(random_state="dice")
    with refused(estimator, "'dice'", "seed", error=ValueError):
        way.train(estimator, X, Y)
