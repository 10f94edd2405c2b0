"""What estimators have in common: abstract classes, of which each estimator is made.

Some train; others predict with a linear rule or with a kernel.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import replace
from enum import Enum
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from rosenblatt._core.rows import Csr, Rows
from rosenblatt._training.fit import fit, partial_fit
from rosenblatt._training.linear_rule import (
    VOTING,
    ChangingRule,
    LinearRule,
    SeparateVoters,
    Voters,
    decided,
)
from rosenblatt._training.monitor import Recorder, TakesCallbacks
from rosenblatt._training.state import AnyState, Candidate
from rosenblatt._training.stopping import StopReason
from rosenblatt._training.training import Arrays, shown_counts
from rosenblatt._validation.rows import placed_rows_to_predict, refuse_not_finite

if TYPE_CHECKING:
    from rosenblatt._training.monitor import Checkpoint
    from rosenblatt._training.settings import Recipe, Spec, Units
    from rosenblatt.certificate import Certificate


def need_fit(estimator: Any, name: str) -> None:
    """AttributeError for an attribute that is there only after `fit`."""
    if "_rule" not in vars(estimator):
        raise AttributeError(f"{type(estimator).__name__} has no {name} before it is fitted")


class Training(TakesCallbacks):
    """An estimator that `fit` trains. It declares in `_spec` what it is."""

    _spec: ClassVar[Spec]

    order: Any
    keep: Any
    fit_intercept: Any
    max_iter: Any
    max_updates: Any
    patience: Any
    class_weight: Any
    random_state: Any
    warm_start: Any
    verbose: Any
    eta0: Any  # where `_spec` says that there is such a parameter; so the others here:
    margin: Any
    decay: Any
    penalty: Any
    tie: Any
    prove: Any
    multi_class: Any
    device: Any
    kernel: Any

    _rule: Any
    _state: AnyState
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    _made_with: Units
    _of_classes: tuple[Any, ...] | None
    _recorder: Recorder | None = None  # follows training, where somebody wants a trace
    _checkpoint: Checkpoint | None = None  # where training is kept, so that it can go on
    _rule_number: float  # the margin μ, or what another rule has instead
    _n_rows: int  # that training was given
    classes_: NDArray[Any]
    n_iter_: int
    n_updates_: int
    converged_: bool
    training_errors_: int | None
    stop_reason_: StopReason
    certificate_: Certificate | None
    mistakes_: NDArray[np.int64]
    _counts: Any  # updates by row; None after a stream; missing where they were left behind
    validation_mistakes_: NDArray[np.int64]  # only where there were validation rows

    @property
    def update_counts_(self) -> Any:
        """Updates by row, of many classes sparse, by row and class; None after a stream."""
        need_fit(self, "update_counts_")
        if "_counts" not in vars(self):
            raise AttributeError(
                f"This {type(self).__name__} was read without its update_counts_, one number for "
                "each training row: save(estimator, path, history=True) keeps them, and so does "
                "the pickle of an estimator with warm_start=True."
            )
        return shown_counts(self._counts)


class PerceptronTraining(Training):
    """The perceptron's rule, with a margin."""

    @property
    def margin_(self) -> float:
        """The margin μ that training had: `margin`, or what "scale" came to."""
        need_fit(self, "margin_")
        return self._rule_number


