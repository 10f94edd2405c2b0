"""What the kernels of the GPU decide, in NumPy: the same steps, slowly, where there is no GPU.

`permutation` follows permute.cu; `walk` follows prepare.cu, keep.cu and decide.cu with one slice of
columns, in float32 where they are; `speculate` follows speculate.cu.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt._core import reference
from rosenblatt._core.gpu.rows import BLOCK, bounds

LANES = 16


def permutation(n, size, seed, first, places, rows=None):
    """Each `size` places permuted by themselves, all at once."""

    def partner(p):
        b = p // size
        origin = b * size
        local = reference._partner(seed, first + b, min(size, n - origin), p - origin)
        return origin + local

    with_place = [partner(p) for p in range(n)]
    steps = [[] for _ in range(n)]  # those that swap with a place
    for p, other in enumerate(with_place):
        steps[other].append(p)

    def largest_below(i, place):
        return max((j for j in steps[place] if j < i), default=-1)

    before = [largest_below(p, p) for p in range(n)]
    pool = np.empty(n, dtype=np.int32)
    for p in range(n):
        held, j = with_place[p], largest_below(p, with_place[p])
        while j >= 0:
            held, j = j, before[j]
        pool[places[p // size] + p % size] = held if rows is None else rows[held]
    return pool


class Walked(NamedTuple):
    """How many updates, how many rows were scored as defined, and how sharp the bound was."""

    updates: int
    exact: int
    sharpest: float  # the largest |M - D| / E


class _Bound:
    """E as decide.cu has it: in float32, by differences."""

    def __init__(self, t, largest, length, proved, d):
        f = np.float32
        u, size, s = f(1.02 * 2.0**-24), f(proved.size), f(t)
        columns = d + 1
        fixed = u * f(columns // LANES + 1 + 1 + 12) * f(proved.radius) * length + f(proved.error)

        def at(s):
            return u * (s * f(d + 12) * size + (s + f(6)) * (largest + s * size)) + fixed

        self.now, self.most = at(s), f(2.02) * u * size
        self.more = at(s + f(1)) - self.now + f(2) * u * fixed

    def grow(self):
        self.now = self.now + self.more
        self.more = self.more + self.most


def walk(X, y, c, margin, intercept, w, counts=None, shrink=1.0):
    """One pass over rows in their order; w is changed. `shrink` spoils the bound, for tests."""
    n, d = X.shape
    c = np.ones(n) if c is None else c
    lifted = np.hstack([X.astype(np.float64), np.full((n, 1), float(intercept))])
    longest = float((X.astype(np.float64) ** 2).sum(axis=1).max()) * (1 + (d + 16) * 2.0**-52)
    proved = bounds(
        longest=longest,
        heaviest=float(c.max()),
        intercept=intercept,
        w_length=1.001 * float(np.linalg.norm(w)),
        rows=n,
        d=d,
    )
    assert proved is not None
    single = (y[:, None] * lifted).astype(np.float32)
    updates = exact = 0
    sharpest = 0.0
    late = np.empty(0, dtype=int)  # updates that the keepers have not added yet
    kept = w.copy()  # the keepers' weights: those of the block before the last
    for begin in range(0, n, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, n))
        given = single[rows] @ kept.astype(np.float32) - np.float32(margin)
        M = given.copy()
        for i in late:
            M += _gram(single, c, i, rows)
        length = np.float32(1.0001) * np.float32(np.linalg.norm(kept.astype(np.float32)))
        bound = _Bound(len(late), np.abs(given).max(), length, proved, d)
        found = []
        for at, k in enumerate(rows):
            limit = bound.now * np.float32(shrink)
            defined = y[k] * reference.score(X[k].astype(np.float64), w) - margin
            sharpest = max(sharpest, abs(float(M[at]) - defined) / float(bound.now))
            if M[at] > limit:
                continue
            if not M[at] < -limit:
                exact += 1
                if defined > 0:
                    continue
            w += (y[k] * c[k]) * lifted[k]
            M += _gram(single, c, k, rows)
            bound.grow()
            found.append(k)
            if counts is not None:
                counts[k] += 1
        for i in late:
            kept += (y[i] * c[i]) * lifted[i]
        late = np.array(found, dtype=int)
        updates += len(found)
    return Walked(updates, exact, sharpest)


def _gram(single, c, i, rows):
    return (np.float32(c[i]) * (single[rows] @ single[i])).astype(np.float32)


def speculate(X, y, c, margin, intercept, w, counts, window=1):
    """One pass: a window is scored under the same weights, only its first mistake counts."""
    n, updates, pos = len(X), 0, 0
    lifted = np.hstack([X.astype(np.float64), np.full((n, 1), float(intercept))])
    while pos < n:
        stop = min(n, pos + window)
        scores = reference.scores_of(X[pos:stop].astype(np.float64), w)
        wrong = np.flatnonzero(~(y[pos:stop] * scores > margin))
        if not len(wrong):
            pos, window = stop, 2 * window
            continue
        i = pos + wrong[0]
        w += (y[i] * (1.0 if c is None else c[i])) * lifted[i]
        counts[i] += 1
        updates, window, pos = updates + 1, 2 * int(wrong[0] + 1), i + 1
    return updates
