"""Updates by row; of many classes by row and class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._model import arrays
from rosenblatt._support.strict_json import Part

Counts = NDArray[np.int64]


def written(counts: Any) -> Any:
    """Of many classes what each row added to them, and what it took from them."""
    if counts is None or not counts.shape[0]:
        return None
    if counts.ndim == 1:
        return arrays.many_counts(counts)
    found = counts.toarray() if sparse.issparse(counts) else counts
    return {
        "added": arrays.many_counts(np.maximum(found, 0)),
        "taken": arrays.many_counts(np.maximum(-found, 0)),
    }


def read(part: Part, field: str, rows: int, k: int) -> Counts | None:
    """As training counts them; None where they are null."""
    if k == 2:
        return part.optional(
            lambda name: arrays.read_counts(part, name, (rows,), deflated=True), field
        )
    given = part.optional(part.part, field)
    if given is None:
        return None
    with given:
        added, taken = (
            arrays.read_counts(given, name, (rows, k), deflated=True) for name in ("added", "taken")
        )
    return added - taken
