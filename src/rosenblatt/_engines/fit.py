"""`fit` for rows on the machines of an engine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, final

from rosenblatt._engines import work
from rosenblatt._engines.divided import Divided, fingerprint_of
from rosenblatt._engines.examples import RemoteExamples
from rosenblatt._engines.machine import Distributed
from rosenblatt._engines.orders import REMOTE_ORDERS, check
from rosenblatt._learning.settings import Settings, machine_of
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters
from rosenblatt._streams.elsewhere import Elsewhere, fit_rows

if TYPE_CHECKING:
    from rosenblatt._estimators.online import OnlineClassifier
    from rosenblatt._learning.orders import Order
    from rosenblatt._support.budget import Budget
    from rosenblatt.certificate import Certificate
    from rosenblatt.perceptron import Perceptron

P = TypeVar("P", bound="Perceptron | OnlineClassifier")


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
        from rosenblatt._engines.certify import certified

        return certified(self.rows, fit_intercept=self.fit_intercept, budget=budget, margins=False)
