"""How training went, in a model file: stop reason, counts by epoch and by row, certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.protocol import TIES
from rosenblatt._model import arrays
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.settings import Units
from rosenblatt._training.stopping import StopReason
from rosenblatt._training.training import LEFT_BEHIND, TrainingRecord
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate


def write_training(record: TrainingRecord, *, history: bool) -> dict[str, Any]:
    validation, by_row = record.validation_mistakes_, record._counts
    if history and by_row is LEFT_BEHIND:
        raise InputError(
            "history=True keeps the updates of each training row, and this estimator was itself "
            "read without them: save it where it was trained.",
            option="history",
            value=True,
        )
    certificate, units = record.certificate_, record._made_with
    errors = record.training_errors_
    return {
        "ended": record.stop_reason_.name,
        "in_words": str(record.stop_reason_),
        "converged": bool(record.converged_),
        "epochs": int(record.n_iter_),
        "updates": int(record.n_updates_),
        "training_errors": None if errors is None else int(errors),
        "rows": int(record._n_rows),
        "keep": units.keep,
        "eta0": units.eta0,
        "fit_intercept": units.fit_intercept,
        "tie": units.tie,
        "rule_number": float(record._rule_number),
        "mistakes": arrays.counts(record.mistakes_),
        "validation_mistakes": None if validation is None else arrays.counts(validation),
        **({"update_counts": write_updates(by_row)} if history or by_row is None else {}),
        "certificate": None if certificate is None else certificate.to_dict(),
    }


def read_training(part: Part, k: int) -> tuple[TrainingRecord, NDArray[np.int64]]:
    """And the counts of updates, for the state."""
    with part:
        reason = StopReason[part.one_of("ended", StopReason.__members__)]
        part.text("in_words")  # for people: a later version may say it otherwise
        rows = part.whole("rows")
        there = "update_counts" in part
        counts = read_updates(part, "update_counts", rows, k) if there else None
        validation = part.optional(
            lambda field: arrays.read_counts(part, field, (None,)), "validation_mistakes"
        )
        none = np.empty(0 if k == 2 else (0, k), dtype=np.int64)
        by_row = none if counts is None else counts
        record = TrainingRecord(
            _made_with=_units(part),
            _rule_number=_rule_number(part),
            _n_rows=rows,
            training_errors_=part.optional(part.whole, "training_errors", rows),
            converged_=part.flag("converged"),
            stop_reason_=reason,
            certificate_=part.optional(lambda field: read_certificate(part, field), "certificate"),
            n_iter_=part.whole("epochs"),
            n_updates_=part.whole("updates"),
            mistakes_=arrays.read_counts(part, "mistakes", (None,)),
            _counts=counts if there else LEFT_BEHIND,
            validation_mistakes_=validation,
        )
    if rows == 0:
        raise InvalidDocument("training.rows is 0: nothing could be learned")
    return record, by_row


def read_certificate(part: Part, field: str) -> Certificate:
    """A certificate, unverified: whoever has the data can do that."""
    from rosenblatt.certificate import Certificate

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
    return Units(keep, eta0, part.flag("fit_intercept"), part.one_of("tie", TIES))


def _rule_number(part: Part) -> float:
    number = part.number("rule_number")
    if number < 0:
        raise InvalidDocument(f"{part.name('rule_number')} is {number}, which is less than 0")
    return number


# --- Updates by row, of many classes by row and class --------------------------------------------


Counts = NDArray[np.int64]


def write_updates(counts: Any) -> Any:
    """Of many classes what each row added to them, and what it took from them."""
    if counts is None or not counts.shape[0]:  # of a stream
        return None
    if counts.ndim == 1:
        return arrays.counts(counts, deflated=True)
    table = counts.toarray() if sparse.issparse(counts) else counts
    return {
        "added": arrays.counts(np.maximum(table, 0), deflated=True),
        "taken": arrays.counts(np.maximum(-table, 0), deflated=True),
    }


def read_updates(part: Part, field: str, rows: int, k: int) -> Counts | None:
    if k == 2:
        return part.optional(
            lambda name: arrays.read_counts(part, name, (rows,), deflated=True), field
        )
    table = part.optional(part.part, field)
    if table is None:
        return None
    with table:
        added, taken = (
            arrays.read_counts(table, name, (rows, k), deflated=True) for name in ("added", "taken")
        )
    return added - taken
