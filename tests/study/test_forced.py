"""What the rows force, in a study and in its report."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from rosenblatt import certify, study
from rosenblatt._study import robustness, verdict
from rosenblatt.report import render
from rosenblatt.report.terminal import detail_lines

pytestmark = pytest.mark.in_full


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :2].assign(kind=np.where(y, "benign", "malignant"))


@pytest.fixture(scope="module")
def found(cancer):
    return study(cancer, target="kind", thorough=True)


def test_the_fewest_errors_and_the_signs(found):
    """55 with radius and texture: known from minimum_errors; the malignant are larger."""
    told = found.to_dict()["forced"]
    assert (told["rows"], told["at_least"], told["errors"]) == (569, 55, 55)
    assert [(c["feature"], c["sign"]) for c in told["columns"]] == [
        ("mean radius", "+"),
        ("mean texture", "+"),
    ]
    for column in told["columns"]:
        assert column["otherwise_at_most"] >= column["otherwise_at_least"] > 55
    sentence = (
        "No linear rule makes fewer than 55 errors on these 569 rows. Every rule with at most 55 "
        "errors gives a positive weight to mean radius, mean texture (positive speaks for "
        "malignant). "
    )
    assert told["sentence"].startswith(sentence)
    for column in told["columns"]:
        gap, firm = column["otherwise_at_least"] - 55, column["tolerates_labels"]
        assert 2 * firm < gap <= 2 * (firm + 1)
        assert column["tolerates_rows"] == gap - 1
        even = f"{column['feature']} is positive in every best rule, even if any {firm} of the 569"
        assert even in told["sentence"]
    end = f"The rule above makes {told['rule_errors']}, so it is not bound by this."
    assert told["sentence"].endswith(end)
    assert told["rule_errors"] > 55
    assert "at least 55 of all 569 rows (proved)" in " ".join(str(found).split())


def test_the_report_shows_it(found):
    page = render(found.to_dict())
    text = " ".join(re.sub("<[^>]+>", " ", page[page.index('id="fewest"') :]).split())
    assert "No linear rule makes fewer than 55 errors" in text
    assert "If even the lower end is above 55, the sign is forced" in text
    assert "mean radius + forced" in text
    assert json.loads(re.search(r'id="report">(.*?)</script>', page, re.S)[1])["forced"]


def test_rows_without_a_label_do_not_count(cancer, found):
    """They are in the table with no label, and left out of the verdict as well."""
    more = pd.concat([cancer.head(3).assign(kind=None), cancer])
    assert (
        study(more, target="kind", drop_unlabelled=True, thorough=True).to_dict()["forced"]
        == found.to_dict()["forced"]
    )


def test_it_is_the_same_every_time_although_it_is_cut_short(monkeypatch):
    monkeypatch.setattr(robustness, "SIGNS_WORK", 200_000)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 8)).round(2)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(y=X[:, 0] + rng.normal(size=120) > 0)
    one, two = (study(frame, target="y", thorough=True).to_dict()["forced"] for _ in range(2))
    assert one == two
    assert one["at_least"] < one["errors"]
    assert any(c["sign"] is None and not c["free"] for c in one["columns"])


def overlapping(columns):
    rng = np.random.default_rng(1)
    return rng.standard_normal((60, columns)).round(2), rng.random(60)


def test_where_nothing_is_asked():
    X, chance = overlapping(11)
    two, three = np.digitize(chance, [0.5]), np.digitize(chance, [0.3, 0.6])
    for rows, labels in [
        (X[:, :2], X[:, 0] > 0),  # separable
        (X[:, :2], three),  # three classes
        (X, two),  # eleven columns
    ]:
        assert study(rows, labels, thorough=True).to_dict()["forced"] is None
    assert study(X[:, :2], two, thorough=True).to_dict()["forced"] is not None


def test_lines_say_which_rows_they_are_about(found):
    said = dict(detail_lines(found.to_dict()))
    assert said["Verdict"].startswith("(the whole table) Overlap: no linear rule")
    assert said["Training"].startswith("The 455 training rows alone are not separable")


def test_it_is_not_searched_for_unasked(cancer):
    found = study(cancer, target="kind", comparison=False).to_dict()
    assert [found[part] for part in ("forced", "opinions", "progressive")] == [None] * 3


def test_what_holds_for_all_rows_holds_for_those_that_trained():
    """Of a separable table the training rows are separable, however little time there was."""
    apart, mixed = certify([[0], [1], [2]], [0, 0, 1]), certify([[0], [1], [2]], [0, 1, 0])
    told = verdict.training(None, 24, None, apart)
    assert told["sentence"] == (
        "The 24 training rows are separable, as all rows are; their margin is not known."
    )
    undecided = "Whether the 24 training rows alone are separable is undecided."
    for whole in (mixed, None):
        assert verdict.training(None, 24, None, whole)["sentence"] == undecided
