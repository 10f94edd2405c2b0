"""Training on rows that are not in memory: on disk, or on other machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Weights
from rosenblatt._estimators import fitting, linear_start, one_vs_rest
from rosenblatt._inputs import validate, weights
from rosenblatt._learning.adaptive import Adaptive
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.orders import Order
from rosenblatt._learning.patience import Patience, SeparabilityOracle
from rosenblatt._learning.primal import Primal, PrimalState
from rosenblatt._learning.settings import Recipe, Settings
from rosenblatt._learning.state import Job
from rosenblatt._learning.watch import Watch
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters

if TYPE_CHECKING:
    from rosenblatt._estimators.online import OnlineClassifier
    from rosenblatt.data.encode import Encoding
    from rosenblatt.perceptron import Perceptron

P = TypeVar("P", bound="Perceptron | OnlineClassifier")


def fit_rows(p: P, known: Known, rows_of: Callable[[Settings, tuple[float, ...]], Elsewhere]) -> P:
    """Train on rows that are not in memory; `rows_of` makes them, with the weights of classes."""

    def prepare(settings: Settings, watch: Watch) -> fitting.Task | fitting.Several:
        p._refuse_many(settings, known.classes)
        validate.learn_features(p, known.d, known.feature_names)
        by_class = weights.class_weights_of_many(p.class_weight, known.classes, known.counts)
        rows = rows_of(settings, by_class)
        if settings.one_vs_rest and known.k is not None:
            return one_vs_rest.Trainings(rows, watch, more=_more(known))
        return _task(p, settings, watch, rows)

    fitting.fit(p, prepare)
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
    ) -> fitting.Task:
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
) -> fitting.Task:
    """All classes together, or class c against the rest; from these lifted weights, if given."""
    known = rows.known
    machine, order = rows.machine(settings, c)
    keep, classes = KEEPS[settings.units.keep](), known.classes if c is None else one_vs_rest.PAIR
    job = Job(machine, order, keep, machine.evaluation_rows, validating=False, watch=watch)

    def start() -> PrimalState:
        if begin is not None:
            return linear_start.new_state(p, settings, job, begin)
        if settings.warm_start and hasattr(p, "_state"):
            return linear_start.from_returned(p, settings, job, known.d, classes)
        zeros = np.zeros(machine.examples.shape_of_weights)
        return linear_start.new_state(p, settings, job, zeros)

    def resume(recipe: Recipe) -> PrimalState | None:
        if begin is not None:
            return None
        counted = isinstance(machine, Primal | Adaptive)
        return fitting.resumed(p, settings, recipe, known.n, counted=counted)

    patience = Patience(settings.patience, rows.oracle(settings), tol=settings.tol_in_units)
    more = _more(known) if c is None else {"update_counts_": None}
    recipe = partial(_recipe, settings, rows, c)
    return fitting.Task(job, classes, patience, start, recipe, resume, more)


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
        None if weights.all_one(rows.by_class) else rows.weights_fingerprint(),
        None,
    )
