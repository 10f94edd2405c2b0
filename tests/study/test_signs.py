"""Signs that are demanded in the main job: the rule has them, and the price is said and proved."""

import json

import numpy as np
import pandas as pd
import pytest

from commands import CREDIT
from raising import raises
from rosenblatt import study
from rosenblatt.errors import InputError
from rosenblatt.report import render

LATER = ["share", "expenditure"]


@pytest.fixture(scope="module")
def found():
    signs = {"income": "-", "owner=yes": "+"}
    return study(CREDIT, target="card", ignore=LATER, signs=signs, comparison=False)


def test_the_rule_has_the_signs(found):
    weights = {term["feature"]: term["weight"] for term in found.to_dict()["rule"]["terms"]}
    assert weights["income"] <= 0
    assert weights["owner=yes"] >= 0
    assert not [c for c in found.to_dict()["candidates"] if "kernel" in c["name"]]


def test_the_price_is_said(found):
    price = found.to_dict()["price"]
    assert price["signs"] == {"income": "-", "owner=yes": "+"}
    assert (price["rows"], price["at_least"] >= 0) == (1319, True)
    assert 100 < price["errors_at_least"] <= price["errors_at_most"] < 230
    assert price["sentence"] in " ".join(str(found).split())
    assert price["sentence"] in render(found.to_dict())
    assert "--sign income:- --sign owner=yes:+" in json.dumps(found.to_dict()["reproduce"])


def test_without_signs_nothing_is_said():
    X = np.random.default_rng(0).standard_normal((80, 2))
    assert study(X, X[:, 0] > 0, comparison=False).to_dict()["price"] is None


@pytest.mark.parametrize(
    "signs",
    [{"incme": "+"}, {"owner": "+"}, {"income": "up"}, ["+"], "income:+", {1: "+"}],
    ids=repr,
)
def test_what_cannot_be_demanded_is_an_error_before_training(signs):
    with raises(InputError, option="signs"):
        study(CREDIT, target="card", ignore=LATER, signs=signs)


def test_what_does_not_go_together():
    with raises(InputError, option="signs"):
        study(CREDIT, target="card", signs={"income": "+"}, stream=True)


def test_the_points_of_a_card_have_the_signs_and_those_of_words_beside_the_reference_level():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"home": rng.choice(["own", "parents", "rent"], 400), "income": rng.integers(0, 9, 400)}
    )
    points = 2 * (table["home"] != "rent") + (table["income"] >= 4) + rng.integers(-1, 2, 400)
    table["paid"] = np.where(points >= 2, "yes", "no")
    signs = {"home=own": "-", "income": "-"}
    found = study(table, target="paid", scorecard=True, signs=signs, comparison=False)
    terms = found.to_dict()["rule"]["card"]["terms"]
    assert terms
    for term in terms:
        assert term["feature"] != "home=rent"  # the reference level
        assert not (term["feature"] == "income" and term["points"] > 0)
        assert not (term["feature"] == "home=own" and term["points"] > 0)
    assert found.to_dict()["price"]["at_least"] > 0
    beside = study(table, target="paid", signs={"income": "+"}).to_dict()["card"]
    assert not [t for t in beside["terms"] if t["feature"] == "income" and t["points"] < 0]
