"""A function that gives batches (X, y), one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Csr, Matrix
from rosenblatt._inputs import targets, validate
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.writer import Writer
from rosenblatt.errors import InputError, InputTypeError


@final
@dataclass(frozen=True)
class BatchRows:
    """The rows of batches, to be written down. However they are divided, they are the same rows."""

    batches: Callable[[], Iterable[tuple[Any, Any]]]

    files: ClassVar[None] = None  # a function may give other rows another time

    def options(self) -> dict[str, Any]:
        return {}

    def write(self, folder: Path, say: Silent) -> None:
        say.begin("Encoding", None)
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
        with Writer(folder, first.X.shape[1], dtype, sparse=sparse) as writer:
            for batch in chain([first], batches):
                batch.compare(first)
                writer.add(batch.X, labels.numbers(batch.y, batch.number))
                say.rows(writer.n)
            classes = labels.classes()
            writer.renumber(labels.places(classes))
            writer.done(classes, feature_names=first.names)

    def _checked(self) -> Iterator[_Batch]:
        """Those that have rows."""
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
            rows, given = validate.rows_alone(X, finite=False, name=name)
            names = None if given is None else [str(text) for text in given]
            refuse_not_finite(rows, names, name)
            labels = targets.labels(y, rows.shape[0], f"y of batch {number}")
            yield _Batch(number, rows, labels, names)

    def _iterator(self) -> Iterator[Any]:
        found = self.batches()
        if not isinstance(found, Iterable) or isinstance(found, (str, bytes, dict)):
            raise InputTypeError(
                f"The function gave {_described(found)}: it must give an iterator of pairs (X, y), "
                "as a function with yield does."
            )
        return iter(found)


def refuse_not_finite(rows: Matrix, names: list[str] | None, name: str) -> None:
    numbers = rows.data if isinstance(rows, Csr) else rows
    if np.isfinite(numbers).all():
        return
    place = tuple(int(k) for k in np.argwhere(~np.isfinite(numbers))[0])
    if isinstance(rows, Csr):
        row = int(np.searchsorted(rows.indptr, place[0], side="right")) - 1
        column = int(rows.indices[place[0]])
    else:
        row, column = place
    shown = f"column {column}" + ("" if names is None else f" ({names[column]!r})")
    raise InputError(
        f"{name} holds {numbers[place]} at row {row}, {shown}: each number must be finite. Fill in "
        "what is missing (sklearn.impute.SimpleImputer), or leave such rows out."
    )


@dataclass(frozen=True)
class _Batch:
    number: int
    X: Matrix
    y: NDArray[Any]
    names: list[str] | None

    def compare(self, first: _Batch) -> None:
        """Is it like the first one?"""
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
        self._found: NDArray[Any] | None = None
        self._numbers: dict[Any, int] = {}  # in the order in which they were seen

    def numbers(self, y: NDArray[Any], number: int) -> NDArray[np.int32]:
        here = targets.found_classes(y, many=True)
        if self._found is None:
            self._found = here
        kinds = {self._found.dtype.kind, here.dtype.kind}
        if len(kinds) > 1 and not kinds <= set("biufO"):  # NumPy would make text of numbers
            raise InputTypeError(
                f"y of batch {number} holds labels like {here[:1].tolist()[0]!r}, but those before "
                f"are like {next(iter(self._numbers))!r}. Give labels of one type."
            )
        self._found = targets.found_classes(np.concatenate([self._found, here]), many=True)
        known = [self._numbers.setdefault(c, len(self._numbers)) for c in here.tolist()]
        return np.array(known, dtype=np.int32)[np.searchsorted(here, y)]

    def classes(self) -> NDArray[Any]:
        assert self._found is not None
        return targets.classes_of(self._found)

    def places(self, classes: NDArray[Any]) -> list[int]:
        """Where each is among the classes, in the order in which they were seen."""
        return [classes.tolist().index(label) for label in self._numbers]
