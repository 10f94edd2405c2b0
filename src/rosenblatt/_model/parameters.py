"""The parameters of an estimator and its class labels, in a model file."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rosenblatt._model import arrays
from rosenblatt._training import settings
from rosenblatt._training.kernels import check_parameters
from rosenblatt._util.strict_json import MOST_DIGITS, InvalidDocument, Part, kind, shown
from rosenblatt._validation import parameters, targets
from rosenblatt.errors import InputError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.random_linear import RandomLinearClassifier
from rosenblatt.scorecard import Scorecard

_NOT_KEPT = {"device"}  # where it was computed is no part of what was learned

_KEYS = 624  # numbers in the state of a Mersenne twister


# --- Writing -----------------------------------------------------------------------------------


def write_parameters(estimator: Any) -> dict[str, Any]:
    check(estimator, estimator.classes_)
    items = estimator.get_params().items()
    return {name: _written(name, value) for name, value in items if name not in _NOT_KEPT}


def _written(name: str, value: Any) -> Any:
    if name == "class_weight" and isinstance(value, Mapping):
        pairs = [[label(k), float(weight)] for k, weight in value.items()]
        return {"weights": pairs}
    if name == "signs" and value is not None:
        return _written_signs(value)
    if isinstance(value, np.random.RandomState):
        return _random_state(value)
    return _plain(name, value)


def _written_signs(value: Any) -> dict[str, Any]:
    """By name, or one for each column."""
    if isinstance(value, Mapping):
        return {"columns": [[_plain("signs", k), _plain("signs", v)] for k, v in value.items()]}
    return {"each": [_plain("signs", v) for v in value]}


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and abs(int(value)) < 10**MOST_DIGITS:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        number = float(value)
        if math.isfinite(number) and number == value:
            return number
    if callable(value):
        raise InputError(
            f"{name}={value!r} is a function, and a model file holds no code. Use a kernel that "
            "has a name, or kernel='precomputed' with the matrix that the function returns; pickle "
            "keeps functions.",
            option=name,
            value=value,
        )
    raise InputError(
        f"{name}={value!r} cannot be written to a model file: set_params({name}=...) to text, "
        "a number, True, False or None first. What was learned stays.",
        option=name,
        value=value,
    )


def _random_state(value: np.random.RandomState) -> dict[str, Any]:
    state = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise InputError(
            f"random_state is a RandomState on {state['bit_generator']}, which cannot be written "
            "to a model file: set_params(random_state=None) first. What was learned stays."
        )
    return {
        "mt19937": arrays.counts(state["state"]["key"]),
        "position": int(state["state"]["pos"]),
        "has_gauss": bool(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


# --- Reading -----------------------------------------------------------------------------------


def read_parameters(part: Part, kind: type[Any], classes: NDArray[Any]) -> Any:
    with part:
        names = set(kind().get_params()) - _NOT_KEPT
        # One that a file does not have was no parameter yet: it has its default.
        values = {name: _read(part, name) for name in names if name in part}
    estimator = kind(**values)
    try:
        check(estimator, classes)
    except ValueError as error:
        raise InvalidDocument(f"parameters are not allowed: {str(error).rstrip('.')}") from None
    return estimator


def _read(part: Part, name: str) -> Any:
    value = part.value(name)
    if isinstance(value, dict) and name == "class_weight":
        with part.part(name) as weighed:
            return _class_weight(weighed)
    if isinstance(value, dict) and name == "signs":
        with part.part(name) as signs:
            return _read_signs(signs)
    if isinstance(value, dict) and name == "random_state":
        with part.part(name) as state:
            return _read_random_state(state)
    if isinstance(value, (dict, list)):
        raise InvalidDocument(f"{part.name(name)} is an object or a list, not a single value")
    return value


def _read_signs(part: Part) -> Any:
    if "each" in part:
        each = part.value("each")
        if type(each) is list and set(map(type, each)) <= {int, str}:
            return each
        raise InvalidDocument(f"{part.name('each')} is not a sign for each column")
    pairs = part.value("columns")
    good = type(pairs) is list and all(
        type(pair) is list and len(pair) == 2 and {type(v) for v in pair} <= {str, int}
        for pair in pairs
    )
    if not good or len({pair[0] for pair in pairs}) < len(pairs):
        raise InvalidDocument(f"{part.name('columns')} is not a list of columns with signs")
    return dict(pairs)


def _class_weight(part: Part) -> dict[Any, float]:
    pairs = part.value("weights")
    good = type(pairs) is list and all(
        type(pair) is list
        and len(pair) == 2
        and type(pair[0]) in (str, bool, int, float)
        and type(pair[1]) is float
        for pair in pairs
    )
    if not good or len({pair[0] for pair in pairs}) < len(pairs):
        raise InvalidDocument(
            f"{part.name('weights')} is not a list of different labels with weights"
        )
    return dict(pairs)


def _read_random_state(part: Part) -> np.random.RandomState:
    key = arrays.read_counts(part, "mt19937", (_KEYS,), most=2**32 - 1)
    state = {
        "bit_generator": "MT19937",
        "state": {"key": key.astype(np.uint32), "pos": part.whole("position", _KEYS)},
        "has_gauss": int(part.flag("has_gauss")),
        "gauss": part.number("gauss"),
    }
    generator = np.random.RandomState()
    generator.set_state(state)
    return generator


# --- Both --------------------------------------------------------------------------------------


def check(estimator: Any, classes: NDArray[Any]) -> None:
    """The error that fitting would raise, so that what is written can be read."""
    if isinstance(estimator, Scorecard):
        estimator._check()
        _check_class_weight(estimator, classes)
        return
    if estimator.random_state is not None:
        check_random_state(estimator.random_state)
    if isinstance(estimator, RandomLinearClassifier):
        parameters.whole("k", estimator.k)
        parameters.flag("fit_intercept", estimator.fit_intercept)
        return
    settings.checked(estimator)
    _check_class_weight(estimator, classes)
    if isinstance(estimator, KernelPerceptron):
        parameters.positive("cache_size", estimator.cache_size)
        check_parameters(estimator)


def _check_class_weight(estimator: Any, classes: NDArray[Any]) -> None:
    weight = estimator.class_weight
    if not (isinstance(weight, str) and weight == "balanced"):
        nobody = np.zeros(0, dtype=np.int8)
        targets.class_weights(weight, classes, nobody, None)


# --- Class labels, with the type that predictions have -------------------------------------------


_DTYPES = re.compile(r"[<>|](b1|i[1248]|u[1248]|f[248]|U[1-9][0-9]{0,5})")
_OBJECTS = "object"
_JSON_TYPE = {"b": bool, "i": int, "u": int, "f": float, "U": str}


def write_labels(classes: NDArray[Any]) -> dict[str, Any]:
    dtype = _OBJECTS if classes.dtype == object else classes.dtype.str
    if dtype != _OBJECTS and not _DTYPES.fullmatch(dtype):
        raise InputError(
            f"Labels of type {classes.dtype} cannot be written to a model file. Train with labels "
            "that are text, whole numbers, floats or booleans, for example y.astype(str)."
        )
    return {"dtype": dtype, "labels": [label(value) for value in classes.tolist()]}


def label(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if type(value) not in (bool, int, float) or abs(value) >= 10**MOST_DIGITS or value != value:
        raise InputError(
            f"The label {value!r}, a {type(value).__name__}, cannot be written to a model file. "
            "Train with labels that are text, whole numbers, floats or booleans, for example "
            "y.astype(str)."
        )
    return value


def read_labels(part: Part) -> NDArray[Any]:
    with part:
        dtype, values = part.text("dtype"), part.value("labels")
        if type(values) is not list or len(values) < 2:
            raise InvalidDocument(
                f"{part.name('labels')} is {shown(values)}, not a list of two or more labels"
            )
        if dtype != _OBJECTS and not _DTYPES.fullmatch(dtype):
            raise InvalidDocument(
                f"{part.name('dtype')} is {shown(dtype)}, which is not a type of labels"
            )
        _check_types(dtype, values, part.name("labels"))
        classes = np.array(values, dtype=np.dtype(dtype))
    if classes.tolist() != values or not (classes[:-1] < classes[1:]).all():
        raise InvalidDocument(
            f"{part.name('labels')} is {shown(values)}: different labels of type {dtype} are "
            "expected, the smaller one first"
        )
    return classes


def _check_types(dtype: str, values: list[Any], name: str) -> None:
    if dtype == _OBJECTS:
        alike = all(type(v) is str for v in values) or not any(type(v) is str for v in values)
        good = alike and all(type(v) in (str, bool, int, float) for v in values)
    else:
        code = dtype[1]
        good = all(type(v) is _JSON_TYPE[code] for v in values)
        if good and code in "iu":
            limits = np.iinfo(np.dtype(dtype))
            good = all(limits.min <= v <= limits.max for v in values)
        if good and code == "f":
            good = all(abs(v) <= np.finfo(np.dtype(dtype)).max for v in values)
    if not good:
        kinds = " and ".join(kind(v) for v in values)
        raise InvalidDocument(f"{name} is {shown(values)} ({kinds}), not labels of type {dtype}")
