"""Checks of single parameters."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt._util.spelling import option
from rosenblatt.errors import InputError


def not_allowed(name: str, value: object, instead: str) -> InputError:
    return InputError(f"{option(name, value)} is not allowed: {instead}.", option=name, value=value)


def one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    if not (isinstance(value, str) and value in allowed):
        known = tuple(allowed)
        raise InputError(
            f"{option(name, value)} is not known. Allowed: {', '.join(map(repr, known))}.",
            option=name,
            value=value,
            allowed=known,
        )


def positive(name: str, value: Any) -> float:
    x = number(value)
    if not 0 < x < math.inf:
        raise not_allowed(name, value, "give a finite number greater than 0")
    return x


def not_negative(name: str, value: Any) -> float:
    x = number(value)
    if not 0 <= x < math.inf:
        raise not_allowed(name, value, "give a finite number, 0 or greater")
    return x


def between(name: str, value: Any, least: float, most: float) -> None:
    if not least <= number(value) <= most:
        raise not_allowed(name, value, f"give a number from {least:g} to {most:g}")


def number(value: Any) -> float:
    """NaN where it is no number, infinity where it is too large."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number with hundreds of digits
        return math.inf


def whole(name: str, value: Any, *, also: str = "") -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise not_allowed(name, value, f"give a whole number, 1 or greater{also}")
    return int(value)


def whole_or_none(name: str, value: Any) -> int | None:
    return None if value is None else whole(name, value, also=", or None for no limit")


def flag(name: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise not_allowed(name, value, "give True or False")
    return bool(value)


def level(name: str, value: Any) -> int:
    if not isinstance(value, (numbers.Integral, np.bool_)) or value < 0:
        raise not_allowed(name, value, "give 0 (silent) or 1 (progress)")
    return int(value)
