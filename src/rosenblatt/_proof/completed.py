"""A guess in many dimensions, completed: rows that take what floats left of a blend.

A blend of D + 1 rows in general position is zero; in thousands of dimensions some of the last of
them weigh less than rounding does, and the search ends without them. What it left lies in the few
dimensions that its rows do not span: there a small problem finds the rows that are missing.
"""

from __future__ import annotations

import numpy as np

from rosenblatt._proof.metric import Sight
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats

_MOST_MISSING = 64
_AT_ONCE = 1 << 22  # numbers of rows that are looked at together


def completed(rows: Rows, sight: Sight, support: list[int]) -> list[int]:
    """The support, and as many more rows as its blend lacks to be zero; as it is, where more than
    some are missing or they are not found."""
    size = sight.dimensions(rows) + 1
    missing = size - len(support)
    if not 0 < missing <= min(_MOST_MISSING, len(support)):
        return support
    from scipy.optimize import nnls  # late: it takes longer to import than most proofs

    rows.budget.spend(size**2)  # a decomposition; it takes as long as so many rows
    own = _columns(rows, sight, np.array(support, dtype=np.intp))
    free = np.linalg.qr(own.T, mode="complete")[0][:, len(support) :]
    target = sight.unit * free[-1]  # what is left of (0, unit)
    other = np.setdiff1d(np.arange(rows.n), support)
    step = max(1, _AT_ONCE // size)
    parts = [
        _columns(rows, sight, other[begin : begin + step]) @ free
        for begin in range(0, len(other), step)
    ]
    seen = np.concatenate([np.zeros((0, missing)), *parts])
    try:
        shares, _ = nnls(seen.T, target / (float(np.linalg.norm(target)) or 1.0))
    except RuntimeError:  # it did not converge
        return support
    return [*support, *other[shares > 0].tolist()]


def _columns(rows: Rows, sight: Sight, index: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    b = sight.rows(rows, index)
    return np.hstack([b, np.full((len(b), 1), sight.unit)])
