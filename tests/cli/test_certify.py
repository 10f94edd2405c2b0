"""rosenblatt certify and verify: what Python says, and what was done to the table is done again."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from commands import CREDIT, SMALL, write
from rosenblatt import certify, data

XOR = "a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


# --- certify and verify ---------------------------------------------------------------------------


def test_certify_says_what_python_says(shell):
    code, out, _ = shell("certify", CREDIT, "-y", "card", "--fewest-errors", "0")
    X, y, encoding = data.read(CREDIT, target="card").encode(scale=False)
    certificate = certify(X, y, encoding=encoding)
    assert code == 10
    assert out == f"{certificate}\n"
    assert "owner=yes" in certificate.feature_names
    assert shell("certify", write("s.csv", SMALL), "-y", "label")[0] == 0
    assert shell("certify", write("x.csv", XOR), "-y", "label")[0] == 10
    assert shell("certify", CREDIT, "-y", "card", "--time-limit", "1e-9")[0] == 20


def test_certify_as_json(shell):
    code, out, _ = shell("certify", write("s.csv", SMALL), "-y", "label", "--json")
    found = json.loads(out)
    assert (code, found["verdict"], found["schema_version"]) == (0, "complete separation", 1)
    assert found["geometric_margin"]["lo"] > 0.5
    assert found["labels"] == ["no", "yes"]
    assert found["features"] == ["a", "town=y", "town=z"]


def test_a_certificate_is_checked_against_the_table(shell):
    code, _, err = shell("certify", CREDIT, "-y", "card", "-o", "c.json", "--encoded", "n.csv")
    assert code == 10
    assert "The certificate is in c.json." in err
    assert shell("verify", "c.json", CREDIT)[:2] == (
        0,
        "ACCEPTED: quasi-complete separation, 1,319 rows, proved.\n",
    )
    assert shell("verify", "c.json", CREDIT, "--encoded", "again.csv")[0] == 0
    assert Path("n.csv").read_bytes() == Path("again.csv").read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("ACCEPTED")
    other = write("other.csv", Path(CREDIT).read_text().replace("37.66667", "37.66668"))
    code, out, _ = shell("verify", "c.json", other)
    assert (code, out[:30]) == (1, "REJECTED: this is other data: ")
    assert json.loads(shell("verify", "c.json", other, "--json")[1])["accepted"] is False


@pytest.mark.parametrize(
    "options",
    [
        ["--scale"],
        ["--decimal"],
        ["--no-intercept"],
        ["--positive", "b"],
        ["--impute", "median", "--missing", "?"],
    ],
)
def test_whatever_was_done_to_the_table_is_done_again(shell, options):
    rows = [f"{i * 0.1:.1f};{'uvw'[i % 3]};{i % 2 == 0};{'abc'[i % 3]}" for i in range(30)]
    if "--impute" in options:
        rows[3] = rows[3].replace("0.3", "?")
    if "--positive" not in options:
        rows = [row.replace(";c", ";b") for row in rows]
    name = write("t.csv", "x;word;flag;label\n" + "\n".join(rows).replace(".", ",") + "\n")
    code, _, err = shell("certify", name, "-y", "label", "-o", "c.json", *options)
    assert code in (0, 10), err
    missing = options[2:] if "--missing" in options else []
    assert shell("verify", "c.json", name, "--encoded", "n.csv", *missing)[0] == 0
    standalone = [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"]
    assert subprocess.run(standalone, check=False, capture_output=True).returncode == 0


def test_certificates_made_in_python_are_found_by_column_names(shell):
    table = pd.DataFrame(
        {"b": [0.1, 2, 3, 4], "flag": [True, False, True, True], "a": [4, 3, 2, 1]}
    )
    y = pd.Series([0, 0, 1, 1], name="y")
    certify(table[["flag", "b"]], y).save("c.json")
    table.assign(y=y).to_csv("t.csv", index=False)
    assert shell("verify", "c.json", "t.csv")[:2] == (
        0,
        "ACCEPTED: complete separation, 4 rows, proved.\n",
    )


def test_what_is_no_certificate(shell):
    for text in ("", "{}", "[1]", '{"schema": "rosenblatt-certificate/1"}'):
        code, out, err = shell("verify", write("c.json", text), CREDIT)
        assert (code, out) == (2, "")
        assert "not a" in err
    shell("certify", write("s.csv", SMALL), "-y", "label", "-o", "good.json")
    document = json.loads(Path("good.json").read_text())
    document["encoding"]["columns"][0]["scale"] = -1
    code, _, err = shell("verify", write("c.json", json.dumps(document)), "s.csv")
    assert code == 2
    assert "not the encoding of a table" in err


# --- The fewest errors ----------------------------------------------------------------------------


def test_certify_says_how_few_errors_there_can_be(shell):
    # XOR: with three rows on the right side the fourth is not; no rule has all four.
    file = write("xor.csv", XOR)
    code, out, _ = shell("certify", file, "--target", "label")
    assert code == 10
    assert "1 of 4 rows" in out
    code, out, _ = shell("certify", file, "--target", "label", "--json")
    assert (code, json.loads(out)["fewest_errors"]["upper"]) == (10, 1)
    assert json.loads(out)["fewest_errors"]["proved_lower"] == 1
    code, out, _ = shell("certify", file, "--target", "label", "--fewest-errors", "0")
    assert (code, "1 of 4" in out) == (10, False)
