"""What an estimator is, what its parameters mean, and which of that cannot go together.

    class ─► Spec      parameters ─► Settings      Settings, a place ─► refuse

Orders and keeps say on their classes what they cannot do; `refuse` alone makes an error of it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import fingerprint
from rosenblatt._core.device import DEVICES
from rosenblatt._core.protocol import TIES, Kind, UpdateRule
from rosenblatt._core.rows import Examples, Scale, as_table
from rosenblatt._training.keeps import KEEPS, Following, Keep
from rosenblatt._training.orders import ORDERS
from rosenblatt._training.state import Cannot, Where
from rosenblatt._util.spelling import option
from rosenblatt._validation import parameters
from rosenblatt._validation.signs import demanded, refuse_constant
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training


_AUTO = "auto"  # of `keep` and `margin`
_PATIENCE = 5  # the default of `patience`, and of scikit-learn's name for it
Number = float | Literal["scale", "wide", "auto"]
_WIDE = 8.0  # times "scale"


class Measured(Protocol):
    """Rows whose size can be asked for."""

    k: int | None

    def size(self, *, intercept: bool) -> Scale: ...


class Rule(NamedTuple):
    """Which one, and its number as it was given: the margin μ, C or r."""

    kind: Kind
    number: Number
    name: str  # of the parameter
    share: float = 1.0  # "scale": of the mean squared length of the lifted rows
    decay: float = 0.0  # of the rate
    forget: float = 0.0  # by AROW, with each row of partial_fit
    signs: Any = None  # of weights: as they were given; once the rows are known, by column
    penalty: float | None = None  # α of the L2 penalty

    @property
    def identity(self) -> tuple[str, Number, float]:
        kind = self.kind if self.signs is None else f"{self.kind} with signs {self.signs}"
        kind = kind if self.penalty is None else f"{kind} with alpha {self.penalty!r}"
        return kind, self.number, self.decay

    def scale(
        self, rows: Measured, *, intercept: bool, before: Scale | None = None
    ) -> Scale | None:
        """How large the rows are, and those before; None where nobody asks for it."""
        if isinstance(self.number, float):
            return None
        size = rows.size(intercept=intercept)
        size = size if before is None else before.with_more(size)
        if self.number == "auto" and not size.total < math.inf:
            return Scale(0.0, 1.0)  # no margin, and training says how far it comes
        if not 0 <= size.total < math.inf:  # of a kernel k(x, x) can be anything
            raise InputError(
                f"{option(self.name, self.number)}: the mean squared length of the rows is "
                f"{size.mean:g}. Scale the features, for example with "
                f"sklearn.preprocessing.StandardScaler, or give {option(self.name)} as a number.",
                option=self.name,
                value=self.number,
            )
        return size

    def in_units(self, eta0: float, scale: Scale | None, k: int | None) -> float:
        """The number that training uses, in units of the learning rate.

        Of many classes the mean counts twice: a margin is then a difference of two scores, and an
        update changes the weights of two classes.
        """
        if scale is None:  # a share of the way has no unit
            return float(self.number) / (1.0 if self.kind == "relaxation" else eta0)
        number = self.share * scale.mean * (1 if k is None else 2)
        return number if number > 0 or self.kind != "AROW" else 1.0  # rows of zeros: any r

    def update_rule(
        self, eta0: float, scale: Scale | None, k: int | None, *, intercept: bool
    ) -> UpdateRule:
        number = self.in_units(eta0, scale, k)
        shrink = eta0 * (self.penalty or 0.0)
        if not shrink < 1:
            raise InputError(
                f"alpha={self.penalty!r} with {option('eta0', eta0)} would shrink the weights to "
                f"zero: alpha times {option('eta0')} must be less than 1.",
                option="alpha",
                value=self.penalty,
            )
        signs = None if self.signs is None else np.array(self.signs, dtype=np.int8)
        kind = self.kind if signs is None else "projected"
        return UpdateRule(kind, number, intercept, self.decay, signs, shrink)

    def published(self, eta0: float, scale: Scale | None, k: int | None) -> float:
        """The number in the units of the parameter."""
        return float(self.number) if scale is None else eta0 * self.in_units(eta0, scale, k)


def margin_rule(margin: Any, words: tuple[str, ...] = ("scale", "wide")) -> Rule:
    number = _scaled("margin", margin, parameters.not_negative, words)
    share = _WIDE if number == "wide" else 1.0
    return Rule("perceptron", number, "margin", share=share)


def perceptron_rule(margin: Any, decay: Any, signs: Any, penalty: Any, alpha: Any) -> Rule:
    rule = margin_rule(margin, ("scale", "wide", "auto"))._replace(signs=signs)
    falls = parameters.not_negative("decay", decay)
    if not parameters.number(alpha) >= 0:  # without a penalty, too
        product = f"whose product with {option('eta0')} is less than 1"
        raise parameters.not_allowed("alpha", alpha, f"give a number, 0 or greater, {product}")
    if penalty is not None:
        _refuse_other_penalty(penalty)
        return rule._replace(kind="penalised", decay=falls, penalty=float(alpha))
    return rule._replace(kind="decay", decay=falls) if falls else rule


def _refuse_other_penalty(value: Any) -> None:
    if not (isinstance(value, str) and value == "l2"):
        raise InputError(
            f"{option('penalty', value)} is not allowed, only None and 'l2'. scikit-learn's "
            "SGDClassifier(loss='perceptron') has 'l1' and 'elasticnet', which make weights 0.",
            option="penalty",
            value=value,
            allowed=(None, "l2"),
        )


def relaxation_rule(factor: Any) -> Rule:
    number = parameters.positive("factor", factor)
    if not number < 2:
        raise parameters.not_allowed("factor", factor, "give a number between 0 and 2")
    return Rule("relaxation", number, "factor")


def passive_aggressive_rule(C: Any, loss: Any) -> Rule:
    """PA-I of the loss, PA-II of its square."""
    parameters.one_of("loss", loss, ("hinge", "squared_hinge"))
    return Rule("PA-I" if loss == "hinge" else "PA-II", parameters.positive("C", C), "C")


def arow_rule(r: Any, forget: Any = 0.0) -> Rule:
    fades = parameters.not_negative("forget", forget)
    if not fades < 1:
        raise parameters.not_allowed("forget", forget, "give a number from 0 to less than 1")
    return Rule("AROW", _scaled("r", r, parameters.positive), "r", share=0.3, forget=fades)


def _scaled(
    name: str, value: Any, number: Callable[[str, Any], float], words: tuple[str, ...] = ("scale",)
) -> Number:
    if isinstance(value, str) and value in words:
        return cast("Number", value)
    try:
        return number(name, value)
    except InputError as error:
        sentence = f"{str(error).rstrip('.')}, or {' or '.join(map(repr, words))}."
        raise InputError(sentence, option=name, value=value) from None


class Spec(NamedTuple):
    """What an estimator is, declared on its class: its rule, and which parameters it has besides
    those that all have."""

    rule: Callable[..., Rule]
    rule_parameters: tuple[str, ...]  # what `rule` is called with
    alike: bool = False  # all rows of a step have the same length of it
    kernel: bool = False  # it learns coefficients of the rows, not weights of the features
    unit: str | None = None  # the parameter in whose units training runs
    tie: bool = False
    prove: bool = False
    multi_class: bool = False
    device: bool = False
    falling_margin: bool = False
    auto: str | None = None  # what keep="auto" is where the margin does not fall; None: no such
    scikit_learn: bool = False  # those of scikit-learn's estimator of the same name; of them:
    average: bool = False  # another name of two keeps
    loss_tol: bool = False  # `tol` may be a number, by which the mean loss must fall
    inert: tuple[str, ...] = ()  # shares from 0 to 1 that have no effect here


class Units(NamedTuple):
    """What the numbers in the state of training depend on."""

    keep: str
    eta0: float
    fit_intercept: bool
    tie: str = "mistake"

    @property
    def score_of_tie(self) -> float:
        return TIES[self.tie]


class Settings(NamedTuple):
    """The parameters of an estimator, checked."""

    order: str
    units: Units
    follows: bool  # partial_fit follows a rule that changes
    one_vs_rest: bool  # of more than two classes
    rule: Rule
    max_iter: int
    max_updates: int | None
    patience: int | None
    tol: float | None  # by which the mean loss of a row must fall; None: mistakes are looked at
    all_epochs: bool  # max_iter of them are what was asked for: nothing to warn about
    prove: bool
    warm_start: bool
    verbose: int

    @property
    def tol_in_units(self) -> float | None:
        """Of the learning rate, as losses are while training."""
        return None if self.tol is None else self.tol / self.units.eta0

    @property
    def margin_falls(self) -> bool:
        return self.units.keep == _AUTO

    @property
    def keep_of_a_pass(self) -> type[Keep]:
        return Following if self.follows else KEEPS[self.units.keep].of_a_pass()

    def of_a_pass(self) -> Settings:
        """What partial_fit makes of them: rows in their order, or one step of order="batch"."""
        return self._replace(order=ORDERS[self.order].of_a_pass)


def checked(estimator: Training) -> Settings:
    spec = estimator._spec
    parameters.one_of("keep", estimator.keep, [k for k in KEEPS if k != _AUTO or spec.auto])
    _check_order(estimator)
    meaning = _meaning(estimator)
    keep = _keep(estimator, meaning)
    given = {name: getattr(estimator, name) for name in spec.rule_parameters}
    if spec.falling_margin and isinstance(given["margin"], str) and given["margin"] == _AUTO:
        penalised = estimator.penalty is not None  # without a margin the best weights would be 0
        given["margin"] = _AUTO if keep == _AUTO else "wide" if penalised else 0.0
    multi_class = estimator.multi_class if spec.multi_class else "joint"
    parameters.one_of("multi_class", multi_class, ("joint", "ovr"))
    if spec.device and estimator.device is not None:
        parameters.one_of("device", estimator.device, DEVICES)
    settings = Settings(
        order=meaning.order,
        units=Units(
            keep=keep,
            eta0=1.0 if spec.unit is None else parameters.positive(*_named(estimator, spec.unit)),
            fit_intercept=parameters.flag("fit_intercept", estimator.fit_intercept),
            tie=_tie(estimator.tie, keep) if spec.tie else "mistake",
        ),
        follows=meaning.keep == _AUTO,
        one_vs_rest=multi_class == "ovr",
        rule=spec.rule(**given),
        max_iter=parameters.whole("max_iter", estimator.max_iter),
        max_updates=parameters.whole_or_none("max_updates", estimator.max_updates),
        patience=meaning.patience,
        tol=meaning.tol,
        all_epochs=meaning.all_epochs,
        prove=parameters.flag("prove", estimator.prove) if spec.prove else False,
        warm_start=parameters.flag("warm_start", estimator.warm_start),
        verbose=parameters.level("verbose", estimator.verbose),
    )
    if settings.order == "mixed":
        refuse("mixed", settings)
    _refuse_with_penalty(settings)
    return settings


def _keep(estimator: Training, meaning: _Meaning) -> str:
    """ "auto" is "best", where some other choice than the defaults was made."""
    spec = estimator._spec
    if meaning.keep != _AUTO or spec.auto is None:
        return meaning.keep
    if not spec.falling_margin:
        return spec.auto
    if estimator.penalty is not None:
        return "average"
    margin = estimator.margin
    opens = ORDERS[meaning.order].opens and isinstance(margin, str) and margin == _AUTO
    return _AUTO if opens and estimator.decay == 0 else spec.auto


def _named(estimator: Training, name: str) -> tuple[str, Any]:
    return name, getattr(estimator, name)


def _tie(tie: Any, keep: str) -> str:
    parameters.one_of("tie", tie, TIES)
    if tie == "negative" and KEEPS[keep].votes:
        raise InputError(
            f"{option('tie', tie)} does not go with {option('keep', keep)}: a voter whose score is "
            "0 votes for the positive class. Use another keep, or tie='positive'.",
            option="tie",
            value=tie,
        )
    return str(tie)


def with_signs(settings: Settings, estimator: Training, rows: Any, *, all_rows: bool) -> Settings:
    """The signs by column, now that these are known; the errors of what cannot be demanded."""
    given = settings.rule.signs
    if given is None:
        return settings
    if len(rows.classes) > 2:
        raise parameters.not_allowed(
            "signs",
            given,
            f"it is for two classes, and y has {len(rows.classes)}: ask for one against the rest, "
            "y == label",
        )
    names = vars(estimator).get("feature_names_in_")
    signs = demanded(given, names, rows.d)
    # One for each column may be about some of the rows, as in a fold; a name was meant.
    if all_rows and isinstance(given, Mapping) and isinstance(rows.examples, Examples):
        refuse_constant(signs, names, as_table(rows.examples.rows.X))
    found = None if signs is None else tuple(signs.tolist())
    return settings._replace(rule=settings.rule._replace(signs=found))


def refuse_tie(settings: Settings, k: int | None) -> None:
    tie = settings.units.tie
    if tie != "mistake" and k is not None and not settings.one_vs_rest:
        raise InputError(
            f"{option('tie', tie)} says what a score of 0 is, and with {k} classes there is a "
            "score for each: leave tie='mistake', or use multi_class='ovr'.",
            option="tie",
            value=tie,
        )


def _check_order(estimator: Training) -> None:
    order, alike = estimator.order, estimator._spec.alike
    may_mix = alike and not estimator._spec.kernel
    if not may_mix and isinstance(order, str) and order in ORDERS and ORDERS[order].mixes:
        raise InputError(
            f"{option('order', order)} mixes weights of the features that the perceptron's updates "
            f"have made: Perceptron takes it, {type(estimator).__name__} does not. Use "
            f"{option('order', 'blocks')}.",
            option="order",
            value=order,
        )
    allowed = [
        name
        for name, kind in ORDERS.items()
        if (alike or kind.any_rule) and (may_mix or not kind.mixes)
    ]
    parameters.one_of("order", order, allowed)


def _refuse_with_penalty(settings: Settings) -> None:
    """Weights shrink with visits, not only with updates."""
    if settings.rule.penalty is None:
        return
    for name, value, alone, why in (
        ("order", settings.order, ("random", "batch"), "its epochs are not a look at each row"),
        ("keep", settings.units.keep, ("vote",), "weights that shrink would be voters every time"),
        ("prove", settings.prove, (True,), "its last weights need not separate; use certify"),
    ):
        if value in alone:
            raise InputError(
                f"{option(name, value)} does not go with penalty='l2': {why}.",
                option=name,
                value=value,
            )


# --- The parameters of scikit-learn's estimators: what they mean here, or what to use instead ----
#
# Code that was written for it runs as it is, or is told in one sentence what to write: the errors
# are the guide for whoever comes from there. `docs/from-scikit-learn.md` has all of them.


class _Meaning(NamedTuple):
    order: str
    keep: str
    tol: float | None  # by which the loss must fall; None: it is not looked at
    patience: int | None
    all_epochs: bool = False  # tol=None: max_iter epochs are what was asked for


def _meaning(estimator: Any) -> _Meaning:
    spec: Spec = estimator._spec
    order, keep = estimator.order, estimator.keep
    patience = parameters.whole_or_none("patience", estimator.patience)
    if not spec.scikit_learn:
        return _Meaning(order, keep, None, patience)
    if spec.average and estimator.average is not None:
        keep = _averaged(keep, estimator.average)
    if estimator.early_stopping not in (False,):
        raise InputError(
            f"{option('early_stopping', estimator.early_stopping)} is not allowed, only False: no "
            "rows are set aside here. Give validation rows of your own, fit(X, y, X_val=..., "
            "y_val=...): keep='best' returns the weights that are best on them.",
            option="early_stopping",
            value=estimator.early_stopping,
            allowed=(False,),
        )
    for name in spec.inert:
        parameters.between(*_named(estimator, name), 0.0, 1.0)
    jobs = estimator.n_jobs
    if jobs is not None and (not isinstance(jobs, numbers.Integral) or isinstance(jobs, bool)):
        raise parameters.not_allowed("n_jobs", jobs, "give a whole number or None")
    patience = _patience(patience, estimator.n_iter_no_change)
    if not parameters.flag("shuffle", estimator.shuffle):
        if order not in ("shuffle", "cyclic"):
            raise InputError(
                f"shuffle=False means order='cyclic', and order={order!r} was given: leave one of "
                "them out.",
                option="shuffle",
                value=False,
            )
        order = "cyclic"
    tol = estimator.tol
    if tol is None:
        return _Meaning(order, "last" if keep == _AUTO else keep, None, None, all_epochs=True)
    if isinstance(tol, str) and tol == "patience":
        return _Meaning(order, keep, None, patience)
    if not spec.loss_tol:
        raise parameters.not_allowed(
            "tol", tol, "leave it out: training ends where the mistakes no longer fall, or tol=None"
        )
    return _Meaning(order, "best" if keep == _AUTO else keep, _tolerance(tol), patience)


def _averaged(keep: str, average: Any) -> str:
    meant = "average" if parameters.flag("average", average) else "last"
    if keep not in (_AUTO, meant):
        raise InputError(
            f"average={average} means keep={meant!r}, and keep={keep!r} was given: leave one of "
            "them out.",
            option="average",
            value=average,
        )
    return meant


def _patience(patience: int | None, n_iter_no_change: Any) -> int | None:
    """Two names of one number; which one was given can be told where it is not the default."""
    other = parameters.whole("n_iter_no_change", n_iter_no_change)
    if other == _PATIENCE:
        return patience
    if patience not in (_PATIENCE, other):
        raise InputError(
            f"n_iter_no_change={other} is another name of patience, and patience={patience!r} was "
            "given, too: leave one of them out.",
            option="n_iter_no_change",
            value=other,
        )
    return other


def _tolerance(tol: Any) -> float:
    try:
        return parameters.not_negative("tol", tol)
    except InputError:
        raise parameters.not_allowed(
            "tol",
            tol,
            "give a finite number, 0 or greater, None to end at max_iter only, or 'patience' to "
            "end when mistakes no longer fall",
        ) from None


# --- What cannot be done there: with order="mixed", on a GPU, on the machines of an engine --------


_NO_REFUSAL: Mapping[Where, Cannot] = {}
_MAX_UPDATES: Mapping[Where, Cannot] = {
    "mixed": Cannot("counts", "max_iter, which counts epochs"),
}
_TOL: Mapping[Where, Cannot] = {
    "engine": Cannot(
        "follows the loss of every update, which an engine does not",
        "with tol='patience' training ends when mistakes no longer fall",
    )
}
_TIE: Mapping[Where, Cannot] = {"gpu": Cannot("", "tie='mistake'")}
_SIGNS: Mapping[Where, Cannot] = {
    "mixed": Cannot("projects the weights of", "signs=None"),
    "gpu": Cannot("", "signs=None"),
    "engine": Cannot("projects the weights after every update, which an engine does not", "fit"),
}
_DECAY: Mapping[Where, Cannot] = {
    "mixed": Cannot("lowers the rate", "decay=0"),
    "gpu": Cannot("", "decay=0"),
}
_PENALTY: Mapping[Where, Cannot] = {
    "mixed": Cannot("shrinks the weights", "penalty=None"),
    "gpu": Cannot("", "penalty=None"),
}
_OTHER_RULE: Mapping[Where, Cannot] = {"gpu": Cannot("", "Perceptron")}

_SENTENCES: dict[Where, str] = {
    "mixed": (
        "{what} {why} one update after another. With order='mixed' shards make their updates side "
        "by side: use {instead}, or order='blocks'."
    ),
    "gpu": (
        "{what} does not run on a GPU. Use {instead}; or train on the CPU: rows of the host, and "
        "device='cpu'."
    ),
    "engine": "{what} {why}: {instead}.",
}


def refuse(where: Where, settings: Settings) -> None:
    order, keep, rule = settings.order, settings.units.keep, settings.rule
    max_updates, tol, tie = settings.max_updates, settings.tol, settings.units.tie
    perceptron = rule.kind == "perceptron"
    for name, value, cannot in (
        ("order", order, ORDERS[order].cannot),
        ("keep", keep, KEEPS[keep].cannot),
        ("max_updates", max_updates, _NO_REFUSAL if max_updates is None else _MAX_UPDATES),
        ("tol", tol, _NO_REFUSAL if tol is None else _TOL),
        ("tie", tie, _NO_REFUSAL if tie == "mistake" else _TIE),
        ("signs", rule.signs, _NO_REFUSAL if rule.signs is None else _SIGNS),
        ("decay", rule.decay, _DECAY if rule.decay else _NO_REFUSAL),
        ("penalty", "l2", _NO_REFUSAL if rule.penalty is None else _PENALTY),
        ("the rule", rule.kind, _NO_REFUSAL if perceptron else _OTHER_RULE),
    ):
        if where in cannot:
            why, instead = cannot[where]
            what = f"{name} {value}" if name == "the rule" else option(name, value)
            raise InputError(
                _SENTENCES[where].format(what=what, why=why, instead=instead),
                option=None if name == "the rule" else name,
                value=value,
            )


class _Scaled(Protocol):
    scale: Scale | None


M = TypeVar("M", bound=_Scaled)


def learner_of(
    settings: Settings, kind: Callable[..., M], rows: Measured, before: Scale | None = None
) -> M:
    eta0, intercept = settings.units.eta0, settings.units.fit_intercept
    scale = settings.rule.scale(rows, intercept=intercept, before=before)
    rule = settings.rule.update_rule(eta0, scale, rows.k, intercept=intercept)
    learner = kind(rows, rule)
    learner.scale = scale
    return learner


class Recipe(NamedTuple):
    """All that must be equal for training to go on where it stopped."""

    units: Units
    order: str
    rule: tuple[str, Number, float]  # which one, its number, and the decay of the rate
    classes: list[Any]
    shape: tuple[int, int]
    data: str  # fingerprint of the training rows
    weights: str | None  # that of their weights; None: all are 1
    more: Any  # those of the validation rows, or the kernel


def recipe_of(settings: Settings, examples: Examples, classes: NDArray[Any], more: Any) -> Recipe:
    return Recipe(
        settings.units,
        settings.order,
        settings.rule.identity,
        classes.tolist(),
        examples.rows.given.shape,
        fingerprint.of_examples(examples),
        fingerprint.of_weights_of(examples),
        more,
    )


def judged_by(judges: Examples | None) -> str | None:
    if judges is None:
        return None
    weights = fingerprint.of_weights_of(judges)
    return fingerprint.of_examples(judges) + ("" if weights is None else f" {weights}")
