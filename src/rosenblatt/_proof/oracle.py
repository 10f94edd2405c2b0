"""What training asks `certify`: about rows, labels and weights that were checked already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from rosenblatt._compute.examples import Matrix

if TYPE_CHECKING:
    from rosenblatt._proof.table import Table
    from rosenblatt._support.budget import Budget
    from rosenblatt.certificate import Certificate


@dataclass(frozen=True)
class RowsOracle:
    """Does a hyperplane separate these rows? (Certifying is imported when it is asked.)"""

    X: Matrix
    signs: NDArray[Any]  # of many classes their numbers
    present: Any  # the rows whose weight is not 0; None: all
    names: Any  # of the columns; None: they have none
    y: Any  # the labels as they were given, for the document
    classes: NDArray[Any]
    fit_intercept: bool

    def _table(self) -> Table:
        from rosenblatt._proof.table import trained_on

        return trained_on(self.X, self.signs, self.present, self.names, self.y, self.classes)

    def is_separable(self, budget: Budget) -> Certificate:
        from rosenblatt._proof.certify import is_separable

        return is_separable(self._table(), fit_intercept=self.fit_intercept, budget=budget)
