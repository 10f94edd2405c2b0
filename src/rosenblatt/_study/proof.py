"""The verdict on all rows, its proof and the seconds for it; what is known of the training rows."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO, TypedDict

import numpy as np

from rosenblatt import certificate as proving
from rosenblatt import verify
from rosenblatt._certify.check import packed
from rosenblatt._core.rows import dense
from rosenblatt._study import robustness
from rosenblatt._study.options import Options
from rosenblatt._study.stages import Compared, Proved, Seconds
from rosenblatt._util.progress import stage
from rosenblatt._util.spelling import option
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.stack import in_place
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt.data import Preprocessing
    from rosenblatt.report.document import Proof


_BY_HAND = 2_000_000  # numbers, of many classes lifted, that the stand-alone verifier soon reads
_MANY = 200  # features; with more, the largest margin takes much longer than all the rest
_MANY_LIFTED = 1000  # the same of many classes: features times classes
_WORK = 20_000_000  # row evaluations: some seconds
SECONDS = 10.0  # for the verdict and the margins together, where nobody said how long
_LEAST = 1.0  # of them for the margins


def prove_all(compared: Compared, options: Options, seconds: Seconds) -> Proved:
    """The verdict on all rows, its check, and what else holds of them; Ctrl-C keeps the rest."""
    proved, read = Proved(), compared.read
    if compared.selection.interrupted or read.unasked:
        return proved

    @contextmanager
    def step(what: str, timed: str | None = None) -> Iterator[None]:
        with seconds.timed(timed or what), stage(what):
            yield

    clock = _Clock(options.time_limit)
    try:
        X, preprocessing = _in_units_of_table(compared)
        X, y, weights = in_place(X, read.y, read.notes.unlabelled)
        with step("deciding about all rows", "deciding"):
            certificate = _certify(X, y, clock, preprocessing, weights)
            proved = replace(proved, certificate=certificate)
        if certificate.separable is not None:  # else it claims nothing that could be checked
            with step("checking the proof"):
                proved = replace(proved, proof=check(certificate, X, y))
                embedded = embed(
                    certificate, X, y, rows=not options.private, table=options.embed_data
                )
                proved = replace(proved, embedded=embedded)
        if options.signs:
            with step("what the signs cost"):
                price = robustness.price(X, y, weights, certificate, options)
                proved = replace(proved, price=price)
        if not options.scorecard:  # a card is not about distances
            with step("margins of the training rows"):
                margins = _certify(*compared.training_rows(), clock)
                proved = replace(proved, of_training=margins)
        if not options.thorough:
            return proved
        with step("fewest errors and forced signs"):
            signs = robustness.signs(X, y, weights, certificate)
            proved = replace(proved, signs=signs)
        with step("second opinions"):
            proved = replace(proved, opinions=robustness.second_opinions(compared, X, options))
        if not options.scorecard:  # those met along a pass are no cards
            with step("one pass over all rows"):
                bound = robustness.one_pass(read, certificate, options)
                proved = replace(proved, progressive=bound)
    except KeyboardInterrupt:
        return replace(proved, interrupted=True)
    return proved


class _Clock:
    """How many seconds are left."""

    def __init__(self, limit: float | None):
        self.given, self._begin = limit, time.monotonic()

    @property
    def left(self) -> float:
        whole = SECONDS if self.given is None else self.given
        return max(_LEAST, whole - (time.monotonic() - self._begin)) if whole > _LEAST else whole


def _certify(
    X: Any, y: Any, clock: _Clock, preprocessing: Preprocessing | None = None, weights: Any = None
) -> Certificate:
    """In full, or, with many columns, in good time where nobody said how long it may take."""
    if clock.given is None and (
        X.shape[1] > _MANY or X.shape[1] * len(np.unique(y)) > _MANY_LIFTED
    ):
        return proving.by_training_first(
            X,
            y,
            preprocessing=preprocessing,
            sample_weight=weights,
            work_limit=_WORK,
            time_limit=clock.left,
        )
    return proving.certify(
        X, y, sample_weight=weights, time_limit=clock.left, preprocessing=preprocessing
    )


def _in_units_of_table(compared: Compared) -> tuple[Any, Preprocessing | None]:
    """All rows in the units of the table, missing values filled as in training."""
    read, learned = compared.read, compared.preprocessing
    if read.preprocessing is None or read.impute is None or learned is None:
        return read.X, read.preprocessing
    numbers = learned.numbers
    fills = [c.fill for c in numbers]
    preprocessing = read.preprocessing.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))
    gaps = np.isnan(preprocessing.head(read.X)[:, preprocessing.number_places]).any(axis=0).tolist()
    preprocessing = preprocessing.filling(
        {c.name for c, gap in zip(numbers, gaps, strict=True) if gap}
    )
    preprocessor = Preparation(preprocessing, scale=False)
    return preprocessor.fit(read.X).transform(read.X), preprocessing


def check(certificate: Certificate, X: Any, y: Any) -> Proof:
    """Let the stand-alone verifier check the certificate, where that takes seconds.

    `certify` has checked it already: it returns nothing that its verifier rejects.
    """
    rivals = len(certificate.classes) - 1
    if X.shape[0] * X.shape[1] * rivals**2 > _BY_HAND:
        by = "the vectorised verifier"
        sentence = (
            "accepted by the fast verifier inside the library; this table is too large for the "
            "slow stand-alone one here, which rosenblatt verify runs"
        )
        return {"accepted": True, "by": by, "milliseconds": None, "sentence": sentence}
    claim, numbers = certificate.to_dict(), packed(X)
    texts = [str(label) for label in y.tolist()]
    accepted, why = True, ""
    begin = time.perf_counter()
    try:
        data = verify.Data(claim, numbers, verify.label_signs(claim, texts))
        verify.check(claim, verify.lifted(claim, data))
    except verify.Rejected as reason:
        accepted, why = False, f": {reason}"
    milliseconds = 1000 * (time.perf_counter() - begin)
    by, word = "the stand-alone verifier", "accepted" if accepted else "REJECTED"
    sentence = f"{word} by {by} in {milliseconds:,.0f} ms{why}"
    return {
        "accepted": accepted,
        "by": by,
        "milliseconds": milliseconds,
        "sentence": sentence,
    }


# --- The proof inside the page -------------------------------------------------------------------
#
# The page checks what it can on opening: a nonnegative combination needs the rows that it is made
# of. Everything else needs the table, which a person drops there, or which `embed_data` put into
# the page.


MOST_EMBEDDED = 1_000_000  # numbers: a page of some megabytes, which a browser checks in seconds
_MOST_EMBEDDED_ROWS = 10_000  # numbers of single rows; a report can be mailed
_LONGEST = 300_000  # characters of a certificate


class Row(TypedDict):
    row: int  # from 0
    label: str
    numbers: list[float]  # of the columns of the certificate


class EmbeddedProof(TypedDict):
    """None stands for what is too large, or may not be told."""

    certificate: str  # JSON
    rows: list[Row]  # those that the proof combines
    table: str | None  # all rows as CSV: what `python -m rosenblatt.verify` reads


def embed(
    certificate: Certificate, X: Any, y: Any, *, rows: bool, table: bool
) -> EmbeddedProof | None:
    """`rows`: whether single rows may be shown; `table`: whether all of them shall be."""
    claim = certificate.to_dict()
    text = json.dumps(claim, separators=(",", ":"))
    if len(text) > _LONGEST or (claim["separable"] is None) or ("conflict" in claim and not rows):
        return None
    numbers = _needed(claim, X.shape[1]) if rows else []
    whole = None
    if table:
        file = io.StringIO()
        write_numbers(file, claim["columns"], claim["target"], X, y)
        whole = file.getvalue()
    return {"certificate": text, "rows": _rows(numbers, X, y), "table": whole}


def check_size(X: Any) -> None:
    """Before any work: can a page hold all these numbers?"""
    if X.shape[0] * X.shape[1] > MOST_EMBEDDED:
        raise InputError(
            f"{option('embed_data', True)} puts up to {MOST_EMBEDDED:,} numbers into the report, "
            f"and {X.shape[0]:,} rows of {X.shape[1]:,} are more. Leave it out: the page checks "
            "everything when the table is dropped on it.",
            option="embed_data",
            value=True,
        )


def _needed(claim: dict[str, Any], width: int) -> list[int]:
    """The rows that combinations are made of: those of the conflict or of the margins; where
    there is room also those that prove an overlap."""
    margins = claim.get("margins", {}).values()
    first = [part["rows"] for part in (claim.get("conflict"), *margins) if part]
    needed: list[int] = []
    for rows in [*first, claim.get("balance", {}).get("rows", [])]:
        more = sorted({*needed, *(_row(claim, i) for i in rows)})
        if len(more) * width <= _MOST_EMBEDDED_ROWS:
            needed = more
    return needed


def _row(claim: dict[str, Any], number: int) -> int:
    """The row of the table; of more than two classes a number also has its class and a rival."""
    k = len(claim["labels"])
    return number // k**2 if k > 2 else number


def _rows(some: list[int], X: Any, y: Any) -> list[Row]:
    numbers = dense(X[some]) if some else np.empty((0, X.shape[1]))
    return [
        {"row": i, "label": str(label), "numbers": x}
        for i, label, x in zip(some, np.asarray(y)[some].tolist(), numbers.tolist(), strict=True)
    ]


def write_numbers(file: TextIO, names: list[str], target: str, X: Any, y: Any) -> None:
    """Rows of numbers and labels as CSV: what `python -m rosenblatt.verify` reads."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*names, target])
    for begin in range(0, len(y), 1000):
        rows, labels = dense(X[begin : begin + 1000]), y[begin : begin + 1000]
        both = zip(rows.tolist(), labels, strict=True)
        writer.writerows([*map(repr, row), label] for row, label in both)
