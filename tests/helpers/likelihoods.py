"""The rows that decide about a likelihood, written down one by one from its formula: for each a
term of the log-likelihood that grows along weights w exactly where a·w > 0."""

from fractions import Fraction
from itertools import product

import numpy as np

import rational


def comparisons(family, X, y, weights=None, time=None, entry=None, strata=None, intercept=True):
    """Rows, and of each the rows of the table that take part in it. Levels of y are 1 … k."""
    x = [[Fraction(float(v)) for v in row] for row in X]
    there = [i for i in range(len(x)) if weights is None or weights[i]]
    one = [Fraction(1)] * intercept
    same = lambda i, j: strata is None or strata[i] == strata[j]  # noqa: E731
    rows, parts = [], []
    if family in ("poisson", "ppml"):  # y η - exp η
        for i in there:
            for sign in (-1, 1) if y[i] else (-1,):
                rows.append([sign * v for v in [*x[i], *one]])
                parts.append((i,))
    elif family == "ordinal":  # F(θ_y - η) - F(θ_(y-1) - η)
        k = max(y[i] for i in there)
        for i in there:
            for level, sign in ((y[i], 1), (y[i] - 1, -1)):
                if 0 < level < k:
                    theta = [Fraction(int(c == level)) for c in range(1, k)]
                    rows.append([sign * v for v in [*(-v for v in x[i]), *theta]])
                    parts.append((i,))
    else:
        for i, j in product(there, there):
            if i == j or not same(i, j) or not y[i]:
                continue
            since = entry is None or entry[j] < time[i]
            if family == "conditional" or (since and time[j] >= time[i]):
                rows.append([v - u for v, u in zip(x[i], x[j], strict=True)])
                parts.append((i, j))
    return rows, parts


def decided(rows, parts):
    """The verdict, and the rows of the table that are separated: every comparison is strict."""
    strict = rational.strict_rows(rows)
    tied = {i for k, some in enumerate(parts) if k not in strict for i in some}
    separated = {i for k, some in enumerate(parts) if k in strict for i in some} - tied
    return rational.verdict(strict, len(rows)), sorted(separated)


def cox_loss(score, event, time, strata=None):
    """Minus the partial likelihood, with Breslow's way with ties."""
    loss = 0.0
    for i in np.flatnonzero(event):
        there = (time >= time[i]) & (True if strata is None else strata == strata[i])
        loss += np.logaddexp.reduce(score[there]) - score[i]
    return loss
