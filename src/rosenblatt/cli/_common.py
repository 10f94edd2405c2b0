"""What the commands share: tables that are read, messages, JSON, files written whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from rosenblatt._util.text import in_json, one_line, shown
from rosenblatt.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rosenblatt.data.batch import Reader
    from rosenblatt.data.open_table import OpenSvmlight, OpenTable


@dataclass(frozen=True)
class Output:
    """--json, -q and -v. Results go to standard output, messages to standard error."""

    as_json: bool
    quiet: bool
    verbose: bool

    def say(self, message: str) -> None:
        if not self.quiet:
            say(message)

    def say_detail(self, message: str) -> None:
        if self.verbose:
            say(message)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Shows on a terminal what is being done, step by step, and for how long."""
        from rosenblatt._util.progress import shown, stage

        with shown(quiet=self.quiet), stage(what):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        import warnings

        from rosenblatt._util.progress import progress, shown

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            with shown(quiet=self.quiet):
                progress("reading")
                yield
        for warning in caught:
            self.say(str(warning.message))


def say(message: str) -> None:
    """One line, whatever files are called."""
    click.echo(one_line(message), err=True)


def say_error(message: str) -> None:
    click.secho(one_line(message), err=True, fg=None if plain(sys.stderr) else "red")


def plain(stream: TextIO) -> bool:
    return bool(os.environ.get("NO_COLOR")) or not stream.isatty()


def print_text(text: str) -> None:
    click.echo(shown(text))


def console() -> Console:
    """For tables, and for lines that a person reads: what is in a file is no markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def text_table(
    headings: Iterable[str], rows: Iterable[Iterable[str]], *, style: str = "", right: str = ""
) -> Table:
    """Columns with nothing but room between them; the one named `right` is aligned to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style=style)
    for heading in headings:
        side: Literal["left", "right"] = "right" if heading == right else "left"
        table.add_column(one_line(heading), overflow="fold", justify=side)
    for row in rows:
        table.add_row(*map(one_line, row))
    return table


def print_json(command: str, content: dict[str, Any]) -> None:
    import json

    from rosenblatt._util.strict_json import document_of

    document = document_of(command, content)
    click.echo(in_json(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)))


# Before any work, and before what learns is imported: files and columns that are not there.


def open_table(
    files: tuple[str, ...], reading: dict[str, Any], *, labelled: bool = True
) -> OpenTable | OpenSvmlight:
    from rosenblatt.data import open_table
    from rosenblatt.data.options import ReadOptions, options_of

    options = ReadOptions.of(**{name: reading[name] for name in options_of(ReadOptions)})
    return open_table.open_table(list(files), options, labelled=labelled)


def columns_beside(
    reader: Reader, names: Mapping[str, str | None], left_out: Any
) -> dict[str, Any]:
    """What a likelihood needs beside the rows, as times and strata, by role. Of all rows: those
    that were left out have zeros, and no stratum."""
    import numpy as np

    from rosenblatt._certify.families import Column
    from rosenblatt.data.batch import Kind

    numbers = [n for role, n in names.items() if n is not None and role in ("time", "entry")]
    reader = reader.copy()
    reader.kinds([name for name in numbers if name not in reader.styles])
    found: dict[str, Any] = {}
    for role, name in names.items():
        if name is None:
            continue
        kind = Kind.NUMBER if name in numbers else Kind.TEXT
        values: list[Any] = []
        for batch in reader.copy().batches({name: kind}, declared=True):
            values += (
                batch.columns.column(name).to_pylist()
                if kind is Kind.TEXT
                else batch.numbers(name).tolist()
            )
        for i in left_out.tolist():
            values[i] = "" if kind is Kind.TEXT else 0.0
        found[role] = Column(name, values if kind is Kind.TEXT else np.array(values))
    factors = [found.pop(role) for role in names if role.startswith("absorb")]
    return found | ({"absorb": factors} if factors else {})


def check_exists(path: str) -> None:
    from rosenblatt._util.remote import remote

    there = remote(path)
    if not (os.path.lexists(path) if there is None else there.exists()):
        raise MissingFileError(f"There is no file {path}.")


def check_output(path: str | None, inputs: tuple[str, ...], *, force: bool) -> None:
    from rosenblatt._util.files import check_writable, place_of
    from rosenblatt._util.remote import Remote

    if path is None:
        return
    target = place_of(path)
    if target.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write.")
    there = target.exists()
    if isinstance(target, Remote):
        same = path in inputs
    elif not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {target.absolute().parent} to write {path} into.")
    else:
        same = any(there and os.path.exists(name) and target.samefile(name) for name in inputs)
    if same:
        raise InputError(f"{path} is also an input: give another name for the output.")
    if there and not force:
        raise InputError(f"{path} exists already. Give another name, or --force to write over it.")
    check_writable(target)


def check_folder(path: str | None, *, force: bool) -> None:
    from rosenblatt._util.files import place_of

    if path is not None and place_of(path).exists() and not force:
        raise InputError(
            f"{path} exists already. Give another folder, or --force to write into it."
        )


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
