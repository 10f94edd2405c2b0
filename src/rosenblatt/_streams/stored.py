"""Labelled rows on disk, read a block at a time: what training on a stream reads."""

from __future__ import annotations

import mmap
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Csr, Matrix
from rosenblatt._inputs.targets import how_many
from rosenblatt._streams.meta import About
from rosenblatt.errors import FileError

_AHEAD = 128 << 10  # bytes: systems read no more than that ahead for one hint
_MOST_INT32 = int(np.iinfo(np.int32).max)


@final
class Stored:
    """Labelled rows in a folder. Its files are open, so that they stay readable until `close`, or
    until the last of the arrays is dropped, even if the folder is removed meanwhile.

    Attributes
    ----------
    n, d : rows and features
    dtype : float32 or float64
    sparse : whether the rows are stored as CSR
    classes : the labels; of two the sign -1 stands for the first, of more the number 0
    k : how many there are; None: two, -1 and +1
    counts : how many rows each has
    feature_names : list of str, or None
    encoding : how the columns of a table became numbers, or None
    fingerprint : of the rows and signs, or numbers of classes
    """

    def __init__(self, folder: Path, about: About):
        self.folder = folder
        self.n, self.d, self.dtype, self.sparse = (
            about.n,
            about.d,
            about.dtype,
            about.index is not None,
        )
        self.classes, self.counts = about.classes, about.counts
        self.k = how_many(about.classes)
        self.feature_names, self.encoding = about.feature_names, about.encoding
        self.fingerprint = about.fingerprint
        self._about = about
        self._sound: set[tuple[int, int]] = set()  # rows whose indices and classes were looked at
        with ExitStack() as opening:
            self._files = {
                name: opening.enter_context(open(folder / name, "rb", buffering=0))
                for name in about.sizes
            }
            self._opened = opening.pop_all()

    def close(self) -> None:
        """Arrays that were given out stay good."""
        self._opened.close()

    @property
    def nbytes(self) -> int:
        """Of all rows."""
        return sum(self._about.sizes.values())

    @property
    def n_blocks(self) -> int:
        return -(-self.n // compute.block)

    def named(self, y: NDArray[Any]) -> NDArray[Any]:
        """The labels for signs, or numbers of classes."""
        found: NDArray[Any] = self.classes[(y > 0).astype(np.intp) if self.k is None else y]
        return found

    def block(self, b: int) -> tuple[Matrix, NDArray[Any]]:
        """Rows b·BLOCK and following: X as an array or Csr, and y as signs, or of more than two
        classes as their numbers. Both are read-only windows into the files, gone when they are
        dropped."""
        return self.rows(*self._range(b))

    def whole(self) -> tuple[Matrix, NDArray[Any]]:
        """All rows at once, mapped in the same way."""
        return self.rows(0, self.n)

    def expect(self, b: int) -> None:
        """Block b comes next: the system may read it from the disk meanwhile."""
        if not hasattr(os, "posix_fadvise"):
            return
        begin, end = self._range(b)
        size = self._about.label.itemsize
        self._read_ahead("y.bin", begin * size, end * size)
        if not self.sparse:
            row = self.d * self.dtype.itemsize
            self._read_ahead("X.bin", begin * row, end * row)
            return
        self._read_ahead("indptr.bin", 8 * begin, 8 * (end + 1))
        indptr = self._window("indptr.bin", np.dtype(np.int64), begin, end + 1)
        first, last = int(indptr[0]), int(indptr[-1])
        for name, kind in (("data.bin", self.dtype), ("indices.bin", self._index)):
            self._read_ahead(name, first * kind.itemsize, last * kind.itemsize)

    # --- Where it is in the files ---

    @property
    def _index(self) -> np.dtype[Any]:
        assert self._about.index is not None
        return self._about.index

    def _range(self, b: int) -> tuple[int, int]:
        if not 0 <= b < self.n_blocks:
            raise IndexError(f"There is no block {b}: there are {self.n_blocks}.")
        return b * compute.block, min((b + 1) * compute.block, self.n)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        """Some rows, mapped as those of a block are."""
        y = self._window("y.bin", self._about.label, begin, end)
        looked_at = (begin, end) in self._sound  # the kernels believe indices and classes
        if not looked_at and self.k is not None and len(y):
            self._refuse_damaged(0 <= int(y.min()) <= int(y.max()) < self.k)
        X: Matrix
        if self.sparse:
            X = self._csr(begin, end, looked_at=looked_at)
        else:
            numbers = self._window("X.bin", self.dtype, begin * self.d, end * self.d)
            X = numbers.reshape(end - begin, self.d)
        self._sound.add((begin, end))
        return X, y

    def _refuse_damaged(self, sound: bool) -> None:
        if not sound:
            raise FileError(
                f"{self.folder} is damaged: its rows do not follow each other, or have columns or "
                "classes that there are not. Remove this folder; then it is made anew."
            )

    def _csr(self, begin: int, end: int, *, looked_at: bool) -> Csr:
        indptr = self._window("indptr.bin", np.dtype(np.int64), begin, end + 1)
        first, last = int(indptr[0]), int(indptr[-1])
        in_order = 0 <= first <= last <= self._about.entries and bool(
            (indptr[1:] >= indptr[:-1]).all()
        )
        indices = self._window("indices.bin", self._index, first, last if in_order else first)
        if not looked_at:
            self._refuse_damaged(
                in_order and (not len(indices) or 0 <= indices.min() <= indices.max() < self.d)
            )
        data = self._window("data.bin", self.dtype, first, last)
        # Both have one type: where that of the columns is too small for the places, a larger one.
        index = self._index if last - first <= _MOST_INT32 else np.dtype(np.int64)
        indptr = (indptr - first).astype(index, copy=False)
        indices = indices.astype(index, copy=False)
        indptr.flags.writeable = indices.flags.writeable = False
        return Csr(data, indices, indptr, (end - begin, self.d))

    def _window(self, name: str, kind: np.dtype[Any], begin: int, end: int) -> NDArray[Any]:
        """Some numbers of a file. The window lives as long as an array shows it."""
        if begin == end:  # nothing cannot be mapped
            return np.frombuffer(b"", kind)
        first, last = begin * kind.itemsize, end * kind.itemsize
        page = first - first % mmap.ALLOCATIONGRANULARITY
        window = mmap.mmap(
            self._files[name].fileno(), last - page, access=mmap.ACCESS_READ, offset=page
        )
        return np.frombuffer(window, kind, end - begin, first - page)

    def _read_ahead(self, name: str, begin: int, end: int) -> None:
        for place in range(begin, end, _AHEAD):
            size = min(_AHEAD, end - place)
            os.posix_fadvise(self._files[name].fileno(), place, size, os.POSIX_FADV_WILLNEED)
