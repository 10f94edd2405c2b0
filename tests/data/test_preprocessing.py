"""Preprocessing: what is done to columns, recorded, written down, and done again to other rows."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from raising import raises, warns
from rosenblatt import Certificate, certify, data
from rosenblatt._core.backend import compute
from rosenblatt._core.summation import folded
from rosenblatt.data.scaling import Moments, together
from rosenblatt.errors import InputError

TABLE = pd.DataFrame(
    {
        "age": [30.0, 41.5, 22.0, 35.0, 50.0, 28.0],
        "town": ["a", "b", "c", "a", "b", "a"],
        "owner": ["yes", "no", "yes", "yes", "no", "no"],
        "flag": [True, False, True, True, False, False],
        "label": ["good", "bad", "good", "bad", "good", "good"],
    }
)
NAMES = ["age", "town=b", "town=c", "owner=yes", "flag"]  # most rows are in town a


def test_columns_as_scikit_learn_encodes_them():
    X, y, preprocessing = data.read(TABLE, target="label").encode(scale=False)
    assert preprocessing.feature_names == NAMES
    words = OneHotEncoder(drop=["a", "no", False], sparse_output=False)
    expected = words.fit_transform(TABLE[["town", "owner", "flag"]])
    assert (X[:, 1:] == expected).all()
    assert (X[:, 0] == TABLE["age"]).all()
    assert y.tolist() == TABLE["label"].tolist()


def test_scaling_is_that_of_scikit_learn_and_recorded():
    X, _, preprocessing = data.read(TABLE, target="label").encode()
    scaler = StandardScaler().fit(TABLE[["age"]])
    assert X[:, 0] == pytest.approx(scaler.transform(TABLE[["age"]])[:, 0], rel=1e-14)
    column = preprocessing.columns[0]
    assert (column.center, column.scale) == pytest.approx((scaler.mean_[0], scaler.scale_[0]))
    assert preprocessing.scaled
    assert set(X[:, 1:].ravel()) == {0.0, 1.0}


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("impute", ["mean", "median"])
def test_missing_values_are_filled_in_if_that_is_asked_for(impute, scale):
    gaps = TABLE.assign(
        age=[30, None, 22, 35, 50, None],
        town=["a", None, "c", "a", "b", "a"],
        flag=pd.array([True, None, True, True, False, False], dtype="boolean"),
    )
    X, _, preprocessing = data.read(gaps, target="label", impute=impute).encode(scale=scale)
    filled = SimpleImputer(strategy=impute).fit_transform(gaps[["age"]])[:, 0]
    column = preprocessing.columns[0]
    assert X[:, 0] == pytest.approx((filled - column.center) / column.scale)
    assert preprocessing.feature_names == [
        *("age", "town=b", "town=c", "town=(missing)", "owner=yes"),
        *("flag=False", "flag=(missing)"),
    ]
    assert X[1, 1:].tolist() == [0, 0, 1, 0, 0, 1]
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again.transform(gaps.drop(columns="label")).tobytes() == X.tobytes()


def test_constant_columns_stay_in_order():
    third = 1 / 3
    table = pd.DataFrame({"a": [third] * 7, "y": [0, 1] * 3 + [0]})
    X, _, preprocessing = data.read(table, target="y").encode()
    assert (X[:, 0] == 0).all()
    assert preprocessing.columns[0].center == third


def test_numbers_too_large_to_be_scaled_are_refused():
    table = pd.DataFrame({"a": [1e300, -1e300], "y": [0, 1]})
    with raises(InputError, column="a"):
        data.read(table, target="y").encode()
    assert data.read(table, target="y").encode(scale=False)[0].tolist() == [[1e300], [-1e300]]


# --- Targets -------------------------------------------------------------------------------------


def labels(values, **options):
    table = pd.DataFrame({"a": range(len(values)), "y": values})
    return data.read(table, target="y", **options).encode()[1:]


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        (["b", "a", "b"], None, ["b", "a", "b"]),
        ([0, 1, 1], None, [0, 1, 1]),
        ([-1.0, 1.0, 1.0], None, [-1, 1, 1]),
        ([0.5, 1.0, 1.0], None, [0.5, 1.0, 1.0]),
        ([True, False, False], None, [True, False, False]),
        (["b", "a", "b"], "a", ["(b)", "a", "(b)"]),  # the positive label comes second
        (["b", "a", "b"], "b", ["b", "a", "b"]),
        (["x", "y", "z"], "y", ["(not y)", "y", "(not y)"]),
        ([0, 1, 2], "2", ["(not 2)", "(not 2)", "2"]),
        ([0, 1, 2], 2, ["(not 2)", "(not 2)", "2"]),
    ],
)
def test_labels_are_those_of_the_table(values, positive, expected):
    y, preprocessing = labels(values, positive=positive)
    assert y.tolist() == expected
    assert [type(v) for v in y.tolist()] == [type(v) for v in expected]
    assert preprocessing.target.classes == sorted(set(expected))
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again == preprocessing
    table = pd.DataFrame({"a": range(len(values)), "y": values})
    assert again.transform_labelled(table)[1].tolist() == expected


def test_a_positive_label_must_be_there():
    with raises(InputError):
        labels(["x", "y", "z"], positive="w")


# --- New rows ------------------------------------------------------------------------------------


@pytest.fixture
def preprocessing():
    return data.read(TABLE, target="label").encode()[2]


def test_any_division_into_parts_gives_the_same_numbers(preprocessing, tmp_path):
    whole = preprocessing.transform(TABLE)
    rows = [preprocessing.transform(TABLE.iloc[i : i + 1]) for i in range(len(TABLE))]
    assert np.concatenate(rows).tobytes() == whole.tobytes()
    assert whole.tobytes() == data.read(TABLE, target="label").encode()[0].tobytes()


def test_new_rows_are_read_as_the_preprocessing_says(tmp_path):
    """Not as they would be by themselves: here all words look like numbers."""
    table = pd.DataFrame({"size": ["1", "2", "3+", "1"], "n": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    preprocessing = data.read(table, target="y", categorical="size").encode(scale=False)[2]
    path = tmp_path / "new.csv"
    path.write_text("n;other;size\n1,5;x;2\n2;x;1\n")
    assert preprocessing.transform(path).tolist() == [[1, 0, 1.5], [0, 0, 2]]
    path.write_text("n;size\n" + "7;1\n" * 400_000 + "1,5;2\n")  # the comma comes late
    assert preprocessing.transform(path)[-1].tolist() == [1, 0, 1.5]


def test_columns_in_another_order_and_others_beside_them(preprocessing):
    shuffled = TABLE[["flag", "town", "age", "owner"]].assign(more="x")
    assert preprocessing.transform(shuffled).tobytes() == preprocessing.transform(TABLE).tobytes()


def test_unseen_words(preprocessing):
    new = TABLE.assign(town=["a", "b", "d", "a", "b", "a"])
    with raises(InputError, file="the data frame", row=2, column="town"):
        preprocessing.transform(new)
    with warns(UserWarning):
        assert preprocessing.transform(new, on_unseen="reference")[2, 1:3].tolist() == [0, 0]
    with raises(InputError, option="on_unseen", value="skip"):
        preprocessing.transform(new, on_unseen="skip")


def test_what_new_rows_lack(preprocessing):
    with raises(InputError):
        preprocessing.transform(TABLE.rename(columns={"age": "Age"}))
    with raises(InputError):
        preprocessing.transform(TABLE.assign(age=[None, 1.0, 2, 3, 4, 5]))
    with raises(InputError):
        preprocessing.transform(TABLE.assign(town=["a", None, *"cab", "a"]))
    with raises(InputError, file="the data frame", row=3, column="age"):
        preprocessing.transform(TABLE.assign(age=["1", "2", "3", "old", "5", "6"]))
    with raises(InputError, file="the data frame", row=0, column="age"):
        preprocessing.transform(TABLE.assign(age=math.inf))
    with raises(InputError, file="the data frame", row=5):
        preprocessing.transform_labelled(TABLE.assign(label=[*TABLE["label"][:5], "ugly"]))


def test_a_word_in_a_column_of_numbers_of_a_file(preprocessing, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("age,town,owner,flag\n1,a,yes,true\nold,a,yes,true\n")
    with raises(InputError, row=1, column="age"):
        preprocessing.transform(path)


# --- Written down --------------------------------------------------------------------------------


def test_written_down_and_read_again_it_is_the_same(preprocessing):
    assert (
        data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
        == preprocessing
    )


def mutations(document):
    """Documents that differ in one place."""
    junk = [None, True, -1, 0, 1e999, math.nan, "", "x", [], [1], {}, {"a": 1}, 10**400]

    def places(node, path=()):
        yield path
        children = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in children:
            if isinstance(child, (dict, list)):
                yield from places(child, (*path, key))
            else:
                yield (*path, key)

    for path in places(document):
        for value in junk:
            if not path:
                yield value
                continue
            new = json.loads(json.dumps(document))
            node = new
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = value
            yield new


def test_any_other_document_is_refused_or_a_preprocessing(preprocessing):
    refused = accepted = 0
    for document in mutations(preprocessing.to_dict()):
        try:
            found = data.Preprocessing.from_dict(document)
        except InputError:
            refused += 1
        else:
            assert data.Preprocessing.from_dict(found.to_dict()) == found
            accepted += 1
    assert refused > 5 * accepted


json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
)


@given(json_like)
def test_no_document_gets_through_by_chance(document):
    with pytest.raises(InputError):
        data.Preprocessing.from_dict(document)


# --- Moments -------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.lists(st.integers(0, 3000), max_size=8))
def test_moments_do_not_depend_on_the_division_into_parts(seed, cuts):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3000, 100)) * 10 ** rng.uniform(-5, 5, 100) + rng.uniform(-5, 5, 100)
    X[rng.random(X.shape) < 0.1] = np.nan
    at_once, in_parts = Moments(100), Moments(100)
    at_once.add(X)
    for rows in np.split(X, sorted(cuts)):
        in_parts.add(rows)
    whole, parts = at_once.finish(), in_parts.finish()
    assert whole.center().tobytes() == parts.center().tobytes()
    assert whole.spread().tobytes() == parts.spread().tobytes()
    assert whole.center() == pytest.approx(np.nanmean(X, axis=0), rel=1e-9, abs=1e-12)
    assert whole.spread() == pytest.approx(np.nanstd(X, axis=0), rel=1e-9)

    # Blocks are branches of the same tree, wherever they are added up.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", 1024)
        branches = []
        for begin in range(0, 3000, 1024):
            branch = Moments(100)
            branch.add(X[begin : begin + 1024])
            branches.append(branch.finish())
        assert folded(branches, together).spread().tobytes() == whole.spread().tobytes()


# --- With a certificate --------------------------------------------------------------------------


def test_a_certificate_takes_names_from_the_preprocessing_and_keeps_it(tmp_path):
    X, y, preprocessing = data.read(TABLE, target="label").encode(scale=False)
    certificate = certify(X, y, preprocessing=preprocessing)
    assert certificate.feature_names == NAMES
    assert certificate.to_dict()["target"] == "label"
    certificate.save(tmp_path / "c.json")
    loaded = Certificate.load(tmp_path / "c.json")
    loaded.verify(X, y)
    assert data.Preprocessing.from_dict(loaded.preprocessing) == preprocessing
    assert certify(X, y).preprocessing is None
    with raises(InputError):
        certify(X[:, 1:], y, preprocessing=preprocessing)
