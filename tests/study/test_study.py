"""rosenblatt.study: from files, frames and arrays it finds what the command finds."""

import json
import os
import pickle
import re
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import rosenblatt
from raising import raises
from rosenblatt import Perceptron, Study, study
from rosenblatt.data.svmlight import read_svmlight
from rosenblatt.datasets import load_credit
from rosenblatt.errors import EngineError, FileError, InputError, InputTypeError, MissingFileError

LEAK = ["share", "expenditure"]


@pytest.fixture(scope="module")
def frame():
    """Numbers, text, truth values and gaps."""
    rng = np.random.default_rng(0)
    n = 200
    X = rng.standard_normal((n, 3)).round(3)
    found = pd.DataFrame(X, columns=["a", "b", "c"])
    found.loc[::9, "b"] = np.nan
    found["town"] = rng.choice(["Ulm", "Bern", "Graz"], n)
    found["open"] = rng.random(n) < 0.5
    found["person"] = np.arange(n) // 4
    found["label"] = np.where(X[:, 0] + (found["town"] == "Ulm") + rng.random(n) > 0.8, "yes", "no")
    return found


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def timeless(document):
    """Without the time that the verifier took."""
    found = json.loads(json.dumps(document))
    if found["proof"] is not None:
        found["proof"] = found["proof"]["accepted"]
    return found


def same(a, b):
    """Two studies of the same rows found the same, to the bit, however the rows were given."""
    one, other = timeless(a.to_dict()), timeless(b.to_dict())
    for apart in ("reproduce", "files"):
        del one[apart], other[apart]
    del one["data"]["files"], other["data"]["files"]
    # An option of the command for a file, of Python for what is in memory.
    by_all = [each["split"].pop("tested_by_all") for each in (one, other)]
    assert [word is None for word in by_all] in ([True, True], [False, False])
    # In words, rows of a file are counted from 1, those in Python from 0; and files hold decimals.
    words = [each["verdict"].pop("text").splitlines() for each in (one, other)]
    apart = re.compile("row|Proved for the (floating-point )?numbers")
    plain, others = ([line for line in lines if not apart.search(line)] for lines in words)
    assert len(words[0]) == len(words[1])
    assert plain == others
    assert one == other
    assert a.certificate.sha256 == b.certificate.sha256
    assert a.preprocessing == b.preprocessing
    assert pickle.dumps(a.certificate.to_dict()) == pickle.dumps(b.certificate.to_dict())


# --- The command and the function -----------------------------------------------------------------

