"""Options that several commands have: how a table is read, and what is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

_files = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
_maybe_files = click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path())
_reading = [
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Treat TEXT as a missing value, as empty fields, NA, NaN and NULL are (repeatable).",
    ),
    click.option(
        "--charset",
        metavar="NAME",
        help="Character encoding of a text file, such as cp1252.  [default: UTF-8]",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line holds the column names; without it they are x0, x1, ...  "
        "[default: it does, unless --names is given]",
    ),
    click.option(
        "--names",
        metavar="A,B,...",
        help="Column names for a file that has no header line.  [default: the header line]",
    ),
    click.option(
        "--sep",
        metavar="CHARACTER",
        help="Field separator of a text file: one character, or the word tab or whitespace.  "
        "[default: detected]",
    ),
    click.option(
        "--sheet",
        metavar="NAME",
        help="Sheet of an .xlsx workbook to read.  [default: the only one with a table]",
    ),
]
_table = [
    click.option(
        "-y",
        "--target",
        metavar="COLUMN",
        help="Column that holds the labels (the classes to tell apart). svmlight files need none.",
    ),
    click.option(
        "--ignore", multiple=True, metavar="COLUMN", help="Leave this column out (repeatable)."
    ),
    click.option(
        "--positive",
        multiple=True,
        metavar="LABEL",
        help="Tell this label from all others (repeatable); for numbers a condition such as '>=7'. "
        " [default: every label is a class of its own]",
    ),
    click.option(
        "--categorical",
        multiple=True,
        metavar="COLUMN",
        help="Treat the values of this column as categories (one-hot encoding), even where they "
        "are numbers (repeatable).",
    ),
    click.option(
        "--numeric",
        multiple=True,
        metavar="COLUMN",
        help="Read this column as numbers although they are written with a currency or a unit, as "
        "$1,200 or 12 kg (repeatable).",
    ),
    click.option(
        "--text",
        multiple=True,
        metavar="COLUMN",
        help="Treat this column as free text and use its words as features (repeatable). "
        "COLUMN:hashed takes less memory when there are very many different words.",
    ),
    click.option(
        "--impute",
        type=click.Choice(["mean", "median"]),
        help="Fill missing numbers with the mean or median of their column, and missing text with "
        "the category '(missing)'.  [default: a missing value is an error]",
    ),
    click.option(
        "--drop-unlabelled",
        is_flag=True,
        help="Leave out rows without a label.  [default: such a row is an error]",
    ),
]
_output = [
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print one JSON object instead of text.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print results and errors only."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Print more messages, and the traceback of an unexpected failure.",
    ),
]


def table_options(function: Function) -> Function:
    """FILE..., and how to read a table from it: take them as **reading for `read_table`."""
    return _all([_files, *_table, *_reading], function)


def maybe_table_options(function: Function) -> Function:
    """The same where a table may be left out."""
    return _all([_maybe_files, *_table, *_reading], function)


def row_options(function: Function) -> Function:
    """FILE... of rows whose encoding is known."""
    return _all([_files, *_reading], function)


def output_options(function: Function) -> Function:
    """--json, -q and -v."""
    return _all(_output, function)


def _all(options: list[Any], function: Function) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def force_option(function: Function) -> Function:
    return click.option(
        "--force",
        is_flag=True,
        help="Replace output files that exist already.  [default: that is an error]",
    )(function)
