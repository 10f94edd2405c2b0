"""Tables in files that every machine can read: each encodes the rows that it works on, and keeps
them in a cache of its own.

The rows of a table are numbered through all of its files, which the first look at it has counted.
A bundle knows the files that its rows lie in, and reads these alone. Means and scales fold over
shards as they do over rows, so that the numbers have the same bits as on one machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, final
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Matrix
from rosenblatt._core.summation import folded
from rosenblatt._out_of_core import store
from rosenblatt._out_of_core.cache import kept
from rosenblatt._out_of_core.client import Client, name
from rosenblatt._out_of_core.engine import Engine, Inline, opened
from rosenblatt._out_of_core.partitions import Bundle, Divided, bundled, of_stored
from rosenblatt._out_of_core.parts import ArrayPart, open_folder
from rosenblatt._out_of_core.progress import Silent
from rosenblatt._out_of_core.sources import refuse_not_finite_batch, source_of
from rosenblatt._out_of_core.store import PASS, Stored, Writer, refuse_if_full
from rosenblatt._out_of_core.tables import TableRows, refuse_not_finite
from rosenblatt._out_of_core.work import labels
from rosenblatt._util.files import as_path
from rosenblatt._validation import targets
from rosenblatt._validation.rows import checked_rows
from rosenblatt.data.encoding import Encoding
from rosenblatt.data.files import File
from rosenblatt.data.scaling import Moments, Seen, together, with_moments
from rosenblatt.data.table import RowsFrom
from rosenblatt.errors import FileError, InputError, InputTypeError


def are_files(source: Any) -> bool:
    """Can every machine encode its rows for itself? Medians need whole columns, and words of prose
    are counted over all rows: then they are encoded here."""
    if not isinstance(source, TableRows):
        return False
    plain = not source.table.encoding().prose and source.table.impute != "median"
    return plain and all(f.kind != "frame" and f.keep is None for f in source.files)


def of_table(
    team: Client,
    source: TableRows,
    cache: Path | None,
) -> Divided:
    """The rows of a table, encoded by the machines that work on them."""
    table, encoding = source.table, source.table.encoding()
    assert encoding.target is not None
    classes, n = np.array(encoding.target.classes), table.n_rows
    shares = [
        TableShare(table.rows_from(begin, end), encoding, begin, end, cache)
        for begin, end in bundled(n, team.engine.at_once)
    ]
    if source.scale or table.impute is not None:
        found = team.all([(_moments, (team.place(itself, share),)) for share in shares])
        seen = folded([shard for part in found for shard in part], together)
        how: dict[str, Any] = {"scale": source.scale, "impute": table.impute}
        encoding = with_moments(encoding, seen, (), **how)
    shares = [replace(share, encoding=encoding) for share in shares]
    bundles = [Bundle(s.begin, s.end, team.place(load, s)) for s in shares]
    team.settle([bundle.handle for bundle in bundles])
    names = encoding.feature_names
    size = n * (8 * len(names) + 4)
    rows = Divided(team, bundles, n, len(names), classes, (), names, encoding, size)
    counts = np.array(rows.each(labels, len(classes))).sum(axis=0)
    return replace(rows, counts=tuple(counts.tolist()))


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

    def parts(self, *, gaps: bool) -> Iterator[tuple[NDArray[np.float64], NDArray[Any]]]:
        """Some rows at a time, scaled as far as it is known by what; with `gaps`, or filled."""
        self._check()
        assert self.encoding.target is not None
        classes = np.array(self.encoding.target.classes)
        size = max(1, PASS // (8 * max(self.encoding.n_dense, 1)))
        for whole in self.rows_from.parts():
            for part in whole.some(size):
                y = targets.encoded(self.encoding.labels(part), classes)
                yield self.encoding.rows(part, seen=gaps), y

    def _check(self) -> None:
        for file in self.files:
            if not os.path.exists(file.path):
                raise FileError(
                    f"The worker {name()} does not see {file.name}. Put the files into a folder "
                    "that all machines share, or name them by an address like s3://bucket/*.parquet."
                )

    def write(self, folder: Path, say: Silent) -> None:
        names = self.encoding.feature_names
        assert self.encoding.target is not None
        refuse_if_full(folder, (self.end - self.begin) * (8 * len(names) + 4))
        with Writer(folder, len(names), np.dtype(np.float64), sparse=False) as writer:
            for rows, y in self.parts(gaps=False):
                numbers = np.ascontiguousarray(rows)
                refuse_not_finite(numbers, self.begin + writer.n, names)
                writer.add(numbers, y)
            writer.done(np.array(self.encoding.target.classes), feature_names=names)


@final
@dataclass(frozen=True)
class OwnPart:
    """Rows that a machine has encoded for itself. Elsewhere they are encoded once more."""

    share: TableShare
    nbytes: int

    @property
    def begin(self) -> int:
        return self.share.begin

    @property
    def end(self) -> int:
        return self.share.end

    @cached_property
    def stored(self) -> Stored:
        """The rows in the cache of this machine; they are encoded now if they are not there."""
        folder = kept(self.share, self.share.cache)
        about = store.read(folder)
        if about is None:
            raise FileError(f"What was written into {folder} is not there any more. Try again.")
        return open_folder(str(folder), about.fingerprint)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        return self.stored.rows(begin - self.begin, end - self.begin)

    def __reduce__(self) -> tuple[Any, ...]:
        return OwnPart, (self.share, self.nbytes)

    def __sizeof__(self) -> int:
        """That of the rows: a scheduler that weighs what it would have to move leaves them."""
        return self.nbytes


def load(share: TableShare) -> OwnPart:
    """On a worker: the rows are in its cache."""
    return OwnPart(share, OwnPart(share, 0).stored.nbytes)


def itself(share: TableShare) -> TableShare:
    """On a worker: nothing is to be done before."""
    return share


def _moments(share: TableShare) -> list[Seen]:
    """On a worker: mean and spread of the columns of numbers, of each shard."""
    numbers = share.encoding.number_places
    found, moments, left = [], Moments(len(numbers)), compute.rows_of_shard
    for rows, _ in share.parts(gaps=True):
        place = 0
        while place < len(rows):
            some = rows[place : place + left]
            moments.add(some[:, numbers])
            place, left = place + len(some), left - len(some)
            if not left:
                found.append(moments.finish())
                moments, left = Moments(len(numbers)), compute.rows_of_shard
    return found if left == compute.rows_of_shard else [*found, moments.finish()]


# From what a person names to rows on the machines of an engine.


@contextmanager
def divided(source: Any, engine: Any, cache: Any, say: Silent | None = None) -> Iterator[Divided]:
    """The rows of a source, in place. What was opened or written for them is gone in the end."""
    from rosenblatt._out_of_core.cache import stored
    from rosenblatt._out_of_core.train import are_arrays

    with ExitStack() as until_the_end:
        machines: Engine = Inline()
        if engine is not None:
            machines = until_the_end.enter_context(opened(engine))
        team = Client(machines)
        if are_collections(source):
            yield of_collections(team, *source)
            return
        if are_arrays(source):
            arrays = source
            source = lambda: iter([arrays])  # noqa: E731 - batches
        found, folder = source_of(source), None if cache is None else as_path(cache)
        if engine is not None and are_files(found):
            assert isinstance(found, TableRows)
            yield of_table(team, found, folder)
            return
        rows = until_the_end.enter_context(stored(found, folder=folder, say=say))
        yield of_stored(team, rows)


# Dask arrays and frames: their rows are computed by the workers, and stay there.


def are_collections(source: Any) -> bool:
    """A pair of them; either may be in memory."""
    pair = isinstance(source, tuple) and len(source) == 2
    return pair and any(hasattr(part, "__dask_graph__") for part in source)


def of_collections(team: Client, X: Any, y: Any) -> Divided:
    """Rows and labels, divided into whole shards."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    X, y = _array(X, "X"), _array(y, "y")
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
        raise InputError(
            f"X has the shape {X.shape} and y {y.shape}: give as many labels as there are rows."
        )
    n, d = (int(size) for size in X.shape)
    edges = bundled(n, team.engine.at_once)
    given = [(begin, X[begin:end], y[begin:end]) for begin, end in edges]
    found = [team.place(_labels, some) for _, _, some in given]
    classes = targets.classes_of(np.concatenate(team.results(found)))
    bundles = [
        Bundle(begin, begin + len(some), team.place(_load, begin, classes, names, rows, some))
        for begin, rows, some in given
    ]
    team.settle([bundle.handle for bundle in bundles])
    rows = Divided(team, bundles, n, d, classes, (), names, None, 8 * n * d)
    counts = np.sum(rows.each(labels, len(classes)), axis=0)
    return Divided(team, bundles, n, d, classes, tuple(counts.tolist()), names, None, 8 * n * d)


