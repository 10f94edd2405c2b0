"""Checks of starts: where training begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._inputs.arrays import finite_floats
from rosenblatt.errors import InputError


def start(
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
            raise InputError(f"intercept_init={intercept_init!r} is not allowed: give {numbers}.")
        if not fit_intercept and intercept.any():
            raise InputError(
                f"intercept_init={intercept_init!r} with fit_intercept=False: a hyperplane through "
                "the origin has the intercept 0."
            )
        w[:, d] = intercept.ravel()
    return w[0] if k is None else w
