"""--drop-unlabelled, --sep and --names in the commands: what was said once holds later."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commands import line_of, write
from raising import check_sentence
from rosenblatt import study

# Row 4 is inside the segment from row 0 to row 6, and nothing else is in the way.
ROWS = "a,b,y\n1,1,yes\n5,,\n6,1,no\n3,0,\n7,7,no\n8,3,no\n9,9,yes\n"


def test_a_certificate_names_rows_as_the_table_does(shell):
    table = write("t.csv", ROWS)
    said = ("certify", table, "-y", "y", "--drop-unlabelled")
    code, out, err = shell(*said, "-o", "c.json", "--encoded", "n.csv")
    assert code == 0
    check_sentence(err.strip())
    assert "5 rows (2 left out)" in out
    document = json.loads(Path("c.json").read_text())
    assert (document["rows"], document["dropped"]) == (7, [1, 3])
    code, out, _ = shell("certify", table, "-y", "y", "--drop-unlabelled", "--json")
    assert sorted(json.loads(out)["conflict"]["rows"]) == [0, 4, 6]
    code, out, _ = shell("verify", "c.json", table)
    assert code == 0
    assert "5 rows (2 left out)" in out
    check_sentence(line_of(out, "2 rows"))
    alone = [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"]
    assert subprocess.run(alone, capture_output=True, check=False).returncode == 0


def test_a_certificate_must_not_count_rows_without_a_label(shell):
    table = write("t.csv", ROWS)
    shell("certify", table, "-y", "y", "--drop-unlabelled", "-o", "c.json")
    other = write("u.csv", ROWS.replace("6,1,no", "6,1,"))
    code, out, _ = shell("verify", "c.json", other)
    assert code == 1
    check_sentence(out.strip())


def test_commands_that_are_printed_say_it_again(shell):
    table = write("t.txt", ROWS.replace(",", "^").removeprefix("a^b^y\n"))
    options = ("-y", "y", "--drop-unlabelled", "--sep", "^", "--names", "a,b,y")
    _, out, _ = shell("certify", table, *options)
    then = shlex.split(out.split("rosenblatt fit t.txt ")[1])
    assert then[:2] == ["--target", "y"]
    assert sorted(then[2:]) == sorted(["--drop-unlabelled", "--sep", "^", "--names", "a,b,y"])
    code, out, _ = shell("inspect", table, *options)
    assert code == 2  # two rows with the label no are too few to fit
    check_sentence(line_of(out, "Note:"))
    assert "5 rows, 3 columns" in out


@pytest.mark.parametrize("stream", [False, True])
def test_a_study_leaves_them_out_and_says_so(shell, stream):
    rows = [
        f"{i % 7},{i * i % 11},{'' if i % 5 == 2 else 'yes' if i % 7 > 3 else 'no'}"
        for i in range(60)
    ]
    table = write("t.csv", "\n".join(["a,b,y", *rows]))
    found = study(table, target="y", drop_unlabelled=True, stream=stream)
    document = found.to_dict()
    assert document["data"]["rows"] == 48
    assert [w["sentence"] for w in document["data"]["warnings"] if w["kind"] == "unlabelled"] == [
        "12 rows without a label left out."
    ]
    assert all(row["row"] % 5 != 2 for row in document["hardest_rows"])
    for row in document["hardest_rows"]:
        assert row["values"]["a"] == row["row"] % 7
    assert "--drop-unlabelled" in document["reproduce"]["command"]
    found.save("out")
    assert shell("verify", "out/certificate.json", table)[0] == 0
    assert shell("predict", "out/model.json", table)[1].count("\n") == 61
