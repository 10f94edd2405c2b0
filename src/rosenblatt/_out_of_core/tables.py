"""Tables, encoded a batch at a time: all of one here, or a share of it by each worker.

The numbers have the bits that `Table.encode` gives in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import as_matrix
from rosenblatt._out_of_core.client import name
from rosenblatt._out_of_core.store import PASS, Writer, refuse_if_full
from rosenblatt._util.progress import counted
from rosenblatt._util.text import in_file
from rosenblatt._validation import targets
from rosenblatt.data.batch import Batch, RowsFrom
from rosenblatt.data.files import File
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.scaling import Moments, Seen, with_moments
from rosenblatt.data.scaling import finished as scaled
from rosenblatt.data.table import Table
from rosenblatt.errors import FileError, InputError

_COLUMNS = 256 << 20  # bytes of columns whose medians are found in one pass; one column at least


@final
@dataclass(frozen=True)
class TableRows:
    """The rows of a table, to be written down."""

    table: Table
    scale: bool = True

    @property
    def files(self) -> list[File]:
        return self.table.files

    def options(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "impute": self.table.impute,
            "reading": self.table.reader.fingerprint,
            "preprocessing": self._preprocessing().to_dict(),
        }

    def _preprocessing(self) -> Preprocessing:
        if self.table.target is None:
            raise InputError(
                f"{self.table.source[0]} was read without a target: name the column of labels, "
                'as in rosenblatt.data.read(path, target="label").'
            )
        return self.table.preprocessing()

    def write(self, folder: Path) -> None:
        preprocessing = self._preprocessing()
        if preprocessing.prose:
            self._write_sparse(folder, preprocessing)
            return
        finished = not self.scale and self.table.impute is None
        numbers = preprocessing.number_places
        moments = Moments(len(numbers))
        names = preprocessing.feature_names
        assert preprocessing.target is not None
        classes = np.array(preprocessing.target.classes)
        label = 1 if len(classes) == 2 else 4  # bytes
        refuse_if_full(folder, self.table.n_rows * (8 * len(names) + label))
        with Writer(folder, len(names), np.dtype(np.float64), sparse=False) as writer:
            with counted("encoding", self.table.n_rows) as count:
                for rows, y in self.parts(preprocessing):
                    moments.add(rows[:, numbers])
                    writer.add(rows, y)
                    count(writer.n)
            for file in self.files:  # their readers were ahead, and may have looked too early
                file.check_unchanged()
            if not finished:
                preprocessing = self._finished(preprocessing, moments, _medians(writer, numbers))
                _finish(writer, preprocessing)
            writer.done(classes, feature_names=names, preprocessing=preprocessing)

    def _write_sparse(self, folder: Path, preprocessing: Preprocessing) -> None:
        """Rows with words of prose: the numbers among them are looked at first, since sparse rows
        cannot be changed where they are written."""
        assert preprocessing.target is not None
        names, classes = preprocessing.feature_names, np.array(preprocessing.target.classes)
        with counted("encoding", self.table.n_rows) as count:
            numbers, columns = preprocessing.number_places, []
            moments = Moments(len(numbers))
            for rows, _ in self.parts(preprocessing):
                columns.append(preprocessing.head(rows)[:, numbers])
                moments.add(columns[-1])
            if self.scale or self.table.impute is not None:
                medians = (float(np.nanmedian(x)) for x in np.concatenate(columns).T)
                preprocessing = self._finished(preprocessing, moments, medians)
            with Writer(folder, len(names), np.dtype(np.float64), sparse=True) as writer:
                for rows, y in self.parts(self._preprocessing()):
                    whole = scaled(preprocessing, rows)
                    refuse_not_finite(preprocessing.head(whole), writer.n, names)
                    writer.add(as_matrix(whole), y)
                    count(writer.n)
                for file in self.files:
                    file.check_unchanged()
                writer.done(classes, feature_names=names, preprocessing=preprocessing)

    def _finished(
        self, before: Preprocessing, moments: Moments, medians: Iterator[float]
    ) -> Preprocessing:
        impute = self.table.impute
        return with_moments(before, moments.finish(), medians, scale=self.scale, impute=impute)

    def parts(self, preprocessing: Preprocessing) -> Iterator[tuple[Any, NDArray[Any]]]:
        return encoded(self.table.batches(), preprocessing, filled=False)


def encoded(
    batches: Iterable[Batch], preprocessing: Preprocessing, *, filled: bool
) -> Iterator[tuple[Any, NDArray[Any]]]:
    size = max(1, PASS // (8 * max(preprocessing.n_dense, 1)))
    assert preprocessing.target is not None
    classes = np.array(preprocessing.target.classes)
    for batch in batches:
        for some in batch.some(size):
            y = targets.encoded(preprocessing.labels(some), classes)
            yield preprocessing.rows(some, seen=not filled), y


def _finish(writer: Writer, preprocessing: Preprocessing) -> None:
    row = 0

    def finish(rows: NDArray[Any]) -> None:
        nonlocal row
        preprocessing.finish(rows)
        refuse_not_finite(rows, row, preprocessing.feature_names)
        row += len(rows)
        count(row)

    with counted("scaling", writer.n) as count:
        writer.change(finish)


def refuse_not_finite(rows: NDArray[Any], begin: int, names: list[str]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be too large
        if np.isfinite(rows.sum()):
            return
    wild = np.argwhere(~np.isfinite(rows))
    if len(wild):
        i, j = wild[0]
        raise InputError(
            f"In {in_file(begin + int(i))} {names[j]!r} becomes {rows[i, j]}: the numbers of this "
            "column are too large to be scaled. Divide them by a constant."
        )


def _medians(writer: Writer, numbers: list[int]) -> Iterator[float]:
    """A median needs all of its column: some columns at a time are read into memory."""
    size = max(1, _COLUMNS // (8 * max(writer.n, 1)))
    for first in range(0, len(numbers), size):
        places = numbers[first : first + size]
        columns, row = np.empty((len(places), writer.n)), 0
        for rows in writer.rows():
            columns[:, row : row + len(rows)] = rows[:, places].T
            row += len(rows)
        for column in columns:
            yield float(np.nanmedian(column, overwrite_input=True))


@final
@dataclass(frozen=True)
class TableShare:
    """Rows begin to end of a table, a source of their own."""

    rows_from: RowsFrom
    preprocessing: Preprocessing
    begin: int
    end: int
    cache: Path | None  # the folder that rows are kept in; None: that of each machine

    @property
    def files(self) -> list[File]:
        return self.rows_from.reader.files

    def options(self) -> dict[str, Any]:
        return {
            "reading": self.rows_from.reader.fingerprint,
            "preprocessing": self.preprocessing.to_dict(),
            "rows": [self.rows_from.skip, self.rows_from.rows],
        }

    def parts(self, *, filled: bool) -> Iterator[tuple[NDArray[np.float64], NDArray[Any]]]:
        self._check()
        return encoded(self.rows_from.batches(), self.preprocessing, filled=filled)

    def moments(self) -> list[Seen]:
        numbers = self.preprocessing.number_places
        of_shards, moments, left = [], Moments(len(numbers)), compute.rows_of_shard
        for rows, _ in self.parts(filled=False):
            place = 0
            while place < len(rows):
                some = rows[place : place + left]
                moments.add(some[:, numbers])
                place, left = place + len(some), left - len(some)
                if not left:
                    of_shards.append(moments.finish())
                    moments, left = Moments(len(numbers)), compute.rows_of_shard
        return of_shards if left == compute.rows_of_shard else [*of_shards, moments.finish()]

    def _check(self) -> None:
        for file in self.files:
            if not os.path.exists(file.path):
                raise FileError(
                    f"The worker {name()} does not see {file.name}. Put the files into a folder "
                    "that all machines share, or name them by an address like s3://bucket/*.parquet."
                )

    def write(self, folder: Path) -> None:
        names = self.preprocessing.feature_names
        assert self.preprocessing.target is not None
        refuse_if_full(folder, (self.end - self.begin) * (8 * len(names) + 4))
        with Writer(folder, len(names), np.dtype(np.float64), sparse=False) as writer:
            for rows, y in self.parts(filled=True):
                numbers = np.ascontiguousarray(rows)
                refuse_not_finite(numbers, self.begin + writer.n, names)
                writer.add(numbers, y)
            writer.done(np.array(self.preprocessing.target.classes), feature_names=names)