WAYS = {
    "as it is": ([], {}),
    "columns": (["--ignore", "town", "--impute", "median"], {"ignore": "town", "impute": "median"}),
    "folds": (["--cv", "3", "--impute", "mean"], {"cv": 3, "impute": "mean"}),
    "groups": (["--group", "person", "--seed", "5"], {"groups": "person", "random_state": 5}),
    "people": (["--private", "--time-limit", "60"], {"private": True, "time_limit": 60}),
    "stream": (["--stream", "--cache", "kept"], {"stream": True, "cache": "kept"}),
    "checkpoint": (["--checkpoint", "run"], {"checkpoint": "run", "checkpoint_every": 0.2}),
    "positive": (["-y", "town", "--positive", "Bern"], {"target": "town", "positive": "Bern"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_file_gives_what_the_command_gives_to_the_byte(shell, frame, way):
    arguments, options = WAYS[way]
    if "impute" in options:
        frame.to_csv("t.csv", index=False)
    else:
        frame.drop(columns="b").to_csv("t.csv", index=False)
    code, out, _ = shell("fit", "t.csv", "-y", "label", *arguments, "-o", "fit", "--json")
    assert code == 0
    os.rename("fit", "by-the-command")
    found = study("t.csv", **{"target": "label"} | options)
    found.save("fit")
    assert timeless(found.to_dict()) == timeless(json.loads(out))
    for file in Path("by-the-command").iterdir():
        if file.suffix == ".json":
            assert (Path("fit") / file.name).read_bytes() == file.read_bytes()
    assert sorted(os.listdir("fit")) == sorted(os.listdir("by-the-command"))
    assert not Path("run").exists()


def test_printed_it_says_what_the_command_says(shell):
    shutil.copy(load_credit().filename, "credit.csv")
    found = study("credit.csv", target="card", ignore=LEAK)
    found.save("fit")
    leave_out = [part for name in LEAK for part in ("--ignore", name)]
    _, out, _ = shell("fit", "credit.csv", "-y", "card", *leave_out, "-o", "fit", "--force")
    said, printed = str(found).splitlines(), out.splitlines()
    assert len(said) == len(printed)
    differ = {line.split()[0] for line, other in zip(said, printed, strict=True) if line != other}
    # the milliseconds; and how an option is spelled, which makes the card
    assert differ <= {"proof", "15.9%"}


# --- Files, frames and arrays ---------------------------------------------------------------------


def test_frames_give_what_their_file_gives(here, frame):
    frame.to_csv("t.csv", index=False)
    options = {"target": "label", "impute": "median", "ignore": ["person"]}
    found = study("t.csv", **options)
    table = pa.Table.from_pandas(frame)
    for given in (frame, pl.from_pandas(frame), table):
        same(study(given, **options), found)
    del options["target"]
    same(study(frame.drop(columns="label"), frame["label"], **options), found)
    same(
        study(pl.from_pandas(frame).drop("label"), pl.from_pandas(frame)["label"], **options), found
    )
    assert (here / "t.csv").exists()


def test_the_index_of_a_frame_is_no_column(frame):
    shuffled = frame.drop(columns=["b", "person"]).sample(frac=1, random_state=0)
    found = study(shuffled, target="label")
    assert found.to_dict()["data"]["features"][:3] == ["a", "c", "town=Bern"]
    same(study(shuffled.reset_index(drop=True), target="label"), found)


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [-1.0, 1.0], [False, True]])
def test_arrays_give_what_their_file_gives(here, labels):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((100, 4))
    y = np.array(labels)[(X[:, 0] - X[:, 1] + 0.2 * rng.standard_normal(100) > 0).astype(int)]
    groups = np.arange(100) // 2
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"]).assign(y=y, groups=groups)
    frame.to_csv("t.csv", index=False)
    found = study("t.csv", target="y", groups="groups")
    same(study(X.tolist(), y.tolist(), groups=groups.tolist()), found)
    if labels == [0, 1]:
        same(study(X, y, groups=groups), found)
    frame["y"] = y
    same(study(frame, target="y", groups="groups"), found)
    assert here.joinpath("t.csv").exists()


def test_a_sparse_matrix_gives_what_its_svmlight_file_gives(here):
    rng = np.random.default_rng(2)
    X = sparse.random(200, 12, 0.3, format="csr", random_state=2)
    y = np.where(np.asarray(X.sum(axis=1)).ravel() + 0.3 * rng.standard_normal(200) > 1.8, 1, -1)
    dump_svmlight_file(X, y, "t.svm")
    rows, labels, _ = read_svmlight("t.svm")
    found = study("t.svm")
    same(study(rows, labels.astype(int)), found)
    same(study(sparse.csc_matrix(rows), labels.astype(int)), found)
    assert found.preprocessing is None
    assert (found.predict(rows) == found.estimator.predict(rows)).all()
    grouped = study(rows, labels, groups=np.arange(200) // 10)
    assert {len(grouped.selection.test) % 10, len(grouped.selection.train) % 10} == {0}
    assert here.joinpath("t.svm").exists()


def test_a_stream_may_come_from_memory(frame, tmp_path):
    frame = frame.drop(columns="b")
    frame.to_csv(tmp_path / "t.csv", index=False)
    more = {"target": "label", "stream": True, "cache": tmp_path / "cache"}
    same(study(frame, **more), study(tmp_path / "t.csv", **more))


# --- What it has ----------------------------------------------------------------------------------


@pytest.fixture
def credit(granted):
    return granted


def test_its_attributes_are_those_of_the_document(credit):
    document = credit.to_dict()
    assert isinstance(credit, Study)
    wrong = document["error"]["test_errors"]
    assert credit.error == document["error"]["rate"] == wrong / document["error"]["test_n"] > 0
    assert list(credit.interval) == document["error"]["interval"]
    assert credit.rule == document["rule"]["sentence"]
    names = [(c["name"], c["validation_errors"]) for c in document["candidates"]]
    assert [(c.name, c.validation_errors) for c in credit.candidates] == names
    assert credit.certificate.sha256 == document["verdict"]["sha256"]
    assert credit.estimator is credit.selection.winner.estimator
    assert credit.warnings == []
    assert not credit.interrupted
    assert list(credit.seconds)[:2] == ["reading", "training"]
    leak = study(load_credit().filename, target="card")
    assert [w["sentence"] for w in leak.to_dict()["data"]["warnings"]] == leak.warnings
    assert "--ignore share --ignore expenditure" in leak.warnings[0]
    rows = load_credit(as_frame=True)
    leak = study(rows.data, rows.target)
    assert "ignore=['share', 'expenditure']" in leak.warnings[0]


def test_it_predicts_rows_of_files_frames_and_arrays(credit, frame):
    rows = pd.read_csv(load_credit().filename)
    predicted = credit.predict(load_credit().filename)
    assert (predicted == credit.predict(rows.drop(columns="card"))).all()
    test = credit.selection.test
    assert (predicted[test] == credit.selection.predictions).all()
    assert (predicted[test] != rows["card"].to_numpy()[test]).mean() == credit.error
    X, y = frame[["a", "c"]].to_numpy(), frame["label"]
    found = study(X, y)
    assert (found.predict(X)[found.selection.test] == found.selection.predictions).all()
    with raises(InputError):
        found.predict(X[:, :1])


def test_its_repr_is_one_line(credit):
    lo, hi = credit.interval
    wrong = f"{credit.error:.1%} wrong in test ({lo:.1%} to {hi:.1%})"
    said = f"<Study of card: {credit.selection.winner.name}, {wrong}, overlap>"
    assert repr(credit) == said
    assert repr(pickle.loads(pickle.dumps(credit))) == said


def test_the_document_is_a_copy(credit):
    credit.to_dict()["data"]["warnings"].append("mine")
    assert credit.warnings == []


def test_what_was_found_is_in_attributes(credit):
    document = credit.to_dict()
    found, table = credit.confusion, np.array(credit.confusion["counts"])
    assert found["labels"] == [one["label"] for one in credit.by_class]
    wrong = table.sum(axis=1) - table.diagonal()
    assert [one["errors"] for one in credit.by_class] == wrong.tolist()
    assert credit.error == wrong.sum() / table.sum()
    assert credit.auc == document["roc"]["auc"]
    assert 0.5 < credit.auc < 1
    assert credit.cost is None
    assert credit.calibration == document["calibration"]
    credit.confusion["counts"].clear()
    assert credit.confusion["counts"] == table.tolist()


def test_the_report_is_a_file_of_its_own(credit, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    credit.save_report(path)
    assert path.read_text().startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["report.html"]


def test_before_it_is_saved_there_are_no_files(frame, here):
    found = study(frame[["a", "c", "label"]], target="label", random_state=3, positive="yes")
    call = "rosenblatt.study(frame, target='label', positive='yes', random_state=3)"
    again = {"command": call, "without_costs": call}
    nothing = {"seed": 3} | dict.fromkeys(["advised", "verify", "predict", "scorecard", "export"])
    assert found.to_dict()["reproduce"] == again | nothing
    assert "files " not in str(found)
    found.save(here / "fit")
    predict = f"rosenblatt predict {here}/fit/model.json new.csv --explain"
    assert found.to_dict()["reproduce"] == again | nothing | {"predict": predict}
    assert f"{here}/fit/report.html" in str(found).split()


def test_the_call_that_it_gives_does_the_same_again(frame):
    X, y = frame[["a", "c"]].to_numpy(), frame["label"].to_numpy()
    groups = frame["person"].to_numpy()
    found = study(X, y, groups=groups, random_state=2, ignore=["x1"])
    call = found.to_dict()["reproduce"]["command"]
    assert call == "rosenblatt.study(X, y, groups=groups, ignore=['x1'], random_state=2)"
    names = {"rosenblatt": rosenblatt, "X": X, "y": y, "groups": groups}
    same(eval(call, names), found)


# --- What cannot be -------------------------------------------------------------------------------

SMALL = pd.DataFrame({"a": np.arange(40.0), "y": list("pn") * 20})


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ([SMALL], {}),
        ([SMALL], {"target": "Y"}),
        ([SMALL.assign(y="p")], {"target": "y"}),
        ([SMALL], {"target": "y", "positive": "q"}),
        ([SMALL, SMALL["y"]], {"target": "y"}),
        ([SMALL, SMALL["y"]], {}),
        ([SMALL[["a"]], list("pn")], {}),
        ([SMALL[["a"]].to_numpy()], {}),
        ([sparse.eye_array(9)], {}),
        ([sparse.eye_array(9), [1] * 9], {}),
        ([sparse.eye_array(4), [1, 2] * 2], {"stream": True}),
        ([np.zeros(3), [1, 2, 3]], {}),
        ([3], {"target": "y"}),
        ([[[1, 2], [3]], [0, 1]], {}),
        ([[[1j], [2]], [0, 1]], {}),
        ([pd.DataFrame({"a": [1, "x"], "y": [0, 1]})], {"target": "y"}),
        (["t.csv", [0, 1]], {}),
        (["t.csv"], {"target": "y", "groups": [0, 1]}),
        (["none.csv"], {"target": "y"}),
        ([SMALL], {"target": 3}),
        ([SMALL], {"target": "y", "ignore": 3}),
        ([SMALL], {"target": "y", "cv": 1}),
        ([SMALL], {"target": "y", "random_state": -1}),
        ([SMALL], {"target": "y", "random_state": True}),
        ([SMALL], {"target": "y", "impute": "mode"}),
        ([SMALL], {"target": "y", "private": 1}),
        ([SMALL], {"target": "y", "time_limit": 0}),
        ([SMALL], {"target": "y", "cache": "c"}),
        ([SMALL], {"target": "y", "stream": True, "cv": 3}),
        ([SMALL], {"target": "y", "stream": True, "groups": "a"}),
        ([SMALL], {"target": "y", "checkpoint_every": 3}),
        ([SMALL], {"target": "y", "groups": "z"}),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(here, given, options):
    with raises(InputError) as caught:
        study(*given, **options)
    assert str(caught.value).endswith(".")
    assert os.listdir(here) == []


def test_types_that_cannot_be_are_type_errors():
    for given in (3, None, {"a": [1]}):
        with pytest.raises(InputTypeError):
            study(given, target="y")


def test_a_folder_that_is_there_is_not_replaced_unasked(frame, here):
    found = study(frame[["a", "label"]], target="label")
    found.save("fit")
    first = Path("fit/model.json").read_bytes()
    other = study(frame[["a", "label"]], target="label", random_state=9)
    with raises(FileError, option="force", value=False, file="fit"):
        other.save("fit")
    assert Path("fit/model.json").read_bytes() == first
    other.save("fit", force=True)
    assert Path("fit/model.json").read_bytes() != first
    Path("fit/notes.txt").write_text("mine")
    with raises(FileError, file="fit"):
        found.save("fit", force=True)
    with raises(MissingFileError):
        found.save("no/where")
    assert os.listdir(here) == ["fit"]


def test_checkpoints_stay_until_it_is_saved(frame, here):
    found = study(frame[["a", "label"]], target="label", checkpoint="out/run")
    assert list(Path("out/run").glob("*.checkpoint"))
    with raises(InputError, option="checkpoint", value="out/run"):
        found.save("out")
    found.save("fit")
    assert os.listdir("out") == []
    assert sorted(os.listdir(here)) == ["fit", "out"]


# --- Ctrl-C ---------------------------------------------------------------------------------------


def test_ctrl_c_hands_over_what_there_is(frame, monkeypatch, tmp_path):
    fit = Perceptron.fit

    def stopped(self, *rows, **more):
        if self.keep == "best":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(30)
        return fit(self, *rows, **more)

    monkeypatch.setattr(Perceptron, "fit", stopped)
    with pytest.raises(KeyboardInterrupt) as caught:
        study(frame[["a", "label"]], target="label")
    found = caught.value.study
    assert found.interrupted
    assert [c.name for c in found.candidates] == ["larger class", "random linear", "last"]
    assert found.certificate is None
    assert repr(found).endswith(", interrupted>")
    found.save(tmp_path / "fit")
    assert sorted(os.listdir(tmp_path / "fit")) == ["model.json", "report.html"]


def test_what_is_no_engine_is_refused_before_any_work():
    with raises(EngineError, option="engine", value="nowhere"):
        study("nowhere.csv", target="y", engine="nowhere")
