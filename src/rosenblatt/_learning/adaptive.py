"""Weights of the features by other rules than the perceptron's: the machine under AROW and
PassiveAggressive. There is no learning rate, and no step for all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Examples
from rosenblatt._learning.primal import InMemory, Primal, PrimalMemory
from rosenblatt._learning.rule import Rule


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

    def descend(
        self, memory: PrimalMemory, visits: int, check_interrupt: Callable[[], None]
    ) -> int:
        raise NotImplementedError("order='batch' is the perceptron's")


def is_confident(rule: Rule) -> bool:
    """Whether it keeps precisions of the weights."""
    return rule.kind == "AROW"


def machine_with(rule: Rule) -> Callable[..., Primal | Adaptive]:
    """What makes a machine of examples, its number (as `margin`) and whether b is learned."""
    return Primal if rule.kind == "perceptron" else partial(Adaptive, rule)
