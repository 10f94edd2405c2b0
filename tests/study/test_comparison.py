"""What other methods make of the same rows: said first where a line does not fit; never lost."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import Perceptron, study
from rosenblatt._study.error_analysis import does_not_fit
from rosenblatt._study.one_column import OneColumn
from rosenblatt._study.telling_columns import telling_columns
from rosenblatt._util.spelling import option
from rosenblatt.data import read
from rosenblatt.selection import select
from rosenblatt.selection.criterion import Criterion

sizes = import_module("rosenblatt.selection.candidates")  # the package has a function of that name


def kinds(found):
    return [w["kind"] for w in found.to_dict()["data"]["warnings"]]


def compared(found):
    return {c["name"]: c["test_errors"] for c in found.to_dict()["comparisons"]}


def ring(n=400, seed=0):
    x = np.random.default_rng(seed).standard_normal((n, 2))
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "out": (x**2).sum(axis=1) > 1.4})


# --- A line does not fit --------------------------------------------------------------------------


@pytest.mark.parametrize("points", [False, True])
def test_where_boosting_is_far_better_that_is_said_first(points):
    ring_is_told = study(ring(), target="out", linear_only=True, scorecard=points)
    assert kinds(ring_is_told)[0] == "does not fit"
    assert "boosting" in ring_is_told.warnings[0]


@pytest.mark.parametrize("objective", ["cost", "balanced"])
def test_it_is_said_of_what_decides(objective):
    frame = ring(300)
    criterion = Criterion.of(["False", "True"], objective, {("True", "False"): 1.5})
    assert does_not_fit(compare(frame[["a", "b"]].to_numpy(), frame["out"], criterion))


def test_a_line_that_fits_is_not_called_wrong(heavy):
    rng = np.random.default_rng(0)
    for _ in range(heavy(100)):
        X = rng.standard_normal((300, 3))
        y = X @ [1, -1, 0.5] + rng.standard_normal(300) > 0
        assert does_not_fit(compare(X, y)) == []


def compare(X, y, criterion=None):
    rules = {"average": Perceptron(keep="average", random_state=0)}
    return select(
        X,
        y,
        rules,
        comparison_rules=sizes.comparison_rules(*X.shape, 2),
        criterion=criterion,
        retrain=True,
    )


# --- The comparison can be had of any table -------------------------------------------------------


@pytest.mark.parametrize("which", ["wide", "large", "sparse"])
def test_what_is_not_compared_can_be_forced(monkeypatch, which):
    monkeypatch.setattr(sizes, "_NUMBERS", 100 if which == "large" else 2_000_000)
    monkeypatch.setattr(sizes, "_TREES", 3 if which == "wide" else 150)
    frame = ring(200)
    X, y = frame[["a", "b", "a", "b"]].to_numpy(), frame["out"]
    rows = sparse.csr_matrix(X) if which == "sparse" else X
    usual, forced = (study(rows, y, comparison=comparison) for comparison in (None, True))
    left_out = usual.to_dict()["not_tried"]
    if which == "sparse":  # boosting cannot be forced, and that is what is said
        assert option("comparison", True) not in left_out["boosting"]
        assert compared(forced).keys() >= {"logistic"}
    else:
        assert option("comparison", True) in left_out["boosting"]
        assert compared(forced).keys() >= {"logistic", "boosting"}
    assert ("logistic" in compared(usual)) is (which != "large")


def test_of_sparse_rows_those_numbers_count_that_are_there():
    assert list(sizes.comparison_rules(1000, 50_000, 2, numbers=30_000)) == ["logistic"]


@pytest.mark.parametrize("costs", [None, {"open:closed": 3}])
def test_a_card_is_compared_with_the_same_as_another_rule(costs):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(300) * 40, "b": rng.choice([*"uvw"], 300)})
    hidden = frame["a"] / 40 + (frame["b"] == "u") + rng.standard_normal(300)
    frame["state"] = np.where(hidden > 0.3, "open", "closed")
    rule, card = (
        study(frame, target="state", linear_only=True, scorecard=points, costs=costs)
        for points in (False, True)
    )
    others = compared(rule)
    assert others.keys() >= {"larger class", "logistic", "boosting"}
    card_others = compared(card)
    margin = card_others.pop("average with margin")
    assert card_others == others
    if rule.selection.winner.name == "average with margin" and costs is None:
        assert margin == rule.selection.test_errors


# --- The best single column -----------------------------------------------------------------------


@pytest.mark.parametrize(("comparison", "cv"), [(None, None), (False, 2)])
def test_the_best_column_stands_beside_the_rule(comparison, cv):
    rng = np.random.default_rng(0)
    paid = rng.random(300) < 0.31
    frame = pd.DataFrame({"a": rng.standard_normal(300), "b": rng.standard_normal(300)})
    frame["state"] = np.where(paid ^ (rng.random(300) < 0.04), "closed", "open")
    found = study(frame.assign(paid=paid), target="paid", comparison=comparison, cv=cv)
    wrong = ((frame["state"] == "closed") != paid)[found.selection.test].sum()
    assert compared(found)["state alone"] == wrong


def test_codes_of_a_rare_label_are_a_leak():
    """No threshold tells the rows of code 4 from those of 3 and 5; its value does."""
    rng = np.random.default_rng(0)
    dead = rng.random(4000) < 0.045
    code = np.where(dead, 4, rng.choice([0, 1, 2, 3, 5], 4000))
    code[rng.random(4000) < 0.005] = 4
    frame = pd.DataFrame({"a": rng.standard_normal(4000).round(2), "code": code, "dead": dead})
    found = study(frame, target="dead", linear_only=True)
    (warned,) = (w for w in found.to_dict()["data"]["warnings"] if w["kind"] == "revealing")
    assert warned["columns"] == ["code"]
    assert compared(found)["code alone"] < compared(found)["larger class"] / 5


@pytest.mark.parametrize("rows", [40, 200, 1000])
def test_what_chance_tells_is_no_leak(rows, heavy):
    """Columns of numbers, codes and words that have nothing to do with a rare label."""
    rng = np.random.default_rng(rows)
    suspects = 0
    for _ in range(heavy(100)):
        frame = pd.DataFrame(rng.standard_normal((rows, 10)).round(1)).add_prefix("x")
        frame["code"] = rng.integers(0, 15, rows)
        frame["word"] = [f"w{k}" for k in rng.integers(0, rows // 6, rows)]
        frame["label"] = np.where(rng.permutation(rows) < max(5, rows // 20), "yes", "no")
        X, y, encoding = read(frame, target="label").encode()
        suspects += len(telling_columns(X, y, encoding))
    assert suspects <= max(1, heavy(100) // 25)  # one table in a hundred, by what is allowed


def test_one_column_by_hand():
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3, 4, 5, 6] * 10,
            "word": ["a", "b", "c", "a", "b", "c"] * 10,
            "label": ["no", "yes", "no", "no", "yes", "no"] * 10,
        }
    )
    X, y, encoding = read(frame, target="label", categorical=["word"]).encode()
    rule = OneColumn(list(encoding.columns)).fit(X, y)
    assert (rule.predict(X) == y).all()
    assert rule.column_ == "number"  # of equals the first
    assert OneColumn([encoding.columns[1]]).fit(X[:, 1:], y).column_ == "word"
