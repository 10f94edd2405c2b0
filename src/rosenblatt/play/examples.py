"""The examples that the playground begins with: those of the lecture notes, and two real tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

_GAP = 2.0**-5  # of the set with a tiny margin: thousands of updates, and not millions
_GRID = 64  # points lie on a grid of 1/64, so that they fit into a link
# In this order the line swings widely, and each of the eight updates can be followed.
_SWING = [
    *([2, 0], [2, 3], [-1, 1], [-1, 3], [5, -2], [-3, 2]),
    *([-3, -3], [-5, 2], [2, -4], [6, 2], [4, 2], [1, -2]),
]
_SIDES = [-1, 1, 1, 1, -1, 1, 1, 1, -1, -1, -1, -1]

Document = dict[str, Any]


@cache
def examples() -> dict[str, Document]:
    """By name: rows, labels and the settings to begin with."""
    best = {"order": "shuffle", "keep": "best"}
    cyclic = {"order": "cyclic", "keep": "last"}
    return {
        "swing": _example((_SWING, _SIDES), cyclic),
        "lihang": _example(([[3, 3], [4, 3], [1, 1]], [1, 1, -1]), cyclic),
        "tiny": _example(([[0, 0], [1, 0], [0, _GAP], [1, _GAP]], [-1, -1, 1, 1]), cyclic),
        "xor": _example(([[4, 2], [-4, 2], [-5, -4], [3, -4]], [1, -1, 1, -1]), cyclic),
        "overlap": _example(_clouds(), {"order": "random", "keep": "pocket"}),
        "three": _three(cyclic),
        "iris": _iris("sepal", ["setosa", "versicolor"], cyclic),
        "species": _iris("petal", ["setosa", "versicolor", "virginica"], best),
        "credit": _credit(best),
    }


def page_table(X: Any, y: Any, names: list[str], classes: list[str]) -> Document:
    """Rows and labels as the page reads them: -1 and 1, or the numbers of three classes."""
    return {
        "x": np.asarray(X, dtype=np.float64).ravel().tolist(),
        "y": np.asarray(y).tolist(),
        "names": names,
        "classes": classes,
    }


def _example(
    rows: tuple[Any, Any],
    settings: dict[str, Any],
    names: Sequence[str] = ("x1", "x2"),
    classes: Sequence[str] = ("-1", "1"),
) -> Document:
    start = {"margin": 0, "intercept": True, "seed": 0, "kernel": "none"}
    return {"data": page_table(*rows, list(names), list(classes)), "settings": start | settings}


def _clouds() -> tuple[Any, Any]:
    """Thirty points around each of two places, too near to each other."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, -1], 30)
    X = rng.normal(size=(60, 2)) + np.where(y[:, None] > 0, 1.0, -1.0) * [1.0, 0.6]
    return np.round(X * _GRID) / _GRID, y


def _three(settings: dict[str, Any]) -> Document:
    """Three groups around the middle, each in a direction of its own."""
    rows = [[1, 2], [0, 1.5], [0.5, 3], [3, 5.5], [4, 6], [2.5, 6.5], [5, 2], [6, 3], [5.5, 1]]
    return _example((rows, np.repeat([0, 1, 2], 3)), settings, classes=("0", "1", "2"))


def _iris(kind: str, classes: list[str], settings: dict[str, Any]) -> Document:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    some = y < len(classes)
    columns = slice(0, 2) if kind == "sepal" else slice(2, 4)
    y = y if len(classes) > 2 else np.where(y > 0, 1, -1)
    names = [f"{kind} {size} in cm" for size in ("length", "width")]
    return _example((X[some, columns], y[some]), settings, names, classes)


def _credit(settings: dict[str, Any]) -> Document:
    from rosenblatt.datasets import load_credit

    credit, names = load_credit(), ["income", "reports"]
    columns = [credit.feature_names.index(name) for name in names]
    signs = np.where(credit.target > 0, 1, -1)
    return _example((credit.data[:, columns], signs), settings, names, ["no", "yes"])
