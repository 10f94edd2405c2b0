"""The loss of the epochs, for training that ends when it no longer falls: scikit-learn's `tol`.

A visited row that calls for an update has the loss μ - m, with the margin m that it had then; all
others have none. The loss of an epoch is the mean over its rows. Sums are in the order of the
updates, so that they have the same bits wherever a call of the core ends; that of a batch step is
one over blocks of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute import folding
from rosenblatt._compute.folding import Fold, in_order
from rosenblatt._compute.update_log import Log

if TYPE_CHECKING:
    from rosenblatt._learning.state import AnyJob, AnyState

Floats = NDArray[np.float64]


@dataclass
class Losses:
    """Where the loss stands, in units of the learning rate."""

    of_epoch: float = 0.0  # the sum so far; NaN: not all of this epoch was followed
    lowest: float = math.inf  # mean loss of an epoch
    idle: int = 0  # epochs in a row that were not lower than the lowest by `tol`

    def close(self, rows: int, tol: float) -> None:
        """An epoch of so many rows is over. (What is not a number counts as a gain.)"""
        mean = self.of_epoch / rows
        self.idle = self.idle + 1 if mean > self.lowest - tol else 0
        if mean < self.lowest:
            self.lowest = mean
        self.of_epoch = 0.0


class LossLog(Log):
    """Adds up the loss of the updates; `also` may want to keep them."""

    def __init__(self, losses: Losses, margin: float, k: int | None, also: Log | None):
        super().__init__(rivals=k is not None)
        self._losses, self._margin, self._also = losses, margin, also
        self._many = k is not None
        self._step, self._blocks = -1, Fold[float]()  # the batch step under way
        if also is not None:
            self.columns = also.columns

    @property
    def loss(self) -> float:  # type: ignore[override] # there it is always 0
        return self._losses.of_epoch

    def apart(self) -> LossLog:
        k = 3 if self._many else None
        also = None if self._also is None else self._also.apart()
        return LossLog(Losses(), self._margin, k, also)

    def join(self, other: Log, first_row: int, first_visit: int) -> None:
        """The loss itself is with the share of those rows."""
        if self._also is not None and isinstance(other, LossLog) and other._also is not None:
            self._also.join(other._also, first_row, first_visit)

    def take(self, updates: int, y: NDArray[Any]) -> None:
        rows, _, seen = self.columns[:3]
        before = self._losses.of_epoch
        self._losses.of_epoch = self._sum(before, rows[:updates], seen[:updates], y)
        if self._also is not None:
            self._also.take(updates, y)

    def add(
        self,
        rows: NDArray[Any],
        visit: int,
        scores: Floats,
        y: NDArray[Any],
        rivals: NDArray[Any] | None = None,
    ) -> None:
        if visit != self._step:
            self._step, self._blocks = visit, Fold()
        edges = np.searchsorted(rows, [begin for begin, _ in folding.blocks(len(y))])
        for some in np.split(np.arange(len(rows)), edges[1:]):
            self._blocks.add(self._sum(0.0, rows[some], scores[some], y))
        self._losses.of_epoch = self._blocks.total()
        if self._also is not None:
            self._also.add(rows, visit, scores, y, rivals)

    @np.errstate(over="ignore", invalid="ignore")  # weights that overflow are refused by the loop
    def _sum(self, before: float, rows: NDArray[Any], seen: Floats, y: NDArray[Any]) -> float:
        margins = seen if self._many else y[rows] * seen
        return float(in_order(np.concatenate([[before], self._margin - margins])))


def follow(job: AnyJob, state: AnyState) -> None:
    """From here on the losses of the updates are summed in the state."""
    if state.losses is None:
        state.losses = Losses(math.nan if state.under_way else 0.0)
    machine: Any = job.machine
    machine.log = LossLog(state.losses, machine.margin, machine.examples.k, machine.log)
