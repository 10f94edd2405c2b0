"""Small charts as SVG: their colours are the page's, so that light and dark are pure CSS."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, final

from markupsafe import Markup, escape

from rosenblatt._util.text import clip, named, number, percent, shown, width_of

WIDTH = 720
_CHARACTER = 8.6  # the width of a character of a wide system font at 13 px
_MOST_POINTS = 800  # of a line; more are thinned out


class Charts:
    """The charts of one page; each has an id of its own."""

    def __init__(self) -> None:
        self._ids = count(1)

    def bars(self, items: Sequence[tuple[str, float]], title: str, width: int = WIDTH) -> Markup:
        """Horizontal bars to both sides of zero, with their names and numbers."""
        most = 30 * width // WIDTH  # characters of a name
        gutter = min(max(width_of(clip(shown(name), most)) for name, _ in items), most)
        left = 16 + gutter * _CHARACTER
        low = min(0.0, *(value for _, value in items))
        high = max(0.0, *(value for _, value in items))
        beside = 68  # a number stands at the end of a bar
        scale = (width - left - 2 * beside) / ((high - low) or 1)
        middle = left + beside - low * scale
        body = [rule(middle, 4, middle, 26 * len(items) + 4, "axis")]
        for place, (name, value) in enumerate(items):
            y = 26 * place + 8
            length = abs(value) * scale
            sign, anchor, step = ("pos", "start", 6) if value >= 0 else ("neg", "end", -6)
            start = middle if value >= 0 else middle - length
            end = middle + math.copysign(length, value)
            body += [
                text(left - 8, y + 13, clip(shown(name), most), "end", whole=name),
                f'<rect class="{sign}" x="{start:.1f}" y="{y}" width="{length:.1f}" height="18"/>',
                text(end + step, y + 13, number(value), anchor, "quiet"),
            ]
        description = "; ".join(f"{name}: {number(value)}" for name, value in items[:5])
        return self.svg(26 * len(items) + 8, title, f"The largest: {description}.", body, width)

    def line(self, series: Mapping[str, Sequence[float]], title: str, x_label: str) -> Markup:
        """A line for each series over 1, 2, 3, …; the first is drawn last, over the others."""
        left, right, top, bottom = 64, WIDTH - 20, 14, 226
        series = {name: values for name, values in series.items() if len(values)}
        last = max((len(values) for values in series.values()), default=1)
        most = max((max(values) for values in series.values()), default=0) or 1
        ticks = nice_ticks(0, most, whole=True)

        def x(place: float) -> float:
            return left + (place - 1) / max(last - 1, 1) * (right - left)

        def y(value: float) -> float:
            return bottom - value / ticks[-1] * (bottom - top)

        body = _horizontal_grid(left, right, [(y(tick), number(tick)) for tick in ticks])
        epochs = [1.0, *(t for t in nice_ticks(1, last, whole=True) if 1 < t <= last)]
        body += [text(x(epoch), bottom + 18, number(epoch), "middle", "quiet") for epoch in epochs]
        body.append(text((left + right) / 2, bottom + 38, x_label, "middle", "quiet"))
        for kind, values in reversed(list(zip(("first", "second"), series.values(), strict=False))):
            points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in thinned(values))
            if len(values) == 1:
                body.append(dot(x(1), y(values[0]), kind))
            else:
                body.append(f'<polyline class="{kind}" points="{points}"/>')
        description = "; ".join(
            f"{name}: from {number(values[0])} to {number(values[-1])}, lowest "
            f"{number(min(values))}"
            for name, values in series.items()
        )
        return self.svg(bottom + 46, title, f"{description}.", body)

    def histogram(
        self,
        edges: Sequence[float],
        counts: Mapping[str, Sequence[int]],
        title: str,
        x_label: str,
    ) -> Markup:
        """The counts of one class upwards, of the other downwards, each on a scale of its own."""
        left, right, half = 64, WIDTH - 20, 104
        axis = half + 16
        low, high = min(edges[0], 0), max(edges[-1], 0)  # zero parts wrong from right
        if high == low:
            low, high = -0.5, 0.5

        def x(value: float) -> float:
            return left + (value - low) / (high - low) * (right - left)

        body = []
        for kind, direction, heights in zip(("pos", "neg"), (-1, 1), counts.values(), strict=False):
            most = max(heights, default=0)
            for (start, end), height in zip(pairwise(edges), heights, strict=False):
                if height:
                    tall = max(height / most * half, 1.5)  # one row must be seen
                    side = " wrong" if end <= 0 else ""
                    body.append(
                        f'<rect class="{kind}{side}" x="{x(start) + 0.5:.1f}" '
                        f'y="{axis - tall if direction < 0 else axis:.1f}" '
                        f'width="{max(x(end) - x(start) - 1, 2):.1f}" height="{tall:.1f}"/>'
                    )
            if most:
                y = axis + direction * half
                body += [
                    rule(left, y, right, y, "grid"),
                    text(left - 8, y + 4, number(most), "end", "quiet"),
                ]
        end = axis + (half if len(counts) > 1 else 0)
        body.append(rule(left, axis, right, axis, "axis"))
        body.append(rule(x(0), 6, x(0), end + 6, "zero"))
        for tick in nice_ticks(low, high):
            if low <= tick <= high:
                body.append(text(x(tick), end + 24, number(tick), "middle", "quiet"))
        body.append(text((left + right) / 2, end + 44, x_label, "middle", "quiet"))
        description = "; ".join(
            f"{name}: {number(sum(heights))} rows, "
            f"{number(sum(h for h, e in zip(heights, edges[1:], strict=False) if e <= 0))} "
            "in bars at or below zero"
            for name, heights in counts.items()
        )
        return self.svg(end + 52, title, f"{description}.", body)

    def interval(
        self,
        rate: float,
        ends: tuple[float, float] | None,
        floor: float | None,
        title: str,
        named: str = "always saying the larger class",
        *,
        share: bool = True,
    ) -> Markup:
        """An error rate, or a cost, with its interval, and that of always saying one label."""
        width = 440  # it stands beside the rule
        left, right, y = 8, width - 8, 28
        highest = max(rate, floor or 0, (ends or (0, 0))[1])
        ticks = nice_ticks(0, min(max(highest, 0.01) * 1.08, 1) if share else highest * 1.08)

        def x(value: float) -> float:
            return left + min(value / ticks[-1], 1) * (right - left)

        body = [rule(left, y, right, y, "axis")]
        for tick in ticks:
            anchor = "start" if tick == ticks[0] else "end" if tick == ticks[-1] else "middle"
            mark = f"{100 * tick:.3g}%" if share else number(tick)
            body += [
                rule(x(tick), y - 4, x(tick), y + 4, "axis"),
                text(x(tick), y + 26, mark, anchor, "quiet"),
            ]
        if ends is not None:
            start, end = x(ends[0]), x(ends[1])
            body.append(
                f'<rect class="range" x="{start:.1f}" y="{y - 9}" rx="4" '
                f'width="{max(end - start, 2):.1f}" height="18"/>'
            )
        if floor is not None:
            body.append(rule(x(floor), y - 18, x(floor), y + 12, "floor"))
        body.append(dot(x(rate), y, "first"))

        def words(value: float) -> str:
            return f"{100 * value:.1f}%" if share else number(value, 3)

        description = words(rate)
        if ends is not None:
            description += f", between {words(ends[0])} and {words(ends[1])}"
        if floor is not None:
            description += f"; {named}: {words(floor)}"
        return self.svg(62, title, f"{description}.", body, width)

    def svg(
        self, height: float, title: str, description: str, body: Sequence[str], width: int = WIDTH
    ) -> Markup:
        """A picture that says in words what it shows."""
        name = f"chart-{next(self._ids)}"
        return Markup(
            f'<svg role="img" aria-labelledby="{name}-title {name}-text" '
            f'viewBox="0 0 {width} {height:.0f}">'
            f'<title id="{name}-title">{escape(shown(title))}</title>'
            f'<desc id="{name}-text">{escape(shown(description))}</desc>'
            f"{''.join(body)}</svg>"
        )


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


def _horizontal_grid(left: float, right: float, at: Sequence[tuple[float, str]]) -> list[str]:
    lines = [rule(left, y, right, y, "grid") for y, _ in at]
    return lines + [text(left - 8, y + 4, mark, "end", "quiet") for y, mark in at]


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def dot(x: float, y: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'


def text(
    x: float, y: float, shown_text: str, anchor: str, kind: str = "", whole: str | None = None
) -> str:
    hint = "" if whole in (None, shown_text) else f"<title>{escape(shown(str(whole)))}</title>"
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(shown(shown_text))}{hint}</text>"
    )


# --- Curves in a plane with two axes: ranking, thresholds, probabilities -------------------------


_SQUARE = 440  # two stand side by side
_POINT = ("probability", "missed", "false", "cost")
_SHARES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@final
@dataclass(frozen=True)
class Plane:
    """From numbers to places in a picture."""

    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    width: int
    height: int
    left: int = 58
    top: int = 14

    def x(self, value: float) -> float:
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return self.left + (value - low) / (high - low) * (self.width - self.left - 20)

    def y(self, value: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    @property
    def bottom(self) -> int:
        return self.height - 52

    def grid(self, x_label: str, *, shares: bool) -> list[str]:
        """Lines and numbers; the words of the x axis below them."""
        right = self.width - 20
        body = []
        for tick in self.y_ticks:
            mark = f"{100 * tick:.3g}%" if shares else number(tick)
            body.append(rule(self.left, self.y(tick), right, self.y(tick), "grid"))
            body.append(text(self.left - 8, self.y(tick) + 4, mark, "end", "quiet"))
        for tick in self.x_ticks:
            at = self.x(tick)
            body.append(text(at, self.bottom + 18, f"{100 * tick:.3g}%", "middle", "quiet"))
        middle = (self.left + right) / 2
        return [*body, text(middle, self.bottom + 40, x_label, "middle", "quiet")]

    def line(self, points: Sequence[tuple[float, float]], kind: str) -> str:
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        return f'<polyline class="{kind}" points="{places}"/>'

    def mark(self, x: float, y: float, kind: str = "first") -> str:
        return dot(self.x(x), self.y(y), kind)


def roc_chart(charts: Charts, curve: Mapping[str, Any] | None) -> Markup | None:
    """Found rows against false ones, and the rule as it is written."""
    points = [pair for point in (curve or {}).get("points") or [] if (pair := _pair(point))]
    if not curve or not points:
        return None
    plane = Plane(_SHARES, _SHARES, _SQUARE, 380)
    label, other = _named(curve, "label"), _named(curve, "other")
    body = plane.grid(f"{_short(other)} called {_short(label)}", shares=True)
    body.append(rule(plane.x(0), plane.y(0), plane.x(1), plane.y(1), "zero"))
    body.append(plane.line(points, "first"))
    description = f"AUC {curve['auc']:.3f}." if curve.get("auc") is not None else ""
    if at := _pair(curve.get("at")):
        body.append(plane.mark(*at))
        description += f" The rule finds {percent(at[1])} of {label}; of {other}, it calls"
        description += f" {percent(at[0])} so."
    return charts.svg(380, "ROC curve of the test rows", description, body, _SQUARE)


def threshold_chart(charts: Charts, thresholds: Mapping[str, Any] | None) -> Markup | None:
    """Both kinds of errors and their cost, by the probability from which a row is called so."""
    points = [p for p in (thresholds or {}).get("points") or [] if _has(p, *_POINT)]
    if not thresholds or len(points) < 2 or points[0]["probability"] == points[-1]["probability"]:
        return None
    low, high = points[0]["probability"], points[-1]["probability"]
    most = max(max(p["missed"], p["false"], p["cost"]) for p in points) or 1
    plane = Plane(nice_ticks(low, high), nice_ticks(0, most), WIDTH, 310, left=64)
    label = _named(thresholds, "label")
    body = plane.grid(f"called {_short(label)} from this probability on", shares=False)
    for kind, field in (("third", "false"), ("second", "missed"), ("first", "cost")):
        body.append(plane.line([(p["probability"], p[field]) for p in points], kind))
    chosen, description = thresholds.get("chosen"), f"From {percent(low)} to {percent(high)}."
    if _has(chosen, *_POINT):
        assert chosen is not None
        at = min(max(chosen["probability"], plane.x_ticks[0]), plane.x_ticks[-1])
        body.append(rule(plane.x(at), plane.top, plane.x(at), plane.bottom, "zero"))
        body.append(plane.mark(at, chosen["cost"]))
        description += (
            f" Chosen: {percent(chosen['probability'])}, with {number(chosen['missed'])} missed "
            f"and {number(chosen['false'])} false."
        )
    return charts.svg(310, "What thresholds would do", description, body)


def calibration_chart(charts: Charts, calibration: Mapping[str, Any] | None) -> Markup | None:
    """Shares that came true against probabilities that were given."""
    bins = [
        b for b in (calibration or {}).get("bins") or [] if _has(b, "predicted", "share", "rows")
    ]
    if not calibration or not bins:
        return None
    plane = Plane(_SHARES, _SHARES, _SQUARE, 380)
    label = _named(calibration, "label")
    body = plane.grid(f"probability of {_short(label)}", shares=True)
    body.append(rule(plane.x(0), plane.y(0), plane.x(1), plane.y(1), "zero"))
    for part in bins:
        x = plane.x(part["predicted"])
        if ends := _pair(part.get("interval")):
            body.append(rule(x, plane.y(ends[0]), x, plane.y(ends[1]), "whisker"))
        body.append(plane.mark(part["predicted"], part["share"]))
    description = "; ".join(
        f"{number(part['rows'])} rows at {percent(part['predicted'])}: {percent(part['share'])}"
        for part in bins
    )
    return charts.svg(380, f"How often {label} came true", f"{description}.", body, _SQUARE)


CHARTS: dict[str, Callable[[Charts, Mapping[str, Any] | None], Markup | None]] = {
    "roc": roc_chart,  # by section of the document
    "thresholds": threshold_chart,
    "calibration": calibration_chart,
}


def _pair(pair: Any) -> tuple[float, float] | None:
    """Two numbers, or None where a document lacks one."""
    whole = isinstance(pair, list) and len(pair) == 2 and None not in pair
    return (pair[0], pair[1]) if whole else None


def _has(part: Any, *names: str) -> bool:
    return isinstance(part, Mapping) and all(part.get(name) is not None for name in names)


def _named(part: Mapping[str, Any], name: str) -> str:
    return named(part.get(name) or "")


def _short(label: str) -> str:
    return clip(shown(label), 16)
