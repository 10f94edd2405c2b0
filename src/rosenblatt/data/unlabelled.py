"""Rows without a label are left out, when that is asked for; the others keep their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.text import many
from rosenblatt.data.batch import Batch, Kind


@final
class Labelled:
    """The rows of batches that have a label. When all were given, `left_out` are the numbers of the
    others, counted from 0 over all files."""

    def __init__(self, batches: Iterable[Batch], target: str, kind: Kind):
        self._batches, self._target, self._kind = batches, target, kind
        self._left_out: list[NDArray[np.int64]] = []
        self._seen = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            if self._kind is Kind.NUMBER:
                there = ~np.isnan(batch.numbers(self._target))
            else:
                there = batch.words(self._target)[0] >= 0
            self._left_out.append(self._seen + np.flatnonzero(~there))
            self._seen += batch.rows
            if there.all():
                yield batch
            elif there.any():
                yield batch.only(there)

    @property
    def left_out(self) -> NDArray[np.int64]:
        return np.concatenate(self._left_out) if self._left_out else np.empty(0, dtype=np.int64)


def left_out_of(batches: Iterable[Batch]) -> NDArray[np.int64]:
    """The numbers of the rows that these batches left out, when all were given."""
    return batches.left_out if isinstance(batches, Labelled) else np.empty(0, dtype=np.int64)


def told(left_out: int) -> str:
    """What to say about it."""
    return f"{many(left_out, 'row')} without a label left out"
