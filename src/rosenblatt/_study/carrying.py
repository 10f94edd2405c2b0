"""What the report carries so that its page can check the proof: the certificate and rows of it.

The page checks what it can on opening: a blend needs the rows that it is made of. Everything else
needs the table, which a person drops there, or which `embed_data` put into the page.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, TextIO, TypedDict

import numpy as np

from rosenblatt import verify
from rosenblatt._compute.matrices import dense
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate

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
            f"embed_data (--embed-data) puts up to {MOST_EMBEDDED:,} numbers into the report, and "
            f"{X.shape[0]:,} rows of {X.shape[1]:,} are more. Leave it out: the page checks "
            "everything when the table is dropped on it."
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
    many = claim["schema"] == verify.MANY
    return number // len(claim["labels"]) ** 2 if many else number


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
