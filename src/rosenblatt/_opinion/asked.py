"""The known rows and one more, which a rule must be right about: it costs more than all of them."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt._minimum.problem import Problem
from rosenblatt._proof.metric import Metric, decision_metric
from rosenblatt._proof.rows import Rows
from rosenblatt.data.together import below


def with_row(problem: Problem, x: Any, sign: int) -> Problem:
    """The row is the last one; rules with few errors are right about it."""
    known, found = problem.rows, copy.copy(problem)
    vars(found).pop("pairs", None)
    found.rows = Rows(
        below([known.X, x], known.d),
        np.append(known.y, sign).astype(np.int8),
        intercept=known.intercept,
        decimal=known.decimal,
        budget=known.budget,
    )
    heavy = int(problem.cost.sum()) + 1
    found.cost = np.append(problem.cost, heavy)
    found.c = np.append(problem.c, heavy / problem.scale)
    found.metric = _metric(problem, found.rows)
    found.best, found.beyond_floats = found.nothing(), None
    return found


def _metric(problem: Problem, rows: Rows) -> Metric:
    known = problem.metric
    if known.basis is not None or known.length is None:
        return decision_metric(rows)
    x = (rows.dense([rows.n - 1])[0] - known.center) * known.scale
    size = float(np.sqrt(x @ x + 1.0))
    return replace(known, length=np.append(known.length, 1 / size if np.isfinite(size) else 1.0))
