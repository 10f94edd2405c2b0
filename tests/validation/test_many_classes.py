"""What is for two classes only says so; what does not fit the classes is refused."""

import numpy as np
import pytest

import rosenblatt
from raising import raises
from refusing import refused
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 4)), np.arange(30) % 3


def test_what_is_for_two_classes_names_the_way():
    with raises(InputError):
        rosenblatt.minimum_errors(X, Y)


def test_proofs_are_about_all_classes_together():
    estimator = Perceptron(prove=True, multi_class="ovr")
    with refused(estimator, error=InputError, told=True):
        estimator.fit(X, Y)


@pytest.mark.parametrize(
    ("choices", "given"),
    [
        ({"multi_class": "one"}, {}),
        ({}, {"coef_init": np.zeros(4)}),
        ({}, {"intercept_init": 1.0}),
        ({"class_weight": {1: 0}}, {}),
        ({"class_weight": {5: 1}}, {}),
        ({}, {"X_val": X, "y_val": Y + 1}),
        ({}, {"X_val": X, "y_val": ["a"] * 30}),
    ],
)
@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_what_does_not_fit_the_classes_is_refused(kind, choices, given):
    estimator = Perceptron(**{"multi_class": kind} | choices)
    with refused(estimator, error=InputError, told=kind == "joint"):
        estimator.fit(X, Y, **given)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_labels_of_rows_of_weight_zero_have_no_say():
    labels = np.array(["a", "b", "c"], dtype=object)[Y]
    labels[4], weight = None, np.where(np.arange(30) == 4, 0.0, 1.0)
    p = Perceptron(max_iter=5, random_state=0).fit(X, labels, weight)
    assert p.classes_.tolist() == ["a", "b", "c"]
    assert not p.update_counts_.toarray()[4].any()
