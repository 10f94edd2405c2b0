"""The command: what it prints and where, exit codes, files written whole or not at all."""

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Perceptron, Trace, certify, data
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.orders import ORDERS
from rosenblatt.cli import COMMANDS
from rosenblatt.cli import trace as cli_trace
from rosenblatt.datasets import load_credit

CREDIT = load_credit().filename
SMALL = "a,town,label\n1,x,no\n2,y,no\n3,z,yes\n4,x,yes\n"
XOR = "a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


def write(name, text):
    Path(name).write_text(text)
    return name


def process(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "rosenblatt", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# --- Help ----------------------------------------------------------------------------------------


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from rosenblatt.cli import run; run(['--help']);"
        "print([m for m in ('numpy', 'pyarrow', 'rich', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(shell, name):
    code, out, _ = shell(name, "--help")
    assert code == 0
    assert f"Usage: rosenblatt {name}" in out


def test_usage_errors(shell):
    assert shell("frob")[0] == 2
    assert shell("certify")[0] == 2
    code, out, err = shell("certify", CREDIT)
    assert (code, out) == (2, "")
    assert "--target COLUMN" in err
    assert shell("certify", CREDIT, "-y", "card", "--scale", "--decimal")[0] == 2


def test_python_minus_m_and_the_version():
    done = process("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("rosenblatt, version ")


def test_completion(shell):
    for name in ("bash", "zsh", "fish"):
        code, out, _ = shell("completion", name)
        assert code == 0
        assert "_ROSENBLATT_COMPLETE" in out


def test_doctor(shell):
    assert "rosenblatt" in shell("doctor")[1]
    found = json.loads(shell("doctor", "--json")[1])
    assert found["native"] is True
    assert found["packages"]["numpy"] == np.__version__


# --- inspect -------------------------------------------------------------------------------------


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


def test_inspect_shows_every_problem_at_once(shell):
    name = write("t.csv", "id,a,label\n" + "".join(f"P{i},{i or ''},{i % 3}\n" for i in range(30)))
    code, out, _ = shell("inspect", name, "-y", "label")
    assert code == 2
    assert out.count("Problem: ") == 3
    assert shell("inspect", name, "-y", "label", "--ignore", "id", "--ignore", "a")[0] == 2
    options = ["--ignore", "id", "--impute", "mean", "--positive", "2"]
    assert shell("inspect", name, "-y", "label", *options)[0] == 0


def test_inspect_notes(shell):
    _, out, _ = shell("inspect", write("t.csv", "a,b\n1,2\n1,3\n"))
    assert "'a' is 1 in every row" in out
    assert "No target was named" in out


# --- certify and verify --------------------------------------------------------------------------


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
    assert found["features"] == ["a", "town=x", "town=y", "town=z"]


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


# --- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,label\n", "has no rows"),
        (b"a,a,label\n1,2,3\n", "several columns named 'a'"),
        (b"a,label\n1,x\n2,y\n3,z\n", "--positive"),
        (b"a,label\n1,x\n2,x\n", "in every row"),
        (b"a,label\n1,x\n2,\n3,y\n", "label is missing"),
        (b"a,label\n1,x\n2,y,z\n", "3 fields where the header has 2"),
        (b"PAR1 but not really", "damaged or cut short"),
        (b"\x1f\x8b but not really", "cannot be read"),
    ],
)
def test_bad_input_gets_one_message_and_writes_nothing(shell, content, words):
    Path("t.csv").write_bytes(content)
    code, out, err = shell("certify", "t.csv", "-y", "label", "-o", "c.json", "--encoded", "n.csv")
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("Error: ")
    assert len(err.splitlines()) == 1
    assert os.listdir() == ["t.csv"]


def test_files_are_not_written_over(shell):
    write("s.csv", SMALL)
    write("c.json", "precious")
    code, _, err = shell("certify", "s.csv", "-y", "label", "-o", "c.json")
    assert code == 2
    assert "exists already" in err
    assert Path("c.json").read_text() == "precious"
    assert shell("certify", "s.csv", "-y", "label", "-o", "c.json", "--force")[0] == 0
    assert shell("certify", "s.csv", "-y", "label", "-o", "s.csv", "--force")[0] == 2
    assert Path("s.csv").read_text() == SMALL
    assert shell("certify", "s.csv", "-y", "label", "-o", "none/c.json")[0] == 2
    assert shell("certify", "s.csv", "-y", "label", "-o", ".")[0] == 2
    assert sorted(os.listdir()) == ["c.json", "s.csv"]


def test_quiet_says_nothing_but_the_result(shell):
    write("s.csv", SMALL)
    assert shell("certify", "s.csv", "-y", "label", "-o", "c.json", "-q")[2] == ""
    assert shell("certify", "s.csv", "-y", "label", "-v")[2] == "4 rows, 4 features.\n"


