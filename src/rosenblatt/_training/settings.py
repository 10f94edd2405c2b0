"""The parameters of an estimator, checked and in Python's own types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from numpy.typing import NDArray

from rosenblatt._core import fingerprint
from rosenblatt._core.device import DEVICES
from rosenblatt._core.rows import Examples, Scale
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.orders import ORDERS
from rosenblatt._training.rule import Measured, Number, Rule
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError


class Units(NamedTuple):
    """What the numbers in the state of training depend on."""

    keep: str
    eta0: float
    fit_intercept: bool


class Settings(NamedTuple):
    """All of them."""

    order: str
    units: Units
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


def checked(estimator: Any) -> Settings:
    """The settings of an estimator, or the error that says what is allowed."""
    meaning, rule = parameters.meaning(estimator), estimator._step_rule()
    _check_order(estimator, meaning.order, rule)
    keeps = [*KEEPS, parameters.AUTO] if hasattr(estimator, "tol") else KEEPS
    parameters.one_of("keep", meaning.keep, keeps)
    if meaning.order == "mixed":
        _refuse_with_mixed(meaning.keep, estimator.max_updates)
    if getattr(estimator, "device", None) is not None:
        parameters.one_of("device", estimator.device, DEVICES)
    return Settings(
        order=meaning.order,
        units=Units(
            keep=meaning.keep,
            eta0=parameters.positive("eta0", getattr(estimator, "eta0", 1.0)),
            fit_intercept=parameters.flag("fit_intercept", estimator.fit_intercept),
        ),
        one_vs_rest=_one_vs_rest(estimator),
        rule=rule,
        max_iter=parameters.whole("max_iter", estimator.max_iter),
        max_updates=parameters.whole_or_none("max_updates", estimator.max_updates),
        patience=meaning.patience,
        tol=meaning.tol,
        all_epochs=meaning.all_epochs,
        prove=parameters.flag("prove", getattr(estimator, "prove", False)),
        warm_start=parameters.flag("warm_start", estimator.warm_start),
        verbose=parameters.level("verbose", estimator.verbose),
    )


def _check_order(estimator: Any, order: Any, rule: Rule) -> None:
    """Steps of the perceptron alone can be added up, and its weights of the features be mixed."""
    perceptron = rule.kind == "perceptron"
    mixes = perceptron and not hasattr(estimator, "kernel")
    known = [o for o in ORDERS if (perceptron or o != "batch") and (mixes or o != "mixed")]
    if isinstance(order, str) and order == "mixed" and not mixes:
        raise InputError(
            f"order='mixed' mixes weights of the features that the perceptron's updates have made: "
            f"Perceptron takes it, {type(estimator).__name__} does not. Use order='blocks'."
        )
    parameters.one_of("order", order, known)


def _refuse_with_mixed(keep: Any, max_updates: Any) -> None:
    """What asks for one update after another."""
    why = "With order='mixed' shards make their updates side by side"
    for refused, instead in (("pocket", "keep='best'"), ("vote", "keep='average'")):
        if keep == refused:
            raise InputError(
                f"keep={keep!r} follows one update after another. {why}: use {instead}, or "
                "order='blocks'."
            )
    if max_updates is not None:
        raise InputError(
            f"max_updates={max_updates!r} counts one update after another. {why}: use max_iter, "
            "which counts epochs, or order='blocks'."
        )


def _one_vs_rest(estimator: Any) -> bool:
    multi_class = getattr(estimator, "multi_class", "joint")
    parameters.one_of("multi_class", multi_class, ("joint", "ovr"))
    return bool(multi_class == "ovr")


class _Scaled(Protocol):
    scale: Scale | None


M = TypeVar("M", bound=_Scaled)


def machine_of(
    settings: Settings, kind: Callable[..., M], rows: Measured, before: Scale | None = None
) -> M:
    """The machine that learns from these rows; `before`: how large those of earlier passes were."""
    _, eta0, intercept = settings.units
    scale = settings.rule.scale(rows, intercept=intercept, before=before)
    margin = settings.rule.in_units(eta0, scale, rows.k)
    machine = kind(rows, margin=margin, intercept=intercept)
    machine.scale = scale
    return machine


class Recipe(NamedTuple):
    """All that must be equal for training to go on where it stopped."""

    units: Units
    order: str
    rule: tuple[str, Number]  # which one, and its number
    classes: list[Any]
    shape: tuple[int, int]
    data: str  # fingerprint of the training rows
    weights: str | None  # that of their weights; None: all are 1
    more: Any  # those of the validation rows, or the kernel


def recipe_of(settings: Settings, examples: Examples, classes: NDArray[Any], more: Any) -> Recipe:
    return Recipe(
        settings.units,
        settings.order,
        settings.rule[:2],
        classes.tolist(),
        examples.rows.given.shape,
        fingerprint.of_examples(examples),
        fingerprint.of_weights_of(examples),
        more,
    )


def judged_by(judges: Examples | None) -> str | None:
    """The fingerprints of validation rows and, where they are not all 1, of their weights."""
    if judges is None:
        return None
    weights = fingerprint.of_weights_of(judges)
    return fingerprint.of_examples(judges) + ("" if weights is None else f" {weights}")
