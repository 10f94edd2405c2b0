"""Checks of weights: those of rows and of classes become c, the factor of a row's steps."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt._inputs.arrays import floats
from rosenblatt._inputs.validate import not_negative
from rosenblatt.errors import InputError


def sample_weights(weight: Any, n: int) -> NDArray[np.float64] | None:
    """One finite weight, 0 or greater, for each row; None where all are 1."""
    if weight is None:
        return None
    c = np.full(n, weight) if isinstance(weight, numbers.Real) else weight
    c = floats("sample_weight", c)
    if c.shape != (n,):
        raise InputError(
            f"sample_weight has shape {c.shape}, but X has {n} rows: give one weight for each row, "
            f"shape ({n},)."
        )
    if not np.isfinite(c).all():
        row = int(np.flatnonzero(~np.isfinite(c))[0])
        raise InputError(
            f"sample_weight holds {c[row]} at row {row}: weights are finite numbers, 0 or greater."
        )
    if (c < 0).any():
        row = int(np.flatnonzero(c < 0)[0])
        raise InputError(
            f"sample_weight holds {c[row]} at row {row}: a weight scales the step and cannot be "
            "negative. Give 0 to leave the row out."
        )
    if not np.isfinite(_total(c)):
        raise InputError(
            "The sum of sample_weight is beyond the largest floating-point number: divide all "
            "weights by a constant."
        )
    refuse_all_zero(c)
    return None if (c == 1).all() else np.ascontiguousarray(c)


def _total(c: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(c.sum())


def refuse_all_zero(c: NDArray[np.float64]) -> None:
    if not c.any():
        raise InputError("All rows have weight zero: there is nothing to learn from.")


def class_weights(
    class_weight: Any,
    classes: NDArray[Any],
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
) -> tuple[float, float]:
    """The factors of the steps of both classes."""
    if not is_balanced(class_weight):
        return _given_weights(class_weight, classes)
    labels = classes[(y > 0).astype(np.intp)]
    if c is not None:
        labels = labels[c != 0]
    first, second = compute_class_weight("balanced", classes=classes, y=labels)
    return float(first), float(second)


def class_weights_of_many(
    class_weight: Any, classes: NDArray[Any], counts: tuple[int, int]
) -> tuple[float, float]:
    """The same for rows that are not in memory, of which it is known how many each class has."""
    if is_balanced(class_weight):
        return sum(counts) / (2 * counts[0]), sum(counts) / (2 * counts[1])
    by_class = _given_weights(class_weight, classes)
    for label, weight in zip(classes.tolist(), by_class, strict=True):
        if weight == 0:
            raise InputError(one_class_left(label))
    return by_class


def one_class_left(label: Any) -> str:
    return (
        f"All rows of class {label!r} have weight 0, which leaves one class only. A perceptron "
        "needs rows of two classes."
    )


def is_balanced(class_weight: Any) -> bool:
    return isinstance(class_weight, str) and class_weight == "balanced"


def _given_weights(class_weight: Any, classes: NDArray[Any]) -> tuple[float, float]:
    if class_weight is None:
        return 1.0, 1.0
    if not hasattr(class_weight, "get"):
        raise InputError(
            f"class_weight={class_weight!r} is not allowed: give 'balanced', None, or a dict like "
            f"{dict(zip(classes.tolist(), (1.0, 2.0), strict=True))}."
        )
    both = classes.tolist()
    unknown = [k for k in class_weight if k not in both]
    if unknown:
        raise InputError(f"class_weight has the key {unknown[0]!r}, but the classes are {both}.")
    for k in both:
        not_negative(f"class_weight[{k!r}]", class_weight.get(k, 1.0))
    return float(class_weight.get(both[0], 1.0)), float(class_weight.get(both[1], 1.0))


def weigh(
    c: NDArray[np.float64] | None, y: NDArray[np.int8], by_class: tuple[float, float]
) -> NDArray[np.float64] | None:
    """Sample weight times class weight, or None where all are 1."""
    if by_class == (1.0, 1.0):
        return c
    factor = np.where(y > 0, by_class[1], by_class[0])
    return factor if c is None else c * factor
