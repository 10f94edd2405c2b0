"""What a compute backend offers, and the objects that its calls are made of.

A call reads examples, steps where a rule says so, and changes a learner. `reference.py` says what
each function computes; the compiled core gives the same bits. Functions write into the arrays they
are given, so that a call allocates nothing and can be left at any chunk of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Signs = NDArray[np.int8]
Labels = NDArray[Any]  # int8: -1 or +1; int32: the numbers of many classes
Indices = NDArray[Any]  # int32 or int64
Values = NDArray[Any]  # float32 or float64
NativeRows = Any  # a backend's own handle on X: made by `dense` or `csr`, read by nobody else
LogColumns = tuple[Any, ...]  # row, visit, score before; of many classes row, visit, margin, rival

TINY = 2.0**-1022
Kind = Literal[
    "perceptron", "decay", "penalised", "projected", "relaxation", "PA-I", "PA-II", "AROW"
]

_BY_MARGIN = ("perceptron", "decay", "penalised", "projected")

SHRINK_EVERY = 32
"""Visits after which weights under a penalty shrink: after each it would take far longer than a
sparse row."""

TIES = {"mistake": 0.0, "positive": TINY, "negative": -TINY}
"""What a score of 0 is taken for: 0 is a mistake for both labels."""

# With two classes labels are -1 and +1, and lifted weights have the shape (d + 1,). With k classes
# labels are numbers from 0, and weights have the shape (k, d + 1): the arrays say which it is. One
# class lies after another, or, for sparse rows, one feature after another (order="F"); all that is
# learned lies alike.


class Mean(NamedTuple):
    """The mean of weights over all visits, not worked out yet."""

    w: Floats
    correction: Floats
    visits: int

    def worked_out(self) -> Floats:
        mean = self.correction / self.visits
        return np.subtract(self.w, mean, out=mean)


Candidates = Any
"""Weight vectors, in rows; of many classes a list, so that none is copied: arrays, and for sparse
rows means that are not worked out."""


class LabelledRows(NamedTuple):
    """Rows with labels and weights. A row of weight 0 does not exist."""

    rows: NativeRows
    y: Labels
    c: Floats | None = None  # None: all 1
    tie: float = 0.0  # of two classes: what a score of 0 is taken for


class UpdateRule(NamedTuple):
    """When a row calls for an update, and how far the step goes; in units of the learning rate."""

    kind: Kind
    number: float  # the margin μ, of relaxation the share λ, C of PA-I and PA-II, r of AROW
    intercept: bool = True  # whether b is learned
    decay: float = 0.0  # of the rate
    signs: Signs | None = None  # "projected": what weights must not be against; 0: any
    shrink: float = 0.0  # of an L2 penalty: what a visit takes of the weights, ηα

    @property
    def margin(self) -> float:
        """A row whose margin is not above it calls for an update."""
        return self.number if self.kind in _BY_MARGIN else 1.0


class LearnerArrays(NamedTuple):
    """What a learner has learned so far: arrays that calls change."""

    w: Floats
    correction: Floats | None  # the mean of w over all visits is w - correction/visits
    counts: Ints  # updates by row, with many classes by row and class
    precision: Floats | None = None  # how sure AROW is of each weight
    visits: int = 0  # made before this call
    log: LogColumns | None = None  # where the updates of this call are noted
    updates: int = 0  # made before this call


class Permutation(NamedTuple):
    """A pool of rows after the first swaps of a permutation, which has a seed and a number."""

    pool: Indices
    seed: int
    number: int
    made: int = 0  # swaps


class MistakeTally(NamedTuple):
    """The mistakes of several weight vectors so far; one that reaches its limit is out."""

    w: Candidates
    limit: Floats
    plain: Ints
    weighted: Floats


class BatchStep(NamedTuple):
    """Where a look at all rows under the same weights writes what it finds."""

    sum: Floats  # of the updates
    marks: NDArray[Any]  # 1 for a row that calls for one, with many classes 1 + the rival; else 0
    scores: Floats | None = None  # of all rows, with many classes their margins


class KeptWeights(NamedTuple):
    """The weights with the fewest mistakes so far."""

    w: Floats
    mistakes: int
    weighted: float
    averaged: bool


class Slack(NamedTuple):
    """How far the weights may move away from reference weights before a row calls for an update."""

    of_row: NDArray[np.float32]
    reference: Floats
    max_evaluations: int  # of rows, in one call


class Backend(Protocol):
    """The compiled core, the NumPy reference, or another one."""

    def dense(self, X: Values, /) -> NativeRows: ...

    def csr(self, data: Values, indices: Indices, indptr: Indices, d: int, /) -> NativeRows: ...

    # Learning: three ways through the rows.

    def arrange(
        self, pool: Indices, rows: Indices | None, seed: int, k: int, swaps: int, /
    ) -> None: ...

    def visit(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        learner: LearnerArrays,
        order: Indices | None,
        begin: int,
        end: int,
        max_updates: int,
        next: Permutation | None = None,
        /,
    ) -> tuple[int, int]: ...

    def search(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        learner: LearnerArrays,
        draw: Permutation,
        max_visits: int,
        max_updates: int,
        /,
    ) -> tuple[int, int, int, int]: ...

    def look(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        w: Floats,
        begin: int,
        end: int,
        step: BatchStep,
        /,
    ) -> int: ...

    # Evaluating.

    def count(
        self, examples: LabelledRows, tally: MistakeTally, begin: int, end: int, /
    ) -> bool: ...

    def scores(self, rows: NativeRows, w: Floats, begin: int, end: int, out: Floats, /) -> None: ...

    def lifted_squares(
        self, rows: NativeRows, intercept: bool, begin: int, end: int, out: Floats, /
    ) -> None: ...

    def vote(
        self,
        rows: NativeRows,
        voters: Candidates,
        votes: Floats,
        begin: int,
        end: int,
        out: Floats,
        /,
    ) -> None: ...

    # The dual form.

    def products(self, panels: Values, w: Values, out: Values, /) -> None: ...

    def scores_of_some(
        self, rows: NativeRows, w: Values, some: Indices | None, out: Values, /
    ) -> None: ...

    def add(
        self, values: Sequence[Values], steps: Sequence[Sequence[float]], into: Sequence[Floats], /
    ) -> None: ...

    def rbf_exponents(
        self, products: Values, x_squares: Values, z_squares: Values, gamma: float, /
    ) -> None: ...

    def next_call(
        self, y: Signs, sums: Floats, b: float, margin: float, at: int, tie: float = 0.0, /
    ) -> int: ...

    def all_finite(self, values: Values, /) -> bool: ...

    # Instructions of the processor.

    def cpu_levels(self) -> list[str]: ...

    def use_cpu_level(self, name: str, /) -> bool: ...


class ScreeningBackend(Backend, Protocol):
    """One that can pass rows over unread: the same results from fewer rows."""

    def refer(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        w: Floats,
        begin: int,
        end: int,
        slack: NDArray[np.float32],
        /,
    ) -> None: ...

    def screened_visit(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        learner: LearnerArrays,
        order: Indices | None,
        begin: int,
        end: int,
        max_updates: int,
        slack: Slack,
        /,
    ) -> tuple[int, int, int]: ...

    def screened_count(
        self,
        examples: LabelledRows,
        tally: MistakeTally,
        begin: int,
        end: int,
        slack: Slack,
        evaluations: Ints,
        /,
    ) -> int: ...


class EpochBackend(Backend, Protocol):
    """One that can make many epochs of a small table in one call: the same results sooner."""

    def epochs(
        self,
        examples: LabelledRows,
        rule: UpdateRule,
        learner: LearnerArrays,
        present: Indices | None,
        order: Permutation | None,
        kept: KeptWeights | None,
        updates: Ints,
        mistakes: Floats,
        /,
    ) -> tuple[int, int, bool, int, float, bool]:
        """As many epochs as `updates` has room for, until a clean one.

        Returns epochs, visits, whether the last was clean, and of the weights that are kept
        (`kept.w`, changed in place) the mistakes, plain and weighted, and whether they are a mean.
        """


class AlgebraBackend(Backend, Protocol):
    """One that has the loops of linear algebra modulo a prime.

    `_certify/linear_algebra.py` says what they do.
    """

    def eliminate(
        self, matrix: NDArray[np.uint32], prime: int, begin: int, end: int, pivot: Ints, /
    ) -> None: ...

    def invert(
        self, matrix: NDArray[np.uint32], prime: int, begin: int, end: int, exchanged: Ints, /
    ) -> bool: ...

    def lift(
        self,
        inverse: NDArray[np.int32],
        limbs: NDArray[np.int32],
        residual: Ints,
        prime: int,
        digits: NDArray[np.int32],
        room: NDArray[np.int32],
        /,
    ) -> None: ...


class ConeBackend(Backend, Protocol):
    """One that finds the pairs of rows that a cone forces: `_bounds/pairs.py` says what."""

    def rank_along(
        self, x: NDArray[np.uint64], direction: NDArray[np.uint64], rank: NDArray[np.int32], /
    ) -> None: ...

    def forced_pairs(
        self,
        rank: NDArray[np.int32],
        y: NDArray[np.int8],
        cost: Ints,
        positive: NDArray[np.int32],
        negative: NDArray[np.int32],
        amount: Ints,
        /,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints]: ...

    def undecided_pairs(
        self, rank: NDArray[np.int32], y: NDArray[np.int8], left: Ints, most: int, /
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints]: ...
