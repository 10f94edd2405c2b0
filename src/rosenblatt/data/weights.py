"""A column of counts or weights: how often a row was seen, or how much it matters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.part import Kind
from rosenblatt.data.reading import column_alone
from rosenblatt.errors import InputError


def weights_of(source: Any, weight: str, target: str | None, **reading: Any) -> NDArray[np.float64]:
    """The numbers of this column of a table, one for each row: 0 or greater."""
    table = column_alone(source, weight, "weight", target, **reading)
    column = table.columns[0]
    if column.read_as is not Kind.NUMBER:
        raise InputError(
            f"The column {weight!r} holds {column.some_words()}: weights are numbers, 0 or greater."
        )
    found = []
    for part in table.parts():
        numbers = part.numbers(weight)
        wrong = ~(np.isfinite(numbers) & (numbers >= 0))
        if wrong.any():
            row = int(wrong.argmax())
            held = "is missing" if np.isnan(numbers[row]) else f"is {numbers[row]:g}"
            raise InputError(
                f"{part.place(row)}, weight {weight!r} {held}: give a finite number, 0 or greater; "
                "a row of weight 0 is left out."
            )
        found.append(numbers)
    return np.concatenate(found) if found else np.empty(0)
