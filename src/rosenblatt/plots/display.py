"""What every Display does: draw itself on given axes or on a new figure; and the one of a plane."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._core.rows import margins
from rosenblatt.plots import scene, style
from rosenblatt.plots.scene import Data, Plane, Rule
from rosenblatt.plots.view import frame_plane, view

if TYPE_CHECKING:
    from typing import Self

    from rosenblatt._tracing.trace import Trace


class Display(ABC):
    """A picture. `ax_` and `figure_` are matplotlib's, once it is drawn."""

    ax_: Any
    figure_: Any

    def __new__(cls, *_: Any, **__: Any) -> Self:
        style.pyplot()  # before any work: without matplotlib there is no picture
        return super().__new__(cls)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw it, on the given axes or on a new figure."""
        return self._drawn(ax)

    def _drawn(self, ax: Any, *options: Any) -> Self:
        with style.canvas(ax) as axes:
            self._draw(axes, *options)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    @abstractmethod
    def _draw(self, ax: Any, *options: Any) -> None: ...


class PlaneDisplay(Display):
    """Rows in the plane of two features, with a ring around every mistake, and a rule."""

    def __init__(self, data: Data, plane: Plane, rule: Rule, *, origin: bool = False):
        """With `origin` the origin is seen, too, unless it is far away: training begins there."""
        self.data, self.plane, self.rule = data, plane, rule
        self._wrong = ~(margins(rule.scores, data.y) > 0) & data.present
        self.mistakes = np.flatnonzero(self._wrong)
        self._points = plane.points(data.table)
        self._view = view(self._points[data.present], origin=origin)

    @abstractmethod
    def _verdict(self) -> str:
        """How many rows the rule has right."""

    def _mistaken(self, all_right: str) -> str:
        n, wrong = int(self.data.present.sum()), len(self.mistakes)
        if not wrong:
            return f"All {n:,} rows {all_right}"
        return f"{wrong:,} of {n:,} rows {'is a mistake' if wrong == 1 else 'are mistakes'}"

    @classmethod
    def _of_rule(cls, data: Data, rule: Rule, features: Any, *, origin: bool = False) -> Self:
        """In the plane of two chosen features, or of those with the heaviest weights."""
        return cls(data, scene.plane(data, features, rule.heaviest), rule, origin=origin)

    @classmethod
    def _of_step(
        cls, data: Data, trace: Trace, step: int | None, features: Any, **how: Any
    ) -> Self:
        k = trace.replay.checked_step(len(trace) if step is None else step)
        display = cls._of_rule(data, scene.rule_of_trace(trace, k), features, origin=True)
        display.plot(**how)
        style.title(display.ax_, f"After step {k} of {len(trace)}: {display._verdict()}")
        return display

    def _frame(self, ax: Any, notes: list[str], part: str, handles: list[Any]) -> None:
        """What is around the rows. In a cut a row can differ from the side or region (`part`) that
        it is seen in."""
        if self.plane.how:
            notes.append(f"{self.plane.how} The rings mark mistakes, not the {part} that one sees.")
        frame_plane(ax, self._view, self.plane.names, self._verdict(), notes, handles)
