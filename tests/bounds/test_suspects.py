"""Suspect labels: planted ones come first, reasons are true, and what is proved is proved."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from raising import check_sentence, raises
from rosenblatt import minimum_errors, suspect_labels, suspects
from rosenblatt.errors import InputError
from rosenblatt.suspect_labels import Suspects


@pytest.fixture(scope="module", autouse=True)
def smaller():
    """Fewer trees and rules: the tests are about what is said of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suspect_labels, "_TREES", 15)
        patch.setattr(suspect_labels, "_RULES", 8)
        yield


@pytest.fixture(scope="module")
def planted():
    X, y = load_breast_cancer(return_X_y=True)
    bad = np.random.default_rng(1).choice(len(y), 28, replace=False)
    y[bad] = 1 - y[bad]
    return X[:, :6], y, set(bad.tolist())


@pytest.fixture(scope="module")
def found(planted):
    return suspects(*planted[:2], time_limit=1)


def test_most_of_the_first_are_planted(planted, found):
    first = found.ranking[:28].tolist()
    assert len(planted[2] & set(first)) >= 22
    assert [one.row for one in found] == first[:20]
    assert (np.diff(found.scores[found.ranking]) <= 0).all()
    assert sorted(found.ranking.tolist()) == list(range(569))


def test_reasons_are_what_the_table_says(planted, found):
    X, y, _ = planted
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    for one in found:
        assert one.label == y[one.row]
        far = ((scaled - scaled[one.row]) ** 2).sum(axis=1)
        far[one.row] = np.inf
        nearest = y[np.argsort(far)[:10]]
        others = int((nearest != one.label).sum())
        assert one.neighbours == (others if others > 5 else 0)
        assert one.neighbours >= 6 or one.in_all_rules or "give its label" in one.reason
    check_sentence(str(Suspects(list(found), found.ranking, found.scores, 9)))


def test_the_number_is_the_proved_one(planted, found):
    bracket = minimum_errors(*planted[:2], time_limit=1)
    assert 0 < found.contradicted <= bracket.upper


def test_equal_rows_with_other_labels_are_named():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100].copy()
    X[7], y[7] = X[60], 0
    one = next(one for one in suspects(X, y, time_limit=1) if one.row == 7)
    assert (one.twin, one.label, one.likely) == (60, 0, 1)
    assert "has the values of row 60 and another label" in one.reason


def test_any_container_and_several_labels():
    X, y = (part[::4] for part in load_iris(return_X_y=True))
    frame = suspects(pd.DataFrame(X), y, most=3)
    assert frame.contradicted is None
    assert len(frame) == 3
    assert len(suspects(sparse.csr_array(X[y < 2]), y[y < 2], most=5)) == 5
    words = pd.DataFrame({"a": np.arange(40.0), "town": np.resize(["Rome", "Oslo"], 40)})
    labels = np.where(np.arange(40) > 19, "yes", "no")
    labels[3] = "yes"
    assert suspects(words, labels)[0].row == 3


def test_refused():
    with raises(InputError):
        suspects([[1.0], [2.0], [3.0]], [0, 0, 1])
    with raises(InputError, option="most"):
        suspects([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], most=0)


def test_the_command_counts_rows_as_the_file_does(shell, tmp_path):
    n = 30
    table = pd.DataFrame({"x": np.arange(n), "y": np.where(np.arange(n) > 14, "yes", "no")})
    table.loc[4, "y"] = "yes"
    table.to_csv(tmp_path / "t.csv", index=False)
    code, said, _ = shell("suspects", str(tmp_path / "t.csv"), "-y", "y", "--most", "2")
    assert code == 0
    assert said.splitlines()[1].startswith("  row 5 (yes): ")
    code, said, _ = shell("suspects", str(tmp_path / "t.csv"), "-y", "y", "--json")
    told = json.loads(said)
    assert (code, len(told["suspects"]), told["rows"]) == (0, 20, 30)
    assert told["suspects"][0]["row"] == 4  # from 0, as in every --json


def test_a_program_finds_rows_in_reasons_counted_as_rows_are(shell, tmp_path):
    X, y = load_iris(return_X_y=True)
    table = pd.DataFrame(X[:100], columns=list("abcd")).assign(y=y[:100])
    table.loc[7] = [*X[60], 0]
    table.to_csv(tmp_path / "t.csv", index=False)
    code, said, _ = shell("suspects", str(tmp_path / "t.csv"), "-y", "y", "--json")
    one = next(one for one in json.loads(said)["suspects"] if one["row"] == 7)
    assert (code, one["twin"]) == (0, 60)
    assert "row 60" in one["reason"]
    code, said, _ = shell("suspects", str(tmp_path / "t.csv"), "-y", "y")
    assert 'row 8 ("0"): it has the values of row 61' in said
