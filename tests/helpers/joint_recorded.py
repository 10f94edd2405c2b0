"""Training on many classes in exact arithmetic that writes down every update with its rival."""

from joint_oracle import JointOracle


class JointRecorded(JointOracle):
    """`log` has (row, visit, margin before, rival) of every update; weights in units of η."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.log = []

    def step(self, rows):
        visit, w = len(self.after_visit), self.w
        self.log += [(i, visit, self.m(w, i), self.rival(w, i)) for i in rows]
        self.move(rows)

    def move(self, rows):
        super().step(rows)


class JointRecordedKernel(JointRecorded):
    """The same in dual form: X is the Gram matrix, weights are the coefficients and b."""

    def move(self, rows):
        before = self.w
        for i in rows:
            rival, new = self.rival(before, i), list(self.w)
            for c, step in ((self.y[i], self.c[i]), (rival, -self.c[i])):
                new[c * self.size + i] += step
                new[(c + 1) * self.size - 1] += step * self.X[0][-1]
            self.w = new
