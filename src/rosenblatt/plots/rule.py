"""The rule whose boundary is drawn: weights where there are any, scores of any row always."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._compute.examples import Rows
from rosenblatt._compute.matrices import some_rows
from rosenblatt._traces.run import Floats
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace

_BLOCK = 1 << 22  # numbers of a block of rows


@dataclass(frozen=True)
class Rule:
    """score = w·x + b where there is a w; otherwise whatever `score` says.

    Of many classes scores have a column for each, w has a row, and b an entry.
    """

    scores: Floats  # of the data
    score: Callable[[Floats], Floats]  # of any rows
    w: Floats | None = None
    b: Any = 0.0
    margin: float = 0.0  # μ

    @property
    def heaviest(self) -> Floats | None:
        """The largest weight of each feature."""
        return None if self.w is None else np.abs(np.atleast_2d(self.w)).max(axis=0)

    def surface(self, rows: Callable[[Floats], Floats], points: Floats, d: int) -> Floats:
        """Scores at points of the plane, a block of whole rows at a time."""
        size = max(1, _BLOCK // d)
        blocks = [points[i : i + size] for i in range(0, len(points), size)]
        return np.concatenate([self.score(rows(block)) for block in blocks])


def of_estimator(estimator: Any, X: Any) -> Rule:
    """The rule that was returned."""
    if getattr(estimator, "kernel", None) == "precomputed":
        raise InputError(
            "With kernel='precomputed' the estimator never saw the features: there is no plane to "
            "draw. AlphaDisplay and MistakesDisplay work."
        )
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    margin = float(getattr(estimator, "margin", 0.0))
    coef = getattr(estimator, "coef_", None)  # votes and kernels have none
    if coef is not None:
        w = np.ravel(coef).astype(np.float64)
        b = float(np.ravel(estimator.intercept_)[0])
        return Rule(scores, lambda rows: rows @ w + b, w, b, margin)
    return Rule(scores, lambda rows: estimator.decision_function(like(X, rows)), margin=margin)


def like(X: Any, rows: Floats) -> Any:
    """Rows in a frame of the same columns, so that the estimator knows them."""
    if not hasattr(X, "columns"):
        return rows
    names = list(X.columns)
    if hasattr(X, "iloc"):
        return type(X)(rows, columns=names)
    return type(X)(rows, schema=names)


def of_trace(trace: Trace, step: int) -> Rule:
    """The weights after so many steps."""
    run = trace.replay.run
    margin = run.eta * run.margin if run.by_count else 0.0  # 1 of other rules is no parameter
    if run.linear():
        w, b = trace.weights_at(step)
        # η multiplies last: whether a row is a mistake is as training saw it, to the bit.
        units = trace.replay.features("a picture of weights").at(step)
        scores = run.eta * Rows(run.X).scores(units)
        return Rule(scores, lambda rows: rows @ w.T + b, w, b, margin)
    kernel = run.kernel
    assert kernel is not None
    if kernel.precomputed:
        raise InputError(
            "With kernel='precomputed' training never saw the features: there is no plane to draw."
        )
    lifted = run.eta * run.coefficients(step)
    beta, b = lifted[..., :-1], lifted[..., -1]
    support = np.flatnonzero(np.atleast_2d(beta).any(axis=0))
    vectors = some_rows(run.X, support)

    def score(rows: Any) -> Floats:
        if not len(support):
            return np.full((rows.shape[0], *b.shape), b)
        values = kernel.matrix(rows, vectors).astype(np.float64)
        return np.asarray(values @ beta[..., support].T + b)

    size = max(1, _BLOCK // (len(support) + 1))
    n = run.X.shape[0]
    parts = [score(some_rows(run.X, slice(i, i + size))) for i in range(0, n, size)]
    return Rule(np.concatenate(parts), score, margin=margin)
