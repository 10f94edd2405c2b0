"""What a graph's columns and labels are called: known without ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.encoding import Encoding
from rosenblatt.errors import InputError


def feature_names(estimator: Any, encoding: Encoding | None) -> list[str]:
    """What the columns of X are, in their order."""
    if encoding is not None:
        return encoding.feature_names
    names = getattr(estimator, "feature_names_in_", None)
    d: int = estimator.n_features_in_
    return [f"x{j}" for j in range(d)] if names is None else list(map(str, names))


def labels(classes: NDArray[Any]) -> NDArray[Any]:
    """The two labels in a type that ONNX has."""
    if classes.dtype == object:
        typed = np.array(classes.tolist())
        if [type(v) for v in typed.tolist()] != [type(v) for v in classes.tolist()]:
            raise _no_such_labels(classes)
    else:
        typed = classes.astype(classes.dtype.newbyteorder("="))
    if typed.dtype.kind not in "biufU":
        raise _no_such_labels(classes)
    if typed.dtype.kind == "U":
        try:
            "".join(typed.tolist()).encode()
        except UnicodeEncodeError:
            raise _no_such_labels(classes) from None
        return typed.astype(object)  # as `numpy_helper` takes text
    return typed


def _no_such_labels(classes: NDArray[Any]) -> InputError:
    return InputError(
        f"The labels {classes.tolist()} ({classes.dtype}) cannot be written to an ONNX file. Train "
        "with labels that are text, booleans, or numbers of one type in at most 64 bits."
    )
