"""Bad labels and classes get one clear error, and the estimator is as it was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from common import KEEPS
from refusing import (
    FIT,
    PARTIAL_FIT,
    RANDOM_FIT,
    WORDS,
    N,
    Way,
    X,
    Y,
    both_ways_of_the_perceptron,
    changed,
    every_way,
    parametrize_cases,
    refused,
)
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

# --- Labels ---------------------------------------------------------------------------------------


BAD_LABELS: dict[str, Any] = {
    "none": None,
    "one_class": np.ones(N, dtype=int),
    "one_text_class": ["spam"] * N,
    "continuous": X[:, 0],
    "continuous_with_two_values": np.where(Y > 0, 0.5, 1.5),
    "nan": changed(Y.astype(float), 3, np.nan),
    "nan_as_one_of_two": np.where(Y > 0, 1.0, np.nan),
    "nan_in_objects": changed(Y.astype(float).astype(object), 3, np.nan),
    "nan_among_text": changed(WORDS.astype(object), 3, np.nan),
    "none_among_text": changed(WORDS.astype(object), 3, None),
    "inf": changed(Y.astype(float), 3, np.inf),
    "text_and_numbers": changed(WORDS.astype(object), 3, 1),
    "text_and_numbers_in_a_list": ["no", 1] * (N // 2),
    "too_few": Y[:-1],
    "too_many": np.append(Y, 1),
    "two_columns": np.c_[Y, Y],
    "sparse": sparse.csr_matrix(Y),
}


@every_way
@parametrize_cases("bad", BAD_LABELS)
def test_bad_labels_are_refused(way: Way, bad: Any) -> None:
    estimator = way.new()
    with refused(estimator, told=way is FIT):
        way.train(estimator, X, bad)


@pytest.mark.parametrize("way", [FIT, RANDOM_FIT], ids=["fit", "random_linear_fit"])
@parametrize_cases("bad", BAD_LABELS)
def test_bad_labels_leave_a_fitted_estimator_as_it_was(way: Way, bad: Any) -> None:
    trained = way.fitted()
    scores = trained.decision_function(X)
    with refused(trained):
        way.train(trained, X, bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@pytest.mark.parametrize("keep", KEEPS)
@parametrize_cases(
    "bad",
    {
        "unknown": changed(Y, 4, 7),
        "three": np.arange(N) % 3,
        "text": WORDS,
        "continuous": X[:, 0],
        "nan": changed(Y.astype(float), 3, np.nan),
        "none": None,
        "too_few": Y[:-1],
    },
)
def test_bad_labels_leave_a_partially_fitted_estimator_as_it_was(keep: str, bad: Any) -> None:
    trained = PARTIAL_FIT.fitted(keep=keep)
    scores = trained.decision_function(X)
    with refused(trained, told=keep == "last"):
        trained.partial_fit(X, bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@every_way
def test_one_class_only_after_rows_of_weight_zero_are_dropped_is_refused(way: Way) -> None:
    estimator = way.new()
    with refused(estimator, error=InputError, told=way is FIT):
        way.train(estimator, X, Y, sample_weight=Y)


@both_ways_of_the_perceptron
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_after_class_weight_zero_is_refused(way: Way, label: int) -> None:
    estimator = way.new(class_weight={label: 0})
    with refused(estimator, error=InputError, told=way is FIT):
        way.train(estimator, X, Y)


@every_way
@pytest.mark.parametrize("third", [7, 0.25], ids=["whole", "fraction"])
def test_a_third_label_on_rows_of_weight_zero_only_is_fine(way: Way, third: float) -> None:
    weight = changed(np.ones(N), 4, 0)
    labels = changed(Y.astype(float), 4, third)
    trained = way.train(way.new(), X, labels, sample_weight=weight)
    assert trained.classes_.tolist() == [0, 1]
    same = way.train(way.new(), X, Y, sample_weight=weight)
    np.testing.assert_array_equal(trained.coef_, same.coef_)


def test_a_third_label_on_rows_of_weight_zero_is_fine_in_a_later_partial_fit() -> None:
    weight = changed(np.ones(N), 4, 0)
    trained = PARTIAL_FIT.fitted().partial_fit(X, changed(Y, 4, 7), sample_weight=weight)
    same = PARTIAL_FIT.fitted().partial_fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(trained.coef_, same.coef_)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: FIT.new().fit(X, ["spam"] * N),
        lambda: FIT.new().fit(X, np.ones(N, dtype=int)),
        lambda: FIT.new(class_weight={1: 0}).fit(X, Y),
        lambda: FIT.new(class_weight={2: 1}).fit(X, Y),
        lambda: PARTIAL_FIT.fitted().partial_fit(X, changed(Y, 4, 7)),
        lambda: PARTIAL_FIT.fitted().partial_fit(X, Y, classes=[0, 2]),
    ],
    ids=["text", "number", "class_weight", "class_weight_key", "unknown", "classes"],
)
def test_a_message_shows_labels_as_the_user_wrote_them(bad: Callable[[], Any]) -> None:
    with pytest.raises(InputError) as caught:
        bad()
    assert "np." not in str(caught.value)


# --- The classes of partial_fit -------------------------------------------------------------------


def test_a_first_partial_fit_with_one_class_says_to_give_the_classes() -> None:
    estimator = Perceptron()
    with refused(estimator, error=InputError, told=True):
        estimator.partial_fit(X, np.ones(N, dtype=int))
    estimator.partial_fit(X, np.ones(N, dtype=int), classes=[0, 1])
    assert estimator.classes_.tolist() == [0, 1]


@parametrize_cases(
    "classes",
    {
        "one": [1],
        "one_twice": [1, 1],
        "three_others": [0, 2, 3],
        "others": [0, 2],
    },
)
def test_bad_classes_are_refused_by_a_first_partial_fit(classes: Any) -> None:
    estimator = Perceptron()
    with refused(estimator, error=InputError, told=True):
        estimator.partial_fit(X, Y, classes=classes)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("way", [FIT, PARTIAL_FIT], ids=["after_fit", "after_partial_fit"])
@pytest.mark.parametrize("classes", [[0, 2], ["no", "yes"]])
def test_other_classes_are_refused_by_a_later_partial_fit(
    keep: str, way: Way, classes: list[Any]
) -> None:
    trained = way.fitted(keep=keep)
    with refused(trained, error=InputError, option="classes", value=classes):
        trained.partial_fit(X, Y, classes=classes)
    trained.partial_fit(X, Y, classes=[1, 0])  # the same ones in another order


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_label_that_is_not_finite_is_named_by_its_row(bad: float) -> None:
    with pytest.raises(InputError) as caught:
        Perceptron().fit(X, changed(Y.astype(float), 3, bad))
    assert caught.value.row == 3
