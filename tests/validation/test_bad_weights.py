"""Bad weights of rows and classes get one clear error, and the estimator is as it was before."""

from __future__ import annotations

from typing import Any

import numpy as np

from refusing import (
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

BAD_WEIGHTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "negative": (changed(np.ones(N), 7, -2.0), ("sample_weight", "-2.0", "row 7", "negative")),
    "nan": (changed(np.ones(N), 7, np.nan), ("sample_weight", "nan", "row 7", "finite")),
    "inf": (changed(np.ones(N), 7, np.inf), ("sample_weight", "inf", "row 7", "finite")),
    "all_zero": (np.zeros(N), ("weight zero",)),
    "too_few": (np.ones(3), ("sample_weight", "(3,)", f"{N} rows")),
    "two_dimensions": (np.ones((N, 1)), ("sample_weight", f"({N}, 1)", f"({N},)")),
    "text": (["heavy"] * N, ("heavy",)),
    "negative_number_for_all": (-1.0, ("sample_weight", "-1.0", "negative")),
}


@every_way
@new_and_fitted
@parametrize_cases("bad, says", BAD_WEIGHTS)
def test_bad_sample_weights_are_refused(
    way: Way, fitted: bool, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    with refused(estimator, *says):
        way.train(estimator, X, Y, sample_weight=bad)


BAD_CLASS_WEIGHTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "list": ([1, 2], ("class_weight=[1, 2]", "dict", "None")),
    "number": (3, ("class_weight=3", "dict", "None")),
    "unknown_key": ({0: 1, 2: 3}, ("class_weight", "key 2", "0", "1")),
    "text_key": ({"0": 1}, ("class_weight", "key '0'")),
    "negative": ({0: -1}, ("class_weight", "-1", "0 or greater")),
    "nan": ({0: np.nan}, ("class_weight", "nan", "finite")),
    "text": ({0: "heavy"}, ("class_weight", "'heavy'", "number")),
}


@both_ways_of_the_perceptron
@new_and_fitted
@parametrize_cases("bad, says", BAD_CLASS_WEIGHTS)
def test_a_bad_class_weight_is_refused(
    way: Way, fitted: bool, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(class_weight=bad)
    with refused(estimator, *says, error=InputError):
        way.train(estimator, X, Y)


def test_an_unknown_word_for_class_weight_is_refused() -> None:
    estimator = Perceptron(class_weight="unbalanced")
    with refused(estimator, "class_weight='unbalanced'", "'balanced'", "dict", error=InputError):
        estimator.fit(X, Y)


@new_and_fitted
def test_balanced_class_weights_are_refused_by_partial_fit(fitted: bool) -> None:
    estimator = PARTIAL_FIT.fitted() if fitted else PARTIAL_FIT.new()
    estimator.set_params(class_weight="balanced")
    with refused(estimator, "'balanced'", "partial_fit", "dict", error=InputError):
        estimator.partial_fit(X, Y)
