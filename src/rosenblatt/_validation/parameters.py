"""Checks of single parameters; and what those of scikit-learn mean here, or what to use instead."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any, NamedTuple

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
    number = _float(value)
    if not 0 < number < math.inf:
        raise not_allowed(name, value, "give a finite number greater than 0")
    return number


def not_negative(name: str, value: Any) -> float:
    number = _float(value)
    if not 0 <= number < math.inf:
        raise not_allowed(name, value, "give a finite number, 0 or greater")
    return number


def _float(value: Any) -> float:
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


# --- The parameters of scikit-learn's estimators: what they mean here, or what to use instead ----
#
# Code that was written for it runs as it is, or is told in one sentence what to write: the errors
# are the guide for whoever comes from there. `docs/from-scikit-learn.md` has all of them.


DEFAULTS: dict[str, Any] = {
    "tol": "patience",
    "shuffle": True,
    "penalty": None,
    "alpha": 0.0001,
    "l1_ratio": 0.15,
    "early_stopping": False,
    "validation_fraction": 0.1,
    "n_iter_no_change": 5,
    "n_jobs": None,
}
"""What is there for such code, with its default; all but that of `tol` are scikit-learn's."""

_INSTEAD = {
    "early_stopping": (
        "no rows are set aside here. Give validation rows of your own, fit(X, y, X_val=..., "
        "y_val=...): keep='best' returns the weights that are best on them"
    ),
}

_INERT: dict[str, tuple[float, float]] = {
    "alpha": (0.0, math.inf),
    "l1_ratio": (0.0, 1.0),
    "validation_fraction": (0.0, 1.0),
}
"""What may have no effect, there as here; from, to."""


AUTO = "auto"
"""keep="auto": "last" with tol=None, as in scikit-learn, and "best" with a number."""


class Meaning(NamedTuple):
    order: Any
    keep: Any
    tol: float | None  # by which the loss must fall; None: it is not looked at
    patience: int | None
    all_epochs: bool = False  # tol=None: max_iter epochs are what was asked for


def meaning(estimator: Any, *, scikit_learn: bool) -> Meaning:
    """Of an estimator that has the parameters of scikit-learn's, or has none of them."""
    patience = whole_or_none("patience", estimator.patience)
    order, keep = estimator.order, estimator.keep
    if not scikit_learn:
        return Meaning(order, keep, None, patience)
    perceptron = hasattr(estimator, "penalty")  # PassiveAggressive has fewer
    if perceptron:
        _check_penalty(estimator.penalty)
    else:
        keep = _averaged(keep, estimator.average)
    for name, instead in _INSTEAD.items():
        _refuse_other(name, getattr(estimator, name), instead)
    for name, (least, most) in _INERT.items():
        if not least <= _float(value := getattr(estimator, name, least)) <= most:
            raise not_allowed(name, value, f"give a number from {least:g} to {most:g}")
    jobs = estimator.n_jobs
    if jobs is not None and (not isinstance(jobs, numbers.Integral) or isinstance(jobs, bool)):
        raise not_allowed("n_jobs", jobs, "give a whole number or None")
    patience = _patience(patience, estimator.n_iter_no_change)
    if not flag("shuffle", estimator.shuffle):
        if order not in ("shuffle", "cyclic"):
            raise InputError(
                f"shuffle=False means order='cyclic', and order={order!r} was given: leave one of "
                "them out.",
                option="shuffle",
                value=False,
            )
        order = "cyclic"
    tol = estimator.tol
    auto = isinstance(keep, str) and keep == AUTO
    if tol is None:
        return Meaning(order, "last" if auto else keep, None, None, all_epochs=True)
    if isinstance(tol, str) and tol == DEFAULTS["tol"]:
        return Meaning(order, keep, None, patience)
    if not perceptron:
        raise not_allowed(
            "tol", tol, "leave it out: training ends where the mistakes no longer fall, or tol=None"
        )
    keep = "best" if auto else keep
    return Meaning(order, keep, _tolerance(tol), patience)


def _averaged(keep: Any, average: Any) -> Any:
    if average is None:
        return keep
    meant = "average" if flag("average", average) else "last"
    if keep not in (AUTO, meant):
        raise InputError(
            f"average={average} means keep={meant!r}, and keep={keep!r} was given: leave one of "
            "them out.",
            option="average",
            value=average,
        )
    return meant


def _check_penalty(value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "l2"):
        return
    raise InputError(
        f"{option('penalty', value)} is not allowed, only None and 'l2'. scikit-learn's "
        "SGDClassifier(loss='perceptron') has 'l1' and 'elasticnet', which make weights 0.",
        option="penalty",
        value=value,
        allowed=(None, "l2"),
    )


def _refuse_other(name: str, value: Any, instead: str) -> None:
    default = DEFAULTS[name]
    if value is default or (type(value) is not str and value == default):
        return
    raise InputError(
        f"{option(name, value)} is not allowed, only {default!r}: {instead}.",
        option=name,
        value=value,
        allowed=(default,),
    )


def _patience(patience: int | None, n_iter_no_change: Any) -> int | None:
    """Two names of one number; which one was given can be told where it is not the default."""
    default = DEFAULTS["n_iter_no_change"]
    other = whole("n_iter_no_change", n_iter_no_change)
    if other == default:
        return patience
    if patience not in (default, other):
        raise InputError(
            f"n_iter_no_change={other} is another name of patience, and patience={patience!r} was "
            "given, too: leave one of them out.",
            option="n_iter_no_change",
            value=other,
        )
    return other


def _tolerance(tol: Any) -> float:
    try:
        return not_negative("tol", tol)
    except InputError:
        raise not_allowed(
            "tol",
            tol,
            "give a finite number, 0 or greater, None to end at max_iter only, or 'patience' to "
            "end when mistakes no longer fall",
        ) from None
