"""`fit` for rows that are not in memory: on disk, or on the machines of an engine.

With the same order the result is that of `fit` in memory, to the bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast, final

from numpy.typing import NDArray

from rosenblatt._core.rows import Weights
from rosenblatt._out_of_core.learner import ORDERS, PartitionedExamples, PartitionedLearner
from rosenblatt._out_of_core.partitions import Labelling, PartitionedRows, on_disk
from rosenblatt._out_of_core.store import Stored
from rosenblatt._training import orders
from rosenblatt._training.estimator import TrainedLinearClassifier, Training
from rosenblatt._training.fit import fit
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import Primal, PrimalJob
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.settings import Recipe, Settings, learner_of, refuse, refuse_tie
from rosenblatt._training.state import Job, Learner
from rosenblatt._training.stopping import Patience, SeparabilityOracle
from rosenblatt._training.training import PAIR, Given, WeightsSet
from rosenblatt._util.budget import Budget
from rosenblatt._validation import targets
from rosenblatt._validation.rows import learn_features
from rosenblatt.certificate import Certificate, RowsOracle

P = TypeVar("P", bound="TrainedLinearClassifier")

MOST_ASKED = 1 << 30
"""Bytes of rows on disk about which `prove=True` still asks whether a hyperplane separates them."""


def fit_stored(p: P, stored: Stored) -> P:
    return fit_partitioned(p, on_disk(stored))


def fit_partitioned(p: P, rows: PartitionedRows) -> P:
    fit(p, OutOfCore(rows))
    return p


@final
@dataclass(frozen=True)
class OutOfCore(WeightsSet, Given):
    """Rows that are not in memory, and the weights of their classes."""

    rows: PartitionedRows
    by_class: tuple[float, ...] = ()
    one: int | None = None  # of many classes the one that is +1, where the others are -1
    start: Weights | None = None
    tie: float = 0.0  # what a score of 0 is taken for

    def checked(self, estimator: Training, settings: Settings) -> Self:
        rows = self.rows
        if rows.stored is None:
            refuse("engine", settings)
        elif settings.order not in ORDERS:
            _warn_of_jumps(settings.order, rows.n)
        learn_features(estimator, rows.d, rows.feature_names)
        weights = estimator.class_weight
        by_class = targets.class_weights_of_many(weights, rows.classes, rows.counts)
        refuse_tie(settings, rows.k)
        return replace(self, by_class=by_class, tie=settings.units.score_of_tie)

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override] # read-only
        return self.rows.classes if self.one is None else PAIR

    @property
    def d(self) -> int:
        return self.rows.d

    @property
    def n(self) -> int:
        return self.rows.n

    n_rows = n  # all of them exist

    @property
    def workers(self) -> Callable[[], str] | None:  # type: ignore[override] # read-only
        return self.rows.client.speeds if self.rows.stored is None else None

    @property
    def attributes(self) -> dict[str, Any]:
        """Updates are not counted by row, not even where an order needed it."""
        none: dict[str, Any] = {"_counts": None}
        preprocessing = self.rows.preprocessing
        return (
            none
            if preprocessing is None or self.one is not None
            else none | {"preprocessing_": preprocessing}
        )

    def update_counts(self, of_classes: list[Any]) -> None:
        """None, as above."""

    @property
    def _labelling(self) -> Labelling:
        return Labelling(self.rows.k, self.by_class, self.one, self.tie)

    def job(self, settings: Settings, watch: Watch) -> PrimalJob:
        keep = KEEPS[settings.units.keep]()
        if settings.order in ORDERS:
            examples = PartitionedExamples(self.rows, self._labelling)
            learner = learner_of(settings, PartitionedLearner, examples)
            order = ORDERS[settings.order](learner)
            # Orders of its own make its visits: what only those in memory call it does not have.
            as_learner = cast("Learner[Weights, Voters]", learner)
            return Job(as_learner, order, keep, examples, validating=False, watch=watch)
        assert self.rows.stored is not None
        mapped = self._labelling.examples(*self.rows.stored.whole())
        in_memory = learner_of(settings, Primal, mapped)
        order = orders.ORDERS[settings.order](mapped)
        return Job(in_memory, order, keep, in_memory.evaluation_rows, validating=False, watch=watch)

    def patience(self, settings: Settings) -> Patience:
        return Patience(settings.patience, self._oracle(settings), tol=settings.tol_in_units)

    def _oracle(self, settings: Settings) -> SeparabilityOracle | None:
        intercept, stored = settings.units.fit_intercept, self.rows.stored
        if not settings.prove:
            return None
        if stored is None:
            return PartitionedOracle(self.rows, intercept)
        return None if stored.nbytes > MOST_ASKED else StoredOracle(stored, intercept)

    def recipe(self, settings: Settings) -> Recipe:
        """Does not depend on where the rows are: training begun in one place resumes in another."""
        rows, labelling = self.rows, self._labelling
        return Recipe(
            settings.units,
            settings.order,
            settings.rule.identity,
            self.classes.tolist(),
            (rows.n, rows.d),
            rows.fingerprint if self.one is None else rows.fingerprint_of(labelling),
            None if targets.all_one(self.by_class) else rows.fingerprint_of_weights(labelling),
            None,
        )

    def against_rest(self, c: int, start: Weights | None) -> Self:
        return replace(self, one=c, start=start)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        examples = PartitionedExamples(self.rows, self._labelling)
        if isinstance(rule, SeparateVoters):
            return examples.vote_mistakes(rule)
        return int(examples.count([rule.weights])[0][0])


def _warn_of_jumps(order: str, n: int) -> None:
    warnings.warn(
        f"order={order!r} jumps between all rows and holds a permutation of them: "
        f"{12 * n / 2**20:,.0f} MiB for {n:,} rows, and the rows themselves should "
        "fit into memory, too. order='blocks' reads 65,536 rows at a time.",
        UserWarning,
        stacklevel=8,
    )


@final
@dataclass(frozen=True)
class StoredOracle:
    """A RowsOracle about rows that are mapped into memory when it is asked."""

    stored: Stored
    fit_intercept: bool

    def is_separable(self, budget: Budget) -> Certificate:
        X, signs = self.stored.whole()
        names, classes = self.stored.feature_names, self.stored.classes
        y = self.stored.named(signs)
        oracle = RowsOracle(X, signs, None, names, y, classes, self.fit_intercept)
        return oracle.is_separable(budget)


@final
@dataclass(frozen=True)
class PartitionedOracle:
    """Asks all rows where they are."""

    rows: PartitionedRows
    fit_intercept: bool

    def is_separable(self, budget: Budget) -> Certificate:
        from rosenblatt._out_of_core.certify import certified

        return certified(self.rows, fit_intercept=self.fit_intercept, budget=budget, margins=False)
