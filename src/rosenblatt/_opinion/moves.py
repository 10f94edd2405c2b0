"""What can be changed in a row: numbers within the range seen, whole where all were, and words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.levels import MISSING, Words
from rosenblatt.data.number import Number
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Encoding

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """A column of numbers: `place` in an encoded row."""

    column: Number
    place: int

    def now(self, x: Floats) -> float:
        """The value in the table, but for rounding."""
        value = float(x[self.place]) * self.column.scale + self.column.center
        assert self.column.seen is not None
        if self.column.seen.whole:
            return float(round(value))
        return float(f"{value:.12g}")

    def room(self, x: Floats, sign: int) -> float:
        """How far it can go in this direction, in the units of the table."""
        seen = self.column.seen
        assert seen is not None
        return max(0.0, seen.high - self.now(x) if sign > 0 else self.now(x) - seen.low)

    @property
    def whole(self) -> bool:
        return self.column.seen is not None and self.column.seen.whole

    @property
    def unit(self) -> float:
        """What counts as a change of size 1: a standard deviation of the training rows."""
        return self.column.scale

    def put(self, x: Floats, value: float) -> None:
        x[self.place] = (value - self.column.center) / self.column.scale


@dataclass(frozen=True)
class Choice:
    """A column of words: its 0/1 columns begin at `place`."""

    column: Words
    place: int

    def now(self, x: Floats) -> str | None:
        return self.column.value_of(x[self._places])

    @property
    def _places(self) -> slice:
        return slice(self.place, self.place + len(self.column.features))

    def others(self, x: Floats) -> list[str]:
        """All words but this one; that a value is missing is no choice."""
        return [word for word in self.column.words if word not in (self.now(x), MISSING)]

    def put(self, x: Floats, word: str) -> None:
        x[self._places] = 0.0
        if word != self.column.reference:
            x[self.place + self.column.levels.index(word)] = 1.0


Changeable = Scale | Choice


def changeable(encoding: Encoding, fixed: Sequence[str]) -> list[Changeable]:
    """The columns that may change; InputError for names that are not there."""
    known = encoding.inputs
    for name in fixed:
        if name not in known:
            raise InputError(
                f"--fixed {name}: there is no such column. There are {', '.join(known[:20])}"
                f"{', …' if len(known) > 20 else ''}."
            )
    if any(isinstance(c, Number) and c.seen is None for c in encoding.columns):
        raise InputError(
            "--change needs the range of each column in training, and this model does not say it: "
            "rosenblatt fit writes it, but for --stream and --no-rows. Fit again."
        )
    return list(_columns(encoding, set(fixed)))


def _columns(encoding: Encoding, fixed: set[str]) -> Iterator[Changeable]:
    place = 0
    for column in encoding.columns:
        if column.name not in fixed and isinstance(column, Number):
            yield Scale(column, place)
        elif column.name not in fixed and isinstance(column, Words):
            yield Choice(column, place)
        place += len(column.features)


def rounded(now: float, to: float, low: float, high: float) -> Iterator[float]:
    """Numbers with few digits a little beyond `to`, as seen from `now`; at last `to` itself."""
    change = abs(to - now)
    if change > 0:
        sign = 1.0 if to > now else -1.0
        first = math.floor(math.log10(change))
        for digits in (2, 3, 5):
            step = 10.0 ** (first - digits + 1)
            beyond = (math.ceil if sign > 0 else math.floor)(to / step) * step
            beyond = float(f"{beyond:.12g}")
            if low <= beyond <= high and abs(beyond - now) <= 1.01 * change:
                yield beyond
        for little in (1e-9, 1e-6):
            beyond = to + sign * max(change, abs(to)) * little
            if low <= beyond <= high:
                yield beyond
    yield to


def shown(value: Any) -> str:
    """A value as it stands in a table."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)
