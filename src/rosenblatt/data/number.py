"""Columns of numbers, and of dates that became numbers: filled, shifted and scaled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt.data.batch import Batch, Kind
from rosenblatt.data.dates import Days
from rosenblatt.data.one_hot import no_value
from rosenblatt.data.options import Reading

Rows = NDArray[np.float64]


class Seen(NamedTuple):
    low: float
    high: float
    whole: bool  # all of them are whole numbers


def seen_in(values: Rows) -> Seen | None:
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    return Seen(float(values.min()), float(values.max()), bool((values == np.round(values)).all()))


@dataclass(frozen=True)
class Number:
    """(x - center) / scale; `fill` stands for missing values, None: they are refused. `measure`
    says what is counted, of columns that hold no numbers themselves."""

    name: str
    fill: float | None = None
    center: float = 0.0
    scale: float = 1.0
    measure: str = ""
    seen: Seen | None = None  # None: that was not noted

    kind = Kind.NUMBER

    @property
    def features(self) -> list[str]:
        return [f"{self.name} ({self.measure})" if self.measure else self.name]

    @property
    def as_it_is(self) -> bool:
        return self.center == 0.0 and self.scale == 1.0

    def filled(self, batch: Batch, numbers: Rows) -> Rows:
        wild = np.isinf(numbers)
        if wild.any():
            row = int(wild.argmax())
            raise batch.place(row).error(
                f"column {self.name!r} holds {numbers[row]}: numbers must be finite, and at most "
                "1.8e308 in size.",
                column=self.name,
            )
        none = np.isnan(numbers)
        if self.fill is None:
            way = f", or train with {option('impute', 'mean')}"
            raise no_value(batch, none, self.name, way)
        return np.where(none, self.fill, numbers)

    def finish(self, out: Rows) -> None:
        if self.center != 0.0:
            out -= self.center
        if self.scale != 1.0:
            out /= self.scale


def measured(column: Any, reading: Reading) -> Any:
    style = reading.styles.get(column.name)
    if isinstance(column, Number) and isinstance(style, Days):
        return replace(column, measure=style.words)
    return column


def write_numbers(columns: list[Number], batch: Batch, out: Rows, seen: bool) -> None:
    """Columns that stand side by side."""
    for begin, rows in batch.matrix([column.name for column in columns]):
        out[begin : begin + len(rows)] = rows
    if not seen and not _finite(out):
        for j, column in enumerate(columns):
            if not _finite(out[:, j]):
                out[:, j] = column.filled(batch, out[:, j])
    for j, column in enumerate(columns):
        if not column.as_it_is:
            column.finish(out[:, j])


def _finite(numbers: Rows) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be too large
        return bool(np.isfinite(numbers.sum())) or bool(np.isfinite(numbers).all())
