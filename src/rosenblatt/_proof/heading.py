"""What the document of a certificate is about: its first fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import verify
from rosenblatt._proof.check import fingerprint
from rosenblatt._proof.many_classes import sizes_part
from rosenblatt._proof.table import Table
from rosenblatt._support.budget import Budget
from rosenblatt._support.version import __version__

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


def head(
    table: Table,
    intercept: bool,
    semantics: str,
    budget: Budget,
    encoding: Encoding | None = None,
) -> dict[str, Any]:
    """What a document is about; with an encoding, how the numbers were made."""
    index = np.arange(len(table.y))
    left_out = index[:0] if table.present is None else np.delete(index, table.present)
    dropped = left_out.tolist()
    return {
        "schema": verify.SCHEMA if len(table.classes) <= 2 else verify.MANY,
        "producer": f"rosenblatt {__version__}",
        "semantics": semantics,
        "fit_intercept": intercept,
        "rows": len(table.y),
        "dropped": dropped,
        "columns": table.columns,
        "target": table.target,
        "labels": table.labels,
        **sizes_part(table),
        "sha256": fingerprint(table.X, table.y, dropped, budget.hear),
        **({} if encoding is None else {"encoding": encoding.to_dict()}),
    }
