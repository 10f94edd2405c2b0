"""Checks of labels, weights and starts: y becomes signs, weights become c."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt._examples import Examples
from rosenblatt._validate import not_negative
from rosenblatt.errors import InputError, InputTypeError

_BLOCK = 1 << 16  # labels are encoded in blocks, so that a million of them take a megabyte

# --- Labels ------------------------------------------------------------------------------------


def labels(y: Any, n: int) -> NDArray[Any]:
    """y as a one-dimensional array of n labels."""
    if y is None:
        raise InputError(
            "This estimator requires y to be passed, but the target y is None: give two classes."
        )
    y = np.asarray(column_or_1d(y, warn=True))
    if len(y) != n:
        raise InputError(
            f"X has {n} rows but y has {len(y)} labels: found input variables with inconsistent "
            "numbers of samples. Give one label for each row."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError(
            "Input y contains NaN or infinity. Give every row a label or leave it out."
        )
    return np.asarray(y)


def two_classes(y: NDArray[Any], present: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """The two different labels in y, sorted; rows that are not present have no say."""
    found = np.empty(0, dtype=y.dtype)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        if present is not None:
            block = block[present[begin : begin + _BLOCK]]
        found = _unique(np.concatenate([found, _unique(block)]))
        if len(found) > 2:
            break
    if len(found) > 2:
        check_classification_targets(y)  # a regression target: scikit-learn's words
        raise InputError(_THREE.format(k=len(np.unique(y))))
    if len(found) < 2:
        kept = "" if present is None else " after the rows of weight 0 are left out"
        raise InputError(
            f"y holds one class only{kept}: {list(found)}. A perceptron needs rows of two classes."
        )
    check_classification_targets(found)
    return found


_THREE = (
    "Only binary classification is supported: y holds {k} classes, 2 are allowed. For more classes "
    "train one rule for each: sklearn.multiclass.OneVsRestClassifier(Perceptron())."
)


def _unique(values: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(values)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise InputTypeError(
            f"y mixes labels of different types ({', '.join(kinds)}). Give labels of one type; for "
            "text with missing values fill them in or leave those rows out."
        ) from None


def given_classes(classes: Any) -> NDArray[Any]:
    """The classes that partial_fit was told of."""
    found = _unique(column_or_1d(np.asarray(classes)))
    if len(found) > 2:
        raise InputError(_THREE.format(k=len(found)))
    if len(found) < 2:
        raise InputError(f"classes={list(found)} is one class only; give the two labels of y.")
    return found


def signs(
    y: NDArray[Any], classes: NDArray[Any], present: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """-1 where y is classes[0], +1 where it is classes[1]; whatever where a row is not present."""
    out = np.empty(len(y), dtype=np.int8)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        first, second = block == classes[0], block == classes[1]
        neither = ~(first | second)
        if present is not None:
            neither &= present[begin : begin + _BLOCK]
        strange = np.flatnonzero(neither)
        if len(strange):
            raise InputError(
                f"y holds {block[strange[0]]!r} at row {begin + strange[0]}, which is not one of "
                f"the two classes {list(classes)}."
            )
        out[begin : begin + len(block)] = np.where(second, 1, -1)
    return out


# --- Weights and starts --------------------------------------------------------------------------


def sample_weights(weight: Any, n: int) -> NDArray[np.float64] | None:
    """One finite weight, 0 or greater, for each row; None where all are 1."""
    if weight is None:
        return None
    if isinstance(weight, numbers.Real):
        c = np.full(n, float(weight))
    else:
        c = check_array(
            weight,
            ensure_2d=False,
            dtype=np.float64,
            ensure_all_finite=False,
            input_name="sample_weight",
        )
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
    if not c.any():
        raise InputError("All rows have weight zero: there is nothing to learn from.")
    return None if (c == 1).all() else np.ascontiguousarray(c)


def class_weights(
    class_weight: Any,
    classes: NDArray[Any],
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
) -> tuple[float, float]:
    """The factors of the steps of both classes."""
    if class_weight is None:
        return 1.0, 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        labels = classes[(y > 0).astype(np.intp)]
        if c is not None:
            labels = labels[c != 0]
        first, second = compute_class_weight("balanced", classes=classes, y=labels)
        return float(first), float(second)
    if not hasattr(class_weight, "get"):
        raise InputError(
            f"class_weight={class_weight!r} is not allowed: give 'balanced', None, or a dict like "
            f"{{{classes[0]!r}: 1.0, {classes[1]!r}: 2.0}}."
        )
    unknown = [k for k in class_weight if k not in list(classes)]
    if unknown:
        raise InputError(
            f"class_weight has the key {unknown[0]!r}, but the classes are {list(classes)}."
        )
    first, second = (not_negative("class_weight", class_weight.get(k, 1.0)) for k in classes)
    return first, second


def weigh(
    c: NDArray[np.float64] | None, y: NDArray[np.int8], by_class: tuple[float, float]
) -> NDArray[np.float64] | None:
    """Sample weight times class weight, or None where all are 1."""
    if by_class == (1.0, 1.0):
        return c
    factor = np.where(y > 0, by_class[1], by_class[0])
    return factor if c is None else c * factor


def start(coef_init: Any, intercept_init: Any, d: int, fit_intercept: bool) -> NDArray[np.float64]:
    """The lifted start (w, b), a copy of what was given; zeros where nothing was."""
    w = np.zeros(d + 1)
    if coef_init is not None:
        coef = _floats("coef_init", coef_init)
        if coef.size != d or coef.shape not in ((d,), (1, d)):
            raise InputError(
                f"coef_init has shape {coef.shape}, but X has {d} features: give shape ({d},) or "
                f"(1, {d})."
            )
        w[:d] = coef.ravel()
    if intercept_init is not None:
        intercept = _floats("intercept_init", intercept_init)
        if intercept.size != 1:
            raise InputError(f"intercept_init={intercept_init!r} is not allowed: give one number.")
        if not fit_intercept and intercept.ravel()[0] != 0:
            raise InputError(
                f"intercept_init={intercept_init!r} with fit_intercept=False: a hyperplane through "
                "the origin has the intercept 0."
            )
        w[d] = intercept.ravel()[0]
    return w


def _floats(name: str, value: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} holds something that is not a number: {value!r}.") from None
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds NaN or infinity; give finite numbers.")
    return array


# --- All together --------------------------------------------------------------------------------


def examples(
    X: Any,
    y: NDArray[Any],
    c: NDArray[np.float64] | None,
    class_weight: Any,
    classes: NDArray[Any] | None,
) -> tuple[Examples, NDArray[Any]]:
    """Training rows of two classes: those given, else those found in y."""
    present = None if c is None else c != 0
    found = two_classes(y, present) if classes is None else classes
    y_signs = signs(y, found, present)
    c = weigh(c, y_signs, class_weights(class_weight, found, y_signs, c))
    if c is not None and classes is None:
        for k, sign in enumerate((-1, 1)):
            if not c[y_signs == sign].any():
                raise InputError(
                    f"All rows of class {found[k]!r} have weight 0, which leaves one class only. A "
                    "perceptron needs rows of two classes."
                )
    return Examples(X, y_signs, c), found
