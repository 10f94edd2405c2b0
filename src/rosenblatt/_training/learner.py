"""Weights in the space of the features: the learner under Perceptron, AROW, PassiveAggressive.

A learner knows how to evaluate rows and step, by its rule; the loop knows when. Weights are lifted,
(w, b), and in units of the learning rate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import summation
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import BatchStep, LearnerArrays, Mean, Permutation, UpdateRule
from rosenblatt._core.rows import SHORTEST, Examples, Rows, Scale, Weights, nonzeros
from rosenblatt._core.screening import Screen, ScreenedRows
from rosenblatt._core.summation import Fold
from rosenblatt._core.update_log import Log
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.state import EvaluationRows, Job, Memory, State
from rosenblatt._util.spelling import option
from rosenblatt.errors import WeightsOverflowError

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
    return all(all_finite(part) for part in memory.parts if part is not None)


def all_finite(w: Weights) -> bool:
    return compute.backend.all_finite(w.ravel(order="K"))


def numbers_read(rows: Rows) -> int:
    """By a score of every row, however they are stored: it costs something however short they
    are."""
    return max(nonzeros(rows.X), SHORTEST * int(rows.n))


class InFeatures(ABC):
    """What learners with weights of the features have in common."""

    log: Log | None = None  # where updates are noted
    scale: Scale | None = None  # how large rows are, where a rule asks for it
    counts_rows = False  # updates are counted by row

    def __init__(self, rule: UpdateRule):
        self.rule = rule

    @abstractmethod
    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        """Training begins with these weights."""

    @abstractmethod
    def use(self, rule: UpdateRule) -> None:
        """Another margin from here on."""

    def forget(self, memory: PrimalMemory) -> None:
        assert memory.correction is not None
        memory.correction[...] = 0.0

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
        if memory.correction is None or visits == 0:
            return memory.w
        return self._obeying(Mean(memory.w, memory.correction, visits).worked_out())

    def candidate_mean(self, memory: PrimalMemory, visits: int) -> Any:
        return self.average(memory, visits)

    def _obeying(self, w: Weights) -> Weights:
        """A mean of weights that have their signs has them, too, but for rounding."""
        signs = self.rule.signs
        return w if signs is None else np.where(np.append(signs, 0) * w < 0, 0.0, w)

    def learned_rule(self, learned: Weights | Voters, eta: float) -> LinearRule | Voters:
        if isinstance(learned, Voters):
            return learned
        with np.errstate(over="ignore"):
            finite = all_finite(learned if eta == 1 else eta * learned)
        if not finite:
            raise WeightsOverflowError(
                f"The weights times {option('eta0', eta)} are beyond the largest floating-point "
                f"number. Use a smaller {option('eta0')}: it only scales the weights."
            )
        return LinearRule(learned, eta)

    def _step(self, memory: PrimalMemory, step: Weights, visits: int) -> None:
        if self.rule.decay:  # every look at all rows was a step, or training would have ended
            step = step / (1 + self.rule.decay * visits)
        with np.errstate(over="ignore", invalid="ignore"):  # the loop looks for it
            before = memory.w.copy()
            memory.w += step
            moved = visits * step
            if self.rule.signs is not None:
                beyond = np.append(self.rule.signs, 0) * memory.w < 0
                memory.w[beyond], moved = 0.0, np.where(beyond, visits * -before, moved)
            if memory.correction is not None:
                memory.correction += moved

    def _begun(self, w: Weights, counts: int, *, averaged: bool) -> PrimalMemory:
        # Adding 0 turns -0.0 into 0.0, so that a dense and a sparse row see the same start.
        correction = np.zeros_like(w) if averaged else None
        precision = np.ones_like(w) if self.rule.kind == "AROW" else None
        by_row = np.zeros((counts, *w.shape[:-1]), dtype=np.int64)
        return Memory(self._obeying(w + 0.0), correction, by_row, precision)


@dataclass
class NextOrder:
    """A permutation of the next epoch, of which some swaps are made."""

    pool: NDArray[Any]
    seed: int
    number: int
    made: int = 0

    def by_then(self, end: int) -> Permutation:
        """For the core, which makes all swaps before `end`."""
        so_far = Permutation(self.pool, self.seed, self.number, self.made)
        self.made = max(self.made, end)
        return so_far


class Primal(InFeatures):
    """Evaluates examples at hand and steps, as its rule says.

    w += step · y_i x_i where the margin y_i (w·x_i + b) of row i calls for an update. With many
    classes w_y += step · x_i and w_r -= step · x_i, where the margin is the score of row i's class
    y minus that of its rival r, the highest of the others.
    """

    counts_rows = True

    def __init__(self, examples: Examples, rule: UpdateRule):
        super().__init__(rule)
        self.examples = examples
        self.screen = Screen(examples, rule)
        self.evaluation_rows = ScreenedRows(examples, self.screen)

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        rows = self.examples.rows
        if not w.any():  # not a copy of so many zeros
            w = np.zeros(w.shape, order="F" if rows.by_feature else "C")
        return self._begun(rows.placed(w), rows.n, averaged=averaged)

    def use(self, rule: UpdateRule) -> None:
        if rule != self.rule:
            self.rule = rule
            self.screen.use(rule)

    def vote_mistakes(self, voters: Voters, *, quickly: bool) -> int | None:
        rows, most = self.examples.rows, MOST_VOTED_QUICKLY if quickly else MOST_VOTED
        if voters.vectors * numbers_read(rows) > most:
            return None
        return self.examples.mistakes(voters.scores(rows))

    def candidate_mean(self, memory: PrimalMemory, visits: int) -> Any:
        """Weights of many classes and many columns are large: they are counted before the mean is
        worked out."""
        large = self.examples.k is not None and self.examples.rows.by_feature
        if not large or memory.correction is None or visits == 0:
            return self.average(memory, visits)
        return Mean(memory.w, memory.correction, visits)

    def arrays(self, memory: PrimalMemory, visits: int) -> LearnerArrays:
        """What is in the memory, for the core to change."""
        placed = self.examples.rows.placed
        memory.w = placed(memory.w)
        if memory.correction is not None:
            memory.correction = placed(memory.correction)
        if memory.precision is not None:
            memory.precision = placed(memory.precision)
        log = None if self.log is None else self.log.columns
        return LearnerArrays(
            *(memory.w, memory.correction, memory.counts, memory.precision),
            *(visits, log, memory.updates),
        )

    def visit(
        self,
        memory: PrimalMemory,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        max_updates: int,
        visits: int,
        next_order: NextOrder | None = None,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `max_updates` updates; returns place reached, updates.

        The order of the next epoch is made as far as `end` meanwhile, where another thread can.
        """
        e, log, screen = self.examples, self.log, self.screen
        learner = self.arrays(memory, visits)
        if screen.before(begin, memory.w):
            return begin, 0  # nothing yet: Ctrl-C first
        if log is not None:
            max_updates = min(max_updates, log.room)
        if screen.ready:
            reached, updates = screen.visit(learner, order, begin, end, max_updates)
        else:
            following = () if next_order is None else (next_order.by_then(end),)
            reached, updates = e.rows.backend.visit(
                e.labelled, self.rule, learner, order, begin, end, max_updates, *following
            )
        screen.visited(reached - begin, updates)
        if log is not None:
            log.take(updates, e.y)
        return reached, updates

    def search(
        self,
        memory: PrimalMemory,
        draw: Permutation,
        max_visits: int,
        max_updates: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        e, log = self.examples, self.log
        if log is not None:
            max_updates = min(max_updates, log.room)
        made = e.rows.backend.search(
            e.labelled, self.rule, self.arrays(memory, visits), draw, max_visits, max_updates
        )
        if log is not None:
            log.take(made[1], e.y)
        return made

    def look(self, w: Weights) -> Look:
        e, rule = self.examples, self.rule._replace(kind="perceptron")
        w = e.rows.placed(w)
        marks = np.zeros(e.rows.n, dtype=np.uint8 if e.k is None else np.int32)
        scores = None if self.log is None else np.empty(e.rows.n)
        fold = Fold[Weights]()
        for block in summation.blocks(e.rows.n):
            step = np.zeros_like(w)
            into = BatchStep(step, marks, scores)
            for begin, end in e.rows.chunks(e.k or 1, block):
                e.rows.backend.look(e.labelled, rule, w, begin, end, into)
            fold.add(step)
        rows = np.flatnonzero(marks)
        rivals = None if e.k is None else marks[rows] - 1
        return Look(fold.total(), rows, rivals, None if scores is None else scores[rows])

    def descend(self, memory: PrimalMemory, visits: int) -> int:
        if self.rule.kind not in ("perceptron", "decay", "projected"):
            raise NotImplementedError("order='batch' is the perceptron's")
        look, y = self.look(memory.w), self.examples.y
        self._step(memory, look.step, visits)
        if look.rivals is None:
            memory.counts[look.rows] += 1
        else:
            memory.counts[look.rows, y[look.rows]] += 1
            memory.counts[look.rows, look.rivals] -= 1
        if self.log is not None and look.scores is not None:
            self.log.add(look.rows, visits, look.scores, y, look.rivals)
        return len(look.rows)
