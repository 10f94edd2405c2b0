"""train(..., engine=...)."""

from __future__ import annotations

from typing import Any, TypeVar

from rosenblatt._engines import engine as engines
from rosenblatt._engines import orders
from rosenblatt._engines.fit import fit_divided
from rosenblatt._engines.source import divided
from rosenblatt._streams.progress import Reading
from rosenblatt._streams.train import Linear, check, keeping

P = TypeVar("P", bound=Linear)


def train_on(
    engine: Any, estimator: P, source: Any, cache: Any, checkpoint: Any, checkpoint_every: float
) -> P:
    """`train`, on the machines of this engine."""
    orders.check(check(estimator, checkpoint))  # before anything is read
    engines.check(engine)
    say = Reading() if estimator.verbose else None
    with (
        keeping(estimator, checkpoint, checkpoint_every),
        divided(source, engine, cache, say) as rows,
    ):
        return fit_divided(estimator, rows)
