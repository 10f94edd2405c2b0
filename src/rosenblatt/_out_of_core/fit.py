"""`fit` for rows on disk."""

from __future__ import annotations

import hashlib
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.fingerprint import of_rows, of_weights, ranges
from rosenblatt._core.rows import Examples, Matrix, Weights
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.learner import Distributed, Streamed
from rosenblatt._out_of_core.orders import REMOTE_ORDERS, STREAMED_ORDERS
from rosenblatt._out_of_core.partitions import Divided, fingerprint_of
from rosenblatt._out_of_core.rows import RemoteExamples, StreamedExamples
from rosenblatt._training.fit import fit
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import PrimalJob, machine_with
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS, Order
from rosenblatt._training.settings import Recipe, Settings, machine_of, refuse
from rosenblatt._training.state import Job
from rosenblatt._training.stopping import Patience, SeparabilityOracle
from rosenblatt._training.training import PAIR, Given, WeightsSet, against_rest
from rosenblatt._validation import targets
from rosenblatt._validation.rows import learn_features
from rosenblatt.certificate import RowsOracle

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored
    from rosenblatt._training.estimator import Training
    from rosenblatt._util.budget import Budget
    from rosenblatt.certificate import Certificate
    from rosenblatt.data.encoding import Encoding
    from rosenblatt.online import OnlineClassifier
    from rosenblatt.perceptron import Perceptron


# Training on rows that are not in memory: on disk, or on other machines.


P = TypeVar("P", bound="Perceptron | OnlineClassifier")


class Known(Protocol):
    """What is known of labelled rows without reading them."""

    @property
    def n(self) -> int: ...

    @property
    def d(self) -> int: ...

    @property
    def k(self) -> int | None: ...

    @property
    def classes(self) -> NDArray[Any]: ...

    @property
    def counts(self) -> tuple[int, ...]: ...

    @property
    def feature_names(self) -> list[str] | None: ...

    @property
    def encoding(self) -> Encoding | None: ...

    @property
    def fingerprint(self) -> str: ...


@dataclass(frozen=True)
class Elsewhere(WeightsSet, Given):
    """Rows that are not in memory."""

    by_class: tuple[float, ...] = ()  # the weights of the classes
    one: int | None = None  # of many classes the one that is +1, where the others are -1
    start: Weights | None = None

    stored = True

    @property
    @abstractmethod
    def known(self) -> Known: ...

    @abstractmethod
    def machine(self, settings: Settings) -> tuple[Any, Order]:
        """What learns from them."""

    @abstractmethod
    def fingerprint(self) -> str:
        """Of the rows and their labels, or signs."""

    @abstractmethod
    def weights_fingerprint(self) -> str: ...

    @abstractmethod
    def oracle(self, settings: Settings) -> SeparabilityOracle | None:
        """Who tells whether a hyperplane separates them."""

    def checked(self, estimator: Training, settings: Settings) -> Self:
        known = self.known
        learn_features(estimator, known.d, known.feature_names)
        weights = estimator.class_weight
        by_class = targets.class_weights_of_many(weights, known.classes, known.counts)
        return replace(self, by_class=by_class)

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override] # read-only
        return self.known.classes if self.one is None else PAIR

    @property
    def d(self) -> int:
        return self.known.d

    @property
    def n(self) -> int:
        return self.known.n

    n_rows = n  # all of them exist

    @property
    def attributes(self) -> dict[str, Any]:
        """Updates are not counted by row, not even where an order needed it."""
        none: dict[str, Any] = {"update_counts_": None}
        encoding = self.known.encoding
        return none if encoding is None or self.one is not None else none | {"encoding_": encoding}

    def job(self, settings: Settings, watch: Watch) -> PrimalJob:
        machine, order = self.machine(settings)
        keep = KEEPS[settings.units.keep]()
        return Job(machine, order, keep, machine.evaluation_rows, validating=False, watch=watch)

    def patience(self, settings: Settings) -> Patience:
        return Patience(settings.patience, self.oracle(settings), tol=settings.tol_in_units)

    def recipe(self, settings: Settings) -> Recipe:
        """The same wherever the rows are: training begun in one place goes on in another."""
        return Recipe(
            settings.units,
            settings.order,
            settings.rule[:2],
            self.classes.tolist(),
            (self.n, self.d),
            self.fingerprint(),
            None if targets.all_one(self.by_class) else self.weights_fingerprint(),
            None,
        )

    def against_rest(self, c: int, start: Weights | None) -> Self:
        return replace(self, one=c, start=start)

    def update_counts(self, of_classes: list[Any]) -> None:
        """Updates are not counted by row."""


MOST_ASKED = 1 << 30
"""Bytes of rows about which `prove=True` still asks whether a hyperplane separates them."""


def fit_stored(p: P, stored: Stored) -> P:
    """Train on rows on disk; with the same order the result is that of `fit` to the bit."""
    fit(p, OnDisk(stored_rows=stored))
    return p


