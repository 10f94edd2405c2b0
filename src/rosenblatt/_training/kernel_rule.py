"""A trained kernel rule: coefficients of the support vectors, in units of the learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Csr, Matrix, some_rows
from rosenblatt._training.kernels import Floats, Kernel, Values, blocks


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


# --- Functions of the rows: coefficients, what they give on training rows, how they vote ---------
#
# Of many classes there is a function for each: coefficients and sums have a row for each class, and
# intercepts are a column.


Step = tuple[int, float, int]
"""A coefficient that grew: its row, by how much, and of which class (0 where there are two)."""


@dataclass
class KernelExpansion:
    """β, b, and what they give on the training rows."""

    beta: Floats
    b: Any  # a float; of many classes an array of shape (k, 1)
    sums: Floats  # Σ_i β_i k(x_i, x) for each training row x
    fresh: list[Step] | None = None  # that voters have not heard of

    @classmethod
    def zero(cls, n: int, k: int | None) -> KernelExpansion:
        if k is None:
            return cls(np.zeros(n), 0.0, np.zeros(n))
        return cls(np.zeros((k, n)), np.zeros((k, 1)), np.zeros((k, n)))

    @property
    def k(self) -> int | None:
        return None if self.beta.ndim == 1 else len(self.beta)

    def copy(self) -> KernelExpansion:
        fresh = None if self.fresh is None else self.fresh.copy()
        b = self.b.copy() if isinstance(self.b, np.ndarray) else self.b
        return KernelExpansion(self.beta.copy(), b, self.sums.copy(), fresh)

    @property
    def scores(self) -> Floats:
        """Of each training row; of many classes in a column for each."""
        return np.asarray((self.sums + self.b).T)

    def scores_of(self, values: Values, support: NDArray[np.intp]) -> Floats:
        if self.beta.ndim == 1:
            return np.asarray(values @ self.beta[support] + self.b)
        return np.asarray(values @ self.beta[:, support].T + self.b[:, 0])

    def support(self) -> NDArray[np.intp]:
        return np.flatnonzero(np.atleast_2d(self.beta).any(axis=0))

    def any(self) -> bool:
        return bool(self.beta.any() or np.any(self.b))

    def finite(self) -> bool:
        return bool(np.isfinite(self.scores).all() and np.isfinite(self.beta).all())

    def add(
        self, rows: list[int], steps: list[float], values: list[Values], *, intercept: bool
    ) -> None:
        """β_i += step for one row after the other, with what follows from it; of two classes."""
        add([self], rows, [0] * len(rows), [steps], values, intercept=intercept)

    def of_class(self, c: int) -> Floats:
        """The sums of one class, to be changed; of two there is one."""
        return self.sums if self.sums.ndim == 1 else np.asarray(self.sums[c])


def add(
    functions: list[KernelExpansion],
    rows: list[int],
    classes: list[int],
    steps: list[list[float]],
    values: list[Values],
    *,
    intercept: bool,
) -> None:
    """β_i += step for one row after the other, with what follows from it.

    For several functions, each with steps of its own: the values are read once.
    """
    for f, of_f in zip(functions, steps, strict=True):
        for i, c, step in zip(rows, classes, of_f, strict=True):
            if f.beta.ndim == 1:
                f.beta[i] += step
                f.b += step if intercept else 0.0
            else:
                f.beta[c, i] += step
                f.b[c, 0] += step if intercept else 0.0
    for c in sorted(set(classes)):
        places = [place for place, of_class in enumerate(classes) if of_class == c]
        compute.backend.add(
            [values[place] for place in places],
            [[of_f[place] for place in places] for of_f in steps],
            [f.of_class(c) for f in functions],
        )


class DualVoters:
    """Every function votes with its visits; kept as the list of steps that made them."""

    def __init__(self, n: int, *, intercept: bool, k: int | None = None):
        self.n, self.k, self.intercept = n, k, intercept
        self.rows: list[int] = []  # by step,
        self.classes: list[int] = []
        self.steps: list[float] = []
        self.votes: list[int] = []  # and the visits of the function that it made
        self.start: KernelExpansion | None = None
        self.start_votes = 0
        self._tally = self._no_votes(n)  # on the training rows, but for the newest function's
        self._newest: Floats | None = None  # its scores there
        self._since = 0

    def _no_votes(self, n: int) -> Floats:
        return np.zeros(n if self.k is None else (n, self.k))

    def __len__(self) -> int:
        return len(self.votes)

    def copy(self) -> DualVoters:
        other = DualVoters(self.n, intercept=self.intercept, k=self.k)
        other.__dict__.update(self.__dict__)
        other.rows, other.classes = self.rows.copy(), self.classes.copy()
        other.steps, other.votes = self.steps.copy(), self.votes.copy()
        other._tally = self._tally.copy()
        return other

    def append(self, function: KernelExpansion, visits: int) -> None:
        """`function` has become current with visit number `visits`, by its fresh steps."""
        self.close(visits - 1)
        assert function.fresh is not None
        if not function.fresh:
            self.start = function.copy()
        for row, step, c in function.fresh:  # all of an update at once: only the last one votes
            self.rows.append(row)
            self.classes.append(c)
            self.steps.append(step)
            self.votes.append(0)
        function.fresh.clear()
        self._newest = function.scores

    def close(self, visits: int) -> None:
        more = visits - self._since
        if self._newest is not None and more > 0:
            _cast(self._tally, self._newest, more)
            if self.votes:
                self.votes[-1] += more
            else:
                self.start_votes += more
        self._since = max(visits, 0)

    @property
    def total(self) -> int:
        return sum(self.votes) + self.start_votes

    def training_scores(self) -> Floats:
        """The weighted mean vote on the training rows, in [-1, 1], or the shares of the votes."""
        return self._tally / max(self.total, 1)

    def support(self) -> NDArray[np.intp]:
        start = [] if self.start is None else self.start.support().tolist()
        return np.unique(np.array([*self.rows, *start], dtype=np.intp))

    def scores(self, values: Values, support: NDArray[np.intp]) -> Floats:
        scores, tally = self._no_votes(len(values)), self._no_votes(len(values))
        if self.start is not None:
            scores += self.start.scores_of(values, support)
            _cast(tally, scores, self.start_votes)
        columns = np.ascontiguousarray(values.T)
        places = np.searchsorted(support, self.rows).tolist()
        for place, c, step, votes in zip(places, self.classes, self.steps, self.votes, strict=True):
            changed = scores if self.k is None else scores[:, c]
            changed += step * columns[place]
            if self.intercept:
                changed += step
            if votes:
                _cast(tally, scores, votes)
        return tally / max(self.total, 1)


def _cast(tally: Floats, scores: Floats, votes: int) -> None:
    """Votes for a side, with sign(0) = +1; of many classes for the first of the highest scores."""
    if scores.ndim == 1:
        tally += np.where(scores >= 0, votes, -votes)
    else:
        tally[np.arange(len(tally)), np.argmax(scores, axis=1)] += votes
