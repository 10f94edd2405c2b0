"""What a compute backend offers: the functions that read rows.

`reference.py` says what each computes; the compiled core gives the same bits. Functions write into
the arrays they are given, so that a call allocates nothing and can be left at any chunk of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Signs = NDArray[np.int8]
Labels = NDArray[Any]  # int8: -1 or +1; int32: the numbers of many classes
Indices = NDArray[Any]  # int32 or int64
Values = NDArray[Any]  # float32 or float64
NativeRows = Any  # a backend's own handle on X: made by `dense` or `csr`, read by nobody else
NextPool = tuple[Indices, int, int, int]  # pool, seed, number of the permutation, swaps made
LogColumns = tuple[Any, ...]  # row, visit, score before; of many classes margin and rival instead


class Backend(Protocol):
    """The compiled core, the NumPy reference, or another one.

    Labels and weights are those of two classes, or those of many: the type of the labels and the
    dimensions of the weights say which.
    """

    def dense(self, X: Values, /) -> NativeRows: ...

    def csr(self, data: Values, indices: Indices, indptr: Indices, d: int, /) -> NativeRows: ...

    # Learning: three ways through the rows.

    def arrange(
        self, pool: Indices, rows: Indices | None, seed: int, k: int, swaps: int, /
    ) -> None: ...

    def visit(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        margin: float,
        intercept: bool,
        w: Floats,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        next: NextPool | None = None,
        /,
    ) -> tuple[int, int]: ...

    def search(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        pool: Indices,
        seed: int,
        number: int,
        seen: int,
        looks: int,
        most: int,
        margin: float,
        intercept: bool,
        w: Floats,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        /,
    ) -> tuple[int, int, int, int]: ...

    def look(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        begin: int,
        end: int,
        margin: float,
        intercept: bool,
        w: Floats,
        sum: Floats,
        mark: NDArray[Any],
        scores: Floats | None,
        /,
    ) -> int: ...

    # Judging.

    def count(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        w: Floats,
        limit: Floats,
        begin: int,
        end: int,
        plain: Ints,
        weighted: Floats,
        /,
    ) -> bool: ...

    def scores(self, rows: NativeRows, w: Floats, begin: int, end: int, out: Floats, /) -> None: ...

    def class_scores(
        self, rows: NativeRows, w: Floats, begin: int, end: int, out: Floats, /
    ) -> None: ...

    def lifted_squares(
        self, rows: NativeRows, intercept: bool, begin: int, end: int, out: Floats, /
    ) -> None: ...

    def vote(
        self, rows: NativeRows, voters: Floats, votes: Floats, begin: int, end: int, out: Floats, /
    ) -> None: ...

    def class_votes(
        self, rows: NativeRows, voters: Floats, votes: Floats, begin: int, end: int, out: Floats, /
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

    def next_call(self, y: Signs, sums: Floats, b: float, margin: float, at: int, /) -> int: ...

    def all_finite(self, values: Values, /) -> bool: ...

    # Instructions of the processor.

    def cpu_levels(self) -> list[str]: ...

    def use_cpu_level(self, name: str, /) -> bool: ...


class ScreeningBackend(Backend, Protocol):
    """One that can pass rows over unread: the same results with fewer looks."""

    def refer(
        self,
        rows: NativeRows,
        y: Labels,
        margin: float,
        intercept: bool,
        w: Floats,
        begin: int,
        end: int,
        slack: NDArray[np.float32],
        /,
    ) -> None: ...

    def screened_visit(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        margin: float,
        intercept: bool,
        w: Floats,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        slack: NDArray[np.float32],
        reference: Floats,
        looks: int,
        /,
    ) -> tuple[int, int, int]: ...

    def screened_count(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        w: Floats,
        limit: Floats,
        begin: int,
        end: int,
        plain: Ints,
        weighted: Floats,
        slack: NDArray[np.float32],
        reference: Floats,
        looked: Ints,
        /,
    ) -> int: ...


class EpochBackend(Backend, Protocol):
    """One that can make many epochs of a small table in one call: the same results sooner."""

    def epochs(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        present: Indices | None,
        pool: Indices | None,
        n: int,
        seed: int,
        made: int,
        most: int,
        margin: float,
        intercept: bool,
        w: Floats,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        kept: Floats | None,
        kept_mistakes: int,
        kept_weighted: float,
        kept_averaged: bool,
        updates: Ints,
        standing: Floats,
        /,
    ) -> tuple[int, int, bool, int, float, bool]: ...


class AlgebraBackend(Backend, Protocol):
    """One that has the loops of linear algebra modulo a prime: `_certify/modular.py` says what."""

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


# What a backend offers for rules besides the perceptron; `reference.py` says what it computes.


class RuleBackend(Backend, Protocol):
    """With precisions the rule is AROW and `number` its r; without it is passive-aggressive and
    `number` is C, with the squared loss or the loss itself."""

    def rule_visit(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        number: float,
        squared: bool,
        intercept: bool,
        w: Floats,
        precision: Floats | None,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        /,
    ) -> tuple[int, int]: ...

    def rule_search(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        number: float,
        squared: bool,
        intercept: bool,
        w: Floats,
        precision: Floats | None,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        /,
    ) -> tuple[int, int, int, int]: ...
