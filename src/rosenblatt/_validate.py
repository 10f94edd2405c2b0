"""Checks of parameters and rows; `_targets.py` has those of labels and weights.

Every input is checked here, once: what reaches the kernels is in order.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from rosenblatt.errors import InputError, InputTypeError

FLOATS = (np.float64, np.float32)

# --- Parameters --------------------------------------------------------------------------------


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    if not (isinstance(value, str) and value in allowed):
        names = ", ".join(repr(a) for a in allowed)
        raise InputError(f"{name}={value!r} is not known. Allowed: {names}.")


def positive(name: str, value: Any) -> float:
    if not _is_number(value) or not (math.isfinite(value) and value > 0):
        raise InputError(f"{name}={value!r} is not allowed: give a finite number greater than 0.")
    return float(value)


def not_negative(name: str, value: Any) -> float:
    if not _is_number(value) or not (math.isfinite(value) and value >= 0):
        raise InputError(f"{name}={value!r} is not allowed: give a finite number, 0 or greater.")
    return float(value)


def whole(name: str, value: Any, *, or_none: bool = False) -> int | None:
    if value is None and or_none:
        return None
    allowed = "a whole number, 1 or greater" + (", or None for no limit" if or_none else "")
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name}={value!r} is not allowed: give {allowed}.")
    return int(value)


def flag(name: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name}={value!r} is not allowed: give True or False.")
    return bool(value)


# --- Rows --------------------------------------------------------------------------------------


def rows(estimator: Any, X: Any, *, reset: bool, finite: bool = True) -> Any:
    """X as a C-contiguous array or sorted CSR matrix of float32 or float64, copied only if needed.

    With `reset` the estimator learns the number and names of the features, else it checks them.
    """
    _check_csr_indices(X)
    _check_objects(X)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        accept_large_sparse=True,
        dtype=FLOATS,
        order="C",
        ensure_all_finite=finite,
    )
    return _sorted(X)


def refuse_not_finite(estimator: Any, X: Any) -> None:
    """Raise scikit-learn's own error if a number of X is NaN or infinite."""
    check_array(X, accept_sparse="csr", dtype=None, estimator=estimator, input_name="X")


def _check_csr_indices(X: Any) -> None:
    if not (sparse.issparse(X) and X.format == "csr"):
        return
    n, d = X.shape
    if len(X.indptr) != n + 1 or X.indptr[0] != 0 or (np.diff(X.indptr) < 0).any():
        raise InputError(
            f"X is a CSR matrix of {n} rows whose indptr is not {n + 1} numbers that start at 0 "
            "and never fall. Build it with scipy.sparse.csr_matrix((data, (row, column)), shape)."
        )
    if X.indptr[-1] > min(len(X.indices), len(X.data)):
        raise InputError(
            f"X is a CSR matrix that announces {X.indptr[-1]} entries but holds "
            f"{len(X.indices)} indices and {len(X.data)} values."
        )
    entries = X.indices[: X.indptr[-1]]
    if len(entries) and not (entries.min() >= 0 and entries.max() < d):
        k = int(np.flatnonzero((entries < 0) | (entries >= d))[0])
        row = int(np.searchsorted(X.indptr, k, side="right")) - 1
        raise InputError(
            f"X has a column index out of range: row {row} holds index {entries[k]}, but X has "
            f"{d} columns (0 to {d - 1})."
        )


def _sorted(X: Any) -> Any:
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()  # sorts, too
    if X.indices.dtype != X.indptr.dtype:
        X = X.copy()
        X.indices = X.indices.astype(np.int64)
        X.indptr = X.indptr.astype(np.int64)
    return X


def _check_objects(X: Any) -> None:
    """An array of Python objects may hold numbers only; text that looks like one is refused."""
    if sparse.issparse(X):
        return
    if not hasattr(X, "dtype") and not isinstance(X, (list, tuple)):
        X = np.asarray(X) if hasattr(X, "__array__") else X  # a data frame
    elif isinstance(X, (list, tuple)):
        X = _as_array(X)
    if getattr(X, "dtype", None) is None or X.dtype.kind not in "OUS" or X.ndim != 2:
        return
    for i, row in enumerate(X):
        for j, value in enumerate(row):
            if not isinstance(value, numbers.Number | np.generic) or isinstance(value, np.str_):
                raise InputTypeError(
                    f"X holds {value!r} ({type(value).__name__}) at row {i}, column {j}: each "
                    "argument must be a number, and a string that looks like one is not a number. "
                    "Encode such columns first, for example with "
                    "sklearn.preprocessing.OneHotEncoder, or leave them out."
                )


def _as_array(X: Any) -> Any:
    try:
        return np.asarray(X)
    except ValueError:  # ragged: validate_data has the better words
        return X
