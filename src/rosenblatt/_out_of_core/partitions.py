"""Labelled rows in partitions of whole shards, and where each of them is.

A `Partition` is small, and the same wherever it is opened: a worker that has not loaded its rows
does so then, and finds them again at the next call, in the process or on the disk of its machine.
`PartitionedRows` is all that the program knows of them. Rows on its own disk are one partition,
which it reads itself. How rows are divided decides where work is done, and nothing else.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from rosenblatt._core import fingerprint
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Csr, Examples, Matrix, as_matrix, as_table, row_range
from rosenblatt._out_of_core import store
from rosenblatt._out_of_core.client import Client, name
from rosenblatt._out_of_core.engine import Handle, Inline
from rosenblatt._out_of_core.store import Stored
from rosenblatt._training.orders import arrange_block
from rosenblatt._training.training import against_rest
from rosenblatt._util.spelling import option
from rosenblatt._validation import targets
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.errors import FileError

_MOST_OPEN = 64  # folders of rows that a process holds open


class Labelling(NamedTuple):
    k: int | None  # how many classes; None: two
    by_class: tuple[float, ...]  # the weights of the rows of each
    one: int | None = None  # the class that is +1 where all others are -1
    tie: float = 0.0  # what a score of 0 is taken for

    def examples(self, X: Matrix, y: NDArray[Any]) -> Examples:
        labelled = Examples(X, y, self.weights(y), self.k, self.tie)
        return labelled if self.one is None else against_rest(labelled, self.one)

    def weights(self, y: NDArray[Any]) -> NDArray[np.float64] | None:
        return targets.weigh(None, y, self.by_class)


class Epoch(NamedTuple):
    """What the order of visits depends on."""

    seed: int
    number: int
    shuffled: bool

    def visits(self, b: int, block: Examples) -> Visits:
        counts = np.zeros((block.rows.n, *block.shape_of_weights[:-1]), dtype=np.int64)
        if not self.shuffled:
            return Visits(None, counts)
        order = np.empty(block.rows.n, dtype=np.int32)
        arrange_block(order, None, b, self.seed, self.number)
        return Visits(order, counts)


class Visits(NamedTuple):
    """What visits of a block need besides its rows."""

    order: NDArray[np.int32] | None  # None: as they stand
    counts: NDArray[np.int64]  # of updates by row, which nobody reads


class Partition(ABC):
    """Rows begin to end, by the numbers that they have among all rows."""

    begin: int
    end: int

    @abstractmethod
    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        """Some of them: X, and y as signs or numbers of classes."""

    @property
    def blocks(self) -> range:
        return range(self.begin // compute.block, -(-self.end // compute.block))

    @property
    def shards(self) -> list[range]:
        first, behind, size = self.blocks.start, self.blocks.stop, compute.shard
        return [range(b, min(b + size, behind)) for b in range(first, behind, size)]

    def block_rows(self, b: int) -> tuple[Matrix, NDArray[Any]]:
        return self.rows(b * compute.block, min((b + 1) * compute.block, self.end))

    def block(self, labelling: Labelling, b: int) -> Examples:
        return labelling.examples(*self.block_rows(b))

    def visits(self, epoch: Epoch, b: int, block: Examples) -> Visits:
        return epoch.visits(b, block)

    def expect(self, b: int) -> None:  # noqa: B027 - what is in memory is not read ahead
        """Block b comes next: it may be read from the disk meanwhile."""


class _Last(threading.local):
    block: tuple[Labelling, int, Examples] | None = None
    visits: tuple[Epoch, int, Visits] | None = None


@final
class LocalPartition(Partition):
    """All rows of a folder, read by this process. One block at a time stays in memory, since it is
    asked for again when a call ends within it."""

    def __init__(self, stored: Stored):
        self.stored, self.begin, self.end = stored, 0, stored.n
        self._last = _Last()

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        return self.stored.rows(begin, end)

    def block(self, labelling: Labelling, b: int) -> Examples:
        last = self._last.block
        if last is None or last[:2] != (labelling, b):
            last = self._last.block = None  # that one is let go before the next is read
            last = self._last.block = labelling, b, super().block(labelling, b)
        return last[2]

    def visits(self, epoch: Epoch, b: int, block: Examples) -> Visits:
        last = self._last.visits
        if last is None or last[:2] != (epoch, b):
            last = self._last.visits = epoch, b, epoch.visits(b, block)
        return last[2]

    def expect(self, b: int) -> None:
        if self._last.block is None or self._last.block[1] != b:
            self.stored.expect(b)


@final
@dataclass(frozen=True)
class StoredPartition(Partition):
    """Some of the rows in a folder that every machine sees."""

    folder: str
    fingerprint: str
    begin: int
    end: int
    nbytes: int

    @property
    def stored(self) -> Stored:
        return open_folder(self.folder, self.fingerprint)

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        return self.stored.rows(begin, end)

    def expect(self, b: int) -> None:
        self.stored.expect(b)

    def __sizeof__(self) -> int:
        """That of the rows: a scheduler that weighs what it would have to move leaves them."""
        return self.nbytes


def load_stored(partition: StoredPartition) -> StoredPartition:
    partition.rows(partition.begin, min(partition.begin + 1, partition.end))
    return partition


@final
@dataclass(frozen=True)
class ArrayPartition(Partition):
    """Rows in the memory of a worker."""

    begin: int
    end: int
    X: Matrix
    y: NDArray[Any]

    def rows(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        first, last = begin - self.begin, end - self.begin
        return row_range(self.X, first, last), self.y[first:last]

    def __sizeof__(self) -> int:
        arrays = self.X[:3] if isinstance(self.X, Csr) else (self.X,)
        return int(sum(a.nbytes for a in [*arrays, self.y]))


class _OpenFolders:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], Stored] = {}
        atexit.register(self.close)

    def folder(self, folder: str, mark: str) -> Stored:
        key = folder, mark
        with self._lock:
            if key not in self._open:
                self._forget()
                self._open[key] = _opened(folder, mark)
            return self._open[key]

    def _forget(self) -> None:
        """Removed folders, since open files keep their room on the disk; the oldest of many."""
        gone = [key for key in self._open if not os.path.exists(key[0])]
        gone += list(self._open)[: max(0, len(self._open) - _MOST_OPEN)]
        for key in gone:
            if key in self._open:
                self._open.pop(key).close()

    def close(self) -> None:
        with self._lock:
            for rows in self._open.values():
                rows.close()
            self._open.clear()


def _opened(folder: str, mark: str) -> Stored:
    about = store.read(Path(folder))
    if about is None or about.fingerprint != mark:
        raise FileError(
            f"The worker {name()} does not see the rows in {folder}. Put the cache into a folder "
            f"that all machines share ({option('cache', ...)}, or ROSENBLATT_CACHE where the "
            "program starts)."
        )
    return Stored(Path(folder), about)


open_folder = _OpenFolders().folder
"""The rows in a folder with this fingerprint, which stay open."""


class Placed(NamedTuple):
    """A partition, as the program knows it."""

    begin: int  # the first row,
    end: int  # and the one behind the last
    handle: Handle


@final
@dataclass(frozen=True)
class PartitionedRows:
    """Labelled rows on the machines of an engine, or on the disk of this one."""

    client: Client
    partitions: list[Placed]
    n: int
    d: int
    classes: NDArray[Any]
    counts: tuple[int, ...]  # how many rows each class has
    feature_names: list[str] | None
    preprocessing: Preprocessing | None
    nbytes: int
    mark: str | None = None  # the fingerprint, where it is known
    stored: Stored | None = None  # where no engine was asked for: the rows on disk

    @property
    def k(self) -> int | None:
        return targets.how_many(self.classes)

    @cached_property
    def fingerprint(self) -> str:
        return self.mark or self.fingerprint_of(Labelling(self.k, (1.0,) * len(self.classes)))

    def fingerprint_of(self, labelling: Labelling) -> str:
        digest = hashlib.sha256(np.array((self.n, self.d), dtype="<u8"))
        digest.update(b"".join(self.hashed(row_hashes, labelling)))
        return digest.hexdigest()

    def fingerprint_of_weights(self, labelling: Labelling) -> str:
        return hashlib.sha256(b"".join(self.hashed(weight_hashes, labelling))).hexdigest()

    def each(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        calls = [(work, (placed.handle, *arguments)) for placed in self.partitions]
        return self.client.all(calls, [p.end - p.begin for p in self.partitions])

    def of_shards(self, work: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
        return [result for results in self.each(work, *arguments) for result in results]

    def one(self, place: int, rows: int, work: Callable[..., Any], *arguments: Any) -> Any:
        return self.client.all([(work, (self.partitions[place].handle, *arguments))], [rows])[0]

    def partition_of(self, row: int) -> int:
        if len(self.partitions) == 1:
            return 0
        return bisect_right([placed.begin for placed in self.partitions], row) - 1

    def hashed(
        self, work: Callable[[Partition, Labelling], list[bytes]], labelling: Labelling
    ) -> list[bytes]:
        if all(placed.begin % fingerprint.BLOCK == 0 for placed in self.partitions):
            return self.of_shards(work, labelling)
        # Partitions begin elsewhere only where blocks are smaller than they are defined to be.
        return work(_joined(self.each(all_rows)), labelling)


def all_rows(partition: Partition) -> tuple[Matrix, NDArray[Any]]:
    return partition.rows(partition.begin, partition.end)


def _joined(parts: list[tuple[Matrix, NDArray[Any]]]) -> ArrayPartition:
    tables = [as_table(X) for X, _ in parts]
    sparse = any(isinstance(X, Csr) for X, _ in parts)
    X = as_matrix(vstack(tables, format="csr") if sparse else np.concatenate(tables))
    y = np.concatenate([y for _, y in parts])
    return ArrayPartition(0, len(y), X, y)


def row_hashes(partition: Partition, labelling: Labelling) -> list[bytes]:
    hashes = []
    for rows in _hashed_rows(partition):
        some = labelling.examples(*rows)
        y = some.y if some.k is None else some.y + np.int32(1)
        hashes.append(fingerprint.of_block(some.rows.X, y))
    return hashes


def weight_hashes(partition: Partition, labelling: Labelling) -> list[bytes]:
    weights = (labelling.weights(y) for _, y in _hashed_rows(partition))
    return [fingerprint.of_weight_block(c) for c in weights if c is not None]


def _hashed_rows(partition: Partition) -> Any:
    for begin in range(partition.begin, partition.end, fingerprint.BLOCK):
        yield partition.rows(begin, min(begin + fingerprint.BLOCK, partition.end))


def bounds(n: int, at_once: int) -> list[tuple[int, int]]:
    size = compute.rows_of_shard
    shards = -(-n // size)
    each = min(shards, at_once)
    edges = [shards * k // each * size for k in range(each)]
    return list(zip(edges, [*edges[1:], n], strict=True))


def on_disk(rows: Stored) -> PartitionedRows:
    return _known(Client(Inline()), [Placed(0, rows.n, LocalPartition(rows))], rows, rows)


def on_engine(client: Client, rows: Stored) -> PartitionedRows:
    partitions = []
    for begin, end in bounds(rows.n, client.engine.at_once):
        size = rows.nbytes * (end - begin) // rows.n
        part = StoredPartition(str(rows.folder.absolute()), rows.fingerprint, begin, end, size)
        partitions.append(Placed(begin, end, client.place(load_stored, part)))
    client.wait_for([placed.handle for placed in partitions])
    return _known(client, partitions, rows, None)


def _known(
    client: Client, partitions: list[Placed], rows: Stored, local: Stored | None
) -> PartitionedRows:
    return PartitionedRows(
        client,
        partitions,
        rows.n,
        rows.d,
        rows.classes,
        rows.counts,
        rows.feature_names,
        rows.preprocessing,
        rows.nbytes,
        rows.fingerprint,
        local,
    )
