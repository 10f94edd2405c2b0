"""Checks of labels: y becomes signs or numbers of classes; with rows and weights, examples."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.device import to_host
from rosenblatt._core.rows import Examples, Placed
from rosenblatt._util.spelling import either, option
from rosenblatt._validation.parameters import not_allowed, not_negative
from rosenblatt._validation.rows import plain_labels
from rosenblatt.errors import InputError, InputTypeError

_BLOCK = 1 << 16  # labels are encoded in blocks, so that a million of them take a megabyte


def labels(y: Any, n: int, name: str = "y") -> NDArray[Any]:
    """y as a one-dimensional array of n labels."""
    if y is None:
        raise InputError(
            f"This estimator requires y to be passed, but the target y is None: give {name}, one "
            "label for each row."
        )
    if type(y) is not np.ndarray:
        y = to_host(y)
    if isinstance(y, (list, tuple)) and len({isinstance(v, str) for v in y}) == 2:
        raise InputTypeError(_mixed(y, name))  # NumPy would silently make text of all
    if type(y) is list and len(y) == 1:
        y = np.asarray(y)
    if not plain_labels(y):
        from sklearn.utils import column_or_1d

        y = column_or_1d(y, warn=True)
    if len(y) != n:
        raise InputError(
            f"There are {n} rows but {name} has {len(y)} labels: found input variables with "
            "inconsistent numbers of samples. Give one label for each row."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(
            f"Input {name} contains NaN or infinity, first at row {row}: {_GIVE_LABELS}.", row=row
        )
    return np.asarray(y)


_GIVE_LABELS = "give every row a label, or drop the rows that have none"


def _mixed(y: Any, name: str) -> str:
    kinds = ", ".join(sorted({type(v).__name__ for v in y}))
    return (
        f"{name} mixes labels of different types ({kinds}), or holds missing ones. Give labels of "
        f"one type: {_GIVE_LABELS}."
    )


_ONLY_BINARY = "Only binary classification is supported here, with 2 classes"
_FOR_MORE = "For more classes ask for each against the rest: y == label."


def found_classes(
    y: NDArray[Any],
    present: NDArray[np.bool_] | None = None,
    for_more: str = _FOR_MORE,
    *,
    many: bool = False,
) -> NDArray[Any]:
    """The different labels in y, sorted: one or two, or more where there may be `many`.

    Rows that are not present have no say.
    """
    classes = _different(y, present)
    if len(classes) > 2 and not many:
        raise InputError(f"{_ONLY_BINARY}: y holds {len(classes)} classes. {for_more}")
    return classes


def _different(y: NDArray[Any], present: NDArray[np.bool_] | None) -> NDArray[Any]:
    if present is None and (two := _only_two(y)) is not None:
        _refuse_not_labels(two)
        return two
    classes = np.empty(0, dtype=y.dtype)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        if present is not None:
            block = block[present[begin : begin + _BLOCK]]
        classes = _unique(np.concatenate([classes, _unique(block, "y")]), "y")
        if len(classes) > 2:
            classes = _unique(y if present is None else y[present], "y")
            break
    _refuse_not_labels(classes)
    return classes


def _only_two(y: NDArray[Any]) -> NDArray[Any] | None:
    """The labels, if they are one or two: found without sorting, which takes ten times as long."""
    if y.dtype.kind not in "biu" or not len(y):
        return None
    others = y != y[0]
    other = y[int(np.argmax(others))]
    if other != y[0] and not np.array_equal(y == other, others):
        return None
    return np.unique(np.array([y[0], other], dtype=y.dtype))


def classes_of(
    y: NDArray[Any], present: NDArray[np.bool_] | None = None, *, one_of_many: bool = False
) -> NDArray[Any]:
    """The different labels in y, sorted, two or more; rows that are not present have no say."""
    classes = _different(y, present)
    if len(classes) < 2:
        kept = "" if present is None else " after the rows of weight 0 are left out"
        advice = (
            "Pass all as classes=[...] on the first call to partial_fit."
            if one_of_many
            else "Give rows of both."
        )
        raise InputError(
            f"y holds one class only{kept}: {classes.tolist()}. A perceptron needs two classes. "
            f"{advice}"
        )
    return classes


def _unique(values: NDArray[Any], name: str) -> NDArray[Any]:
    try:
        classes = np.unique(values)
    except TypeError:
        raise InputTypeError(_mixed(values, name)) from None
    if classes.dtype == object and any(v is None or v != v for v in classes.tolist()):
        raise InputError(f"Input {name} contains NaN or None: {_GIVE_LABELS}.")
    return classes


def _refuse_not_labels(classes: NDArray[Any]) -> None:
    """A regression target gets scikit-learn's words, and what to do."""
    if classes.dtype.kind in "biuU":  # whole numbers and texts are labels always
        return
    from sklearn.utils.multiclass import check_classification_targets

    if classes.dtype == object:  # Python's own numbers and booleans are labels, too
        classes = np.array(classes.tolist())
    with warnings.catch_warnings():  # one error is enough
        warnings.simplefilter("ignore")
        try:
            check_classification_targets(classes)
        except ValueError as error:
            raise InputError(_no_labels(classes, str(error))) from None


