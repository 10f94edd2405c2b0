"""Positive labels: one, several, or numbers on one side of another."""

import json

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError

QUALITY = [3, 5, 7, 8, 6, 7, 5]


def labels(values, **options):
    table = data.read(pd.DataFrame({"a": range(len(values)), "y": values}), target="y", **options)
    _, y, preprocessing = table.encode()
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again == preprocessing
    assert again.target.classes == sorted(set(y.tolist()))
    return y.tolist()


def test_several_labels_are_one_class():
    expected = ["7 or 8" if q in (7, 8) else "(not 7 or 8)" for q in QUALITY]
    assert labels(QUALITY, positive=[7, 8]) == expected
    assert labels(QUALITY, positive=("8", "7")) == expected
    assert labels(["x", "y", "z"], positive=["x", "z"]) == ["x or z", "(y)", "x or z"]


@pytest.mark.parametrize(
    ("values", "given", "expected"),
    [
        (["bad", "good"], "good", ["bad", "good"]),  # as they are: the second counts as +1
        (["bad", "good"], "bad", ["bad", "(good)"]),
        ([0, 1], 1, [0, 1]),
        ([0, 1], 0, ["0", "(1)"]),
        ([False, True], False, ["False", "(True)"]),
    ],
)
def test_of_two_labels_the_chosen_one_counts_as_plus_one(values, given, expected):
    assert labels(values * 3, positive=given) == expected * 3
    assert max(expected) == expected[values.index(given)]


def test_a_label_that_sorts_before_all_others_cannot_be_the_positive_one():
    """It would count as -1 without a word."""
    with raises(InputError) as caught:
        labels(["$5", "none", "$5"], positive="$5")
    assert caught.value.option == "positive"
    assert labels(["$5", "none", "$5"], positive="none") == ["$5", "none", "$5"]


@pytest.mark.parametrize(
    ("given", "holds"),
    [
        (">=7", lambda q: q >= 7),
        ("> 6.5", lambda q: q > 6.5),
        ("<6", lambda q: q < 6),
        ("≤5", lambda q: q <= 5),
    ],
)
def test_a_condition_on_numbers(given, holds):
    name = given.replace(" ", "").replace("≤", "<=")
    assert labels(QUALITY, positive=given) == [
        name if holds(q) else f"(not {name})" for q in QUALITY
    ]


def test_a_condition_needs_no_list_of_values():
    prices = np.linspace(0, 1, 30_000)
    assert labels(prices, positive=">=0.25").count(">=0.25") == (prices >= 0.25).sum()
    table = data.read(pd.DataFrame({"a": [1, 2, 3], "y": [1, 5, 9]}), target="y", positive=">4")
    preprocessing = table.encode()[2]
    _, y = preprocessing.transform_labelled(pd.DataFrame({"a": [1, 2], "y": [100, 2]}))
    assert y.tolist() == [">4", "(not >4)"], "numbers that were never seen"


def test_a_label_that_looks_like_a_condition_is_a_label():
    income = ["<=50K", ">50K", "?"]
    assert labels(income, positive=">50K") == ["(not >50K)", ">50K", "(not >50K)"]


@pytest.mark.parametrize("positive", [9, ">=9", ">=1", [3, 5, 6, 7, 8], [">=7", 3]])
def test_what_cannot_be_chosen(positive):
    with raises(InputError):
        labels(QUALITY, positive=positive)


def test_many_labels_are_told_how_to_choose():
    with raises(InputError):
        labels([*QUALITY, 5.5])
    with raises(InputError):
        labels(["1", "2", "?"])
    with raises(InputError):
        labels([*range(101)] * 3)
    with raises(InputError):  # one for almost every row
        labels([*range(11), 0, 1])


def test_many_labels_need_no_choice():
    assert labels(QUALITY) == QUALITY
    assert labels(["low", "none", "high"]) == ["low", "none", "high"]
    assert set(labels([*range(100)] * 2)) == set(range(100))
