"""The board as a picture that needs no program: for notebooks that were exported."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.palette import light

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
