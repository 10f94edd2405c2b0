"""`fit` for rows on disk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples, Matrix, Weights
from rosenblatt._compute.fingerprint import of_rows, of_weights, ranges
from rosenblatt._estimators import one_vs_rest
from rosenblatt._inputs import weights
from rosenblatt._learning.adaptive import machine_with
from rosenblatt._learning.orders import ORDERS, Order
from rosenblatt._learning.settings import Settings, machine_of
from rosenblatt._proof.oracle import RowsOracle
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters
from rosenblatt._streams.elsewhere import Elsewhere, fit_rows
from rosenblatt._streams.examples import StreamedExamples
from rosenblatt._streams.machine import Streamed
from rosenblatt._streams.orders import STREAMED_ORDERS

if TYPE_CHECKING:
    from rosenblatt._estimators.online import OnlineClassifier
    from rosenblatt._streams.stored import Stored
    from rosenblatt._support.budget import Budget
    from rosenblatt.certificate import Certificate
    from rosenblatt.perceptron import Perceptron

P = TypeVar("P", bound="Perceptron | OnlineClassifier")

MOST_ASKED = 1 << 30
"""Bytes of rows about which `prove=True` still asks whether a hyperplane separates them."""


def fit_stored(p: P, stored: Stored) -> P:
    """Train on rows on disk; with the same order the result is that of `fit` to the bit."""

    def rows(settings: Settings, by_class: tuple[float, ...]) -> OnDisk:
        _warn_of_jumps(settings, stored)
        return OnDisk(stored, by_class)

    return fit_rows(p, stored, rows)


@dataclass(frozen=True)
class OnDisk(Elsewhere):
    """Rows on disk."""

    stored: Stored
    by_class: tuple[float, ...]

    @property
    def known(self) -> Stored:
        return self.stored

    def machine(self, settings: Settings, c: int | None) -> tuple[Any, Order]:
        if settings.order in STREAMED_ORDERS:
            streamed = StreamedExamples(self.stored, self.by_class, against_rest=c)
            order = STREAMED_ORDERS[settings.order](streamed)
            return machine_of(settings, partial(Streamed, settings.rule), streamed), order
        X, y = self.stored.whole()
        examples = Examples(X, y, weights.weigh(None, y, self.by_class), self.stored.k)
        examples = examples if c is None else one_vs_rest.against_rest(examples, c)
        machine = machine_of(settings, machine_with(settings.rule), examples)
        return machine, ORDERS[settings.order](examples)

    def oracle(self, settings: Settings) -> StoredRowsOracle | None:
        if not settings.prove or self.stored.nbytes > MOST_ASKED:
            return None
        return StoredRowsOracle(self.stored, settings.units.fit_intercept)

    def fingerprint(self, c: int) -> str:
        return of_rows((self.n, self.d), partial(self.signs, c))

    def weights_fingerprint(self) -> str:
        return of_weights(_weights(self.stored, self.by_class))

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        examples = StreamedExamples(self.stored, self.by_class)
        if isinstance(rule, SeparateVoters):
            return examples.mistakes(rule.scores(block.rows) for block in examples.blocks())
        return int(examples.count([rule.weights])[0][0])

    def signs(self, c: int, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        """Some rows: those of class c are +1, the others -1."""
        X, y = self.stored.rows(begin, end)
        return X, np.where(y == c, 1, -1).astype(np.int8)


def _warn_of_jumps(settings: Settings, stored: Stored) -> None:
    if settings.order in STREAMED_ORDERS:
        return
    warnings.warn(
        f"order={settings.order!r} jumps between all rows and holds a permutation of them: "
        f"{12 * stored.n / 2**20:,.0f} MiB for {stored.n:,} rows, and the rows themselves should "
        "fit into memory, too. order='blocks' reads 65,536 rows at a time.",
        UserWarning,
        stacklevel=7,
    )


def _weights(stored: Stored, by_class: tuple[float, ...]) -> Iterator[Weights]:
    for begin, end in ranges(stored.n):
        c = weights.weigh(None, stored.rows(begin, end)[1], by_class)
        assert c is not None
        yield c


@dataclass(frozen=True)
class StoredRowsOracle:
    """A RowsOracle about rows that are mapped into memory when it is asked."""

    stored: Stored
    fit_intercept: bool

    def _asked(self) -> RowsOracle:
        X, signs = self.stored.whole()
        names, classes = self.stored.feature_names, self.stored.classes
        y = self.stored.named(signs)
        return RowsOracle(X, signs, None, names, y, classes, self.fit_intercept)

    def is_separable(self, budget: Budget) -> Certificate:
        return self._asked().is_separable(budget)
