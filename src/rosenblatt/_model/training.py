"""How training went: what estimators that train publish about it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._estimators.training import Training
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.settings import Units
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._model import arrays
from rosenblatt._rules.linear import read_only
from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError


def written(p: Any) -> dict[str, Any]:
    validation = getattr(p, "validation_mistakes_", None)
    return {
        "ended": p.stop_reason_.name,
        "in_words": str(p.stop_reason_),
        "converged": bool(p.converged_),
        "epochs": int(p.n_iter_),
        "updates": int(p.n_updates_),
        "training_errors": None if p.training_errors_ is None else int(p.training_errors_),
        "rows": int(p._n_rows),
        "keep": p._made_with.keep,
        "eta0": p._made_with.eta0,
        "fit_intercept": p._made_with.fit_intercept,
        "mistakes": arrays.counts(p.mistakes_),
        "validation_mistakes": None if validation is None else arrays.counts(validation),
        "update_counts": _written_counts(p.update_counts_),
        "certificate": None if p.certificate_ is None else p.certificate_.to_dict(),
    }


def _written_counts(by_row: NDArray[np.int64] | None) -> Any:
    """None where rows came from a stream: they were not counted by row."""
    return None if by_row is None else arrays.many_counts(by_row)


def read(part: Part, p: Training) -> NDArray[np.int64]:
    """Set on a new estimator what `written` has taken from another.

    Returns the counts of updates: `update_counts_` is a view of them that cannot be changed.
    """
    with part:
        reason = StopReason[part.one_of("ended", StopReason.__members__)]
        part.text("in_words")  # for people: a later version may say it otherwise
        rows = part.whole("rows")
        counts = part.optional(
            lambda field: arrays.read_counts(part, field, (rows,), deflated=True), "update_counts"
        )
        validation = part.optional(
            lambda field: arrays.read_counts(part, field, (None,)), "validation_mistakes"
        )
        found = {
            "_made_with": _units(part),
            "training_errors_": part.optional(part.whole, "training_errors", rows),
            "converged_": part.flag("converged"),
            "stop_reason_": reason,
            "certificate_": part.optional(
                lambda field: read_certificate(part, field), "certificate"
            ),
            "n_iter_": part.whole("epochs"),
            "n_updates_": part.whole("updates"),
            "mistakes_": arrays.read_counts(part, "mistakes", (None,)),
            "update_counts_": None if counts is None else read_only(counts.view()),
            "_n_rows": rows,
        }
    if rows == 0:
        raise InvalidDocument("training.rows is 0: nothing could be learned")
    if validation is not None:
        found["validation_mistakes_"] = validation
    p.__dict__.update(found)
    return np.empty(0, dtype=np.int64) if counts is None else counts


def read_certificate(part: Part, field: str) -> Certificate:
    """It claims what it did; whoever has the data can verify it."""
    try:
        certificate = Certificate.from_dict(part.value(field))
        str(certificate)  # all that is shown of it can be shown
    except (InputError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        raise InvalidDocument(
            f"{part.name(field)} is not a certificate: {str(e).rstrip('.')}"
        ) from None
    return certificate


def _units(part: Part) -> Units:
    keep, eta0 = part.one_of("keep", KEEPS), part.number("eta0")
    if not eta0 > 0:
        raise InvalidDocument(f"{part.name('eta0')} is {eta0}, not a number greater than 0")
    return Units(keep, eta0, part.flag("fit_intercept"))
