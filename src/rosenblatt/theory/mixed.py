"""How many epochs there can be with order="mixed"."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rosenblatt.theory.bounds import OfMargin, mistake_bound


@dataclass(frozen=True)
class EpochBound(OfMargin):
    """At most `epochs` epochs with a mistake, in exact arithmetic, whatever the number of shards.

    γ and β are those of `MistakeBound`.
    """

    epochs: int
    form: str
    gamma_squared: Fraction
    beta_squared: Fraction

    def __int__(self) -> int:
        return self.epochs

    __index__ = __int__

    def __str__(self) -> str:
        return f"at most {self.epochs} epochs with a mistake: {self.in_words()}"


def mixed_epoch_bound(
    X: Any,
    y: Any,
    w_star: Any,
    *,
    eta0: float = 1.0,
    margin: float = 0.0,
    sample_weight: Any = None,
    w0: Any = None,
) -> EpochBound:
    """The most epochs with a mistake that training with order="mixed" can make.

    An epoch with k_s mistakes in shard s, k in all, brings the weights forward as Σ k_s²/k updates
    of one row do in `mistake_bound`, and that is at least 1. So the bound of the updates there,
    ⌊R²/γ²⌋ from zero weights, without weights of rows and margin, is one of these sums, and of the
    epochs, here: `docs/theory.md` has the proof. The arguments are those of `mistake_bound`.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(theory.mixed_epoch_bound(X, y, w_star=[1, 1, -3]))
    at most 286 epochs with a mistake: ⌊R²/γ²⌋, with γ = 0.3015 (homogeneous) and R = 5.099
    """
    found = mistake_bound(
        X, y, w_star, eta0=eta0, margin=margin, sample_weight=sample_weight, w0=w0
    )
    form = found.form.removesuffix(" (Novikoff)")
    return EpochBound(found.updates, form, found.gamma_squared, found.beta_squared)
