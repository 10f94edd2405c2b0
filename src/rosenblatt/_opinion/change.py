"""The smallest change of one column, or of two together, that turns the answer of a linear rule.

A change of numbers is as large as its distance in standard deviations of the training rows, and one
of words counts as 1. Two changes together are as large as the hypotenuse over both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._opinion.moves import Changeable, Choice, Scale, rounded

Floats = NDArray[np.float64]

_PAIRED = 30  # columns of which two are changed together: those that can do most
_RIVALS = 10  # labels, of many, that are tried
_MOST_STEPS = 100_000  # of a whole number
_SPARE = 1e-9  # relative: what rounding may take


class Move(NamedTuple):
    """One column: its value now, and another one."""

    column: str
    now: Any
    to: Any


@dataclass(frozen=True)
class Change:
    """Moves that turn the answer together."""

    moves: tuple[Move, ...]
    size: float


@dataclass(frozen=True)
class Changes:
    """Of each column that can do it alone, the smallest first; and the smallest of two together."""

    single: list[Change]
    double: Change | None


class _Step(NamedTuple):
    """A column changed by so much: what it adds, and how large it is."""

    at: Changeable
    to: Any
    gain: float
    size: float


class Turning:
    """A row whose lead over another label is to be lost."""

    def __init__(self, columns: list[Changeable], x: Floats, turned: Callable[[Floats], bool]):
        self.columns, self.x, self._turned = columns, x, turned

    def smallest(self, leads: list[tuple[Floats, float]]) -> Changes:
        """`leads`: weights and how far the answer is ahead, for each other label."""
        single: dict[str, Change] = {}
        double: Change | None = None
        for w, ahead in sorted(leads, key=lambda lead: lead[1])[:_RIVALS]:
            for column in self.columns:
                steps = self._alone(column, w, ahead)
                found = next(filter(None, (self._kept([step]) for step in steps)), None)
                name = column.column.name
                if found and (name not in single or found.size < single[name].size):
                    single[name] = found
            found = self._pair(w, ahead)
            if found and (double is None or found.size < double.size):
                double = found
        return Changes(sorted(single.values(), key=lambda change: change.size), double)

    # --- One column ---

    def _alone(self, column: Changeable, w: Floats, need: float) -> list[_Step]:
        """The least changes that add so much: of words all of them, in case rounding decides."""
        if isinstance(column, Choice):
            enough = (s for s in self._words(column, w) if s.gain >= need * (1 - _SPARE))
            return sorted(enough, key=lambda step: step.gain)
        step = self._number(column, w, need)
        return [] if step is None else [step]

    def _words(self, column: Choice, w: Floats) -> Iterator[_Step]:
        before = float(w @ self.x)
        for word in column.others(self.x):
            x = self.x.copy()
            column.put(x, word)
            yield _Step(column, word, before - float(w @ x), 1.0)

    def _number(self, column: Scale, w: Floats, need: float) -> _Step | None:
        """The least change that adds so much, if the range allows it."""
        slope = -float(w[column.place]) / column.unit  # of the gain, by unit of the table
        if slope == 0:
            return None
        sign, room = (1 if slope > 0 else -1), column.room(self.x, 1 if slope > 0 else -1)
        much = max(need, 0.0) / abs(slope)
        if column.whole:
            much = float(max(math.ceil(much * (1 - _SPARE)), 1))
        if much > room:
            return None
        to = column.now(self.x) + sign * much
        return _Step(column, to, much * abs(slope), much / column.unit)

    # --- Two columns ---

    def _pair(self, w: Floats, ahead: float) -> Change | None:
        best: Change | None = None
        some = sorted(self.columns, key=lambda column: -self._most(column, w))[:_PAIRED]
        for one, two in combinations(some, 2):
            for least, steps in self._both(one, two, w, ahead):
                if best is not None and least >= best.size:
                    break
                found = self._kept(list(steps))
                if found is not None and (best is None or found.size < best.size):
                    best = found
        return best

    def _most(self, column: Changeable, w: Floats) -> float:
        """What the column can add at most."""
        if isinstance(column, Choice):
            return max((step.gain for step in self._words(column, w)), default=0.0)
        slope = -float(w[column.place]) / column.unit
        return abs(slope) * column.room(self.x, 1 if slope > 0 else -1)

    def _both(
        self, one: Changeable, two: Changeable, w: Floats, ahead: float
    ) -> Iterator[tuple[float, tuple[_Step, _Step]]]:
        """How large it is at least, rising, and what it is."""
        if isinstance(one, Scale) and isinstance(two, Scale):
            yield from self._numbers(one, two, w, ahead)
            return
        if isinstance(one, Scale):
            one, two = two, one
        assert isinstance(one, Choice)
        found: list[tuple[float, tuple[_Step, _Step]]] = []
        for step in self._words(one, w):
            if not 0 < step.gain < ahead:
                continue
            found += [
                (math.hypot(step.size, other.size), (step, other))
                for other in self._alone(two, w, ahead - step.gain)
                if other.gain < ahead  # else it does it alone
            ]
        yield from sorted(found, key=lambda entry: entry[0])

    def _numbers(
        self, one: Scale, two: Scale, w: Floats, ahead: float
    ) -> Iterator[tuple[float, tuple[_Step, _Step]]]:
        """Along the gradient, cut off at the ranges; of whole numbers every one is tried."""
        a, b = abs(float(w[one.place])), abs(float(w[two.place]))  # by standard deviation
        if not a or not b:
            return
        if two.whole and (not one.whole or self._steps(two, w) < self._steps(one, w)):
            one, two, a, b = two, one, b, a
        up = -1 if w[one.place] > 0 else 1
        most = self._steps(two, w) / two.unit
        best = ahead * a / (a * a + b * b)  # of the first, in standard deviations
        if one.whole:
            changes = self._whole_changes(one, w, best)
        else:
            least = (ahead - b * most) / a
            changes = np.array([min(max(best, least) * one.unit, self._steps(one, w))])
        rest = ahead - a * changes / one.unit
        possible = np.flatnonzero((rest > 0) & (changes > 0) & (rest / b <= most * (1 + _SPARE)))
        sizes = np.hypot(changes / one.unit, np.maximum(rest, 0) / b)
        for k in possible[np.argsort(sizes[possible], kind="stable")].tolist():
            second = self._number(two, w, float(rest[k]))
            if second is None or second.gain >= ahead:
                continue  # it cannot be, or does it alone
            much = float(changes[k])
            first = _Step(one, one.now(self.x) + up * much, a * much / one.unit, much / one.unit)
            yield float(sizes[k]), (first, second)

    def _steps(self, column: Scale, w: Floats) -> float:
        return column.room(self.x, -1 if w[column.place] > 0 else 1)

    def _whole_changes(self, column: Scale, w: Floats, best: float) -> Floats:
        """From 1 on; where there are many, those around the best one."""
        room = math.floor(self._steps(column, w))
        middle = int(best * column.unit)
        first = max(1, min(middle - _MOST_STEPS // 2, room - _MOST_STEPS))
        return np.arange(first, min(room, first + _MOST_STEPS) + 1, dtype=np.float64)

    # --- What was found, held against the rule itself ---

    def _kept(self, steps: list[_Step]) -> Change | None:
        """With numbers of few digits where they do it, too; None: rounding forbids it."""
        numbers = [step for step in steps if isinstance(step.at, Scale)]
        numbers.sort(key=lambda step: isinstance(step.at, Scale) and not step.at.whole)
        last = numbers[-1] if numbers else None  # one that need not be whole, if there is
        for value in self._tried(last):
            moved = [(s.at, value if s is last else s.to) for s in steps]
            x = self.x.copy()
            for at, to in moved:
                at.put(x, to)
            if self._turned(x):
                moves = tuple(Move(at.column.name, at.now(self.x), to) for at, to in moved)
                return Change(moves, math.hypot(*(self._size(at, to) for at, to in moved)))
        return None

    def _size(self, at: Changeable, to: Any) -> float:
        return abs(to - at.now(self.x)) / at.unit if isinstance(at, Scale) else 1.0

    def _tried(self, step: _Step | None) -> Iterator[Any]:
        if step is None or not isinstance(step.at, Scale) or step.at.column.seen is None:
            yield None
            return
        seen, now = step.at.column.seen, step.at.now(self.x)
        if not step.at.whole:
            yield from rounded(now, step.to, seen.low, seen.high)
            return
        yield step.to
        more = step.to + (1.0 if step.to > now else -1.0)
        if seen.low <= more <= seen.high:
            yield more  # the answer was a tie
