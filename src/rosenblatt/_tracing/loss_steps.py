"""How far PassiveAggressive and AROW stepped: from rows and scores of the record, to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt._core.reference import scores_of
from rosenblatt._core.rows import Rows

if TYPE_CHECKING:
    from rosenblatt._tracing.run import Floats, Run


_BLOCK = 1 << 18  # numbers of precisions at a time


@np.errstate(all="ignore")  # a file may say anything
def lengths(run: Run) -> Floats:
    c, loss, square = run.weights[run.rows], 1 - run.margins, squares(run)
    if run.rule == "AROW":
        step = loss / (square + run.number / c)
    elif run.rule == "PA-II":
        step = loss / (square + 0.5 / (run.number * c))
    else:
        whole, most = loss / square, run.number * c
        step = np.where(whole < most, whole, most)
    return np.asarray(np.where(c > 0, step, 0.0))


def squares(run: Run) -> Floats:
    """What a step is held back by: ‖x̃‖², of AROW v = Σ x_j²/p_j; of many classes of both."""
    if run.rule == "AROW":
        variances = [_variances(run, part) for part in growing(run)]
        return np.concatenate(variances) if variances else np.empty(0)
    rows = Rows(run.X)
    each = rows.lifted_squares(0, rows.n, intercept=run.intercept)[run.rows]
    return each if run.k is None else 2 * each


class Grown(NamedTuple):
    """Some updates: where they begin, their directions, the precisions before and after them."""

    begin: int
    directions: Floats
    precisions: Floats  # one entry more


@np.errstate(all="ignore")
def growing(run: Run) -> Iterator[Grown]:
    """The precisions of AROW, one update after the other: they depend on the rows alone."""
    p, n = np.ones(run.start.shape), len(run.rows)
    length = max(1, _BLOCK // p.size)
    for begin in range(0, n, length):
        end = min(begin + length, n)
        x = run.directions(begin, end)
        added = x * x / by_update(rho(run)[begin:end], x)
        grown = np.add.accumulate(np.concatenate([p[None], added]), axis=0)
        yield Grown(begin, x, grown)
        p = grown[-1]


def moving(run: Run, start: Floats) -> Iterator[tuple[Grown, Floats]]:
    w = start + 0.0
    for part in growing(run):
        x = part.directions
        steps = by_update(run.steps[part.begin : part.begin + len(x)], x)
        moves = steps * x / part.precisions[:-1]
        block = np.add.accumulate(np.concatenate([w[None], moves]), axis=0)
        yield part, block
        w = block[-1]


def rho(run: Run) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(run.number / run.weights[run.rows])


def by_update(values: Floats, like: Floats) -> Floats:
    return values.reshape(-1, *[1] * (like.ndim - 1))


@np.errstate(all="ignore")
def _variances(run: Run, part: Grown) -> Floats:
    x, p = part.directions, part.precisions[:-1]
    if run.rivals is None:
        return _in_lanes(x * x / p)
    at, made = np.arange(len(x)), slice(part.begin, part.begin + len(x))
    own, rivals = (
        _in_lanes(x[at, c] * x[at, c] / p[at, c]) for c in (run.own[made], run.rivals[made])
    )
    return own + rivals


def _in_lanes(terms: Floats) -> Floats:
    """Added up as a score is, the last ones after all others."""
    ones = np.append(np.ones(terms.shape[1] - 1), 0.0)
    return np.asarray(scores_of(terms[:, :-1], ones) + terms[:, -1])
