"""rosenblatt predict: what Python predicts, and reasons that add up to the score."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import CREDIT, on_a_terminal, write
from raising import check_sentence
from rosenblatt import Perceptron, data

# --- Bad input ------------------------------------------------------------------------------------


def test_reading_is_shown_on_a_terminal(trained, tmp_path):
    asked = ("predict", "m.rosenblatt", str(CREDIT))
    out = tmp_path / "p.csv"
    assert "reading: 1,319 rows, 100%" in on_a_terminal(tmp_path, *asked, out=out)
    assert on_a_terminal(tmp_path, *asked, "--quiet", out=out) == ""
    printed = out.read_text().splitlines()
    assert len(printed) == 2 * 1320
    assert printed[:1320] == printed[1320:]


# --- Files without a line of names ---------------------------------------------------------------


def nameless(path, columns, rows=40):
    """a: a number; t: a word; y: the label, told by both; z: noise."""
    cells = {
        "a": lambda i: str(i % 4),
        "t": lambda i: "no" if i % 4 < 2 else "yes",
        "z": lambda i: str(i * i % 7),
        "y": lambda i: "P" if i % 4 < 2 else "Q",
    }
    lines = [",".join(cells[name](i) for name in columns) for i in range(rows)]
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("order", ["atzy", "yatz", "ayzt"])
def test_rows_without_labels_and_names_are_those_of_the_training_table(shell, order):
    nameless("t.csv", order)
    nameless("new.csv", order.replace("y", ""))
    names = ",".join(order)
    assert shell("fit", "t.csv", "--names", names, "-y", "y", "-o", "f")[0] == 0
    with_labels = shell("predict", "f/model.json", "t.csv")
    code, out, said = shell("predict", "f/model.json", "new.csv")
    assert (code, out, with_labels[2]) == (0, with_labels[1], "")
    assert "'y'" in said
    assert said.count("\n") == 1
    code, _, said = shell("evaluate", "f/model.json", "new.csv")
    assert code == 2
    assert "'y'" in said


def test_rows_without_names_that_could_be_several_columns_are_refused(shell):
    nameless("t.csv", "zaty")
    names = ("--names", "z,a,t,y")
    assert shell("fit", "t.csv", *names, "-y", "y", "--ignore", "z", "-o", "f")[0] == 0
    expected = shell("predict", "f/model.json", "t.csv")[1]
    nameless("needed.csv", "at")
    assert shell("predict", "f/model.json", "needed.csv")[:2] == (0, expected)
    for columns in ("zat", "aty"):  # the target lacks, or what was ignored
        nameless("new.csv", columns)
        code, _, said = shell("predict", "f/model.json", "new.csv")
        assert code == 2
        assert "has 3 columns" in said
        assert "--names has" not in said
        typed = ("--names", ",".join(columns))
        assert shell("predict", "f/model.json", "new.csv", *typed)[:2] == (0, expected)
    nameless("t.csv", "atzy")  # beside each other: the others are the same
    names = ("--names", "a,t,z,y")
    assert shell("fit", "t.csv", *names, "-y", "y", "--ignore", "z", "-o", "g")[0] == 0
    nameless("new.csv", "atz")
    assert shell("predict", "g/model.json", "new.csv", "--copy", "z")[0] == 0


# --- predict --------------------------------------------------------------------------------------


@pytest.fixture
def trained(tmp_path):
    """A rule for the credit-card table, saved with its preprocessing."""
    model_file = pytest.importorskip("rosenblatt.model_file")
    table = data.read(CREDIT, target="card", ignore=["share", "expenditure"])
    X, y, preprocessing = table.encode()
    p = Perceptron(max_iter=20, random_state=0).fit(X, y)
    model_file.save(p, tmp_path / "m.rosenblatt", preprocessing=preprocessing.to_dict())
    return p, X, preprocessing


def test_predict_is_what_python_predicts(shell, trained):
    p, X, _ = trained
    code, out, _ = shell("predict", "m.rosenblatt", CREDIT)
    assert code == 0
    header, *rows = csv.reader(out.splitlines())
    assert header == ["row", "prediction", "score"]
    assert [label for _, label, _ in rows] == p.predict(X).tolist()
    assert [float(score) for *_, score in rows] == p.decision_function(X).tolist()
    assert [int(row) for row, *_ in rows] == list(range(1, len(X) + 1))
    assert shell("predict", "m.rosenblatt", CREDIT, "-o", "p.csv")[:2] == (0, "")
    assert Path("p.csv").read_text() == out


def test_predict_imports_what_it_needs(trained, tmp_path):
    without = ("rosenblatt.certificate", "rosenblatt._bounds", "rich", "jinja2")
    arguments = ["predict", "m.rosenblatt", str(CREDIT)]
    code = (
        f"import sys; from rosenblatt.cli import run; run({arguments!r});"
        f"print([m for m in {without!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_predict_gives_the_heaviest_reasons(shell, trained):
    p, X, preprocessing = trained
    _, out, _ = shell("predict", "m.rosenblatt", CREDIT, "--explain", "--json", "--reasons", "99")
    found = json.loads(out)
    assert found["labels"] == ["no", "yes"]
    for i, row in enumerate(found["rows"]):
        adds = {reason["feature"]: reason["adds"] for reason in row["reasons"]}
        expected = p.coef_[0] * X[i]
        assert list(adds.values()) == sorted(adds.values(), key=lambda v: -abs(v))
        for name, value in zip(preprocessing.feature_names, expected, strict=True):
            assert adds.get(name, 0.0) == value
        assert row["others"] == 0
        assert row["intercept"] == p.intercept_[0]


def test_reasons_add_up_to_the_score(shell, trained):
    _, out, _ = shell("predict", "m.rosenblatt", CREDIT, "--explain", "--json")
    for row in json.loads(out)["rows"]:
        assert len(row["reasons"]) <= 3
        added = [reason["adds"] for reason in row["reasons"]]
        assert sum(added) + row["others"] + row["intercept"] == pytest.approx(row["score"])
    _, out, _ = shell("predict", "m.rosenblatt", CREDIT, "--explain", "--reasons", "2")
    _, first, *_ = csv.reader(out.splitlines())
    header = out.splitlines()[0].split(",")
    assert header[3:] == ["reason 1", "adds 1", "reason 2", "adds 2", "others add", "intercept"]
    told = [float(cell) for name, cell in zip(header, first, strict=True) if "add" in name]
    assert sum(told) + float(first[-1]) == pytest.approx(float(first[2]))
    code, out, err = shell("predict", "m.rosenblatt", CREDIT, "--reasons", "2")
    assert (code, out) == (2, "")
    assert "add --explain" in err


def test_predict_on_other_rows(shell, trained):
    rows = "owner,reports,age,income,selfemp,dependents,months,majorcards,active\n"
    write("new.csv", rows + "yes,0,30,3,no,1,10,1,5\nmaybe,0,30,3,no,1,10,1,5\n")
    code, out, err = shell("predict", "m.rosenblatt", "new.csv", "-o", "p.csv")
    assert (code, out) == (2, "")
    assert "new.csv, row 2 (line 3)" in err
    assert "'owner' holds 'maybe'" in err
    assert not Path("p.csv").exists()
    assert shell("predict", "m.rosenblatt", "new.csv")[:2] == (2, "")
    code, out, err = shell("predict", "m.rosenblatt", "new.csv", "--on-unseen", "reference")
    assert code == 0
    check_sentence(err.strip())
    marks = [row["unseen in training"] for row in csv.DictReader(out.splitlines())]
    assert marks == ["", "owner=maybe counts as 'no', the reference level"]
    asked = ("predict", "m.rosenblatt", "new.csv", "--on-unseen", "reference", "--json")
    one, two = json.loads(shell(*asked)[1])["rows"]
    assert ("unseen_categories" in one, two["unseen_categories"]) == (False, marks[1])
    write("new.csv", rows.replace("age", "Age") + "yes,0,30,3,no,1,10,1,5\n")
    check_sentence(shell("predict", "m.rosenblatt", "new.csv")[2].strip())


def test_predict_needs_a_model_that_says_how(shell, trained):
    model_file = pytest.importorskip("rosenblatt.model_file")
    model_file.save(trained[0], "bare.rosenblatt")
    code, _, err = shell("predict", "bare.rosenblatt", CREDIT)
    assert code == 2
    check_sentence(err.strip())
    assert shell("predict", CREDIT, CREDIT)[0] == 2
    voting = Perceptron(keep="vote", max_iter=2, random_state=0).fit(
        trained[1], trained[0].predict(trained[1])
    )
    model_file.save(voting, "v.rosenblatt", preprocessing=trained[2].to_dict())
    code, _, err = shell("predict", "v.rosenblatt", CREDIT, "--explain")
    assert code == 2
    check_sentence(err.strip())


def test_a_table_in_the_place_of_the_model(shell, trained):
    code, _, err = shell("predict", CREDIT, "m.rosenblatt")
    assert code == 2
    check_sentence(err.strip())


def test_on_a_terminal_it_is_a_table_with_a_count(tmp_path, trained):
    p, X, _ = trained
    counts = dict(zip(*np.unique(p.predict(X), return_counts=True), strict=True))
    asked = ("predict", "m.rosenblatt", str(CREDIT), "--explain", "--quiet")
    seen = on_a_terminal(tmp_path, *asked, NO_COLOR="1", COLUMNS="200")
    *_, last = seen.strip().splitlines()
    labels = sorted(counts, key=lambda label: -counts[label])
    said = ", ".join(f"{label} {counts[label]:,}" for label in labels)
    assert last.startswith(f"{len(X):,} rows: {said} (the first 20 are shown)")
    header, first, *_ = seen.splitlines()
    assert header.split() == [
        "row",
        "prediction",
        "score",
        *["reason", "1", "reason", "2", "reason", "3"],
    ]
    assert first.split()[:3] == ["1", p.predict(X)[0], f"{p.decision_function(X)[0]:.4g}"]


def test_reasons_name_the_value_and_the_average(shell, trained):
    _, out, _ = shell("predict", "m.rosenblatt", CREDIT, "--explain", "--reasons", "99")
    _, first, *_ = csv.reader(out.splitlines())
    with open(CREDIT) as file:
        row, *others = csv.DictReader(file)
    average = np.mean([float(one["reports"]) for one in (row, *others)])
    assert f"reports {float(row['reports']):.4g} (average {average:.4g})" in first
