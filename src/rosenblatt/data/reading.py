"""From what a person names to a table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._validation import parameters
from rosenblatt.data import files
from rosenblatt.data.bag_of_words import INTO
from rosenblatt.data.batch import Kind
from rosenblatt.data.columnar import ColumnFiles
from rosenblatt.data.files import is_svmlight
from rosenblatt.data.naming import find_columns, prose_columns
from rosenblatt.data.options import Reading
from rosenblatt.data.readers import Reader, reader_of
from rosenblatt.data.sparse import SparseTable
from rosenblatt.data.table import IMPUTE, Table
from rosenblatt.errors import InputError


def read(
    source: Any,
    *,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    impute: str | None = None,
    charset: str | None = None,
    header: bool | None = None,
    sep: str | None = None,
    names: str | Iterable[str] | None = None,
    sheet: str | None = None,
    missing: str | Iterable[str] = (),
    drop_unlabelled: bool = False,
    categorical: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    text: str | Iterable[str] = (),
) -> Table | SparseTable:
    """Read a table: CSV and its relatives, .xlsx, Parquet, Feather, Arrow, svmlight, a data frame.

    Parameters
    ----------
    source : path, pattern, "-", list of these, or data frame
        One file or several with the same columns; text may be compressed by gzip, zstd or bz2, or
        be the one file in a zip archive.
    target : str, optional
        The column of labels.
    ignore : str or list of str
        Columns to leave out: all that have such a name.
    positive : label, list of labels, or condition, optional
        What is to be told from all others, of a target with more than two labels: one, several, or
        a condition on numbers like ">=7". None: all of them are classes.
    impute : "mean" or "median", optional
        What stands for missing numbers; missing text and booleans become a value of their own.
        None: missing values are refused.
    charset : str, optional
        How the text is written, where that is not UTF-8.
    header : bool, optional
        False: there is no line of names; the columns are x0, x1, and so on. True: the first line
        has the names. By default it has, and is refused if it looks like data.
    sep : str, optional
        The character between the fields of text, or "tab", or "whitespace" for any number of
        blanks. By default it is found out.
    names : list of str, or str, optional
        The names of the columns, in their order, for text that has none; "age,income,label" is the
        same as a list. With header=True they stand for those of the first line.
    sheet : str, optional
        The sheet of a workbook that holds the table, where it has several.
    missing : str or list of str
        Further words that stand for a missing value, like "?".
    drop_unlabelled : bool
        True: rows whose label is missing are left out. Other rows keep their numbers in messages
        and certificates. By default they are refused.
    categorical : str or list of str
        Columns whose values are categories, also where they are numbers.
    numeric : str or list of str
        Columns of numbers that are written with a unit or divided thousands: "$1,200", "35 %",
        "12 kg".
    text : str or list of str
        Columns of prose: each word that stands in two rows or more, and not in all, becomes a
        column of 0 and 1, the 20,000 most frequent at most. "review:hashed" puts all words of the
        column "review" into 262,144 buckets instead, as scikit-learn's HashingVectorizer does: for
        very many different words. X is a CSR matrix then.

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
    if header is not None:
        parameters.flag("header", header)
    if impute is not None:
        parameters.one_of("impute", impute, IMPUTE)
    if is_svmlight(source):
        return _sparse(source, target, ignore, positive)
    parameters.flag("drop_unlabelled", drop_unlabelled)
    if drop_unlabelled and target is None:
        raise InputError(
            f"{option('drop_unlabelled', True)} leaves out rows without a label: name the column "
            f"of labels, too: {option('target', ...)}.",
            option="drop_unlabelled",
            value=True,
        )
    reader = reader_of(
        source,
        Reading(),
        header=header,
        missing=missing,
        charset=charset,
        sep=sep,
        names=names,
        sheet=sheet,
        drop_unlabelled=drop_unlabelled,
    )
    if isinstance(reader, ColumnFiles) and (sep is not None or names is not None):
        raise InputError(
            f"{option('sep')} and {option('names')} are about text, and {reader.files[0].name} "
            "has columns with names of their own: leave them out.",
            option="names" if sep is None else "sep",
            value=names if sep is None else sep,
            file=reader.files[0].name,
        )
    columns = {"ignore": _names(ignore), "categorical": _names(categorical)}
    hashed = prose_columns(_names(text), reader.names)
    columns |= {"numeric": _names(numeric), "text": list(hashed)}
    wanted = _wanted(reader, target, columns)
    of = {use: frozenset(names) & frozenset(wanted) for use, names in columns.items()}
    prose = {name: INTO if hashed[name] else None for name in of["text"]}
    return Table(reader, wanted, target, positive, impute, of["categorical"], of["numeric"], prose)


