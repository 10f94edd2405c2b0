"""Labelled rows on many machines, as training and judging ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import RowsToJudge, Tally, Weights
from rosenblatt._compute.folding import folded
from rosenblatt._compute.scale import Scale
from rosenblatt._engines import work
from rosenblatt._engines.divided import Divided
from rosenblatt._engines.work import How
from rosenblatt._inputs import weights
from rosenblatt._support.interrupt import no_interrupt


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
        check_interrupt: Callable[[], None] = no_interrupt,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All mistakes, whatever the limits: machines do not wait for each other."""
        found = self.divided.each(work.count, self.how, list(weights), hear=check_interrupt)
        plain = np.array([some for some, _ in found]).sum(axis=0)
        return plain, folded(shard for _, weighted in found for shard in weighted)

    def add_mistakes(
        self, tally: Tally, check_interrupt: Callable[[], None] = no_interrupt
    ) -> bool:
        raise NotImplementedError("`count` asks for all of them at once")

    def mistakes(self, scores: object) -> int:
        raise NotImplementedError("votes are not counted on an engine")
