"""The playground in a notebook: a widget that Python and the page change together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.extras import installing
from rosenblatt._util.palette import css, light
from rosenblatt.errors import InputError, MissingExtraError
from rosenblatt.perceptron import Perceptron
from rosenblatt.play.bundle import bundled
from rosenblatt.play.html_page import asset, begun_with, style, table_of

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise MissingExtraError(
        f"The playground in a notebook needs anywidget ({error}). Install it: "
        f"{installing('anywidget')}. Or write a page: rosenblatt.play.page(X, y)."
    ) from None


def _module() -> str:
    """What the browser runs."""
    text = bundled("notebook", lambda name: asset(f"{name}.js"))
    return f"{text}\nexport default {{ render: $notebook.render }};"


class Playground(anywidget.AnyWidget):
    """Watch a perceptron learn in a notebook, and move its points.

    Parameters
    ----------
    X, y : arrays, optional
        Rows to begin with, at most 2,000, with two or three labels; three points of a textbook by
        default.
    feature_names : list of str, optional
        What to call the columns.
    order, keep, margin, fit_intercept, random_state
        As for `Perceptron`.

    Attributes
    ----------
    X, y : arrays
        The rows as they are on the board now.
    coef_, intercept_ : arrays
        The weights that training in the page has returned, once it is shown: the same bits as those
        of `fit()`.
    fingerprint : str or None
        Of that run, as the page shows it and `rosenblatt.play.fingerprint` computes it.

    Examples
    --------
    >>> from rosenblatt.play import Playground
    >>> playground = Playground([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> playground.fit().coef_
    array([[1., 1.]])
    """

    _esm = _module()
    _css = f".rosenblatt-play {{ {css()} }}\n{style()}"
    _given = traitlets.Dict().tag(sync=True)
    _rows = traitlets.Dict().tag(sync=True)
    _run = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        X: Any = None,
        y: Any = None,
        *,
        feature_names: Any = None,
        order: str = "cyclic",
        keep: str = "last",
        margin: float = 0.0,
        fit_intercept: bool = True,
        random_state: int = 0,
    ):
        X, y = ([[3, 3], [4, 3], [1, 1]], [1, 1, -1]) if X is None else (X, y)
        table = table_of(X, y, feature_names)
        self._classes = np.unique(np.asarray(y))
        table["settings"] = {
            "order": order,
            "keep": keep,
            "margin": float(margin),
            "intercept": bool(fit_intercept),
            "seed": int(random_state),
        }
        super().__init__(_given=begun_with(), _rows=table, _run={})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """With a picture, for a notebook that is exported and where no widget can live."""
        bundle = super()._repr_mimebundle_(**options)
        content, more = bundle if isinstance(bundle, tuple) else (bundle, {})
        if content is None or self.X.shape[1] != 2 or not len(self.X):
            return bundle
        rule = self.fit()
        numbers = np.searchsorted(rule.classes_, self.y)
        drawn = svg(self.X, numbers, lambda X: np.searchsorted(rule.classes_, rule.predict(X)))
        return content | {"image/svg+xml": drawn}, more

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802 - the matrix of rows, as everywhere
        return np.array(self._rows["x"], dtype=np.float64).reshape(len(self._rows["y"]), -1)

    @property
    def y(self) -> NDArray[Any]:
        labels, names = np.array(self._rows["y"], dtype=np.int64), self._rows["classes"]
        if [str(c) for c in self._classes] != names:  # a class was added in the page
            return labels
        return np.asarray(self._classes[labels if len(names) > 2 else (labels > 0).astype(int)])

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self._returned()[:, :-1]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        return self._returned()[:, -1]

    @property
    def fingerprint(self) -> str | None:
        return self._run.get("fingerprint")

    def _returned(self) -> NDArray[np.float64]:
        if not self._run:
            raise InputError(
                "Nothing was trained in the page yet: show the playground first, as the last line "
                "of a cell, or call fit()."
            )
        return np.array(self._run["returned"]).reshape(-1, self.X.shape[1] + 1)

    def fit(self) -> Perceptron:
        """The training that the page shows, made here: a fitted estimator."""
        settings, limits = self._rows["settings"], self._run.get("limits", [2000, 20000])
        return Perceptron(
            order=settings["order"],
            keep=settings["keep"],
            margin=settings["margin"],
            fit_intercept=settings["intercept"],
            max_iter=limits[0],
            max_updates=limits[1],
            patience=None,
            random_state=settings["seed"],
        ).fit(self.X, self.y)


# --- The board as a picture that needs no program: for notebooks that were exported ---------------


_WIDE, _TALL, _AIR = 480, 320, 24  # pixels; around the points
_CELL = 4  # pixels of a side of the grid that shows the regions
_COLOURS = [light(role) for role in ("neg", "pos", "third")]


def svg(
    X: NDArray[np.float64],
    numbers: NDArray[np.int64],
    predicted: Callable[[NDArray[np.float64]], NDArray[np.int64]],
) -> str:
    """Points of two columns in the shapes of their classes, on the regions of a rule."""
    low, high = X.min(axis=0), X.max(axis=0)
    unit = max((high - low) / (np.array([_WIDE, _TALL]) - 2 * _AIR)) or 1.0
    left, top = (low + high) / 2 + np.array([-_WIDE, _TALL]) / 2 * unit
    across, down = np.arange(_WIDE // _CELL), np.arange(_TALL // _CELL)
    u, v = np.meshgrid(left + (across + 0.5) * _CELL * unit, top - (down + 0.5) * _CELL * unit)
    regions = predicted(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    shapes = []
    for row, cells in enumerate(regions):
        at = 0
        for c, run in groupby(cells.tolist()):
            end = at + _CELL * len(list(run))
            path = f"M{at} {row * _CELL}H{end}v{_CELL}H{at}"
            shapes.append(f"<path fill='{_COLOURS[c]}' d='{path}'/>")
            at = end
    ground = f"<g opacity='.22' shape-rendering='crispEdges'>{''.join(shapes)}</g>"
    places = np.column_stack([X[:, 0] - left, top - X[:, 1]]) / unit
    points = [_point(x, y, c) for (x, y), c in zip(places, numbers, strict=True)]
    given = f"width='{_WIDE}' height='{_TALL}' viewBox='0 0 {_WIDE} {_TALL}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {given}>{ground}{''.join(points)}</svg>"


def _point(x: float, y: float, c: int) -> str:
    look = f"fill='{_COLOURS[c]}' stroke='white'"
    if c == 1:
        return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='6' {look}/>"
    if c == 2:
        return f"<rect x='{x - 5.5:.1f}' y='{y - 5.5:.1f}' width='11' height='11' {look}/>"
    return f"<path d='M{x:.1f} {y - 7.5:.1f}l7 12.5h-14z' {look}/>"
