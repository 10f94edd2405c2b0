"""The plane: rows, boundary, margin, mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._tracing.run import Floats
from rosenblatt._validation import parameters
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import PlaneDisplay
from rosenblatt.plots.view import draw_area, draw_arrow, draw_points, name_arrow

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


@final
class BoundaryDisplay(PlaneDisplay):
    """Rows in the plane of two features, the boundary of a rule, its margin, its mistakes.

    A rule with weights has a line; others (kernels, votes, pipelines) the contour where their
    score is 0. The band is |w·x + b| <= μ where the rule was trained with `margin=μ`; otherwise,
    where every row is on the right side, it reaches to the nearest row. The legend says which.

    With more than two features the picture is a cut: the others are held at their median, and it
    says so. Rows differ in the others, too, so that a row may appear on a side that it is not on;
    the rings tell the mistakes.

    Attributes
    ----------
    data, plane, rule
        The rows, the features that are shown, what is drawn. With `origin` the origin is seen, too,
        unless it is far away: training begins there.
    mistakes : array of int
        The rows with y_i (w·x_i + b) <= 0.
    ax_, figure_
        Where it was drawn.
    line_, band_, rings_, points_, arrow_
        The artists; None where there is none. `points_` is one for each class.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import BoundaryDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> p = Perceptron(order="cyclic").fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(p, X, y)
    >>> display.figure_.savefig("plane.png")  # doctest: +SKIP
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        features: Any = None,
        weights: bool = False,
        grid_resolution: int = 100,
        ax: Any = None,
    ) -> BoundaryDisplay:
        """Draw the rule of a fitted two-class estimator over rows X with labels y.

        Parameters
        ----------
        estimator
            Fitted, with `decision_function` and two `classes_`.
        X, y, sample_weight
            The rows; those of weight 0 are not shown.
        features : two names or numbers, optional
            Which features are shown; by default those with the two heaviest weights.
        weights : bool, default=False
            Also draw w, as an arrow across the boundary.
        grid_resolution : int, default=100
            Points on each axis where a rule without weights is evaluated.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.
        """
        data = scene.of_estimator(estimator, X, y, sample_weight)
        display = cls._of_rule(data, scene.rule_of_estimator(estimator, X), features)
        return display.plot(ax=ax, weights=weights, grid_resolution=grid_resolution)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        step: int | None = None,
        *,
        features: Any = None,
        weights: bool = False,
        grid_resolution: int = 100,
        ax: Any = None,
    ) -> BoundaryDisplay:
        """Draw the weights after so many steps of a trace, by default after the last."""
        data = scene.of_two(trace, "BoundaryDisplay")
        how = {"ax": ax, "weights": weights, "grid_resolution": grid_resolution}
        return cls._of_step(data, trace, step, features, **how)

    def plot(
        self, *, ax: Any = None, weights: bool = False, grid_resolution: int = 100
    ) -> BoundaryDisplay:
        """Draw it, on the given axes or on a new figure."""
        parameters.whole("grid_resolution", grid_resolution)
        return self._drawn(ax, weights, grid_resolution)

    def _draw(self, ax: Any, weights: bool, resolution: int) -> None:
        rows, notes = scene.shown(self.data, self._wrong)
        mistake = "y·score ≤ 0" if self.rule.w is None else "y(w·x + b) ≤ 0"
        self.points_, self.rings_ = draw_points(
            ax, self.data, self._points, rows, self._wrong, mistake
        )
        self.line_ = self.band_ = self.arrow_ = None
        level, which = self._margin()
        if self.rule.w is None:
            self._contour(ax, level, which, resolution)
        else:
            self._line(ax, level, which, weights)
        if self.line_ is None:
            notes.append(self._why_no_line())
        rings = self.rings_ if len(self.mistakes) else None
        artists = [*reversed(self.points_), rings, *self._named]
        self._frame(ax, notes, "side", [a for a in artists if a is not None])

    def _why_no_line(self) -> str:
        w = self.rule.w
        if w is None or self.plane.cut(w, 0.0)[0].any():
            return "The boundary is not in sight."
        which = "these features" if w.any() else "all features"
        return f"The weights of {which} are zero, and there is no boundary."

    def _verdict(self) -> str:
        return self._mistaken("are on the right side")

    # --- Boundary and band ---

    def _margin(self) -> tuple[float, str]:
        """Up to which |score| the band reaches (0: none), and which margin that is."""
        rule = self.rule
        if rule.margin > 0:
            score = "|score|" if rule.w is None else "|w·x + b|"
            return rule.margin, f"functional margin\n{score} ≤ μ = {style.number(rule.margin)}"
        margins = (self.data.y * rule.scores)[self.data.present]
        least = float(margins.min())
        if least <= 0:
            return 0.0, ""
        if rule.w is None:
            return least, f"functional margin\nof the data: {style.number(least)}"
        length = float(np.linalg.norm(rule.w))
        everywhere = f"\n(in all {self.data.d} features)" if self.plane.how else ""
        geometric = style.number(least / length)
        return least, f"geometric margin\nof the data: {geometric}{everywhere}"

    def _line(self, ax: Any, level: float, which: str, weights: bool) -> None:
        assert self.rule.w is not None
        w, b = self.plane.cut(self.rule.w, self.rule.b)
        ends = self._view.segment(w, b)
        self._named: list[Any] = []
        if level > 0 and w.any():
            self._band(ax, w, b, level, which)
        if ends is None:
            return
        (self.line_,) = ax.plot(*ends.T, color=style.BLACK, zorder=2, label="w·x + b = 0")
        self._named.insert(0, self.line_)
        if weights:
            self._weights(ax, w, b)

    def _band(self, ax: Any, w: Floats, b: float, level: float, which: str) -> None:
        edges = [self._view.line(w, b + side) for side in (-level, level)]
        self.band_ = draw_area(ax, np.vstack([edges[0], edges[1][::-1]]), which)
        self._named.append(self.band_)

    def _weights(self, ax: Any, w: Floats, b: float) -> None:
        middle, span = self._view.middle, self._view.span
        start = middle - (w @ middle + b) * w / (w @ w)
        end = start + 0.22 * span.min() * w / np.linalg.norm(w)
        self.arrow_ = draw_arrow(ax, start, end, style.GREEN)
        name_arrow(ax, start, end, "w", style.GREEN)

    def _contour(self, ax: Any, level: float, which: str, resolution: int) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        x, y, points = self._view.grid(resolution)
        surface = self.rule.surface(self.plane.rows, points, self.data.d)
        surface = surface.reshape(len(y), len(x))
        least, most = float(surface.min()), float(surface.max())
        self._named = []
        if level > 0 and least < level and most > -level:
            self.band_ = ax.contourf(x, y, surface, [-level, level], colors=[style.LIGHT], zorder=1)
            self._named.append(Patch(facecolor=style.LIGHT, edgecolor=style.GREY, label=which))
        if least < 0 < most:
            self.line_ = ax.contour(x, y, surface, [0.0], colors=[style.BLACK], zorder=2)
            self._named.insert(0, Line2D([], [], color=style.BLACK, label="score = 0"))
