"""All rows, as whoever asks knows them: how many, of which classes, and where they are."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.fingerprint import BLOCK
from rosenblatt._out_of_core.client import Client
from rosenblatt._out_of_core.engine import Handle
from rosenblatt._out_of_core.parts import ArrayPart, StoredPart, load_stored
from rosenblatt._out_of_core.work import How, fingerprints
from rosenblatt._out_of_core.work import rows as rows_of
from rosenblatt._validation.targets import how_many

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored
    from rosenblatt.data.encoding import Encoding


class Bundle(NamedTuple):
    """Some shards that are in one place. It decides where work is done, and nothing else."""

    begin: int  # the first row,
    end: int  # and the one behind the last
    handle: Handle


@final
@dataclass(frozen=True)
class Divided:
    """Labelled rows on the machines of a team; what `Stored` tells of rows on disk."""

    team: Client
    bundles: list[Bundle]
    n: int
    d: int
    classes: NDArray[Any]
    counts: tuple[int, ...]
    feature_names: list[str] | None
    encoding: Encoding | None
    nbytes: int
    mark: str | None = None  # the fingerprint, where it is known

    @property
    def k(self) -> int | None:
        """How many classes; None: two."""
        return how_many(self.classes)

    @cached_property
    def fingerprint(self) -> str:
        """Of the rows and signs, or numbers of classes; it takes a look at all rows."""
        return self.mark or fingerprint_of(self, How(self.k, (1.0,) * len(self.classes)))

    @property
    def n_blocks(self) -> int:
        return -(-self.n // compute.block)

    def each(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """The work on every bundle, in the order of the rows."""
        calls = [(work, (bundle.handle, *given)) for bundle in self.bundles]
        return self.team.all(calls, [b.end - b.begin for b in self.bundles])

    def one(
        self,
        place: int,
        work: Callable[..., Any],
        *given: Any,
        rows: int,
    ) -> Any:
        """The work on one bundle, that looks at so many rows."""
        return self.team.all([(work, (self.bundles[place].handle, *given))], [rows])[0]

    def hashed(self, work: Callable[..., list[bytes]], *given: Any) -> list[bytes]:
        """What such work finds for each 65,536 rows, in their order."""
        if all(bundle.begin % BLOCK == 0 for bundle in self.bundles):
            return [mark for part in self.each(work, *given) for mark in part]
        # Bundles begin elsewhere only where blocks are smaller than they are defined to be.
        parts = self.each(rows_of)
        return work(ArrayPart.joined(parts), *given)

    def bundle_of(self, row: int) -> int:
        """Which one has this row."""
        return bisect_right([bundle.begin for bundle in self.bundles], row) - 1

    def named(self, y: NDArray[Any]) -> NDArray[Any]:
        """The labels for signs, or numbers of classes."""
        found: NDArray[Any] = self.classes[(y > 0).astype(np.intp) if self.k is None else y]
        return found


def bundled(n: int, at_once: int) -> list[tuple[int, int]]:
    """Rows of n that go to one place: whole shards, one call for each machine."""
    size = compute.rows_of_shard
    shards = -(-n // size)
    each = min(shards, at_once)
    edges = [shards * k // each * size for k in range(each)]
    return list(zip(edges, [*edges[1:], n], strict=True))


def of_stored(team: Client, rows: Stored) -> Divided:
    """Rows in a folder that every machine sees."""
    bundles = []
    for begin, end in bundled(rows.n, team.engine.at_once):
        size = rows.nbytes * (end - begin) // rows.n
        part = StoredPart(str(rows.folder.absolute()), rows.fingerprint, begin, end, size)
        bundles.append(Bundle(begin, end, team.place(load_stored, part)))
    team.settle([bundle.handle for bundle in bundles])
    return Divided(
        team,
        bundles,
        rows.n,
        rows.d,
        rows.classes,
        rows.counts,
        rows.feature_names,
        rows.encoding,
        rows.nbytes,
        rows.fingerprint,
    )


def fingerprint_of(rows: Divided, how: How) -> str:
    """Of all rows, from the hashes of their blocks."""
    digest = hashlib.sha256(np.array((rows.n, rows.d), dtype="<u8"))
    digest.update(b"".join(rows.hashed(fingerprints, how)))
    return digest.hexdigest()
