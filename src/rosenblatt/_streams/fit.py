"""`fit` for rows on disk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._compute.fingerprint import of_weights, ranges
from rosenblatt._estimators import fitting, linear_start
from rosenblatt._inputs import validate, weights
from rosenblatt._learning.adaptive import Adaptive, machine_with
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.orders import ORDERS, Order
from rosenblatt._learning.patience import Patience
from rosenblatt._learning.primal import Primal, PrimalState
from rosenblatt._learning.settings import Recipe, Settings, machine_of
from rosenblatt._learning.state import Job
from rosenblatt._learning.watch import Watch
from rosenblatt._proof.oracle import RowsOracle
from rosenblatt._streams.examples import StreamedExamples
from rosenblatt._streams.machine import Streamed
from rosenblatt._streams.orders import STREAMED_ORDERS
from rosenblatt.errors import InputError

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

    def prepare(settings: Settings, watch: Watch) -> fitting.Task:
        classes = stored.classes
        _refuse_separate(settings, stored)
        validate.learn_features(p, stored.d, stored.feature_names)
        by_class = weights.class_weights_of_many(p.class_weight, classes, stored.counts)
        machine, order = _machine(settings, stored, by_class)
        keep = KEEPS[settings.units.keep]()
        job = Job(machine, order, keep, machine.evaluation_rows, validating=False, watch=watch)

        def start() -> PrimalState:
            if settings.warm_start and hasattr(p, "_state"):
                return linear_start.from_returned(p, settings, job, stored.d, classes)
            return linear_start.new_state(p, settings, job, np.zeros(_shape(stored)))

        def resume(recipe: Recipe) -> PrimalState | None:
            counted = not isinstance(machine, Streamed)
            return fitting.resumed(p, settings, recipe, stored.n, counted=counted)

        # Updates are not counted by row, not even where an order needed it.
        more: dict[str, Any] = {"update_counts_": None}
        if stored.encoding is not None:
            more["encoding_"] = stored.encoding
        oracle, tol = _oracle(settings, stored), settings.tol_in_units
        patience = Patience(settings.patience, oracle, tol=tol)
        recipe = partial(_recipe, settings, stored, by_class)
        return fitting.Task(job, classes, patience, start, recipe, resume, more)

    fitting.fit(p, prepare)
    return p


def _shape(stored: Stored) -> tuple[int, ...]:
    return (stored.d + 1,) if stored.k is None else (stored.k, stored.d + 1)


def _refuse_separate(settings: Settings, stored: Stored) -> None:
    if settings.one_vs_rest and stored.k is not None:
        raise InputError(
            f"multi_class='ovr' trains a rule for each of the {stored.k} classes, and rows on disk "
            "are read for one training: use multi_class='joint'."
        )


def _machine(
    settings: Settings, stored: Stored, by_class: tuple[float, ...]
) -> tuple[Primal | Adaptive | Streamed, Order]:
    if settings.order in STREAMED_ORDERS:
        streamed = StreamedExamples(stored, by_class)
        order = STREAMED_ORDERS[settings.order](streamed)
        return machine_of(settings, partial(Streamed, settings.rule), streamed), order
    warnings.warn(
        f"order={settings.order!r} jumps between all rows and holds a permutation of them: "
        f"{12 * stored.n / 2**20:,.0f} MiB for {stored.n:,} rows, and the rows themselves should "
        "fit into memory, too. order='blocks' reads 65,536 rows at a time.",
        UserWarning,
        stacklevel=7,
    )
    X, y = stored.whole()
    examples = Examples(X, y, weights.weigh(None, y, by_class), stored.k)
    machine = machine_of(settings, machine_with(settings.rule), examples)
    return machine, ORDERS[settings.order](examples)


def _recipe(settings: Settings, stored: Stored, by_class: tuple[float, ...]) -> Recipe:
    weighted = None if weights.all_one(by_class) else of_weights(_weights(stored, by_class))
    return Recipe(
        settings.units,
        settings.order,
        settings.rule[:2],
        stored.classes.tolist(),
        (stored.n, stored.d),
        stored.fingerprint,
        weighted,
        None,
    )


def _weights(stored: Stored, by_class: tuple[float, ...]) -> Iterator[Weights]:
    for begin, end in ranges(stored.n):
        c = weights.weigh(None, stored.rows(begin, end)[1], by_class)
        assert c is not None
        yield c


def _oracle(settings: Settings, stored: Stored) -> StoredRowsOracle | None:
    if not settings.prove or stored.nbytes > MOST_ASKED:
        return None
    return StoredRowsOracle(stored, settings.units.fit_intercept)


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
