"""The plane cut into regions: one for each of many classes, where its score is the highest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._tracing.run import Floats
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import PlaneDisplay
from rosenblatt.plots.view import draw_points

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_TINT = 0.25  # how strong a colour is in its region


@final
class RegionsDisplay(PlaneDisplay):
    """Rows of many classes in the plane of two features, and the region of each class.

    The region of a class is where its score is the highest. Regions of a rule with weights are
    convex, and every boundary between two of them is a piece of the line where their scores tie.

    With more than two features the picture is a cut: the others are held at their median.

    Attributes
    ----------
    classes : list
        The labels, in the order of the scores.
    mistakes : array of int
        The rows whose own class does not have the highest score, alone.
    regions : array of shape (grid_resolution, grid_resolution)
        The number of the class of each point of the grid, from the lower left on.
    ax_, figure_, points_, rings_
        Where it was drawn, and the artists: `points_` is one for each class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rosenblatt.plots import RegionsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> rule = LogisticRegression().fit(X[:, 2:], y)
    >>> display = RegionsDisplay.from_estimator(rule, X[:, 2:], y)
    >>> len(display.mistakes)
    5
    >>> display.figure_.savefig("regions.png")  # doctest: +SKIP
    """

    @property
    def classes(self) -> list[Any]:
        return self.data.classes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        features: Any = None,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> RegionsDisplay:
        """Draw the regions of a fitted estimator of many classes over rows X with labels y.

        Parameters
        ----------
        estimator
            Fitted, with a `decision_function` that has a score for each of its `classes_`.
        X, y, sample_weight
            The rows; those of weight 0 are not shown.
        features : two names or numbers, optional
            Which features are shown; by default those with the two heaviest weights.
        grid_resolution : int, default=200
            Points on each axis where the rule is evaluated.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.
        """
        data = scene.of_estimator(estimator, X, y, sample_weight, of_many=True)
        rule = scene.rule_of_estimator(estimator, X)
        shape = rule.scores.shape
        if shape != (len(data.y), len(data.classes)):
            raise InputError(
                f"The decision_function of {type(estimator).__name__} has the shape {shape}: "
                f"regions need a score for each of the {len(data.classes)} classes."
            )
        return cls._of_rule(data, rule, features).plot(ax=ax, grid_resolution=grid_resolution)

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        step: int | None = None,
        *,
        features: Any = None,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> RegionsDisplay:
        """Draw the regions after so many steps of a trace, by default after the last."""
        data = scene.of_trace(trace)
        if trace.replay.run.k is None:
            raise InputError(
                "This trace is of two classes, and regions are of three or more: BoundaryDisplay "
                "has the pictures of two."
            )
        return cls._of_step(data, trace, step, features, ax=ax, grid_resolution=grid_resolution)

    def plot(self, *, ax: Any = None, grid_resolution: int = 200) -> RegionsDisplay:
        """Draw it, on the given axes or on a new figure."""
        parameters.whole("grid_resolution", grid_resolution)
        return self._drawn(ax, grid_resolution)

    def _draw(self, ax: Any, resolution: int) -> None:
        rows, notes = scene.shown(self.data, self._wrong)
        self._regions(ax, resolution)
        mistake = "another score\nis as high or higher"
        self.points_, self.rings_ = draw_points(
            ax, self.data, self._points, rows, self._wrong, mistake
        )
        rings = [self.rings_] if len(self.mistakes) else []
        self._frame(ax, notes, "region", [*self.points_, *rings])

    def _regions(self, ax: Any, resolution: int) -> None:
        from matplotlib.colors import ListedColormap, to_rgb

        x, y, points = self._view.grid(resolution)
        surface = self.rule.surface(self.plane.rows, points, self.data.d)
        self.regions = surface.argmax(axis=1).reshape(len(y), len(x))
        tints = [
            tuple(1 - _TINT * (1 - v) for v in to_rgb(style.look(c)[0]))
            for c in range(len(self.classes))
        ]
        ax.pcolormesh(
            x,
            y,
            self.regions,
            cmap=ListedColormap(tints),
            vmin=-0.5,
            vmax=len(tints) - 0.5,
            shading="nearest",
            rasterized=True,
            zorder=0,
        )
        for c in range(len(self.classes)):
            self._edge(ax, x, y, surface, c)

    def _edge(self, ax: Any, x: Floats, y: Floats, surface: Floats, c: int) -> None:
        """Where the score of a class ties with the best of the others."""
        others = np.delete(surface, c, axis=1).max(axis=1)
        ahead = (surface[:, c] - others).reshape(len(y), len(x))
        if ahead.min() < 0 < ahead.max():
            ax.contour(x, y, ahead, [0.0], colors=[style.BLACK], linewidths=1.2, zorder=1)

    def _verdict(self) -> str:
        return self._mistaken("have their highest score for their own class")
