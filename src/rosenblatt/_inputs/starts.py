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
