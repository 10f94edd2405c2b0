"""When screening is worth it: rows that certainly call for no update are passed over unread.

`native/screen.hpp` says which rows those are and proves it; updates, counts and results are the
same with and without. Here it is decided when to begin, when the reference is too old and when to
give up: from numbers of rows, never from time.

    off ──few updates──► probe: the slack of a few rows ──an epoch later, most beyond reach──►
    on: the slack of all rows ──as many evaluations as rows──► renewed, or off where it did not pay
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import (
    Indices,
    LabelledRows,
    LearnerArrays,
    Mean,
    MistakeTally,
    ScreeningBackend,
    Slack,
    UpdateRule,
)
from rosenblatt._core.rows import Examples, RowsToJudge, Tally, Weights

FEW = 64  # a probe is made where at most one visit in so many was an update,
PART = 64  # of one row in so many,
REST = 4  # every so many epochs;
NEAR = 8  # it succeeds where at most one row in so many is within reach after an epoch
PAYS = 2  # times the rows read: the visits that they must have spared
SAFE = 32  # times what failures have cost: the visits there must be before the next probe
LEAST = 4096  # rows: with fewer it is not worth the calls
MOST_EPOCHS = 1 << 12  # of one call of the core: room for what is noted of each

_NONE = np.empty(0)  # no reference weights


class Screen:
    """The slack of rows beside reference weights: 4 bytes a row while it is in use."""

    allowed = True  # tests compare with and without

    def __init__(self, examples: Examples, rule: UpdateRule):
        self._rows, self._rule, self._labelled = examples.rows, rule, examples.labelled
        self._classes = examples.k or 1
        # The reference has no screening: it is the specification.
        able = compute.screening is not None and not self._rows.on_gpu
        able = able and rule.kind == "perceptron"
        self._possible = self.allowed and self._rows.n >= LEAST and able
        self._epochs = self._updates = 0  # epochs begun, updates in the last one
        self._visits = self._lost = 0  # in all; and evaluations that it did not spare
        self._turn_off()

    def use(self, rule: UpdateRule) -> None:
        """Another margin: what is known of the rows was about the one before."""
        self._rule = rule
        self._turn_off()

    def _turn_off(self) -> None:
        self._reference: Weights = _NONE
        self._of_row = np.empty(0, dtype=np.float32)  # their slack
        self._known = self._wanted = 0  # rows whose slack is known, is to be known
        self._passed = self._evaluated = 0  # rows passed since then, and those evaluated

    @property
    def ready(self) -> bool:
        return self._reference is not _NONE and self._known == self._rows.n

    def before(self, begin: int, w: Weights) -> bool:
        """Called before visits from place `begin`. True: some slack was computed instead."""
        if not self._possible:
            return False
        if self.ready:
            if self._evaluated >= self._rows.n:  # as many as it costs: the reference is too old
                self._renew(w)
        elif begin == 0 and self._known == self._wanted:
            self._begin_epoch(w)
        if self._known == self._wanted:
            return False
        end = min(self._known + self._rows.chunk, self._wanted)
        _backend().refer(
            self._labelled, self._rule, self._reference, self._known, end, self._of_row
        )
        self._known = end
        return True

    def epochs_of_one_call(self, visits: int) -> int:
        """How many epochs of so many visits the core should make in one call; 0: one by one.

        Where an epoch takes microseconds, what is around it would take longer. A call should leave
        time to hear Ctrl-C, and longer epochs are better made one by one: several threads work on
        each.
        """
        rows = self._rows
        if compute.whole_epochs is None or rows.on_gpu:
            return 0
        # Visits, and twice a count of mistakes, as numbers.
        numbers: int = 12 * visits * rows.row_size * self._classes
        return min(compute.chunk // max(numbers, 1), MOST_EPOCHS, self._epochs_without())

    def _epochs_without(self) -> int:
        if not self._possible:
            return MOST_EPOCHS
        if self._reference is not _NONE:
            return 0
        until_probe = REST - 1 - self._epochs % REST
        return until_probe or (0 if self._may_probe() else REST)

    def skipped(self, epochs: int, visits: int, updates: int) -> None:
        """Epochs were made elsewhere, with so many visits; the last one had so many updates."""
        self._epochs += epochs
        self._visits += visits
        self._updates = updates

    def visited(self, visits: int, updates: int) -> None:
        self._visits += visits
        self._updates += updates

    def visit(
        self, learner: LearnerArrays, order: Indices | None, begin: int, end: int, max_updates: int
    ) -> tuple[int, int]:
        reached, updates, evaluations = _backend().screened_visit(
            self._labelled, self._rule, learner, order, begin, end, max_updates, self._slack
        )
        self._account(reached - begin, evaluations)
        return reached, updates

    def count(self, examples: LabelledRows, tally: MistakeTally, begin: int, end: int) -> bool:
        evaluations = np.zeros(len(tally.w), dtype=np.int64)
        reached = _backend().screened_count(examples, tally, begin, end, self._slack, evaluations)
        # The first are the last weights; averages are far from the reference however new it is.
        self._account(reached - begin, int(evaluations[0]))
        return reached == end

    @property
    def _slack(self) -> Slack:
        return Slack(self._of_row, self._reference, self._rows.n - self._evaluated)

    def _account(self, passed: int, evaluated: int) -> None:
        self._passed += passed
        self._evaluated += evaluated

    def _begin_epoch(self, w: Weights) -> None:
        n = self._rows.n
        if self._reference is not _NONE:  # a probe
            reach = np.linalg.norm(w - self._reference)
            within = np.count_nonzero(self._of_row <= reach)
            self._turn_off()
            if within * NEAR <= n // PART:
                self._refer_to(w, n)
        elif self._epochs % REST == REST - 1 and self._may_probe():
            self._refer_to(w, n // PART)
        self._epochs += 1
        self._updates = 0

    def _may_probe(self) -> bool:
        few = self._updates * FEW <= self._rows.n
        return few and self._visits >= SAFE * self._lost

    def _renew(self, w: Weights) -> None:
        spared = self._passed - PAYS * (self._evaluated + self._rows.n)
        self._turn_off()
        if spared > 0:
            self._refer_to(w, self._rows.n)
        else:
            self._lost -= spared

    def _refer_to(self, w: Weights, rows: int) -> None:
        self._reference = np.copy(w)
        self._of_row = np.empty(rows, dtype=np.float32)
        self._known, self._wanted = 0, rows
        self._passed = self._evaluated = 0


class ScreenedRows(RowsToJudge):
    """The training rows as candidates are compared on them: those out of reach are passed over."""

    def __init__(self, examples: Examples, screen: Screen):
        self._examples, self._screen = examples, screen
        self.n, self.total_weight = examples.n, examples.total_weight
        self.tie = examples.tie

    def add_mistakes(self, tally: Tally) -> bool:
        if not self._screen.ready:
            return self._examples.add_mistakes(tally)
        tally.w = [w.worked_out() if isinstance(w, Mean) else w for w in tally.w]
        return self._examples.add_mistakes_with(self._screen.count, tally)

    def mistakes(self, scores: NDArray[np.float64]) -> int:
        return self._examples.mistakes(scores)


def _backend() -> ScreeningBackend:
    backend = compute.screening
    assert backend is not None
    return backend
