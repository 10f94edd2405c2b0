"""Checks of rows and of the names of their columns; `targets.py` has those of labels and weights.

Every input is checked here, once: what reaches the kernels is in order. scikit-learn is asked
where there is something to say, and imported then: commands that need no estimator do without.
"""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.backend import compute
from rosenblatt._core.device import OnDevice, chosen_device, is_on_gpu, send, take, to_host
from rosenblatt._core.rows import Csr, Matrix, Placed, as_matrix
from rosenblatt.errors import InputError, InputTypeError

FLOATS = (np.float64, np.float32)
_FEW_ROWS = 100  # that are looked at for words
_TELLS_MEMORY = "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {})


def checked_rows(
    estimator: Any, X: Any, *, reset: bool, finite: bool = True, name: str = "X"
) -> Matrix:
    """X as a C-contiguous array or Csr of float32 or float64, copied only if needed.

    With `reset` the estimator learns the number and names of the features, else it checks them.
    """
    if reset and plain(X, finite=finite):
        learn_features(estimator, X.shape[1], None)
        return np.ascontiguousarray(X)
    if not reset and plain_for(estimator, X, finite=finite):
        return np.ascontiguousarray(X)
    from sklearn.utils.validation import validate_data

    if reset:
        _drop_study_attributes(estimator)
    else:
        _refuse_table(estimator, X, name)
    if sparse.issparse(X):
        _check_indices(X, name)
        _refuse_complex(X.dtype, name)
        _refuse_too_wide(X.shape[1], name)
    else:
        _check_numbers(X, name)
        finite = finite and not _known_finite(X)  # else scikit-learn looks, and says what it finds
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the check of huge numbers sums them
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
    except ValueError as error:
        refuse_first_not_finite(estimator, X, name)
        if name == "X":
            raise
        raise InputError(f"{name} is not in order: {error}") from None
    return as_matrix(_canonical(X) if sparse.issparse(X) else X)


def _canonical(X: Any) -> Any:
    """Sorted, without duplicates; a copy where it is not, as vectorised text mostly is."""
    if X.has_canonical_format:
        return X
    if X.shape[1] <= X.nnz:
        by_column = X.tocsc().tocsr()  # twice as fast as sorting, and the same
        if by_column.has_canonical_format:
            return by_column
    X = X.copy()
    X.sum_duplicates()  # sorts, too
    return X


def placed_rows(
    estimator: Any, X: Any, *, reset: bool, finite: bool = True, name: str = "X"
) -> Placed:
    """X as `checked_rows` gives it, or on a GPU, where it is there or was asked for."""
    wanted = vars(estimator).get("device")
    on_host = type(X) is np.ndarray or not is_on_gpu(X)
    if not on_host and wanted != "cpu":
        return _checked_on_gpu(estimator, X, reset=reset, finite=finite, name=name)
    host_rows = X if on_host else to_host(X)
    host = checked_rows(estimator, host_rows, reset=reset, finite=finite, name=name)
    if (wanted or chosen_device.get()) == "cpu":
        return host
    if isinstance(host, Csr):
        raise InputError(
            f"{name} is sparse, and a GPU takes dense rows only. Train on the CPU (device='cpu'), "
            f"or give {name}.toarray() if it fits into memory."
        )
    _refuse_too_many(host.shape[0], name)
    return send(host)


def placed_rows_to_predict(estimator: Any, X: Any, *, finite: bool = True) -> Placed:
    """X as `placed_rows` gives it, for an estimator that must be fitted."""
    _refuse_unfitted(estimator)
    return placed_rows(estimator, X, reset=False, finite=finite)


def rows_alone(
    X: Any, *, finite: bool = True, name: str = "X"
) -> tuple[Matrix, NDArray[Any] | None]:
    """X as `checked_rows` gives it, without an estimator, and the names of its columns if any."""
    if plain(X, finite=finite):
        return np.ascontiguousarray(X), None
    from sklearn.base import BaseEstimator

    reader = BaseEstimator()
    matrix = checked_rows(reader, X, reset=True, finite=finite, name=name)
    return matrix, getattr(reader, "feature_names_in_", None)


def rows_to_predict(estimator: Any, X: Any) -> Matrix:
    """X as `checked_rows` gives it, for an estimator that must be fitted."""
    _refuse_unfitted(estimator)
    return checked_rows(estimator, X, reset=False)


