"""From what a person names to a table, or to rows like those of an earlier one."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt._inputs import validate
from rosenblatt.data import files, written
from rosenblatt.data._ahead import ahead
from rosenblatt.data._watching import watchable
from rosenblatt.data.columnar import ColumnFiles, frame
from rosenblatt.data.encode import Encoding
from rosenblatt.data.part import Kind, Part
from rosenblatt.data.sparse import SparseTable
from rosenblatt.data.table import IMPUTE, Reader, Table
from rosenblatt.data.text import TextFiles
from rosenblatt.data.transformed import Transformed
from rosenblatt.errors import InputError


def read(
    source: Any,
    *,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    impute: str | None = None,
    charset: str | None = None,
    header: bool = True,
    missing: Iterable[str] = (),
) -> Table | SparseTable:
    """Read a table: CSV and its relatives, Parquet, Feather, Arrow, svmlight, or a data frame.

    Parameters
    ----------
    source : path, pattern, "-", list of these, or data frame
        One file or several with the same columns; text may be compressed by gzip, zstd or bz2.
    target : str, optional
        The column of labels.
    ignore : str or list of str
        Columns to leave out: all that have such a name.
    positive : label, optional
        The label to be told from all others, where the target has more than two.
    impute : "mean" or "median", optional
        What stands for missing numbers; missing text and booleans become a value of their own.
        None: missing values are refused.
    charset : str, optional
        How the text is written, where that is not UTF-8.
    header : bool
        False: there is no line of names; the columns are x0, x1, and so on.
    missing : list of str
        Further words that stand for a missing value, like "?".

    Returns
    -------
    Table
        Its `problems` say what stands against encoding it. A SparseTable for svmlight files: they
        hold numbers and labels already.

    Examples
    --------
    >>> from rosenblatt import data, datasets
    >>> table = data.read(datasets.load_credit().filename, target="card")
    >>> X, y, encoding = table.encode()
    >>> X.shape, y[:2].tolist(), encoding.feature_names[5:7]
    ((1319, 11), ['yes', 'yes'], ['owner=yes', 'selfemp=yes'])
    """
    validate.flag("header", header)
    if impute is not None:
        validate.one_of("impute", impute, IMPUTE)
    if is_svmlight(source):
        return _sparse(source, target, ignore, positive)
    reader = _reader(source, charset=charset, header=header, missing=missing)
    ignored = [ignore] if isinstance(ignore, str) else list(ignore)
    wanted = _wanted(reader, target, ignored)
    return Table(reader, wanted, target, positive, impute)


def need_target(source: Any, target: str | None) -> None:
    """Labels are in a column that must be named; svmlight files have them in their place."""
    if target is None and not is_svmlight(source):
        raise InputError('Say which column holds the labels: target="..." (--target COLUMN).')


def is_svmlight(source: Any) -> bool:
    """Is it an svmlight file, by its name?"""
    names = [source] if isinstance(source, (str, os.PathLike)) else source
    if hasattr(source, "__arrow_c_stream__") or not isinstance(names, (list, tuple)):
        return False
    return any(
        files.SUFFIXES.get(suffix.lower()) == "svmlight"
        for name in names
        if isinstance(name, (str, os.PathLike))
        for suffix in Path(name).suffixes
    )


def _sparse(source: Any, target: str | None, ignore: Any, positive: Any) -> SparseTable:
    return SparseTable(svmlight_files(source, target, ignore), positive=positive)


def svmlight_files(source: Any, target: str | None, ignore: Any) -> list[files.File]:
    """The files of rows that have no names of columns."""
    if target is not None or ignore:
        raise InputError(
            "An svmlight file has no names of columns: its first field is the label. Leave out "
            "target and ignore (--target, --ignore)."
        )
    return files.find(source)


def _reader(
    source: Any, *, charset: str | None = None, header: bool = True, missing: Iterable[str] = ()
) -> Reader:
    if hasattr(source, "__arrow_c_stream__"):
        return ColumnFiles([frame(source)], missing=tuple(missing))
    found = files.find(source)
    if len({file.kind for file in found}) > 1:
        kinds = ", ".join(f"{file.name} ({file.kind})" for file in found[:3])
        raise InputError(f"Files that are read together are of one kind; these are not: {kinds}.")
    if found[0].kind == "text":
        return TextFiles(found, charset=charset, header=header, missing=tuple(missing))
    return ColumnFiles(found, missing=tuple(missing))


def column_names(source: Any, **reading: Any) -> list[str]:
    """The names of the columns of a table."""
    return list(_reader(source, **reading).names)


def column_alone(source: Any, name: str, use: str, target: str | None, **reading: Any) -> Table:
    """A table of this one column, which is no feature: it tells something about the rows."""
    if is_svmlight(source) or (isinstance(source, list) and "-" in source):
        raise InputError(f"{use} (--{use}) needs a table in a file: it reads the column by itself.")
    names = column_names(source, **reading)
    if name not in names:
        where = source[0] if isinstance(source, list) else "the data frame"
        raise InputError(f"{use}={name!r} is not a column of {where}. {guess(name, names)}")
    if name == target:
        raise InputError(f"The column {name!r} is the target, and cannot be the {use}, too.")
    table = read(source, ignore=[other for other in names if other != name], **reading)
    assert isinstance(table, Table)
    return table


def _wanted(reader: Reader, target: str | None, ignored: list[str]) -> list[str]:
    """The columns to be read."""
    names, file = reader.names, reader.files[0].name
    for name, use in [*((name, "ignore") for name in ignored), (target, "target")]:
        if name is not None and name not in names:
            raise InputError(f"{use}={name!r} is not a column of {file}. {guess(name, names)}")
    if target in ignored:
        raise InputError(f"The column {target!r} is the target and ignored, too.")
    wanted = [name for name in names if name not in set(ignored)]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        places = [str(j + 1) for j, name in enumerate(names) if name == twice]
        raise InputError(
            f"{file} has several columns named {twice!r}: columns {', '.join(places)}. Give each a "
            f"name of its own; or leave all of them out: ignore={twice!r} (--ignore {twice!r})."
        )
    return wanted


def guess(name: str, names: list[str]) -> str:
    """What might have been meant."""
    folded = {known.casefold(): known for known in names}
    near = folded.get(name.strip().casefold()) or next(
        iter(difflib.get_close_matches(name, names, n=1)), None
    )
    shown = ", ".join(repr(known) for known in names[:10])
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return (f"Did you mean {near!r}? " if near else "") + f"Its columns: {shown}{more}."


def parts_like(
    source: Any, encoding: Encoding, *, labelled: bool, **reading: Any
) -> Iterator[Part]:
    """Rows of files or a data frame that have the columns of an encoding."""
    return _parts(_reader(source, **reading), encoding, labelled)


def _parts(reader: Reader, encoding: Encoding, labelled: bool) -> Iterator[Part]:
    kinds = {column.name: column.kind for column in encoding.columns}
    if labelled:
        if encoding.target is None:
            raise InputError("The encoding has no target, so that there are no labels to read.")
        kinds[encoding.target.name] = encoding.target.kind
    names = reader.names
    for name in kinds:
        if names.count(name) != 1:
            wrong = "has no column" if name not in names else "has several columns"
            raise InputError(
                f"{reader.files[0].name} {wrong} {name!r}, which the encoding needs. "
                f"{guess(name, names)}"
            )
    reader.kinds([name for name, kind in kinds.items() if kind is Kind.NUMBER])
    return watchable(ahead(reader.parts(kinds, declared=True)), reader.files)


def read_again(
    source: Any, encoding: Encoding, *, decimal: bool, **reading: Any
) -> tuple[Any, Any, list[str]]:
    """Rows and labels by an encoding that somebody else brought along, and what it did, in words.

    Raises InputError where it makes one value of several, and where floats do not hold labels or,
    with `decimal`, numbers as they are written.
    """
    reader = _reader(source, **reading)
    seen, X, y = Transformed(encoding), [], []
    with np.errstate(all="ignore"):  # what becomes infinite is refused below
        for part in _parts(reader, encoding, labelled=True):
            seen.see(part)
            X.append(encoding.rows(part))
            y.append(encoding.labels(part))
    seen.refuse_merged()
    if decimal and encoding.scaled:
        raise InputError("Decimals are meant as they are written, and the encoding scales them.")
    written.refuse_rounded(reader, encoding, decimal=decimal)
    if not X:
        raise InputError(f"{reader.files[0].name} has no rows, only the names of its columns.")
    return np.concatenate(X), np.concatenate(y), seen.in_words()
