"""Rows that stay together: a column that is read by itself, and is no feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._study.options import Options
from rosenblatt.data.files import is_svmlight
from rosenblatt.data.naming import find_columns
from rosenblatt.data.part import Kind
from rosenblatt.data.reading import column_names, read
from rosenblatt.data.table import Table
from rosenblatt.errors import InputError


def groups_of(given: Any, group: str, options: Options) -> NDArray[Any]:
    """The values of this column of a table, as numbers."""
    if is_svmlight(given) or (isinstance(given, list) and "-" in given):
        raise InputError("group (--group) needs a table in a file: it reads the column by itself.")
    names = column_names(given, **options.text)
    where = given[0] if isinstance(given, list) else "the data frame"
    find_columns(names, where, [("group", group)], header=options.header is not False)
    if group == options.target:
        raise InputError(f"The column {group!r} is the target, and cannot be the group, too.")
    others = [name for name in names if name != group]
    table = read(given, ignore=others, **options.text)
    assert isinstance(table, Table)
    known: dict[str, int] = {}
    found = []
    for part in table.parts():
        if table.columns[0].read_as is Kind.NUMBER:
            found.append(part.numbers(group))
            none = np.isnan(found[-1])
        else:
            codes, words = part.words(group)
            to = [known.setdefault(str(word), len(known)) for word in words]
            found.append(np.array([*to, -1])[codes])
            none = codes < 0
        if none.any():
            raise InputError(
                f"{part.place(int(none.argmax()))}, group {group!r}: the value is missing. Fill "
                "it in, or leave out such rows."
            )
    return np.concatenate(found) if found else np.empty(0)
