"""Coefficients of the rows for each of many classes: the dual form of the joint perceptron.

Row i of class y with rival r: β_yi += c_i and β_ri -= c_i. A row of the Gram matrix serves both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import standing
from rosenblatt._learning.dual import Dual, DualMemory


class JointDual(Dual):
    """Looks at scores and steps: β_yi += c_i, β_ri -= c_i where s_y - s_r <= margin."""

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def _window(
        self, memory: DualMemory, rows: NDArray[Any], most: int, visits: int
    ) -> tuple[int, int]:
        gram, at, put_off = self.examples.gram, 0, 0
        sums, b = np.take(memory.w.sums, rows, axis=1), memory.w.b.copy()
        y, steps = self.examples.y[rows], self.examples.steps[rows]
        updated: list[tuple[int, int]] = []  # row, rival
        when: list[int] = []
        while True:
            margins, rivals = standing((sums[:, at:] + b).T, y[at:])
            calls = np.flatnonzero(~(margins > self.margin))
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
            if put_off == gram.together or len(updated) == most:
                break
            values = gram.some(i, rows[at:])
            for c, signed in ((own, step), (rival, -step)):
                compute.backend.add([values], [[signed]], [sums[c, at:]])
                b[c] += signed if self.intercept else 0.0
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

    def descend(self, memory: DualMemory, visits: int, check_interrupt: Callable[[], None]) -> int:
        """One batch step on all rows that call for an update, now."""
        e = self.examples
        margins, rivals = standing((memory.w.sums + memory.w.b).T, e.y)
        calls = ~(margins > self.margin)
        mistakes = np.flatnonzero(calls if e.c is None else calls & (e.c != 0))
        updated = list(zip(mistakes.tolist(), rivals[mistakes].tolist(), strict=True))

        def update(some: slice) -> None:
            self._update_both(memory, updated[some], [visits] * len(updated[some]))

        self._whole_step(memory, len(updated), update, check_interrupt)
        self._note(mistakes.tolist(), visits, margins[mistakes], rivals[mistakes])
        return len(updated)
