"""Tables in files that every machine can read: each encodes the rows that it works on, and keeps
them in a cache of its own.

The rows of a table are numbered through all of its files, which the first look at it has counted.
A bundle knows the files that its rows lie in, and reads these alone. Means and scales fold over
shards as they do over rows, so that the numbers have the same bits as on one machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Matrix
from rosenblatt._compute.folding import folded
from rosenblatt._engines.divided import Bundle, Divided, bundled
from rosenblatt._engines.parts import open_folder
from rosenblatt._engines.team import Team
from rosenblatt._engines.work import labels
from rosenblatt._engines.worker import name
from rosenblatt._inputs import targets
from rosenblatt._streams import meta
from rosenblatt._streams.cache import kept
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.stored import Stored
from rosenblatt._streams.tables import TableRows, refuse_not_finite
from rosenblatt._streams.writer import PASS, Writer, refuse_if_full
from rosenblatt._support.interrupt import no_interrupt
from rosenblatt.data.encode import Encoding
from rosenblatt.data.files import File
from rosenblatt.data.moments import Moments, Seen, together
from rosenblatt.data.rows_from import RowsFrom
from rosenblatt.data.scales import with_moments
from rosenblatt.errors import FileError


def are_files(source: Any) -> bool:
    """Can every machine encode its rows for itself? Medians need whole columns, and words of prose
    are counted over all rows: then they are encoded here."""
    if not isinstance(source, TableRows):
        return False
    plain = not source.table.encoding().prose and source.table.impute != "median"
    return plain and all(f.kind != "frame" and f.keep is None for f in source.files)


def of_table(
    team: Team,
    source: TableRows,
    cache: Path | None,
    hear: Callable[[], None] = no_interrupt,
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
        found = team.all([(_moments, (team.place(itself, share),)) for share in shares], hear)
        seen = folded([shard for part in found for shard in part], together)
        how: dict[str, Any] = {"scale": source.scale, "impute": table.impute}
        encoding = with_moments(encoding, seen, (), **how)
    shares = [replace(share, encoding=encoding) for share in shares]
    bundles = [Bundle(s.begin, s.end, team.place(load, s)) for s in shares]
    team.settle([bundle.handle for bundle in bundles], hear)
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
            "reading": self.rows_from.reader.options,
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
        about = meta.read(folder)
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
