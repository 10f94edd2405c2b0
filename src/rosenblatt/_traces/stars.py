"""w*: the separator that the convergence proof follows, given or found."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._support.row_numbers import counted, row_number
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import Features, Space
from rosenblatt._traces.walk import Star
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError
from rosenblatt.theory import given
from rosenblatt.theory.bounds import least_class_margin, least_margin

_SLIGHTLY_MORE = 1 + 2.0**-20  # so that rounding leaves no loss, and no doubt


def lifted(run: Run, w_star: Any) -> Floats:
    """What was given, with the intercept last."""
    d = run.X.shape[1] if run.linear() else len(run.y)
    if run.k is None:
        values, with_intercept = given.vector(w_star, d, "w_star")
    else:
        values, with_intercept = given.vectors(w_star, run.k, d, "w_star")
    if not with_intercept:
        return np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
    if values[..., -1].any() and not run.intercept:
        raise InputError(
            "w_star has an intercept, but training was through the origin, with "
            "fit_intercept=False."
        )
    return values


def certified(space: Space, certificate: Certificate) -> Star | None:
    """The proved separator in floats, which can be too coarse for it."""
    for separator in (certificate.homogeneous_separator, certificate.separator):
        # Of a class without rows, which only a file can have, it knows nothing.
        if separator is None or separator.coef.shape[:-1] != space.run.start.shape[:-1]:
            continue
        intercept = np.expand_dims(separator.intercept, -1)
        star = space.star(np.concatenate([separator.coef, intercept], axis=-1))
        if space.least_margin(star)[0] > 0:
            return star
    return None


def to_compare_with(space: Features, separator: Star | None) -> Star:
    """What PassiveAggressive and AROW are compared with, where nothing is given.

    The separator, as long as it takes for margins of 1, so that it has no losses; else the mean of
    the weights that training went through.
    """
    run = space.run
    if separator is not None:
        w = separator.w if run.intercept else separator.w[..., :-1]
        least = least_margin if run.k is None else least_class_margin
        margin, _ = least(space.table, run.y, np.sign(run.weights), w)
        with np.errstate(over="ignore"):
            longer = separator.w * (_SLIGHTLY_MORE / float(margin))
        if np.isfinite(longer).all():
            return space.star(longer)
    total = space.start + sum(block[1:].sum(axis=0) for _, block in space.blocks())
    return space.star(total / (run.n_steps + 1))


def why_none(certificate: Certificate | None, classes: list[Any]) -> str:
    """Where there is no w*; `certificate`, which numbers the classes, is None with kernels."""
    if certificate is None:
        return "training did not end clean, so that no separator is known; give w_star."
    conflict = certificate.conflict
    if conflict is not None and conflict.rivals is not None:
        pairs = list(zip(conflict.rows, conflict.rivals, strict=True))
        some = ", ".join(f"row {row_number(i)} against {classes[int(r)]}" for i, r in pairs[:8])
        more = ", …" if len(pairs) > 8 else ""
        return (
            "no w* gives every row its highest score for its own class; these alone contradict "
            f"each other: {some}{more} ({counted()})."
        )
    if conflict is not None:
        rows = ", ".join(str(row_number(i)) for i in conflict.rows[:8])
        more = ", …" if len(conflict.rows) > 8 else ""
        return (
            f"no w* has every row on the right side; {len(conflict.rows)} rows alone contradict "
            f"each other: {rows}{more} ({counted()})."
        )
    if certificate.separator is not None:
        return "the rows are separable, but no w* made of floats is known; give w_star."
    return "whether a w* exists is undecided."
