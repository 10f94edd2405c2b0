"""rosenblatt inspect: how a file is understood, and every problem at once."""

import json
import shlex

import pandas as pd
import pytest

from commands import CREDIT, line_of, write
from raising import check_sentence


def test_inspect_shows_how_a_file_is_understood(shell):
    code, out, err = shell("inspect", CREDIT, "-y", "card")
    assert (code, err) == (0, "")
    assert "1,319 rows, 12 columns" in out
    assert "no (296), yes (1,023)" in out
    assert "0 or 1: owner=yes" in out
    found = json.loads(shell("inspect", CREDIT, "-y", "card", "--json")[1])
    assert found["schema_version"] == 1
    assert found["labels"] == {"no": 296, "yes": 1023}
    assert found["columns"][2]["maximum"] == pd.read_csv(CREDIT)["age"].max()


def test_it_says_whether_the_table_is_ready_and_finds_the_leak(shell):
    code, out, _ = shell("inspect", CREDIT, "-y", "card")
    first, warning, *_ = out.splitlines()
    assert code == 0
    assert first.startswith("Ready to fit, but read the warning first. ")
    assert "share" in warning
    assert "expenditure" in warning
    command = shlex.split(first.split("advice: ")[1])
    assert command[-4:] == ["--ignore", "share", "--ignore", "expenditure"]
    _, out, _ = shell("inspect", *command[2:])
    assert out.splitlines()[0] == f"Ready to fit: {shlex.join(command)}"
    assert shell(*shlex.split(out.splitlines()[0].split(": ", 1)[1])[1:])[0] == 0
    assert shell("inspect", CREDIT)[1].startswith("Readable. ")
    code, out, _ = shell("inspect", write("t.csv", "a,b\n1,x\n,y\n3,x\n4,y\n"), "-y", "b")
    assert (code, out.splitlines()[0]) == (2, "Not ready to fit: 1 problem.")


def test_inspect_shows_every_problem_at_once(shell):
    name = write(
        "t.csv", "id,a,label\n" + "".join(f"P{i},{i or ''},{i % 3}.5\n" for i in range(30))
    )
    code, out, _ = shell("inspect", name, "-y", "label")
    assert code == 2
    assert out.count("Problem: ") == 3
    assert shell("inspect", name, "-y", "label", "--ignore", "id", "--ignore", "a")[0] == 2
    options = ["--ignore", "id", "--impute", "mean", "--positive", "2.5"]
    assert shell("inspect", name, "-y", "label", *options)[0] == 0


def test_many_labels_are_counted_and_no_problem(shell):
    name = write("t.csv", "a,label\n" + "1,x\n2,y\n3,z\n4,x\n" * 5)
    code, out, _ = shell("inspect", name, "-y", "label")
    assert code == 0
    assert "x (10), y (5), z (5)" in out


@pytest.mark.parametrize("rows", [4, 5])
def test_a_label_too_rare_for_fit_is_a_problem(shell, rows):
    """What fit refuses is not called ready, and the other way round."""
    lines = [f"{k / 7},{'rare' if k < rows else 'xy'[k % 2]}\n" for k in range(60)]
    name = write("t.csv", "a,label\n" + "".join(lines))
    code, out, _ = shell("inspect", name, "-y", "label")
    assert code == shell("fit", name, "-y", "label")[0] == (2 if rows == 4 else 0)
    assert out.startswith("Not ready" if rows == 4 else ("Ready", "Look at"))


def test_inspect_notes(shell):
    _, out, _ = shell("inspect", write("t.csv", "a,b\n1,2\n1,3\n"))
    check_sentence(line_of(out, "'a'"))
    assert "No target was named" in out


def test_a_question_mark_among_words_is_a_category(shell):
    name = write("t.csv", "town,label\n" + "x,a\ny,b\n?,a\n" * 5)
    _, out, _ = shell("inspect", name, "-y", "label")
    check_sentence(line_of(out, "Note: '?'"))
    assert "--na-values '?'." in out
    assert "counts as" not in shell("inspect", name, "-y", "label", "--na-values", "?")[1]
