"""rosenblatt inspect: how a file is understood."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt._util.escape import one_line
from rosenblatt._util.text import many
from rosenblatt.cli import _common, _options


@click.command()
@_options.table_options
@_options.output_options
def command(
    files: tuple[str, ...], as_json: bool, quiet: bool, verbose: bool, **reading: Any
) -> int:
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

    with _common.reading(quiet=quiet):
        found = summary(opened.read())
    if as_json:
        _common.print_json("inspect", found)
    else:
        _show(found)
    return 2 if found["problems"] else 0


def _show(found: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 120
    named = one_line(", ".join(found["files"][:3])) + (" …" if len(found["files"]) > 3 else "")
    rows, count = many(found["rows"], "row"), len(found["columns"])
    columns = f", {many(count, 'column')}" if count else ""
    console.print(f"{named}: {rows}{columns}. {found['format']}", soft_wrap=True)
    if found["columns"]:
        console.print(_columns(found["columns"]))
    for note in found["notes"]:
        console.print(f"Note: {one_line(note)}", soft_wrap=True)
    for problem in found["problems"]:
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