@dataclass(frozen=True, kw_only=True)
class OnDisk(Elsewhere):
    """Rows on disk."""

    stored_rows: Stored

    @property
    def known(self) -> Stored:
        return self.stored_rows

    def checked(self, estimator: Training, settings: Settings) -> Self:
        _warn_of_jumps(settings, self.stored_rows)
        return super().checked(estimator, settings)

    def machine(self, settings: Settings) -> tuple[Any, Order]:
        stored, by_class = self.stored_rows, self.by_class
        if settings.order in STREAMED_ORDERS:
            streamed = StreamedExamples(stored, by_class, against_rest=self.one)
            order = STREAMED_ORDERS[settings.order](streamed)
            return machine_of(settings, partial(Streamed, settings.rule), streamed), order
        X, y = stored.whole()
        examples = Examples(X, y, targets.weigh(None, y, by_class), stored.k)
        examples = examples if self.one is None else against_rest(examples, self.one)
        machine = machine_of(settings, machine_with(settings.rule), examples)
        return machine, ORDERS[settings.order](examples)

    def oracle(self, settings: Settings) -> StoredRowsOracle | None:
        if not settings.prove or self.stored_rows.nbytes > MOST_ASKED:
            return None
        return StoredRowsOracle(self.stored_rows, settings.units.fit_intercept)

    def fingerprint(self) -> str:
        if self.one is None:
            return self.stored_rows.fingerprint
        return of_rows((self.n, self.d), self._signs)  # as in memory: that of the signs

    def weights_fingerprint(self) -> str:
        return of_weights(_weights(self.stored_rows, self.by_class))

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        examples = StreamedExamples(self.stored_rows, self.by_class)
        if isinstance(rule, SeparateVoters):
            return examples.mistakes(rule.scores(block.rows) for block in examples.blocks())
        return int(examples.count([rule.weights])[0][0])

    def _signs(self, begin: int, end: int) -> tuple[Matrix, NDArray[Any]]:
        X, y = self.stored_rows.rows(begin, end)
        return X, np.where(y == self.one, 1, -1).astype(np.int8)


def _warn_of_jumps(settings: Settings, stored: Stored) -> None:
    if settings.order in STREAMED_ORDERS:
        return
    warnings.warn(
        f"order={settings.order!r} jumps between all rows and holds a permutation of them: "
        f"{12 * stored.n / 2**20:,.0f} MiB for {stored.n:,} rows, and the rows themselves should "
        "fit into memory, too. order='blocks' reads 65,536 rows at a time.",
        UserWarning,
        stacklevel=8,
    )


def _weights(stored: Stored, by_class: tuple[float, ...]) -> Iterator[Weights]:
    for begin, end in ranges(stored.n):
        c = targets.weigh(None, stored.rows(begin, end)[1], by_class)
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


# `fit` for rows on the machines of an engine.


def fit_divided(p: P, rows: Divided) -> P:
    """Train on rows on many machines; with the same order the result is that of `fit`, to the
    bit."""
    fit(p, OnEngine(divided=rows))
    return p


@final
@dataclass(frozen=True, kw_only=True)
class OnEngine(Elsewhere):
    """Rows on many machines."""

    divided: Divided

    @property
    def known(self) -> Divided:
        return self.divided

    @property
    def workers(self) -> Callable[[], str]:  # type: ignore[override] # read-only
        return self.divided.team.told

    def checked(self, estimator: Training, settings: Settings) -> Self:
        refuse("engine", settings)
        return super().checked(estimator, settings)

    def machine(self, settings: Settings) -> tuple[Any, Order]:
        examples = RemoteExamples(self.divided, self.by_class, one=self.one)
        machine = machine_of(settings, partial(Distributed, settings.rule), examples)
        return machine, REMOTE_ORDERS[settings.order](examples)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        assert isinstance(rule, LinearRule)  # there are no votes here
        return int(RemoteExamples(self.divided, self.by_class).count([rule.weights])[0][0])

    def fingerprint(self) -> str:
        if self.one is None:
            return self.divided.fingerprint
        return fingerprint_of(self.divided, work.How(self.divided.k, self.by_class, self.one))

    def weights_fingerprint(self) -> str:
        how = work.How(self.divided.k, self.by_class)
        digest = hashlib.sha256()
        for some in self.divided.hashed(work.weight_fingerprints, how):
            digest.update(some)
        return digest.hexdigest()

    def oracle(self, settings: Settings) -> RemoteOracle | None:
        if not settings.prove:
            return None
        return RemoteOracle(self.divided, settings.units.fit_intercept)


@final
@dataclass(frozen=True)
class RemoteOracle:
    """Does a hyperplane separate these rows?"""

    rows: Divided
    fit_intercept: bool

    def is_separable(self, budget: Budget) -> Certificate:
        from rosenblatt._out_of_core.certify import certified

        return certified(self.rows, fit_intercept=self.fit_intercept, budget=budget, margins=False)
