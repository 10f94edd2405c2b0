"""Columns beside the rows that a likelihood needs, as times and strata, read from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosenblatt.data.batch import Reader


def columns_of(reader: Reader, names: Mapping[str, str | None], left_out: Any) -> dict[str, Any]:
    """By role; those of all rows. Rows that were left out have zeros, and no stratum."""
    import numpy as np

    from rosenblatt._certify.families import Column
    from rosenblatt.data.batch import Kind

    numbers = [n for role, n in names.items() if n is not None and role in ("time", "entry")]
    reader = reader.copy()
    reader.kinds([name for name in numbers if name not in reader.styles])
    found: dict[str, Any] = {}
    for role, name in names.items():
        if name is None:
            continue
        kind = Kind.NUMBER if name in numbers else Kind.TEXT
        values: list[Any] = []
        for batch in reader.copy().batches({name: kind}, declared=True):
            values += (
                batch.columns.column(name).to_pylist()
                if kind is Kind.TEXT
                else batch.numbers(name).tolist()
            )
        for i in left_out.tolist():
            values[i] = "" if kind is Kind.TEXT else 0.0
        found[role] = Column(name, values if kind is Kind.TEXT else np.array(values))
    factors = [found.pop(role) for role in names if role.startswith("absorb")]
    return found | ({"absorb": factors} if factors else {})
