"""Numbers that name rows instead of measuring them: learned from, they tell rows apart by chance.

A column of numbers is an identifier if all of its numbers are whole, 10,000 or greater, and
different, and one of these holds:

- all of them have 16 digits or more;
- they are different where measurements would not be. Of n whole numbers between a and b, however
  they are spread, n (n - 1) / 2 / (b - a + 1) pairs or more are equal on average: here 7 or more;
- all have the same number of digits, and are spread evenly between the least and the greatest.

The last two need 50 numbers. Times are no identifiers: seconds of Unix (or milliseconds, and so on)
of 1989 to 2039, dates like 20240531, serial dates of spreadsheets from 1954 to 2064.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option

ROUNDED = float(1 << 53)  # whole numbers beyond it are not all floats
_LEAST = 10_000
_LONG = 1e15  # 16 digits
_FEW_LONG, _FEW = 10, 50  # numbers that are looked at, at least
_PAIRS = 7  # equal ones expected: none of them happens once in a thousand times
_KEPT = 1 << 20  # numbers that are compared with each other
_UNIX = (6e8, 2.2e9)
_SERIAL = (20_000, 60_000)

Numbers = NDArray[np.float64]


@final
class Candidate:
    """A column that may be an identifier, as it is seen batch by batch."""

    __slots__ = ("_batches", "_count")  # there may be hundreds of thousands

    def __init__(self) -> None:
        self._batches: tuple[Numbers, ...] | None = ()  # None: it is none
        self._count = 0

    def see(self, numbers: Numbers, least: float) -> None:
        """`least`: of these numbers, NaN where all are missing."""
        if self._batches is None or least != least:
            return
        if least < _LEAST:
            self._batches = None
            return
        numbers = numbers[~np.isnan(numbers)]
        if not bool((numbers == np.floor(numbers)).all()):
            self._batches = None
        elif self._count < _KEPT:
            if not self._batches and len(np.unique(numbers)) < len(numbers):
                self._batches = None
                return
            self._batches = (*self._batches, numbers)
            self._count += len(numbers)

    @property
    def is_identifier(self) -> bool:
        return bool(self._batches) and _are_identifiers(np.concatenate(self._batches or ()))


def _are_identifiers(numbers: Numbers) -> bool:
    n, numbers = len(numbers), np.sort(numbers)
    if n < _FEW_LONG or np.isinf(numbers[-1]) or bool((np.diff(numbers) == 0).any()):
        return False
    if _are_times(numbers):
        return False
    least, greatest = float(numbers[0]), float(numbers[-1])
    if least >= _LONG:
        return True
    if n < _FEW:
        return False
    if n * (n - 1) / 2 >= _PAIRS * (greatest - least + 1):
        return True
    if len(f"{least:.0f}") != len(f"{greatest:.0f}"):
        return False
    # Kolmogorov and Smirnov: even numbers are further away once in a hundred times.
    places = (np.arange(n) + 0.5) / n
    away = float(np.abs((numbers - least) / (greatest - least) - places).max())
    return bool(away <= min(0.1, max(1.63 / n**0.5, 0.05)))


def _are_times(numbers: Numbers) -> bool:
    """Sorted ones."""
    least, greatest = float(numbers[0]), float(numbers[-1])
    units = [1.0, 1e3, 1e6]
    if not (numbers % 1000).any():  # of nanoseconds the last are 0; identifiers have as many digits
        units.append(1e9)
    spans = [_SERIAL, *((_UNIX[0] * unit, _UNIX[1] * unit) for unit in units)]
    if any(begin <= least and greatest <= end for begin, end in spans):
        return True
    digits = len(f"{greatest:.0f}")
    if digits not in (8, 10, 12, 14):  # 20240531, with hours, minutes and seconds
        return False
    rest, limits = numbers, {14: (60, 60, 24), 12: (60, 24), 10: (24,), 8: ()}[digits]
    for limit in limits:
        if (rest % 100 >= limit).any():
            return False
        rest = rest // 100
    year, month, day = rest // 10_000, rest // 100 % 100, rest % 100
    return bool(
        ((year >= 1800) & (year < 2200) & (month >= 1) & (month <= 12) & (day >= 1)).all()
        and (day <= 31).all()
    )


def left_out(names: list[str]) -> str:
    are, them = "are different whole numbers in every row, like identifiers, and", "them"
    if len(names) == 1:
        are, them = "is a different whole number in every row, like an identifier, and", "it"
    return (
        f"{', '.join(map(repr, names))} {are} left out. To learn from {them} as a measurement, use "
        f"{option('numeric', *names)}"
    )


def rounded(name: str, word: str) -> str:
    return (
        f"column {name!r} holds {word}: whole numbers beyond 2^53 are rounded in floating point. "
        f"Is it an identifier? Then leave it out: {option('ignore', name)}. Are its values "
        f"categories, use {option('categorical', name)}; is it a measurement, use "
        f"{option('numeric', name)}, which takes the nearest float."
    )


def is_whole(word: str) -> bool:
    return word[word[:1] in ("-", "+") :].isdecimal()


def is_rounded(word: str) -> bool:
    """Whether digits say a whole number that is no float."""
    if len(word) <= 15 or not is_whole(word):
        return False
    return int(float(word)) != int(word)
