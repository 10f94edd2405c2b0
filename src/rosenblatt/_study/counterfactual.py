"""The smallest change of one column, or of two together, that turns the answer of a linear rule.

A change of numbers is as large as its distance in standard deviations of the training rows, and one
of words counts as 1. Two changes together are as large as the hypotenuse over both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._training.card_rule import Card
from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import first_few
from rosenblatt.data.features import MISSING, Number, Seen, Words
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.errors import InputError
from rosenblatt.scorecard import between

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
        single: dict[str, Change] = {}
        double: Change | None = None
        for w, ahead in sorted(leads, key=lambda lead: lead[1])[:_RIVALS]:
            for column in self.columns:
                steps = self._alone(column, w, ahead)
                least = next(filter(None, (self._kept([step]) for step in steps)), None)
                name = column.column.name
                if least and (name not in single or least.size < single[name].size):
                    single[name] = least
            least = self._pair(w, ahead)
            if least and (double is None or least.size < double.size):
                double = least
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
                change = self._kept(list(steps))
                if change is not None and (best is None or change.size < best.size):
                    best = change
        return best

    def _most(self, column: Changeable, w: Floats) -> float:
        if isinstance(column, Choice):
            return max((step.gain for step in self._words(column, w)), default=0.0)
        slope = -float(w[column.place]) / column.unit
        return abs(slope) * column.room(self.x, 1 if slope > 0 else -1)

    def _both(
        self, one: Changeable, two: Changeable, w: Floats, ahead: float
    ) -> Iterator[tuple[float, tuple[_Step, _Step]]]:
        if isinstance(one, Scale) and isinstance(two, Scale):
            yield from self._numbers(one, two, w, ahead)
            return
        if isinstance(one, Scale):
            one, two = two, one
        assert isinstance(one, Choice)
        both: list[tuple[float, tuple[_Step, _Step]]] = []
        for step in self._words(one, w):
            if not 0 < step.gain < ahead:
                continue
            both += [
                (math.hypot(step.size, other.size), (step, other))
                for other in self._alone(two, w, ahead - step.gain)
                if other.gain < ahead  # else it does it alone
            ]
        yield from sorted(both, key=lambda entry: entry[0])

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
        room = math.floor(self._steps(column, w))
        middle = int(best * column.unit)
        first = max(1, min(middle - _MOST_STEPS // 2, room - _MOST_STEPS))
        return np.arange(first, min(room, first + _MOST_STEPS) + 1, dtype=np.float64)

    # --- What was found, held against the rule itself ---

    def _kept(self, steps: list[_Step]) -> Change | None:
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
        if step is None or not isinstance(step.at, Scale):
            yield None
            return
        bounds, now = step.at.bounds, step.at.now(self.x)
        if not step.at.whole:
            yield from rounded(now, step.to, bounds.low, bounds.high)
            return
        yield step.to
        more = step.to + (1.0 if step.to > now else -1.0)
        if bounds.low <= more <= bounds.high:
            yield more  # the answer was a tie


# --- What can be changed in a row: numbers within the range seen, and words ----------------------


@dataclass(frozen=True)
class Scale:
    """A column of numbers: `place` in an encoded row."""

    column: Number
    place: int

    @property
    def bounds(self) -> Seen:
        assert self.column.seen is not None  # `changeable` refuses others
        return self.column.seen

    def now(self, x: Floats) -> float:
        value = float(x[self.place]) * self.column.scale + self.column.center
        return float(round(value)) if self.whole else float(f"{value:.12g}")

    def room(self, x: Floats, sign: int) -> float:
        low, high, now = self.bounds.low, self.bounds.high, self.now(x)
        return max(0.0, high - now if sign > 0 else now - low)

    @property
    def whole(self) -> bool:
        return self.bounds.whole

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
        return [word for word in self.column.words if word not in (self.now(x), MISSING)]

    def put(self, x: Floats, word: str) -> None:
        x[self._places] = 0.0
        if word != self.column.reference:
            x[self.place + self.column.levels.index(word)] = 1.0


Changeable = Scale | Choice


def changeable(preprocessing: Preprocessing, fixed: Sequence[str]) -> list[Changeable]:
    known = preprocessing.inputs
    for name in fixed:
        if name not in known:
            raise InputError(
                f"{option('immutable', name)}: there is no such column. There are "
                f"{first_few(known, 20)}.",
                option="immutable",
                value=name,
            )
    if any(isinstance(c, Number) and c.seen is None for c in preprocessing.columns):
        raise InputError(
            f"{option('counterfactual')} needs the range of each column in training, and this "
            "model does not say it: "
            "rosenblatt fit writes it, but for "
            f"{either('stream=True and private=True', '--stream and --private')}. Fit again.",
            option="counterfactual",
        )
    return list(_columns(preprocessing, set(fixed)))


def _columns(preprocessing: Preprocessing, fixed: set[str]) -> Iterator[Changeable]:
    place = 0
    for column in preprocessing.columns:
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
    return f"{value:.12g}" if isinstance(value, float) else str(value)


# --- The smallest change of one column, or of two together, that turns the decision of a card ----
#
# Points change at cuts, with each unit of a count, and with words: so few values of each column are
# worth a try that all of them are tried, and all pairs. A change of numbers is as large as its
# share of the range seen in training, since a card knows no scales, and one of words counts as 1.


_NEAR = 0.01  # what a number below a cut may be beyond it, as a share of the change,
_LEAST = 1e-4  # and of the range: there is no greatest number below a cut


class _Tried(NamedTuple):
    """What can be put in one column, what that adds to the points, and how large it is."""

    at: Changeable
    values: list[Any]
    gains: Floats
    sizes: Floats


def smallest(card: Card, columns: list[Changeable], x: Floats) -> Changes:
    total = float(card.totals(x[None])[0])
    toward = -1 if total >= card.threshold else 1
    values = (_tried(card, column, x) for column in columns)
    tried = [_only(one, np.flatnonzero(one.gains * toward > 0)) for one in values]

    def turned(gains: Any) -> Any:
        reached = total + gains >= card.threshold
        return reached if toward > 0 else ~reached

    single, rest = [], []
    for one in tried:
        alone = turned(one.gains)
        if alone.any():
            k = int(np.where(alone, one.sizes, np.inf).argmin())
            single.append(Change((_move(one, k, x),), float(one.sizes[k])))
        if not alone.all():
            rest.append(_only(one, np.flatnonzero(~alone)))
    best: Change | None = None
    for a, b in combinations(rest, 2):
        enough = turned(a.gains[:, None] + b.gains)
        sizes = np.where(enough, np.hypot(a.sizes[:, None], b.sizes), np.inf)
        i, j = (int(k) for k in np.unravel_index(sizes.argmin(), sizes.shape))
        if sizes[i, j] < (math.inf if best is None else best.size):
            best = Change((_move(a, i, x), _move(b, j, x)), float(sizes[i, j]))
    return Changes(sorted(single, key=lambda change: change.size), best)


def _move(one: _Tried, k: int, x: Floats) -> Move:
    return Move(one.at.column.name, one.at.now(x), one.values[k])


def _only(one: _Tried, places: Any) -> _Tried:
    values = [one.values[k] for k in places.tolist()]
    return _Tried(one.at, values, one.gains[places], one.sizes[places])


def _tried(card: Card, column: Changeable, x: Floats) -> _Tried:
    if isinstance(column, Choice):
        values: list[Any] = column.others(x)
        sizes = np.ones(len(values))
    else:
        values = sorted(set(_numbers(card, column, x)))
        width = column.bounds.high - column.bounds.low
        sizes = np.abs(np.array(values) - column.now(x)) / (width or 1.0)
    rows = np.repeat(x[None], len(values), axis=0)
    for row, value in zip(rows, values, strict=True):
        column.put(row, value)
    return _Tried(column, values, card.totals(rows) - card.totals(x[None]), sizes)


def _numbers(card: Card, column: Scale, x: Floats) -> Iterator[float]:
    bounds, now = column.bounds, column.now(x)
    terms = [term for term in card.terms if term.column == column.place]
    if any(term.cut is None for term in terms):
        yield from map(float, range(math.ceil(bounds.low), math.floor(bounds.high) + 1))
        return
    cuts = sorted({term.cut for term in terms if term.cut is not None})
    scale, center = column.column.scale, column.column.center
    ends = [-math.inf, *(cut * scale + center for cut in cuts), math.inf]
    for low, high in pairwise(ends):
        value = None
        if now < low and low <= bounds.high:
            value = max(low, bounds.low)
            value = float(math.ceil(value)) if bounds.whole else value
        elif now >= high and bounds.low < high:
            width = bounds.high - bounds.low
            value = _below(high, max(low, bounds.low), now, width, whole=bounds.whole)
            value = min(value, bounds.high)
        if value is not None and max(low, bounds.low) <= value <= bounds.high and value < high:
            yield value


def _below(cut: float, lowest: float, now: float, width: float, *, whole: bool) -> float:
    if whole:
        return float(math.ceil(cut) - 1)
    spare = max(_NEAR * (now - cut), _LEAST * width)
    return -between(-cut, -max(cut - spare, lowest), whole=False)
