"""`rosenblatt.data.read`: from what a person names to a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.batch import Kind
from rosenblatt.data.open_table import open_table
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.table import SparseTable, Table
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
    """Read a table: CSV, TSV, .xlsx, Parquet, Feather, Arrow, svmlight, or a data frame.

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
    options = {name: value for name, value in locals().items() if name != "source"}
    return open_table(source, ReadOptions.of(**options)).read()


def weights_of(column: Table) -> NDArray[np.float64]:
    """Counts or weights in a column by itself, how often a row was seen or how much it matters: one
    number for each row, 0 or greater."""
    (weight,) = column.columns
    if weight.read_as is not Kind.NUMBER:
        raise InputError(
            f"The column {weight.name!r} holds {weight.some_words()}: weights are numbers, 0 or "
            "greater.",
            column=weight.name,
        )
    weights = []
    for batch in column.batches():
        numbers = batch.numbers(weight.name)
        wrong = ~(np.isfinite(numbers) & (numbers >= 0))
        if wrong.any():
            row = int(wrong.argmax())
            held = "is missing" if np.isnan(numbers[row]) else f"is {numbers[row]:g}"
            raise InputError(
                f"{batch.place(row)}, weight {weight.name!r} {held}: give a finite number, 0 or "
                "greater; a row of weight 0 is left out.",
                **batch.place(row).data,
            )
        weights.append(numbers)
    return np.concatenate(weights) if weights else np.empty(0)
