"""Rows that stay together: a column that is read by itself, and is no feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._study.options import Options
from rosenblatt.data.part import Kind
from rosenblatt.data.reading import column_alone
from rosenblatt.errors import InputError


def groups_of(given: Any, group: str, options: Options) -> NDArray[Any]:
    """The values of this column of a table, as numbers."""
    table = column_alone(given, group, "group", options.target, **options.how)
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
