"""`fit` for rows on disk."""

from __future__ import annotations

import hashlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.fingerprint import of_rows, of_weights, ranges
from rosenblatt._core.rows import Examples, Matrix, Weights
from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.learner import Distributed, Streamed
from rosenblatt._out_of_core.orders import REMOTE_ORDERS, STREAMED_ORDERS, check
from rosenblatt._out_of_core.partitions import Divided, fingerprint_of
from rosenblatt._out_of_core.rows import RemoteExamples, StreamedExamples
from rosenblatt._training import fit, one_vs_rest
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import Adaptive, Primal, PrimalState, machine_with
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS, Order
from rosenblatt._training.settings import Recipe, Settings, machine_of
from rosenblatt._training.state import Job
from rosenblatt._training.stopping import Patience, SeparabilityOracle
from rosenblatt._validation import targets
from rosenblatt._validation.rows import learn_features
from rosenblatt.certificate import RowsOracle

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored
    from rosenblatt._util.budget import Budget
    from rosenblatt.certificate import Certificate
    from rosenblatt.data.encoding import Encoding
    from rosenblatt.online import OnlineClassifier
    from rosenblatt.perceptron import Perceptron


# Training on rows that are not in memory: on disk, or on other machines.


P = TypeVar("P", bound="Perceptron | OnlineClassifier")


def fit_rows(p: P, known: Known, rows_of: Callable[[Settings, tuple[float, ...]], Elsewhere]) -> P:
    """Train on rows that are not in memory; `rows_of` makes them, with the weights of classes."""

    def prepare(settings: Settings, watch: Watch) -> fit.Task | fit.Several:
        p._refuse_many(settings, known.classes)
        learn_features(p, known.d, known.feature_names)
        by_class = targets.class_weights_of_many(p.class_weight, known.classes, known.counts)
        rows = rows_of(settings, by_class)
        if settings.one_vs_rest and known.k is not None:
            return one_vs_rest.Trainings(rows, watch, more=_more(known))
        return _task(p, settings, watch, rows)

    fit.fit(p, prepare)
    return p


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


class Elsewhere(ABC):
    """Rows that are not in memory; for `multi_class="ovr"` a `Source`."""

    by_class: tuple[float, ...]  # the weights of the classes

    @property
    @abstractmethod
    def known(self) -> Known: ...

    @abstractmethod
    def machine(self, settings: Settings, c: int | None) -> tuple[Any, Order]:
        """What learns from them, all classes together or class c against the rest."""

    @abstractmethod
    def errors(self, rule: LinearRule | SeparateVoters) -> int: ...

    @abstractmethod
    def fingerprint(self, c: int) -> str:
        """Of the rows, those of class c being +1 and the others -1."""

    @abstractmethod
    def weights_fingerprint(self) -> str: ...

    @abstractmethod
    def oracle(self, settings: Settings) -> SeparabilityOracle | None:
        """Who tells whether a hyperplane separates them."""

    @property
    def classes(self) -> NDArray[Any]:
        return self.known.classes

    @property
    def d(self) -> int:
        return self.known.d

    @property
    def n(self) -> int:
        return self.known.n

    n_rows = n  # all of them exist

    def task(
        self, rule: Perceptron, settings: Settings, watch: Watch, c: int, start: Weights | None
    ) -> fit.Task:
        return _task(rule, settings, watch, self, c, start)

    def counts(self, rules: list[Perceptron]) -> None:  # noqa: B027 - there are none
        """Updates are not counted by row."""


def _more(known: Known) -> dict[str, Any]:
    """Updates are not counted by row, not even where an order needed it."""
    more: dict[str, Any] = {"update_counts_": None}
    return more if known.encoding is None else more | {"encoding_": known.encoding}


def _task(
    p: Perceptron | OnlineClassifier,
    settings: Settings,
    watch: Watch,
    rows: Elsewhere,
    c: int | None = None,
    begin: Weights | None = None,
) -> fit.Task:
    """All classes together, or class c against the rest; from these lifted weights, if given."""
    known = rows.known
    machine, order = rows.machine(settings, c)
    keep, classes = KEEPS[settings.units.keep](), known.classes if c is None else one_vs_rest.PAIR
    job = Job(machine, order, keep, machine.evaluation_rows, validating=False, watch=watch)

    def start() -> PrimalState:
        if begin is not None:
            return fit.new_state(p, settings, job, begin)
        if settings.warm_start and hasattr(p, "_state"):
            return fit.from_returned(p, settings, job, known.d, classes)
        zeros = np.zeros(machine.examples.shape_of_weights)
        return fit.new_state(p, settings, job, zeros)

    def resume(recipe: Recipe) -> PrimalState | None:
        if begin is not None:
            return None
        counted = isinstance(machine, Primal | Adaptive)
        return fit.resumed(p, settings, recipe, known.n, counted=counted)

    patience = Patience(settings.patience, rows.oracle(settings), tol=settings.tol_in_units)
    more = _more(known) if c is None else {"update_counts_": None}
    recipe = partial(_recipe, settings, rows, c)
    return fit.Task(job, classes, patience, start, recipe, resume, more)


def _recipe(settings: Settings, rows: Elsewhere, c: int | None) -> Recipe:
    """The same wherever the rows are: training that was begun in one place goes on in another."""
    known = rows.known
    classes, data = known.classes, known.fingerprint
    if c is not None:  # as in memory: that of the signs
        classes, data = one_vs_rest.PAIR, rows.fingerprint(c)
    return Recipe(
        settings.units,
        settings.order,
        settings.rule[:2],
        classes.tolist(),
        (known.n, known.d),
        data,
        None if targets.all_one(rows.by_class) else rows.weights_fingerprint(),
        None,
    )


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
        examples = Examples(X, y, targets.weigh(None, y, self.by_class), self.stored.k)
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

    def on_engine(settings: Settings, by_class: tuple[float, ...]) -> OnEngine:
        check(settings)
        return OnEngine(rows, by_class)

    return fit_rows(p, rows, on_engine)


@final
@dataclass(frozen=True)
class OnEngine(Elsewhere):
    """Rows on many machines."""

    divided: Divided
    by_class: tuple[float, ...]

    @property
    def known(self) -> Divided:
        return self.divided

    def machine(self, settings: Settings, c: int | None) -> tuple[Any, Order]:
        examples = RemoteExamples(self.divided, self.by_class, one=c)
        machine = machine_of(settings, partial(Distributed, settings.rule), examples)
        return machine, REMOTE_ORDERS[settings.order](examples)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        assert isinstance(rule, LinearRule)  # there are no votes here
        return int(RemoteExamples(self.divided, self.by_class).count([rule.weights])[0][0])

    def fingerprint(self, c: int) -> str:
        return fingerprint_of(self.divided, work.How(self.divided.k, self.by_class, c))

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