class _NoProbabilities:
    """`hasattr` says no, as scikit-learn's meta-estimators ask; who calls it learns what to do."""

    def __get__(self, estimator: Any, owner: type) -> NoReturn:
        raise AttributeError(
            f"{owner.__name__} has scores and no probabilities. CalibratedClassifierCV of "
            "sklearn.calibration makes probabilities of them; so does study, for a table."
        )


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """A scikit-learn classifier, with types: scikit-learn ships none."""

    predict_proba = _NoProbabilities()
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]  # only where the columns had names

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows X whose predicted class is y, by weight where weights are given."""
        return float(super().score(X, y, sample_weight))

    def __getstate__(self) -> dict[str, Any]:
        values: dict[str, Any] = plain(self._kept_in_pickles())
        return values

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(restored(state))

    def _kept_in_pickles(self) -> dict[str, Any]:
        return dict(super().__getstate__())

    # A copy within the process has all that the original has.

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__ = vars(self).copy()
        state = vars(self).get("_state")
        if state is not None and state.in_place:
            rule = self.__dict__["_rule"]
            more = {"_state": state.copy(), "_rule": LinearRule(rule.weights, rule.eta)}
            other.__dict__ |= more
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__ = copy.deepcopy(dict(vars(self)), memo)
        return other


class LinearClassifier(Classifier):
    """Predicts with `_rule`, which fitting sets."""

    _rule: LinearRule | Voters | SeparateVoters

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row, w·x + b; the mean vote in [-1, 1] with keep="vote".

        Of k > 2 classes one for each, shape (n, k): w_c·x + b_c, or its share of the votes.
        """
        rows = self._rows(X)
        return self._checked(self._rule.scores(rows), rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: `classes_[1]` where the score is 0 or greater.

        Of k > 2 classes the one with the highest score; on a tie the first.
        """
        rows = self._rows(X)
        rule = self._rule
        signed = rule.signed(rows) if isinstance(rule, LinearRule) else rule.scores(rows)
        return self.classes_[decided(self._checked(signed, rows))]

    def _rows(self, X: Any) -> Rows:
        # A number that is not finite makes the score of its row not finite: look at those instead.
        # Votes are always finite.
        if isinstance(X, Csr):  # which OneByOne made
            return Rows(X)
        finite = isinstance(vars(self).get("_rule"), VOTING)
        return Rows(placed_rows_to_predict(self, X, finite=finite))

    def _checked(self, scores: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
        if not np.isfinite(scores).all():
            refuse_not_finite(self, rows.X, scores)
        return scores

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d); of k > 2 classes (k, d)."""
        return self._one_rule("coef_").coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept b, of shape (1,); of k > 2 classes (k,)."""
        return self._one_rule("intercept_").intercept

    def _one_rule(self, name: str) -> LinearRule:
        need_fit(self, name)
        if isinstance(self._rule, VOTING):
            raise AttributeError(
                f"keep='vote' has no {name}: {len(self._rule)} weight vectors vote, and no single "
                "one gives the same answers. keep='average' is close to the vote and has one."
            )
        return self._rule

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class TrainedLinearClassifier(Training, LinearClassifier):
    """Learns weights of the features from rows in memory."""

    def _kept_in_pickles(self) -> dict[str, Any]:
        """Not one number for each training row: only to resume takes those."""
        kept = super()._kept_in_pickles()
        if isinstance(kept.get("_rule"), ChangingRule):
            kept["_rule"] = LinearRule(kept["_rule"].weights, kept["_rule"].eta)
        if self.warm_start or kept.get("_counts") is None:
            return kept
        del kept["_counts"]
        state = kept["_state"]
        if state is not None:
            memory = replace(state.memory, counts=state.memory.counts[:0])
            kept["_state"] = replace(state, memory=memory)
        return kept

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

        With X_val, y_val the candidates of keep="best" and "pocket" are evaluated on those rows.
        Ctrl-C leaves the estimator fitted with the best so far, then raises KeyboardInterrupt.
        """
        start, validation = (coef_init, intercept_init), (X_val, y_val)
        fit(self, Arrays(X, y, sample_weight, start, validation))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over the given rows in their order, whatever `order` (one step with "batch").

        keep="auto" follows a rule that changes: it returns the mean of the weights or the last
        ones, whichever was right more often on the newest rows before they were learned. Else
        the last, the averaged and the kept weights are evaluated on these rows (keep="best"), or
        the last and the kept (keep="pocket"). `classes` are needed when the first call does not
        hold rows of all. `mistakes_`, `update_counts_`, `training_errors_` and `converged_` are
        about the rows of this call; `n_iter_` counts calls. "scale" is of the rows of this call and
        of those before. If `keep`, `fit_intercept` or the learning rate was changed, it begins anew
        from the returned weights.
        """
        partial_fit(self, X, y, classes, sample_weight)
        return self


# --- What pickles hold: arrays and plain values instead of private classes -----------------------
#
# Those may have other names in the next version, and what reads pickles with care (skops, and so
# MLflow) asks about each class in one.


_IS = "<is>"  # beside the fields of an object: its class; a function stands alone
_OURS = "rosenblatt."


def plain(value: Any) -> Any:
    return _Plain().of(value)


def restored(value: Any) -> Any:
    return _Restored().of(value)


class _Copy(ABC):
    """A copy in other words; what is there twice stays one object."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # by id: what was met, and its copy

    def of(self, value: Any) -> Any:
        if id(value) not in self._made:
            self._made[id(value)] = value, self._copied(value)
        return self._made[id(value)][1]

    def _copied(self, value: Any) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self.of(inner) for inner in value)
        if kind is dict:
            return {key: self.of(inner) for key, inner in value.items()}
        return value

    @abstractmethod
    def _made_of(self, value: Any) -> Any: ...


class _Plain(_Copy):
    def _copied(self, value: Any) -> Any:
        kind = type(value)
        named = value if isinstance(value, FunctionType) else kind
        if not named.__module__.startswith(_OURS + "_"):
            return super()._copied(value)
        return self._made_of(value)

    def _made_of(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return {_IS: _name(value)}
        document = {_IS: _name(type(value))}
        if isinstance(value, Enum):
            return document | {"name": value.name}
        fields = value._asdict() if isinstance(value, tuple) else vars(value)  # type: ignore[attr-defined] # a NamedTuple
        return document | self.of(dict(fields))


class _Restored(_Copy):
    def _copied(self, value: Any) -> Any:
        if type(value) is dict and _IS in value:
            return self._made_of(value)
        return super()._copied(value)

    def _made_of(self, value: Any) -> Any:
        kind, fields = _found(value[_IS]), {k: self.of(v) for k, v in value.items() if k != _IS}
        if not isinstance(kind, type):
            return kind
        if issubclass(kind, Enum):
            return kind[fields["name"]]
        if issubclass(kind, tuple):
            return kind(**fields)
        made = kind.__new__(kind)
        made.__dict__.update(fields)
        return made


def _name(of: Any) -> str:
    return f"{of.__module__}:{of.__qualname__}"


def _found(name: str) -> Any:
    module, _, path = name.partition(":")
    found = getattr(import_module(module), path, None) if module.startswith(_OURS) else None
    if not isinstance(found, type | FunctionType):
        raise ValueError(f"{name} is nothing that a pickle of rosenblatt holds")
    return found
