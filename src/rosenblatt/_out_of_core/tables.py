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
from rosenblatt.data.batch import Batch
from rosenblatt.data.encoding import Encoding
from rosenblatt.data.files import File
from rosenblatt.data.scaling import Moments, Seen, with_moments
from rosenblatt.data.scaling import finished as scaled
from rosenblatt.data.stack import head
from rosenblatt.data.table import RowsFrom, Table
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
            "reading": self.table.fingerprint,
            "encoding": self._encoding().to_dict(),
        }

    def _encoding(self) -> Encoding:
        if self.table.target is None:
            raise InputError(
                f"{self.table.source[0]} was read without a target: name the column of labels, "
                'as in rosenblatt.data.read(path, target="label").'
            )
        return self.table.encoding()

    def write(self, folder: Path) -> None:
        encoding = self._encoding()
        if encoding.prose:
            self._write_sparse(folder, encoding)
            return
        finished = not self.scale and self.table.impute is None
        numbers = encoding.number_places
        moments = Moments(len(numbers))
        names = encoding.feature_names
        assert encoding.target is not None
        classes = np.array(encoding.target.classes)
        label = 1 if len(classes) == 2 else 4  # bytes
        refuse_if_full(folder, self.table.n_rows * (8 * len(names) + label))
        with Writer(folder, len(names), np.dtype(np.float64), sparse=False) as writer:
            with counted("encoding", self.table.n_rows) as count:
                for rows, y in self.parts(encoding):
                    moments.add(rows[:, numbers])
                    writer.add(rows, y)
                    count(writer.n)
            for file in self.files:  # their readers were ahead, and may have looked too early
                file.check_unchanged()
            if not finished:
                encoding = with_moments(
                    encoding,
                    moments.finish(),
                    _medians(writer, numbers),
                    scale=self.scale,
                    impute=self.table.impute,
                )
                _finish(writer, encoding)
            writer.done(classes, feature_names=names, encoding=encoding)

    def _write_sparse(self, folder: Path, encoding: Encoding) -> None:
        """Rows with words of prose: the numbers among them are looked at first, since sparse rows
        cannot be changed where they are written."""
        assert encoding.target is not None
        names, classes = encoding.feature_names, np.array(encoding.target.classes)
        with counted("encoding", self.table.n_rows) as count:
            numbers, columns = encoding.number_places, []
            moments = Moments(len(numbers))
            for rows, _ in self.parts(encoding):
                columns.append(head(encoding, rows)[:, numbers])
                moments.add(columns[-1])
            if self.scale or self.table.impute is not None:
                medians = (float(np.nanmedian(x)) for x in np.concatenate(columns).T)
                how: dict[str, Any] = {"scale": self.scale, "impute": self.table.impute}
                encoding = with_moments(encoding, moments.finish(), medians, **how)
            with Writer(folder, len(names), np.dtype(np.float64), sparse=True) as writer:
                for rows, y in self.parts(self._encoding()):
                    whole = scaled(encoding, rows)
                    refuse_not_finite(head(encoding, whole), writer.n, names)
                    writer.add(as_matrix(whole), y)
                    count(writer.n)
                for file in self.files:
                    file.check_unchanged()
                writer.done(classes, feature_names=names, encoding=encoding)

    def parts(self, encoding: Encoding) -> Iterator[tuple[Any, NDArray[Any]]]:
        return encoded(self.table.batches(), encoding, filled=False)


def encoded(
    batches: Iterable[Batch], encoding: Encoding, *, filled: bool
) -> Iterator[tuple[Any, NDArray[Any]]]:
    size = max(1, PASS // (8 * max(encoding.n_dense, 1)))
    assert encoding.target is not None
    classes = np.array(encoding.target.classes)
    for batch in batches:
        for some in batch.some(size):
            y = targets.encoded(encoding.labels(some), classes)
            yield encoding.rows(some, seen=not filled), y


def _finish(writer: Writer, encoding: Encoding) -> None:
    row = 0

    def finish(rows: NDArray[Any]) -> None:
        nonlocal row
        encoding.finish(rows)
        refuse_not_finite(rows, row, encoding.feature_names)
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
    encoding: Encoding
    begin: int
    end: int
    cache: Path | None  # the folder that rows are kept in; None: that of each machine

    @property
    def files(self) -> list[File]:
        return self.rows_from.reader.files

    def options(self) -> dict[str, Any]:
        return {
            "reading": self.rows_from.reader.fingerprint,
            "encoding": self.encoding.to_dict(),
            "rows": [self.rows_from.skip, self.rows_from.rows],
        }

    def parts(self, *, filled: bool) -> Iterator[tuple[NDArray[np.float64], NDArray[Any]]]:
        self._check()
        return encoded(self.rows_from.batches(), self.encoding, filled=filled)

    def moments(self) -> list[Seen]:
        numbers = self.encoding.number_places
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
        names = self.encoding.feature_names
        assert self.encoding.target is not None
        refuse_if_full(folder, (self.end - self.begin) * (8 * len(names) + 4))
        with Writer(folder, len(names), np.dtype(np.float64), sparse=False) as writer:
            for rows, y in self.parts(filled=True):
                numbers = np.ascontiguousarray(rows)
                refuse_not_finite(numbers, self.begin + writer.n, names)
                writer.add(numbers, y)
            writer.done(np.array(self.encoding.target.classes), feature_names=names)
