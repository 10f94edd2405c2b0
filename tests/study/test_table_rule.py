"""What a study wrote, read again: Study.load takes tables; load gives an estimator, and says so."""

import json
import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, Study, data, datasets, load, save, study, train
from rosenblatt.errors import FileError, InputError, InputTypeError

CREDIT = datasets.load_credit().filename


@pytest.fixture(scope="module")
def folder(granted, tmp_path_factory):
    place = tmp_path_factory.mktemp("saved") / "credit"
    granted.save(place)
    return place


@pytest.fixture(scope="module")
def flowers():
    rows = load_iris(as_frame=True).frame
    rows["target"] = rows["target"].map(str)
    return rows, study(rows, target="target", linear_only=True, comparison=False)


@pytest.mark.parametrize("inside", ["", "model.json"])
def test_it_answers_as_the_study_did(granted, folder, inside):
    rule, rows = Study.load(folder / inside), pd.read_csv(CREDIT)
    for new in (CREDIT, rows, rows.drop(columns=["card", "share", "expenditure"])):
        assert (rule.predict(new) == granted.predict(CREDIT)).all()
        assert (rule.predict_proba(new) == granted.predict_proba(CREDIT)).all()
    assert rule.explain(rows.head(9)) == granted.explain(rows.head(9))
    assert repr(rule) == "<TableRule of card: Perceptron, labels no, yes>"


def test_reasons_add_up_to_the_score_and_are_those_of_the_command(granted, folder, shell):
    rows = pd.read_csv(CREDIT).head(20)
    rows.to_csv("new.csv", index=False)
    found = granted.explain(rows, reasons=2)
    weights = dict(
        zip(granted.preprocessing.feature_names, granted.estimator.coef_[0], strict=True)
    )
    X = granted.preprocessing.transform(rows)
    for one, x, label in zip(found, X, granted.predict(rows), strict=True):
        parts = [reason["adds"] for reason in one["reasons"]]
        assert len(parts) == 2
        assert one["prediction"] == label
        assert sum(parts) + one["others"] + one["intercept"] == pytest.approx(one["score"])
        values = dict(zip(weights, x, strict=True))
        for reason in one["reasons"]:
            name = reason["feature"]
            assert reason["adds"] == weights[name] * values[name]
    _, out, _ = shell(
        "predict", f"{folder}/model.json", "new.csv", "--explain", "--reasons", 2, "--json"
    )
    for row, one in zip(json.loads(out)["rows"], found, strict=True):
        assert {name: row[name] for name in one} == one


def test_of_many_classes_they_add_up_to_the_lead(flowers, tmp_path):
    rows, found = flowers
    found.save(tmp_path / "iris")
    rule = Study.load(tmp_path / "iris")
    assert (rule.predict(rows) == found.predict(rows)).all()
    for one in rule.explain(rows.iloc[::10], reasons=9):
        lead = sum(reason["adds"] for reason in one["reasons"]) + one["others"] + one["intercept"]
        assert lead == pytest.approx(one["score"] - one["runner_up_score"])
        assert one["runner_up"] != one["prediction"]
    p = rule.predict_proba(rows)
    assert (p == found.predict_proba(rows)).all()
    assert p.sum(axis=1) == pytest.approx(1)


def test_points_of_a_card_add_up(tmp_path):
    found = study(CREDIT, target="card", ignore=["share", "expenditure"], scorecard=True)
    found.save(tmp_path / "card")
    for one in Study.load(tmp_path / "card").explain(pd.read_csv(CREDIT).head(50), reasons=9):
        assert sum(reason["adds"] for reason in one["reasons"]) == one["points"]
        assert one["prediction"] == ("yes" if one["points"] >= one["threshold"] else "no")


def test_rows_without_columns_stay_rows(tmp_path):
    X = sparse.random_array((60, 8), density=0.4, rng=np.random.default_rng(0), format="csr")
    y = np.where(np.asarray(X.sum(axis=1)) > 1.5, "many", "few")
    found = study(X, y, comparison=False)
    found.save(tmp_path / "rows")
    assert (Study.load(tmp_path / "rows").predict(X) == found.predict(X)).all()


