"""When to step, and how far: each rule has one number, given or taken from the size of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

from rosenblatt._core.protocol import Kind, UpdateRule
from rosenblatt._core.rows import Scale
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError

Number = float | Literal["scale"]


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

    def scale(
        self, rows: Measured, *, intercept: bool, before: Scale | None = None
    ) -> Scale | None:
        """How large the rows are, and those before; None where nobody asks for it."""
        if self.number != "scale":
            return None
        found = rows.size(intercept=intercept)
        found = found if before is None else before.with_more(found)
        if not 0 <= found.total < math.inf:  # of a kernel k(x, x) can be anything
            raise InputError(
                f"{self.name}='scale': the mean squared length of the rows is {found.mean:g}. "
                "Scale the features, for example with sklearn.preprocessing.StandardScaler, or "
                f"give {self.name} as a number."
            )
        return found

    def in_units(self, eta0: float, scale: Scale | None, k: int | None) -> float:
        """The number that training uses, in units of the learning rate.

        Of many classes the mean counts twice: a margin is then a difference of two scores, and an
        update changes the weights of two classes.
        """
        if scale is None:
            return float(self.number) / eta0
        found = self.share * scale.mean * (1 if k is None else 2)
        return found if found > 0 or self.kind == "perceptron" else 1.0  # rows of zeros: any r

    def update_rule(
        self, eta0: float, scale: Scale | None, k: int | None, *, intercept: bool
    ) -> UpdateRule:
        return UpdateRule(self.kind, self.in_units(eta0, scale, k), intercept)

    def published(self, eta0: float, scale: Scale | None, k: int | None) -> float:
        """The same as it was given, or would have been."""
        return float(self.number) if scale is None else eta0 * self.in_units(eta0, scale, k)


def margin_rule(margin: Any) -> Rule:
    """The perceptron's."""
    return Rule("perceptron", _scaled("margin", margin, parameters.not_negative), "margin")


def passive_aggressive_rule(C: Any, variant: Any) -> Rule:
    """With the loss (I) or its square (II)."""
    parameters.one_of("variant", variant, ("I", "II"))
    return Rule("PA-I" if variant == "I" else "PA-II", parameters.positive("C", C), "C")


def arow_rule(r: Any) -> Rule:
    """Adaptive regularization of weights."""
    return Rule("AROW", _scaled("r", r, parameters.positive), "r", share=0.3)


def _scaled(name: str, value: Any, number: Callable[[str, Any], float]) -> Number:
    if isinstance(value, str) and value == "scale":
        return "scale"
    try:
        return number(name, value)
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}, or 'scale'.") from None
