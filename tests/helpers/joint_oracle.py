"""The joint perceptron of many classes, followed literally in exact arithmetic."""

from fractions import Fraction

from oracle import Oracle


class JointOracle(Oracle):
    """A run of a number of epochs; the weights of all classes are one list, class after class."""

    def __init__(self, X, y, k, **choices):
        start = choices.pop("start", None)
        super().__init__(X, y, **choices)
        self.k, self.size = k, len(self.X[0])
        self.w = [Fraction(0)] * (k * self.size)
        if start is not None:
            self.w = [Fraction(v) for of_class in start for v in of_class]
        self.after_update = [self.w]
        self.after_epoch = [(self.w, None)]
        self.counts = [[0] * k for _ in range(self.n)]

    def scores(self, w, x):
        of_classes = [w[c * self.size : (c + 1) * self.size] for c in range(self.k)]
        return [sum(a * b for a, b in zip(v, x, strict=True)) for v in of_classes]

    def rival(self, w, i):
        scores = self.scores(w, self.X[i])
        others = [c for c in range(self.k) if c != self.y[i]]
        return max(others, key=lambda c: (scores[c], -c))

    def m(self, w, i):
        scores = self.scores(w, self.X[i])
        return scores[self.y[i]] - scores[self.rival(w, i)]

    def step(self, rows):
        before = self.w  # all rows of a batch step are judged by the same weights
        for i in rows:
            rival = self.rival(before, i)
            new = list(self.w)
            for c, sign in ((self.y[i], 1), (rival, -1)):
                self.counts[i][c] += sign
                for j, x in enumerate(self.X[i]):
                    new[c * self.size + j] += sign * self.c[i] * x
            self.w = new

    def shares(self, x):
        """The share of the votes that each class gets."""
        x = [Fraction(v) for v in x] + [self.X[0][-1]]
        votes = [0] * self.k
        for w in self.after_visit:
            scores = self.scores(w, x)
            votes[max(range(self.k), key=lambda c: (scores[c], -c))] += 1
        return [Fraction(v, len(self.after_visit)) for v in votes]

    def table(self, w):
        """The weights as an array has them."""
        return [[float(v) for v in w[c * self.size : (c + 1) * self.size]] for c in range(self.k)]