def test_a_model_of_any_estimator(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 0, 1, 0]})
    save(Perceptron().fit(frame, [0, 0, 1, 1]), tmp_path / "m.json")
    rule = Study.load(tmp_path / "m.json")
    assert rule.predict(frame).tolist() == [0, 0, 1, 1]
    assert {r["feature"] for r in rule.explain(frame)[3]["reasons"]} <= {"a", "b"}
    with raises(InputError):
        rule.predict_proba(frame)
    save(KernelPerceptron(kernel="rbf").fit(frame, [0, 1, 1, 0]), tmp_path / "k.json")
    with raises(InputError):
        Study.load(tmp_path / "k.json").explain(frame)


def test_a_folder_without_a_model(tmp_path):
    with raises(FileError):
        Study.load(tmp_path)


@pytest.mark.parametrize("form", ["frame", "without words", "array", "list"])
def test_an_estimator_that_gets_a_table_names_what_takes_it(folder, form):
    rows = pd.read_csv(CREDIT)
    given = {
        "frame": rows,
        "without words": rows.select_dtypes("number"),
        "array": rows.to_numpy(),
        "list": rows.to_numpy().tolist(),
    }
    with raises(InputTypeError):
        load(folder / "model.json").predict(given[form])


def test_an_estimator_takes_rows_as_its_preprocessing_makes_them(granted, folder):
    rule = load(folder / "model.json")
    X = rule.preprocessing_.transform(CREDIT)
    assert (rule.predict(X) == granted.predict(CREDIT)).all()
    frame = pd.DataFrame(X, columns=rule.preprocessing_.feature_names)
    assert (Study.load(folder).estimator.predict(frame.to_numpy()) == granted.predict(CREDIT)).all()


@pytest.fixture(scope="module")
def tumours():
    """Columns that are numbers alone: features have the names of columns."""
    rows = load_breast_cancer(as_frame=True).frame
    return rows, study(rows, target="target", linear_only=True, comparison=False)


def as_frames(rows):
    table = pa.Table.from_pandas(rows)
    return [rows, pl.from_pandas(rows), table, table.to_batches()[0]]


@pytest.mark.parametrize("read_from", ["the study", "its file", "its file, for tables"])
def test_columns_as_they_stand_are_refused_where_others_were_learned_from(
    tumours, tmp_path, read_from
):
    rows, studied = tumours
    studied.save(tmp_path / "out")
    model, rule = tmp_path / "out" / "model.json", Study.load(tmp_path / "out")
    estimator = {
        "the study": studied.estimator,
        "its file": load(model),
        "its file, for tables": rule.estimator,
    }[read_from]
    y = rows["target"].to_numpy()
    for table in as_frames(rows.drop(columns="target")):
        for asked in (
            estimator.predict,
            estimator.decision_function,
            lambda table: estimator.score(table, y),
            lambda table: estimator.partial_fit(table, y),
        ):
            with raises(InputTypeError):
                asked(table)
        assert (rule.predict(table) == y).mean() > 0.97
        X = estimator.preprocessing_.transform(table)
        assert (estimator.predict(X) == rule.predict(table)).all()
        assert estimator.score(X, y) == (rule.predict(table) == y).mean()
    assert deepcopy(estimator).partial_fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("way", ["scale", "fill", "neither"])
def test_a_frame_is_refused_if_its_numbers_are_changed_in_any_way(tmp_path, way):
    rows = pd.DataFrame({"a": [1.0, 2, 5, 7], "b": [3.0, 1, 0, 2]})
    scale, impute = way == "scale", "mean" if way == "fill" else None
    table = data.read(rows.assign(y=[0, 0, 1, 1]), target="y", impute=impute)
    X, y, preprocessing = table.encode(scale=scale)
    save(Perceptron(max_iter=50).fit(X, y), tmp_path / "m.json", preprocessing=preprocessing)
    estimator = load(tmp_path / "m.json")
    assert estimator.predict(X).tolist() == [0, 0, 1, 1]
    if way != "neither":
        with raises(InputTypeError):
            estimator.predict(rows)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert estimator.predict(rows).tolist() == [0, 0, 1, 1]
    assert [w.category for w in caught] == [UserWarning]  # scikit-learn's, about the names


