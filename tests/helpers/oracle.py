"""The definitions, followed literally in exact arithmetic: slow, and independent of the library.

Every weight vector that was ever current is stored, means are taken over the stored ones, mistakes
are counted over all rows every time.
"""

from fractions import Fraction

M = (1 << 64) - 1
G = 0x9E3779B97F4A7C15


def splitmix(state):
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return z ^ (z >> 31)


def permutation(seed, k, n):
    """Permutation k of a seed: Fisher and Yates from the front with SplitMix64."""
    state, places = splitmix((seed + (k + 1) * G) & M), list(range(n))
    for i in range(n):
        state = (state + G) & M
        j = i + (splitmix(state) * (n - i)) // (1 << 64)
        places[i], places[j] = places[j], places[i]
    return places


def in_blocks(seed, e, n, block):
    """Rows 0 to n - 1 as epoch e of order="blocks" visits them."""
    rows = []
    for b in permutation(seed, e << 32, -(-n // block)):
        within = permutation(seed, (e << 32) + 1 + b, min(block, n - b * block))
        rows += [b * block + i for i in within]
    return rows


class Oracle:
    """A perceptron run of a number of epochs; everything in Fractions and in units of η."""

    def __init__(
        self,
        X,
        y,
        *,
        c=None,
        margin=0,
        intercept=True,
        start=None,
        seed=0,
        tie="mistake",
        decay=0,
        relaxation=None,
        signs=None,
        shrink=0,
    ):
        self.X = [[Fraction(v) for v in row] + [Fraction(int(intercept))] for row in X.tolist()]
        self.y, self.n = [int(v) for v in y], len(y)
        self.c = [Fraction(1)] * self.n if c is None else [Fraction(v) for v in c]
        self.margin, self.seed = Fraction(margin), seed
        self.right_at_0 = {"mistake": None, "positive": 1, "negative": -1}[tie]  # this label is
        self.decay, self.relaxation, self.steps = Fraction(decay), relaxation, 0
        self.shrink = Fraction(shrink)
        self.signs = [0] * len(self.X[0]) if signs is None else [*signs, 0]
        self.w = [Fraction(v) for v in (start if start is not None else [0] * len(self.X[0]))]
        self.after_visit = []  # the weights after each visit
        self.after_update = [self.w]  # the start, then the weights after each update
        self.after_epoch = [(self.w, None)]  # (last, mean so far); the start has no mean
        self.mistakes, self.counts, self.clean = [], [0] * self.n, False

    def m(self, w, i):
        return self.y[i] * sum(a * b for a, b in zip(w, self.X[i], strict=True))

    def calls(self, w, i):
        """Where a score of 0 is right for the label, only a margin that is asked for calls."""
        m = self.m(w, i)
        if m == 0 == self.margin:
            return self.y[i] != self.right_at_0
        return m <= self.margin

    def length(self, i):
        if self.relaxation is None:
            return 1 / (1 + self.decay * self.steps)
        square = sum(v * v for v in self.X[i])
        return Fraction(self.relaxation) * (self.margin - self.m(self.w, i)) / square

    def step(self, rows):
        lengths = [self.length(i) * self.c[i] * self.y[i] for i in rows]  # under the same weights
        self.steps += 1
        for i, length in zip(rows, lengths, strict=True):
            self.w = [a + length * b for a, b in zip(self.w, self.X[i], strict=True)]
            self.counts[i] += 1
        self.w = [v if s * v >= 0 else Fraction(0) for s, v in zip(self.signs, self.w, strict=True)]

    def visit(self, i):
        mistake = self.calls(self.w, i)
        if mistake:
            self.step([i])
            self.after_update.append(self.w)
        if self.shrink and (len(self.after_visit) + 1) % 32 == 0:
            left = (1 - self.shrink / (1 + self.decay * self.steps)) ** 32
            self.w = [v * left for v in self.w[:-1]] + self.w[-1:]
        self.after_visit.append(self.w)
        return mistake

    def mean(self):
        k = len(self.after_visit)
        return [sum(w[j] for w in self.after_visit) / k for j in range(len(self.w))]

    def rows(self, order, e, block):
        """The rows that epoch e visits."""
        if order == "blocks":
            return in_blocks(self.seed, e, self.n, block)
        if order == "cyclic":
            return range(self.n)
        return permutation(self.seed, 0 if order == "fixed" else e, self.n)

    def run(self, order, epochs, block=1 << 16):
        draws = self.draws()
        for e in range(epochs):
            self.mistakes.append(0)
            if order == "batch":
                rows = [i for i in range(self.n) if self.calls(self.w, i)]
                self.step(rows)
                if rows:
                    self.after_update.append(self.w)
                self.after_visit.append(self.w)
                self.mistakes[-1] = len(rows)
                self.clean = not rows
            elif order == "random":
                for _ in range(self.n):
                    self.mistakes[-1] += next(draws)
                    if self.clean:
                        break
            else:
                self.mistakes[-1] = sum([self.visit(i) for i in self.rows(order, e, block)])
                self.clean = self.mistakes[-1] == 0 and not self.shrink
            self.after_epoch.append((self.w, self.mean()))
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

    def wrong(self, w, i):
        m = self.m(w, i)
        return m < 0 or (m == 0 and self.y[i] != self.right_at_0)

    def errors(self, w):
        return sum(self.wrong(w, i) for i in range(self.n))

    def weighted_errors(self, w):
        return sum(self.c[i] for i in range(self.n) if self.wrong(w, i))

    def best(self):
        """Fewest weighted mistakes; ties prefer an average, then the older."""
        rivals = []
        for age, (last, mean) in enumerate(self.after_epoch):
            rivals.append((self.weighted_errors(last), 1, age, last))
            if mean is not None:
                rivals.append((self.weighted_errors(mean), 0, age, mean))
        return min(rivals, key=lambda r: r[:3])[3]

    def pocket(self):
        return min((self.weighted_errors(w), age, w) for age, w in enumerate(self.after_update))[2]

    def mean_vote(self, x):
        x = [Fraction(v) for v in x] + [self.X[0][-1]]
        votes = [
            1 if sum(a * b for a, b in zip(w, x, strict=True)) >= 0 else -1
            for w in self.after_visit
        ]
        return Fraction(sum(votes), len(votes))
