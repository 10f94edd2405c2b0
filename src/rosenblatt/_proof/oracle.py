"""What training asks `certify`: about rows, labels and weights that were checked already."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Csr, Matrix

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

    def in_full(self, budget: Budget) -> Certificate:
        from rosenblatt._proof.certify import in_full

        return in_full(self._table(), fit_intercept=self.fit_intercept, budget=budget)

    @property
    def centers(self) -> bool:
        return self.fit_intercept and not isinstance(self.X, Csr)

    def bound_when_scaled(self, budget: Budget) -> int | None:
        from sklearn.preprocessing import StandardScaler

        from rosenblatt._proof.certify import mistake_bound

        table = self._table()
        X = table.X if table.present is None else table.X[table.present]
        y = table.y if table.present is None else table.y[table.present]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numbers too large for a variance are seen below
            X = StandardScaler(with_mean=self.centers).fit_transform(X)
        if not np.isfinite(X.data if isinstance(self.X, Csr) else X).all():
            return None
        scaled = replace(table, X=X, y=y, present=None)
        return mistake_bound(scaled, fit_intercept=self.fit_intercept, budget=budget)
