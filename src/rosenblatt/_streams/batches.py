"""A function that gives batches (X, y), one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rosenblatt import _targets, _validate
from rosenblatt._examples import Csr, Matrix
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.writer import Writer
from rosenblatt.errors import InputError, InputTypeError


class _Width(BaseEstimator):  # type: ignore[misc] # untyped base
    """Learns how many features a batch has and how they are named."""

    n_features_in_: int

    @property
    def names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]


@final
@dataclass(frozen=True)
class BatchRows:
    """The rows of batches, to be written down. However they are divided, they are the same rows."""

    batches: Callable[[], Iterable[tuple[Any, Any]]]

    files: ClassVar[None] = None  # a function may give other rows another time

    def options(self) -> dict[str, Any]:
        return {}

    def write(self, folder: Path, say: Silent) -> None:
        known, labels = None, _Labels()
        writer = None
        say.begin("Encoding", None)
        try:
            for number, X, y, width in self._checked():
                if writer is None:
                    known = width
                    values = X.data if isinstance(X, Csr) else X
                    writer = Writer(folder, X.shape[1], values.dtype, sparse=isinstance(X, Csr))
                assert known is not None
                _compare(number, X, width, writer, known)
                writer.add(X, labels.signs(y))
                say.rows(writer.n)
            if writer is None or known is None:
                raise InputError(
                    "The function gave no batch with a row: there is nothing to learn."
                )
            classes = labels.classes()
            if labels.swapped:
                writer.swap()
            writer.done(classes, feature_names=known.names)
        finally:
            if writer is not None:
                writer.__exit__()

    def _checked(self) -> Iterator[tuple[int, Matrix, NDArray[Any], _Width]]:
        """Number, rows, labels, and how wide they are, of each batch that has rows."""
        for number, batch in enumerate(self._iterator()):
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                raise InputTypeError(
                    f"Batch {number} is {_described(batch)}: give pairs (X, y) of rows and labels."
                )
            X, y = batch
            if len(_shape(X)) == 2 and _shape(X)[0] == 0:
                _targets.labels(y, 0, f"y of batch {number}")
                continue
            width = _Width()
            rows = _validate.rows(width, X, reset=True, name=f"X of batch {number}")
            yield number, rows, _targets.labels(y, rows.shape[0], f"y of batch {number}"), width

    def _iterator(self) -> Iterator[Any]:
        found = self.batches()
        if not isinstance(found, Iterable) or isinstance(found, (str, bytes, dict)):
            raise InputTypeError(
                f"The function gave {_described(found)}: it must give an iterator of pairs (X, y), "
                "as a function with yield does."
            )
        return iter(found)


def _shape(X: Any) -> tuple[int, ...]:
    return tuple(getattr(X, "shape", ()))


def _described(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


def _compare(number: int, X: Matrix, width: _Width, writer: Writer, known: _Width) -> None:
    """Is a batch like the first one?"""
    if X.shape[1] != writer.d:
        raise InputError(
            f"X of batch {number} has {X.shape[1]} features, but those before have {writer.d}."
        )
    if isinstance(X, Csr) != writer.sparse:
        words = ("dense", "sparse")
        raise InputError(
            f"X of batch {number} is {words[not writer.sparse]}, but those before are "
            f"{words[writer.sparse]}. Give all batches in one form."
        )
    if width.names != known.names:
        raise InputError(
            f"X of batch {number} has the columns {_few(width.names)}, but those before have "
            f"{_few(known.names)}. Give the same columns in the same order."
        )


def _few(names: list[str] | None) -> str:
    if names is None:
        return "without names"
    return ", ".join(map(repr, names[:5])) + (" …" if len(names) > 5 else "")


class _Labels:
    """Labels, as they come: which two there are is known in the end only."""

    def __init__(self) -> None:
        self._found: NDArray[Any] | None = None
        self._first: Any = None  # the label that was seen first is -1 for now

    def signs(self, y: NDArray[Any]) -> NDArray[np.int8]:
        if self._found is None:
            self._found, self._first = y[:0], y[:1].tolist()[0]
        if (self._found.dtype.kind in "US") != (y.dtype.kind in "US") and "O" not in (
            self._found.dtype.kind,
            y.dtype.kind,
        ):
            raise InputTypeError(
                "y mixes text and numbers: give labels of one type in all batches."
            )
        here = _targets.found_classes(y)
        self._found = _targets.found_classes(np.concatenate([self._found, here]))
        return np.where(y == self._first, -1, 1).astype(np.int8)

    def classes(self) -> NDArray[Any]:
        assert self._found is not None
        return _targets.two_classes(self._found)

    @property
    def swapped(self) -> bool:
        """Is the label that was seen first the second of the two?"""
        assert self._found is not None
        return bool(self._found[0] != self._first)
