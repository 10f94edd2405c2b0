"""rosenblatt suspects: rows whose labels are most likely wrong."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt._util.text import of_files
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command

_FIELDS = ("row", "label", "likely", "score", "reason", "twin", "neighbours", "in_all_rules")


@click.command(cls=Command)
@_options.table_options
@click.option(
    "--most", type=int, default=20, show_default=True, help="How many rows are described."
)
@_options.seed_option("Seed of how the rows are divided.")
@_options.seconds_option("--search-time", "How long to search for the proved number.  [default: 5]")
@_options.output_options
def command(
    files: tuple[str, ...],
    most: int,
    random_state: int,
    search_time: float | None,
    out: _common.Output,
    **reading: Any,
) -> int:
    """List the rows whose labels are most likely wrong, each with its reason.

    A label is suspect if it is improbable by rules that did not see its row, and by the nearest
    rows. This does not prove that it is wrong. With two labels, the number of labels that every
    linear rule contradicts is proved, too. Row numbers start at 1 for the first row below the
    header.

    \b
    Examples:
      rosenblatt suspects credit.csv --target card
    """
    opened = _common.open_table(files, reading)

    import numpy as np

    from rosenblatt import suspects

    with out.reading():
        table = opened.read()
        X, y, preprocessing = table.encode()
        left_out = getattr(table, "left_out", [])
        labelled = np.delete(np.arange(len(y) + len(left_out)), left_out)
    with out.working(f"looking at {X.shape[0]:,} rows"), of_files():
        found = suspects(
            X,
            y,
            most=most,
            random_state=random_state,
            time_limit=5.0 if search_time is None else search_time,
            preprocessing=preprocessing,
        ).of_table(labelled)
    if out.as_json:  # rows are counted from 0 there, in reasons, too
        rows = [
            {name: getattr(suspect, name) for name in _FIELDS}
            | {"label": str(suspect.label), "likely": str(suspect.likely)}
            for suspect in found
        ]
        about = {"files": list(files), "rows": len(found.scores), "suspects": rows}
        _common.print_json("suspects", about | {"contradicted": found.contradicted})
    else:
        with of_files():
            _common.print_text(str(found))
    return 0
