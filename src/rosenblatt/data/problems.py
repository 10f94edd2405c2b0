"""What stands against encoding a table: a sentence each, with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt._support.words import many, option
from rosenblatt.data.column import (
    Column,
    dates,
    how_to_fill,
    is_like_an_id,
    leave_out,
    problems,
    too_many_words,
)
from rosenblatt.data.labels import problems_of_target
from rosenblatt.data.part import Kind
from rosenblatt.data.undecided import problems_of_numbers

if TYPE_CHECKING:
    from rosenblatt.data.table import Table

_NAMED = 8  # columns with gaps


def problems_of(table: Table) -> list[str]:
    """All of them; none if it can be encoded."""
    found = _of_nothing(table)
    if table.n_rows and table.target:
        found += problems_of_target(table.target, table.n_rows, table.positive)
    impute, disguised = table.impute is not None, table.disguised
    found += problems_of_numbers(
        disguised,
        impute=impute,
        mark=None if table.dialect is None else table.decimal,
        first=table.first_place,
    )
    lacking = [c for c in table.columns if 0 < c.missing < table.n_rows]
    gaps = [c for c in lacking if c.kind is not Kind.PROSE and not impute]
    if gaps:
        found.append(_gaps(gaps, table.n_rows))
    for column in table.columns:
        found += problems(column, table.n_rows)
        if column.prose and not (found_in := table.prose(column.name)).words:
            which = "" if found_in.hashed else " that occurs in two or more rows but not in all"
            found.append(
                f"The column {column.name!r} has no word{which}: there is nothing to learn from "
                f"its text. So {leave_out(column.name)}."
            )
        if column.name in disguised:
            continue
        if dated := dates(column):
            found.append(dated)
        elif is_like_an_id(column, table.n_rows):
            found.append(too_many_words(column, table.n_rows))
    return found


def _of_nothing(table: Table) -> list[str]:
    """There are no rows, or no columns."""
    found, name = [], table.source[0]
    if table.n_rows == 0 and len(table.left_out):
        found.append(f"{name} has no rows with a label.")
    elif table.n_rows == 0:
        found.append(f"{name} has no rows, only the names of its columns.")
    if not table.columns:
        found.append(f"{name} has no column to learn from.")
    elif len(table.constant) == len(table.columns):
        names = ", ".join(map(repr, table.constant))
        verb = "is" if len(table.constant) == 1 else "are"
        found.append(f"{name} has no column to learn from: {names} {verb} the same in every row.")
    return found


def _gaps(columns: list[Column], rows: int) -> str:
    """About missing values: one column in full, several in one sentence."""
    first = columns[0]
    place = f"{first.first_missing}, column {first.name!r}: the value is missing"
    if len(columns) == 1:
        return (
            f"{place}, as in {many(first.missing, 'row')} of {rows:,}. {how_to_fill(first)}; or "
            f"{leave_out(first.name)}."
        )
    named = [f"{c.name!r} ({many(c.missing, 'row')})" for c in columns[:_NAMED]]
    more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
    text = any(c.kind is not Kind.NUMBER for c in columns)
    category = ", and makes '(missing)' a category of text" if text else ""
    ignored = " ".join(option("ignore", c.name) for c in columns[:_NAMED])
    return (
        f"{len(columns)} columns lack values: {', '.join(named)}{more}, of {rows:,} rows. The "
        f"first: {place}. Fill them in, or say impute='median' (--impute median), which fills in "
        f"numbers{category}; or leave columns out ({ignored}{' …' * bool(more)})."
    )