def _no_labels(classes: NDArray[Any], said: str) -> str:
    first = next((v for v in classes.tolist() if isinstance(v, float) and v % 1), None)
    if first is None:
        return f"{said} Labels are words, whole numbers or truth values."
    middle = classes[len(classes) // 2]  # leaves values on both sides
    return (
        f"{said.partition('. ')[0]}. Labels are words or whole numbers, and here is {first}: say "
        "which numbers are of the positive class, for example "
        f"{either(f'y >= {middle}', option('positive', f'>={middle}'))}."
    )


def given_classes(classes: Any) -> NDArray[Any]:
    different = _unique(np.ravel(np.asarray(classes)), "classes")
    if len(different) < 2:
        raise InputError(
            f"classes={different.tolist()} is one class only; give all labels of y.",
            option="classes",
            value=different.tolist(),
        )
    return different


def known_classes(classes: Any, before: NDArray[Any] | None) -> NDArray[Any] | None:
    """The classes that partial_fit knows: told now, or by a call before; None where neither is."""
    now = None if classes is None else given_classes(classes)
    if before is None:
        return now
    if now is not None and now.tolist() != before.tolist():
        raise InputError(
            f"classes={now.tolist()} is not the same as on the first call to partial_fit: "
            f"{before.tolist()}.",
            option="classes",
            value=now.tolist(),
        )
    return before


def encoded(
    y: NDArray[Any],
    classes: NDArray[Any],
    present: NDArray[np.bool_] | None = None,
    name: str = "y",
) -> NDArray[Any]:
    """-1 where y is classes[0], +1 where it is classes[1]; of more classes the place of each label.

    Whatever where a row is not present.
    """
    two = len(classes) == 2
    out = np.empty(len(y), dtype=np.int8 if two else np.int32)
    for begin in range(0, len(y), _BLOCK):
        block = y[begin : begin + _BLOCK]
        here = None if present is None else present[begin : begin + _BLOCK]
        codes, known = (_signs if two else _numbers)(block, classes, here)
        if not known.all():
            strange = np.flatnonzero(~known)
            raise InputError(
                f"{name} holds {block[strange[:1]].tolist()[0]!r} at row {begin + strange[0]}, "
                f"which is not one of the {'two' if two else len(classes)} classes "
                f"{classes.tolist()}.",
                row=int(begin + strange[0]),
            )
        out[begin : begin + len(block)] = codes
    return out


Codes = tuple[NDArray[Any], NDArray[np.bool_]]
"""Of some labels, and which of them are known, or have no say."""


def _signs(block: NDArray[Any], classes: NDArray[Any], present: NDArray[np.bool_] | None) -> Codes:
    second = block == classes[1]
    known = second | (block == classes[0])
    return np.where(second, np.int8(1), np.int8(-1)), known if present is None else known | ~present


def _numbers(
    block: NDArray[Any], classes: NDArray[Any], present: NDArray[np.bool_] | None
) -> Codes:
    if present is not None:  # a label that has no say may be anything
        block = np.where(present, block, classes[:1])
    try:
        places = np.minimum(np.searchsorted(classes, block), len(classes) - 1)
    except TypeError:  # text among numbers, or the other way round
        places = np.zeros(len(block), dtype=np.intp)
    return places, np.broadcast_to(classes[places] == block, block.shape)


def how_many(classes: NDArray[Any]) -> int | None:
    """As `Examples` takes it."""
    return None if len(classes) == 2 else len(classes)


def examples(
    X: Placed,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    classes: NDArray[Any] | None = None,
    *,
    one_of_many: bool = False,
    tie: float = 0.0,
) -> tuple[Examples, NDArray[Any]]:
    """Training rows and their classes: those given, else those that y holds."""
    n = X.shape[0]
    y = labels(y, n)
    c = None if sample_weight is None else sample_weights(to_host(sample_weight), n)
    present = None if c is None else c != 0
    if classes is None:
        classes = classes_of(y, present, one_of_many=one_of_many)
        must_have_all = True
    else:
        must_have_all = False  # later rows may be of the others
    coded = encoded(y, classes, present)
    c = weigh(c, coded, class_weights(class_weight, classes, coded, c))
    if c is not None:
        if must_have_all:
            refuse_lost_classes(c, coded, classes)
        refuse_all_zero(c)
    return Examples(X, coded, c, how_many(classes), tie), classes


# --- Checks of weights: those of rows and of classes become c, the factor of a row's steps -------


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
            f"sample_weight holds {c[row]} at row {row}: weights are finite numbers, 0 or greater.",
            row=int(row),
        )
    if (c < 0).any():
        row = int(np.flatnonzero(c < 0)[0])
        raise InputError(
            f"sample_weight holds {c[row]} at row {row}: a weight scales the step and cannot be "
            "negative. Give 0 to leave the row out.",
            row=int(row),
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
    """Among the classes, of signs or numbers of classes."""
    return (y > 0).astype(np.intp) if y.dtype == np.int8 else y


def class_weights_of_many(
    class_weight: Any, classes: NDArray[Any], counts: tuple[int, ...]
) -> tuple[float, ...]:
    """Of rows that are not in memory, of which it is known how many each class has."""
    if is_balanced(class_weight):
        return tuple(sum(counts) / (len(counts) * count) for count in counts)
    by_class = _given_weights(class_weight, classes)
    for label, weight in zip(classes.tolist(), by_class, strict=True):
        if weight == 0:
            raise InputError(_lost(label, len(classes)))
    return by_class


def refuse_lost_classes(c: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
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
        by_class = dict(zip(classes.tolist(), (1.0, 2.0), strict=False))
        instead = f"give 'balanced', None, or a dict like {by_class}"
        raise not_allowed("class_weight", class_weight, instead)
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


# --- Checks of starts: where training begins -----------------------------------------------------


def checked_start(
    coef_init: Any,
    intercept_init: Any,
    d: int,
    fit_intercept: bool,
    name: str = "coef_init",
    what: str = "features",
    k: int | None = None,
) -> NDArray[np.float64]:
    """The lifted start (w, b), a copy of what was given; zeros where nothing was.

    Of k classes (None: two) a row for each.
    """
    w = np.zeros((1 if k is None else k, d + 1))
    if coef_init is not None:
        coef = finite_floats(name, coef_init)
        if coef.shape not in (((d,), (1, d)) if k is None else ((k, d),)):
            allowed = f"({d},) or (1, {d})" if k is None else f"({k}, {d})"
            classes = "" if k is None else f" and y has {k} classes"
            raise InputError(
                f"{name} has shape {coef.shape}, but X has {d} {what}{classes}: give shape "
                f"{allowed}."
            )
        w[:, :d] = coef
    if intercept_init is not None:
        intercept = finite_floats("intercept_init", intercept_init)
        if intercept.size != len(w):
            numbers = "one number" if k is None else f"{k} numbers, one for each class"
            raise not_allowed("intercept_init", intercept_init, f"give {numbers}")
        if not fit_intercept and intercept.any():
            raise InputError(
                f"intercept_init={intercept_init!r} with fit_intercept=False: a hyperplane through "
                "the origin has the intercept 0.",
                option="intercept_init",
                value=intercept_init,
            )
        w[:, d] = intercept.ravel()
    return w[0] if k is None else w


# --- Checks of arrays of numbers -----------------------------------------------------------------


def floats(name: str, value: Any) -> NDArray[np.float64]:
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
    array = floats(name, value)
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds NaN or infinity; give finite numbers.")
    return array
