"""How a table was understood, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many
from rosenblatt.data.batch import Kind, unlabelled
from rosenblatt.data.column import Column, dates, encoded, is_like_an_id, pooling
from rosenblatt.data.dates import Days, formats_of, moment
from rosenblatt.data.features import Words
from rosenblatt.data.identifiers import ROUNDED, left_out
from rosenblatt.data.json_lines import LINE
from rosenblatt.data.naming import in_doubt
from rosenblatt.data.options import BLANKS
from rosenblatt.data.table import SparseTable, Table, totals, words_like_missing
from rosenblatt.data.target import FIFTHS

_SHOWN = 5
_COUNTED = 10_000  # different numbers; more of them are not counted
_PROBLEM = "(a problem)"


def summary(table: Table | SparseTable) -> dict[str, Any]:
    """A document: files, rows, columns, problems, notes."""
    return _of_sparse(table) if isinstance(table, SparseTable) else _of_table(table)


def _of_sparse(table: SparseTable) -> dict[str, Any]:
    info = table.info
    first = 0 if info.zero_based else 1
    return {
        "files": table.source,
        "format": f"svmlight text: {info.n_features:,} features, counted from {first}; "
        f"{info.entries:,} numbers are given, all others are 0.",
        "rows": table.n_rows,
        "target": None,
        "labels": {},
        "columns": [],
        "options": [],
        "notes": [f"Its labels are {table.target.some_words()}."],
        "problems": table.problems,
    }


def _of_table(table: Table) -> dict[str, Any]:
    every = ([table.target] if table.target else []) + table.columns
    ranges = {c.name: c.range for c in every if c.range is not None}
    counts = _counts(table.target)
    different = _different(table)
    without, formatted = table.constant + table.identifiers, table.formatted_numbers
    columns = []
    for column in every:
        label = column is table.target
        least, greatest = ranges.get(column.name, (None, None))
        columns.append(
            {
                "name": column.name,
                "kind": "date"
                if isinstance(table.reading.styles.get(column.name), Days)
                else column.kind.value,
                "missing": column.missing,
                "minimum": least,
                "maximum": greatest,
                "different": different.get(column.name, len(column.words)),
                "values": _values(
                    column,
                    _ends(table, column.name, least, greatest),
                    counts if label else None,
                    different.get(column.name),
                ),
                "becomes": "the label"
                if label
                else "nothing: left out"
                if column.name in without
                else _PROBLEM
                if column.name in formatted
                else _becomes(column, table),
            }
        )
    return {
        "files": table.source,
        "format": _format(table),
        "rows": table.n_rows,
        "target": table.target.name if table.target else None,
        "labels": {str(label): count for label, count in counts.items()},
        "columns": columns,
        "notes": list(_notes(table, ranges)),
        "options": [{"option": said, "effect": effect} for said, effect in _options(table, counts)],
        "problems": table.problems,
    }


def _options(table: Table, labels: dict[Any, int]) -> Iterator[tuple[str, str]]:
    """What each option that fits would do."""
    rows = table.n_rows
    if (last := totals(table)) is not None:
        yield option("skip_footer", 1), f"leaves out the last row, with {last[2]!r}"
    for column in table.columns:
        if column.name in (*table.constant, *table.identifiers) or column.prose:
            continue
        if column.least == 1 and (least_and_kept := pooling(column, rows)):
            least, kept = least_and_kept
            rare = len(column.words) - kept
            if rare > 1:
                yield (
                    option("min_count", least),
                    f"{column.name!r}: {many(rare, 'value')} of fewer rows become (other), and "
                    f"{kept:,} stay",
                )
        yield from _as_dates(column)
    for name, numbers in table.formatted_numbers.items():
        if not numbers.others:
            word = max(numbers.numbers, key=len)
            number = numbers.style.number(word)
            yield option("numeric", name), f"{name!r}: {word!r} becomes {number:.12g}"
    lacking = [column for column in table.columns if 0 < column.missing < rows]
    if lacking and table.impute is None:
        count = many(sum(column.missing for column in lacking), "missing value")
        yield option("impute", "median"), f"fills {count} in {many(len(lacking), 'column')}"
    if table.target is not None and table.target.missing:
        left = rows - table.target.missing
        yield option("drop_unlabelled", True), f"leaves {many(left, 'row')} with a label"
    few = {label: count for label, count in labels.items() if count < FIFTHS}
    if len(labels) - len(few) > 1 and few:
        named = listed([f"{label!r} ({count})" for label, count in few.items()], _SHOWN)
        yield option("min_rows", FIFTHS), f"leaves out the labels {named}"


def _as_dates(column: Column) -> Iterator[tuple[str, str]]:
    """Each format that all words have, and a day that tells it from the others."""
    formats = formats_of(column.words) if dates(column) else []
    days = {form: {word: moment(word, form) for word in column.words} for form in formats}
    for word in column.words if formats else ():
        if len({str(by_word[word]) for by_word in days.values()}) == len(formats):
            for form, by_word in days.items():
                at = by_word[word]
                day = "" if at is None else at.at.date().isoformat()
                yield option("date", f"{column.name}={form}"), f"{column.name!r}: {word!r} is {day}"
            return


def _counts(target: Column | None) -> dict[Any, int]:
    """How often each label occurs."""
    if target is None or target.too_many:
        return {}
    number = target.read_as is Kind.NUMBER
    return {f"{value:g}" if number else value: n for value, n in sorted(target.words.items())}


def _different(table: Table) -> dict[str, int | None]:
    """How many different numbers each column has; None: too many to count."""
    numbers = [c.name for c in [table.target, *table.columns] if c and c.read_as is Kind.NUMBER]
    values_of: dict[str, Any] = dict.fromkeys(numbers, np.empty(0))
    for batch in table.batches():
        for name, so_far in values_of.items():
            if so_far is not None:
                values = batch.numbers(name)
                both = np.union1d(so_far, values[~np.isnan(values)])
                values_of[name] = both if len(both) <= _COUNTED else None
    return {name: None if values is None else len(values) for name, values in values_of.items()}


def _ends(
    table: Table, name: str, least: float | None, greatest: float | None
) -> tuple[str, str] | None:
    """The least and the greatest number of a column, in words; dates as such."""
    if least is None or greatest is None:
        return None
    style = table.reading.styles.get(name)
    if isinstance(style, Days):
        return style.date(least), style.date(greatest)
    return _written(least), _written(greatest)


def _written(number: float) -> str:
    """Whole numbers with all of their digits, where they have them."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < ROUNDED else f"{number:g}"


