"""Are some of the rows in conflict? A blend of a few that is zero, or a separator of them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rosenblatt._bounds.problem import Index, Mask, Problem
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.conditioning import Metric
from rosenblatt._certify.diagnostics import hashes
from rosenblatt._certify.linear_algebra import kernel
from rosenblatt._certify.nearest_point import nearest_point
from rosenblatt._certify.rows import Rows
from rosenblatt._certify.simplex import Face, decide

_SAMPLE = 50  # times D: so many rows mostly hold a conflict, if there are any
_GROWTH = 8


@dataclass(frozen=True)
class Answer:
    """Exactly one of the two, proved."""

    conflict: Blend | None = None  # minimal: without any of its rows there is none
    separator: list[Fraction] | None = None


def ask(problem: Problem, alive: Mask, *, always: int | None = None) -> Answer:
    """About the living rows. Of many rows a sample is asked first; `always` belongs to each."""
    (rows, metric), index = problem.rows_and_signs, np.flatnonzero(alive)
    rows.budget = problem.rows.budget
    signs = np.arange(problem.rows.n, rows.n)  # of weights: they are in every question
    size = _SAMPLE * rows.D
    while size * _GROWTH < len(index):
        some = np.random.default_rng(size).choice(index, size, replace=False)
        if always is not None:
            some = np.append(some, always)
        some = np.unique(np.append(some, signs))
        rows.budget.spend(len(some))
        answer = _ask(rows.part(some), _of(metric, some), None)
        if answer.conflict is not None:
            return Answer(_of_rows(problem, {int(some[i]): v for i, v in answer.conflict.items()}))
        size *= _GROWTH
    answer = _ask(rows, metric, np.append(alive, np.ones(len(signs), dtype=bool)))
    if answer.conflict is not None:
        return Answer(_of_rows(problem, answer.conflict))
    return answer


def _of_rows(problem: Problem, blend: Blend) -> Blend:
    return {i: v for i, v in blend.items() if i < problem.rows.n}


def _of(metric: Metric, some: Index) -> Metric:
    return metric if metric.length is None else replace(metric, length=metric.length[some])


def _ask(rows: Rows, metric: Metric, alive: Mask | None) -> Answer:
    guess = nearest_point(rows, metric, alive=alive, first=True)
    if guess.separates:
        exact = metric.exactly(rows, guess.direction)
        if _right(rows, exact, alive):
            return Answer(separator=exact)
    else:
        blend = _blend(rows, guess.support)
        if blend is not None:
            return Answer(conflict=blend)
    index = range(rows.n) if alive is None else np.flatnonzero(alive).tolist()
    decision = decide(Face(rows, index), guess.support)
    return Answer(decision.conflict, decision.separator)


def _right(rows: Rows, w: list[Fraction], alive: Mask | None) -> bool:
    signs = rows.signs(w, only=alive)
    return bool((signs > 0).all() if alive is None else (signs[alive] > 0).all())


def _blend(rows: Rows, support: list[int]) -> Blend | None:
    if not support:
        return None
    whole, _ = rows.whole(support)
    blend = kernel(whole, rows.budget)
    if blend is None or (min(blend) < 0 < max(blend)):
        return None
    return {i: abs(v) for i, v in sorted(zip(support, blend, strict=True)) if v}


def visible(rows: Rows) -> Iterator[Blend]:
    """Two equal rows of opposite labels; and zero rows, through the origin. Rows differ else."""
    code = hashes(rows)
    zero = (
        set()
        if rows.intercept
        else {i for i in np.flatnonzero(code == 0).tolist() if not rows.dense([i]).any()}
    )
    yield from ({i: 1} for i in sorted(zero))
    order = np.argsort(code, kind="stable")
    for k in np.flatnonzero(np.diff(code[order]) == 0).tolist():
        i, j = sorted(order[k : k + 2].tolist())
        if i not in zero and rows.y[i] != rows.y[j] and (rows.dense([i]) == rows.dense([j])).all():
            yield {i: 1, j: 1}
