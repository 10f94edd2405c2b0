"""Some of the rows, on the machine that works on them.

A part is a recipe: small, and the same wherever it is opened. What a worker has loaded is found
again by the next call, in the process or on the disk of its machine; a worker that has not loaded
it does so then.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from rosenblatt._core.rows import Csr, Matrix, as_matrix, as_table, row_range
from rosenblatt._out_of_core import store
from rosenblatt._out_of_core.client import name
from rosenblatt._out_of_core.store import Stored
from rosenblatt.errors import FileError

_MOST_OPEN = 64  # folders of rows that a process holds open


class Loaded(Protocol):
    """Rows begin to end, by the numbers that they have among all rows."""

    begin: int
    end: int

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        """Some of them: X, and y as signs or numbers of classes."""


class _Open:
    """The folders that this process has open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], Stored] = {}
        atexit.register(self.close)

    def folder(self, folder: str, fingerprint: str) -> Stored:
        key = folder, fingerprint
        with self._lock:
            if key not in self._found:
                self._forget()
                self._found[key] = _opened(folder, fingerprint)
            return self._found[key]

    def _forget(self) -> None:
        """Folders that were removed, since open files keep their room on the disk; and the oldest,
        where there are many."""
        gone = [key for key in self._found if not os.path.exists(key[0])]
        gone += list(self._found)[: max(0, len(self._found) - _MOST_OPEN)]
        for key in gone:
            if key in self._found:
                self._found.pop(key).close()

    def close(self) -> None:
        with self._lock:
            for rows in self._found.values():
                rows.close()
            self._found.clear()


def _opened(folder: str, fingerprint: str) -> Stored:
    about = store.read(Path(folder))
    if about is None or about.fingerprint != fingerprint:
        raise FileError(
            f"The worker {name()} does not see the rows in {folder}. Put the cache into a folder "
            "that all machines share (cache=FOLDER, or ROSENBLATT_CACHE where the program "
            "starts)."
        )
    return Stored(Path(folder), about)


_open = _Open()


def open_folder(folder: str, fingerprint: str) -> Stored:
    """The rows in this folder, which stay open."""
    return _open.folder(folder, fingerprint)


@final
@dataclass(frozen=True)
class StoredPart:
    """Some of the rows in a folder that every machine sees."""

    folder: str
    fingerprint: str
    begin: int
    end: int
    nbytes: int

    @property
    def stored(self) -> Stored:
        """All rows in the folder."""
        return _open.folder(self.folder, self.fingerprint)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        return self.stored.rows(begin, end)

    def __sizeof__(self) -> int:
        """That of the rows: a scheduler that weighs what it would have to move leaves them."""
        return self.nbytes


def load_stored(part: StoredPart) -> StoredPart:
    """It can be read here."""
    part.rows(part.begin, min(part.begin + 1, part.end))
    return part


@final
@dataclass(frozen=True)
class ArrayPart:
    """Rows in the memory of a worker."""

    begin: int
    X: Matrix
    y: NDArray[Any]

    @property
    def end(self) -> int:
        return self.begin + len(self.y)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        first, last = begin - self.begin, end - self.begin
        return row_range(self.X, first, last), self.y[first:last]

    @property
    def nbytes(self) -> int:
        arrays = (
            [self.X.data, self.X.indices, self.X.indptr] if isinstance(self.X, Csr) else [self.X]
        )
        return int(sum(a.nbytes for a in [*arrays, self.y]))

    def __sizeof__(self) -> int:
        return self.nbytes

    @classmethod
    def joined(cls, parts: list[tuple[Matrix, NDArray[Any]]]) -> ArrayPart:
        """All rows, from those of the parts."""
        tables = [as_table(X) for X, _ in parts]
        sparse = any(isinstance(X, Csr) for X, _ in parts)
        X = as_matrix(vstack(tables, format="csr") if sparse else np.concatenate(tables))
        return cls(0, X, np.concatenate([y for _, y in parts]))


def blocks_of(part: Loaded, block: int) -> range:
    """The numbers of its blocks."""
    return range(part.begin // block, -(-part.end // block))
