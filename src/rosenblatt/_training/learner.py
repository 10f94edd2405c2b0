"""Weights in the space of the features: the machine under Perceptron.

A machine knows how to look at rows and step; the loop knows when. Weights are lifted,
(w, b), and in units of the learning rate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import summation
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import NextPool
from rosenblatt._core.rows import Examples, Rows, Scale, Weights, nonzeros
from rosenblatt._core.screening import Screen, ScreenedRows
from rosenblatt._core.summation import Fold
from rosenblatt._core.update_log import Log
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.rule import Rule
from rosenblatt._training.state import EvaluationRows, Job, Memory, State
from rosenblatt._training.stopping import SHORTEST
from rosenblatt.errors import WeightsOverflow

MOST_VOTED, MOST_VOTED_QUICKLY = 1 << 34, 1 << 28
"""Numbers that are read to count the votes on the training rows: some seconds; and where somebody
waits. Every voter reads every row: that can take thousands of times longer than training did."""


PrimalMemory = Memory[Weights]
PrimalState = State[Weights, Voters]
PrimalJob = Job[Weights, Voters]


class Look(NamedTuple):
    """What rows call for under the same weights."""

    step: Weights  # Σ c_i y_i (x_i, 1) over the rows that call for an update; a sum over blocks
    rows: NDArray[Any]  # which they are,
    rivals: NDArray[Any] | None  # of many classes theirs,
    scores: Weights | None  # and their scores (of many classes margins) where updates are noted


def is_finite(memory: PrimalMemory) -> bool:
    """Whether nothing grew beyond the largest floating-point number."""
    parts = (memory.w, memory.drift, memory.precision)
    return all(bool(np.isfinite(part).all()) for part in parts if part is not None)


def numbers_read(rows: Rows) -> int:
    """By a score of every row, however they are stored: it costs something however short they
    are."""
    return max(nonzeros(rows.X), SHORTEST * int(rows.n))


class InFeatures(ABC):
    """What machines with weights of the features have in common."""

    log: Log | None = None  # where updates are noted
    scale: Scale | None = None  # how large rows are, where a rule asks for it
    confident = False  # precisions of the weights are kept
    counts_rows = False  # updates are counted by row

    def __init__(self, *, margin: float, intercept: bool):
        self.margin, self.intercept = margin, intercept

    @abstractmethod
    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        """Training begins with these weights."""

    def voters(self, memory: PrimalMemory) -> Voters:
        return Voters(memory.w.shape)

    def admit(self, voters: Voters, memory: PrimalMemory, visits: int) -> None:
        voters.append(memory.w, visits)

    def validation_mistakes(self, voters: Voters, rows: EvaluationRows[Weights]) -> int:
        assert isinstance(rows, Examples)
        return rows.mistakes(voters.running_scores(rows.rows))

    def finite(self, memory: PrimalMemory) -> bool:
        return is_finite(memory)

    def average(self, memory: PrimalMemory, visits: int) -> Weights:
        """The mean of the weights over all visits, those after each visit counted once."""
        if memory.drift is None or visits == 0:
            return memory.w
        return memory.w - memory.drift / visits

    def learned_rule(self, learned: Weights | Voters, eta: float) -> LinearRule | Voters:
        """What an estimator predicts with; votes do not depend on η."""
        if isinstance(learned, Voters):
            return learned
        with np.errstate(over="ignore"):
            finite = np.isfinite(eta * learned).all()
        if not finite:
            raise WeightsOverflow(
                f"The weights times eta0={eta!r} are beyond the largest floating-point number. Use "
                "a smaller eta0: it only scales the weights."
            )
        return LinearRule(learned.copy(), eta)

    def _step(self, memory: PrimalMemory, step: Weights, visits: int) -> None:
        """A step of descent after so many visits."""
        with np.errstate(over="ignore", invalid="ignore"):  # the loop looks for it
            memory.w += step
            if memory.drift is not None:
                memory.drift += visits * step

    def _begun(self, w: Weights, counts: int, *, averaged: bool) -> PrimalMemory:
        # Adding 0 turns -0.0 into 0.0, so that a dense and a sparse row see the same start.
        drift = np.zeros_like(w) if averaged else None
        precision = np.ones_like(w) if self.confident else None
        by_row = np.zeros((counts, *w.shape[:-1]), dtype=np.int64)
        return Memory(w + 0.0, drift, by_row, precision)


class InMemory(InFeatures):
    """Those whose rows are at hand."""

    counts_rows = True

    def __init__(self, examples: Examples, *, margin: float, intercept: bool):
        super().__init__(margin=margin, intercept=intercept)
        self.examples = examples

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, self.examples.rows.n, averaged=averaged)

    def vote_mistakes(self, voters: Voters, *, quickly: bool) -> int | None:
        """The training rows whose mean vote is wrong; None where it would take long."""
        rows, most = self.examples.rows, MOST_VOTED_QUICKLY if quickly else MOST_VOTED
        if voters.vectors * numbers_read(rows) > most:
            return None
        return self.examples.mistakes(voters.scores(rows))


@dataclass
class NextOrder:
    """A permutation of the next epoch, of which some swaps are made."""

    pool: NDArray[Any]
    seed: int
    number: int
    made: int = 0

    def by_then(self, end: int) -> NextPool:
        """What the core is told, so that it makes all swaps before `end`."""
        told = self.pool, self.seed, self.number, self.made
        self.made = max(self.made, end)
        return told


class Primal(InMemory):
    """Looks at examples and steps: w += c_i y_i x_i where row i has y_i (w·x_i + b) <= margin.

    Of many classes: w_y += c_i x_i and w_r -= c_i x_i, where the score of row i's class y is not
    more than the margin above that of its rival r, the highest of the others.
    """

    def __init__(self, examples: Examples, *, margin: float, intercept: bool):
        super().__init__(examples, margin=margin, intercept=intercept)
        self.screen = Screen(examples, margin, intercept)
        self.evaluation_rows = ScreenedRows(examples, self.screen)

    def visit(
        self,
        memory: PrimalMemory,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
        next_order: NextOrder | None = None,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `most` updates; returns place reached, updates.

        The order of the next epoch is made as far as `end` meanwhile, where another thread can.
        """
        e, log, screen = self.examples, self.log, self.screen
        if screen.before(begin, memory.w):
            return begin, 0  # nothing yet: a look at Ctrl-C first
        given: tuple[Any, ...] = (
            e.rows.native,
            e.y,
            e.c,
            order,
            begin,
            end,
            most if log is None else min(most, log.room),
            self.margin,
            self.intercept,
            memory.w,
            memory.drift,
            memory.counts,
            visits,
            None if log is None else log.columns,
        )
        if next_order is not None and not screen.ready:
            given += (next_order.by_then(end),)
        reached, updates = (screen.visit if screen.ready else e.rows.backend.visit)(*given)
        screen.visited(reached - begin, updates)
        if log is not None:
            log.take(updates, e.y)
        return reached, updates

    def search(
        self,
        memory: PrimalMemory,
        pool: NDArray[Any],
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        """Draw until mistakes; returns visits, updates, the draw, rows of it seen."""
        e, log = self.examples, self.log
        found = e.rows.backend.search(
            e.rows.native,
            e.y,
            e.c,
            pool,
            seed,
            draw,
            seen,
            looks,
            most if log is None else min(most, log.room),
            self.margin,
            self.intercept,
            memory.w,
            memory.drift,
            memory.counts,
            visits,
            None if log is None else log.columns,
        )
        if log is not None:
            log.take(found[1], e.y)
        return found

    def look(self, w: Weights) -> Look:
        """What all rows call for under w."""
        e = self.examples
        marks = np.zeros(e.rows.n, dtype=np.uint8 if e.k is None else np.int32)
        scores = None if self.log is None else np.empty(e.rows.n)
        fold = Fold[Weights]()
        for block in summation.blocks(e.rows.n):
            step = np.zeros_like(w)
            for begin, end in e.rows.chunks(e.k or 1, block):
                e.rows.backend.look(
                    e.rows.native,
                    e.y,
                    e.c,
                    begin,
                    end,
                    self.margin,
                    self.intercept,
                    w,
                    step,
                    marks,
                    scores,
                )
            fold.add(step)
        rows = np.flatnonzero(marks)
        rivals = None if e.k is None else marks[rows] - 1
        return Look(fold.total(), rows, rivals, None if scores is None else scores[rows])

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        """One batch step: w += Σ c_i y_i x_i over the rows that call for an update, now."""
        found, y = self.look(memory.w), self.examples.y
        self._step(memory, found.step, visits)
        if found.rivals is None:
            memory.counts[found.rows] += 1
        else:
            memory.counts[found.rows, y[found.rows]] += 1
            memory.counts[found.rows, found.rivals] -= 1
        if self.log is not None and found.scores is not None:
            self.log.add(found.rows, visits, found.scores, y, found.rivals)
        return len(found.rows)


# Weights of the features by other rules than the perceptron's: the machine under AROW and
# PassiveAggressive. There is no learning rate, and no step for all rows at once.


class Adaptive(InMemory):
    """Looks at examples and steps where the margin of row i is below 1.

    How far depends on the margin and on the length of the row; `number` is C of the
    passive-aggressive rules, r of AROW.
    """

    def __init__(self, rule: Rule, examples: Examples, *, margin: float, intercept: bool):
        super().__init__(examples, margin=1.0, intercept=intercept)
        self.number, self._squared = margin, rule.kind == "PA-II"
        self.confident = is_confident(rule)
        self.evaluation_rows = examples

    def visit(
        self,
        memory: PrimalMemory,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `most` updates; returns place reached, updates."""
        e, log = self.examples, self.log
        reached, updates = compute.rules.rule_visit(
            e.rows.native,
            e.y,
            e.c,
            order,
            begin,
            end,
            most if log is None else min(most, log.room),
            *self._with(memory, visits),
        )
        if log is not None:
            log.take(updates, e.y)
        return reached, updates

    def search(
        self,
        memory: PrimalMemory,
        pool: NDArray[Any],
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        """Draw until mistakes; returns visits, updates, the draw, rows of it seen."""
        e, log = self.examples, self.log
        found = compute.rules.rule_search(
            e.rows.native,
            e.y,
            e.c,
            pool,
            seed,
            draw,
            seen,
            looks,
            most if log is None else min(most, log.room),
            *self._with(memory, visits),
        )
        if log is not None:
            log.take(found[1], e.y)
        return found

    def _with(self, memory: PrimalMemory, visits: int) -> tuple[Any, ...]:
        return (
            self.number,
            self._squared,
            self.intercept,
            memory.w,
            memory.precision,
            memory.drift,
            memory.counts,
            visits,
            None if self.log is None else self.log.columns,
        )

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        raise NotImplementedError("order='batch' is the perceptron's")


def is_confident(rule: Rule) -> bool:
    """Whether it keeps precisions of the weights."""
    return rule.kind == "AROW"


def machine_with(rule: Rule) -> Callable[..., Primal | Adaptive]:
    """What makes a machine of examples, its number (as `margin`) and whether b is learned."""
    return Primal if rule.kind == "perceptron" else partial(Adaptive, rule)
