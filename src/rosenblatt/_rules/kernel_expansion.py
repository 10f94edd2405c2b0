"""Functions of the rows: coefficients, what they give on the training rows, and how they vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._rules.gram import Floats, Values


@dataclass
class KernelExpansion:
    """β, b, and what they give on the training rows."""

    beta: Floats
    b: float
    sums: Floats  # Σ_i β_i k(x_i, x) for each training row x
    fresh: list[tuple[int, float]] | None = None  # updates that voters have not heard of

    def copy(self) -> KernelExpansion:
        fresh = None if self.fresh is None else self.fresh.copy()
        return KernelExpansion(self.beta.copy(), self.b, self.sums.copy(), fresh)

    @property
    def scores(self) -> Floats:
        return self.sums + self.b

    def any(self) -> bool:
        return bool(self.beta.any() or self.b)

    def finite(self) -> bool:
        return bool(np.isfinite(self.scores).all() and np.isfinite(self.beta).all())

    def add(
        self, rows: list[int], steps: list[float], values: list[Values], *, intercept: bool
    ) -> None:
        """β_i += step for one row after the other, with what follows from it."""
        add([self], rows, [steps], values, intercept=intercept)


def add(
    functions: list[KernelExpansion],
    rows: list[int],
    steps: list[list[float]],
    values: list[Values],
    *,
    intercept: bool,
) -> None:
    """The same for several functions, each with steps of its own: the values are read once."""
    for f, of_f in zip(functions, steps, strict=True):
        for i, step in zip(rows, of_f, strict=True):
            f.beta[i] += step
            f.b += step if intercept else 0.0
    compute.backend.add(values, steps, [f.sums for f in functions])


class DualVoters:
    """Every function votes with its visits; kept as the list of updates that made them."""

    def __init__(self, n: int, *, intercept: bool):
        self.n, self.intercept = n, intercept
        self.rows: list[int] = []  # by update,
        self.steps: list[float] = []
        self.votes: list[int] = []  # and the visits of the function that it made
        self.start: KernelExpansion | None = None
        self.start_votes = 0
        self._tally = np.zeros(n)  # votes on the training rows, but for the newest function's
        self._newest: Floats | None = None  # its scores there
        self._since = 0

    def __len__(self) -> int:
        return len(self.votes)

    def copy(self) -> DualVoters:
        other = DualVoters(self.n, intercept=self.intercept)
        other.__dict__.update(self.__dict__)
        other.rows, other.steps, other.votes = (
            self.rows.copy(),
            self.steps.copy(),
            self.votes.copy(),
        )
        other._tally = self._tally.copy()
        return other

    def append(self, function: KernelExpansion, visits: int) -> None:
        """`function` has become current with visit number `visits`, by its fresh updates."""
        self.close(visits - 1)
        assert function.fresh is not None
        if not function.fresh:
            self.start = function.copy()
        for row, step in function.fresh:  # all of a batch step at once: only the last one votes
            self.rows.append(row)
            self.steps.append(step)
            self.votes.append(0)
        function.fresh.clear()
        self._newest = function.scores

    def close(self, visits: int) -> None:
        """Give the newest function its votes up to now."""
        more = visits - self._since
        if self._newest is not None and more > 0:
            self._tally += np.where(self._newest >= 0, more, -more)
            if self.votes:
                self.votes[-1] += more
            else:
                self.start_votes += more
        self._since = max(visits, 0)

    @property
    def total(self) -> int:
        return sum(self.votes) + self.start_votes

    def training_scores(self) -> Floats:
        """The weighted mean vote on the training rows, in [-1, 1]."""
        return self._tally / max(self.total, 1)

    def support(self) -> NDArray[np.intp]:
        start = [] if self.start is None else np.flatnonzero(self.start.beta).tolist()
        return np.unique(np.array([*self.rows, *start], dtype=np.intp))

    def scores(self, values: Values, support: NDArray[np.intp]) -> Floats:
        """The weighted mean vote from the kernel values of some rows with the support."""
        scores, tally = np.zeros(len(values)), np.zeros(len(values))
        if self.start is not None:
            scores += values @ self.start.beta[support] + self.start.b
            tally += np.where(scores >= 0, self.start_votes, -self.start_votes)
        columns = np.ascontiguousarray(values.T)
        places = np.searchsorted(support, self.rows).tolist()
        for place, step, votes in zip(places, self.steps, self.votes, strict=True):
            scores += step * columns[place]
            if self.intercept:
                scores += step
            tally += np.where(scores >= 0, votes, -votes)
        return tally / max(self.total, 1)
