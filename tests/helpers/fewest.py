"""The fewest errors, found literally: rows are kept or given up, one after the other.

Whether rows that are kept have a separator is asked of the rational linear program. Independent of
the library; exponential.
"""

from fractions import Fraction
from itertools import pairwise

import rational


def separable(rows):
    return len(rational.strict_rows(rows)) == len(rows)


def fewest(rows, weights):
    """The least total weight of rows without which the others have a separator."""
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

    go([], 0, Fraction(0))
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
