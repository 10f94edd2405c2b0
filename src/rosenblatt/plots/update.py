"""One update: w, what is added to it, and what it becomes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._tracing.run import Floats
from rosenblatt.errors import InputError
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import Display
from rosenblatt.plots.view import (
    View,
    draw_arrow,
    draw_points,
    frame_plane,
    name_arrow,
    near_origin,
    view,
)

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_BEFORE, _ADDED, _AFTER = style.GREEN, style.RED, style.BLUE

_BOW, _FLAT = 0.3, 0.05  # of arrows on one line; which is one within 3 degrees
_LETTERS = {"perceptron": "η c y x", "PA-I": "τ y x", "PA-II": "τ y x", "AROW": "α y x/p"}


@final
class UpdateDisplay(Display):
    """Step k of a trace: the arrows w, η c y x and w' = w + η c y x, and both boundaries.

    All arrows are drawn at one scale, which the picture names where it is not 1, and so they add
    up. With more than two features everything is a cut through the row that was updated.

    Attributes
    ----------
    before, after : (w, b)
        The weights around the step.
    added : array of shape (d,)
        w' - w: η c y x of the row; the sum over all mistakes in a step of order="batch".
    rows : array of int
        The rows of the step.
    scale : float
        Length of the arrows in the picture, in units of the axes.
    ax_, figure_
        Where it was drawn.
    arrows_ : dict
        "w", "added", "w'": the artists; `xyann` is the start of each and `xy` its end.
    lines_ : dict
        "before", "after": the boundaries, None where there is none in sight.

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.plots import UpdateDisplay
    >>> t = trace(Perceptron(order="cyclic", keep="last"), [[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = UpdateDisplay.from_trace(t, 2)
    >>> display.before.w, display.added, display.after.w
    (array([3., 3.]), array([-1., -1.]), array([2., 2.]))
    """

    def __init__(self, trace: Trace, step: int, *, features: Any = None):
        k = trace.replay.checked_step(step)
        if k == 0:
            raise InputError(
                f"step=0 is the start, where nothing is added: give a step from 1 to {len(trace)}."
            )
        self._data = data = scene.of_two(trace, "UpdateDisplay")
        trace.replay.features("the update picture")
        run = trace.replay.run
        self.step, self.words = k, trace.step(k)
        made = run.updates_of(k)
        self.rows = run.rows[made]
        self.before, self.after = trace.weights_at(k - 1), trace.weights_at(k)
        self._size = float(trace.step_size[made.start])
        self._score = style.number(trace.score[made.start])
        x = np.asarray(data.table[self.rows].T @ trace.step_size[made]).ravel()
        self.added, self._letters = x.astype(np.float64), _LETTERS[run.rule]
        if run.rule == "AROW":  # each feature is divided by its precision
            self.added = self.after.w - self.before.w
        w = self.after.w if self.after.w.any() else self.before.w
        at = int(self.rows[0]) if len(self.rows) == 1 else None
        self.plane = scene.plane(data, features, w, at)
        self._points = self.plane.points(data.table)
        self._place()

    @classmethod
    def from_trace(
        cls, trace: Trace, step: int, *, features: Any = None, ax: Any = None
    ) -> UpdateDisplay:
        """Draw step k of a trace, 1 being the first."""
        return cls(trace, step, features=features).plot(ax=ax)

    def _place(self) -> None:
        see = self.plane.direction
        self._vectors = {"w": see(self.before.w), "added": see(self.added), "w'": see(self.after.w)}
        present = self._points[self._data.present]
        around = view(present)
        self._anchor = np.zeros(2) if near_origin(present) else around.middle
        lengths = [float(np.max(np.abs(v) / around.span)) for v in self._vectors.values()]
        longest = max(lengths)
        self.scale = 1.0 if 0.2 <= longest <= 2 or longest == 0 else _round(1 / longest)
        ends = [self._anchor + self.scale * v for v in self._vectors.values()]
        points = np.vstack([present, self._anchor, *ends])
        self._view: View = view(points)

    def _draw(self, ax: Any) -> None:
        of_step = np.zeros(len(self._data.y), dtype=bool)
        of_step[self.rows] = True
        shown, notes = scene.shown(self._data, of_step)
        points, rings = draw_points(ax, self._data, self._points, shown, of_step)
        which = f"row {self.rows[0]}" if len(self.rows) == 1 else f"the {len(self.rows)} rows"
        rings.set_label(f"{which} of this step")
        before = self._line(ax, self.before, _BEFORE, "--", "boundary before")
        after = self._line(ax, self.after, _AFTER, "-", "boundary after")
        self.lines_ = {"before": before, "after": after}
        arrows = self._arrows(ax)
        if self.plane.how:
            notes.append(self.plane.how)
        if self.scale != 1:
            notes.append(f"Arrows are drawn at {style.number(self.scale)} times their length.")
        if self._anchor.any():
            notes.append("Arrows begin in the middle of the rows: the origin is far away.")
        lines = [line for line in (before, after) if line is not None]
        handles = [*reversed(points), rings, *arrows, *lines]
        frame_plane(ax, self._view, self.plane.names, self._headline(), notes, handles)

    def _line(self, ax: Any, weights: Any, colour: str, dashes: str, label: str) -> Any:
        w, b = self.plane.cut(weights.w, weights.b)
        ends = self._view.segment(w, b)
        if ends is None:
            return None
        (line,) = ax.plot(*ends.T, dashes, color=colour, zorder=2, linewidth=1.6, label=label)
        return line

    def _arrows(self, ax: Any) -> list[Any]:
        from matplotlib.lines import Line2D

        start, tip = self._anchor, self._anchor + self.scale * self._vectors["w"]
        end = self._anchor + self.scale * self._vectors["w'"]
        looks: dict[str, tuple[Floats, Floats, str, dict[str, Any], str]] = {
            "w'": (start, end, _AFTER, {"linewidth": 4.5}, "w′ after"),
            "w": (start, tip, _BEFORE, {}, "w before"),
            "added": (tip, end, _ADDED, {"linestyle": (0, (3, 1.5))}, self._what()),
        }
        self.arrows_, named = {}, []
        names = {"w": "w", "w'": "w′", "added": self._sign()}
        bows = {"w'": -_BOW, "w": 0.0, "added": _BOW} if self._collinear() else {}
        for name, (begin, stop, colour, how, label) in looks.items():
            bow = bows.get(name, 0.0)
            style_of = {"connectionstyle": f"arc3,rad={bow}"} if bow else {}
            self.arrows_[name] = draw_arrow(ax, begin, stop, colour, **how, **style_of)
            if np.any(begin != stop):
                name_arrow(ax, begin, stop, names[name], colour, bow)
            named.append(Line2D([], [], color=colour, label=label, **{"linewidth": 2.5, **how}))
        return [named[1], named[2], named[0]]

    def _headline(self) -> list[str]:
        if self._data.d <= 3 and len(self.rows) <= 3:
            return style.text(self.words.replace("-", "−"), 300).rsplit(": ", 1)
        if len(self.rows) > 1:
            return [f"step {self.step}: {len(self.rows):,} rows call for an update"]
        row, sign = self.rows[0], "+1" if self._size > 0 else "−1"
        return [f"step {self.step}: row {row:,} has y = {sign} and the score {self._score}"]

    def _collinear(self) -> bool:
        """Whether all arrows are on one line, where they would cover each other: they are bowed."""
        (a, b), (c, d) = self._vectors["w"], self._vectors["added"]
        long = np.hypot(a, b) * np.hypot(c, d)
        return bool(long > 0 and abs(a * d - b * c) < _FLAT * long)

    def _sign(self) -> str:
        """What is added, as one says it: +x, −x, a multiple of x, or a sum."""
        if self._letters != _LETTERS["perceptron"]:
            return self._letters.replace(" ", "")
        if len(self.rows) > 1:
            return "Σ"
        size = abs(self._size)
        factor = "" if size == 1 else style.number(size)
        return f"{'+' if self._size > 0 else '−'}{factor}x"

    def _what(self) -> str:
        if len(self.rows) > 1:
            return f"the sum over {len(self.rows)} rows of η c y x"
        size = abs(self._size)
        factor = "" if size == 1 else f"{style.number(size)}·"
        over = "/p" if self._letters.endswith("/p") else ""
        return f"{self._letters} = {'+' if self._size > 0 else '−'}{factor}x{over}"


def _round(value: float) -> float:
    """The nearest of 1, 2, 5, 10, … times a power of ten, from below."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(power * d for d in (1, 2, 5) if power * d <= value * (1 + 1e-9))
