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
    "start, says",
    {
        "short_coef": ({"coef_init": np.ones(2)}, ("coef_init", "(2,)", "3 features", "(1, 3)")),
        "long_coef": ({"coef_init": np.ones(4)}, ("coef_init", "(4,)", "3 features")),
        "column": ({"coef_init": np.ones((3, 1))}, ("coef_init", "(3, 1)", "(1, 3)")),
        "two_rows": ({"coef_init": np.ones((2, 3))}, ("coef_init", "(2, 3)", "(1, 3)")),
        "number_for_coef": ({"coef_init": 1.0}, ("coef_init", "()", "(1, 3)")),
        "nan_coef": ({"coef_init": [1, np.nan, 0]}, ("coef_init", "NaN", "finite")),
        "inf_coef": ({"coef_init": [1, np.inf, 0]}, ("coef_init", "infinity", "finite")),
        "text_coef": ({"coef_init": ["a", "b", "c"]}, ("coef_init", "not a number", "'a'")),
        "ragged_coef": ({"coef_init": [[1], [2, 3]]}, ("coef_init", "not a number")),
        "two_intercepts": ({"intercept_init": [1, 2]}, ("intercept_init=[1, 2]", "one number")),
        "nan_intercept": ({"intercept_init": np.nan}, ("intercept_init", "NaN", "finite")),
        "text_intercept": ({"intercept_init": "a"}, ("intercept_init", "not a number", "'a'")),
    },
)
def test_a_bad_start_is_refused(fitted: bool, start: dict[str, Any], says: tuple[str, ...]) -> None:
    estimator = FIT.fitted() if fitted else FIT.new()
    with refused(estimator, *says, error=InputError):
        estimator.fit(X, Y, **start)


def test_an_intercept_to_start_with_is_refused_without_an_intercept() -> None:
    estimator = Perceptron(fit_intercept=False)
    with refused(
        estimator, "intercept_init=2.0", "fit_intercept=False", "origin", error=InputError
    ):
        estimator.fit(X, Y, intercept_init=2.0)
    assert estimator.fit(X, Y, intercept_init=[0.0]).intercept_.tolist() == [0.0]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_another_number_of_features_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, "3 features", "2", "warm_start=False", error=InputError):
        estimator.fit(X[:, :2], Y)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_other_classes_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, "classes", "yes", "warm_start=False", error=InputError):
        estimator.fit(X[1:], WORDS[1:])