def test_an_estimator_trained_on_a_table_takes_what_its_preprocessing_makes(tumours):
    rows, _ = tumours
    p = train(Perceptron(order="blocks", random_state=0), data.read(rows, target="target"))
    raw = rows.drop(columns="target")
    with raises(InputTypeError):
        p.predict(raw)
    assert (p.predict(p.preprocessing_.transform(raw)) == rows["target"]).mean() > 0.97


# --- Columns without names ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nameless(tmp_path_factory):
    """A file without a line of names, whose labels are the first column: there is no x0 to learn
    from."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4)).round(3)
    rows = pd.DataFrame(X).set_axis(range(1, 5), axis=1)
    rows.insert(0, 0, np.where(X @ [1, -1, 2, 0] + rng.standard_normal(120) > 0, "yes", "no"))
    file = tmp_path_factory.mktemp("nameless") / "t.csv"
    rows.to_csv(file, header=False, index=False)
    return file


@pytest.mark.parametrize("studied", ["file", "pandas", "arrow", "X, y"])
def test_columns_without_names_are_found_by_their_numbers(nameless, tmp_path, studied):
    frame, brief = pd.read_csv(nameless, header=None), {"comparison": False, "linear_only": True}
    of_arrow = csv.read_csv(nameless, csv.ReadOptions(autogenerate_column_names=True))
    found = {
        "file": lambda: study(nameless, target="x0", header=False, **brief),
        "pandas": lambda: study(frame, target="0", **brief),
        "arrow": lambda: study(of_arrow, target="f0", **brief),
        "X, y": lambda: study(frame.drop(columns=0), frame[0], **brief),
    }[studied]()
    found.save(tmp_path / "out")
    rule, X = Study.load(tmp_path / "out"), frame.drop(columns=0)
    labels = found.estimator.predict(
        (X.to_numpy() - [c.center for c in found.preprocessing.numbers])
        / [c.scale for c in found.preprocessing.numbers]
    )
    assert (labels == frame[0]).sum() > 90
    arrays = [X.to_numpy(), X.to_numpy().tolist(), frame.to_numpy()]  # those without y in order
    frames = [frame, X, X[[4, 2, 1, 3]], of_arrow, of_arrow.drop(["f0"])]
    for rows in (*arrays, *frames):
        assert (rule.predict(rows) == labels).all()
        assert (found.predict(rows) == labels).all()


@pytest.mark.parametrize("lacking", ["number", "width", "names"])
def test_a_column_that_no_number_stands_for_is_named(nameless, lacking):
    X = pd.read_csv(nameless, header=None).drop(columns=0)
    found = study(nameless, target="x0", header=False, comparison=False)
    rows = {
        "number": X.drop(columns=3),
        "width": X.to_numpy()[:, :3],
        "names": X.set_axis([*"abcd"], axis=1),
    }[lacking]
    with raises(InputError):
        found.predict(rows)


@pytest.mark.parametrize("studied", ["pandas", "X, y"])
def test_a_file_is_read_whether_its_first_line_has_the_numbers_or_a_row(
    nameless, tmp_path, studied
):
    frame, brief = pd.read_csv(nameless, header=None), {"comparison": False, "linear_only": True}
    X = frame.drop(columns=0)
    found = {
        "pandas": lambda: study(frame, target=0, **brief),
        "X, y": lambda: study(X, frame[0], **brief),
    }[studied]()
    found.save(tmp_path / "out")
    rule, labels = Study.load(tmp_path / "out"), found.predict(frame)
    assert (labels == frame[0]).sum() > 90
    assert (rule.predict(nameless) == labels).all()
    for written in (frame, X, frame.iloc[:, ::-1]):
        written.to_csv(tmp_path / "named.csv", index=False)
        assert (rule.predict(tmp_path / "named.csv") == labels).all()
    halves = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for half, rows in zip(halves, (frame[:50], frame[50:]), strict=True):
        rows.to_csv(half, index=False, header=False)
    assert (rule.predict(halves) == labels).all()
    X.to_csv(tmp_path / "shifted.csv", index=False, header=False)
    with raises(InputError):  # its column 0 was the column 1
        rule.predict(tmp_path / "shifted.csv")


def test_names_are_not_found_by_number(granted):
    """An array of as many columns may have them in any order."""
    with raises(InputError):
        granted.predict(pd.read_csv(CREDIT)[granted.preprocessing.inputs].to_numpy())
