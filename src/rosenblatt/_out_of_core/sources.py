"""What can be trained on as a stream, and the key under which its rows are kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Protocol, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Csr, Matrix, some_rows
from rosenblatt._out_of_core.store import FORMAT, VERSION, Stored, Writer, refuse_if_full
from rosenblatt._out_of_core.tables import TableRows
from rosenblatt._util.progress import counted, heard_by
from rosenblatt._validation import targets
from rosenblatt._validation.rows import first_not_finite, rows_alone
from rosenblatt.data import files
from rosenblatt.data.batch import Kind
from rosenblatt.data.column import Column
from rosenblatt.data.files import File, is_svmlight
from rosenblatt.data.svmlight import MOST_HELD, iterate_svmlight, scan
from rosenblatt.data.table import SparseTable, Table, TableStream
from rosenblatt.data.target import Target, problems_of_target
from rosenblatt.errors import InputError, InputTypeError

_CHUNK = 1 << 13  # rows of svmlight files that are read at a time


class Source(Protocol):
    """Labelled rows that can be written down."""

    @property
    def files(self) -> list[files.File] | None:
        """Where they come from; None if that cannot be read twice."""

    def options(self) -> dict[str, Any]:
        """How they are read and encoded."""

    def write(self, folder: Path) -> None:
        """Write them into an empty folder."""


def source_of(source: Any) -> Source:
    if isinstance(source, (TableRows, SvmlightRows, ChosenRows, BatchRows)):
        return source
    if isinstance(source, Table):
        return TableRows(source)
    if isinstance(source, TableStream):
        return TableRows(source.table, source.scale)
    if isinstance(source, SparseTable):
        return SvmlightRows(source.files, source.positive, source.n_features)
    if isinstance(source, (str, os.PathLike)) or _are_paths(source):
        return _svmlight(source)
    if isinstance(source, Iterator):
        raise InputTypeError(
            f"A {type(source).__name__} can be gone through once only. Give the function that "
            "makes it: batches, not batches()."
        )
    if callable(source) and not isinstance(source, type):
        return BatchRows(source)
    raise InputTypeError(
        f"A {type(source).__name__} is not a stream of rows. Give a table from "
        "rosenblatt.data.read, the path of svmlight files, or a function that gives an iterator of "
        "batches (X, y)."
    )


def are_arrays(source: Any) -> bool:
    return (
        isinstance(source, tuple)
        and len(source) == 2
        and not any(isinstance(part, (str, os.PathLike)) for part in source)
    )


def _are_paths(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and all(
        isinstance(entry, (str, os.PathLike)) for entry in source
    )


def _svmlight(source: Any) -> SvmlightRows:
    named = os.fspath(source) if isinstance(source, (str, os.PathLike)) else list(map(str, source))
    if is_svmlight(source):
        svmlight = files.find(source)
        if all(file.kind == "svmlight" for file in svmlight):
            return SvmlightRows(svmlight)
    raise InputError(
        f"{named} is not named like svmlight files (.svm, .svmlight, .libsvm). For a table, say "
        f'which column holds the labels: rosenblatt.data.read({named!r}, target="...").'
    )


def key_of(source: Source) -> str | None:
    of_files = stamps(source)
    if of_files is None:
        return None
    document = {"format": [FORMAT, VERSION], "files": of_files, "options": source.options()}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def stamps(source: Source) -> list[list[Any]] | None:
    sources = source.files
    if sources is None or any(file.kind == "frame" or file.keep is not None for file in sources):
        return None
    return [[os.path.abspath(file.path), *file.stamp] for file in sources]


@final
@dataclass(frozen=True)
class ChosenRows:
    """The stored rows that are `chosen(begin, end)`, a mask; written without names of features."""

    stored: Stored
    chosen: Callable[[int, int], NDArray[np.bool_]]
    share: float  # of them all, about

    files: ClassVar[None] = None  # they are there as long as they are needed

    def options(self) -> dict[str, Any]:
        return {}

    def write(self, folder: Path) -> None:
        rows = self.stored
        refuse_if_full(folder, int(self.share * rows.nbytes))
        with (
            counted("dividing", rows.n) as count,
            Writer(folder, rows.d, rows.dtype, sparse=rows.sparse) as writer,
        ):
            for begin, X, y in rows.blocks():
                mask = self.chosen(begin, begin + len(y))
                writer.add(some_rows(X, mask), y[mask])
                count(begin + len(y))
            writer.done(rows.classes, preprocessing=rows.preprocessing)


@final
@dataclass(frozen=True)
class SvmlightRows:
    """The rows of svmlight files, one file after the other. Files are read twice: what they hold,
    then their rows."""

    files: list[File]
    positive: Any = None
    n_features: int | None = None

    def options(self) -> dict[str, Any]:
        positive = None if self.positive is None else repr(self.positive)
        return {"svmlight": True, "positive": positive, "n_features": self.n_features}

    def write(self, folder: Path) -> None:
        with heard_by(None):
            n, d, zero_based, target = self._look()
        classes = np.array(target.classes)
        with (
            counted("encoding", n) as count,
            Writer(folder, d, np.dtype(np.float64), sparse=True) as writer,
        ):
            for file in self.files:
                chunks = iterate_svmlight(
                    str(file.path), _CHUNK, n_features=d, zero_based=zero_based
                )
                for X, labels in chunks:
                    y = targets.encoded(target.named(labels), classes)
                    writer.add(Csr(X.data, X.indices, X.indptr, X.shape), y)
                    count(writer.n)
                file.check_unchanged()
            writer.done(classes)

    def _look(self) -> tuple[int, int, bool, Target]:
        labels: set[float] = set()

        def see(some: NDArray[np.float64]) -> None:
            labels.update(np.unique(some).tolist())

        scans = [
            scan(str(file.path), n_features=self.n_features, see=see, most=MOST_HELD)
            for file in self.files
        ]
        zero_based = any(info.zero_based for info in scans)
        d = self.n_features or max(
            info.n_features + (zero_based and not info.zero_based) for info in scans
        )
        column = Column("y", Kind.NUMBER, dict.fromkeys(sorted(labels), 1))  # not counted
        n = sum(info.rows for info in scans)
        if wrong := list(problems_of_target(column, n, self.positive)):
            raise InputError(wrong[0])
        return n, d, zero_based, Target.of(column, self.positive)


@final
@dataclass(frozen=True)
class BatchRows:
    """The rows of batches (X, y) that a function gives, however they are divided."""

    batches: Callable[[], Iterable[tuple[Any, Any]]]

    files: ClassVar[None] = None  # a function may give other rows another time

    def options(self) -> dict[str, Any]:
        return {}

    def write(self, folder: Path) -> None:
        batches = self._checked()
        first = next(batches, None)
        if first is None:
            raise InputError(
                "The function gave no batch with a row, so there is nothing to learn from. It must "
                "return a new iterator at every call, not one that is used up."
            )
        labels = _Labels()
        sparse = isinstance(first.X, Csr)
        dtype = first.X.data.dtype if isinstance(first.X, Csr) else first.X.dtype
        with (
            counted("encoding", None) as count,
            Writer(folder, first.X.shape[1], dtype, sparse=sparse) as writer,
        ):
            for batch in chain([first], batches):
                batch.compare(first)
                writer.add(batch.X, labels.numbers(batch.y, batch.number))
                count(writer.n)
            classes = labels.classes()
            writer.renumber(labels.places(classes))
            writer.done(classes, feature_names=first.names)

    def _checked(self) -> Iterator[_Batch]:
        for number, batch in enumerate(self._iterator()):
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                raise InputTypeError(
                    f"Batch {number} is {_described(batch)}: give pairs (X, y) of rows and labels."
                )
            X, y = batch
            if _is_empty(X):
                targets.labels(y, 0, f"y of batch {number}")
                continue
            name = f"X of batch {number}"
            rows, columns = rows_alone(X, finite=False, name=name)
            names = None if columns is None else [str(text) for text in columns]
            refuse_not_finite_batch(rows, names, name)
            labels = targets.labels(y, rows.shape[0], f"y of batch {number}")
            yield _Batch(number, rows, labels, names)

    def _iterator(self) -> Iterator[Any]:
        batches = self.batches()
        if not isinstance(batches, Iterable) or isinstance(batches, (str, bytes, dict)):
            raise InputTypeError(
                f"The function gave {_described(batches)}: it must give an iterator of pairs "
                "(X, y), as a function with yield does."
            )
        return iter(batches)


def refuse_not_finite_batch(rows: Matrix, names: list[str] | None, name: str) -> None:
    if (wild := first_not_finite(rows)) is not None:
        row, column, value = wild
        shown = f"column {column}" + ("" if names is None else f" ({names[column]!r})")
        raise InputError(
            f"{name} holds {value} at row {row}, {shown}: each number must be finite. Fill in what "
            "is missing (sklearn.impute.SimpleImputer), or leave such rows out.",
            row=row,
        )


@dataclass(frozen=True)
class _Batch:
    number: int
    X: Matrix
    y: NDArray[Any]
    names: list[str] | None

    def compare(self, first: _Batch) -> None:
        here = f"X of batch {self.number}"
        if self.X.shape[1] != first.X.shape[1]:
            raise InputError(
                f"{here} has {self.X.shape[1]} features, but those before have "
                f"{first.X.shape[1]}. Give all batches the same columns."
            )
        if isinstance(self.X, Csr) != isinstance(first.X, Csr):
            form, before = ("sparse", "dense") if isinstance(self.X, Csr) else ("dense", "sparse")
            raise InputError(
                f"{here} is {form}, but those before are {before}. Give all batches in one form."
            )
        if self.names != first.names:
            raise InputError(
                f"{here} has {_few(self.names)}, but those before have {_few(first.names)}. Give "
                "the same columns in the same order."
            )


def _few(names: list[str] | None) -> str:
    if names is None:
        return "columns without names"
    return "the columns " + ", ".join(map(repr, names[:5])) + (" …" if len(names) > 5 else "")


def _is_empty(X: Any) -> bool:
    if hasattr(X, "shape"):
        return len(X.shape) > 0 and X.shape[0] == 0
    return isinstance(X, (list, tuple)) and not X


def _described(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


class _Labels:
    """Labels, as they come: which there are is known in the end only."""

    def __init__(self) -> None:
        self._known: NDArray[Any] | None = None
        self._numbers: dict[Any, int] = {}  # in the order in which they were seen

    def numbers(self, y: NDArray[Any], number: int) -> NDArray[np.int32]:
        here = targets.found_classes(y, many=True)
        if self._known is None:
            self._known = here
        kinds = {self._known.dtype.kind, here.dtype.kind}
        if len(kinds) > 1 and not kinds <= set("biufO"):  # NumPy would make text of numbers
            raise InputTypeError(
                f"y of batch {number} holds labels like {here[:1].tolist()[0]!r}, but those before "
                f"are like {next(iter(self._numbers))!r}. Give labels of one type."
            )
        self._known = targets.found_classes(np.concatenate([self._known, here]), many=True)
        known = [self._numbers.setdefault(c, len(self._numbers)) for c in here.tolist()]
        return np.array(known, dtype=np.int32)[np.searchsorted(here, y)]

    def classes(self) -> NDArray[Any]:
        assert self._known is not None
        return targets.classes_of(self._known)

    def places(self, classes: NDArray[Any]) -> list[int]:
        return [classes.tolist().index(label) for label in self._numbers]