def _refuse_unfitted(estimator: Any) -> None:
    if "_rule" not in vars(estimator):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)


def learn_features(estimator: Any, d: int, names: list[str] | None) -> None:
    _drop_study_attributes(estimator)
    estimator.n_features_in_ = d
    vars(estimator).pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _drop_study_attributes(estimator: Any) -> None:
    for name in ("preprocessing_", "objective_"):
        vars(estimator).pop(name, None)


def _refuse_table(estimator: Any, X: Any, name: str) -> None:
    """A table that the preprocessing of the estimator has yet to make into numbers."""
    preprocessing = vars(estimator).get("preprocessing_")
    if preprocessing is None or (isinstance(X, np.ndarray) and X.dtype.kind not in "OUS"):
        return
    columns = _column_names(X)
    if columns is not None:
        features = preprocessing.feature_names
        # Where features are named as columns are, nothing shows that a frame has been through it.
        raw = preprocessing.changes_numbers and features == preprocessing.inputs
        table = raw or columns != features
    else:
        table = isinstance(X, np.ndarray | list) and any(
            isinstance(value, str) for value in np.asarray(X, dtype=object)[:_FEW_ROWS].ravel()
        )
    if table:
        raise InputTypeError(
            f"{name} is a table as it stands, and "
            f"{type(estimator).__name__} takes the {estimator.n_features_in_} numbers that its "
            "preprocessing makes of a row, scaled and filled as in training, as an array. For the "
            f"table itself: Study.load(path).predict({name}), where path is the model file; for "
            f"this estimator: estimator.preprocessing_.transform({name})."
        )


def _column_names(X: Any) -> list[str] | None:
    """Of a data frame of pandas, polars or pyarrow; None for what is none."""
    names = getattr(X, "columns", None) if _is_frame(X) else None
    if names is None and hasattr(X, "schema"):  # columns of pyarrow are the values themselves
        names = X.schema.names
    return None if names is None else [*map(str, names)]


def refuse_not_finite(estimator: Any, X: Matrix, scores: NDArray[np.float64]) -> None:
    """Because X is not, or because scores overflowed."""
    refuse_first_not_finite(estimator, X, "X")
    if np.isnan(scores).any():
        row = int(np.argwhere(np.isnan(scores))[0, 0])
        raise InputError(
            f"The score of row {row} is beyond floating-point numbers: the numbers in X are too "
            "large. Scale the features, in training and here alike.",
            row=int(row),
        )


def refuse_first_not_finite(estimator: Any, X: Any, name: str) -> None:
    """As scikit-learn does, and says where. What cannot be read as numbers is left to others."""
    try:
        rows = as_matrix(X.tocsr()) if sparse.issparse(X) else X
        if not isinstance(rows, Csr):
            rows = np.asarray(rows)
            if rows.ndim != 2 or rows.dtype.kind == "c":
                return
            if rows.dtype.kind == "O" and _is_frame(X):  # NA of pandas is no number
                rows = X.to_numpy(dtype=np.float64, na_value=np.nan)
            rows = np.asarray(rows, dtype=np.float64)
        place = first_not_finite(rows)
    except (TypeError, ValueError):
        return
    if place is None:
        return
    i, j, value = place
    names = getattr(X, "columns", vars(estimator).get("feature_names_in_"))
    column = f"{j}" if names is None else f"{j} ({names[j]!r})"
    found, remedy = (
        ("NaN", "fill such gaps (sklearn.impute.SimpleImputer), or leave out their rows")
        if np.isnan(value)
        else ("infinity", "scale the features, or leave out such rows")
    )
    raise InputError(
        f"Input {name} contains {found}: at row {i}, column {column}. A perceptron takes finite "
        f"numbers: {remedy}.",
        row=i,
        column=j,
    ) from None


def first_not_finite(X: Matrix) -> tuple[int, int, float] | None:
    """Row, column and value of the first number that is NaN or infinite."""
    values = X.data if isinstance(X, Csr) else X
    if np.isfinite(values).all():
        return None
    if isinstance(X, Csr):
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        return int(np.searchsorted(X.indptr, k, side="right")) - 1, int(X.indices[k]), values[k]
    i, j = (int(v) for v in np.argwhere(~np.isfinite(X))[0])
    return i, j, X[i, j]


