"""The fewest errors, found literally: rows are kept or given up, one after the other.

Whether rows that are kept have a separator is asked of the rational linear program. Independent of
the library; exponential.
"""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

import rational


def separable(rows):
    return len(rational.strict_rows(rows)) == len(rows)


def fewest(rows, weights, always=()):
    """The least total weight of rows without which the others have a separator, which is right
    about those that are always kept."""
    order = sorted(range(len(rows)), key=lambda i: -weights[i])
    rows, weights = [rows[i] for i in order], [Fraction(weights[i]) for i in order]
    best = sum(weights)

    def go(kept, k, cost):
        nonlocal best
        if cost >= best:
            return
        if k == len(rows):
            best = cost
            return
        if separable([*kept, rows[k]]):
            go([*kept, rows[k]], k + 1, cost)
        go(kept, k + 1, cost + weights[k])

    go(list(always), 0, Fraction(0))
    return best


def fewest_on_a_line(x, y, weights):
    """One feature and an intercept: every threshold, both ways round, and no threshold at all."""
    found = []
    values = sorted(set(x))
    cuts = [(a + b) / 2 for a, b in pairwise(values)]
    for cut in [min(values) - 1, *cuts]:
        for sign in (-1, 1):
            wrong = [w for v, s, w in zip(x, y, weights, strict=True) if s * sign * (v - cut) < 0]
            found.append(sum(wrong))
    return min(found)


def errors_along(w, X, y, cost):
    """The fewest errors of (w, b) over all b, in fractions."""
    scores = [sum(Fraction(v) * c for v, c in zip(row, w, strict=True)) for row in X]
    cuts = sorted(set(scores))
    middles = [
        cuts[0] - 1,
        *((a + b) / 2 for a, b in pairwise(cuts)),
        cuts[-1] + 1,
    ]
    return min(
        sum(c for s, label, c in zip(scores, y, cost, strict=True) if label * (s - cut) <= 0)
        for cut in middles
    )


def every_direction(X):
    """Of the plane: those at which two rows change places, the axes, and one between each two."""
    found = {(0, 1), (1, 0), (0, -1), (-1, 0)}
    for a, b in combinations({tuple(row) for row in X}, 2):
        dx, dy = (Fraction(v) - Fraction(u) for u, v in zip(a, b, strict=True))
        found |= {(-dy, dx), (dy, -dx)}
    turn = sorted(found, key=lambda v: np.arctan2(float(v[1]), float(v[0])))
    unit = [tuple(c / max(abs(v[0]), abs(v[1])) for c in v) for v in turn]
    between = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(unit, unit[1:] + unit[:1], strict=True)]
    return [v for v in [*unit, *between] if any(v)]


def fewest_with_sign(X, y, cost, j, sign, demanded=(0, 0)):
    """Rules whose weight on column j is 0 or has this sign, and those demanded beside it."""
    constant = min(sum(c for c, label in zip(cost, y, strict=True) if label == s) for s in (1, -1))
    allowed = [w for w in every_direction(X) if sign * w[j] >= 0]
    allowed = [w for w in allowed if all(s * v >= 0 for s, v in zip(demanded, w, strict=True))]
    return min([constant, *(errors_along(w, X, y, cost) for w in allowed)])
