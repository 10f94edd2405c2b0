"""The parameters of an estimator, checked and in Python's own types."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples
from rosenblatt._compute.fingerprint import fingerprint
from rosenblatt._inputs import validate
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.orders import ORDERS


class Units(NamedTuple):
    """What the numbers in the state of training depend on."""

    keep: str
    eta0: float
    fit_intercept: bool


class Settings(NamedTuple):
    """All of them."""

    order: str
    units: Units
    margin: float
    max_iter: int
    max_updates: int | None
    patience: int | None
    prove: bool
    warm_start: bool
    verbose: int


def checked(estimator: Any) -> Settings:
    """The settings of an estimator, or the error that says what is allowed."""
    validate.one_of("order", estimator.order, ORDERS)
    validate.one_of("keep", estimator.keep, KEEPS)
    return Settings(
        order=estimator.order,
        units=Units(
            keep=estimator.keep,
            eta0=validate.positive("eta0", estimator.eta0),
            fit_intercept=validate.flag("fit_intercept", estimator.fit_intercept),
        ),
        margin=validate.not_negative("margin", estimator.margin),
        max_iter=validate.whole("max_iter", estimator.max_iter),
        max_updates=validate.whole_or_none("max_updates", estimator.max_updates),
        patience=validate.whole_or_none("patience", estimator.patience),
        prove=validate.flag("prove", estimator.prove),
        warm_start=validate.flag("warm_start", estimator.warm_start),
        verbose=validate.level("verbose", estimator.verbose),
    )


class Recipe(NamedTuple):
    """All that must be equal for training to go on where it stopped."""

    units: Units
    order: str
    margin: float
    classes: list[Any]
    shape: tuple[int, int]
    data: str  # fingerprint of the training rows
    more: Any  # that of the validation rows, or the kernel


def recipe_of(settings: Settings, examples: Examples, classes: NDArray[Any], more: Any) -> Recipe:
    return Recipe(
        settings.units,
        settings.order,
        settings.margin,
        classes.tolist(),
        examples.rows.X.shape,
        fingerprint(examples),
        more,
    )
