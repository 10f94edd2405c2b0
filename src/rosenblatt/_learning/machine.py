"""The seams of the loop: what looks at rows and steps, what it has learned, what it learns from.

W is what is learned: lifted weights, or an expansion in kernels. V holds those that vote. A new way
to learn (on a stream, a cluster, a GPU) is a new class that satisfies `Machine`; the loop stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.scale import Scale
from rosenblatt._compute.update_log import Log
from rosenblatt._support.interrupt import no_interrupt

Floats = NDArray[np.float64]
Indices = NDArray[Any]  # int32 or int64


class Learned(Protocol):
    """Weights of the features, or an expansion in kernels."""

    def copy(self) -> Self: ...

    def any(self) -> Any:
        """Whether it is not zero everywhere."""


class Electorate(Protocol):
    """Those that vote with keep="vote"."""

    def __len__(self) -> int: ...

    def copy(self) -> Self: ...

    def close(self, visits: int, /) -> None:
        """The newest one gets its votes up to now."""


W = TypeVar("W", bound=Learned)
V = TypeVar("V", bound=Electorate)
W_contra = TypeVar("W_contra", bound=Learned, contravariant=True)


@dataclass
class Memory(Generic[W]):
    """What a machine has learned."""

    w: W
    drift: W | None  # Σ (visits before the update) · step: the mean of w is w - drift/visits
    counts: NDArray[np.int64]  # updates by row (and class); none on a stream
    precision: W | None = None  # how sure AROW is of each weight

    def copy(self) -> Memory[W]:
        drift = None if self.drift is None else self.drift.copy()
        precision = None if self.precision is None else self.precision.copy()
        return Memory(self.w.copy(), drift, self.counts.copy(), precision)


class EvaluationRows(Protocol[W_contra]):
    """Labelled rows that candidates are compared on."""

    @property
    def n(self) -> int:
        """How many exist: a row of weight 0 does not."""

    @property
    def total_weight(self) -> float: ...

    def count(
        self,
        weights: Sequence[W_contra],
        limits: list[float] | None = None,
        check_interrupt: Callable[[], None] = no_interrupt,
    ) -> tuple[NDArray[np.int64], Floats]:
        """Mistakes of each, plain and weighted; counting one ends where it reaches its limit."""

    def mistakes(self, scores: Any, /) -> int:
        """How many rows have y·score <= 0."""


class TrainingRows(EvaluationRows[W_contra], Protocol[W_contra]):
    """Labelled rows that are learned from."""

    @property
    def d(self) -> int: ...

    @property
    def k(self) -> int | None:
        """How many classes; None: two."""

    @property
    def present(self) -> Indices | None:
        """The rows that exist; None: all."""

    @property
    def chunk(self) -> int:
        """Rows to visit in one call."""

    @property
    def index_type(self) -> type[np.signedinteger[Any]]: ...

    @property
    def quick(self) -> bool:
        """Whether all rows can be looked at once more while somebody waits."""


class Machine(Protocol[W, V]):
    """Looks at rows and steps. Weights are in units of the learning rate."""

    margin: float  # a row whose margin is not above it calls for an update
    intercept: bool
    log: Log | None  # where updates are noted
    scale: Scale | None  # how large rows are, where a rule asks for it

    @property
    def examples(self) -> TrainingRows[W]: ...

    def visit(
        self,
        memory: Memory[W],
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        visits: int,
    ) -> tuple[int, int]:
        """Visit order[begin:end], at most `most` updates; returns place reached, updates."""

    def search(
        self,
        memory: Memory[W],
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        visits: int,
    ) -> tuple[int, int, int, int]:
        """Draw until mistakes; returns visits, updates, the draw, rows of it seen."""

    def descend(self, memory: Memory[W], visits: int, check_interrupt: Callable[[], None]) -> int:
        """One batch step on all rows that call for an update; returns how many they are."""

    def average(self, memory: Memory[W], visits: int) -> W:
        """The mean of the weights over all visits, those after each visit counted once."""

    def finite(self, memory: Memory[W]) -> bool:
        """Whether nothing grew beyond the largest floating-point number."""

    def voters(self, memory: Memory[W]) -> V:
        """Nobody votes yet."""

    def admit(self, voters: V, memory: Memory[W], visits: int) -> None:
        """The weights have become current with visit number `visits`: they vote from now on."""

    def validation_votes(self, voters: V, rows: EvaluationRows[W]) -> Floats:
        """The mean vote on other rows; asked again, only new voters are counted."""

    def training_votes(
        self, voters: V, check_interrupt: Callable[[], None], *, quickly: bool
    ) -> Floats | Iterable[Floats] | None:
        """The mean vote on the training rows; None where it would take long."""
