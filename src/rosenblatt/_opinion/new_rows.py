"""New rows beside a table: the same columns, as finite numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from rosenblatt._compute.matrices import as_table
from rosenblatt._inputs import exact, validate
from rosenblatt._proof import frames
from rosenblatt._proof.table import Table
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


def new_rows(table: Table, Q: Any, encoding: Encoding | None, *, like: Any) -> Any:
    """Q as numbers in the columns of the table, dense or sparse as it is; `like`: what that was."""
    if encoding is not None:
        if not frames.has_words(Q) and not hasattr(Q, "columns"):
            raise InputError("X is a data frame with words: give Q as one with the same columns.")
        Q = frames.in_numbers_again(Q, encoding, decimal=False)
    else:
        exact.refuse_rounded(Q, decimal=False)
    reader = BaseEstimator()
    names = getattr(like, "columns", None)
    if encoding is None and names is not None:
        other = [str(name) for name in getattr(Q, "columns", names)]
        if other != [str(name) for name in names]:
            raise InputError(
                f"Q has the columns {other}, and X {table.columns}: give the same ones in the same "
                "order."
            )
    matrix = as_table(validate.rows(reader, Q, reset=True, name="Q"))
    if matrix.shape[1] != len(table.columns):
        raise InputError(
            f"Q has {matrix.shape[1]} columns, and X has {len(table.columns)}: give the same ones."
        )
    if sparse.issparse(table.X):
        return sparse.csr_matrix(matrix)
    return np.asarray(matrix.todense() if sparse.issparse(matrix) else matrix, dtype=np.float64)
