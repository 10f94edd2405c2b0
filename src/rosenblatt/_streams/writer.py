"""Rows are written to disk as they come; shape, types and labels need be known only in the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Self, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute import fingerprint
from rosenblatt._compute.examples import Csr, Matrix
from rosenblatt._streams.meta import About
from rosenblatt._streams.stored import Stored
from rosenblatt._support.files import cannot
from rosenblatt.data.encode import Encoding
from rosenblatt.errors import FileError, RosenblattError

PASS = 8 << 20  # bytes that are changed at a time
ADVICE = "Another folder: cache=FOLDER, or the environment variable ROSENBLATT_CACHE."


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What the system refuses becomes one sentence."""
    try:
        yield
    except RosenblattError:
        raise
    except OSError as error:
        raise cannot("write into", folder, error, ADVICE) from None


def refuse_if_full(folder: Path, size: int) -> None:
    """Before hours of work: is there room for so many bytes?"""
    with writing(folder.parent):
        free = shutil.disk_usage(folder).free
        if size > free:
            raise FileError(
                f"The encoded rows take {size / 1e9:,.1f} GB, and {folder.parent} has only "
                f"{free / 1e9:,.1f} GB free. Make room. {ADVICE}"
            )


@final
class Spool:
    """A file that grows."""

    def __init__(self, path: Path):
        self.path = path
        self._file: IO[bytes] = open(path, "xb")  # noqa: SIM115 - closed by the writer

    def write(self, array: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8))

    def change(
        self,
        before: np.dtype[Any],
        after: np.dtype[Any],
        change: Callable[[NDArray[Any]], NDArray[Any]],
        items: int = 1,
    ) -> None:
        """Put other numbers there, always a multiple of `items` at a time: in place if they have
        the same size."""
        grows = before.itemsize != after.itemsize
        grown = self.path.with_suffix(".new")
        self._file.close()
        self._file = open(grown, "xb") if grows else open(self.path, "r+b")  # noqa: SIM115 - as above
        for numbers in self.numbers(before, items):
            self.write(change(numbers))
        if grows:
            os.replace(grown, self.path)

    def numbers(self, kind: np.dtype[Any], items: int) -> Iterator[NDArray[Any]]:
        """What was written, always a multiple of `items` numbers at a time."""
        if not self._file.closed:
            self._file.flush()
        count = max(1, PASS // (items * kind.itemsize)) * items
        with open(self.path, "rb", buffering=0) as file:
            while len(numbers := np.fromfile(file, kind, count)):
                yield numbers

    def close(self) -> None:
        self._file.close()


@final
class Writer:
    """Writes rows and signs into a folder; `with` closes its files."""

    def __init__(self, folder: Path, d: int, dtype: np.dtype[Any], *, sparse: bool):
        self.folder, self.d, self.dtype, self.sparse = folder, d, dtype, sparse
        self.n = self.entries = 0
        self.index = np.dtype(np.int32 if d <= np.iinfo(np.int32).max else np.int64)
        names = ["data", "indices", "indptr", "y"] if sparse else ["X", "y"]
        self._spools: dict[str, Spool] = {}
        self._counts = np.zeros(2, dtype=np.int64)  # by class
        with writing(folder.parent):
            for name in names:
                self._spools[name] = Spool(folder / f"{name}.bin")
            if sparse:
                self._spools["indptr"].write(np.zeros(1, dtype=np.int64))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for spool in self._spools.values():
            with suppress(OSError):  # a full disk: that error is under way already
                spool.close()

    def add(self, X: Matrix, y: NDArray[Any]) -> None:
        """Some rows and their signs (int8), or the numbers of their classes (int32). Where rows of
        float64 follow those of float32, all become float64."""
        values = X.data if isinstance(X, Csr) else X
        if values.dtype != self.dtype and self.dtype == np.float32:
            self._widen()
        with writing(self.folder.parent):
            numbers = self._spools["data" if self.sparse else "X"]
            numbers.write(values.astype(self.dtype, copy=False))
            self._spools["y"].write(y)
            if isinstance(X, Csr):
                self._spools["indices"].write(X.indices.astype(self.index, copy=False))
                self._spools["indptr"].write(X.indptr[1:].astype(np.int64) + self.entries)
        self.n += len(y)
        self.entries += values.size
        found = np.bincount(y > 0 if y.dtype == np.int8 else y, minlength=len(self._counts))
        found[: len(self._counts)] += self._counts
        self._counts = found

    def _widen(self) -> None:
        before, self.dtype = self.dtype, np.dtype(np.float64)
        with writing(self.folder.parent):
            spool = self._spools["data" if self.sparse else "X"]
            spool.change(before, self.dtype, lambda numbers: numbers.astype(np.float64))

    def rows(self) -> Iterator[NDArray[Any]]:
        """Dense rows as they were written, some at a time."""
        with writing(self.folder.parent):
            for numbers in self._spools["X"].numbers(self.dtype, self.d):
                yield numbers.reshape(-1, self.d)

    def change(self, change: Callable[[NDArray[Any]], None]) -> None:
        """Change dense rows in place, some at a time."""

        def changed(numbers: NDArray[Any]) -> NDArray[Any]:
            change(numbers.reshape(-1, self.d))
            return numbers

        with writing(self.folder.parent):
            self._spools["X"].change(self.dtype, self.dtype, changed, self.d)

    def renumber(self, places: list[int]) -> None:
        """Class c, of numbers given so far, becomes number places[c]; of two, a sign."""
        before: np.dtype[Any] = np.dtype(np.int32)
        new: NDArray[Any] = np.array(places, dtype=np.int32)
        if len(new) == 2:
            new = np.array([-1, 1], dtype=np.int8)[new]
        with writing(self.folder.parent):
            self._spools["y"].change(before, new.dtype, new.__getitem__)
        self._counts = self._counts[: len(places)][np.argsort(places)]

    def done(
        self,
        classes: NDArray[Any],
        *,
        feature_names: list[str] | None = None,
        encoding: Encoding | None = None,
    ) -> None:
        """All rows are there."""
        with writing(self.folder.parent):
            for spool in self._spools.values():
                spool.close()
            about = About(
                self.n,
                self.d,
                self.dtype,
                self.index if self.sparse else None,
                self.entries,
                classes,
                tuple(self._counts[: len(classes)].tolist()),
                feature_names,
                encoding,
                "",
            )
            with closing(Stored(self.folder, about)) as rows:
                mark = fingerprint.of_rows((self.n, self.d), _hashed(rows))
            replace(about, fingerprint=mark).write(self.folder)


def _hashed(rows: Stored) -> fingerprint.RowsFrom:
    """As they are hashed: many classes are counted from 1."""

    def some(begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        X, y = rows.rows(begin, end)
        return X, y if rows.k is None else y + np.int32(1)

    return some
