"""Separation decided literally, in exact arithmetic: slow, simple, and independent of the library.

Rows are lifted, a_i = y_i (x_i, 1) or y_i x_i, as lists of Fractions. Two oracles that share
nothing answer the same questions: linear programs (by the textbook's simplex), and all extreme rays
of the cone {w: all a_i·w >= 0} (by trying every set of rows that could span one). A third, for
points in the plane, knows no hyperplanes at all: Kirchberger's theorem on at most four points.
"""

import math
from fractions import Fraction
from itertools import combinations

COMPLETE, QUASI = "complete separation", "quasi-complete separation"
OVERLAP, UNDECIDED = "overlap", "undecided"


def decimal(x):
    """The number that is written, not the one that is stored."""
    return Fraction(repr(float(x)))


def lifted(X, y, intercept=True, exact=Fraction):
    """a_i for rows X and signs y; `exact` says which number a float stands for."""
    return [
        [int(sign) * exact(float(v)) for v in x] + [Fraction(int(sign))] * intercept
        for x, sign in zip(X, y, strict=True)
    ]


def lift(X, y, k, intercept, exact=Fraction):
    """Of k classes: every row against each class but its own, with a block for every class, none
    left out; and the names (row, rival) of these."""
    rows, names = [], []
    for i, (x, own) in enumerate(zip(X, y, strict=True)):
        point = [exact(float(v)) for v in x] + [Fraction(1)] * intercept
        for rival in (c for c in range(k) if c != own):
            signs = [(c == own) - (c == rival) for c in range(k)]
            rows.append([s * v for s in signs for v in point])
            names.append((i, rival))
    return rows, names


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))


def verdict(strict, n):
    """By Albert and Anderson, from the rows that can be strictly on the right side."""
    return COMPLETE if len(strict) == n else QUASI if strict else OVERLAP


# --- By linear programs ---------------------------------------------------------------------------


def maximum(c, A, b):
    """An x >= 0 with A x <= b and the greatest c·x, where b >= 0; all in whole numbers.

    Simplex with Bland's rule, which cannot cycle. The table holds whole numbers over one common
    denominator, so that an exchange is the 2x2 determinants over the old one: they always divide.
    """
    m, n = len(A), len(c)
    table = [[*row, right] for row, right in zip(A, b, strict=True)] + [[-v for v in c] + [0]]
    inside, outside, below = list(range(n, n + m)), list(range(n)), 1
    while True:
        entering = [j for j in range(n) if table[m][j] < 0]
        if not entering:
            x = [Fraction(0)] * (n + m)
            for i, name in enumerate(inside):
                x[name] = Fraction(table[i][n], below)
            return x[:n]
        s = min(entering, key=outside.__getitem__)
        leaving = [i for i in range(m) if table[i][s] > 0]
        assert leaving, "unbounded"
        r = min(leaving, key=lambda i: (Fraction(table[i][n], table[i][s]), inside[i]))
        inside[r], outside[s] = outside[s], inside[r]
        pivot, old = table[r], table[r][s]
        for i, row in enumerate(table):
            if i != r:
                factor = row[s]
                table[i] = [
                    (v * old - factor * p) // below for v, p in zip(row, pivot, strict=True)
                ]
                table[i][s] = -factor
        pivot[s], below = below, old


def best(goal, rows):
    """A w with the greatest goal·w where all a·w >= 0 and goal·w <= 1: it reaches 1 or 0."""

    def split(a):  # w = u - t (1, ..., 1) with u, t >= 0
        return [*a, -sum(a)]

    A = [[-v for v in split(a)] for a in rows] + [split(goal)]
    *u, t = maximum(split(goal), A, [0] * len(rows) + [1])
    return [v - t for v in u]


def whole(row):
    """A positive multiple of a row, in whole numbers: it has the same signs."""
    common = math.lcm(*(v.denominator for v in row))
    return [int(v * common) for v in row]


def strict_rows(rows):
    """Rows that some w has strictly on the right side and none on the wrong side.

    The sum of two such w does for both of their rows, so there is a greatest set.
    """
    rows = [whole(a) for a in rows]
    strict = set()
    while True:
        rest = [i for i in range(len(rows)) if i not in strict]
        w = best([sum(rows[i][j] for i in rest) for j in range(len(rows[0]))], rows)
        found = {i for i in rest if dot(rows[i], w) > 0}
        if not found:
            return strict
        strict |= found


def sign_sets(rows):
    """The signs of each w_j over all w with no row on the wrong side: "+", "-", "±" or "0"."""
    rows = [whole(a) for a in rows]
    found = []
    for j in range(len(rows[0])):
        e = [int(k == j) for k in range(len(rows[0]))]
        up, down = (best([s * v for v in e], rows)[j] != 0 for s in (1, -1))
        found.append("±" if up and down else "+" if up else "-" if down else "0")
    return found


def sign_sets_without(rows, places):
    """The same of rows without these columns, which are combinations of others; "0" in them."""
    kept = [j for j in range(len(rows[0])) if j not in places]
    signs = dict(zip(kept, sign_sets([[a[j] for j in kept] for a in rows]), strict=True))
    return [signs.get(j, "0") for j in range(len(rows[0]))]


