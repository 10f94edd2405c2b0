"""Coefficients of the rows instead of weights of the features: the machine under KernelPerceptron.

The function learned is s(x) = Σ_i β_i k(x_i, x) + b with β_i = c_i y_i · (updates of row i), in
units of the learning rate. The scores of all training rows are kept up to date, so that a visit is
one look at one number and an update adds one row of the Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._examples import Labelled, nobody_waits
from rosenblatt._gram import Floats, Gram, Values
from rosenblatt._kernels import kernels

_WORK = 1 << 27  # numbers to read until the next look at Ctrl-C


@dataclass
class Function:
    """β, b, and what they give on the training rows."""

    beta: Floats
    b: float
    sums: Floats  # Σ_i β_i k(x_i, x) for each training row x
    fresh: list[tuple[int, float]] | None = None  # updates that voters have not heard of

    def copy(self) -> Function:
        fresh = None if self.fresh is None else self.fresh.copy()
        return Function(self.beta.copy(), self.b, self.sums.copy(), fresh)

    @property
    def scores(self) -> Floats:
        return self.sums + self.b

    def any(self) -> bool:
        return bool(self.beta.any() or self.b)

    def finite(self) -> bool:
        return bool(np.isfinite(self.scores).all() and np.isfinite(self.beta).all())

    def add(self, i: int, step: float, row: Values, room: Floats, *, intercept: bool) -> None:
        """β_i += step, with what follows from it."""
        self.beta[i] += step
        self.sums += np.multiply(row, step, out=room)
        if intercept:
            self.b += step


@dataclass
class DualMemory:
    """What has been learned."""

    w: Function
    drift: Function | None  # Σ (visits before the update) · step, as for the primal machine
    counts: NDArray[np.int64]  # updates by row

    def finite(self) -> bool:
        return self.w.finite() and (self.drift is None or self.drift.finite())

    def copy(self) -> DualMemory:
        drift = None if self.drift is None else self.drift.copy()
        return DualMemory(self.w.copy(), drift, self.counts.copy())


class KernelExamples(Labelled):
    """Labels and the Gram matrix of their rows."""

    def __init__(self, gram: Gram, y: NDArray[np.int8], c: Floats | None):
        super().__init__(y, c)
        self.gram = gram
        self.chunk = len(y)
        # Updates between looks at Ctrl-C: each may need a row of the Gram matrix.
        self.most_updates = max(1, _WORK // (len(y) * (gram.X.shape[1] + 4)))

    def count(
        self,
        functions: list[Function],
        limits: list[float] | None = None,
        breathe: Callable[[], None] = nobody_waits,
    ) -> tuple[NDArray[np.int64], Floats]:
        """Mistakes of each function, plain and weighted: its scores are at hand."""
        wrong = [self.wrong(f.scores) for f in functions]
        plain = np.array([np.count_nonzero(v) for v in wrong], dtype=np.int64)
        weighted = plain.astype(np.float64)
        if self.c is not None:  # summed in the order of the rows, as the core does
            totals = (np.add.accumulate(np.where(v, self.c, 0.0))[-1] for v in wrong)
            weighted = np.array(list(totals))
        return plain, weighted


class Dual:
    """Looks at scores and steps: β_i += c_i y_i where row i has y_i s_i <= margin."""

    def __init__(self, examples: KernelExamples, *, margin: float, intercept: bool):
        self.examples, self.margin, self.intercept = examples, margin, intercept
        self._pool = np.empty(examples.n, dtype=examples.index_type)
        self._room = np.empty(len(examples.y))

    def start(self, beta: Floats, b: float, *, averaged: bool) -> DualMemory:
        n, gram = len(self.examples.y), self.examples.gram
        start = Function(np.zeros(n), b, np.zeros(n))
        for i in np.flatnonzero(beta).tolist():
            start.add(i, float(beta[i]), gram.row(i), self._room, intercept=False)
        drift = Function(np.zeros(n), 0.0, np.zeros(n)) if averaged else None
        return DualMemory(start, drift, np.zeros(n, dtype=np.int64))

    def _update(self, memory: DualMemory, i: int, visits: int) -> None:
        e = self.examples
        step = float(e.y[i]) * (1.0 if e.c is None else float(e.c[i]))
        row = e.gram.row(i)
        memory.w.add(i, step, row, self._room, intercept=self.intercept)
        if memory.w.fresh is not None:
            memory.w.fresh.append((i, step))
        if memory.drift is not None:
            memory.drift.add(i, visits * step, row, self._room, intercept=self.intercept)
        memory.counts[i] += 1

    def _first_mistake(self, memory: DualMemory, rows: NDArray[Any]) -> int:
        """Its place among the rows; their number where there is none."""
        begin, step = 0, 32  # mistakes are near at first
        while begin < len(rows):
            some = rows[begin : begin + step]
            scores = memory.w.sums[some] + memory.w.b
            calls = ~(self.examples.y[some] * scores > self.margin)
            place = int(np.argmax(calls))
            if calls[place]:
                return begin + place
            begin, step = begin + len(some), step * 4
        return len(rows)

    def visit(
        self,
        memory: DualMemory,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `most` updates; returns place reached, updates."""
        rows = np.arange(begin, end) if order is None else order[begin:end]
        at = updates = 0
        most = min(most, self.examples.most_updates)
        while updates < most:
            at += self._first_mistake(memory, rows[at:])
            if at == len(rows):
                break
            self._update(memory, int(rows[at]), visits + at)
            updates, at = updates + 1, at + 1
        return begin + at, updates

    def search(
        self,
        memory: DualMemory,
        pool: NDArray[Any],
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        """Draw until mistakes; returns visits, updates, the draw, rows of it seen."""
        n, present = self.examples.n, self.examples.present
        made = updates = 0
        most = min(most, self.examples.most_updates)
        while made < looks and updates < most and seen < n:
            drawn = min(n, 4 * seen + 64, seen + looks - made)
            kernels.arrange(self._pool, present, seed, draw, drawn)
            rows = self._pool[seen:drawn]
            place = self._first_mistake(memory, rows)
            if place == len(rows):
                made, seen = made + place, drawn
                continue
            self._update(memory, int(rows[place]), visits + made + place)
            made, updates = made + place + 1, updates + 1
            draw, seen = draw + 1, 0
        return made, updates, draw, seen

    def descend(self, memory: DualMemory, visits: int, breathe: Callable[[], None]) -> int:
        """One batch step on all rows that call for an update, now."""
        e = self.examples
        calls = ~(e.y * memory.w.scores > self.margin)
        mistakes = np.flatnonzero(calls if e.c is None else calls & (e.c != 0)).tolist()
        before = memory.copy()
        try:
            for i in mistakes:
                breathe()
                self._update(memory, i, visits)
        except BaseException:  # a step is made whole or not at all
            memory.w, memory.drift, memory.counts = before.w, before.drift, before.counts
            raise
        return len(mistakes)

    def average(self, memory: DualMemory, visits: int) -> Function:
        """The mean of the functions over all visits, those after each visit counted once."""
        w, drift = memory.w, memory.drift
        if drift is None or visits == 0:
            return w
        return Function(
            w.beta - drift.beta / visits, w.b - drift.b / visits, w.sums - drift.sums / visits
        )

    def voters(self, memory: DualMemory) -> DualVoters:
        memory.w.fresh = []
        return DualVoters(len(self.examples.y), intercept=self.intercept)

    def training_votes(self, voters: DualVoters, *, quickly: bool) -> Floats:
        """The mean vote on the training rows, which is at hand."""
        return voters.training_scores()


class DualVoters:
    """Every function votes with its visits; kept as the list of updates that made them."""

    def __init__(self, n: int, *, intercept: bool):
        self.n, self.intercept = n, intercept
        self.rows: list[int] = []  # by update,
        self.steps: list[float] = []
        self.votes: list[int] = []  # and the visits of the function that it made
        self.start: Function | None = None
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

    def append(self, function: Function, visits: int) -> None:
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
