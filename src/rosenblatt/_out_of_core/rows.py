"""Labelled rows on disk, as training and judging read them: a block at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples, RowsToJudge, Scale, Sized, Tally, Weights
from rosenblatt._core.summation import folded, in_order
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.partitions import Divided
from rosenblatt._out_of_core.work import How
from rosenblatt._training.training import against_rest
from rosenblatt._util.interrupt import check_interrupt
from rosenblatt._validation import targets
from rosenblatt._validation import targets as weights

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored


class StreamedExamples(RowsToJudge, Sized):
    """What `Examples` offers of rows in memory, of which only one block is."""

    present = None  # all rows exist
    quick = False  # to look at all of them takes long

    def __init__(
        self, stored: Stored, by_class: tuple[float, ...], *, against_rest: int | None = None
    ):
        """`against_rest`: of many classes the one that is +1, where the others are -1."""
        self._stored, self._by_class, self._class = stored, by_class, against_rest
        self.k = stored.k if against_rest is None else None
        self.n, self.d, self.n_blocks = stored.n, stored.d, stored.n_blocks
        self.index_type = np.int32  # of places in a block
        self._at = -1
        self._block: Examples | None = None  # number _at, in memory
        self.chunk, self.shape_of_weights = self.block(0).chunk, self.block(0).shape_of_weights
        self.total_weight = self._total_weight()

    def block(self, b: int) -> Examples:
        if self._block is None or b != self._at:
            self._block = None  # one at a time
            X, y = self._stored.block(b)
            block = Examples(X, y, targets.weigh(None, y, self._by_class), self._stored.k)
            self._block = block if self._class is None else against_rest(block, self._class)
            self._at = b
        return self._block

    def enter(self, b: int) -> None:
        """Visits are made in this block from now on."""
        self.block(b)

    @property
    def entered(self) -> Examples:
        assert self._block is not None
        return self._block

    def expect(self, b: int) -> None:
        """This block comes next."""
        if b != self._at:
            self._stored.expect(b)

    def blocks(self) -> Iterator[Examples]:
        """All of them, in the order of the rows."""
        for b in range(self.n_blocks):
            if b:
                check_interrupt()
            found = self.block(b)
            self.expect((b + 1) % self.n_blocks)
            yield found

    def _total_weight(self) -> float:
        if targets.all_one(self._by_class):
            return float(self.n)
        return folded(self._weight_of(b) for b in range(self.n_blocks))

    def _weight_of(self, b: int) -> float:
        """Of block b; of X nothing is read."""
        c = targets.weigh(None, self._stored.block(b)[1], self._by_class)
        assert c is not None
        return float(in_order(c))

    def lengths(self, *, intercept: bool) -> Iterator[tuple[Weights, Weights | None]]:
        """Block by block the squared lengths of the lifted rows, and their weights."""
        for block in self.blocks():
            yield from block.lengths(intercept=intercept)

    def add_mistakes(self, tally: Tally) -> bool:
        return all(block.add_mistakes(tally) for block in self.blocks())

    def mistakes(self, scores: Iterable[NDArray[np.float64]]) -> int:
        """How many rows have a margin of 0 or less; the scores come block by block."""
        return sum(block.mistakes(s) for block, s in zip(self.blocks(), scores, strict=True))


# Labelled rows on many machines, as training and judging ask for them.


@final
class RemoteExamples(RowsToJudge):
    """What `Examples` offers of rows in memory."""

    present = None  # all rows exist
    quick = False  # to look at all of them takes long
    index_type = np.int32  # of places in a block

    def __init__(self, rows: Divided, by_class: tuple[float, ...], *, one: int | None = None):
        """`one`: of many classes the one that is +1, where the others are -1."""
        self.divided, self.how = rows, How(rows.k, by_class, one)
        self.k = rows.k if one is None else None
        self.n, self.d, self.chunk = rows.n, rows.d, rows.n
        self.shape_of_weights = (self.d + 1,) if self.k is None else (self.k, self.d + 1)
        self.total_weight = self._total_weight()

    def _total_weight(self) -> float:
        if weights.all_one(self.how.by_class):
            return float(self.n)
        parts = self.divided.each(work.weigh, self.how)
        return float(folded(shard for part in parts for shard in part))

    def size(self, *, intercept: bool) -> Scale:
        """How large the rows are."""
        how = self.how._replace(intercept=intercept)
        both = [shard for part in self.divided.each(work.measure, how) for shard in part]
        with np.errstate(over="ignore"):
            return Scale(folded(a for a, _ in both), folded(b for _, b in both))

    def count(
        self,
        weights: Sequence[Weights],
        limits: list[float] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All mistakes, whatever the limits: machines do not wait for each other."""
        found = self.divided.each(work.count, self.how, list(weights))
        plain = np.array([some for some, _ in found]).sum(axis=0)
        return plain, folded(shard for _, weighted in found for shard in weighted)

    def add_mistakes(self, tally: Tally) -> bool:
        raise NotImplementedError("`count` asks for all of them at once")

    def mistakes(self, scores: object) -> int:
        raise NotImplementedError("votes are not counted on an engine")
