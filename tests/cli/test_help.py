"""Help: grouped by what a person wants to do, every option explained, every example works."""

import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from rosenblatt.cli import COMMANDS, TASKS, group

# As typed, but sooner: every option can also be set in the environment.
QUICKLY = {"CERTIFY_FEWEST_ERRORS": "0.1", "FIT_NO_PEERS": "1", "FIT_TIME_LIMIT": "1"}


def command(name):
    found = group.get_command(click.Context(group), name)
    assert found is not None
    return found


def options(name):
    return [p for p in command(name).params if isinstance(p, click.Option)]


def examples(text):
    """The indented lines below "Examples:"."""
    block = re.search(r"^ *Examples?:\n((?: +\S.*\n)+)", text, re.MULTILINE)
    return [] if block is None else [line.strip() for line in block[1].splitlines()]


def test_commands_are_grouped_by_task(shell):
    out = shell("--help")[1]
    sections = re.split(r"^(\S.*):\n", out, flags=re.MULTILINE)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    for task, names in TASKS.items():
        assert re.findall(r"^  (\w+)  ", found[task], re.MULTILINE) == list(names)
    assert "..." not in found["Learn from a table"]  # no sentence is cut short


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_by_a_phrase_with_its_default(name):
    for option in options(name):
        told = option.help or ""
        assert re.match(r"[A-Z]", told), option.name
        assert len(told.split()) >= 3, option.name
        assert re.search(r"[.\]]$", told), option.name
        takes_one_value = not option.is_flag and not option.multiple
        said = "default" in told or option.show_default
        # Without these two there is nothing to do, or nothing more is said.
        if takes_one_value and option.name not in ("target", "train"):
            assert said, option.name


def test_every_command_has_examples(shell):
    for name in COMMANDS:
        told = examples(shell(name, "--help")[1])
        assert any(line.startswith(f"rosenblatt {name}") for line in told), name


def test_the_examples_work_when_pasted(tmp_path, shell, monkeypatch):
    """All of them, in one folder, after the line that copies the table."""
    copying = re.search(r"^ *(cp .*)$", shell("--help")[1], re.MULTILINE)[1]
    lines = [copying]
    for name in COMMANDS:
        lines += examples(shell(name, "--help")[1])
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    for name, value in QUICKLY.items():
        monkeypatch.setenv(f"ROSENBLATT_{name}", value)
    for line in dict.fromkeys(lines):
        if "--serve" in line or ("--onnx" in line and find_spec("onnx") is None):
            continue  # the first never ends, the second needs an extra
        if line.startswith("rosenblatt "):
            code, _, err = shell(*shlex.split(line)[1:])
        else:
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
            code, err = done.returncode, done.stderr
        done_with = (0, 10, 11) if line.startswith("rosenblatt certify") else (0,)
        assert code in done_with, f"{line}: {err}"