def _array(given: Any, name: str) -> Any:
    """As a Dask array whose parts have known lengths."""
    da: Any = import_module("dask.array")
    if hasattr(given, "to_dask_array"):  # a frame or a series
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # text becomes objects: so be it
            return given.to_dask_array(lengths=True)
    if not hasattr(given, "__dask_graph__"):
        return da.from_array(np.asarray(given))
    if not isinstance(given, da.Array):
        raise InputTypeError(
            f"{name} is a {type(given).__module__}.{type(given).__qualname__}: give a Dask array, "
            "frame or series."
        )
    return given.compute_chunk_sizes() if np.isnan(given.shape[0]) else given


def _labels(y: Any) -> NDArray[Any]:
    """On a worker: which there are."""
    found = np.asarray(computed(y))
    return targets.found_classes(targets.labels(found, len(found)), many=True)


def _load(begin: int, classes: NDArray[Any], names: list[str] | None, X: Any, y: Any) -> ArrayPart:
    """On a worker: these rows, checked."""
    X, y = np.asarray(computed(X)), np.asarray(computed(y))
    called = f"X, from row {begin:,} on,"
    rows = checked_rows(BaseEstimator(), X, reset=True, finite=False, name=called)
    refuse_not_finite_batch(rows, names, called)
    return ArrayPart(begin, rows, targets.encoded(targets.labels(y, len(y)), classes))


def computed(given: Any) -> Any:
    """Engines other than Dask's bring the recipe to the worker."""
    if hasattr(given, "__dask_graph__"):
        return given.compute(scheduler="synchronous")
    return given
