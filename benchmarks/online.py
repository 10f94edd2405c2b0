"""One row at a time beside scikit-learn's Perceptron: predict and partial_fit.

Run with `make bench`; name cases to run only those: `python benchmarks/online.py predict`.
"""

import sys
from functools import partial

from run import Theirs, best_of, dense, machine, main

from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier

ROWS, REPEATS = 10, 300  # short turns: a neighbour spoils few of them


def each_row(ask, *tables):
    """Hands out the rows one by one; times ROWS calls as one."""
    rows = [[table[i : i + 1] for table in tables] for i in range(ROWS)]

    def run():
        for row in rows:
            ask(*row)

    return run


def in_microseconds(*sides):
    return [1000 * ms / ROWS for ms in best_of(REPEATS, *sides)]


def bench_predict():
    for d in (10, 100):
        X, y = dense(100, d, "float64")
        machines = [
            Theirs(),
            Perceptron(random_state=0),
            Perceptron(keep="vote", max_iter=3, random_state=0),
            RandomLinearClassifier(random_state=0),
            KernelPerceptron(random_state=0),
        ]
        names = ["Perceptron", "Perceptron, vote", "RandomLinearClassifier", "KernelPerceptron"]
        peer, *ours = in_microseconds(*(each_row(m.fit(X, y).predict, X) for m in machines))
        for name, mine, target in zip(names, ours, [">= 5"] + 3 * ["no target"], strict=True):
            yield f"{name}.predict of 1 x {d}", peer, mine, peer / mine, target


def bench_partial_fit():
    for d in (10, 100):
        X, y = dense(100, d, "float64")
        for keep in ("best", "last", "average", "pocket"):
            machines = Theirs(), Perceptron(keep=keep)
            calls = [partial(m.partial_fit, classes=None) for m in machines]
            for m in machines:
                m.partial_fit(X, y, classes=[False, True])
            peer, mine = in_microseconds(*(each_row(call, X, y) for call in calls))
            yield f"partial_fit of 1 x {d}, {keep}", peer, mine, peer / mine, ">= 3"


if __name__ == "__main__":
    print(machine())
    print(f"Times in µs for a call, best of {REPEATS} x {ROWS} calls, the sides taking turns.")
    main(sys.argv[1:], globals(), "| case | scikit-learn | rosenblatt | ratio | target |")