def _check_indices(X: Any, name: str) -> None:
    """scipy trusts its indices, and so would the kernels."""
    if X.ndim != 2:
        raise InputError(
            f"{name} is a sparse array of {X.ndim} dimension: expected 2D, rows and columns."
        )
    if X.format == "csr":
        _check_csr(X, name)
    elif X.format in ("csc", "bsr"):
        try:
            X.copy().check_format(full_check=True)  # a copy: the check tidies up what it checks
        except ValueError as error:
            raise InputError(
                f"{name} is a {X.format} matrix with an index out of range or disorder: {error}."
            ) from None
    elif X.format == "coo":
        for axis, (index, size) in enumerate(zip((X.row, X.col), X.shape, strict=True)):
            if len(index) and not (index.min() >= 0 and index.max() < size):
                bad = index[(index < 0) | (index >= size)][0]
                word = ("row", "column")[axis]
                raise InputError(
                    f"{name} holds the {word} index {bad}, out of range 0 to {size - 1}."
                )


def _refuse_too_wide(d: int, name: str) -> None:
    """Sparse rows may have any number of columns, and a rule has a weight for each."""
    held = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if _TELLS_MEMORY else 1 << 50
    if 8 * d > held:
        raise InputError(
            f"{name} has {d:,} columns: a weight for each takes {8 * d / 1e9:,.0f} GB, and this "
            f"machine has {held / 1e9:,.0f} GB. Leave out columns that are 0 in every row."
        )


def _check_csr(X: Any, name: str) -> None:
    n, d = X.shape
    if len(X.indptr) != n + 1 or X.indptr[0] != 0 or (X.indptr[1:] < X.indptr[:-1]).any():
        raise InputError(
            f"{name} is a CSR matrix of {n} rows whose indptr is not {n + 1} numbers that start at "
            "0 and never fall. Build it with scipy.sparse.csr_matrix((data, (row, column)), shape)."
        )
    if X.indptr[-1] > min(len(X.indices), len(X.data)):
        raise InputError(
            f"{name} is a CSR matrix that announces {X.indptr[-1]} entries but holds "
            f"{len(X.indices)} indices and {len(X.data)} values."
        )
    entries = X.indices[: X.indptr[-1]]
    if len(entries) and not (entries.min() >= 0 and entries.max() < d):
        k = int(np.flatnonzero((entries < 0) | (entries >= d))[0])
        row = int(np.searchsorted(X.indptr, k, side="right")) - 1
        raise InputError(
            f"{name} has a column index out of range: row {row} holds index {entries[k]}, but "
            f"{name} has {d} columns (0 to {d - 1})."
        )


def _check_numbers(X: Any, name: str) -> None:
    """Objects may be numbers only; text that looks like a number is not one, nor is a date."""
    if X is None or isinstance(X, (str, bytes, dict, set)):
        raise InputTypeError(
            f"{name} is {'None' if X is None else f'a {type(X).__name__}'}; give a table of "
            "numbers: an array, a data frame or a sparse matrix."
        )
    if type(X).__name__ == "LazyFrame":
        raise InputTypeError(
            f"{name} is a LazyFrame, which holds no rows yet: give {name}.collect()."
        )
    if isinstance(X, np.ndarray):
        table = X
    elif _is_frame(X):
        if all(_is_numeric(kind) for kind in X.dtypes):
            return
        for kind in X.dtypes:
            _refuse_complex(kind, name)
        table = np.asarray(X, dtype=object)
    else:
        try:
            table = np.asarray(X)
        except ValueError:  # ragged: scikit-learn has the words
            return
    _refuse_complex(table.dtype, name)
    if table.dtype.kind not in "OUSMm" or table.ndim != 2:
        return
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            if not isinstance(value, numbers.Number):
                found = _not_a_number(value, name, i, _column(X, j))
                raise InputTypeError(found, value=value, row=i, column=j)


