"""rosenblatt inspect: how a file is understood."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt._util.text import many, one_line
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command


@click.command(cls=Command)
@_options.table_options
@_options.output_options
def command(files: tuple[str, ...], out: _common.Output, **reading: Any) -> int:
    """Show how a table is read: what each column holds, and what it becomes.

    Nothing is trained and nothing is written. Exits with 2 if the table has problems that training
    would refuse.

    \b
    Examples:
      rosenblatt inspect credit.csv
      rosenblatt inspect credit.csv --target card
    """
    opened = _common.open_table(files, reading, labelled=False)

    from rosenblatt.data.summary import summary

    with out.reading():
        description = summary(opened.read())
    if out.as_json:
        _common.print_json("inspect", description)
    else:
        _show(description)
    return 2 if description["problems"] else 0


def _show(description: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 120
    named = one_line(", ".join(description["files"][:3])) + (
        " …" if len(description["files"]) > 3 else ""
    )
    rows, count = many(description["rows"], "row"), len(description["columns"])
    columns = f", {many(count, 'column')}" if count else ""
    console.print(f"{named}: {rows}{columns}. {description['format']}", soft_wrap=True)
    if description["columns"]:
        console.print(_columns(description["columns"]))
    for note in description["notes"]:
        console.print(f"Note: {one_line(note)}", soft_wrap=True)
    for problem in description["problems"]:
        console.print(f"Problem: {one_line(problem)}", style="red", soft_wrap=True)


def _columns(columns: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("column", "holds", "values", "missing", "becomes"):
        shown.add_column(
            heading, overflow="fold", justify="right" if heading == "missing" else "left"
        )
    for column in columns:
        shown.add_row(
            one_line(column["name"]),
            column["kind"],
            one_line(column["values"]),
            f"{column['missing']:,}" if column["missing"] else "",
            one_line(column["becomes"]),
        )
    return shown
