"""Pictures as SVG, each with its numbers in words. Colours are the page's: light and dark are CSS.

All are as wide as their column on a large screen, so that letters keep their size on a telephone
and on paper. A picture that a document lacks a number for is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from rosenblatt._util.text import clip, many, named, number, percent, row_number, shown, width_of

WIDE, NARROW = 420, 308
BARS = 12  # weights in a picture
MARKS = 400  # test rows that are drawn one by one
BALANCED = 8  # rows of a class in the picture of a conflict
_CHARACTER = 7.4  # the width of a character of a wide system font at 13 px
_MOST_POINTS = 400  # of a line; more are thinned out

Part = Mapping[str, Any]


def drawn(picture: Callable[..., Markup | None]) -> Callable[..., Markup | None]:
    """None where a number that it needs is missing, or is None."""

    @wraps(picture)
    def draw(*parts: Any) -> Markup | None:
        try:
            return picture(*parts)
        except (KeyError, IndexError, TypeError):
            return None

    return draw


# --- What pictures are made of -------------------------------------------------------------------


def svg(width: float, height: float, said: str, body: Iterable[str], more: str = "") -> Markup:
    """A picture that says in words what it shows."""
    return Markup(
        f'<svg role="img" aria-label="{escape(shown(said))}" '
        f'viewBox="0 0 {width} {height:.0f}"{more}>{"".join(body)}</svg>'
    )


def text(x: float, y: float, words: str, kind: str = "", most: int = 200) -> str:
    short = escape(_short(shown(words), most))  # tables have the whole names
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{short}</text>'


def _short(words: str, most: int) -> str:
    """Of a word of prose, text: word, the column is cut before the word is."""
    column, colon, word = words.rpartition(": ")
    if not colon or width_of(words) <= most:
        return clip(words, most)
    return clip(clip(column, max(most - width_of(word) - 2, 3)) + colon + word, most)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
        f'height="{height:.1f}"/>'
    )


def disc(x: float, y: float, r: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    return f'<path class="{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'


class Scale(NamedTuple):
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return self.start + share * (self.end - self.start)


def nice_ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Round numbers, about five, the first at or below `low`, the last at or above `high`."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low, low + 1]
    power = 10.0 ** math.floor(math.log10(span / 5))
    step = next(power * m for m in (1, 2, 5, 10) if span / (power * m) <= 5)
    if whole:
        step = max(step, 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def thinned(values: Sequence[float]) -> list[tuple[int, float]]:
    """The values with their places from 1; of many, the least and the greatest of each stretch."""
    places = list(enumerate(values, start=1))
    if len(places) <= _MOST_POINTS:
        return places
    stretch = math.ceil(2 * len(places) / _MOST_POINTS)
    kept = {places[0], places[-1]}
    for start in range(0, len(places), stretch):
        part = places[start : start + stretch]
        kept |= {min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])}
    return sorted(kept)


def _share(value: float) -> str:
    return f"{100 * value:.3g}%"


def _below(x: Scale, y: float, ticks: Sequence[float], mark: Callable[[float], str]) -> list[str]:
    return [text(x(tick), y, mark(tick), "small quiet mid") for tick in ticks]


def _beside(
    y: Scale, ticks: Sequence[float], mark: Callable[[float], str], x: tuple[float, float]
) -> list[str]:
    return [
        part
        for tick in ticks
        for part in (
            line(x[0], y(tick), x[1], y(tick), "grid"),
            text(x[0] - 6, y(tick) + 4, mark(tick), "small quiet end"),
        )
    ]


def _named(label: str | None) -> str:
    if label is None:
        raise KeyError("label")  # without a name there is no picture
    return named(label)


def _gutter(names: Sequence[str], most: float) -> tuple[float, int]:
    """Room for names at the left, and how many characters of one have a place there."""
    longest = max((width_of(shown(name)) for name in names), default=0)
    room = min(12 + longest * _CHARACTER, most)
    return room, max(int((room - 8) / _CHARACTER), 4)


# --- How often it is wrong, and where ------------------------------------------------------------


class Rate(NamedTuple):
    """An error rate, or a cost of a row, in the picture that compares them."""

    name: str
    value: Any  # None: not known, and there is no picture
    ends: Sequence[float] | None
    kind: str  # "own" | "other" | "floor"


@drawn
def rates(compared: Sequence[Rate], shares: bool) -> Markup:
    """The rule first; a line goes down from what always the same answer would make."""
    left, room = _gutter([rate.name for rate in compared], 150)
    word = percent if shares else lambda value: number(value, 3)
    highest = max(max([rate.value, *(rate.ends or [])]) for rate in compared)
    ticks = nice_ticks(0, highest or 1)
    x, bottom = Scale(0, ticks[-1], left, WIDE - 66), 30 * len(compared) + 6
    body = [line(x(tick), 0, x(tick), bottom, "grid") for tick in ticks]
    body += [line(x(rate.value), 4, x(rate.value), bottom, "zero") for rate in compared[1:2]]
    for place, (name, value, ends, kind) in enumerate(compared):
        y, own = 30 * place + 16, kind == "own"
        if ends is not None and own:
            body.append(box(x(ends[0]), y - 8, x(ends[1]) - x(ends[0]), 16, "pos-soft round"))
        elif ends is not None:
            body.append(line(x(ends[0]), y, x(ends[1]), y, "whisker"))
        mark = disc(x(value), y, 8 if own else 5.5, "pos" if own else "hollow")
        body.append(box(x(value) - 5, y - 5, 10, 10, "hollow") if kind == "floor" else mark)
        body.append(text(0, y + 5, name, "bold" if own else "", room))
        body.append(text(WIDE, y + 5, word(value), "end big" if own else "end"))
    body += _below(x, bottom + 18, ticks, _share if shares else number)
    said = "; ".join(
        f"{rate.name}: {word(rate.value)}"
        + (f", between {word(rate.ends[0])} and {word(rate.ends[1])}" if rate.ends else "")
        for rate in compared
    )
    return svg(WIDE, bottom + 24, f"{said}.", body)


@drawn
def errors(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup | None:
    """Of two labels every test row as a mark, the wrong ones solid; of many rows as bars."""
    if len(labels) != 2:
        return None
    drawn_singly = sum(map(sum, counts)) <= MARKS
    body, said, y = [], [], 12.0
    for one, kind in ((0, "neg"), (1, "pos")):
        rows, wrong = sum(counts[one]), counts[one][1 - one]
        own, other = _named(labels[one]), _named(labels[1 - one])
        head = f"{number(wrong)} of {number(rows)} {clip(own, 14)} are predicted {clip(other, 14)}"
        below = f"{percent(wrong / rows) if rows else 'none'} of them; {number(rows - wrong)} right"
        body += [text(0, y, head, "bold"), text(0, y + 17, below, "small quiet")]
        said.append(f"{number(wrong)} of {number(rows)} {own} are predicted {other}")
        y += 26
        if drawn_singly:
            across = NARROW // 14
            at = [(7 + 14 * (row % across), y + 7 + 14 * (row // across)) for row in range(rows)]
            body.append(_marks(at[:wrong], kind, round_=bool(one)))
            body.append(_marks(at[wrong:], f"{kind}-soft", round_=bool(one)))
            y += 14 * math.ceil(rows / across) + 24
        else:
            body.append(box(0, y, NARROW, 22, f"{kind}-soft"))
            body.append(box(0, y, NARROW * wrong / rows if rows else 0, 22, kind))
            y += 52
    return svg(NARROW, y - 20, f"{'; '.join(said)}.", body)


def _marks(places: Iterable[tuple[float, float]], kind: str, *, round_: bool) -> str:
    """Discs (ends of lines without a length) or triangles as one path: hundreds stay small."""
    one = "M{:.0f} {:.0f}h0" if round_ else "M{:.0f} {:.0f}m0-5l5.5 10h-11z"
    drawn = "".join(one.format(*place) for place in places)
    return f'<path class="{"dots " if round_ else ""}{kind}" d="{drawn}"/>' if drawn else ""


@drawn
def weights(terms: Sequence[Part], sides: tuple[Any, Any], proved: set[str]) -> Markup | None:
    """Bars for one standard deviation; at the right the weights in the units of the table."""
    terms = terms[:BARS]
    if not terms:
        return None
    left, room = _gutter([str(term["feature"]) for term in terms], 150)
    heavy = [float(term["scaled_weight"]) for term in terms]
    low, high = min(0.0, *heavy), max(0.0, *heavy)
    beside = 64 if proved else 46  # a number stands at the end of a bar
    x = Scale(low, high, left, WIDE - 70 - beside)
    bottom = 26 * len(terms) + 22
    against, speaks = (clip(shown(_named(side)), 15) for side in sides)
    body = [
        text(max(x(0) - 8, 94), 12, f"← {against}", "small quiet end"),
        text(max(x(0), 94) + 8, 12, f"{speaks} →", "small quiet"),
        line(x(0), 20, x(0), bottom, "axis"),
    ]
    for place, (term, value) in enumerate(zip(terms, heavy, strict=True)):
        y, name = 26 * place + 24, str(term["feature"])
        ends = sorted((x(0), x(value)))
        number_at = x(max(value, 0.0)) + 6
        tick = " ✓" if name in proved else ""
        body += [
            text(0, y + 14, name, "", room),
            box(ends[0], y, max(ends[1] - ends[0], 1), 18, "pos" if value >= 0 else "neg"),
            text(number_at, y + 14, f"{number(value, 3)}{tick}", "small quiet"),
            text(WIDE, y + 14, number(term["weight"], 3), "end small"),
        ]
    said = "; ".join(
        f"{term['feature']}: {number(v)}" for term, v in zip(terms, heavy, strict=True)
    )
    return svg(WIDE, bottom, f"The heaviest weights: {said}.", body)


@drawn
def effect(with_them: Part, without: Part) -> Markup:
    """The error with suspect columns and without them."""
    rows = [("with them", with_them), ("without", without)]
    high = max(float((part["interval"] or [0, part["rate"]])[1]) for _, part in rows)
    x = Scale(0, high, 78, 250)
    body = []
    for place, (name, part) in enumerate(rows):
        y, ends = 28 * place + 16, part["interval"]
        body.append(text(0, y + 4, name, "small"))
        if ends is not None:
            body.append(box(x(ends[0]), y - 6, x(ends[1]) - x(ends[0]), 12, "odd-line round"))
        body += [disc(x(part["rate"]), y, 5.5, "ink")]
        body += [text(NARROW, y + 4, percent(part["rate"]), "end bold")]
    said = f"With these columns {percent(with_them['rate'])} wrong, without them"
    return svg(NARROW, 60, f"{said} {percent(without['rate'])}.", body)


# --- Where yes begins: moved by thresholds.js, which reads the places from `data-plane` ----------


_SHARES = [0.0, 0.5, 1.0]


class Plane(NamedTuple):
    """Shares of 1 across, and up to `top`."""

    top: float = 1.0
    width: int = WIDE
    height: int = 250
    left: int = 44

    @property
    def x(self) -> Scale:
        return Scale(0, 1, self.left, self.width - 18)

    @property
    def y(self) -> Scale:
        return Scale(0, self.top, self.height - 38, 20)

    def svg(self, said: str, body: Iterable[str], name: str) -> Markup:
        places = (self.x.start, self.x.end, self.y.start, self.y.end)
        plane = " ".join(map(str, places))
        return svg(self.width, self.height, said, body, f' id="{name}" data-plane="{plane}"')

    def grid(self, below: str) -> list[str]:
        x, y, words = self.x, self.y, clip(shown(below), 44)
        body = _beside(y, _SHARES, _share, (x.start, x.end)) if self.top == 1 else []
        body += _below(x, y.start + 17, _SHARES, _share)
        return [*body, text((x.start + x.end) / 2, self.height - 4, words, "small quiet mid")]


def moving() -> str:
    """What the slider moves; it is nowhere without scripts."""
    return '<g class="here" hidden=""><line/><circle r="6"/></g>'


def _nice(value: float) -> float:
    """A round number from `value` on, as in thresholds.js."""
    power: float = 10.0 ** math.floor(math.log10(value))
    return power * next((top for top in (1, 2, 3, 4, 5, 6, 8) if value <= top * power), 10)


@drawn
def thresholds(found: Part) -> Markup | None:
    """What errors cost in all, by the probability from which a row is called so: two areas."""
    points = [p for p in found["points"] if p["probability"] is not None]
    if len(points) < 2 or points[0]["probability"] == points[-1]["probability"]:
        return None
    _, false = found["costs"]
    summed = [(p["probability"], p["false"] * false, p["cost"]) for p in points]
    least = min(cost for *_, cost in summed)
    chosen = found["chosen"]
    top = _nice(max(3 * least, 1.3 * chosen["cost"], 1))
    plane = Plane(top)
    x, y = plane.x, plane.y
    label, other = _named(found["label"]), _named(found["other"])
    floor = [(x(1), y(0)), (x(0), y(0))]
    upper = [(x(p), max(y(cost), y.end)) for p, _, cost in summed]
    lower = [(x(p), max(y(part), y.end)) for p, part, _ in summed]
    at, missed = x(min(max(chosen["probability"], 0), 1)), "small bold pos end"
    body = [
        *_beside(y, [0, top / 2, top], number, (x.start, x.end)),
        path([*lower, *floor], "neg-soft false"),
        path([*upper, *reversed(lower)], "pos-soft missed"),
        path(upper, "curve ink cost"),
        *plane.grid(f"predicted {label} at or above this probability"),
        text(x(0.03), y(0) - 8, f"{clip(other, 14)} predicted {clip(label, 14)}", "small bold neg"),
        text(x(1 if at < x(0.5) else 0.4), y.end - 6, f"{clip(label, 14)} missed", missed),
        line(at, y.start, at, y.end, "zero"),
        text(at, y.end - 6, "saved", "small quiet mid"),
        disc(at, y(chosen["cost"]), 5, "hollow"),
        moving(),
    ]
    said = (
        f"From {percent(points[0]['probability'])} to {percent(points[-1]['probability'])}. Saved: "
        f"{percent(chosen['probability'])}, with {number(chosen['missed'])} {label} missed and "
        f"{number(chosen['false'])} {other} predicted {label}."
    )
    return plane.svg(said, body, "cost")


@drawn
def roc(curve: Part, thresholds: Part | None) -> Markup:
    """Found rows against false ones, of the test rows, and of those whose threshold is moved."""
    plane = Plane(width=NARROW, height=290)
    label, other, (false, found) = _named(curve["label"]), _named(curve["other"]), curve["at"]
    x, y = plane.x, plane.y
    body = [
        *plane.grid(f"{clip(other, 14)} predicted {clip(label, 14)}"),
        path([(x(0), y(0)), (x(1), y(1))], "curve zero"),
        path([(x(a), y(b)) for a, b in curve["points"]], "curve pos"),
        disc(x(false), y(found), 6, "hollow"),
        text(x(0.97), y(0.3), f"up: {clip(label, 14)} found", "small quiet end"),
        text(x(0.97), y(0.3) + 18, "○ the saved rule", "small end"),
    ]
    if thresholds:
        points = thresholds["points"]
        negatives, positives = points[0]["false"] or 1, points[-1]["missed"] or 1
        moved = [(x(p["false"] / negatives), y(1 - p["missed"] / positives)) for p in points]
        body.append(path(moved, "curve quiet"))
        body.append(text(x(0.97), y(0.3) + 36, "thin: the rows at the left", "small quiet end"))
        body.append(text(x(0.97), y(0.3) + 54, "● at your threshold", "small end"))
        body.append(moving())
    said = (
        f"AUC {curve['auc']:.3f}. The rule finds {percent(found)} of {label}; of {other}, it calls "
        f"{percent(false)} so."
    )
    return plane.svg(said, body, "roc-curve")


@drawn
def calibration(measured: Part) -> Markup:
    """Shares that came true against probabilities that were given."""
    plane = Plane()
    x, y, bins = plane.x, plane.y, measured["bins"]
    label = measured["label"]
    given = (
        "probability of the likeliest label" if label is None else f"probability of {_named(label)}"
    )
    what = "share that was right" if label is None else f"share that was {clip(_named(label), 20)}"
    body = [
        *plane.grid(given),
        path([(x(0), y(0)), (x(1), y(1))], "curve zero"),
    ]
    most = max(one["rows"] for one in bins)
    for one in bins:
        at, ends = x(one["predicted"]), one["interval"]
        if ends is not None:
            body.append(line(at, y(ends[0]), at, y(ends[1]), "whisker"))
        body.append(disc(at, y(one["share"]), 3 + 6 * math.sqrt(one["rows"] / most), "pos"))
    body += [
        text(x(0), y.end - 8, what, "small quiet"),
        moving(),
    ]
    said = "; ".join(
        f"{number(one['rows'])} rows at {percent(one['predicted'])}: {percent(one['share'])}"
        for one in bins
    )
    came_true = "the likeliest label" if label is None else _named(label)
    return plane.svg(f"How often {came_true} came true: {said}.", body, "calibrated")


# --- What is proved ------------------------------------------------------------------------------


@drawn
def balance(sides: Sequence[tuple[str, Sequence[tuple[int, float]]]]) -> Markup | None:
    """Two weighted averages that are the same point: shares of rows, stacked."""
    if len(sides) != 2:
        return None
    width, height, body, said = (WIDE - 60) / 2, 130, [], []
    for place, (kind, (label, rows)) in enumerate(zip(("neg", "pos"), sides, strict=True)):
        x, y = place * (width + 60), 22.0
        head = f"{len(rows):,} labelled {named(label)}"
        body.append(text(x, 12, head, f"small bold {kind}", 24))
        said.append(f"{many(len(rows), 'row')} labelled {named(label)}")
        for k, (row, share) in enumerate(rows):
            tall = share * height
            if k < BALANCED:
                body.append(box(x, y, width, max(tall - 1.5, 0.5), f"{kind}-soft"))
                if tall > 13:
                    body.append(text(x + 7, y + tall / 2 + 4, f"row {row_number(row):,}", "small"))
                    end = x + width - 7
                    body.append(text(end, y + tall / 2 + 4, percent(share), "small quiet end"))
            else:
                body.append(box(x, y, width, tall + 0.3, f"{kind}-soft"))
            y += tall
    body.append(text(WIDE / 2, 96, "=", "mid equals"))
    return svg(WIDE, height + 24, f"Weighted averages of {' and '.join(said)} are equal.", body)


@drawn
def bracket(forced: Part) -> Markup:
    """The fewest errors of a linear rule are between what is proved and what was found."""
    least, found, own = forced["at_least"], forced["errors"], forced["rule_errors"]
    ticks = nice_ticks(0, 1.15 * max(found, own or 0, 1), whole=True)
    x = Scale(0, ticks[-1], 12, WIDE - 16)
    body = [
        box(x(0), 40, x(least) - x(0), 18, "lane"),
        box(x(least), 40, x(found) - x(least), 18, "good-soft"),
        *(line(x(at), 32, x(at), 62, "axis") for at in (least, found)),
        text(x(least) - 4, 24, f"{least:,} proved", "small bold end" if x(least) > 90 else "small"),
        text(x(found) + 4, 24, f"{found:,} found", "small bold"),
        *_below(x, 78, ticks, number),
    ]
    said = f"Between {least:,} and {found:,} errors"
    if own is not None:
        body += [disc(x(own), 49, 6.5, "pos")]
        body += [text(x(own), 98, f"this rule: {own:,}", "small bold pos mid")]
        said += f"; this rule makes {own:,}"
    return svg(WIDE, 104, f"{said}.", body)


@drawn
def signs(forced: Part) -> Markup | None:
    """Fewest errors without a column, or with the other sign: beyond the best it is forced."""
    columns = sorted(forced["columns"], key=lambda column: not column["sign"])[:BARS]
    if not any(column["sign"] for column in columns):
        return None
    left, room = _gutter([column["feature"] for column in columns], 130)
    most = max(column["otherwise_at_most"] for column in columns)
    x, best, bottom = Scale(0, max(most, 1), left, WIDE - 84), forced["errors"], 24 * len(columns)
    body = [
        line(x(best), 16, x(best), bottom + 20, "axis"),
        text(x(best), 11, f"{best:,}", "small bold mid"),
    ]
    for place, column in enumerate(columns):
        y, sign = 24 * place + 22, column["sign"]
        low, high = column["otherwise_at_least"], column["otherwise_at_most"]
        word = f"{sign.replace('-', '−')} forced" if sign else "free" if column["free"] else "open"
        body += [
            text(0, y + 13, column["feature"], "bold" if sign else "", room),
            box(x(low), y + 3, max(x(high) - x(low), 4), 12, "good" if sign else "line round"),
            text(WIDE, y + 13, word, f"small end {'bold' if sign else 'quiet'}"),
        ]
    said = "; ".join(f"{c['feature']} {c['sign']}" for c in columns if c["sign"])
    return svg(WIDE, bottom + 26, f"Forced signs: {said}. All others are open or free.", body)


@drawn
def opinions(found: Part) -> Markup | None:
    """Each row that was asked about: contested ones solid, a cross where the rule is wrong."""
    contested = found["contested"] + found["overruled"]
    wrong = found["contested_wrong"], found["other_wrong"]
    if not contested or found["asked"] > 100:
        return None
    body = []
    for row in range(found["asked"]):
        x, y, solid = 10 + 20 * (row % 20), 12 + 22 * (row // 20), row < contested
        body.append(disc(x, y, 7.5, "ink" if solid else "hollow"))
        if row < wrong[0] if solid else row - contested < wrong[1]:
            stroke = "on" if solid else "axis"
            body += [
                line(x - 4, y - 4, x + 4, y + 4, stroke),
                line(x - 4, y + 4, x + 4, y - 4, stroke),
            ]
    said = (
        f"{contested} of {found['asked']} test rows are contested; the rule is wrong on {wrong[0]}"
    )
    said += f" of them, and on {wrong[1]} of the others."
    return svg(WIDE, 12 + 22 * math.ceil(found["asked"] / 20), said, body)


# --- How it was made -----------------------------------------------------------------------------


@drawn
def learning(learned: Part) -> Markup | None:
    """Rows that changed the weights, epoch by epoch, and the errors of the rule that is kept."""
    series = [("updates", learned["mistakes"], "quiet"), ("errors", learned.get("kept"), "pos")]
    series = [one for one in series if one[1]]
    if not series:
        return None
    most, last = max(max(values) for _, values, _ in series), max(len(v) for _, v, _ in series)
    ticks = nice_ticks(0, most or 1, whole=True)
    x, y = Scale(1, max(last, 2), 48, WIDE - 74), Scale(0, ticks[-1], 150, 10)
    body = _beside(y, ticks, number, (x.start, x.end))
    body += _below(x, 168, sorted({1, last}), number)
    body.append(text((x.start + x.end) / 2, 168, "epoch", "small quiet mid"))
    beside: list[float] = []
    for name, values, kind in series:
        places = [(x(place), y(value)) for place, value in thinned(values)]
        body.append(path(places, f"curve {kind}") if len(places) > 1 else disc(*places[0], 4, kind))
        at = places[-1][1] + 4
        beside.append(max(at, beside[-1] + 13) if beside and at > beside[-1] - 13 else at)
        body.append(text(x.end + 6, beside[-1], name, f"small {kind}"))
    said = "; ".join(
        f"{name}: from {number(values[0])} to {number(values[-1])}, lowest {number(min(values))}"
        for name, values, _ in series
    )
    return svg(WIDE, 174, f"{said}.", body)


@drawn
def margins(found: Part, classes: Sequence[str]) -> Markup | None:
    """Counts of one class upwards, of the other downwards, each on a scale of its own; of more
    than two all together."""
    edges, by_label = found["edges"], found["counts"]
    labels = sorted(by_label, key=lambda label: list(classes[-1:]) != [label])
    counts = [(label, by_label[label]) for label in labels]
    if len(counts) > 2:
        counts = [("all classes", [sum(bar) for bar in zip(*by_label.values(), strict=True)])]
    low, high = min(edges[0], 0), max(edges[-1], 0)  # zero parts wrong from right
    half, axis = 84, 100
    x = Scale(low, high, 6, WIDE - 6) if low < high else Scale(-0.5, 0.5, 6, WIDE - 6)
    body, said = [], []
    for kind, direction, (label, heights) in zip(("pos", "neg"), (-1, 1), counts, strict=False):
        most, wrong = max(heights), 0
        for (start, end), height in zip(pairwise(edges), heights, strict=True):
            if height:
                tall = max(height / most * half, 1.5)  # one row must be seen
                wrong += height if end <= 0 else 0
                wide = max(x(end) - x(start) - 1, 2)
                top = axis - tall if direction < 0 else axis
                shade = f"{kind}-soft" if end <= 0 else kind
                body.append(box(x(start) + 0.5, top, wide, tall, shade))
        words = f"{number(sum(heights))} {clip(named(label), 20)}: {number(wrong)} wrong"
        body.append(text(WIDE, axis + direction * 70, words, f"small bold end {kind}"))
        said.append(f"{number(sum(heights))} rows of {named(label)}, {number(wrong)} below zero")
    bottom = axis + (half if len(counts) > 1 else 0)
    body += [line(6, axis, WIDE - 6, axis, "axis"), line(x(0), 4, x(0), bottom + 4, "axis")]
    body.append(text(x(0) - 6, 12, "wrong side" if x(0) > 80 else "", "small quiet end"))
    unit = "score" if found["unit"] == "score" else "standard deviations"
    inside = [tick for tick in nice_ticks(low, high) if low <= tick <= high]
    body += _below(x, bottom + 20, inside, number)
    body.append(text(WIDE, bottom + 38, unit, "small quiet end"))
    return svg(WIDE, bottom + 42, f"{'; '.join(said)}.", body)
