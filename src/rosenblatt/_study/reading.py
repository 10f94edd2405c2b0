"""The first stage of a study: files, a frame or arrays are read; nothing is filled or scaled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._util.spelling import option
from rosenblatt._util.text import number
from rosenblatt.data.batch import Kind
from rosenblatt.data.columnar import arrow_table
from rosenblatt.data.dates import Days
from rosenblatt.data.naming import in_doubt, numbers_of
from rosenblatt.data.open_table import OpenSvmlight, OpenTable, open_table
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.table import SparseTable, Table, words_like_missing
from rosenblatt.data.target import Target, problems_of_target
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt._study.options import Options
    from rosenblatt.data import Preprocessing


# --- What is studied -----------------------------------------------------------------------------


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
    labels = getattr(data, "columns", ()) if named else ()  # pandas may have numbers there
    nameless = len(labels) > 0 and all(isinstance(label, Integral) for label in labels)
    new = ("new.csv", "--no-header") if nameless or not named else ("new.csv",)
    origin = Origin(called=called, arrays=tuple(arrays), new=new)
    target, group_column = (
        arrays.get("target", options.target),
        arrays.get("groups", options.groups),
    )
    options = replace(options, target=target, groups=group_column)
    reading = replace(options, header=False) if nameless else options  # of files to predict
    return TableSource(open_table(table, reading, labelled=True), origin), options


def of_files(names: tuple[str, ...], opened: OpenTable | OpenSvmlight) -> TableSource:
    """A table that was opened by these names."""
    suffix = "".join(Path(names[0]).suffixes) or ".csv"
    return TableSource(opened, Origin(names, new=(f"new{suffix}",)))


def table_of(data: Any, columns: Sequence[str]) -> Any:
    """New rows, as `rosenblatt.data` reads them: paths, a data frame, or an array.

    `columns` are those of the table studied. Where neither has names, columns are found by their
    numbers, and those of an array that has no others in their order.
    """
    if _is_path(data) or _are_paths(data):
        return data
    named = hasattr(data, "__arrow_c_stream__")
    table = arrow_table(data) if named else _table_of_array(data)
    wanted, given = numbers_of(columns), numbers_of(table.column_names)
    if wanted is None or given is None:
        return table
    if not named and len(given) == len(wanted):
        given = wanted
    if not set(wanted) <= set(given):
        return table  # the error names those that are missing as they were
    known = dict(zip(wanted, columns, strict=True))
    names = zip(given, table.column_names, strict=True)
    return table.rename_columns([known.get(number, name) for number, name in names])


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
    tabular = ("ignore", "stream", "drop_label", "min_rows")
    if what := next((name for name in tabular if getattr(options, name)), None):
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


# --- As it was read -------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Notes:
    """What a person should be told about a table besides."""

    constant: Sequence[str] = ()  # columns of text that were left out
    identifiers: Sequence[str] = ()  # columns of numbers that were left out
    header: str | None = None  # a doubt about the names of columns
    like_missing: Sequence[str] = ()  # about words like '?'
    unlabelled: Any = ()  # the numbers of rows that were left out for lack of a label


@final
@dataclass(frozen=True)
class Times:
    """When each row was."""

    column: str
    values: NDArray[np.float64]
    days: Days | None  # of dates

    def said(self, row: int) -> str:
        value = float(self.values[row])
        return number(value, 10) if self.days is None else self.days.date(value)


@final
@dataclass(frozen=True)
class Read:
    """A table that was read; nothing is filled or scaled."""

    X: Any  # as in the table, NaN where a number is missing; of a large stream a sample
    y: Any
    counts: dict[str, int]  # rows by label
    target: str = "y"
    preprocessing: Preprocessing | None = None  # before fills and scales; None for svmlight files
    impute: str | None = None
    groups: NDArray[Any] | None = None  # which rows stay together
    times: Times | None = None
    notes: Notes = Notes()
    sample: NDArray[np.intp] | None = None  # the numbers of the rows in X, where these are not all
    unasked: str | None = None  # why no verdict is asked for, where none is

    @property
    def rows(self) -> int:
        return sum(self.counts.values())

    def number(self, row: int) -> int:
        """The number of a row in the table, of which some may be left out."""
        for k in self.notes.unlabelled:
            if k > row:
                break
            row += 1
        return row


def read(source: Source, options: Options) -> Read:
    if isinstance(source, SparseRows):
        return Read(source.X, source.y, counts_of(source.y), groups=source.groups)
    groups, opened = None, source.opened
    if options.groups is not None:
        column, opened = opened.split_off(options.groups, "groups")
        groups = _groups_of(column, options.groups)
    times = None
    if options.split_by_time is not None:
        column, opened = opened.split_off(options.split_by_time, "split_by_time")
        times = _times_of(column, options.split_by_time)
    table = opened.read()
    if isinstance(table, SparseTable):
        X, y, _ = table.encode(scale=False)
        table.refuse_rounded(None, decimal=False)
        return Read(X, y, counts_of(y), groups=groups)
    X, y, preprocessing = table.encode_with_missing()
    table.refuse_rounded(preprocessing, decimal=False)
    assert options.target is not None
    counts, notes = counts_of(y), notes_on(table)
    return Read(X, y, counts, options.target, preprocessing, table.impute, groups, times, notes)


def notes_on(table: Table) -> Notes:
    """Of a table that was read to its end."""
    header = None if table.dialect is None else in_doubt(table.dialect.like_data)
    words = list(words_like_missing(table))
    return Notes(table.constant, table.identifiers, header, words, table.left_out)


def counts_of(y: Any) -> dict[str, int]:
    """How many rows have each label."""
    labels, counts = np.unique(y, return_counts=True)
    return {str(a): k for a, k in zip(labels.tolist(), counts.tolist(), strict=True)}


def _groups_of(table: Table, name: str) -> NDArray[Any]:
    """The values of a column by itself, as numbers."""
    known: dict[str, int] = {}
    groups = []
    for batch in table.batches():
        if table.columns[0].read_as is Kind.NUMBER:
            groups.append(batch.numbers(name))
            missing = np.isnan(groups[-1])
        else:
            codes, words = batch.words(name)
            numbers = [known.setdefault(str(word), len(known)) for word in words]
            groups.append(np.array([*numbers, -1])[codes])
            missing = codes < 0
        if missing.any():
            raise batch.place(int(missing.argmax())).error(
                f"group {name!r}: the value is missing. Fill it in, or leave out such rows."
            )
    return np.concatenate(groups) if groups else np.empty(0)


def _times_of(table: Table, name: str) -> Times:
    if table.columns[0].read_as is not Kind.NUMBER:
        raise InputError(
            f"{option('split_by_time', name)}: the column holds text, and neither dates nor "
            f"numbers. Say how its dates are written, {option('date', f'{name}=%d.%m.%Y')}.",
            option="split_by_time",
            column=name,
        )
    values = []
    for batch in table.batches():
        values.append(batch.numbers(name))
        if np.isnan(values[-1]).any():
            raise batch.place(int(np.isnan(values[-1]).argmax())).error(
                f"column {name!r}: the time is missing. Fill it in, or leave out such rows.",
                option="split_by_time",
                column=name,
            )
    style = table.reader.styles.get(name)
    return Times(name, np.concatenate(values), style if isinstance(style, Days) else None)
