"""rosenblatt inspect: how a file is understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from rosenblatt._util.spelling import command_line
from rosenblatt._util.text import many, one_line
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command

_ALIKE = 3  # options that differ in the column only
_LARGE = 50_000_000  # numbers: more are not looked at twice


@click.command(cls=Command)
@_options.table_options
@_options.output_options
def command(files: tuple[str, ...], out: _common.Output, **reading: Any) -> int:
    """Show how a table is read, and whether it is ready for rosenblatt fit.

    It says what each column holds, what it becomes, and what options would change. With --target
    it also looks for target leakage: columns that give the label away. Nothing is trained and
    nothing is written. Exits with 2 if the table has problems that training would refuse.

    \b
    Examples:
      rosenblatt inspect credit.csv
      rosenblatt inspect credit.csv --target card
    """
    opened = _common.open_table(files, reading, labelled=False)

    from rosenblatt.data.summary import summary
    from rosenblatt.data.target import too_rare

    with out.reading():
        table = opened.read()
        description = summary(table)
        if not description["problems"] and len(description["labels"]) > 1:
            rare = too_rare(description["labels"])
            description["problems"] += [] if rare is None else [rare]
        warnings = [] if description["problems"] else _warnings(table)
    description["warnings"] = [dict(warned) for warned in warnings]
    description["next"] = None
    if not description["problems"] and description["labels"] and "-" not in files:
        ignored = tuple(n for warned in warnings for n in warned["advice"].get("ignore", ()))
        options = replace(opened.options, ignore=(*opened.options.ignore, *ignored))
        description["next"] = command_line(["rosenblatt", "fit", *files, *options.typed()])
    if out.as_json:
        _common.print_json("inspect", description)
    else:
        _show(description)
    return 2 if description["problems"] else 0


def _warnings(table: Any) -> list[Any]:
    """About columns that give the label away, or rows; a column that is left out has a note."""
    from rosenblatt._study.column_warnings import column_warnings
    from rosenblatt._study.reading import Read, counts_of, notes_on
    from rosenblatt._util.spelling import option
    from rosenblatt.data.table import SparseTable

    if isinstance(table, SparseTable) or table.target is None:
        return []
    if table.n_rows * len(table.columns) > _LARGE:
        return []
    X, y, preprocessing = table.encode_with_missing()
    read = Read(X, y, counts_of(y), table.target.name, preprocessing, notes=notes_on(table))
    warnings = column_warnings(read, None, lambda names: option("ignore", *names))
    return [w for w in warnings if w["advice"].get("ignore") or w["kind"] == "like groups"]


def _answer(description: dict[str, Any]) -> str:
    problems, command = len(description["problems"]), description["next"]
    if problems:
        return f"Not ready to fit: {many(problems, 'problem')}."
    if description["warnings"]:
        if not command:
            return "Look at the warning."
        advised = any(warned["advice"].get("ignore") for warned in description["warnings"])
        said = "With its advice" if advised else "To fit"
        return f"Ready to fit, but read the warning first. {said}: {one_line(command)}"
    if command:
        return f"Ready to fit: {one_line(command)}"
    return "Readable. To check whether it is ready to fit, add --target COLUMN."


def _show(description: dict[str, Any]) -> None:
    console = _common.console()
    if not console.is_terminal:
        console.width = 120
    named = one_line(", ".join(description["files"][:3])) + (
        " …" if len(description["files"]) > 3 else ""
    )
    rows, count = many(description["rows"], "row"), len(description["columns"])
    columns = f", {many(count, 'column')}" if count else ""
    columns += " with the target" if count and description["target"] is not None else ""
    console.print(_answer(description), style="bold", soft_wrap=True)
    for problem in description["problems"]:
        console.print(f"Problem: {one_line(problem)}", style="red", soft_wrap=True)
    for warned in description["warnings"]:
        console.print(f"Warning: {one_line(warned['sentence'])}", soft_wrap=True)
    console.print(f"{named}: {rows}{columns}. {description['format']}", soft_wrap=True)
    if description["columns"]:
        console.print(_columns(description["columns"]))
    for note in description["notes"]:
        console.print(f"Note: {one_line(note)}", soft_wrap=True)
    for line in _options_that_fit(description["options"]):
        console.print(f"Option: {one_line(line)}", soft_wrap=True)


def _options_that_fit(options: list[dict[str, Any]]) -> Iterator[str]:
    """Of many alike the first, and how many there are."""
    for name, alike in groupby(options, lambda one: one["option"].split("=")[0].split(" ")[0]):
        first, *others = alike
        line = f"{first['option']}: {first['effect']}."
        if len(others) >= _ALIKE and name != "--date":  # which of its formats is to be chosen
            yield f"{line} And so for {many(len(others), 'more column')}: --json shows them."
        else:
            yield line
            yield from (f"{one['option']}: {one['effect']}." for one in others)


def _columns(columns: list[dict[str, Any]]) -> Any:
    headings = ("column", "holds", "values", "missing", "becomes")
    rows = (
        [c["name"], c["kind"], c["values"], f"{c['missing']:,}" * (c["missing"] > 0), c["becomes"]]
        for c in columns
    )
    return _common.text_table(headings, rows, style="bold", right="missing")
