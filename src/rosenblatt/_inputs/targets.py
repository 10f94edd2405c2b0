"""Checks of labels, weights and starts: y becomes signs, weights become c."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt._compute.examples import Examples, Matrix
from rosenblatt._inputs.fast_path import plain_labels
from rosenblatt._inputs.validate import not_negative
from rosenblatt.errors import InputError, InputTypeError

_BLOCK = 1 << 16  # labels are encoded in blocks, so that a million of them take a megabyte

# --- Labels ------------------------------------------------------------------------------------


def labels(y: Any, n: int, name: str = "y") -> NDArray[Any]:
    """y as a one-dimensional array of n labels."""
    if y is None:
        raise InputError(
            f"This estimator requires y to be passed, but the target y is None: give {name}, one "
            "label for each row."
        )
    if isinstance(y, (list, tuple)) and len({isinstance(v, str) for v in y}) == 2:
        raise InputTypeError(_mixed(y, name))  # NumPy would silently make text of all
    if type(y) is list and len(y) == 1:
        y = np.asarray(y)
    if not plain_labels(y):
        y = column_or_1d(y, warn=True)
    if len(y) != n:
        raise InputError(
            f"There are {n} rows but {name} has {len(y)} labels: found input variables with "
            "inconsistent numbers of samples. Give one label for each row."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError(f"Input {name} contains NaN or infinity: {_GIVE_LABELS}.")
    return np.asarray(y)


_GIVE_LABELS = "give every row a label, or drop the rows that have none"


def _mixed(y: Any, name: str) -> str:
    kinds = ", ".join(sorted({type(v).__name__ for v in y}))
    return (
        f"{name} mixes labels of different types ({kinds}), or holds missing ones. Give labels of "
        f"one type: {_GIVE_LABELS}."
    )


_ONLY_BINARY = "Only binary classification is supported, with 2 classes"
_FOR_MORE = "For more classes train one rule for each: OneVsRestClassifier(Perceptron())."


def found_classes(
    y: NDArray[Any], present: NDArray[np.bool_] | None = None, for_more: str = _FOR_MORE
) -> NDArray[Any]:
    """The different labels in y, sorted: one or two; rows that are not present have no say."""
    found = np.empty(0, dtype=y.dtype)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        if present is not None:
            block = block[present[begin : begin + _BLOCK]]
        found = _unique(np.concatenate([found, _unique(block, "y")]), "y")
        if len(found) > 2:
            found = _unique(y if present is None else y[present], "y")
            break
    _refuse_not_labels(found)
    if len(found) > 2:
        raise InputError(f"{_ONLY_BINARY}: y holds {len(found)} classes. {for_more}")
    return found


def two_classes(
    y: NDArray[Any], present: NDArray[np.bool_] | None = None, *, one_of_many: bool = False
) -> NDArray[Any]:
    """The two different labels in y, sorted; rows that are not present have no say."""
    found = found_classes(y, present)
    if len(found) < 2:
        kept = "" if present is None else " after the rows of weight 0 are left out"
        advice = (
            "Pass both as classes=[...] on the first call to partial_fit."
            if one_of_many
            else "Give rows of both."
        )
        raise InputError(
            f"y holds one class only{kept}: {found.tolist()}. A perceptron needs two classes. "
            f"{advice}"
        )
    return found


def _unique(values: NDArray[Any], name: str) -> NDArray[Any]:
    try:
        found = np.unique(values)
    except TypeError:
        raise InputTypeError(_mixed(values, name)) from None
    if found.dtype == object and any(v is None or v != v for v in found.tolist()):
        raise InputError(f"Input {name} contains NaN or None: {_GIVE_LABELS}.")
    return found


def _refuse_not_labels(found: NDArray[Any]) -> None:
    """A regression target gets scikit-learn's error."""
    if found.dtype.kind in "biuU":  # whole numbers and texts are labels always
        return
    if found.dtype == object:  # Python's own numbers and booleans are labels, too
        found = np.array(found.tolist())
    with warnings.catch_warnings():  # one error is enough
        warnings.simplefilter("ignore")
        check_classification_targets(found)