def test_standard_input_is_a_table():
    done = process("certify", "-", "-y", "label", input=SMALL)
    assert done.returncode == 0
    assert done.stdout.startswith("Complete separation")


def test_a_failure_of_our_own_is_told_from_bad_input(shell, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.read", lambda *a, **k: 1 / 0)
    code, _, err = shell("inspect", CREDIT)
    assert code == 1
    assert "Unexpected failure: ZeroDivisionError" in err
    assert "Traceback" not in err
    assert "Traceback" in shell("inspect", CREDIT, "-v")[2]


def test_whoever_closes_the_pipe_hears_nothing():
    line = f"{sys.executable} -m rosenblatt certify {CREDIT} -y card --json | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_ctrl_c_ends_with_130_and_writes_nothing(tmp_path):
    fifo = tmp_path / "in"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "rosenblatt", "certify", "-", "-y", "a", "-o", "c.json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        child.stdin.write("a,b\n")
        child.stdin.flush()
        deadline = time.time() + 60
        while not _reads_standard_input(child.pid) and time.time() < deadline:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == ["in"]


def _reads_standard_input(pid):
    """It waits for a pipe: all imports are done."""
    return "pipe" in Path(f"/proc/{pid}/wchan").read_text() or _in_read(pid)


def _in_read(pid):
    try:
        return Path(f"/proc/{pid}/syscall").read_text().startswith("0 0x0 ")
    except OSError:
        return False


def on_a_terminal(folder, *arguments, out=None, **variables):
    """What a terminal shows of standard error, and of standard output unless that goes to `out`."""
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color"} | variables
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rosenblatt", *arguments]
    subprocess.run(
        command, stdout=out or theirs, stderr=theirs, cwd=folder, env=environment, check=False
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:
            break
        if not block:
            break
        shown += block
    os.close(ours)
    return shown.decode()


@pytest.mark.parametrize("plain", [False, True])
def test_colours_on_a_terminal_unless_they_are_not_wanted(plain, tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,x\n")
    wish = {"NO_COLOR": "1"} if plain else {}
    shown = on_a_terminal(tmp_path, "inspect", "t.csv", "-y", "label", **wish)
    assert "Problem: " in shown
    assert ("\x1b[31m" in shown) is not plain


def test_reading_is_shown_on_a_terminal(trained, tmp_path):
    asked = ("predict", "m.rosenblatt", str(CREDIT))
    with open(tmp_path / "p.csv", "w") as out:
        assert "reading: 1,319 rows, 100%" in on_a_terminal(tmp_path, *asked, out=out)
        assert on_a_terminal(tmp_path, *asked, "--quiet", out=out) == ""
    printed = (tmp_path / "p.csv").read_text().splitlines()
    assert len(printed) == 2 * 1320
    assert printed[:1320] == printed[1320:]


# --- predict -------------------------------------------------------------------------------------


@pytest.fixture
def trained(tmp_path):
    """A rule for the credit-card table, saved with its encoding."""
    model_file = pytest.importorskip("rosenblatt.model_file")
    table = data.read(CREDIT, target="card", ignore=["share", "expenditure"])
    X, y, encoding = table.encode()
    p = Perceptron(max_iter=20, random_state=0).fit(X, y)
    model_file.save(p, tmp_path / "m.rosenblatt", encoding=encoding.to_dict())
    return p, X, encoding


def test_predict_is_what_python_predicts(shell, trained):
    p, X, _ = trained
    code, out, _ = shell("predict", "m.rosenblatt", CREDIT)
    assert code == 0
    header, *rows = csv.reader(out.splitlines())
    assert header == ["row", "prediction", "score"]
    assert [label for _, label, _ in rows] == p.predict(X).tolist()
    assert [float(score) for *_, score in rows] == p.decision_function(X).tolist()
    assert [int(row) for row, *_ in rows] == list(range(len(X)))
    assert shell("predict", "m.rosenblatt", CREDIT, "-o", "p.csv")[:2] == (0, "")
    assert Path("p.csv").read_text() == out


def test_predict_gives_the_heaviest_reasons(shell, trained):
    p, X, encoding = trained
    _, out, _ = shell("predict", "m.rosenblatt", CREDIT, "--explain", "--json", "--reasons", "99")
    found = json.loads(out)
    assert found["labels"] == ["no", "yes"]
    for i, row in enumerate(found["rows"]):
        adds = {reason["feature"]: reason["adds"] for reason in row["reasons"]}
        expected = p.coef_[0] * X[i]
        assert list(adds.values()) == sorted(adds.values(), key=lambda v: -abs(v))
        for name, value in zip(encoding.feature_names, expected, strict=True):
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
    told = dict(reason.rsplit(" ", 1) for reason in first[3].split("; "))
    assert list(told)[2:] == ["6 others", "intercept"]
    assert sum(map(float, told.values())) == pytest.approx(float(first[2]), rel=1e-3)
    code, out, err = shell("predict", "m.rosenblatt", CREDIT, "--reasons", "2")
    assert (code, out) == (2, "")
    assert "add --explain" in err


def test_predict_on_other_rows(shell, trained):
    rows = "owner,reports,age,income,selfemp,dependents,months,majorcards,active\n"
    write("new.csv", rows + "yes,0,30,3,no,1,10,1,5\nmaybe,0,30,3,no,1,10,1,5\n")
    code, out, err = shell("predict", "m.rosenblatt", "new.csv", "-o", "p.csv")
    assert (code, out) == (2, "")
    assert "new.csv, row 1 " in err
    assert "'owner' holds 'maybe'" in err
    assert not Path("p.csv").exists()
    assert shell("predict", "m.rosenblatt", "new.csv")[:2] == (2, "")
    assert shell("predict", "m.rosenblatt", "new.csv", "--unseen", "zero")[0] == 0
    write("new.csv", rows.replace("age", "Age") + "yes,0,30,3,no,1,10,1,5\n")
    assert "Did you mean 'Age'" in shell("predict", "m.rosenblatt", "new.csv")[2]


def test_predict_needs_a_model_that_says_how(shell, trained):
    model_file = pytest.importorskip("rosenblatt.model_file")
    model_file.save(trained[0], "bare.rosenblatt")
    code, _, err = shell("predict", "bare.rosenblatt", CREDIT)
    assert code == 2
    assert "without an encoding" in err
    assert shell("predict", CREDIT, CREDIT)[0] == 2
    voting = Perceptron(keep="vote", max_iter=2, random_state=0).fit(
        trained[1], trained[0].predict(trained[1])
    )
    model_file.save(voting, "v.rosenblatt", encoding=trained[2].to_dict())
    code, _, err = shell("predict", "v.rosenblatt", CREDIT, "--explain")
    assert code == 2
    assert "one weight for each feature" in err


# --- trace --------------------------------------------------------------------------------------

LI_HANG = "x1,x2,y\n3,3,1\n4,3,1\n1,1,-1\n"  # example 2.1 of Statistical Learning Methods


def test_trace_says_every_step(shell):
    code, out, err = shell("trace", write("toy.csv", LI_HANG), "--target", "y", "--steps")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 7
    assert lines[1].endswith("is -1 but scores 7: w (3, 3) - (1, 1) = (2, 2), b 1 - 1 = 0")
    assert lines[6].endswith("w (2, 2) - (1, 1) = (1, 1), b -2 - 1 = -3")


def test_trace_checks_the_proofs_and_names_the_columns(shell):
    code, out, _ = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--check")
    assert code == 0
    assert " x1 " in out.splitlines()[1]
    assert "9 held" in out


@pytest.mark.parametrize(("form", "begins"), [("markdown", "| k |"), ("latex", "\\begin{tabular}")])
def test_trace_writes_tables_for_worksheets(shell, form, begins):
    code, out, _ = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--format", form)
    assert code == 0
    assert out.startswith(begins)


def test_trace_in_json_is_the_trace(shell):
    file = write("toy.csv", LI_HANG)
    code, out, _ = shell("trace", file, "-y", "y", "--json", "--check", "-o", "run.json")
    assert code == 0
    found = json.loads(out)
    assert found["schema_version"] == 1
    assert {claim["status"] for claim in found["check"]} == {"held"}
    again = Trace.from_json("run.json")
    assert Trace.from_json(json.dumps(found["trace"])).weights_at(7).b == -3.0
    assert again.row.tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert shell("trace", file, "-y", "y", "-o", "run.json")[0] == 2  # it exists


def test_trace_makes_a_film(shell):
    code, _, err = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--film", "toy.gif")
    assert code == 0
    assert "toy.gif" in err
    assert Path("toy.gif").read_bytes()[:4] == b"GIF8"


def test_trace_knows_every_order_and_keep():
    # Written again there, since `rosenblatt trace --help` imports nothing heavy.
    assert set(cli_trace._ORDERS) == set(ORDERS)
    assert set(cli_trace._KEEPS) == set(KEEPS)


def test_trace_writes_two_files_under_two_names(shell):
    file = write("toy.csv", LI_HANG)
    code, _, err = shell("trace", file, "-y", "y", "-o", "a.gif", "--film", "a.gif")
    assert code == 2
    assert "both the trace and the film" in err
    assert not Path("a.gif").exists()


def test_trace_wants_a_target(shell):
    code, _, err = shell("trace", write("toy.csv", LI_HANG))
    assert code == 2
    assert "--target COLUMN" in err


# --- The fewest errors ---------------------------------------------------------------------------


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
