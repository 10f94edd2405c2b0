"""A study of words: reference levels in the rule, the report, the model and the certificate."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl

from rosenblatt import Perceptron, data, load, model_file, study
from rosenblatt.report.terminal import detail_lines


def table(rare=3):
    """Towns that tell something, and a rare one whose rows are all "no"."""
    rng = np.random.default_rng(0)
    town = rng.choice(["Bern", "Paris", "Rome"], 300, p=[0.25, 0.25, 0.5])
    size = rng.normal(size=300).round(2)
    paid = size + (town == "Bern") + rng.normal(size=300) > 0.5
    label = np.where(paid, "yes", "no")
    town[:rare], label[:rare] = "Delft", "no"
    return pd.DataFrame({"size": size, "town": town, "paid": label})


def test_the_reference_is_named_in_all_that_is_told():
    found = study(table(), target="paid")
    document = found.to_dict()
    assert document["rule"]["references"] == ["town=Rome"]
    assert {c["name"]: c["reference"] for c in document["data"]["preprocessing"]} == {
        "size": None,
        "town": "Rome",
    }
    assert dict(detail_lines(document))["Rule"].endswith("weight 0: town=Rome")
    assert found.preprocessing.references == ["town=Rome"]
    assert "Reference levels of the one-hot encoding: town=Rome." in str(found.certificate)


def test_the_report_names_it_and_the_rare_category(tmp_path):
    study(table(), target="paid").save_report(tmp_path / "r.html")
    page = re.sub(r"<[^>]*>|\s+", " ", (tmp_path / "r.html").read_text())
    page = re.sub(r" +", " ", page)
    assert "Reference levels of the one-hot encoding, with weight 0: town=Rome" in page
    assert "(reference level Rome )" in page or "(reference level Rome)" in page
    assert "town=Delft : a rare category with rows of one label only." in page
    assert "Possible target leakage" not in page


def test_a_rare_category_is_no_leak():
    found = study(table(), target="paid")
    assert found.certificate.verdict == "quasi-complete separation"
    assert found.warnings == [
        "town=Delft has 3 rows, all labelled no. A rare category: merge it with another of the "
        "same column, or leave out the column town (ignore='town')."
    ]
    (warned,) = found.to_dict()["data"]["warnings"]
    assert (warned["kind"], warned["columns"]) == ("rare", ["town"])


def test_categories_of_any_library_give_the_same_study():
    frame = table()
    expected = study(frame, target="paid")
    for other in (
        frame.astype({"town": "category"}),
        pl.from_pandas(frame).with_columns(pl.col("town").cast(pl.Categorical)),
    ):
        found = study(other, target="paid")
        assert found.preprocessing == expected.preprocessing
        assert found.certificate == expected.certificate
        assert found.estimator.coef_.tobytes() == expected.estimator.coef_.tobytes()


def test_a_model_without_a_reference_predicts_the_same_bits(shell):
    """Its preprocessing has a column for every word."""
    frame = table()
    X, y, preprocessing = data.read(frame, target="paid").encode()
    words = ["Bern", "Delft", "Paris", "Rome"]
    X = np.column_stack([X[:, 0], *(frame["town"] == word for word in words)])
    p = Perceptron(random_state=0).fit(X, y)
    document = preprocessing.to_dict()
    document["columns"][1]["reference"] = None
    model_file.save(p, "old.json", preprocessing=document)
    frame.drop(columns="paid").to_csv("new.csv", index=False)
    code, out, _ = shell("predict", "old.json", "new.csv", "--json")
    scores = np.array([row["score"] for row in json.loads(out)["rows"]])
    assert code == 0
    assert scores.tobytes() == p.decision_function(X).tobytes()
    assert load("old.json").predict(X).tolist() == p.predict(X).tolist()
