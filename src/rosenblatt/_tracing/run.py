"""What happened: the facts of one training run, in units of the learning rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import Kind
from rosenblatt._core.rows import Matrix, as_table, dense
from rosenblatt._tracing import loss_steps
from rosenblatt._training.kernels import Kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Run:
    """Updates u = 0, 1, … with their rows; a step is one update, or all of one batch step, or with
    order="mixed" and several shards all of one epoch.

    Scores, the start and the margin are in units of η, as the loop has them. PassiveAggressive and
    AROW have no η (it is 1) and no order="batch"; rows call for an update below the margin 1.

    Of many classes an update adds c_i z, where z = (e_y - e_r) ⊗ x̃_i is lifted: x̃_i in the block of
    the row's class y, -x̃_i in that of its rival r (Kesler). Its label is +1, its score s_y - s_r,
    and so what is said of two classes holds for z.
    """

    X: Matrix
    y: NDArray[Any]  # by row of X: -1 and +1, or the number of the class
    c: Floats | None
    start: Floats  # lifted weights; with a kernel coefficients of the rows, and the intercept;
    # of many classes a row for each
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
    rivals: Ints | None = None  # by update, of many classes
    rule: Kind = "perceptron"
    number: float = 0.0  # C of PassiveAggressive, r of AROW
    tie: str = "mistake"  # what a score of 0 is
    signs: list[int] | None = None  # that weights must have: steps are projected

    @property
    def k(self) -> int | None:
        """How many classes; None: two."""
        return None if self.rivals is None else len(self.start)

    @cached_property
    def weights(self) -> Floats:
        return np.ones(len(self.y)) if self.c is None else self.c

    @cached_property
    def own(self) -> NDArray[Any]:
        return np.asarray(self.y[self.rows])

    @cached_property
    def steps(self) -> Floats:
        """c_i y_i, by update; of many classes c_i. Other rules have τ or α in the place of c_i."""
        weights = self.weights[self.rows] if self.by_count else loss_steps.lengths(self)
        return np.asarray(weights * self.own if self.rivals is None else weights)

    def beyond(self, w: Floats) -> NDArray[np.bool_]:
        """Where weights are against their signs."""
        signs = np.zeros(w.shape[-1] - 1) if self.signs is None else self.signs
        return np.asarray(np.append(signs, 0) * w < 0)

    @property
    def by_count(self) -> bool:
        return self.rule == "perceptron"

    @cached_property
    def table(self) -> Any:
        return as_table(self.X)

    def lifted(self, rows: Any) -> Floats:
        x = dense(self.table[rows]).astype(np.float64)
        return np.hstack([x, np.full((len(x), 1), float(self.intercept))])

    def directions(self, begin: int, end: int) -> Floats:
        """x̃_i of some updates; of many classes (e_y - e_r) ⊗ x̃_i."""
        x = self.lifted(self.rows[begin:end])
        if self.rivals is None:
            return x
        z, at = np.zeros((end - begin, len(self.start), x.shape[1])), np.arange(end - begin)
        z[at, self.own[begin:end]] = x
        z[at, self.rivals[begin:end]] = -x
        return z

    @property
    def margins(self) -> Floats:
        return self.margins_of(self.scores)

    def margins_of(self, scores: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.own * scores if self.rivals is None else scores)

    @cached_property
    def places(self) -> list[Any]:
        """By update what was looked at: the row; of many classes the row, its class, its rival."""
        if self.rivals is None:
            return list(self.rows.tolist())
        return list(zip(self.rows.tolist(), self.own.tolist(), self.rivals.tolist(), strict=True))

    def by_update(self, values: Floats, sign: int = -1) -> Floats:
        """From values by row, or by row and class: that of z. With sign=1 doubts add up."""
        if self.rivals is None:
            return np.asarray(values[self.rows])
        return np.asarray(values[self.rows, self.own] + sign * values[self.rows, self.rivals])

    @cached_property
    def edges(self) -> Ints:
        if self.single:
            return np.arange(len(self.rows) + 1)
        of = self.epochs if self.mixed else self.visits
        new = np.flatnonzero(np.diff(of, prepend=-1))
        return np.append(new, len(self.rows))

    @property
    def mixed(self) -> bool:
        return self.order == "mixed" and self.n > compute.rows_of_shard

    @property
    def single(self) -> bool:
        return self.order != "batch" and not self.mixed

    @cached_property
    def shards(self) -> Ints:
        return self.visits % self.n // compute.rows_of_shard

    @cached_property
    def gains(self) -> NDArray[Any]:
        """By step, for how many updates it counts in the proofs: for those that it has; an epoch
        with k_s mistakes in shard s, k in all, for Σ k_s²/k, a fraction."""
        if not self.mixed:
            return self.sizes
        counts = [np.bincount(self.shards[a:b]) for a, b in pairwise(self.edges)]
        of_steps = [Fraction(int((k * k).sum()), int(k.sum())) for k in counts]
        return np.array(of_steps, dtype=object)

    def updates_of(self, step: int) -> slice:
        """Of step 1, 2, …; of the start, step 0, none."""
        return slice(int(self.edges[max(step - 1, 0)]), int(self.edges[step]))

    @property
    def n_steps(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def sizes(self) -> Ints:
        return np.diff(self.edges)

    @cached_property
    def epochs(self) -> Ints:
        per_epoch = 1 if self.order == "batch" else self.n
        return self.visits // per_epoch + 1

    def counts(self, step: int, by: NDArray[Any] | None = None) -> NDArray[Any]:
        """Updates of each row after so many steps, or the sums of `by`, which has a number for each
        update; of many classes by class, - where a rival."""
        made = int(self.edges[step])
        each = np.ones(made, dtype=np.int64) if by is None else by[:made]
        total = np.zeros((len(self.y), *self.start.shape[:-1]), dtype=each.dtype)
        if self.rivals is None:
            np.add.at(total, self.rows[:made], each)
            return total
        np.add.at(total, (self.rows[:made], self.own[:made]), each)
        np.add.at(total, (self.rows[:made], self.rivals[:made]), -each)
        return total

    def coefficients(self, step: int) -> Floats:
        made = int(self.edges[step])
        beta, rows, steps = self.start.copy(), self.rows[:made], self.steps[:made]
        if self.rivals is None:
            np.add.at(beta, rows, steps)
            beta[-1] += steps.sum() if self.intercept else 0.0
            return beta
        for classes, added in ((self.own[:made], steps), (self.rivals[:made], -steps)):
            np.add.at(beta, (classes, rows), added)
            if self.intercept:
                np.add.at(beta[:, -1], classes, added)
        return beta

    def linear(self) -> bool:
        return self.kernel is None or self.kernel.linear


@dataclass(frozen=True)
class About:
    """What is said of a run besides its facts; the fields of the JSON document, in its order."""

    estimator: str
    classes: list[Any]  # in the order of their numbers; of two the second is +1
    feature_names: list[str] | None
    converged: bool
    ended: str
    all_rows: bool = True  # False: only the rows that made updates are here
    data_fingerprint: str | None = None  # of all rows, where only some are here