def _values(
    column: Column,
    ends: tuple[str, str] | None,
    counts: dict[Any, int] | None,
    different: int | None,
) -> str:
    if counts is not None and len(counts) <= _SHOWN:
        return ", ".join(f"{label} ({count:,})" for label, count in counts.items())
    if column.read_as is Kind.NUMBER:
        if ends is None:
            return ""
        if different == 1:
            return ends[0]
        several = f"more than {_COUNTED:,}" if different is None else f"{different:,}"
        return f"{several}: {ends[0]} to {ends[1]}"
    return "prose" if column.prose else f"{column.counted}: {column.some_words()}"


def _becomes(column: Column, table: Table) -> str:
    if is_like_an_id(column, table.n_rows) or dates(column):
        return _PROBLEM
    if column.prose:
        bag = table.prose(column.name)
        kind = "words" if bag.hashed is None else "buckets of hashed words"
        return f"0 or 1 for each of {len(bag.words):,} {kind}"
    style = table.reading.styles.get(column.name)
    if isinstance(style, Days):
        return style.words
    if column.kind is Kind.NUMBER or (column.kind is Kind.BOOLEAN and not column.missing):
        return "a number" if column.kind is Kind.NUMBER else "0 or 1"
    words = encoded(column)
    assert isinstance(words, Words)
    count = len(words.features)
    if words.reference is None:
        return "1 column of ones" if count == 1 else f"{count} columns of 0 and 1"
    if count == 1:
        return f"0 or 1: {words.features[0]}"
    return f"{count} columns of 0 and 1, reference {words.feature(words.reference)}"


def _notes(table: Table, ranges: dict[str, tuple[float, float]]) -> Any:
    for column in table.columns:
        least, greatest = ranges.get(column.name, (0.0, 1.0))
        if least == greatest and column.read_as is Kind.NUMBER:
            yield f"{column.name!r} is {least:g} in every row, so it carries no information."
    if len(table.left_out):
        yield f"{unlabelled(len(table.left_out), table.reading)}."
    for name in table.constant:
        yield f"{name!r} is the same in every row and is left out."
    if table.identifiers:
        yield f"{left_out(table.identifiers)}."
    yield from words_like_missing(table)
    if table.dialect is not None and (doubt := in_doubt(table.dialect.like_data)):
        yield doubt
    if table.target is None and table.columns:
        yield f"No target was named ({option('target', ...)}), so every column is a feature."


def _format(table: Table) -> str:
    dialect = table.dialect
    if dialect is None:
        return "Its columns have types of their own."
    if table.files[0].called == LINE:
        return "JSON lines."
    if table.files[0].sheet is not None:
        return f"The sheet {table.files[0].sheet!r} of a workbook."
    words = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", BLANKS: "blanks"}
    delimiter = words.get(dialect.delimiter, repr(dialect.delimiter))
    mark = ", decimal commas" if dialect.decimal == "," else ""
    encoding = "" if dialect.encoding == "utf-8" else f", written in {dialect.encoding}"
    return f"Text with {delimiter} between the fields{mark}{encoding}."