def given_classes(classes: Any) -> NDArray[Any]:
    """The classes that partial_fit was told of."""
    found = _unique(np.ravel(np.asarray(classes)), "classes")
    if len(found) > 2:
        raise InputError(f"{_ONLY_BINARY}: classes holds {len(found)}. {_FOR_MORE}")
    if len(found) < 2:
        raise InputError(f"classes={found.tolist()} is one class only; give the two labels of y.")
    return found


def signs(
    y: NDArray[Any],
    classes: NDArray[Any],
    present: NDArray[np.bool_] | None = None,
    name: str = "y",
) -> NDArray[np.int8]:
    """-1 where y is classes[0], +1 where it is classes[1]; whatever where a row is not present."""
    out = np.empty(len(y), dtype=np.int8)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        second = block == classes[1]
        known = second | (block == classes[0])
        if present is not None:
            known |= ~present[begin : begin + _BLOCK]
        if not known.all():
            strange = np.flatnonzero(~known)
            raise InputError(
                f"{name} holds {block[strange[:1]].tolist()[0]!r} at row {begin + strange[0]}, "
                f"which is not one of the two classes {classes.tolist()}."
            )
        out[begin : begin + len(block)] = np.where(second, 1, -1)
    return out


# --- Weights and starts --------------------------------------------------------------------------


def sample_weights(weight: Any, n: int) -> NDArray[np.float64] | None:
    """One finite weight, 0 or greater, for each row; None where all are 1."""
    if weight is None:
        return None
    c = np.full(n, weight) if isinstance(weight, numbers.Real) else weight
    c = _floats("sample_weight", c)
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
    _refuse_all_zero(c)
    return None if (c == 1).all() else np.ascontiguousarray(c)


def _total(c: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(c.sum())


def _refuse_all_zero(c: NDArray[np.float64]) -> None:
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
            raise InputError(_one_class_left(label))
    return by_class


def _one_class_left(label: Any) -> str:
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


def start(
    coef_init: Any,
    intercept_init: Any,
    d: int,
    fit_intercept: bool,
    name: str = "coef_init",
    what: str = "features",
) -> NDArray[np.float64]:
    """The lifted start (w, b), a copy of what was given; zeros where nothing was."""
    w = np.zeros(d + 1)
    if coef_init is not None:
        coef = finite_floats(name, coef_init)
        if coef.size != d or coef.shape not in ((d,), (1, d)):
            raise InputError(
                f"{name} has shape {coef.shape}, but X has {d} {what}: give shape ({d},) or "
                f"(1, {d})."
            )
        w[:d] = coef.ravel()
    if intercept_init is not None:
        intercept = finite_floats("intercept_init", intercept_init)
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
        array = np.asarray(value)
    except ValueError:
        raise InputTypeError(
            f"{name} holds lists of different lengths, not a number in each place."
        ) from None
    if array.dtype.kind not in "biuf":
        values = array.ravel().tolist()
        strange = [v for v in values if not isinstance(v, numbers.Real)]
        if strange:
            raise InputTypeError(f"{name} holds {strange[0]!r}, which is not a number.")
    return array.astype(np.float64)


def finite_floats(name: str, value: Any) -> NDArray[np.float64]:
    array = _floats(name, value)
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds NaN or infinity; give finite numbers.")
    return array


# --- All together --------------------------------------------------------------------------------


def examples(
    X: Matrix,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    classes: NDArray[Any] | None = None,
    *,
    one_of_many: bool = False,
) -> tuple[Examples, NDArray[Any]]:
    """Training rows and their two classes: those given, else those found in y."""
    n = X.shape[0]
    y, c = labels(y, n), sample_weights(sample_weight, n)
    present = None if c is None else c != 0
    if classes is None:
        classes = two_classes(y, present, one_of_many=one_of_many)
        must_have_both = True
    else:
        must_have_both = False  # later rows may be of the other class
    y_signs = signs(y, classes, present)
    c = weigh(c, y_signs, class_weights(class_weight, classes, y_signs, c))
    if c is not None and must_have_both:
        for label, sign in zip(classes.tolist(), (-1, 1), strict=True):
            if not c[y_signs == sign].any():
                raise InputError(_one_class_left(label))
    if c is not None:
        _refuse_all_zero(c)
    return Examples(X, y_signs, c), classes
