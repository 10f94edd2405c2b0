"""Scorecards as PMML: points, labels and reasons, by an engine that follows the specification."""

import numpy as np
import pandas as pd
import pytest

from pmml_engine import score
from raising import raises
from rosenblatt import Perceptron, Scorecard, data
from rosenblatt._training.card_rule import Card, Term
from rosenblatt.errors import InputError
from rosenblatt.formulas import to_pmml

N = 600


def table(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "reports": rng.integers(0, 6, N).astype(float),
            "age": np.round(rng.uniform(18, 80, N), 1),
            "town": rng.choice(["Rome", "O'Hara", 'a "b" <&>', "rare", None], N),
            "own": rng.random(N) < 0.5,
        }
    )
    frame.loc[rng.random(N) < 0.1, "age"] = np.nan
    noisy = frame["reports"] + (frame["town"] == "Rome") - frame["own"] + rng.normal(size=N)
    return frame.assign(y=np.where(noisy > 2.5, "it's", "no"))


def rows_of(frame):
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("options", [{}, {"min_count": 150}])
def test_points_and_labels_are_those_of_the_card(scale, options):
    learned = data.read(table(), target="y", impute="mean", **options)
    X, y, preprocessing = learned.encode(scale=scale)
    card = Scorecard(max_terms=6).fit(X, y)
    new = table(1).drop(columns="y")
    if options:
        new.loc[3, "town"] = "never seen"
    rows = preprocessing.transform(new)
    text = to_pmml(card, preprocessing=preprocessing)
    found = [score(text, row) for row in rows_of(new)]
    assert [f["points"] for f in found] == card.points(rows).tolist()
    assert [f["predicted"] for f in found] == card.predict(rows).tolist()


def test_every_kind_of_term():
    learned = data.read(table(), target="y", impute="mean", min_count=150)
    X, y, preprocessing = learned.encode(scale=False)
    card, names = Scorecard(max_terms=2).fit(X, y), preprocessing.feature_names
    terms = [Term(j, cut) for j in range(len(names)) for cut in (None, 0.5, 1.5, -1.0)]
    card._rule = Card(tuple(terms), tuple(range(-7, len(terms) - 7)), 20)
    text = to_pmml(card, preprocessing=preprocessing)
    rows = table(2).drop(columns="y")
    found = [score(text, row)["points"] for row in rows_of(rows)]
    assert found == card._rule.totals(preprocessing.transform(rows)).tolist()


def test_reasons_are_the_terms_that_cost_the_most():
    frame = table()[["reports", "age"]].fillna(30)
    card = Scorecard(max_terms=2).fit(frame, table()["y"])
    card._rule = Card((Term(0, 3.0), Term(1, 40.0), Term(1, 60.0)), (-5, 2, 3), 0)
    text = to_pmml(card)
    seen = score(text, {"reports": 4.0, "age": 50.0})
    assert seen["points"] == -3.0
    reasons = [seen[f"reason_{k}"] for k in (1, 2, 3)]
    assert reasons == ["reports >= 3", "age >= 60", "age >= 40"]  # they cost 5, 3 and 0 points


def test_what_is_missing_or_not_known_has_no_points():
    frame = table().dropna()
    X, y, preprocessing = data.read(frame, target="y").encode(scale=False)
    card = Scorecard(max_terms=6).fit(X, y)
    names = preprocessing.feature_names
    card._rule = Card(tuple(Term(j, 0.5) for j in range(len(names))), (1,) * len(names), 1)
    row = rows_of(frame.drop(columns="y"))[0]
    text = to_pmml(card, preprocessing=preprocessing)
    assert score(text, row) is not None
    for name in row:
        assert score(text, row | {name: None}) is None
    assert score(text, row | {"town": "Oslo"}) is None
    lenient = to_pmml(card, preprocessing=preprocessing, on_unseen="reference")
    reference = preprocessing.columns[2].reference
    assert score(lenient, row | {"town": "Oslo"}) == score(lenient, row | {"town": reference})


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["<a>", "é"]])
def test_labels_of_every_kind(labels):
    y = [labels[0]] * 3 + [labels[1]] * 3
    card = Scorecard(max_terms=1).fit([[0], [1], [1], [5], [6], [7]], y)
    text = to_pmml(card)
    assert [score(text, {"x0": x})["predicted"] for x in (0, 7)] == labels


def test_linear_rules_are_refused():
    with raises(InputError):
        to_pmml(Perceptron().fit([[0], [1]], [0, 1]))
