"""Where the rows of a source go: from what a person names to partitions on the workers.

Tables in files that every machine can read are encoded by the workers, each the rows that it works
on, which it keeps in a cache of its own. Their rows are numbered through all files, which were
counted when the table was read; a partition knows the files that its rows lie in, and reads these
alone. Means and scales fold over shards as they do over rows, so that the numbers have the same
bits as on one machine. Dask arrays and frames are computed by the workers, and stay there. All
else is encoded here, and read from disk.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from rosenblatt._out_of_core.cache import kept, stored
from rosenblatt._out_of_core.client import Client
from rosenblatt._out_of_core.engine import opened
from rosenblatt._out_of_core.partitions import (
    ArrayPartition,
    Partition,
    PartitionedRows,
    Placed,
    bounds,
    on_disk,
    on_engine,
    open_folder,
)
from rosenblatt._out_of_core.sources import are_arrays, refuse_not_finite_batch, source_of
from rosenblatt._out_of_core.store import Stored
from rosenblatt._out_of_core.tables import TableRows, TableShare
from rosenblatt._out_of_core.work import count_classes
from rosenblatt._util.files import cache_folder
from rosenblatt._util.progress import heard_by
from rosenblatt._validation import targets
from rosenblatt._validation.rows import checked_rows
from rosenblatt.data.scaling import together, with_moments
from rosenblatt.errors import InputError, InputTypeError


@contextmanager
def partitioned(source: Any, engine: Any, cache: Any) -> Iterator[PartitionedRows]:
    folder = None if cache is None else cache_folder(cache)
    with opened(engine) as machines:
        client = Client(machines)
        if are_collections(source):
            yield of_collections(client, *source)
            return
        if are_arrays(source):
            arrays = source
            source = lambda: iter([arrays])  # noqa: E731 - batches
        with heard_by(None):
            rows_of = source_of(source)
        if engine is not None and isinstance(rows_of, TableRows) and is_read_by_workers(rows_of):
            yield of_table(client, rows_of, folder)
            return
        with stored(rows_of, folder=folder) as rows:
            yield on_disk(rows) if engine is None else on_engine(client, rows)


def is_read_by_workers(source: TableRows) -> bool:
    """Medians need whole columns, and words of prose are counted over all rows: not by workers."""
    plain = not source.table.preprocessing().prose and source.table.impute != "median"
    return plain and all(f.kind != "frame" and f.keep is None for f in source.files)


def of_table(client: Client, source: TableRows, cache: Path | None) -> PartitionedRows:
    table, preprocessing = source.table, source.table.preprocessing()
    assert preprocessing.target is not None
    classes, n = np.array(preprocessing.target.classes), table.n_rows
    shares = [
        TableShare(table.rows_from(begin, end), preprocessing, begin, end, cache)
        for begin, end in bounds(n, client.engine.at_once)
    ]
    if source.scale or table.impute is not None:
        calls = [(TableShare.moments, (client.place(itself, share),)) for share in shares]
        seen = folded([shard for shards in client.all(calls) for shard in shards], together)
        how: dict[str, Any] = {"scale": source.scale, "impute": table.impute}
        preprocessing = with_moments(preprocessing, seen, (), **how)
    shares = [replace(share, preprocessing=preprocessing) for share in shares]
    partitions = [Placed(s.begin, s.end, client.place(load, s)) for s in shares]
    names = preprocessing.feature_names
    size = n * (8 * len(names) + 4)
    return _counted(
        PartitionedRows(client, partitions, n, len(names), classes, (), names, preprocessing, size)
    )


def _counted(rows: PartitionedRows) -> PartitionedRows:
    rows.client.wait_for([placed.handle for placed in rows.partitions])
    counts = np.sum(rows.each(count_classes, len(rows.classes)), axis=0)
    return replace(rows, counts=tuple(counts.tolist()))


@final
@dataclass(frozen=True)
class EncodedPartition(Partition):
    """Rows that a machine has encoded for itself. Another one encodes them once more."""

    share: TableShare
    begin: int
    end: int
    nbytes: int

    @cached_property
    def stored(self) -> Stored:
        with closing(kept(self.share, self.share.cache)) as rows:
            return open_folder(str(rows.folder), rows.fingerprint)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        return self.stored.rows(begin - self.begin, end - self.begin)

    def expect(self, b: int) -> None:
        self.stored.expect(b - self.begin // compute.block)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodedPartition, (self.share, self.begin, self.end, self.nbytes)

    def __sizeof__(self) -> int:
        return self.nbytes


def load(share: TableShare) -> EncodedPartition:
    there = EncodedPartition(share, share.begin, share.end, 0)
    return replace(there, nbytes=there.stored.nbytes)


def itself(share: TableShare) -> TableShare:
    """What is placed where nothing is to be done before."""
    return share


# --- Dask arrays and frames ----------------------------------------------------------------------


def are_collections(source: Any) -> bool:
    pair = isinstance(source, tuple) and len(source) == 2
    return pair and any(is_collection(part) for part in source)


def is_collection(value: Any) -> bool:
    """Without an import of Dask: who has not imported it has none."""
    return "dask" in sys.modules and import_module("dask.base").is_dask_collection(value)


def of_collections(client: Client, X: Any, y: Any) -> PartitionedRows:
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    X, y = _array(X, "X"), _array(y, "y")
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
        raise InputError(
            f"X has the shape {X.shape} and y {y.shape}: give as many labels as there are rows."
        )
    n, d = (int(size) for size in X.shape)
    parts = [(b, e, X[b:e], y[b:e]) for b, e in bounds(n, client.engine.at_once)]
    labels = client.results([client.place(_labels, some) for *_, some in parts])
    classes = targets.classes_of(np.concatenate(labels))
    partitions = [
        Placed(b, e, client.place(_load, b, classes, names, rows, some))
        for b, e, rows, some in parts
    ]
    return _counted(PartitionedRows(client, partitions, n, d, classes, (), names, None, 8 * n * d))


def _array(collection: Any, name: str) -> Any:
    """As a Dask array whose parts have known lengths."""
    da: Any = import_module("dask.array")
    if hasattr(collection, "to_dask_array"):  # a frame or a series
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # text becomes objects: so be it
            return collection.to_dask_array(lengths=True)
    if not is_collection(collection):
        return da.from_array(np.asarray(collection))
    if not isinstance(collection, da.Array):
        kind = type(collection)
        raise InputTypeError(
            f"{name} is a {kind.__module__}.{kind.__qualname__}: give a Dask array, frame or "
            "series."
        )
    return collection.compute_chunk_sizes() if np.isnan(collection.shape[0]) else collection


def _labels(y: Any) -> NDArray[Any]:
    labels = np.asarray(computed(y))
    return targets.found_classes(targets.labels(labels, len(labels)), many=True)


def _load(
    begin: int, classes: NDArray[Any], names: list[str] | None, X: Any, y: Any
) -> ArrayPartition:
    X, y = np.asarray(computed(X)), np.asarray(computed(y))
    called = f"X, from row {begin:,} on,"
    rows = checked_rows(BaseEstimator(), X, reset=True, finite=False, name=called)
    refuse_not_finite_batch(rows, names, called)
    y = targets.encoded(targets.labels(y, len(y)), classes)
    return ArrayPartition(begin, begin + len(y), rows, y)


def computed(part: Any) -> Any:
    """Engines other than Dask's bring the recipe to the worker."""
    return part.compute(scheduler="synchronous") if is_collection(part) else part
