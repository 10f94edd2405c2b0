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
from rosenblatt._function import DualVoters, Function
from rosenblatt._gram import Floats, Gram
from rosenblatt._kernels import kernels
from rosenblatt._log import Log

_WORK = 1 << 27  # numbers to read until the next look at Ctrl-C


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
        self.log: Log | None = None  # where updates are noted
        self._pool = np.empty(examples.n, dtype=examples.index_type)
        self._room = np.empty(len(examples.y))

    def start(self, beta: Floats, b: float, *, averaged: bool) -> DualMemory:
        n, gram = len(self.examples.y), self.examples.gram
        start = Function(np.zeros(n), b, np.zeros(n))
        for i in np.flatnonzero(beta).tolist():
            start.add(i, float(beta[i]), gram.row(i), self._room, intercept=False)
        drift = Function(np.zeros(n), 0.0, np.zeros(n)) if averaged else None
        return DualMemory(start, drift, np.zeros(n, dtype=np.int64))

    def _note(self, rows: list[int], visits: int, scores: Floats) -> None:
        if self.log is not None:
            self.log.add(np.array(rows, dtype=np.int64), visits, scores)

    def _step(self, memory: DualMemory, i: int, visits: int) -> None:
        self._note([i], visits, memory.w.sums[[i]] + memory.w.b)
        self._update(memory, i, visits)

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
            self._step(memory, int(rows[at]), visits + at)
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
            self._step(memory, int(rows[place]), visits + made + place)
            made, updates = made + place + 1, updates + 1
            draw, seen = draw + 1, 0
        return made, updates, draw, seen

    def descend(self, memory: DualMemory, visits: int, breathe: Callable[[], None]) -> int:
        """One batch step on all rows that call for an update, now."""
        e = self.examples
        scores = memory.w.scores
        calls = ~(e.y * scores > self.margin)
        mistakes = np.flatnonzero(calls if e.c is None else calls & (e.c != 0)).tolist()
        before = memory.copy()
        try:
            for i in mistakes:
                breathe()
                self._update(memory, i, visits)
        except BaseException:  # a step is made whole or not at all
            memory.w, memory.drift, memory.counts = before.w, before.drift, before.counts
            raise
        self._note(mistakes, visits, scores[mistakes])
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
