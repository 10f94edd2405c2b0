"""Small sets in the plane, each with one thing to learn from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from rosenblatt._validation import parameters

_DISTANCE = 2.0**-10

# Eight points, apart by the lines x1 + x2 = 3 to 5: the margin is √2/2 (half the distance of the
# two lines), reached by (1, 2) and (2, 1) on one side and (2, 3) and (3, 2) on the other.
_SEPARABLE = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3)]
_SIDES = [-1] * 4 + [1] * 4

_SETS: dict[str, tuple[list[Any], list[int], str]] = {
    "separable": (
        _SEPARABLE,
        _SIDES,
        "Two groups with a wide gap: the line x1 + x2 = 4 has the largest margin, √2/2.",
    ),
    "tiny margin": (
        [(0, 0), (1, 0), (0, _DISTANCE), (1, _DISTANCE)],
        [-1, -1, 1, 1],
        "Separable, with a margin of 2^-11: the perceptron converges, after many updates. Compare "
        "the mistake bound with that of the first set.",
    ),
    "flipped": (
        _SEPARABLE,
        [1, *_SIDES[1:]],
        "The first set with one wrong label, that of its first point: (1, 2) is now half way "
        "between two points of the other side. Every line has a point on the wrong side, and the "
        "perceptron never ends.",
    ),
    "xor": (
        [(0, 0), (0, 1), (1, 0), (1, 1)],
        [-1, 1, 1, -1],
        "Exclusive or, the smallest set that no line separates (M. Minsky, S. Papert, Perceptrons, "
        "1969): the two diagonals meet in (1/2, 1/2).",
    ),
    "unscaled": (
        [(1000 * x, y) for x, y in _SEPARABLE],
        _SIDES,
        "The first set with the first column in thousandths. It is as separable as before, yet "
        "margin, radius and mistake bound are others: scale the columns.",
    ),
}


def load_planar(name: str = "separable", *, return_X_y: bool = False) -> Any:
    """A small set of points in the plane.

    Parameters
    ----------
    name : "separable", "tiny margin", "flipped", "xor" or "unscaled"
        Which one; its `DESCR` says what it shows.
    return_X_y : bool
        True: (data, target) alone.

    Returns
    -------
    Bunch
        `data` (n, 2), `target` (-1 or 1), `feature_names` and `DESCR`.

    Examples
    --------
    >>> from rosenblatt.datasets import load_planar
    >>> X, y = load_planar("xor", return_X_y=True)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    parameters.one_of("name", name, _SETS)
    points, labels, description = _SETS[name]
    bunch = Bunch(
        data=np.array(points, dtype=np.float64),
        target=np.array(labels),
        feature_names=["x1", "x2"],
        DESCR=description,
    )
    return (bunch.data, bunch.target) if return_X_y else bunch
