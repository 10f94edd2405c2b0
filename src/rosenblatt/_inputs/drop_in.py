"""The parameters of scikit-learn's Perceptron: what they mean here, or what to use instead.

Code that was written for it runs as it is, or is told in one sentence what to write: the errors
are the guide for whoever comes from there. `docs/from-scikit-learn.md` has all of them.
"""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple

from rosenblatt._inputs import validate
from rosenblatt.errors import InputError

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
"""Those that are there for such code; all but that of `tol` are scikit-learn's."""

_INSTEAD = {
    "penalty": (
        "with a penalty it is no longer the perceptron. Leave it out, and try keep='average' "
        "against overfitting; scikit-learn's SGDClassifier(loss='perceptron') has penalties"
    ),
    "alpha": "it is the strength of a penalty, and there is none here. Leave it out",
    "l1_ratio": "it mixes penalties, and there is none here. Leave it out",
    "early_stopping": (
        "no rows are set aside here. Give validation rows of your own, fit(X, y, X_val=..., "
        "y_val=...): keep='best' returns the weights that are best on them"
    ),
    "validation_fraction": (
        "no rows are set aside here. Give validation rows of your own, fit(X, y, X_val=..., "
        "y_val=...)"
    ),
}


AUTO = "auto"
"""keep="auto": "last" with tol=None, as in scikit-learn, else "best"."""


class Meaning(NamedTuple):
    """What training is told."""

    order: Any
    keep: Any
    tol: float | None  # by which the loss must fall; None: it is not looked at
    patience: int | None
    all_epochs: bool = False  # tol=None: max_iter epochs are what was asked for


def meaning(estimator: Any) -> Meaning:
    """Of an estimator that has these parameters, or has none of them."""
    patience = validate.whole_or_none("patience", estimator.patience)
    order, keep = estimator.order, estimator.keep
    if not hasattr(estimator, "n_iter_no_change"):
        return Meaning(order, keep, None, patience)
    for name, instead in _INSTEAD.items():
        _refuse_other(name, getattr(estimator, name), instead)
    _check_jobs(estimator.n_jobs)
    patience = _patience(patience, estimator.n_iter_no_change)
    if not validate.flag("shuffle", estimator.shuffle):
        order = _unshuffled(order)
    tol = estimator.tol
    if isinstance(keep, str) and keep == AUTO:
        keep = "last" if tol is None else "best"
    if tol is None:
        return Meaning(order, keep, None, None, all_epochs=True)
    if isinstance(tol, str) and tol == DEFAULTS["tol"]:
        return Meaning(order, keep, None, patience)
    return Meaning(order, keep, _tolerance(tol), patience)


def _refuse_other(name: str, value: Any, instead: str) -> None:
    default = DEFAULTS[name]
    if value is default or (type(value) is not str and value == default):
        return
    raise InputError(f"{name}={value!r} is not allowed, only {default!r}: {instead}.")


def _patience(patience: int | None, n_iter_no_change: Any) -> int | None:
    """Two names of one number; which one was given can be told where it is not the default."""
    default = DEFAULTS["n_iter_no_change"]
    other = validate.whole("n_iter_no_change", n_iter_no_change)
    if other == default:
        return patience
    if patience not in (default, other):
        raise InputError(
            f"n_iter_no_change={other} is another name of patience, and patience={patience!r} was "
            "given, too: leave one of them out."
        )
    return other


def _check_jobs(value: Any) -> None:
    if value is not None and (not isinstance(value, numbers.Integral) or isinstance(value, bool)):
        raise InputError(f"n_jobs={value!r} is not allowed: give a whole number or None.")


def _unshuffled(order: Any) -> Any:
    """shuffle=False is order="cyclic"."""
    if order in ("shuffle", "cyclic"):
        return "cyclic"
    raise InputError(
        f"shuffle=False means order='cyclic', and order={order!r} was given: leave one of them out."
    )


def _tolerance(tol: Any) -> float:
    try:
        return validate.not_negative("tol", tol)
    except InputError:
        raise InputError(
            f"tol={tol!r} is not allowed: give a finite number, 0 or greater, None to end at "
            "max_iter only, or 'patience' to end when mistakes no longer fall."
        ) from None
