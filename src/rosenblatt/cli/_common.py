"""What the commands share: tables that are read, messages, JSON, files written whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from rosenblatt._util.escape import in_json, one_line, shown
from rosenblatt.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from rosenblatt.data import Table
    from rosenblatt.data.sparse import SparseTable


# Options about reading a table that hold for each of its columns.
HOW = ("missing", "charset", "header", "names", "sep", "sheet", "drop_unlabelled")
_NAMING = ("ignore", "categorical", "numeric", "text")  # options that name columns


def check_table(files: tuple[str, ...], reading: dict[str, Any], *, labelled: bool = True) -> None:
    """Before any work, and before anything heavy is imported: are the files there, and the columns
    that are named? Of text that can be told from its first rows."""
    from rosenblatt.data.dialect import look
    from rosenblatt.data.files import find, is_svmlight
    from rosenblatt.data.naming import find_columns, need_target, prose_columns
    from rosenblatt.data.text_options import names_of, separator

    found = [] if "-" in files or is_svmlight(list(files)) else find(list(files))
    if not found or found[0].kind != "text":  # read once; without names; not text
        if labelled:
            lost = reading["target"] is None and found
            need_target(list(files), reading["target"], _names(files, reading) if lost else ())
        return
    header, given = reading["header"], names_of(reading["names"])
    names = look(
        found[:1],
        charset=reading["charset"],
        header=False if header is None and given else header,
        sep=None if reading["sep"] is None else separator(reading["sep"]),
        names=given,
    )[1]
    if labelled:
        need_target(list(files), reading["target"], names)
    said = reading | {"text": prose_columns(reading["text"], names)}
    many = [(use, name) for use in _NAMING for name in said[use]]
    one = [(use, reading.get(use)) for use in ("group", "target")]
    find_columns(names, found[0].name, [*many, *one], header=header is not False or bool(given))


def _names(files: tuple[str, ...], reading: dict[str, Any]) -> list[str]:
    """The columns of files that are not text, for an error."""
    from rosenblatt.data.reading import column_names

    return column_names(list(files), **{name: reading[name] for name in HOW})


def check_files(document: str, files: tuple[str, ...]) -> None:
    """Before anything heavy is imported: are they there?"""
    from rosenblatt.data.files import find

    if not os.path.lexists(document):
        raise MissingFileError(f"There is no file {document}.")
    if "-" not in files:  # it is read once
        find(list(files))


def read_table(files: tuple[str, ...], **reading: Any) -> Table | SparseTable:
    from rosenblatt import data

    return data.read(list(files), **reading)


def say(message: str, *, quiet: bool = False) -> None:
    """A message for the person, of one line whatever files are called: never on standard output."""
    if not quiet:
        click.echo(one_line(message), err=True)


def tell(message: str) -> None:
    """What was asked for, on standard output."""
    click.echo(shown(message))


def say_error(message: str) -> None:
    click.secho(one_line(message), err=True, fg=None if plain(sys.stderr) else "red")


def plain(stream: TextIO) -> bool:
    return bool(os.environ.get("NO_COLOR")) or not stream.isatty()


@contextmanager
def working(what: str, *, quiet: bool) -> Iterator[None]:
    """Shows on a terminal what is being done, step by step, and for how long."""
    from rosenblatt._util.progress import bar, told_to

    with bar(quiet=quiet) as now, told_to(lambda step: now(f"{what}: {step}", 0, None)):
        now(what, 0, None)
        yield


@contextmanager
def reading(*, quiet: bool) -> Iterator[None]:
    """A bar for what is read inside."""
    from rosenblatt._util.progress import bar
    from rosenblatt.data.watching import shown_on

    with bar(quiet=quiet) as now, shown_on(now):
        yield


def print_json(command: str, content: dict[str, Any]) -> None:
    import json

    from rosenblatt._util.strict_json import document_of

    document = document_of(command, content)
    click.echo(in_json(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)))


def check_output(path: str | None, inputs: tuple[str, ...], *, force: bool) -> None:
    """Before any work: may this file be written?"""
    if path is None:
        return
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write.")
    if not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {target.absolute().parent} to write {path} into.")
    if any(target.exists() and Path(name).exists() and target.samefile(name) for name in inputs):
        raise InputError(f"{path} is read and would be written over; give another name.")
    if target.exists() and not force:
        raise InputError(f"{path} exists already. Give another name, or --force to write over it.")


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """Text to write into, row by row; `check_output` has said that it may be written."""
    import io

    from rosenblatt._util.files import writing_whole

    with writing_whole(path, overwrite=True) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
        finally:
            text.detach()  # flushes, and leaves the file to be closed by its owner


def write_encoded(path: str, names: list[str], target: str, X: Any, y: Any) -> None:
    """Rows of numbers and labels as CSV: what `python -m rosenblatt.verify` reads."""
    from rosenblatt._study.proof import write_numbers

    with whole_file(path) as file:
        write_numbers(file, names, target, X, y)
