"""A trained kernel rule: coefficients of the support vectors, in units of the learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Csr, Matrix
from rosenblatt._compute.matrices import some_rows
from rosenblatt._rules.gram import Floats, Kernel, Values, blocks
from rosenblatt._rules.kernel_expansion import DualVoters, KernelExpansion


@dataclass(frozen=True)
class KernelRule:
    """score = η (Σ β_i k(x_i, x) + b) over the support vectors, or their mean vote."""

    learned: KernelExpansion | DualVoters
    kernel: Kernel
    support: NDArray[np.intp]  # training rows with a coefficient
    vectors: Matrix | None  # those rows; None with kernel="precomputed"
    eta: float

    @classmethod
    def of(cls, learned: Any, kernel: Kernel, X: Matrix, eta: float) -> KernelRule:
        support = learned.support()
        vectors = None if kernel.precomputed else some_rows(X, support)
        return cls(learned.copy(), kernel, support, vectors, eta)

    @property
    def beta(self) -> Floats | None:
        """Coefficients of the support vectors, of many classes a row for each.

        None: there are many functions, which vote.
        """
        if isinstance(self.learned, DualVoters):
            return None
        return np.asarray(self.learned.beta[..., self.support])

    def signed(self, X: Matrix) -> Floats:
        """In units of the learning rate: the sign decides, of many classes the highest."""
        learned = self.learned
        k = learned.k
        out = np.empty(X.shape[0] if k is None else (X.shape[0], k))
        for part in blocks(X.shape[0], len(self.support)):
            out[part] = self._block(self._values(some_rows(X, part)))
        return out

    def scores(self, X: Matrix) -> Floats:
        scores = self.signed(X)
        return scores if isinstance(self.learned, DualVoters) else self.eta * scores

    def _values(self, X: Matrix) -> Values:
        if not len(self.support):  # nothing was learned yet
            return np.zeros((X.shape[0], 0))
        if self.vectors is None:
            assert not isinstance(X, Csr)
            return np.asarray(X[:, self.support])
        return self.kernel.matrix(X, self.vectors)

    def _block(self, values: Values) -> Floats:
        values = values.astype(np.float64, copy=False)
        if isinstance(self.learned, DualVoters):
            return self.learned.scores(values, self.support)
        return self.learned.scores_of(values, self.support)
