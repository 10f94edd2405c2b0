"""The part of the plane that is seen, and how lines, bands, points and arrows are drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._tracing.run import Floats
from rosenblatt._util.text import many
from rosenblatt.errors import InputError
from rosenblatt.plots import style
from rosenblatt.plots.scene import Data, looks

_PAD = 0.08  # of the span, on every side
_NARROWEST, _WIDEST = 1.25, 1.6  # width against height, where both features have one scale
_SIZES = [(60, 0.8), (26, 0.5), (10, 0.0)]  # of points and their edges: few, many, very many
_SAME_SCALE = 4.0  # spans further apart than this get scales of their own


@dataclass(frozen=True)
class View:
    """A rectangle of the plane."""

    low: Floats
    high: Floats
    equal: bool  # a unit is as long on both axes, so that right angles look right

    @property
    def middle(self) -> Floats:
        return np.asarray((self.low + self.high) / 2)

    @property
    def span(self) -> Floats:
        return np.asarray(self.high - self.low)

    def segment(self, w: Floats, b: float) -> Floats | None:
        """`line`, or None where it is not in sight."""
        v = w * self.span
        length = float(np.linalg.norm(v))
        if length == 0 or not np.isfinite(length):
            return None
        if abs(float(w @ self.middle) + b) > np.abs(v).sum() / 2:
            return None
        return self.line(w, b)

    def line(self, w: Floats, b: float) -> Floats:
        """Two points of the line w·p + b = 0 that are far outside, wherever it is."""
        # In units of the view, so that scales of any size behave alike.
        v = w * self.span
        v2 = float(v @ v)
        foot = -(float(w @ self.middle) + b) * v / v2
        along = 2 * np.array([-v[1], v[0]]) / np.sqrt(v2)
        return np.asarray(self.middle + np.array([foot - along, foot + along]) * self.span)

    def grid(self, resolution: int) -> tuple[Floats, Floats, Floats]:
        """Ticks of both axes, and all their pairs as points."""
        x = np.linspace(self.low[0], self.high[0], resolution)
        y = np.linspace(self.low[1], self.high[1], resolution)
        return x, y, np.column_stack([a.ravel() for a in np.meshgrid(x, y)])

    def apply(self, ax: Any) -> None:
        ax.set_xlim(self.low[0], self.high[0])
        ax.set_ylim(self.low[1], self.high[1])
        if self.equal:
            ax.set_aspect("equal", adjustable="box", anchor="NW")


def view(points: Floats, *, origin: bool = False) -> View:
    """Around the points, and the origin if it is wanted and near."""
    if origin and near_origin(points):
        points = np.vstack([points, np.zeros(2)])
    low, high = points.min(axis=0), points.max(axis=0)
    with np.errstate(over="ignore"):
        span = high - low
    if not np.isfinite(4 * span).all():
        raise InputError("The numbers of these features are too large to draw: scale them.")
    flat = span == 0
    span = np.where(flat, span.max() or 1.0, span)
    equal = bool(span.max() <= _SAME_SCALE * span.min())
    middle, wanted = (low + high) / 2, span * (1 + 2 * _PAD)
    if equal:
        wanted = np.maximum(wanted, [_NARROWEST * wanted[1], wanted[0] / _WIDEST])
    return View(middle - wanted / 2, middle + wanted / 2, equal)


def near_origin(points: Floats) -> bool:
    """Whether the origin is at most a span of the points away from them."""
    low, high = points.min(axis=0), points.max(axis=0)
    reach = high - low
    return bool(np.all((low - reach <= 0) & (high + reach >= 0)))


# --- What is in it -------------------------------------------------------------------------------


def draw_points(
    ax: Any,
    data: Data,
    points: Floats,
    rows: NDArray[np.intp],
    mistakes: NDArray[np.bool_],
    mistake: str = "y(w·x + b) ≤ 0",
) -> tuple[list[Any], Any]:
    """Each class in its colour and shape, a ring around every mistake; the artists of both.
    `mistake` says what one is."""
    size, edge = _SIZES[np.searchsorted([300, 2_000], len(rows))]
    classes = []
    for code, name, look in looks(data.classes):
        some = points[rows[data.y[rows] == code]]
        how: dict[str, Any] = {"linewidths": edge, "zorder": 3, "label": name}
        classes.append(style.dots(ax, some, size, *look, **how))
    wrong = rows[mistakes[rows]]
    few = len(wrong) <= len(rows) / 5  # then they must be seen in the crowd
    rings = style.rings(
        ax,
        points[wrong],
        (3.2 if edge else 2.2) * size,
        linewidths=1.0 + edge if few else 0.5 + edge,
        path_effects=_halo(3.0 + edge) if few else None,
        alpha=1.0 if edge else 0.35,
        zorder=4,
        label=f"{many(len(wrong), 'mistake')}: {mistake}",
    )
    return classes, rings


def draw_area(ax: Any, corners: Floats, label: str) -> Any:
    (area,) = ax.fill(
        *corners.T,
        facecolor=style.LIGHT,
        edgecolor=style.GREY,
        linestyle="--",
        linewidth=1.2,
        zorder=1,
        label=label,
    )
    return area


def draw_arrow(ax: Any, start: Floats, end: Floats, colour: str, **how: Any) -> Any:
    return ax.annotate(
        "",
        xy=tuple(end),
        xytext=tuple(start),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.35,head_length=0.7",
            "color": colour,
            "linewidth": 2.5,
            "shrinkA": 0,
            "shrinkB": 0,
            **how,
        },
        annotation_clip=False,
        zorder=5,
    )


def name_arrow(
    ax: Any, start: Floats, end: Floats, name: str, colour: str, bow: float = 0.0
) -> None:
    """Beside its middle, readable on whatever is there; outside where it is bowed."""
    along = end - start
    across = np.array([along[1], -along[0]])
    side = (-1.0 if bow < 0 else 1.0) * across / (np.linalg.norm(along) or 1.0)
    ax.annotate(
        name,
        xy=tuple((start + end + bow * across) / 2),
        xytext=tuple(9 * side),
        textcoords="offset points",
        ha="left" if side[0] > 0.3 else "right" if side[0] < -0.3 else "center",
        va="center",
        color=colour,
        weight="bold",
        path_effects=_halo(3.0),
        zorder=6,
    )


def _halo(width: float) -> list[Any]:
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground="white")]


def frame_plane(
    ax: Any,
    seen: View,
    names: tuple[str, str],
    headline: str | list[str],
    notes: list[str],
    handles: list[Any],
) -> None:
    seen.apply(ax)
    style.frame(ax, names, headline, notes, handles, beside=True)
    ax.locator_params(axis="x", nbins=7)  # long numbers do not run into each other
    if not names[1]:  # one feature only: there is no second axis
        ax.set_yticks([])
