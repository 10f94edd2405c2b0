"""The examples that the playground begins with: those of the lecture notes, and two real tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

_GAP = 2.0**-5  # of the set with a tiny margin: thousands of updates, and not millions
_GRID = 64  # points lie on a grid of 1/64, so that they fit into a link

Document = dict[str, Any]


@cache
def examples() -> dict[str, Document]:
    """By name: rows, labels and the settings to begin with."""
    from rosenblatt.datasets import load_planar

    shuffled = {"order": "shuffle", "keep": "last"}
    cyclic = {"order": "cyclic", "keep": "last"}
    return {
        "lihang": _example(([[3, 3], [4, 3], [1, 1]], [1, 1, -1]), cyclic),
        "separable": _example(load_planar("separable", return_X_y=True), shuffled),
        "tiny": _example(([[0, 0], [1, 0], [0, _GAP], [1, _GAP]], [-1, -1, 1, 1]), cyclic),
        "xor": _example(load_planar("xor", return_X_y=True), cyclic),
        "overlap": _example(_clouds(), {"order": "random", "keep": "pocket"}),
        "three": _three(cyclic),
        "iris": _iris(cyclic),
        "species": _species({"order": "shuffle", "keep": "best"}),
        "credit": _credit({"order": "shuffle", "keep": "best"}),
    }


def page_table(X: Any, y: Any, names: list[str], classes: list[str]) -> Document:
    """Rows and labels as the page reads them: -1 and 1, or the numbers of three classes."""
    return {
        "x": np.asarray(X, dtype=np.float64).ravel().tolist(),
        "y": np.asarray(y).tolist(),
        "names": names,
        "classes": classes,
    }


def _example(rows: tuple[Any, Any], settings: dict[str, Any]) -> Document:
    start = {"margin": 0, "intercept": True, "seed": 0, "kernel": "none"}
    return {"data": page_table(*rows, ["x1", "x2"], ["-1", "1"]), "settings": start | settings}


def _clouds() -> tuple[Any, Any]:
    """Thirty points around each of two places, too near to each other."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, -1], 30)
    X = rng.normal(size=(60, 2)) + np.where(y[:, None] > 0, 1.0, -1.0) * [1.0, 0.6]
    return np.round(X * _GRID) / _GRID, y


def _three(settings: dict[str, Any]) -> Document:
    """Three groups around the middle, each in a direction of its own."""
    rows = [[1, 2], [0, 1.5], [0.5, 3], [3, 5.5], [4, 6], [2.5, 6.5], [5, 2], [6, 3], [5.5, 1]]
    example = _example((rows, np.repeat([0, 1, 2], 3)), settings)
    example["data"]["classes"] = ["0", "1", "2"]
    return example


def _species(settings: dict[str, Any]) -> Document:
    from sklearn.datasets import load_iris

    iris = load_iris()
    example = _example((iris.data[:, 2:], iris.target), settings)
    names = ["petal length in cm", "petal width in cm"]
    example["data"] |= {"names": names, "classes": ["setosa", "versicolor", "virginica"]}
    return example


def _iris(settings: dict[str, Any]) -> Document:
    from sklearn.datasets import load_iris

    iris = load_iris()
    first = iris.target < 2
    signs = np.where(iris.target[first] > 0, 1, -1)
    example = _example((iris.data[first, :2], signs), settings)
    names = ["sepal length in cm", "sepal width in cm"]
    example["data"] |= {"names": names, "classes": ["setosa", "versicolor"]}
    return example


def _credit(settings: dict[str, Any]) -> Document:
    from rosenblatt.datasets import load_credit

    credit = load_credit()
    names = ["income", "reports"]
    columns = [credit.feature_names.index(name) for name in names]
    signs = np.where(credit.target > 0, 1, -1)
    example = _example((credit.data[:, columns], signs), settings)
    example["data"] |= {"names": names, "classes": ["no", "yes"]}
    return example