def _refuse_complex(dtype: Any, name: str) -> None:
    if getattr(dtype, "kind", None) == "c":
        raise InputError(
            f"Complex data not supported: {name} holds complex numbers. Give {name}.real, or the "
            "real and the imaginary parts as columns of their own."
        )


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _is_numeric(kind: Any) -> bool:
    """Of a column's type: NumPy's and pandas' have a kind, polars' say it themselves."""
    if isinstance(getattr(kind, "kind", None), str):
        return kind.kind in "biuf"
    return bool(getattr(kind, "is_numeric", lambda: False)()) or str(kind) == "Boolean"


def _column(X: Any, j: int) -> str:
    return f"column {j} ({list(X.columns)[j]!r})" if _is_frame(X) else f"column {j}"


_IN_WORDS: dict[type, str] = {str: "text", bytes: "bytes"}


def _not_a_number(value: Any, name: str, row: int, column: str) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        advice = (
            "a missing value. Fill it in (sklearn.impute.SimpleImputer) or drop the row: each "
            "argument must be a number, neither missing nor a string that looks like a number"
        )
    else:
        kind = _IN_WORDS.get(type(value), f"a {type(value).__name__}")
        advice = (
            f"{kind}. Each argument must be a number, and a string that looks "
            "like one is not a number: convert such a column (astype(float)), encode words "
            "(sklearn.preprocessing.OneHotEncoder), or drop it"
        )
    return f"{name} holds {value!r} at row {row}, {column}: {advice}."


# --- Rows that are on a GPU -----------------------------------------------------------------------

_MOST_ROWS = (1 << 31) - 2  # row numbers have 31 bits there


def _checked_on_gpu(estimator: Any, X: Any, *, reset: bool, finite: bool, name: str) -> OnDevice:
    if len(X.shape) != 2:
        raise InputError(
            f"Expected 2D array, got an array of {len(X.shape)} dimensions instead: {name} has one "
            "row for each example, one column for each feature."
        )
    n, d = (int(size) for size in X.shape)
    if n < 1 or d < 1:
        raise InputError(
            f"Found array with {n} sample(s) and {d} feature(s) (shape=({n}, {d})) while a minimum "
            f"of 1 is required: {name} is empty."
        )
    _refuse_too_many(n, name)
    if reset:
        learn_features(estimator, d, None)
    elif d != estimator.n_features_in_:
        raise InputError(
            f"{name} has {d} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    rows = take(X)
    broken = rows.rows().survey()[1] if finite else None
    if broken is not None:
        raise InputError(
            f"Input {name} contains NaN or infinity, first in row {broken}: fill it in, or drop "
            "the row.",
            row=int(broken),
        )
    return rows


def _refuse_too_many(n: int, name: str) -> None:
    if n > _MOST_ROWS:
        raise InputError(f"{name} has {n:,} rows; a GPU takes at most {_MOST_ROWS:,}.")


# --- Tables that are already as the kernels take them --------------------------------------------
#
# Many fits are small, many predictions one row. scikit-learn's validation costs a hundred times
# more than the score of a row. Where it could find nothing to do and nothing to say, it is not
# asked; in any other case it is, and speaks for itself.


_FLOATS = tuple(map(np.dtype, FLOATS))
_FEW = 1 << 17  # numbers to look at: with more of them validation does not count


def plain(X: Any, *, finite: bool) -> bool:
    """Whether X is an array of rows, one after another, or a small one, which is copied in no time;
    with `finite`, a small one of finite numbers."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _FLOATS
        and X.size > 0
        and (X.size <= _FEW or (not finite and X.flags.c_contiguous))
        and X.flags.aligned
        and (not finite or bool(np.isfinite(X).all()))
    )


def _known_finite(X: Any) -> bool:
    """Whether the compiled core sees at once that all numbers of an array are finite."""
    return (
        compute.native
        and type(X) is np.ndarray
        and X.dtype in _FLOATS
        and X.flags.c_contiguous
        and X.flags.aligned
        and compute.backend.all_finite(X.reshape(-1))
    )


def plain_for(estimator: Any, X: Any, *, finite: bool) -> bool:
    """`plain`, for an estimator that knows as many features, and no names of them; or a
    preprocessing, which makes an array."""
    known = vars(estimator)
    return (
        plain(X, finite=finite)
        and X.shape[1] == known.get("n_features_in_")
        and ("feature_names_in_" not in known or "preprocessing_" in known)
    )


def plain_labels(y: Any) -> bool:
    """Whether y is an array of numbers or text, one after another."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU"
