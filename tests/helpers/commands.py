"""What tests of the command share: tables, processes, a terminal."""

import os
import re
from functools import cache
from pathlib import Path

import click

import forked
from rosenblatt.cli import COMMANDS, group
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


@cache
def flags_of(command):
    """Its options, as they are typed."""
    params = group.get_command(click.Context(group), command).params
    return {
        "--help",
        "--help-all",
        *(flag for p in params for flag in (*p.opts, *p.secondary_opts)),
    }


def check_options(arguments, said):
    """Each option in what a command says is one of its own, or of a command named before it in the
    same sentence. JSON, help, a script for a shell and what was typed wrong are no advice."""
    command = str(arguments[0]).replace("demo", "fit") if arguments else ""
    spoken = {"--json", "--help", "--help-all", "-h"}.isdisjoint(map(str, arguments))
    if command not in COMMANDS or command == "completion" or not spoken:
        return
    for sentence in re.split(r"[.;] (?=[A-Z])|(?<=\S)\n(?=\S)", said):
        if "No such option" in sentence:
            continue
        for flag in re.finditer(r"(?<![\w-])--[a-z][a-z0-9-]*", sentence):
            words = re.findall(r"[a-z]+", sentence[: flag.start()])
            named = (command, *(word for word in words if word in COMMANDS))
            assert any(flag[0] in flags_of(name) for name in named), f"{command}: {sentence}"
