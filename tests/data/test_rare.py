"""Rare values of a category are pooled; labels of few rows are left out."""

import random

import pytest

from raising import raises
from rosenblatt import data, study
from rosenblatt.data.summary import summary
from rosenblatt.errors import InputError

TOWNS = ["Rome"] * 6 + ["Oslo"] * 4 + ["Bonn", "Bern", "Lyon", "Graz"]
TABLE = "town,a,y\n" + "".join(f"{t},{i % 5},{'pq'[i % 2]}\n" for i, t in enumerate(TOWNS))


def test_rare_values_are_one_and_later_ones_belong_to_it(file):
    X, _, preprocessing = data.read(file(TABLE), target="y", min_count=4).encode(scale=False)
    assert preprocessing.feature_names == ["town=Oslo", "town=(other)", "a"]
    others = [float(town not in ("Rome", "Oslo")) for town in TOWNS]
    assert X[:, 1].tolist() == others
    again = data.Preprocessing.from_dict(preprocessing.to_dict())
    assert again == preprocessing
    later = again.transform(
        file("town,a\nPisa,1\nBonn,1\nOslo,1\nRome,2\n(other),3\n", "later.csv")
    )
    assert later[:, :2].tolist() == [[0, 1], [0, 1], [1, 0], [0, 0], [0, 1]]


def test_the_pool_is_a_level_like_others(file):
    text = TABLE + "(other),1,p\n" * 6 + ",1,q\n"
    table = data.read(file(text), target="y", min_count=5, impute="mean")
    X, _, preprocessing = table.encode(scale=False)
    assert preprocessing.feature_names == ["town=Rome", "town=(missing)", "a"]
    assert preprocessing.columns[0].reference == "(other)"  # 14 rows
    assert X[:, :2].sum(axis=0).tolist() == [6.0, 1.0]
    with_all = data.read(file(TABLE), target="y", min_count=2).encode()[2]
    assert with_all.columns[0].words == ("Oslo", "Rome")
    assert data.read(file(TABLE), target="y", min_count=1).encode()[2].columns[0].words[0] == "Bern"


def made(rows, values, *, rare):
    """A column with many values, some of few rows."""
    rng = random.Random(rows)
    names = [f"breed {rng.randrange(values)}" for _ in range(rows)] + [f"r{i}" for i in range(rare)]
    return "breed,y\n" + "".join(f"{name},{rng.randrange(2)}\n" for name in names)


def test_many_values_of_many_rows_are_no_danger(file):
    table = data.read(file(made(8_000, 336, rare=0)), target="y")
    assert table.problems == []
    assert len(table.encode()[2].feature_names) == 335
    with raises(InputError) as refused:
        data.read(file(made(4_000, 300, rare=600)), target="y").encode()
    assert "min_count=10" in str(refused.value)
    assert data.read(file(made(4_000, 300, rare=600)), target="y", min_count=10).problems == []


def test_words_beyond_those_that_are_counted_are_pooled(file, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.column._COUNTED", 20)
    table = data.read(file(made(2_000, 50, rare=100)), target="y", min_count=10)
    assert len(table.encode()[2].columns[0].words) == 50


# --- Labels ---------------------------------------------------------------------------------------

KINDS = "a,y\n" + "".join(f"{i},{'pqr'[i % 3]}\n" for i in range(12)) + "5,s\n6,s\n7,t\n8,\n"


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ({"drop_label": ["s", "t"], "drop_unlabelled": True}, [12, 13, 14, 15]),
        ({"min_rows": 4, "drop_unlabelled": True}, [12, 13, 14, 15]),
        ({"min_rows": 2, "drop_label": "r", "drop_unlabelled": True}, [2, 5, 8, 11, 14, 15]),
    ],
)
def test_rows_with_such_labels_are_left_out(file, options, left_out):
    table = data.read(file(KINDS), target="y", **options)
    X, y, preprocessing = table.encode(scale=False)
    assert len(X) == len(y) == 16 - len(left_out)
    labels = [line.split(",")[1] for line in KINDS.splitlines()[1:]]
    kept = [i for i in range(16) if i not in left_out]
    assert table.left_out.tolist() == left_out
    assert y.tolist() == [labels[i] for i in kept]
    again = data.Preprocessing.from_dict(preprocessing.to_dict())
    assert again.transform_labelled(file(KINDS))[1].tolist() == y.tolist()
    assert len(again.transform(file(KINDS))) == 16


def test_labels_that_are_numbers_or_truth(file):
    text = "a,y\n" + "".join(f"{i},{i % 3}\n" for i in range(9)) + "1,7\n"
    for option in ({"drop_label": 7}, {"drop_label": "7.0"}, {"min_rows": 2}):
        assert set(data.read(file(text), target="y", **option).encode()[1].tolist()) == {0, 1, 2}
    truth = "a,y\n1,true\n2,False\n3,maybe\n4,true\n"
    y = data.read(file(truth), target="y", drop_label="maybe").encode()[1]
    assert y.tolist() == [True, False, True]


def test_weights_and_groups_keep_to_the_same_rows(file):
    path = file("g,a,y\n" + "".join(f"{i // 3},{i},{'pq'[i % 2]}\n" for i in range(30)) + "9,9,r\n")
    result = study(str(path), target="y", groups="g", min_rows=2, random_state=0, comparison=False)
    assert result.estimator.classes_.tolist() == ["p", "q"]
    assert "1 row with the label 'r' left out" in " ".join(result.warnings)


def test_what_cannot_be_is_refused(file):
    for options in ({"drop_label": "z"}, {"min_rows": 0}, {"min_count": 0}, {"min_count": 1.5}):
        with raises(InputError, option=next(iter(options))):
            data.read(file(KINDS), target="y", **options)
    with raises(InputError, option="min_rows"):
        data.read(file(KINDS), min_rows=2)
    with raises(InputError, option="drop_label"):
        data.read(file("1 1:1\n2 1:2\n", "t.svm"), drop_label=1)


def test_too_few_rows_of_a_label_name_the_options(file):
    text = (
        "a,b,y\n" + "".join(f"{i},{i % 7},{'pqr'[i % 3]}\n" for i in range(60)) + "5,1,s\n6,2,s\n"
    )
    with raises(InputError) as refused:
        study(str(file(text)), target="y")
    assert "drop_label='s'" in str(refused.value)
    assert "min_rows=5" in str(refused.value)
    assert study(str(file(text)), target="y", min_rows=5, comparison=False).error is not None


def test_inspect_says_what_each_option_would_do(file):
    rows = "".join(
        f"{'uv'[i % 2]},{i % 7},{1 + i % 9}/{1 + i % 4}/2020,{'pq'[i % 2]}\n" for i in range(90)
    )
    rare = "w,,1/1/2020,s\nz,$5,1/1/2020,\n"
    text = f"town,price,when,y\n{rows.replace(',3,', ',$3,')}{rare}"
    options = summary(data.read(file(text), target="y"))["options"]
    assert [option["option"] for option in options] == [
        *("min_count=2", "date='when=%d/%m/%Y'", "date='when=%m/%d/%Y'"),
        *("impute='median'", "drop_unlabelled=True", "min_rows=5"),
    ]
    assert "2020-05-01" in options[1]["effect"] + options[2]["effect"]
    assert "'s' (1)" in options[-1]["effect"]
