"""Options that several commands have: how a table is read, and what is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from rosenblatt.cli._common import Output
from rosenblatt.data.options import (
    Choice,
    Count,
    FileOptions,
    Flag,
    Option,
    ReadOptions,
    YesOrNo,
    flag_of,
    options_of,
)

Function = TypeVar("Function", bound=Callable[..., Any])

_files = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
_maybe_files = click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path())


def _option(name: str, option: Option) -> Any:
    flag = flag_of(name)
    settings: dict[str, Any] = {}
    if isinstance(option, YesOrNo):
        flag, settings = f"{flag}/--no-{name.replace('_', '-')}", {"default": None}
    elif isinstance(option, Flag):
        settings = {"is_flag": True}
    elif isinstance(option, Choice):
        settings = {"type": click.Choice(option.choices), "metavar": option.metavar}
    elif isinstance(option, Count):
        settings = {"type": int, "metavar": option.metavar}
    else:
        settings = {"multiple": option.multiple, "metavar": option.metavar}
    flags = [flag] if option.short is None else [option.short, flag]
    return click.option(*flags, help=option.help, **settings)


_table = [_option(name, option) for name, option in options_of(ReadOptions).items()]
_output = [
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
    click.option("-q", "--quiet", is_flag=True, help="Print results and errors only."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Print more: details, times, and the traceback of an unexpected failure.",
    ),
]

model_argument = click.argument("model", type=click.Path())
force_option = click.option(
    "--force",
    is_flag=True,
    help="Replace output files that exist already.  [default: that is an error]",
)


def table_options(function: Function) -> Function:
    """FILE..., and how to read a table from it: take them as **reading."""
    return _all([_files, *_table], function)


def maybe_table_options(function: Function) -> Function:
    """FILE... may be left out."""
    return _all([_maybe_files, *_table], function)


def file_options(*, labelled: bool = False) -> Callable[[Function], Function]:
    """How a table is read whose preprocessing is known: take them as **reading."""
    options = options_of(FileOptions).items()
    reading = [_option(name, o) for name, o in options if labelled or not o.of_labels]
    return lambda function: _all(reading, function)


def row_options(*, labelled: bool = False) -> Callable[[Function], Function]:
    """FILE... of rows whose preprocessing is known."""
    return lambda function: _files(file_options(labelled=labelled)(function))


def signs_of(given: Sequence[str]) -> dict[str, str] | None:
    """What --sign says; None: it was not given."""
    found: dict[str, str] = {}
    for text in given:
        name, colon, sign = text.rpartition(":")
        if not colon or sign not in ("+", "-"):
            raise click.UsageError(f"--sign {text}: give COLUMN:+ or COLUMN:-, as --sign income:+")
        if name in found:
            raise click.UsageError(f"--sign names {name!r} twice: give one sign.")
        found[name] = sign
    return found or None


def sign_option(help: str) -> Callable[[Function], Function]:
    """Signs demanded of weights: `signs_of` reads them."""
    return click.option("--sign", "signs", multiple=True, metavar="COLUMN:+", help=help)


def file_option(*flags: str, help: str) -> Callable[[Function], Function]:
    """A file that is written if it is named."""
    return click.option(*flags, metavar="FILE", help=f"{help}  [default: none]")


def flag(name: str, help: str) -> Callable[[Function], Function]:
    return click.option(name, is_flag=True, help=help)


def choice(
    name: str, choices: Sequence[str], default: str, help: str
) -> Callable[[Function], Function]:
    return click.option(
        name, type=click.Choice(choices), default=default, show_default=True, help=help
    )


def seconds_option(name: str, help: str) -> Callable[[Function], Function]:
    return click.option(name, type=float, metavar="SECONDS", help=help)


def seed_option(help: str) -> Callable[[Function], Function]:
    return click.option("--seed", "random_state", type=int, default=0, show_default=True, help=help)


def unseen_option(marked: str = "") -> Callable[[Function], Function]:
    return choice(
        "--on-unseen",
        ("error", "reference"),
        "error",
        "What to do with a category that did not occur in training: stop with an error, or "
        f"set all its 0/1 columns to 0, as for the reference level{marked}.",
    )


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--json, -q and -v: take them as `out`."""

    @wraps(function)
    def command(*, as_json: bool, quiet: bool, verbose: bool, **others: Any) -> Any:
        return function(out=Output(as_json, quiet, verbose), **others)

    return _all(_output, command)


def _all(options: list[Any], function: Function) -> Function:
    for option in reversed(options):
        function = option(function)
    return function
