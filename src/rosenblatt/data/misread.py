"""Text that cannot be read as a table: what is wrong, and where."""

from __future__ import annotations

import re
from typing import Any

from rosenblatt._support.words import many
from rosenblatt.data.part import Place

_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


def ragged(said: str, place: Place, names: list[str], delimiter: str) -> str | None:
    """About a row with more or fewer fields than the header, of which pyarrow said this; None if
    it said something else. `place` is that of the first row."""
    found = _RAGGED.search(said)
    if found is None:
        return None
    number, expected, got = (int(v) for v in found.groups()[:3])
    only = f" ({names[0][:60]!r})" if len(names) == 1 else ""
    return (
        f"{place._replace(row=place.row + number - 1)} has {many(got, 'field', 'one')} where "
        f"the header has {expected}{only}: {found[4][:100]!r}. A field that holds the "
        f"delimiter {delimiter!r} or a quote needs quotes around it. If the fields are divided by "
        "something else, say so: sep=';' (--sep ';'), or 'tab', or 'whitespace'."
    )


def not_utf8(table: Any, place: Place) -> str:
    """About the first value of these columns of bytes that is no text."""
    for name in table.column_names:
        for i, value in enumerate(table.column(name).to_pylist()):
            try:
                (value or b"").decode()
            except UnicodeDecodeError:
                where = place._replace(row=place.row + i)
                return (
                    f"{where}, column {name!r} holds {value!r}, which is not UTF-8 text. Save "
                    "the file as UTF-8, or say how it is written: charset='cp1252' (--charset "
                    "cp1252) for most files of Western European Windows."
                )
    return f"{place.file.name} is not UTF-8 text."
