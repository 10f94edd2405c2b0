"""Rows of numbers one below the other, and columns side by side: arrays, or sparse where one is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt._compute.matrices import dense

if TYPE_CHECKING:
    from rosenblatt.data.encode import Encoding


def below(parts: list[Any], features: int) -> Any:
    """All rows of parts."""
    if not parts:
        return np.empty((0, features))
    if any(map(sparse.issparse, parts)):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def beside(X: Any, others: list[Any]) -> Any:
    """An array with further columns, which are sparse."""
    return sparse.hstack([sparse.csr_array(X), *others], format="csr") if others else X


def head(encoding: Encoding, X: Any) -> Any:
    """The features before those of prose, as an array; the same array where there is no prose."""
    return dense(X[:, : encoding.n_dense]) if sparse.issparse(X) else X


def with_head(encoding: Encoding, X: Any, new: Any) -> Any:
    """The rows X with these features before those of prose."""
    return beside(new, [X[:, encoding.n_dense :]]) if sparse.issparse(X) else new
