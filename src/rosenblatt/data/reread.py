"""Rows like those of an earlier table, read and encoded as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.data.batch import Batch, Kind, Reader, RowsFrom, Unwanted, left_out_of, unlabelled
from rosenblatt.data.naming import find_columns, guess
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.stack import below, in_place
from rosenblatt.data.transformation import Transformed, in_words, refuse_rounded
from rosenblatt.errors import InputError

_SHOWN = 20  # columns that are named


def batches_like(
    reader: Reader, preprocessing: Preprocessing, *, labelled: bool
) -> Iterable[Batch]:
    """Rows of files or a data frame that have the columns of a preprocessing."""
    kinds = {column.name: column.kind for column in preprocessing.columns}
    if labelled:
        if preprocessing.target is None:
            raise InputError("The preprocessing was made without a target, so it reads no labels.")
        kinds[preprocessing.target.name] = preprocessing.target.kind
    _check_columns(reader, list(kinds))
    reader.kinds(
        [name for name, k in kinds.items() if k is Kind.NUMBER and name not in reader.styles]
    )
    target = preprocessing.target.name if labelled and preprocessing.target else None
    unwanted = Unwanted.of(reader.reading, target, kinds.get(target or ""))
    return RowsFrom(reader, kinds, unwanted, declared=True).all()


def _check_columns(reader: Reader, wanted: list[str]) -> None:
    names, file = reader.names, reader.files[0].name
    wrong = [name for name in wanted if name not in names]
    if len(wrong) > 1:
        what = f"lacks {len(wrong):,} columns that the training table had: "
        what += listed([repr(name) for name in wrong], _SHOWN)
    elif wrong:
        what = f"has no column {wrong[0]!r}, which the training table had"
    elif wrong := [name for name in wanted if names.count(name) > 1]:
        what = f"has several columns {wrong[0]!r}, of which the training table had one"
    else:
        return
    raise InputError(f"{file} {what}. {guess(wrong[0], names, header=reader.reading.has_names)}")


def texts_like(
    reader: Reader, columns: list[str] | None
) -> tuple[list[str], Iterator[tuple[str, ...]]]:
    """Columns (None: all that have a name of their own), and row by row what is written there;
    nothing where a value is missing.

    The rows are those of `batches_like` without labels.
    """
    names, file = reader.names, reader.files[0].name
    wanted = list(dict.fromkeys(names if columns is None else columns))
    find_columns(names, file, [("copy", n) for n in wanted], header=reader.reading.has_names)
    if len(set(names)) < len(names):
        wanted = [name for name in wanted if names.count(name) == 1]
    return wanted, _texts(reader.copy(), wanted)


def _texts(reader: Reader, names: list[str]) -> Iterator[tuple[str, ...]]:
    for batch in reader.batches(dict.fromkeys(names, Kind.TEXT), declared=True):
        columns = [batch.columns.column(name).to_pylist() for name in names]
        yield from zip(*([v or "" for v in column] for column in columns), strict=True)


class Reread(NamedTuple):
    """Rows and labels of a table by a preprocessing, which rows it left out, and what it did, in
    words. What was left out is a row of zeros, and has the label ""."""

    X: Any
    y: NDArray[Any]
    left_out: NDArray[np.int64]
    phrases: list[str]


def reread(reader: Reader, preprocessing: Preprocessing, *, decimal: bool) -> Reread:
    """Rows and labels by a preprocessing that somebody else brought along.

    Raises InputError where it makes one value of several, and where floats do not hold labels or,
    with `decimal`, numbers as they are written.
    """
    transformed, X, y = Transformed(preprocessing), [], []
    batches = batches_like(reader, preprocessing, labelled=True)
    with np.errstate(all="ignore"):  # what becomes infinite is refused below
        for batch in batches:
            transformed.see(batch)
            X.append(preprocessing.rows(batch))
            y.append(preprocessing.labels(batch))
    transformed.refuse_merged()
    if decimal and preprocessing.scaled:
        raise InputError(
            f"The proof is about decimals as written ({option('numbers', 'decimal')}), but the "
            "preprocessing "
            "scales them."
        )
    refuse_rounded(reader, preprocessing, decimal=decimal)
    if not X:
        raise InputError(f"{reader.files[0].name} has no rows, only the names of its columns.")
    left_out = left_out_of(batches)
    together = below(X, len(preprocessing.feature_names))
    rows, labels, _ = in_place(together, np.concatenate(y), left_out)
    labels = labels.astype(object)
    labels[left_out] = ""
    phrases = in_words(preprocessing, transformed.filled)
    phrases += [unlabelled(len(left_out), reader.reading)] * bool(len(left_out))
    return Reread(rows, labels, left_out, phrases)
