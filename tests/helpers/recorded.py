"""Training in exact arithmetic that writes down every update, as an oracle for traces."""

from fractions import Fraction

from oracle import Oracle


class Recorded(Oracle):
    """`log` has (row, visit, score before) of every update; weights in units of η."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = []

    def step(self, rows):
        visit = len(self.after_visit)
        self.log += [(i, visit, self.y[i] * self.m(self.w, i)) for i in rows]
        self.move(rows)

    def move(self, rows):
        super().step(rows)


class RecordedKernel(Recorded):
    """The same in dual form: X is the Gram matrix, weights are the coefficients and b."""

    def move(self, rows):
        for i in rows:
            step = self.c[i] * self.y[i]
            w = list(self.w)
            w[i] += step
            w[-1] += step * self.X[0][-1]
            self.w = w
            self.counts[i] += 1


def square(v):
    return sum((a * a for a in v), Fraction(0))


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))
