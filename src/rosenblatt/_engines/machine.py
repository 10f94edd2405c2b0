"""Weights in the space of the features, learned from rows on many machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.examples import Weights
from rosenblatt._compute.folding import folded
from rosenblatt._engines import work
from rosenblatt._engines.examples import RemoteExamples
from rosenblatt._learning.adaptive import is_confident
from rosenblatt._learning.machine import Indices
from rosenblatt._learning.mixing import Share
from rosenblatt._learning.primal import InFeatures, PrimalMemory
from rosenblatt._learning.rule import Rule
from rosenblatt._rules.voters import Voters

_ELSEWHERE = "the rows are on other machines: orders of an engine ask for stretches of them"


@final
class Distributed(InFeatures):
    """What `Streamed` does with one block after another, where the blocks are."""

    def __init__(self, rule: Rule, examples: RemoteExamples, *, margin: float, intercept: bool):
        super().__init__(margin=margin, intercept=intercept)
        self.examples = self.evaluation_rows = examples
        self.confident = is_confident(rule)
        self.how = examples.how._replace(rule=rule, margin=margin, intercept=intercept)

    def workers(self) -> str:
        """How fast each machine is, in words."""
        return self.examples.divided.team.told()

    def start(self, w: Weights, *, averaged: bool) -> PrimalMemory:
        return self._begun(w, 0, averaged=averaged)

    def travel(
        self,
        memory: PrimalMemory,
        turn: work.Turn,
        stretch: Sequence[tuple[int, int, int]],
        most: int,
        visits: int,
        check_interrupt: Callable[[], None],
    ) -> tuple[int, int]:
        """The weights go to these blocks, all in one bundle: (number, place, size).

        Returns how many visits and updates were made.
        """
        rows = self.examples.divided
        learned, made, updates = rows.one(
            rows.bundle_of(stretch[0][0] * compute.block),
            work.visit,
            self.how,
            memory,
            turn,
            [(b, place) for b, place, _ in stretch],
            most,
            visits,
            rows=sum(size - place for _, place, size in stretch),
            hear=check_interrupt,
        )
        take(memory, learned)
        return made, updates

    def mix(
        self, memory: PrimalMemory, turn: work.Turn, first: int, check_interrupt: Callable[[], None]
    ) -> list[Share]:
        """What each shard, from the first one on, adds to this epoch, in their order."""
        rows = self.examples.divided
        averaged = memory.drift is not None
        given = (self.how, memory.w, turn, first, rows.n, averaged)
        found = rows.each(work.mix, *given, hear=check_interrupt)
        return [share for part in found for share in part]

    def descend(
        self, memory: PrimalMemory, visits: int, check_interrupt: Callable[[], None]
    ) -> int:
        """One batch step over all rows."""
        found = self.examples.divided.each(work.descend, self.how, memory.w, hear=check_interrupt)
        self._step(memory, folded(shard for steps, _ in found for shard in steps), visits)
        return sum(mistakes for _, mistakes in found)

    def visit(
        self,
        memory: PrimalMemory,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        raise NotImplementedError(_ELSEWHERE)

    def search(
        self,
        memory: PrimalMemory,
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        raise NotImplementedError(_ELSEWHERE)

    def training_votes(
        self, voters: Voters, check_interrupt: Callable[[], None], *, quickly: bool
    ) -> Iterator[NDArray[np.float64]] | None:
        raise NotImplementedError(_ELSEWHERE)


def take(memory: PrimalMemory, learned: PrimalMemory) -> None:
    """What was learned elsewhere; in place, since the state is shared."""
    memory.w[...] = learned.w
    for mine, theirs in ((memory.drift, learned.drift), (memory.precision, learned.precision)):
        if mine is not None and theirs is not None:
            mine[...] = theirs
