"""Sums over blocks, PassiveAggressive and AROW, followed literally in floats: each operation is
rounded once, in the order that docs/definitions.md gives. Nothing of the library
is used."""

import math
import operator
from functools import reduce

from oracle import in_blocks, permutation


def folded(lanes):
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [a + b for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return lanes[0]


def in_lanes(terms):
    """Term j goes into lane j mod 16; the lanes fold in halves."""
    lanes = [0.0] * 16
    for j, term in enumerate(terms):
        lanes[j % 16] += term
    return folded(lanes)


def tree(parts, add=operator.add):
    """The largest 2^m of them by themselves, and the rest by itself."""
    if len(parts) == 1:
        return parts[0]
    m = 1
    while 2 * m < len(parts):
        m *= 2
    return add(tree(parts[:m], add), tree(parts[m:], add))


def over_blocks(terms, block, add=operator.add, zero=0.0):
    """Each block from zero, in the order of the rows; then the tree."""
    starts = range(0, len(terms), block)
    return tree([reduce(add, terms[begin : begin + block], zero) for begin in starts], add)


class Rounded:
    """A run of two classes (labels -1 and 1), or of k classes (labels 0 to k - 1)."""

    def __init__(self, X, y, *, kind, number, c=None, intercept=True, k=None, seed=0):
        self.X, self.y, self.n = X.tolist(), [int(v) for v in y], len(y)
        self.c = [1.0] * self.n if c is None else [float(v) for v in c]
        self.kind, self.number, self.intercept, self.k, self.seed = kind, number, intercept, k, seed
        size, vectors = X.shape[1] + 1, k or 1
        self.w, self.drift, self.p = (
            [[start] * size for _ in range(vectors)] for start in (0.0, 0.0, 1.0)
        )
        self.visits = self.updates = 0
        self.mistakes, self.clean = [], False
        self.margins = []  # by visit
        self.lengths, self.path = [], []  # by update: τ or α, and the weights after it

    def score(self, w, x):
        return in_lanes([a * b for a, b in zip(x, w[:-1], strict=True)]) + w[-1]

    def seen(self, i):
        """The margin of row i, and which weights change by which sign."""
        x, y = self.X[i], self.y[i]
        if self.k is None:
            return y * self.score(self.w[0], x), [(0, float(y))]
        scores = [self.score(w, x) for w in self.w]
        rival = max((c for c in range(self.k) if c != y), key=lambda c: (scores[c], -c))
        return scores[y] - scores[rival], [(y, 1.0), (rival, -1.0)]

    def square(self, i, changed):
        x = self.X[i]
        if self.kind == "AROW":
            total = None
            for c, _ in changed:
                p = self.p[c]
                found = in_lanes([v * v / q for v, q in zip(x, p[:-1], strict=True)])
                found += 1 / p[-1] if self.intercept else 0.0
                total = found if total is None else total + found
            return total
        return len(changed) * (in_lanes([v * v for v in x]) + (1.0 if self.intercept else 0.0))

    def length(self, i, m, changed):
        c, square = self.c[i], self.square(i, changed)
        if self.kind == "AROW":
            return (1 - m) / (square + self.number / c)
        most = self.number * c
        if self.kind == "PA-II":
            return (1 - m) / (square + 0.5 / most)
        whole = (1 - m) / square if square else float("inf")
        return min(whole, most)

    def visit(self, i):
        m, changed = self.seen(i)
        self.margins.append(m)
        if self.kind in ("PA-I", "PA-II"):
            m -= math.sqrt(self.c[i]) - 1  # a weight is a cost
        calls = m < 1
        if calls:
            length = self.length(i, m, changed)
            for c, sign in changed:
                self.move(i, c, length * sign)
            self.updates += 1
            self.lengths.append(length)
            self.path.append([list(w) for w in self.w])
        self.visits += 1
        return calls

    def move(self, i, c, step):
        x = self.X[i] + [1.0 if self.intercept else 0.0]
        p, sure = self.p[c], self.kind == "AROW"
        shift = self.visits * step
        for j, v in enumerate(x):
            self.w[c][j] += step * v / p[j] if sure else step * v
            self.drift[c][j] += shift * v / p[j] if sure else shift * v
        if sure:
            for j, v in enumerate(x):
                p[j] += v * v / (self.number / self.c[i])

    def rows(self, order, e, block):
        if order == "blocks":
            return in_blocks(self.seed, e, self.n, block)
        return range(self.n) if order == "cyclic" else permutation(self.seed, e, self.n)

    def run(self, order, epochs, block=1 << 16):
        draws = self.draws()
        for e in range(epochs):
            if order == "random":
                self.mistakes.append(0)
                for _ in range(self.n):
                    self.mistakes[-1] += next(draws)
                    if self.clean:
                        break
            else:
                self.mistakes.append(sum([self.visit(i) for i in self.rows(order, e, block)]))
                self.clean = self.mistakes[-1] == 0
            if self.clean:
                break
        return self

    def draws(self):
        k = 0
        while True:
            for seen, i in enumerate(permutation(self.seed, k, self.n), start=1):
                mistake = self.visit(i)
                self.clean = not mistake and seen == self.n
                yield mistake
                if mistake:
                    break
            k += 1

    def mean(self):
        return [
            [a - b / self.visits for a, b in zip(w, drift, strict=True)]
            for w, drift in zip(self.w, self.drift, strict=True)
        ]