def collinear(rows, intercept):
    """Columns in the span of those before them, of which they are simple combinations: first the
    intercept, then columns with few numbers that are not 0. None where there are fewer rows than
    columns."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    order = sorted(range(len(columns)), key=lambda j: sum(v != 0 for v in columns[j]))
    if intercept:
        order.remove(len(columns) - 1)
        order.insert(0, len(columns) - 1)
    kept, found = [], []
    for j in order:
        some = [*kept, j]
        (shares,) = kernel([[a[k] for k in some] for a in rows], len(some)) or [None]
        if shares is None:
            kept.append(j)
        elif all(abs(v.numerator) <= 2**29 >= v.denominator for v in shares):
            found.append(j)
    return sorted(found) if len(rows) >= len(columns) else []


# --- By extreme rays ------------------------------------------------------------------------------


def echelon(vectors):
    """Reduced rows and their pivots."""
    reduced, pivots = [], []
    for vector in vectors:
        v = list(vector)
        for row, j in zip(reduced, pivots, strict=True):
            v = [a - v[j] * b for a, b in zip(v, row, strict=True)]
        j = next((j for j, entry in enumerate(v) if entry), None)
        if j is not None:
            v = [entry / v[j] for entry in v]
            reduced = [[a - row[j] * b for a, b in zip(row, v, strict=True)] for row in reduced]
            reduced.append(v)
            pivots.append(j)
    return reduced, pivots


def kernel(vectors, size):
    """A basis of what is orthogonal to all of the vectors."""
    reduced, pivots = echelon(vectors)
    found = []
    for free in (j for j in range(size) if j not in pivots):
        v = [Fraction(int(j == free)) for j in range(size)]
        for row, j in zip(reduced, pivots, strict=True):
            v[j] = -row[free]
        found.append(v)
    return found


def by_rays(rows):
    """(strict rows, sign sets) from the generators of the cone.

    Within the span of the rows the cone has no line, and each of its extreme rays is orthogonal to
    rows of one rank less than the span. The cone is their blends plus what is orthogonal to all.
    """
    size = len(rows[0])
    basis, _ = echelon(rows)
    inner = [[dot(a, b) for b in basis] for a in rows]  # a·w for w = Σ z_k basis_k
    rays = []
    for chosen in combinations(inner, max(len(basis) - 1, 0)):
        line = kernel(chosen, len(basis))
        both = [line[0], [-v for v in line[0]]] if len(line) == 1 else []
        inside = [z for z in both if all(dot(a, z) >= 0 for a in inner)]
        rays += [[dot(z, column) for column in zip(*basis, strict=True)] for z in inside]
    strict = {i for i, a in enumerate(rows) if any(dot(a, ray) > 0 for ray in rays)}
    free = kernel(rows, size)
    signs = []
    for j in range(size):
        up = any(ray[j] > 0 for ray in rays) or any(v[j] for v in free)
        down = any(ray[j] < 0 for ray in rays) or any(v[j] for v in free)
        signs.append("±" if up and down else "+" if up else "-" if down else "0")
    return strict, signs


# --- In the plane ---------------------------------------------------------------------------------


def turn(p, q, r):
    """The sign of the area of the triangle p, q, r."""
    area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    return (area > 0) - (area < 0)


def between(p, q, r):
    """Is p on the segment from q to r?"""
    within = all(min(a, b) <= v <= max(a, b) for v, a, b in zip(p, q, r, strict=True))
    return turn(p, q, r) == 0 and within


def separable_in_the_plane(points, others):
    """Kirchberger: a line separates two sets of points unless four of the points forbid it."""
    for one, two in ((points, others), (others, points)):
        if any(between(p, q, r) for p in one for q in two for r in two):
            return False
        for q, r, s in combinations(two, 3):
            if any(abs(turn(p, q, r) + turn(p, r, s) + turn(p, s, q)) == 3 for p in one):
                return False
    return not any(
        turn(p, q, r) * turn(p, q, s) < 0 and turn(r, s, p) * turn(r, s, q) < 0
        for p, q in combinations(points, 2)
        for r, s in combinations(others, 2)
    )


def distance2(p, q, r):
    """The square of the distance from p to the segment from q to r."""
    along, to = ([b - a for a, b in zip(q, end, strict=True)] for end in (r, p))
    length2 = dot(along, along)
    t = min(max(dot(along, to) / Fraction(length2), 0), 1) if length2 else 0
    gap = [a - t * b for a, b in zip(to, along, strict=True)]
    return dot(gap, gap)


def hull_distance2(points, others):
    """The square of the distance of two hulls in the plane, if they are disjoint."""
    return min(
        distance2(p, q, r)
        for one, two in ((points, others), (others, points))
        for p in one
        for q in two
        for r in two
    )


# --- In any space ---------------------------------------------------------------------------------


def least_distance2(rows):
    """The square of the distance of the origin from the hull of rows.

    The nearest point is a blend of some rows in general position, and is the point nearest to the
    origin in the flat that they span: blends Σ λ_i a_i, Σ λ_i = 1, where all a_i·Σ λ_k a_k = μ.
    """
    found = []
    for size in range(1, len(rows[0]) + 2):
        for some in combinations(rows, min(size, len(rows))):
            # (λ, μ, -1) is orthogonal to these:
            equations = [[*(dot(a, b) for b in some), Fraction(-1), Fraction(0)] for a in some]
            equations.append([Fraction(1)] * len(some) + [Fraction(0), Fraction(1)])
            solutions = kernel(equations, len(some) + 2)
            if len(solutions) == 1:
                *weights, square, _ = (-v / solutions[0][-1] for v in solutions[0])
                if min(weights) >= 0:
                    found.append(square)
    return min(found)
