"""A bad start gets one clear error, and the estimator is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common import KEEPS
from refusing import FIT, WORDS, X, Y, new_and_fitted, parametrize_cases, refused
from rosenblatt import Perceptron
from rosenblatt.errors import InputError


@new_and_fitted
@parametrize_cases(
    "start",
    {
        "short_coef": {"coef_init": np.ones(2)},
        "long_coef": {"coef_init": np.ones(4)},
        "column": {"coef_init": np.ones((3, 1))},
        "two_rows": {"coef_init": np.ones((2, 3))},
        "number_for_coef": {"coef_init": 1.0},
        "nan_coef": {"coef_init": [1, np.nan, 0]},
        "inf_coef": {"coef_init": [1, np.inf, 0]},
        "text_coef": {"coef_init": ["a", "b", "c"]},
        "ragged_coef": {"coef_init": [[1], [2, 3]]},
        "two_intercepts": {"intercept_init": [1, 2]},
        "nan_intercept": {"intercept_init": np.nan},
        "text_intercept": {"intercept_init": "a"},
    },
)
def test_a_bad_start_is_refused(fitted: bool, start: dict[str, Any]) -> None:
    estimator = FIT.fitted() if fitted else FIT.new()
    with refused(estimator, error=InputError, told=not fitted):
        estimator.fit(X, Y, **start)


def test_an_intercept_to_start_with_is_refused_without_an_intercept() -> None:
    estimator = Perceptron(fit_intercept=False)
    with refused(estimator, error=InputError, told=True, option="intercept_init", value=2.0):
        estimator.fit(X, Y, intercept_init=2.0)
    assert estimator.fit(X, Y, intercept_init=[0.0]).intercept_.tolist() == [0.0]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_another_number_of_features_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, error=InputError, told=True):
        estimator.fit(X[:, :2], Y)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_other_classes_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, error=InputError, told=True):
        estimator.fit(X[1:], WORDS[1:])
