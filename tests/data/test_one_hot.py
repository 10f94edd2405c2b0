"""Reference levels: words become 0/1 columns, all but the most frequent of them."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from raising import raises, warns
from rosenblatt import data
from rosenblatt.data.features import most_frequent
from rosenblatt.data.summary import summary
from rosenblatt.errors import InputError

TOWNS = pd.DataFrame({"town": list("cabbbac"), "n": range(7), "y": [0, 1, 0, 1, 0, 1, 0]})


def encoded(frame, **options):
    return data.read(frame, target="y", **options).encode(scale=False)


def test_the_most_frequent_word_is_the_reference_of_several_the_first():
    assert most_frequent({"b": 2, "a": 2, "c": 1}, missing=False) == "a"
    assert most_frequent({"b": 2, "a": 1, "c": 3}, missing=False) == "c"
    assert most_frequent({"b": 2}, missing=False) is None  # nothing to compare it with
    assert most_frequent({"b": 2}, missing=True) == "b"
    assert most_frequent({"(missing)": 9, "b": 2}, missing=False) == "b"


def test_rows_of_the_reference_are_zero_and_it_is_named():
    X, _, preprocessing = encoded(TOWNS)
    assert preprocessing.feature_names == ["town=a", "town=c", "n"]
    assert X[:, :2].tolist() == [[0, 1], [1, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 1]]
    assert preprocessing.references == ["town=b"]
    assert preprocessing.to_dict()["columns"][0]["reference"] == "b"
    assert [preprocessing.columns[0].value_of(row[:2]) for row in X] == list(TOWNS["town"])
    # With an intercept nothing is said twice.
    assert np.linalg.matrix_rank(np.c_[X, np.ones(len(X))]) == 4


def test_the_reference_is_that_of_all_parts_of_a_table(tmp_path):
    # "a" is most frequent in the first file, "b" in both.
    (tmp_path / "1.csv").write_text("town,y\na,0\na,1\nb,0\nc,1\n")
    (tmp_path / "2.csv").write_text("town,y\nb,0\nb,1\nc,0\nc,1\nb,1\n")
    files = [tmp_path / "1.csv", tmp_path / "2.csv"]
    assert encoded(files)[2].feature_names == ["town=a", "town=c"]


def test_a_summary_names_it():
    told = {c["name"]: c["becomes"] for c in summary(data.read(TOWNS, target="y"))["columns"]}
    assert told["town"] == "2 columns of 0 and 1, reference town=b"


# --- Words that did not occur in training --------------------------------------------------------


def test_a_new_word_does_not_become_the_reference_unnoticed():
    preprocessing = encoded(TOWNS)[2]
    new = TOWNS.assign(town=list("cabbdad"))
    with raises(InputError, file="the data frame", row=4, column="town"):
        preprocessing.transform(new)
    with warns(UserWarning):
        X = preprocessing.transform(new, on_unseen="reference")
    assert X[[4, 6], :2].tolist() == [[0, 0], [0, 0]]
    with warns(UserWarning):
        preprocessing.transform(TOWNS.assign(town=[*"cabbba", "new"]), on_unseen="reference")


# --- Preprocessing without a reference ----------------------------------------------------------


def words(name, words, reference, *, kind="text", missing=False):
    column = {"name": name, "kind": kind, "words": words, "missing": missing}
    return column | {"reference": reference, "pooled": False}


WITHOUT = {
    "schema": "rosenblatt-preprocessing/1",
    "columns": [
        words("town", ["a", "b", "c"], None),
        words("owner", ["no", "yes"], "no"),
        words("job", ["nurse"], "nurse", missing=True),
        words("flag", ["False", "True"], "False", kind="boolean"),
    ],
    "target": None,
    "reading": data.Preprocessing(()).to_dict()["reading"],
}


def test_a_column_without_a_reference_has_a_column_for_each_word():
    preprocessing = data.Preprocessing.from_dict(WITHOUT)
    assert preprocessing.feature_names == [
        *("town=a", "town=b", "town=c", "owner=yes", "job=(missing)", "flag"),
    ]
    rows = pd.DataFrame(
        {
            "town": ["a", "c", "b"],
            "owner": ["yes", "no", "yes"],
            "job": ["nurse", None, "nurse"],
            "flag": [True, False, False],
        }
    )
    expected = [[1, 0, 0, 1, 0, 1], [0, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0]]
    assert preprocessing.transform(rows).tolist() == expected
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again == preprocessing
    assert again.transform(rows).tolist() == expected
    assert preprocessing.references == ["owner=no", "job=nurse"]  # of town every word has a column
    with warns(UserWarning):
        found = preprocessing.transform(rows.assign(town=["a", "c", "d"]), on_unseen="reference")
    assert found[2, :3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("reference", ["d", "(missing)", 1, ["b"], ""])
def test_a_reference_is_one_of_the_words(reference):
    document = encoded(TOWNS)[2].to_dict()
    document["columns"][0]["reference"] = reference
    with raises(InputError):
        data.Preprocessing.from_dict(document)
    document["columns"][0]["reference"] = None  # every word has a column
    assert data.Preprocessing.from_dict(document).feature_names[:3] == [
        "town=a",
        "town=b",
        "town=c",
    ]


def test_a_truth_value_is_compared_with_false():
    document = encoded(TOWNS.assign(flag=[True] * 5 + [False] * 2))[2].to_dict()
    assert document["columns"][-1]["reference"] == "False"  # though True is more frequent
    document["columns"][-1]["reference"] = "True"
    with raises(InputError):
        data.Preprocessing.from_dict(document)


# --- Categories ----------------------------------------------------------------------------------


def test_categories_of_any_library_are_words():
    expected = encoded(TOWNS)
    for frame in (
        TOWNS.astype({"town": "category"}),
        TOWNS.astype({"town": "string"}),
        pl.from_pandas(TOWNS).with_columns(pl.col("town").cast(pl.Categorical)),
        pl.from_pandas(TOWNS).with_columns(pl.col("town").cast(pl.Enum(["c", "b", "a", "z"]))),
    ):
        X, y, preprocessing = encoded(frame)
        assert preprocessing == expected[2]
        assert X.tobytes() == expected[0].tobytes()
        assert y.tolist() == expected[1].tolist()


def test_numbers_that_were_made_categories_are_words():
    grades = TOWNS.assign(town=pd.Categorical([1, 2, 3, 3, 2, 3, 1]))
    assert encoded(grades)[2].feature_names == ["town=1", "town=2", "n"]
    assert encoded(TOWNS.assign(town=[1, 2, 3, 3, 2, 3, 1]))[2].feature_names == ["town", "n"]
