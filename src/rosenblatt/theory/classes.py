"""Many classes as one problem of two: Kesler's construction."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt._compute.matrices import as_table
from rosenblatt._inputs import targets
from rosenblatt.errors import InputError
from rosenblatt.theory import given

_MOST = 10**8  # numbers in a lift that is not sparse


def kesler_lift(X: Any, y: Any) -> Any:
    """z = (e_y - e_c) ⊗ x_i for every row and each class c but its own, y.

    With the weights of all classes one after the other, W·z = s_y - s_c: W gives every row its
    highest score for its own class exactly when W·z > 0 for all of these. So what holds for two
    classes through the origin holds for many: the joint perceptron is the perceptron on these rows.
    They come row by row, with the other classes in their order. With intercepts:
    `kesler_lift(lift(X), y)`.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.kesler_lift([[3.0], [4.0], [5.0]], ["a", "b", "c"])
    array([[ 3., -3.,  0.],
           [ 3.,  0., -3.],
           [-4.,  4.,  0.],
           [ 0.,  4., -4.],
           [-5.,  0.,  5.],
           [ 0., -5.,  5.]])
    """
    table = as_table(given.matrix(X))
    y = targets.labels(y, table.shape[0])
    classes = targets.found_classes(y, many=True)
    k = len(classes)
    if k == 1:
        raise InputError(f"y holds one class only, {classes[0]}: a row has no other class to beat.")
    n, d = table.shape
    row, rival = np.divmod(np.arange(n * k), k)
    own = np.searchsorted(classes, y)[row]
    row, own, rival = row[own != rival], own[own != rival], rival[own != rival]
    if sparse.issparse(table):
        return _sparse(table[row], own, rival, k)
    if len(row) * k * d > _MOST:
        raise InputError(
            f"The lift has {len(row):,} rows of {k * d:,} numbers, too many to keep. Give X "
            "as a CSR matrix, or ask certify(X, y), which keeps none of them."
        )
    out = np.zeros((len(row), k, d), dtype=table.dtype)
    place = np.arange(len(row))
    out[place, own] = table[row]
    out[place, rival] = 0 - table[row]
    return out.reshape(len(row), k * d)


def _sparse(rows: Any, own: Any, rival: Any, k: int) -> Any:
    """The same in CSR: each number once in the block of the class and once in that of the rival."""
    n, d = rows.shape
    rows = rows.tocoo()
    columns = [block[rows.row] * d + rows.col for block in (own, rival)]
    return sparse.csr_matrix(
        (
            np.concatenate([rows.data, -rows.data]),
            (np.concatenate([rows.row, rows.row]), np.concatenate(columns)),
        ),
        shape=(n, k * d),
    )
