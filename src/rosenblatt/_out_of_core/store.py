"""Labelled rows on disk: written as they come, read a block at a time."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import fingerprint
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Csr, Matrix
from rosenblatt._model import parameters
from rosenblatt._util.files import cannot, read_whole
from rosenblatt._util.spelling import option
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt._validation.targets import how_many
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.errors import FileError, InputError, RosenblattError

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
    preprocessing : how the columns of a table became numbers, or None
    fingerprint : of the rows and signs, or numbers of classes
    """

    def __init__(self, folder: Path, about: About):
        self.folder = folder
        self.n, self.d = about.n, about.d
        self.dtype, self.sparse = about.dtype, about.index is not None
        self.classes, self.counts = about.classes, about.counts
        self.k = how_many(about.classes)
        self.feature_names, self.preprocessing = about.feature_names, about.preprocessing
        self.fingerprint = about.fingerprint
        self._about = about
        self._sound: set[tuple[int, int]] = set()  # rows whose indices and classes were checked
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
        return sum(self._about.sizes.values())

    @property
    def n_blocks(self) -> int:
        return -(-self.n // compute.block)

    def named(self, y: NDArray[Any]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[(y > 0).astype(np.intp) if self.k is None else y]
        return labels

    def block(self, b: int) -> tuple[Matrix, NDArray[Any]]:
        return self.rows(*self._range(b))

    def blocks(self) -> Iterator[tuple[int, Matrix, NDArray[Any]]]:
        for b in range(self.n_blocks):
            X, y = self.block(b)
            self.expect((b + 1) % self.n_blocks)
            yield b * compute.block, X, y

    def whole(self) -> tuple[Matrix, NDArray[Any]]:
        return self.rows(0, self.n)

    def expect(self, b: int) -> None:
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
        """Read-only windows into the files, gone when they are dropped. y: signs, or numbers of
        classes."""
        y = self._window("y.bin", self._about.label, begin, end)
        checked = (begin, end) in self._sound  # the kernels believe indices and classes
        if not checked and self.k is not None and len(y):
            self._refuse_damaged(0 <= int(y.min()) <= int(y.max()) < self.k)
        X: Matrix
        if self.sparse:
            X = self._csr(begin, end, checked=checked)
        else:
            numbers = self._window("X.bin", self.dtype, begin * self.d, end * self.d)
            X = numbers.reshape(end - begin, self.d)
        self._sound.add((begin, end))
        return X, y

    def _refuse_damaged(self, sound: bool) -> None:
        if not sound:
            raise FileError(
                f"{self.folder} is damaged: its rows do not follow each other, or have columns or "
                "classes that there are not. Remove this folder; it will be written again."
            )

    def _csr(self, begin: int, end: int, *, checked: bool) -> Csr:
        indptr = self._window("indptr.bin", np.dtype(np.int64), begin, end + 1)
        first, last = int(indptr[0]), int(indptr[-1])
        in_order = 0 <= first <= last <= self._about.entries and bool(
            (indptr[1:] >= indptr[:-1]).all()
        )
        indices = self._window("indices.bin", self._index, first, last if in_order else first)
        if not checked:
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
        """The window lives as long as an array shows it."""
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


# --- What stands beside the rows, in `meta.json` -------------------------------------------------


FORMAT = "rosenblatt-rows"
VERSION = 1
NAME = "meta.json"
_MOST = 1 << 30  # bytes: names of a few million features
_DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
_INDICES: dict[str, np.dtype[Any]] = {"int32": np.dtype(np.int32), "int64": np.dtype(np.int64)}


@dataclass(frozen=True)
class About:
    """All about stored rows but the rows."""

    n: int
    d: int
    dtype: np.dtype[Any]
    index: np.dtype[Any] | None  # the type of CSR indices; None: the rows are dense
    entries: int  # the numbers that are stored
    classes: NDArray[Any]
    counts: tuple[int, ...]
    feature_names: list[str] | None
    preprocessing: Preprocessing | None
    fingerprint: str

    @property
    def label(self) -> np.dtype[Any]:
        return np.dtype(np.int8 if len(self.classes) == 2 else np.int32)

    @property
    def sizes(self) -> dict[str, int]:
        rows = {"X.bin": self.entries * self.dtype.itemsize}
        if self.index is not None:
            rows = {
                "data.bin": self.entries * self.dtype.itemsize,
                "indices.bin": self.entries * self.index.itemsize,
                "indptr.bin": (self.n + 1) * 8,
            }
        return rows | {"y.bin": self.n * self.label.itemsize}

    def write(self, folder: Path) -> None:
        document = {
            "format": FORMAT,
            "version": VERSION,
            "byte order": sys.byteorder,
            "n": self.n,
            "d": self.d,
            "dtype": self.dtype.name,
            "index": None if self.index is None else self.index.name,
            "entries": self.entries,
            "classes": parameters.write_labels(self.classes),
            "counts": list(self.counts),
            "feature names": self.feature_names,
            "preprocessing": None if self.preprocessing is None else self.preprocessing.to_dict(),
            "fingerprint": self.fingerprint,
            "files": self.sizes,
        }
        (folder / NAME).write_text(json.dumps(document, indent=1))


def read(folder: Path) -> About | None:
    """None where anything is other than it should be: such rows are not trusted."""
    try:
        with Part(json.loads(read_whole(folder / NAME, most=_MOST)), "the file") as part:
            about = _about(part)
            good = part.value("files") == about.sizes == _sizes(folder, about)
    except (InvalidDocument, InputError, FileError, OSError, ValueError, RecursionError):
        return None
    return about if good else None


def _about(part: Part) -> About:
    part.one_of("format", [FORMAT])
    part.one_of("byte order", [sys.byteorder])
    if part.whole("version") != VERSION:
        raise InvalidDocument("of another version")
    index, preprocessing = part.value("index"), part.value("preprocessing")
    about = About(
        n=part.whole("n"),
        d=part.whole("d"),
        dtype=_DTYPES[part.one_of("dtype", _DTYPES)],
        index=None if index is None else _INDICES[part.one_of("index", _INDICES)],
        entries=part.whole("entries"),
        classes=parameters.read_labels(part.part("classes")),
        counts=tuple(int(count) for count in part.values("counts")),
        feature_names=part.optional(part.texts, "feature names"),
        preprocessing=None if preprocessing is None else Preprocessing.from_dict(preprocessing),
        fingerprint=part.text("fingerprint"),
    )
    dense = about.index is None and about.entries != about.n * about.d
    if dense or len(about.counts) != len(about.classes):
        raise InvalidDocument("it does not agree with itself")
    return about


def _sizes(folder: Path, about: About) -> dict[str, int]:
    return {name: (folder / name).stat().st_size for name in about.sizes}


# --- Writing -------------------------------------------------------------------------------------


PASS = 8 << 20  # bytes that are changed at a time


def advice() -> str:
    return f"Another folder: {option('cache', ...)}, or the environment variable ROSENBLATT_CACHE."


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except RosenblattError:
        raise
    except OSError as error:
        raise cannot("write into", folder, error, advice()) from None


def refuse_if_full(folder: Path, size: int) -> None:
    with writing(folder.parent):
        free = shutil.disk_usage(folder).free
        if size > free:
            raise FileError(
                f"The encoded rows take {size / 1e9:,.1f} GB, and {folder.parent} has only "
                f"{free / 1e9:,.1f} GB free. Make room. {advice()}"
            )


@final
class Spool:
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
        """In place if the new numbers have the same size."""
        grows = before.itemsize != after.itemsize
        grown = self.path.with_suffix(".new")
        self._file.close()
        self._file = open(grown, "xb") if grows else open(self.path, "r+b")  # noqa: SIM115 - as above
        for numbers in self.numbers(before, items):
            self.write(change(numbers))
        if grows:
            os.replace(grown, self.path)

    def numbers(self, kind: np.dtype[Any], items: int) -> Iterator[NDArray[Any]]:
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
    """Writes rows and signs into a folder; `with` closes its files. Shape, types and labels need be
    known only in the end."""

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
        """Where rows of float64 follow those of float32, all become float64."""
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
        counts = np.bincount(y > 0 if y.dtype == np.int8 else y, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def _widen(self) -> None:
        before, self.dtype = self.dtype, np.dtype(np.float64)
        with writing(self.folder.parent):
            spool = self._spools["data" if self.sparse else "X"]
            spool.change(before, self.dtype, lambda numbers: numbers.astype(np.float64))

    def rows(self) -> Iterator[NDArray[Any]]:
        with writing(self.folder.parent):
            for numbers in self._spools["X"].numbers(self.dtype, self.d):
                yield numbers.reshape(-1, self.d)

    def change(self, change: Callable[[NDArray[Any]], None]) -> None:
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
        preprocessing: Preprocessing | None = None,
    ) -> None:
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
                preprocessing,
                "",
            )
            with closing(Stored(self.folder, about)) as rows:
                mark = fingerprint.of_rows((self.n, self.d), _hashed(rows))
            replace(about, fingerprint=mark).write(self.folder)


def _hashed(rows: Stored) -> fingerprint.RowsFrom:
    def some(begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        X, y = rows.rows(begin, end)
        return X, y if rows.k is None else y + np.int32(1)

    return some
