"""What the formulas are given: rows, labels, weights; checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples, Matrix, Rows
from rosenblatt._training.linear_rule import read_only
from rosenblatt._validation import targets
from rosenblatt._validation.rows import rows_alone
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]

_NEGATIVE = ("-1", "-1.0", "0", "0.0", "False")  # one class alone is taken for these as it says


def matrix(X: Any) -> Matrix:
    return rows_alone(X)[0]


def signs(y: Any, n: int) -> NDArray[np.int8]:
    """y as -1 and +1: of two labels the larger one is +1, and one alone is what it says."""
    y = targets.labels(y, n)
    classes = targets.found_classes(y)
    if len(classes) == 1:
        sign = -1 if str(classes.tolist()[0]) in _NEGATIVE else 1
        return np.full(n, sign, dtype=np.int8)
    return targets.encoded(y, classes)


def examples(X: Any, y: Any, sample_weight: Any = None) -> Examples:
    rows = matrix(X)
    n = rows.shape[0]
    return Examples(rows, signs(y, n), targets.sample_weights(sample_weight, n))


def lifted(w: Any, b: Any, d: int) -> Floats:
    return targets.checked_start(w, b, d, fit_intercept=True, name="w")


def vector(w: Any, d: int, name: str) -> tuple[Floats, bool]:
    """A vector of d numbers, or of d + 1 where the last one is the intercept: which one it is."""
    if hasattr(w, "coef") and hasattr(w, "intercept"):  # the separator of a certificate
        w = np.append(w.coef, w.intercept)
    values = targets.finite_floats(name, w).ravel()
    if len(values) not in (d, d + 1):
        raise InputError(
            f"{name} has {len(values)} numbers, but X has {d} features: give {d} weights for a "
            f"hyperplane through the origin, or {d + 1} numbers with the intercept last."
        )
    return values, len(values) == d + 1


def vectors(w: Any, k: int, d: int, name: str) -> tuple[Floats, bool]:
    if hasattr(w, "coef") and hasattr(w, "intercept"):
        w = np.column_stack([w.coef, w.intercept])
    values = targets.finite_floats(name, w)
    if values.shape not in ((k, d), (k, d + 1)):
        raise InputError(
            f"{name} has the shape {values.shape}, but there are {k} classes and {d} features: "
            f"give shape ({k}, {d}), or ({k}, {d + 1}) with the intercepts last."
        )
    return values, values.shape[1] == d + 1


def norm(w: Floats, name: str = "w") -> float:
    """‖w‖, of a vector that has a direction."""
    length = float(np.linalg.norm(w))
    if length == 0:
        raise InputError(f"{name} is zero: zero weights have no direction and no hyperplane.")
    return length


def row_scores(X: Matrix, weights: Floats) -> Floats:
    return read_only(Rows(X).scores(weights))
