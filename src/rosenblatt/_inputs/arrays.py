"""Checks of arrays of numbers."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import InputError, InputTypeError


def floats(name: str, value: Any) -> NDArray[np.float64]:
    """Numbers, whatever they are."""
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
