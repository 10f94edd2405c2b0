"""Coefficients of the rows instead of weights of the features: the learner under KernelPerceptron.

The function learned is s(x) = Σ_i β_i k(x_i, x) + b with β_i = c_i y_i · (updates of row i), in
units of the learning rate. The scores of all training rows are at hand, so that a visit is one look
at one number; an update adds one row of the Gram matrix to them. That is put off where several such
rows are computed together in much less time: the rows to be visited next are a window, within which
an update adds its few kernel values at once. At the end of the window all scores get what they
missed, by the same additions in the same order, so that the result is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import summation
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import Permutation, UpdateRule
from rosenblatt._core.rows import Labelled, Scale, Sized, standing
from rosenblatt._core.update_log import Log
from rosenblatt._training.kernel_rule import DualVoters, KernelExpansion, KernelRule, add
from rosenblatt._training.kernels import Floats, Gram
from rosenblatt._training.state import EvaluationRows, Job, Memory, State
from rosenblatt._util.progress import check_interrupt

_WORK = 8 * compute.chunk  # numbers to multiply until the next look at Ctrl-C
_NEAR, _FAR = 32, 1024  # visits in a window with updates: at least, at most


DualMemory = Memory[KernelExpansion]
DualState = State[KernelExpansion, DualVoters]
DualJob = Job[KernelExpansion, DualVoters]


class KernelExamples(Labelled, Sized):
    """Labels and the Gram matrix of their rows."""

    def __init__(
        self,
        gram: Gram,
        y: NDArray[Any],
        c: Floats | None,
        k: int | None = None,
        tie: float = 0.0,
    ):
        super().__init__(y, c, k, tie)
        self.gram, self.d = gram, gram.X.shape[1]
        signs = y.astype(np.float64) if k is None else np.ones(len(y))
        self.steps = signs if c is None else signs * c  # c_i y_i; of many classes c_i
        self.chunk = len(y)
        # Updates between looks at Ctrl-C: each may need a row of the Gram matrix.
        self.most_updates = max(1, _WORK // (len(y) * (gram.X.shape[1] + 4)))

    def lengths(self, *, intercept: bool) -> Iterator[tuple[Floats, Floats | None]]:
        for begin, end in summation.blocks(len(self.y)):
            rows = np.arange(begin, end)
            values = [self.gram.of_itself(i) for i in rows.tolist()]
            squares = np.array(values) + float(intercept)
            yield squares, None if self.c is None else self.c[rows]

    def count(
        self, weights: Sequence[KernelExpansion], limits: list[float] | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        wrong = [self.wrong(f.scores) for f in weights]
        plain = np.array([np.count_nonzero(v) for v in wrong], dtype=np.int64)
        weighted = plain.astype(np.float64)
        if self.c is not None:
            weighted = np.array([summation.total(np.where(v, self.c, 0.0)) for v in wrong])
        return plain, weighted


class Dual:
    """β_i += c_i y_i where row i has y_i s_i <= margin."""

    counts_rows = True  # updates are counted by row

    def __init__(self, examples: KernelExamples, rule: UpdateRule):
        self.examples, self.rule = examples, rule
        self.log: Log | None = None  # where updates are noted
        self.scale: Scale | None = None  # how large rows are, where a rule asks for it
        self._pool = np.empty(examples.n, dtype=examples.index_type)

    def start(self, lifted: Floats, *, averaged: bool) -> DualMemory:
        """Coefficients of the rows, then the intercept; of many classes a row for each."""
        n, k, gram = len(self.examples.y), self.examples.k, self.examples.gram
        start = KernelExpansion.zero(n, k)
        start.b = float(lifted[-1]) if k is None else lifted[:, -1:].copy()
        for c, beta in enumerate(np.atleast_2d(lifted)[:, :-1]):
            for i in np.flatnonzero(beta).tolist():
                add([start], [i], [c], [[float(beta[i])]], [gram.row(i)], intercept=False)
        correction = KernelExpansion.zero(n, k) if averaged else None
        return Memory(start, correction, np.zeros(n if k is None else (n, k), dtype=np.int64))

    def _note(
        self, rows: list[int], visits: int, scores: Floats, rivals: NDArray[Any] | None = None
    ) -> None:
        if self.log is not None:
            self.log.add(np.array(rows, dtype=np.int64), visits, scores, self.examples.y, rivals)

    def _update(self, memory: DualMemory, rows: list[int], visits: list[int]) -> None:
        """β_i += c_i y_i for these rows, at most `gram.together` of them not at hand."""
        steps = self.examples.steps[rows].tolist()
        self._add(memory, rows, [0] * len(rows), steps, visits)
        memory.counts[rows] += 1  # no row is there twice

    def _add(
        self,
        memory: DualMemory,
        rows: list[int],
        classes: list[int],
        steps: list[float],
        visits: list[int],
    ) -> None:
        different = list(dict.fromkeys(rows))
        at_hand = dict(zip(different, self.examples.gram.rows(different), strict=True))
        values = [at_hand[i] for i in rows]
        functions, of_each = [memory.w], [steps]
        if memory.w.fresh is not None:
            memory.w.fresh.extend(zip(rows, steps, classes, strict=True))
        if memory.correction is not None:
            functions.append(memory.correction)
            of_each.append([visit * step for visit, step in zip(visits, steps, strict=True)])
        add(functions, rows, classes, of_each, values, intercept=self.rule.intercept)

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def _window(
        self, memory: DualMemory, rows: NDArray[Any], max_updates: int, visits: int
    ) -> tuple[int, int]:
        gram, at, put_off = self.examples.gram, 0, 0
        sums, b = memory.w.sums[rows], memory.w.b
        y, steps = self.examples.y[rows], self.examples.steps[rows]
        updated: list[int] = []
        when: list[int] = []
        while True:
            at = compute.backend.next_call(y, sums, b, self.rule.margin, at, self.examples.tie)
            if at == len(rows):
                break
            i, step = int(rows[at]), float(steps[at])
            if self.log is not None:
                self._note([i], visits + at, sums[at : at + 1] + b)
            updated.append(i)
            when.append(visits + at)
            at, put_off = at + 1, put_off + (not gram.at_hand(i))
            if put_off == gram.together or len(updated) == max_updates:
                break
            compute.backend.add([gram.some(i, rows[at:])], [[step]], [sums[at:]])
            b += step if self.rule.intercept else 0.0
        self._update(memory, updated, when)
        return at, len(updated)

    def visit(
        self,
        memory: DualMemory,
        order: NDArray[Any] | None,
        begin: int,
        end: int,
        max_updates: int,
        visits: int,
    ) -> tuple[int, int]:
        rows = np.arange(begin, end) if order is None else order[begin:end]
        at, updates, ahead = 0, 0, _NEAR
        max_updates = min(max_updates, self.examples.most_updates)
        while at < len(rows) and updates < max_updates:
            seen, made = self._window(
                memory, rows[at : at + ahead], max_updates - updates, visits + at
            )
            at, updates = at + seen, updates + made
            ahead = min(max(2 * seen, _NEAR), _FAR) if made else 4 * ahead
        return begin + at, updates

    def search(
        self, memory: DualMemory, draw: Permutation, max_visits: int, max_updates: int, visits: int
    ) -> tuple[int, int, int, int]:
        n, present = self.examples.n, self.examples.present
        number, seen, made, updates = draw.number, draw.made, 0, 0
        max_updates = min(max_updates, self.examples.most_updates)
        while made < max_visits and updates < max_updates and seen < n:
            drawn = min(n, 4 * seen + 64, seen + max_visits - made)
            compute.backend.arrange(self._pool, present, draw.seed, number, drawn)
            in_window, mistakes = self._window(memory, self._pool[seen:drawn], 1, visits + made)
            made, updates = made + in_window, updates + mistakes
            number, seen = (number + 1, 0) if mistakes else (number, drawn)
        return made, updates, number, seen

    def descend(self, memory: DualMemory, visits: int) -> int:
        e = self.examples
        scores = memory.w.scores
        calls = ~(e.margins(scores) > self.rule.margin)
        mistakes = np.flatnonzero(calls if e.c is None else calls & (e.c != 0)).tolist()

        def update(some: slice) -> None:
            self._update(memory, mistakes[some], [visits] * len(mistakes[some]))

        self._whole_step(memory, len(mistakes), update)
        self._note(mistakes, visits, scores[mistakes])
        return len(mistakes)

    def _whole_step(
        self, memory: DualMemory, updates: int, update: Callable[[slice], None]
    ) -> None:
        """Make all of these updates, or none; at a time as many as Gram rows are held."""
        before, together = memory.copy(), self.examples.gram.together
        try:
            for begin in range(0, updates, together):
                check_interrupt()
                update(slice(begin, begin + together))
        except BaseException:
            memory.w, memory.correction, memory.counts = before.w, before.correction, before.counts
            raise

    def candidate_mean(self, memory: DualMemory, visits: int) -> KernelExpansion:
        return self.average(memory, visits)

    def average(self, memory: DualMemory, visits: int) -> KernelExpansion:
        w, correction = memory.w, memory.correction
        if correction is None or visits == 0:
            return w
        return KernelExpansion(
            w.beta - correction.beta / visits,
            w.b - correction.b / visits,
            w.sums - correction.sums / visits,
        )

    def voters(self, memory: DualMemory) -> DualVoters:
        memory.w.fresh = []
        return DualVoters(len(self.examples.y), intercept=self.rule.intercept, k=self.examples.k)

    def admit(self, voters: DualVoters, memory: DualMemory, visits: int) -> None:
        voters.append(memory.w, visits)

    def validation_mistakes(self, voters: DualVoters, rows: EvaluationRows[KernelExpansion]) -> int:
        raise NotImplementedError("in dual form there are no validation rows")

    def use(self, rule: UpdateRule) -> None:
        raise NotImplementedError("in dual form the margin stays")

    def forget(self, memory: DualMemory) -> None:
        raise NotImplementedError("in dual form the margin stays")

    def finite(self, memory: DualMemory) -> bool:
        return memory.w.finite() and (memory.correction is None or memory.correction.finite())

    def vote_mistakes(self, voters: DualVoters, *, quickly: bool) -> int:
        return self.examples.mistakes(voters.training_scores())

    def learned_rule(self, learned: KernelExpansion | DualVoters, eta: float) -> KernelRule:
        gram = self.examples.gram
        return KernelRule.of(learned, gram.kernel, gram.X, eta)


class JointDual(Dual):
    """The dual form of the joint perceptron, with coefficients for each of many classes.

    Row i of class y with rival r and s_y - s_r <= margin: β_yi += c_i and β_ri -= c_i. A row of the
    Gram matrix serves both.
    """

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def _window(
        self, memory: DualMemory, rows: NDArray[Any], max_updates: int, visits: int
    ) -> tuple[int, int]:
        gram, at, put_off = self.examples.gram, 0, 0
        sums, b = np.take(memory.w.sums, rows, axis=1), memory.w.b.copy()
        y, steps = self.examples.y[rows], self.examples.steps[rows]
        updated: list[tuple[int, int]] = []  # row, rival
        when: list[int] = []
        while True:
            margins, rivals = standing((sums[:, at:] + b).T, y[at:])
            calls = np.flatnonzero(~(margins > self.rule.margin))
            if len(calls) == 0:
                at = len(rows)
                break
            first, at = slice(calls[0], calls[0] + 1), at + int(calls[0])
            rival = int(rivals[calls[0]])
            i, own, step = int(rows[at]), int(y[at]), float(steps[at])
            self._note([i], visits + at, margins[first], rivals[first])
            updated.append((i, rival))
            when.append(visits + at)
            at, put_off = at + 1, put_off + (not gram.at_hand(i))
            if put_off == gram.together or len(updated) == max_updates:
                break
            values = gram.some(i, rows[at:])
            for c, signed in ((own, step), (rival, -step)):
                compute.backend.add([values], [[signed]], [sums[c, at:]])
                b[c] += signed if self.rule.intercept else 0.0
        self._update_both(memory, updated, when)
        return at, len(updated)

    def _update_both(
        self, memory: DualMemory, updated: list[tuple[int, int]], visits: list[int]
    ) -> None:
        """These rows and rivals, at most `gram.together` rows of them not at hand."""
        if not updated:
            return
        rows = np.array([i for i, _ in updated])
        rivals = np.array([rival for _, rival in updated])
        own, steps = self.examples.y[rows], self.examples.steps[rows]
        # One after the other: what a row's own class gets, then what its rival loses.
        self._add(
            memory,
            np.repeat(rows, 2).tolist(),
            np.column_stack([own, rivals]).ravel().tolist(),
            np.column_stack([steps, -steps]).ravel().tolist(),
            np.repeat(visits, 2).tolist(),
        )
        memory.counts[rows, own] += 1  # no row is there twice
        memory.counts[rows, rivals] -= 1

    def descend(self, memory: DualMemory, visits: int) -> int:
        e = self.examples
        margins, rivals = standing((memory.w.sums + memory.w.b).T, e.y)
        calls = ~(margins > self.rule.margin)
        mistakes = np.flatnonzero(calls if e.c is None else calls & (e.c != 0))
        updated = list(zip(mistakes.tolist(), rivals[mistakes].tolist(), strict=True))

        def update(some: slice) -> None:
            self._update_both(memory, updated[some], [visits] * len(updated[some]))

        self._whole_step(memory, len(updated), update)
        self._note(mistakes.tolist(), visits, margins[mistakes], rivals[mistakes])
        return len(updated)
