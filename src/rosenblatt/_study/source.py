"""What is studied: files, a data frame, or arrays of rows and labels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt.data.columnar import arrow_table
from rosenblatt.data.open_table import OpenSvmlight, OpenTable, open_table
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.table import Table
from rosenblatt.data.target import Target, problems_of_target
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt._study.options import Options

LABELS, GROUPS = "y", "groups"  # the columns that arrays become beside x0, x1, and so on
_NO_LABELS = "Rows alone have no labels: give them beside the rows, study(X, y)."


@final
@dataclass(frozen=True)
class Origin:
    """How commands and calls name what is studied."""

    files: tuple[str, ...] = ()  # none of what is in memory
    called: str = ""  # by a Python program
    arrays: tuple[str, ...] = ()  # the options whose columns were given as arrays
    new: tuple[str, ...] = ("new.csv",)  # a file of further rows, and how to read it


@final
@dataclass(frozen=True)
class TableSource:
    """A table, in files or in memory; arrays are one whose columns are x0, x1, and so on."""

    opened: OpenTable | OpenSvmlight
    origin: Origin


@final
@dataclass(frozen=True)
class SparseRows:
    """A sparse matrix: nothing is encoded or scaled, as with svmlight files."""

    X: Any  # a scipy.sparse.csr_array
    y: NDArray[Any]
    groups: NDArray[Any] | None

    @property
    def origin(self) -> Origin:
        called = "X, y" if self.groups is None else "X, y, groups=groups"
        return Origin(called=called, arrays=("target", "groups"), new=("new.svm",))


Source = TableSource | SparseRows


def source_of(data: Any, y: Any, groups: Any, options: Options) -> tuple[Source, Options]:
    """What was given, and the options with the columns that labels and groups became."""
    if y is not None and options.target is not None:
        raise InputError(
            f"The labels are given twice: as y, and as the column target={options.target!r}. Give "
            "one of them."
        )
    if isinstance(y, str):
        raise InputError(
            f"y={y!r} is text, and y is the labels themselves, one for each row. Is it the name of "
            f"their column? Then target={y!r}.",
            option="y",
            value=y,
        )
    if _is_path(data) or _are_paths(data):
        names = _names_of_files(data, y, groups)
        return of_files(names, open_table(list(names), options, labelled=True)), options
    if sparse.issparse(data):
        return _sparse(data, y, groups, options), options
    return _frame(data, y, groups, options)


def _frame(data: Any, y: Any, groups: Any, options: Options) -> tuple[TableSource, Options]:
    """Arrays become columns, beside those of the frame or of X."""
    named = hasattr(data, "__arrow_c_stream__")
    table, called = (arrow_table(data), "frame") if named else (_table_of_array(data), "X")
    arrays: dict[str, str] = {}  # the columns that they became
    if y is not None:
        arrays["target"] = _name_of_labels(y, table)
        table = _with(table, arrays["target"], y)
        called += ", y"
    elif not named and options.target is None:
        raise InputError(_NO_LABELS)
    if groups is not None:
        arrays["groups"] = GROUPS
        table = _with(table, GROUPS, groups)
        called += ", groups=groups"
    new = ("new.csv",) if named else ("new.csv", "--no-header")
    origin = Origin(called=called, arrays=tuple(arrays), new=new)
    target, group_column = (
        arrays.get("target", options.target),
        arrays.get("groups", options.groups),
    )
    options = replace(options, target=target, groups=group_column)
    return TableSource(open_table(table, options, labelled=True), origin), options


def of_files(names: tuple[str, ...], opened: OpenTable | OpenSvmlight) -> TableSource:
    """A table that was opened by these names."""
    suffix = "".join(Path(names[0]).suffixes) or ".csv"
    return TableSource(opened, Origin(names, new=(f"new{suffix}",)))


def table_of(data: Any) -> Any:
    """New rows, as `rosenblatt.data` reads them: paths, a data frame, or an array."""
    if _is_path(data) or _are_paths(data) or hasattr(data, "__arrow_c_stream__"):
        return data
    return _table_of_array(data)


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _are_paths(data: Any) -> bool:
    return (
        isinstance(data, (list, tuple)) and len(data) > 0 and all(_is_path(part) for part in data)
    )


def _names_of_files(data: Any, y: Any, groups: Any) -> tuple[str, ...]:
    if y is not None or groups is not None:
        what, word = ("labels", "target") if y is not None else ("groups", "groups")
        raise InputError(
            f"The {what} of files are in one of their columns: give its name, {word}=..."
        )
    names: Sequence[Any] = [data] if _is_path(data) else data
    return tuple(os.fspath(name) for name in names)


def _table_of_array(data: Any) -> Any:
    try:
        X = np.asarray(data)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"X cannot be read as rows of equal length: {error}") from None
    if X.ndim != 2:
        shape = f" of the shape {X.shape}" if X.ndim else ""
        raise InputTypeError(
            f"Got {type(data).__name__}{shape}, which is no table. Give the path of a file, a "
            "data frame, or arrays: rows X of the shape (n, d), and labels y."
        )
    return pa.table({f"x{j}": _array(x, f"x{j}") for j, x in enumerate(X.T)})


def _array(values: Any, name: str) -> Any:
    array = np.ascontiguousarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}: one value for each row is expected.")
    try:
        return pa.array(array, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise InputTypeError(
            f"{name} cannot be read: {str(error).splitlines()[0]}. Give numbers, text or truth "
            "values, of one kind in a column."
        ) from None


def _name_of_labels(y: Any, table: Any) -> str:
    name = str(getattr(y, "name", None) or LABELS)
    if name in table.column_names:
        raise InputError(
            f"The table has a column {name!r} already, so that y cannot be called so. Does it hold "
            f"the labels? Then target={name!r}, without y; else rename one of them.",
            column=name,
        )
    return name


def _with(table: Any, name: str, values: Any) -> Any:
    column = _array(values, name)
    if len(column) != table.num_rows:
        raise InputError(
            f"There are {table.num_rows:,} rows, and {len(column):,} values of {name}: one for "
            "each row is expected."
        )
    return table.append_column(name, column)


def _sparse(data: Any, y: Any, groups: Any, options: Options) -> SparseRows:
    if y is None:
        raise InputError(_NO_LABELS)
    if options.ignore or options.stream:
        what = "ignore" if options.ignore else "stream"
        raise InputError(
            f"{what} is for tables: a sparse matrix has no names of columns, and is in memory. "
            "Leave it out."
        )
    X = sparse.csr_array(data).astype(np.float64, copy=False)
    if not np.isfinite(X.data).all():
        raise InputError("X has numbers that are missing or infinite: leave out such rows.")
    table = _with(pa.table({"row": np.arange(X.shape[0])}), LABELS, y)
    groups = None if groups is None else np.asarray(_array(groups, GROUPS))
    return SparseRows(X, _labels(table.select([LABELS]), options.positive), groups)


def _labels(table: Any, positive: Any) -> NDArray[Any]:
    """The labels as those of a file would be."""
    labels = open_table(table, ReadOptions(target=LABELS, positive=positive)).read()
    assert isinstance(labels, Table)
    assert labels.target is not None
    for problem in problems_of_target(labels.target, labels.n_rows, positive):
        raise InputError(problem)
    target = Target.of(labels.target, positive)
    return np.concatenate([target.labels(part) for part in labels.batches()])