def _names(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _sparse(source: Any, target: str | None, ignore: Any, positive: Any) -> SparseTable:
    return SparseTable(svmlight_files(source, target, ignore), positive=positive)


def svmlight_files(source: Any, target: str | None, ignore: Any) -> list[files.File]:
    """The files of rows that have no names of columns."""
    if target is not None or ignore:
        raise InputError(
            "An svmlight file has no names of columns: its first field is the label. Leave out "
            f"{option('target')} and {option('ignore')}.",
            option="ignore" if target is None else "target",
            value=ignore if target is None else target,
        )
    return files.find(source)


def column_names(source: Any, **reading: Any) -> list[str]:
    """The names of the columns of a table."""
    return list(reader_of(source, Reading(), **reading).names)


def column_alone(source: Any, name: str, use: str, target: str | None, **reading: Any) -> Table:
    """A table of this one column, which is no feature: it tells something about the rows."""
    if is_svmlight(source) or (isinstance(source, list) and "-" in source):
        raise InputError(
            f"{option(use)} needs a table in a file: it reads the column by itself.",
            option=use,
            value=name,
        )
    names = column_names(source, **reading)
    where = source[0] if isinstance(source, list) else "the data frame"
    find_columns(names, where, [(use, name)], header=Reading().told(**reading).has_names)
    if name == target:
        raise InputError(f"The column {name!r} is the target and cannot also be the {use}.")
    label = target if reading.get("drop_unlabelled") else None  # of the same rows
    others = [other for other in names if other not in (name, label)]
    table = read(source, target=label, ignore=others, **reading)
    assert isinstance(table, Table)
    return table


def _wanted(reader: Reader, target: str | None, columns: dict[str, list[str]]) -> list[str]:
    """The columns to be read; `columns` has those that were named, by option."""
    names, file, ignored = reader.names, reader.files[0].name, columns["ignore"]
    asked = [(use, name) for use, of in columns.items() for name in of]
    find_columns(names, file, [*asked, ("target", target)], header=reader.how.has_names)
    if target in ignored:
        raise InputError(f"The column {target!r} is both the target and ignored: give one of them.")
    kinds = ("categorical", "numeric", "text")
    for one, other in combinations(kinds, 2):
        if both := set(columns[one]) & set(columns[other]):
            raise InputError(
                f"The column {min(both)!r} is given both as {one} and as {other}: give one of them."
            )
    if said := [kind for kind in kinds if target in columns[kind]]:
        raise InputError(
            f"The column {target!r} is the target: its labels are taken as they are. Leave it out "
            f"of {said[0]}."
        )
    wanted = [name for name in names if name not in set(ignored)]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        places = [str(j + 1) for j, name in enumerate(names) if name == twice]
        raise InputError(
            f"{file} has several columns named {twice!r}: columns {', '.join(places)}. Give each a "
            f"name of its own; or leave all of them out: {option('ignore', twice)}.",
            file=file,
            column=twice,
        )
    return wanted


# A column of counts or weights: how often a row was seen, or how much it matters.


def weights_of(source: Any, weight: str, target: str | None, **reading: Any) -> NDArray[np.float64]:
    """The numbers of this column of a table, one for each row: 0 or greater."""
    table = column_alone(source, weight, "weight", target, **reading)
    column = table.columns[0]
    if column.read_as is not Kind.NUMBER:
        raise InputError(
            f"The column {weight!r} holds {column.some_words()}: weights are numbers, 0 or greater."
        )
    found = []
    for part in table.parts():
        numbers = part.numbers(weight)
        wrong = ~(np.isfinite(numbers) & (numbers >= 0))
        if wrong.any():
            row = int(wrong.argmax())
            held = "is missing" if np.isnan(numbers[row]) else f"is {numbers[row]:g}"
            raise InputError(
                f"{part.place(row)}, weight {weight!r} {held}: give a finite number, 0 or greater; "
                "a row of weight 0 is left out."
            )
        found.append(numbers)
    return np.concatenate(found) if found else np.empty(0)
