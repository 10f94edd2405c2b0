"""What happened: the facts of one training run, in units of the learning rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.update_log import Log

if TYPE_CHECKING:
    from rosenblatt._compute.examples import Matrix
    from rosenblatt._learning.settings import Settings
    from rosenblatt._learning.state import AnyJob, AnyState
    from rosenblatt._rules.gram import Kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Run:
    """Updates u = 0, 1, … with their rows; a step is one update, or all of one batch step.

    Scores, the start and the margin are in units of η, as the loop has them.
    """

    X: Matrix
    y: NDArray[np.int8]  # by row of X
    c: Floats | None
    start: Floats  # lifted weights; with a kernel coefficients of the rows, and the intercept
    eta: float
    margin: float
    intercept: bool
    order: str
    keep: str
    n: int  # rows that exist
    rows: Ints  # by update,
    visits: Ints
    scores: Floats  # before the update
    kernel: Kernel | None = None  # None: weights of the features
    judged: list[tuple[int, int]] = field(default_factory=list)  # updates, mistakes of the kept

    @cached_property
    def weights(self) -> Floats:
        """c, by row of X."""
        return np.ones(len(self.y)) if self.c is None else self.c

    @cached_property
    def steps(self) -> Floats:
        """c_i y_i, by update."""
        return np.asarray(self.weights[self.rows] * self.y[self.rows])

    @cached_property
    def edges(self) -> Ints:
        """Step t is made of the updates edges[t] .. edges[t + 1]."""
        if self.order != "batch":
            return np.arange(len(self.rows) + 1)
        new = np.flatnonzero(np.diff(self.visits, prepend=-1))
        return np.append(new, len(self.rows))

    def updates_of(self, step: int) -> slice:
        """Of step 1, 2, …; of the start, step 0, none."""
        return slice(int(self.edges[max(step - 1, 0)]), int(self.edges[step]))

    @property
    def n_steps(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def sizes(self) -> Ints:
        """|M_t|: updates of each step."""
        return np.diff(self.edges)

    @cached_property
    def epochs(self) -> Ints:
        """By update, from 1."""
        per_epoch = 1 if self.order == "batch" else self.n
        return self.visits // per_epoch + 1

    def coefficients(self, step: int) -> Floats:
        """With a kernel: β_i of the rows and the intercept after so many steps."""
        made = int(self.edges[step])
        beta = self.start.copy()
        np.add.at(beta, self.rows[:made], self.steps[:made])
        if self.intercept:
            beta[-1] += self.steps[:made].sum()
        return beta

    def linear(self) -> bool:
        """Whether there are weights of the features."""
        return self.kernel is None or self.kernel.kernel == "linear"


class Recorder:
    """Follows training from inside."""

    def __init__(self) -> None:
        self.log = Log()
        self._facts: dict[str, Any] = {}
        self._judged: list[tuple[int, int]] = []

    def begin(self, settings: Settings, job: AnyJob, state: AnyState) -> None:
        machine = job.machine
        machine.log = self.log
        examples: Any = machine.examples
        dual = hasattr(examples, "gram")
        w = state.memory.w
        self._facts = {
            "X": examples.gram.X if dual else examples.rows.X,
            "y": examples.y,
            "c": examples.c,
            "start": np.append(w.beta, w.b) if dual else w.copy(),
            "eta": settings.units.eta0,
            "margin": machine.margin,
            "intercept": machine.intercept,
            "order": settings.order,
            "keep": settings.units.keep,
            "n": examples.n,
            "kernel": examples.gram.kernel if dual else None,
        }

    def judged(self, state: AnyState) -> None:
        if state.kept is not None:
            self._judged.append((state.updates, state.kept.mistakes))

    def run(self) -> Run:
        rows, visits, scores = self.log.arrays()
        return Run(
            **self._facts, rows=rows, visits=visits, scores=scores, judged=self._judged.copy()
        )
