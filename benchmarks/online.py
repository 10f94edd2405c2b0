"""One row at a time beside scikit-learn's Perceptron, and dicts beside river; rules that change.

Run with `make bench`; name cases to run only those: `python benchmarks/online.py predict`. Dicts
are compared with river where it is installed (`pip install river`).
"""

import sys
import time
from functools import partial

import numpy as np
from run import Theirs, best_of, dense, machine, main
from scipy import sparse
from sklearn.base import clone

from rosenblatt import (
    AROW,
    KernelPerceptron,
    OneByOne,
    PassiveAggressive,
    Perceptron,
    RandomLinearClassifier,
)

ROWS, REPEATS = 10, 300  # short turns: a neighbour spoils few of them


def each_row(ask, *tables):
    """Hands out the rows one by one; times ROWS calls as one."""
    rows = [[table[i : i + 1] for table in tables] for i in range(ROWS)]

    def run():
        for row in rows:
            ask(*row)

    return run


def in_microseconds(*sides, repeats=REPEATS, clock=time.perf_counter):
    return [1000 * ms / ROWS for ms in best_of(repeats, *sides, clock=clock)]


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


def bench_sparse():
    """A row of 50 words: the cost does not grow with the columns."""
    rng = np.random.default_rng(0)
    for d in (1 << 12, 1 << 22):
        ends = np.arange(0, 50 * ROWS + 1, 50)
        columns = np.concatenate([np.sort(rng.choice(d, 50, replace=False)) for _ in range(ROWS)])
        X = sparse.csr_matrix((rng.random(50 * ROWS), columns, ends), shape=(ROWS, d))
        y = np.arange(ROWS) % 2
        for mine in (Perceptron(), PassiveAggressive(), AROW(forget=0), AROW()):
            machines = [m.partial_fit(X[:2], y[:2], classes=[0, 1]) for m in (Theirs(), mine)]
            for name, calls in (
                ("partial_fit", [each_row(m.partial_fit, X, y) for m in machines]),
                ("predict", [each_row(m.predict, X) for m in machines]),
            ):
                peer, ours = in_microseconds(*calls, repeats=10, clock=time.process_time)
                yield f"{mine}.{name} of 50 of {d}", peer, ours, peer / ours, "no target"


def bench_dicts():
    from river.linear_model import PAClassifier
    from river.linear_model import Perceptron as OfRiver
    from river.multiclass import OneVsRestClassifier

    rng = np.random.default_rng(0)
    for size, k in ((20, 2), (100, 2), (100, 100)):
        rows = [{f"w{j}": v for j, v in enumerate(rng.normal(size=size))} for _ in range(ROWS)]
        y = [bool(i % 2) if k == 2 else i % k for i in range(ROWS)]
        classes = None if k == 2 else range(k)
        for peer, mine in (
            (OfRiver(), Perceptron()),
            (OfRiver(), Perceptron(keep="last")),
            (PAClassifier(), PassiveAggressive()),
            (PAClassifier(), AROW()),
        ):
            machines = (
                peer if k == 2 else OneVsRestClassifier(peer),
                OneByOne(mine, classes=classes),
            )
            for m in machines:
                for c in classes or ():
                    m.learn_one(rows[0], c)
            learn = [partial(in_turn, m.learn_one, rows, y) for m in machines]
            predict = [partial(in_turn, m.predict_one, rows) for m in machines]
            for name, calls in (("learn_one", learn), ("predict_one", predict)):
                theirs, ours = in_microseconds(*calls, repeats=30, clock=time.process_time)
                case = f"{mine}.{name} of {size} features, {k} classes"
                yield case, theirs, ours, theirs / ours, "no target"


def in_turn(ask, *tables):
    for row in zip(*tables, strict=True):
        ask(*row)


def bench_drift():
    """The rule changes at row 10,000 of 20,000: % wrong just before that, after it, and later."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    rules = rng.normal(size=(2, 20))
    y = np.concatenate([X[:10_000] @ rules[0] > 0, X[10_000:] @ rules[1] > 0])
    for mine in (Perceptron(), PassiveAggressive(), AROW()):
        found = []
        for m in (clone(mine).set_params(keep="last"), mine):
            wrong = np.zeros(len(y))
            for i, row in enumerate(np.split(X, len(X))):
                wrong[i] = i > 0 and m.predict(row)[0] != y[i]
                m.partial_fit(row, y[i : i + 1], classes=[False, True])
            found.append(100 * wrong)
        for name, some in (
            ("before", slice(7500, 10_000)),
            ("at once", slice(10_000, 12_500)),
            ("later", slice(17_500, 20_000)),
        ):
            last, ours = (wrong[some].mean() for wrong in found)
            yield f"{mine}, {name}: % wrong, beside keep='last'", last, ours, ours / last, "<= 1.2"


if __name__ == "__main__":
    print(machine())
    print(f"Times in µs for a call, best of {REPEATS} x {ROWS} calls, the sides taking turns.")
    main(sys.argv[1:], globals(), "| case | scikit-learn | rosenblatt | ratio | target |")
