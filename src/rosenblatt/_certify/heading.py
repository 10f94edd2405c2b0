"""What the document of a certificate is about: its first fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import verify
from rosenblatt._certify.check import fingerprint
from rosenblatt._certify.table import Table
from rosenblatt._util.version import __version__

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


def head(
    table: Table,
    intercept: bool,
    semantics: str,
    encoding: Encoding | None = None,
) -> dict[str, Any]:
    """What a document is about; with an encoding, how the numbers were made."""
    index = np.arange(len(table.y))
    left_out = index[:0] if table.present is None else np.delete(index, table.present)
    dropped = left_out.tolist()
    mark = fingerprint(table.X, table.y, dropped)
    return {
        **opening(
            len(table.y),
            dropped,
            table.columns,
            table.target,
            table.labels,
            mark,
            intercept=intercept,
            semantics=semantics,
            sizes=_sizes(table),
        ),
        **({} if encoding is None else {"encoding": encoding.to_dict()}),
    }


def opening(
    rows: int,
    dropped: list[int],
    columns: list[str],
    target: str,
    labels: Sequence[str | None],
    sha256: str,
    *,
    intercept: bool,
    semantics: str = "binary64",
    sizes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields that tell which data it is about, wherever its rows are."""
    return {
        "schema": verify.SCHEMA,
        "producer": f"rosenblatt {__version__}",
        "semantics": semantics,
        "fit_intercept": intercept,
        "rows": rows,
        "dropped": dropped,
        "columns": columns,
        "target": target,
        "labels": list(labels),
        **(sizes or {}),
        "sha256": sha256,
    }


def _sizes(table: Table) -> dict[str, Any]:
    """How many rows each of many classes has."""
    if len(table.classes) <= 2:
        return {}
    y = table.y if table.present is None else table.y[table.present]
    return {"sizes": np.bincount(y, minlength=len(table.classes) + 1)[1:].tolist()}
