"""Does floating point hold the numbers that were given? A proof must not be about others.

Numbers are compared as they were given: before NumPy, pandas or SciPy makes floats of them.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt._core.rows import Csr, Matrix
from rosenblatt._util.spelling import either
from rosenblatt.errors import InputError

_FLOATS = ("float", "double", "halffloat", "bool")  # the types of pyarrow and polars
_WHOLE = 1 << 53  # whole numbers up to it are floats, all of them


def refuse_rounded(X: Any, *, decimal: bool) -> None:
    """Raise InputError at a number that is no float, or with `decimal` no float's decimal."""
    for name, column in _columns(X):
        cells = _cells(column)
        for k, value in _doubtful(cells):
            if not _held(value, decimal):
                raise InputError(_rounded(value, *_place(X, name, k), decimal))


def refuse_other_decimals(X: Any, matrix: Matrix) -> None:
    """Raise InputError where short floats, read as long ones, mean other decimals: 0.1 in float32
    is 0.10000000149011612 in float64."""
    if (matrix.data if isinstance(matrix, Csr) else matrix).dtype != np.float64:
        return
    for name, column in _columns(X):
        flat = _cells(column).ravel()
        short = flat.dtype.kind == "f" and flat.dtype.itemsize < 8
        for k, value in enumerate(flat if short or flat.dtype.kind == "O" else ()):
            if not isinstance(value, (np.float16, np.float32)) or not np.isfinite(value):
                continue
            if float(str(value)) != float(value):
                raise InputError(
                    f"{_place(X, name, k)[0]} holds {value!s} in {value.dtype}, which is "
                    f"{float(value)!r} in float64: other decimals. Give all columns one type."
                )


def refuse_other_sums(X: Any, matrix: Csr, *, decimal: bool) -> None:
    """Raise InputError where entries of a sparse matrix that stand twice were added and rounded."""
    coo = X.tocoo()
    order = np.lexsort((coo.col, coo.row))
    row, column, data = coo.row[order], coo.col[order], coo.data[order]
    first = np.flatnonzero(np.r_[True, (np.diff(row) != 0) | (np.diff(column) != 0)])
    ends = np.r_[first[1:], len(row)]
    for begin, end in zip(first.tolist(), ends.tolist(), strict=True):
        if end - begin < 2:
            continue
        i, j = int(row[begin]), int(column[begin])
        total = sum((_fraction(v, decimal) for v in data[begin:end].tolist()), Fraction(0))
        here = slice(matrix.indptr[i], matrix.indptr[i + 1])
        stored = float(matrix.data[here][matrix.indices[here] == j].sum())  # one, or none
        if _fraction(stored, decimal) != total:
            raise InputError(
                f"X has {end - begin} entries at row {i}, column {j}, whose sum is rounded to "
                f"{stored!r} in floating point, so that the proof would be about another number. "
                "Add them up first.",
                row=int(i),
                column=j,
            )


def _columns(X: Any) -> Iterator[tuple[str | None, Any]]:
    """Columns of data frames, whatever library they are of; else all of X, without a name."""
    if hasattr(X, "column_names") and hasattr(X, "columns"):  # pyarrow
        yield from zip(X.column_names, X.columns, strict=True)
    elif hasattr(X, "get_columns"):  # polars
        yield from ((series.name, series) for series in X.get_columns())
    elif hasattr(X, "items") and hasattr(X, "columns"):  # pandas
        yield from X.items()
    else:
        yield None, X.tocoo().data if sparse.issparse(X) else X


def _cells(column: Any) -> Any:
    """An array of numbers, or of objects, that are the numbers as they were given."""
    if isinstance(column, (list, tuple)):
        return _objects(list(_leaves(column)))
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if isinstance(kind, str):  # NumPy's and pandas'
        return np.asarray(column, dtype=object if kind == "O" else None)
    name = str(getattr(column, "dtype", None) or getattr(column, "type", "")).lower()
    for method in ("to_pylist", "to_list"):  # pyarrow's and polars'
        if hasattr(column, method) and not name.startswith(_FLOATS):
            return _objects(getattr(column, method)())
    return np.asarray(column)


def _leaves(value: Any) -> Iterator[Any]:
    for inner in value:
        if isinstance(inner, (list, tuple)):
            yield from _leaves(inner)
        elif hasattr(inner, "__array__") and not isinstance(inner, np.generic):
            yield from np.asarray(inner).ravel()  # as NumPy's own numbers
        else:
            yield inner


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _doubtful(cells: Any) -> Iterator[tuple[int, Any]]:
    """Places and values of what may not be a float."""
    kind, flat = cells.dtype.kind, cells.ravel()
    if kind == "m":
        yield from enumerate(flat)
    elif kind in "iu":
        large = np.flatnonzero((flat > _WHOLE) | (flat < -_WHOLE))
        yield from ((int(k), int(flat[k])) for k in large)
    elif kind == "f" and cells.dtype.itemsize > 8:
        other = np.flatnonzero(flat.astype(np.float64) != flat)
        yield from ((int(k), flat[k]) for k in other if flat[k] == flat[k])
    elif kind == "O":
        for k, value in enumerate(flat.tolist()):
            if type(value) not in (float, bool) and isinstance(value, numbers.Number):
                yield k, value


def _held(value: Any, decimal: bool) -> bool:
    """Is it a float, or the decimal of one? NaN and infinity are refused elsewhere."""
    if isinstance(value, np.timedelta64):
        if np.isnat(value):
            return False
        value = int(value.astype(np.int64))
    if isinstance(value, (np.bool_, complex, np.complexfloating)):
        return True  # the latter are refused with better words
    if isinstance(value, np.floating) and not float(value) < value and not float(value) > value:
        return True
    if isinstance(value, Decimal) and not value.is_finite():
        return True
    try:
        return _fraction(float(value), decimal) == _fraction(value, decimal)
    except (OverflowError, TypeError, AttributeError):  # beyond all floats; or a strange number
        return False


def _fraction(value: Any, decimal: bool) -> Fraction:
    if isinstance(value, (bool, int, np.integer)):
        return Fraction(int(value))
    if isinstance(value, (Decimal, numbers.Rational)):
        return Fraction(value)
    if isinstance(value, (float, np.floating)):
        return Fraction(Decimal(str(value))) if decimal else Fraction(*value.as_integer_ratio())
    return Fraction(*value.as_integer_ratio())


def _place(X: Any, name: str | None, k: int) -> tuple[str, str]:
    """Where value k of a column is, and how to say it of whole numbers there."""
    if name is not None:
        return f"X, row {k}, column {name!r},", f"the column {name!r}"
    if sparse.issparse(X):
        return "X", "that column"
    width = max(int(np.size(X[0])) if hasattr(X, "__getitem__") else 1, 1)
    return f"X, row {k // width}, column {k % width},", f"column {k % width}"


def _rounded(value: Any, where: str, column: str, decimal: bool) -> str:
    if str(value) == "NaT":
        return f"{where} holds NaT, a missing value. Fill it in, or leave the row out."
    meant = "is no float's decimal" if decimal else "is rounded in floating point"
    if isinstance(value, (int, np.integer)):
        advice = f"Subtract a constant from {column}, or divide it by one that leaves no remainder."
    elif isinstance(value, Decimal) and not decimal:
        advice = f"Give floats; or say that decimals are meant: {_decimals()}."
    else:
        advice = f"Give floats, or decimals of at most 15 digits with {_decimals()}."
    return (
        f"{where} holds {value!s}, which {meant}, so that the proof would be about another number. "
        f"{advice}"
    )


def _decimals() -> str:
    return either("numbers='decimal'", "--numbers decimal")
