"""The verdict on all rows, its proof, and what is known of the training rows."""

from __future__ import annotations

import csv
import io
import json
import time
from typing import TYPE_CHECKING, Any, TextIO, TypedDict

import numpy as np

from rosenblatt import certificate as proving
from rosenblatt import verify
from rosenblatt._certify.check import packed
from rosenblatt._core.rows import dense
from rosenblatt._study import forced, opinions, progressive
from rosenblatt._study.options import Options
from rosenblatt._study.work import Work, training_rows
from rosenblatt._util.progress import stage
from rosenblatt._util.spelling import option
from rosenblatt.data.encoding import Number
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.stack import head, in_place
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.document import Proof
    from rosenblatt.data import Encoding


_BY_HAND = 2_000_000  # numbers, of many classes lifted, that the stand-alone verifier soon reads
_MANY = 200  # features; with more, the largest margin takes much longer than all the rest
_MANY_LIFTED = 1000  # the same of many classes: features times classes
_WORK = 20_000_000  # row evaluations: some seconds
SECONDS = 10.0  # for the verdict and the margins together, where nobody said how long
_LEAST = 1.0  # of them for the margins


def decide(work: Work, options: Options) -> None:
    """The verdict on all rows, its check, and what is known of the training rows."""
    if work.interrupted or work.unasked:
        return
    clock = _Clock(options.time_limit)
    try:
        X, encoding = _as_they_stand(work)
        X, y, weights = in_place(X, work.y, work.left_out)
        with work.timed("deciding"), stage("deciding about all rows"):
            work.certificate = _certify(X, y, clock, encoding, weights)
        with work.timed("checking the proof"), stage("checking the proof"):
            work.proof = prove(work.certificate, X, y)
            work.carried = carried(
                work.certificate, X, y, rows=not options.no_rows, embed=options.embed_data
            )
        if options.points is None:  # a card is not about distances
            with work.timed("margins of the training rows"), stage("margins of the training rows"):
                work.of_training = _certify(*training_rows(work), clock)
        with work.timed("what the rows force"), stage("what the rows force"):
            work.forced = forced.look(X, y, weights, work.certificate)
        with work.timed("second opinions"), stage("second opinions"):
            work.opinions = opinions.look(work, X, options)
        if options.points is None:  # those met along a pass are no cards
            with work.timed("one pass over all rows"), stage("one pass over all rows"):
                work.progressive = progressive.look(work, options)
    except KeyboardInterrupt:
        work.interrupted = True


class _Clock:
    """How many seconds are left."""

    def __init__(self, limit: float | None):
        self.given, self._begin = limit, time.monotonic()

    @property
    def left(self) -> float:
        whole = SECONDS if self.given is None else self.given
        return max(_LEAST, whole - (time.monotonic() - self._begin)) if whole > _LEAST else whole


def _certify(
    X: Any, y: Any, clock: _Clock, encoding: Encoding | None = None, weights: Any = None
) -> Certificate:
    """In full, or, with many columns, in good time where nobody said how long it may take."""
    if clock.given is None and (
        X.shape[1] > _MANY or X.shape[1] * len(np.unique(y)) > _MANY_LIFTED
    ):
        return proving.by_training_first(
            X,
            y,
            encoding=encoding,
            sample_weight=weights,
            work_limit=_WORK,
            time_limit=clock.left,
        )
    return proving.certify(X, y, sample_weight=weights, time_limit=clock.left, encoding=encoding)


def _as_they_stand(work: Work) -> tuple[Any, Encoding | None]:
    """All rows in the units of the table, gaps filled as in training."""
    if work.encoding is None or work.impute is None or work.learned is None:
        return work.X, work.encoding
    numbers = [c for c in work.learned.columns if isinstance(c, Number)]
    fills = [c.fill for c in numbers]
    encoding = work.encoding.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))
    gaps = np.isnan(head(encoding, work.X)[:, encoding.number_places]).any(axis=0).tolist()
    encoding = encoding.filling({c.name for c, gap in zip(numbers, gaps, strict=True) if gap})
    prepare = Preparation(encoding, scale=False)
    return prepare.fit(work.X).transform(work.X), encoding


def prove(certificate: Certificate, X: Any, y: Any) -> Proof:
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
        verify.check(claim, verify.Lifted(claim, data) if certificate.many else data)
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


# What the report carries so that its page can check the proof: the certificate and rows of it.
#
# The page checks what it can on opening: a blend needs the rows that it is made of. Everything
# else
# needs the table, which a person drops there, or which `embed_data` put into the page.


MOST_EMBEDDED = 1_000_000  # numbers: a page of some megabytes, which a browser checks in seconds
_MOST_CARRIED = 10_000  # numbers of single rows; a report can be mailed
_LONGEST = 300_000  # characters of a certificate


class Row(TypedDict):
    row: int  # from 0
    label: str
    numbers: list[float]  # of the columns of the certificate


class Carried(TypedDict):
    """None stands for what is too large, or may not be told."""

    certificate: str  # JSON
    rows: list[Row]  # those that the proof blends
    table: str | None  # all rows as CSV: what `python -m rosenblatt.verify` reads


def carried(certificate: Certificate, X: Any, y: Any, *, rows: bool, embed: bool) -> Carried | None:
    """`rows`: whether single rows may be told; `embed`: whether all of them shall be."""
    claim = certificate.to_dict()
    text = json.dumps(claim, separators=(",", ":"))
    if len(text) > _LONGEST or (claim["separable"] is None) or ("conflict" in claim and not rows):
        return None
    some = _needed(claim, X.shape[1]) if rows else []
    table = None
    if embed:
        file = io.StringIO()
        write_numbers(file, claim["columns"], claim["target"], X, y)
        table = file.getvalue()
    return {"certificate": text, "rows": _rows(some, X, y), "table": table}


def check_size(X: Any) -> None:
    """Before any work: can a page hold all these numbers?"""
    if X.shape[0] * X.shape[1] > MOST_EMBEDDED:
        raise InputError(
            f"{option('embed_data', True)} puts up to {MOST_EMBEDDED:,} numbers into the report, "
            "and "
            f"{X.shape[0]:,} rows of {X.shape[1]:,} are more. Leave it out: the page checks "
            "everything when the table is dropped on it.",
            option="embed_data",
            value=True,
        )


def _needed(claim: dict[str, Any], width: int) -> list[int]:
    """The rows that blends are made of: those of the conflict or of the margins; where there is
    room also those that prove an overlap."""
    margins = claim.get("margins", {}).values()
    first = [part["rows"] for part in (claim.get("conflict"), *margins) if part]
    found: list[int] = []
    for rows in [*first, claim.get("balance", {}).get("rows", [])]:
        more = sorted({*found, *(_row(claim, i) for i in rows)})
        if len(more) * width <= _MOST_CARRIED:
            found = more
    return found


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
