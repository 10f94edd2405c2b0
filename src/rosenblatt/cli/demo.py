"""rosenblatt demo: fit on the table that comes with the package."""

from __future__ import annotations

from pathlib import Path

import click

from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError

_FILE = "credit.csv"


@click.command(cls=Command)
@_options.output_options
def command(out: _common.Output) -> int:
    """Write a table into this folder, 1,319 credit-card applications, and fit a rule to it.

    The same as rosenblatt fit credit.csv --target card. Two columns of the table give the answer
    away: the warning says so, with the command that leaves them out.

    \b
    Examples:
      rosenblatt demo
      rosenblatt fit credit.csv --target card --ignore share --ignore expenditure
    """
    from rosenblatt import datasets
    from rosenblatt._util.files import write_whole
    from rosenblatt.cli import run

    table = Path(datasets.__file__).with_name("credit_card.csv").read_bytes()
    if not Path(_FILE).exists():
        write_whole(_FILE, table, overwrite=False)
    elif Path(_FILE).read_bytes() != table:
        raise InputError(f"{_FILE} is here already, and is another table: run this elsewhere.")
    asked = [_FILE, "--target", "card"]
    out.say(f"rosenblatt fit {' '.join(asked)}")
    asked += [f for f, on in zip(("--json", "-q", "-v"), vars(out).values(), strict=True) if on]
    return run(["fit", *asked])
