"""What tests of the command share: tables, processes, a terminal."""

import os
from pathlib import Path

import forked
from rosenblatt.datasets import load_credit

CREDIT = load_credit().filename
SMALL = "a,town,label\n1,x,no\n2,y,no\n3,z,yes\n4,x,yes\n"


def write(name, text):
    Path(name).write_text(text)
    return name


def line_of(text, part):
    """The first line that has this part."""
    return next(line for line in text.splitlines() if part in line)


def on_a_terminal(folder, *arguments, out=None, **variables):
    """What a terminal shows of standard error, and of standard output unless that goes to `out`."""
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    about = {"place": folder, "environment": environment | {"TERM": "xterm-256color"} | variables}
    return forked.on_a_terminal(
        lambda path: forked.command(*arguments, streams=(os.devnull, out or path, path), **about)
    )[1]
