"""Bad weights of rows and classes get one clear error, and the estimator is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np

from refusing import (
    FIT,
    PARTIAL_FIT,
    N,
    Way,
    X,
    Y,
    both_ways_of_the_perceptron,
    changed,
    every_way,
    new_and_fitted,
    parametrize_cases,
    refused,
)
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

BAD_WEIGHTS: dict[str, Any] = {
    "negative": changed(np.ones(N), 7, -2.0),
    "nan": changed(np.ones(N), 7, np.nan),
    "inf": changed(np.ones(N), 7, np.inf),
    "all_zero": np.zeros(N),
    "too_few": np.ones(3),
    "two_dimensions": np.ones((N, 1)),
    "text": ["heavy"] * N,
    "negative_number_for_all": -1.0,
}


@every_way
@new_and_fitted
@parametrize_cases("bad", BAD_WEIGHTS)
def test_bad_sample_weights_are_refused(way: Way, fitted: bool, bad: Any) -> None:
    estimator = way.fitted() if fitted else way.new()
    with refused(estimator, told=way is FIT and not fitted):
        way.train(estimator, X, Y, sample_weight=bad)


BAD_CLASS_WEIGHTS: dict[str, Any] = {
    "list": [1, 2],
    "number": 3,
    "unknown_key": {0: 1, 2: 3},
    "text_key": {"0": 1},
    "negative": {0: -1},
    "nan": {0: np.nan},
    "text": {0: "heavy"},
}


@both_ways_of_the_perceptron
@new_and_fitted
@parametrize_cases("bad", BAD_CLASS_WEIGHTS)
def test_a_bad_class_weight_is_refused(way: Way, fitted: bool, bad: Any) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(class_weight=bad)
    with refused(estimator, error=InputError, told=way is FIT and not fitted):
        way.train(estimator, X, Y)


def test_an_unknown_word_for_class_weight_is_refused() -> None:
    estimator = Perceptron(class_weight="unbalanced")
    with refused(estimator, error=InputError, option="class_weight", value="unbalanced"):
        estimator.fit(X, Y)


@new_and_fitted
def test_balanced_class_weights_are_refused_by_partial_fit(fitted: bool) -> None:
    estimator = PARTIAL_FIT.fitted() if fitted else PARTIAL_FIT.new()
    estimator.set_params(class_weight="balanced")
    with refused(estimator, error=InputError, told=True):
        estimator.partial_fit(X, Y)
