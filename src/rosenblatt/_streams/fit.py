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
from rosenblatt._estimators import fitting, linear_start, one_vs_rest
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
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters
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

    def prepare(settings: Settings, watch: Watch) -> fitting.Task | fitting.Several:
        p._refuse_many(settings, stored.classes)
        validate.learn_features(p, stored.d, stored.feature_names)
        by_class = weights.class_weights_of_many(p.class_weight, stored.classes, stored.counts)
        _warn_of_jumps(settings, stored)
        rows = OnDisk(stored, by_class)
        if settings.one_vs_rest and stored.k is not None:
            return one_vs_rest.Trainings(rows, watch, more=_more(stored))
        return _task(p, settings, watch, rows)

    fitting.fit(p, prepare)
    return p


@dataclass(frozen=True)
class OnDisk:
    """Rows on disk, and the weights of their classes; for `multi_class="ovr"` a `Source`."""

    stored: Stored
    by_class: tuple[float, ...]

    @property
    def classes(self) -> NDArray[Any]:
        return self.stored.classes

    @property
    def d(self) -> int:
        return self.stored.d

    @property
    def n(self) -> int:
        return self.stored.n

    n_rows = n  # all of them exist

    def task(
        self, rule: Perceptron, settings: Settings, watch: Watch, c: int, start: Weights | None
    ) -> fitting.Task:
        return _task(rule, settings, watch, self, c, start)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        examples = StreamedExamples(self.stored, self.by_class)
        if isinstance(rule, SeparateVoters):
            return examples.mistakes(rule.scores(block.rows) for block in examples.blocks())
        return int(examples.count([rule.weights])[0][0])

    def counts(self, rules: list[Perceptron]) -> None:
        """Updates are not counted by row."""

    def signs(self, c: int, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        """Some rows: those of class c are +1, the others -1."""
        X, y = self.stored.rows(begin, end)
        return X, np.where(y == c, 1, -1).astype(np.int8)


def _more(stored: Stored) -> dict[str, Any]:
    """Updates are not counted by row, not even where an order needed it."""
    more: dict[str, Any] = {"update_counts_": None}
    return more if stored.encoding is None else more | {"encoding_": stored.encoding}


def _task(
    p: Perceptron | OnlineClassifier,
    settings: Settings,
    watch: Watch,
    rows: OnDisk,
    c: int | None = None,
    begin: Weights | None = None,
) -> fitting.Task:
    """All classes together, or class c against the rest; from these lifted weights, if given."""
    stored = rows.stored
    machine, order = _machine(settings, rows, c)
    keep, classes = KEEPS[settings.units.keep](), stored.classes if c is None else one_vs_rest.PAIR
    job = Job(machine, order, keep, machine.evaluation_rows, validating=False, watch=watch)

    def start() -> PrimalState:
        if begin is not None:
            return linear_start.new_state(p, settings, job, begin)
        if settings.warm_start and hasattr(p, "_state"):
            return linear_start.from_returned(p, settings, job, stored.d, classes)
        zeros = np.zeros(machine.examples.shape_of_weights)
        return linear_start.new_state(p, settings, job, zeros)

    def resume(recipe: Recipe) -> PrimalState | None:
        if begin is not None:
            return None
        counted = not isinstance(machine, Streamed)
        return fitting.resumed(p, settings, recipe, stored.n, counted=counted)

    oracle = _oracle(settings, stored)
    patience = Patience(settings.patience, oracle, tol=settings.tol_in_units)
    more = _more(stored) if c is None else {"update_counts_": None}
    recipe = partial(_recipe, settings, rows, c)
    return fitting.Task(job, classes, patience, start, recipe, resume, more)


def _machine(
    settings: Settings, rows: OnDisk, c: int | None
) -> tuple[Primal | Adaptive | Streamed, Order]:
    if settings.order in STREAMED_ORDERS:
        streamed = StreamedExamples(rows.stored, rows.by_class, against_rest=c)
        order = STREAMED_ORDERS[settings.order](streamed)
        return machine_of(settings, partial(Streamed, settings.rule), streamed), order
    X, y = rows.stored.whole()
    examples = Examples(X, y, weights.weigh(None, y, rows.by_class), rows.stored.k)
    examples = examples if c is None else one_vs_rest.against_rest(examples, c)
    machine = machine_of(settings, machine_with(settings.rule), examples)
    return machine, ORDERS[settings.order](examples)


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


def _recipe(settings: Settings, rows: OnDisk, c: int | None) -> Recipe:
    stored, by_class = rows.stored, rows.by_class
    shape, classes, data = (stored.n, stored.d), stored.classes, stored.fingerprint
    if c is not None:  # as in memory: that of the signs
        classes, data = one_vs_rest.PAIR, of_rows(shape, partial(rows.signs, c))
    weighted = None if weights.all_one(by_class) else of_weights(_weights(stored, by_class))
    return Recipe(
        settings.units,
        settings.order,
        settings.rule[:2],
        classes.tolist(),
        shape,
        data,
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
