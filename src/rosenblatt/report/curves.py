"""Curves in a plane with two axes: ranking, thresholds, probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from markupsafe import Markup

from rosenblatt._support.foreign import shown
from rosenblatt._support.words import named
from rosenblatt.report.charts import WIDTH, Charts, dot, nice_ticks, rule, text
from rosenblatt.report.words import clip, number, percent

_SQUARE = 440  # two stand side by side
_POINT = ("probability", "missed", "false", "price")
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
        found = []
        for tick in self.y_ticks:
            said = f"{100 * tick:.3g}%" if shares else number(tick)
            found.append(rule(self.left, self.y(tick), right, self.y(tick), "grid"))
            found.append(text(self.left - 8, self.y(tick) + 4, said, "end", "quiet"))
        for tick in self.x_ticks:
            at = self.x(tick)
            found.append(text(at, self.bottom + 18, f"{100 * tick:.3g}%", "middle", "quiet"))
        middle = (self.left + right) / 2
        return [*found, text(middle, self.bottom + 40, x_label, "middle", "quiet")]

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
    said = f"AUC {curve['auc']:.3f}." if curve.get("auc") is not None else ""
    if at := _pair(curve.get("at")):
        body.append(plane.mark(*at))
        said += f" The rule finds {percent(at[1])} of {label}; of {other}, it calls"
        said += f" {percent(at[0])} so."
    return charts.svg(380, "ROC curve of the test rows", said, body, _SQUARE)


def threshold_chart(charts: Charts, found: Mapping[str, Any] | None) -> Markup | None:
    """Both kinds of errors and their price, by the probability from which a row is called so."""
    points = [p for p in (found or {}).get("points") or [] if _has(p, *_POINT)]
    if not found or len(points) < 2 or points[0]["probability"] == points[-1]["probability"]:
        return None
    low, high = points[0]["probability"], points[-1]["probability"]
    most = max(max(p["missed"], p["false"], p["price"]) for p in points) or 1
    plane = Plane(nice_ticks(low, high), nice_ticks(0, most), WIDTH, 310, left=64)
    label = _named(found, "label")
    body = plane.grid(f"called {_short(label)} from this probability on", shares=False)
    for kind, field in (("third", "false"), ("second", "missed"), ("first", "price")):
        body.append(plane.line([(p["probability"], p[field]) for p in points], kind))
    chosen, said = found.get("chosen"), f"From {percent(low)} to {percent(high)}."
    if _has(chosen, *_POINT):
        assert chosen is not None
        at = min(max(chosen["probability"], plane.x_ticks[0]), plane.x_ticks[-1])
        body.append(rule(plane.x(at), plane.top, plane.x(at), plane.bottom, "zero"))
        body.append(plane.mark(at, chosen["price"]))
        said += (
            f" Chosen: {percent(chosen['probability'])}, with {number(chosen['missed'])} missed "
            f"and {number(chosen['false'])} false."
        )
    return charts.svg(310, "What thresholds would do", said, body)


def calibration_chart(charts: Charts, found: Mapping[str, Any] | None) -> Markup | None:
    """Shares that came true against probabilities that were given."""
    bins = [b for b in (found or {}).get("bins") or [] if _has(b, "predicted", "share", "rows")]
    if not found or not bins:
        return None
    plane = Plane(_SHARES, _SHARES, _SQUARE, 380)
    label = _named(found, "label")
    body = plane.grid(f"probability of {_short(label)}", shares=True)
    body.append(rule(plane.x(0), plane.y(0), plane.x(1), plane.y(1), "zero"))
    for part in bins:
        x = plane.x(part["predicted"])
        if ends := _pair(part.get("interval")):
            body.append(rule(x, plane.y(ends[0]), x, plane.y(ends[1]), "whisker"))
        body.append(plane.mark(part["predicted"], part["share"]))
    said = "; ".join(
        f"{number(part['rows'])} rows at {percent(part['predicted'])}: {percent(part['share'])}"
        for part in bins
    )
    return charts.svg(380, f"How often {label} came true", f"{said}.", body, _SQUARE)


def _pair(given: Any) -> tuple[float, float] | None:
    """Two numbers, or None where a document lacks one."""
    whole = isinstance(given, list) and len(given) == 2 and None not in given
    return (given[0], given[1]) if whole else None


def _has(part: Any, *names: str) -> bool:
    return isinstance(part, Mapping) and all(part.get(name) is not None for name in names)


def _named(part: Mapping[str, Any], name: str) -> str:
    return named(part.get(name) or "")


def _short(label: str) -> str:
    return clip(shown(label), 16)
