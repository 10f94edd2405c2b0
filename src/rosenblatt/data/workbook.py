"""Sheets of workbooks (.xlsx): one becomes text, which is read as other text is.

Formulas count as what they gave when the workbook was saved. Floats are written so that they come
back to the bit, and dates as ISO 8601.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

from rosenblatt._util.extras import needed
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.data.files import File, Spool
from rosenblatt.data.opening import unreadable
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

_SHOWN = 20  # names of sheets


def as_text(file: File, reading: Reading, wanted: str | None) -> File:
    """The sheet that is wanted; or the one that an earlier table was in; or the only one."""
    spool, mark = Spool(), reading.decimal or "."
    with _opened(file) as book:
        sheet = _chosen(file, book.worksheets, wanted, reading.sheet_name)
        rows = _rows(sheet, reading.skip_rows or 0, reading.header_rows or 1)
        end = spool.write((number, [_written(v, mark) for v in row]) for number, row in rows)
    if not end:
        raise InputError(f"{file.name}: the sheet {sheet.title!r} is empty.", file=file.name)
    return spool.text_of(file, "sheet row {0}", str(sheet.title))


@contextmanager
def _opened(file: File) -> Iterator[Any]:
    openpyxl = needed("openpyxl", f"Reading the workbook {file.name}")
    book = None
    try:
        with warnings.catch_warnings():  # about styles and charts, which are not read
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(file.path, read_only=True, data_only=True)
            yield book
    except InputError:
        raise
    except Exception as error:  # whatever damage does
        raise unreadable(file.name, error, ", it is damaged or no workbook") from None
    finally:
        if book is not None:
            book.close()


def _chosen(file: File, sheets: list[Any], wanted: str | None, earlier: str | None) -> Any:
    names = {sheet.title: sheet for sheet in sheets}
    shown = listed([repr(name) for name in names], _SHOWN)
    if wanted is not None:
        if wanted not in names:
            raise InputError(
                f"{option('sheet_name', wanted)} is not a sheet of {file.name}: it has {shown}.",
                option="sheet_name",
                value=wanted,
                allowed=tuple(names),
                file=file.name,
            )
        return names[wanted]
    if earlier in names:
        return names[earlier]
    filled = [sheet for sheet in sheets if any(True for _ in islice(_rows(sheet), 1))]
    if len(filled) != 1:
        first = next(iter(names), "")
        raise InputError(
            f"{file.name} has {len(names)} sheets: {shown}. Say which one holds the table: "
            f"{option('sheet_name', first)}."
            if filled
            else f"{file.name} is empty: none of its sheets holds anything."
        )
    return filled[0]


def _rows(sheet: Any, skip: int = 0, header: int = 1) -> Iterator[tuple[int, list[Any]]]:
    """Rows that hold anything, without the empty cells at their end, and their numbers from 0."""
    sheet.reset_dimensions()  # what the file says of its size is often wrong
    all_rows = enumerate(map(_trimmed, sheet.iter_rows(values_only=True)))
    rows = ((number, row) for number, row in all_rows if row and number >= skip)
    names = list(islice(rows, header))
    width = max((len(row) for _, row in names), default=0)
    for number, row in chain(names, rows):
        yield number, row + [None] * (width - len(row))


def _trimmed(cells: Iterable[Any]) -> list[Any]:
    row = list(cells)
    while row and (row[-1] is None or row[-1] == ""):
        row.pop()
    return row


def _written(value: Any, mark: str) -> str:
    """`mark`: the decimal mark of the text that it becomes a part of."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return repr(value).replace(".", mark) if isinstance(value, float) else str(value)
