"""The classes, with the type that predictions have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._support.strict_json import MOST_DIGITS, InvalidDocument, Part, kind, shown
from rosenblatt.errors import InputError

_DTYPES = re.compile(r"[<>|](b1|i[1248]|u[1248]|f[248]|U[1-9][0-9]{0,5})")
_OBJECTS = "object"
_JSON_TYPE = {"b": bool, "i": int, "u": int, "f": float, "U": str}


def written(classes: NDArray[Any]) -> dict[str, Any]:
    """Their NumPy type, and the labels in JSON."""
    dtype = _OBJECTS if classes.dtype == object else classes.dtype.str
    if dtype != _OBJECTS and not _DTYPES.fullmatch(dtype):
        raise InputError(
            f"Labels of type {classes.dtype} cannot be written to a model file. Train with labels "
            "that are text, whole numbers, floats or booleans, for example y.astype(str)."
        )
    return {"dtype": dtype, "labels": [label(value) for value in classes.tolist()]}


def label(value: Any) -> Any:
    """A label as JSON has it."""
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


def read(part: Part) -> NDArray[Any]:
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
