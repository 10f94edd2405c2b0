"""What AROW and PassiveAggressive have in common. Abstract: not an estimator."""

from __future__ import annotations

from typing import Any, Self

from rosenblatt._estimators import fitting, linear_fit
from rosenblatt._estimators.linear import LinearClassifier
from rosenblatt._estimators.training import Training
from rosenblatt._estimators.transaction import alone, unchanged_on_error
from rosenblatt._learning.primal import PrimalJob
from rosenblatt._learning.settings import Settings, checked
from rosenblatt._learning.watch import Watch
from rosenblatt._rules.linear import LinearRule, rule_of
from rosenblatt._rules.voters import Voters


class OnlineClassifier(Training, LinearClassifier):
    """Learns from rows whose margin is below 1, by the rule that `_step_rule` names."""

    class_weight: Any

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coef_init: Any = None,
        intercept_init: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Train on rows X with labels y, from the given start (zeros by default).

        With X_val, y_val the candidates of keep="best" and "pocket" are judged on those rows.
        Ctrl-C leaves the estimator fitted with the best so far, then raises KeyboardInterrupt.
        """
        start, validation = (coef_init, intercept_init), (X_val, y_val)

        def prepare(settings: Settings, watch: Watch) -> fitting.Task:
            work = linear_fit.given(self, settings, X, y, sample_weight, start, validation)
            self._refuse_many(settings, work.classes)
            return linear_fit.task(self, settings, watch, work)

        fitting.fit(self, prepare, X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over the given rows in their order, whatever `order`.

        Then the last, the averaged and the kept weights are judged on these rows (keep="best"), or
        the last and the kept (keep="pocket"). `classes` are needed when the first call does not
        hold rows of all. `mistakes_`, `update_counts_`, `training_errors_` and `converged_` are
        about the rows of this call; `n_iter_` counts calls. "scale" is of the rows of this call
        and of those before. If `keep` or `fit_intercept` was changed, it begins anew from the
        returned weights.
        """
        with alone(self), Watch() as watch, unchanged_on_error(self):
            settings = checked(self)
            examples, known = linear_fit.rows_of_pass(self, X, y, classes, sample_weight)
            linear_fit.one_pass(self, settings, watch, examples, known)
        return self

    def _rule_of(self, learned: Any, settings: Settings, job: PrimalJob) -> LinearRule | Voters:
        return rule_of(learned, 1.0)
