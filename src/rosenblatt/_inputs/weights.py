"""Checks of weights: those of rows and of classes become c, the factor of a row's steps."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    y: NDArray[Any],
    c: NDArray[np.float64] | None,
) -> tuple[float, ...]:
    """The factors of the steps of each class; y are signs, or numbers of many classes."""
    if not is_balanced(class_weight):
        return _given_weights(class_weight, classes)
    from sklearn.utils.class_weight import compute_class_weight

    labels = classes[_places(y)]
    if c is not None:
        labels = labels[c != 0]
    return tuple(compute_class_weight("balanced", classes=classes, y=labels).tolist())


def _places(y: NDArray[Any]) -> NDArray[Any]:
    """The places among the classes that signs or numbers of classes stand for."""
    return (y > 0).astype(np.intp) if y.dtype == np.int8 else y


def class_weights_of_many(
    class_weight: Any, classes: NDArray[Any], counts: tuple[int, ...]
) -> tuple[float, ...]:
    """The same for rows that are not in memory, of which it is known how many each class has."""
    if is_balanced(class_weight):
        return tuple(sum(counts) / (len(counts) * count) for count in counts)
    by_class = _given_weights(class_weight, classes)
    for label, weight in zip(classes.tolist(), by_class, strict=True):
        if weight == 0:
            raise InputError(_lost(label, len(classes)))
    return by_class


def refuse_lost_classes(c: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
    """Every class must have a row with a weight."""
    there = np.zeros(len(classes), dtype=bool)
    there[_places(y)[c != 0]] = True
    if not there.all():
        raise InputError(_lost(classes[~there].tolist()[0], len(classes)))


def _lost(label: Any, k: int) -> str:
    if k == 2:
        return (
            f"All rows of class {label!r} have weight 0, which leaves one class only. A perceptron "
            "needs rows of two classes."
        )
    return (
        f"All rows of class {label!r} have weight 0: nothing can be learned about it. Give the "
        "class a weight, or leave its rows out of X and y."
    )


def all_one(by_class: tuple[float, ...]) -> bool:
    return all(weight == 1.0 for weight in by_class)


def is_balanced(class_weight: Any) -> bool:
    return isinstance(class_weight, str) and class_weight == "balanced"


def _given_weights(class_weight: Any, classes: NDArray[Any]) -> tuple[float, ...]:
    if class_weight is None:
        return (1.0,) * len(classes)
    if not hasattr(class_weight, "get"):
        raise InputError(
            f"class_weight={class_weight!r} is not allowed: give 'balanced', None, or a dict like "
            f"{dict(zip(classes.tolist(), (1.0, 2.0), strict=False))}."
        )
    known = classes.tolist()
    unknown = [k for k in class_weight if k not in known]
    if unknown:
        raise InputError(f"class_weight has the key {unknown[0]!r}, but the classes are {known}.")
    for k in known:
        not_negative(f"class_weight[{k!r}]", class_weight.get(k, 1.0))
    return tuple(float(class_weight.get(k, 1.0)) for k in known)


def weigh(
    c: NDArray[np.float64] | None, y: NDArray[Any], by_class: tuple[float, ...]
) -> NDArray[np.float64] | None:
    """Sample weight times class weight, or None where all are 1; y as `class_weights` takes it."""
    if all_one(by_class):
        return c
    factor = np.asarray(np.array(by_class)[_places(y)])
    return factor if c is None else c * factor
