"""The command: what it prints and where, exit codes, files written whole or not at all."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from commands import CREDIT, SMALL, on_a_terminal, write
from forked import ended
from rosenblatt.cli import COMMANDS

# --- Help -----------------------------------------------------------------------------------------


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from rosenblatt.cli import run; run(['--help']);"
        "print([m for m in ('numpy', 'pyarrow', 'rich', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


# What takes most of a second to import, and what each of these commands can do without.
ESTIMATORS = ("sklearn", "pandas", "scipy.stats", "scipy.optimize", "scipy.special")
TABLES = ("numpy", "pyarrow", "rich", "scipy", *ESTIMATORS)


@pytest.mark.parametrize(
    ("arguments", "without"),
    [
        (["fit", "--help"], TABLES),
        (["fit", "--no-such-option"], TABLES),
        (["completion", "bash"], TABLES),
        (["doctor"], ("pyarrow", "scipy", *ESTIMATORS)),
        (["inspect", str(CREDIT)], ESTIMATORS),
        (["inspect", str(CREDIT), "--target=card"], ESTIMATORS),
        (["certify", str(CREDIT), "--target=card", "-o", "card"], ESTIMATORS),
        (["verify", "card", str(CREDIT)], ESTIMATORS),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_imports_what_it_needs(arguments, without, tmp_path, shell):
    if arguments[0] == "verify":
        assert shell("certify", CREDIT, "-y", "card", "-o", tmp_path / "card")[0] == 0
    code = (
        f"import sys; from rosenblatt.cli import run; code = run({arguments!r});"
        f"print(code, [m for m in {without!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    done_with = 2 if "--no-such-option" in arguments else 0
    assert done.stdout.splitlines()[-1] == f"{done_with} []"


@pytest.mark.parametrize("library", ["pyarrow", "jinja2"])
def test_a_library_that_was_left_out_is_named_with_what_to_type(library, tmp_path):
    arguments = ["fit", str(CREDIT), "--target=card", "--no-comparison"]
    code = (
        f"import sys; sys.modules[{library!r}] = None; from rosenblatt.cli import run;"
        f"sys.exit(run({arguments!r}))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert f"pip install {library}" in done.stderr


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
    assert shell("certify", CREDIT, "-y", "card", "--scale", "--numbers", "decimal")[0] == 2


def test_python_minus_m_and_the_version():
    command = [sys.executable, "-m", "rosenblatt", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
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


# --- Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,label\n", "has no rows"),
        (b"a,a,label\n1,2,3\n", "several columns named 'a'"),
        (b"a,label\n1,0.5\n2,1.5\n3,2.7\n", "--positive"),
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
    assert shell("certify", "s.csv", "-y", "label", "-v")[2] == "4 rows, 3 features.\n"


def test_standard_input_is_a_table(tmp_path):
    code, out, _ = ended(["certify", "-", "-y", "label"], tmp_path, SMALL)
    assert code == 0
    assert out.startswith("Complete separation")


def test_a_failure_of_our_own_is_told_from_bad_input(shell, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.open_table.OpenTable.read", lambda _: 1 / 0)
    code, _, err = shell("inspect", CREDIT)
    assert code == 70
    assert "Unexpected failure: ZeroDivisionError" in err
    assert "Traceback" not in err
    assert "Traceback" in shell("inspect", CREDIT, "-v")[2]


def test_whoever_closes_the_pipe_hears_nothing(tmp_path):
    table = write(tmp_path / "t.csv", SMALL)
    line = f"{sys.executable} -m rosenblatt certify {table} -y label --json | true"
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


@pytest.mark.parametrize("plain", [False, True])
def test_colours_on_a_terminal_unless_they_are_not_wanted(plain, tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,x\n")
    wish = {"NO_COLOR": "1"} if plain else {}
    shown = on_a_terminal(tmp_path, "inspect", "t.csv", "-y", "label", **wish)
    assert "Problem: " in shown
    assert ("\x1b[31m" in shown) is not plain


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "no.csv", "-y", "y", "--json"],
        ["verify", "model.json", "t.csv", "--json"],
        ["certify", "t.csv", "--json"],
        ["predict", "--json", "--no-such-option"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_with_json_an_error_is_an_object_too(arguments, shell):
    write("t.csv", SMALL)
    write("model.json", "{}")
    code, out, err = shell(*arguments)
    document = json.loads(out)
    assert (code, document["exit_code"], document["command"]) == (2, 2, arguments[0])
    assert document["error"] in " ".join(err.split())
