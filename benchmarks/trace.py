"""What tracing costs: time beside a plain fit, and memory by the update.

Run with `make bench`; name cases to run only those: `python benchmarks/trace.py time`.
"""

import sys
import tracemalloc

import numpy as np
from run import best_of, machine, main
from sklearn.base import clone

from rosenblatt import KernelPerceptron, Perceptron, trace


def noisy(n, d):
    """Gaussian rows, 10 % of the labels flipped: about a quarter of the visits are updates."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.where((X @ rng.standard_normal(d) > 0) ^ (rng.random(n) < 0.1), 1, -1)
    return X, y


CASES = {
    "1M visits of 20 features, shuffle": (100_000, 20, Perceptron(max_iter=10, keep="last")),
    "1M visits of 20 features, best": (100_000, 20, Perceptron(max_iter=10)),
    "1M visits of 100 features, shuffle": (100_000, 100, Perceptron(max_iter=10, keep="last")),
    "1M visits of 20 features, random": (
        100_000,
        20,
        Perceptron(max_iter=10, keep="last", order="random"),
    ),
    "1M looks of 20 features, batch": (
        100_000,
        20,
        Perceptron(max_iter=10, keep="last", order="batch"),
    ),
    "20k visits, rbf kernel": (2_000, 20, KernelPerceptron(max_iter=10, keep="last")),
}


def bench_time():
    for name, (n, d, estimator) in CASES.items():
        X, y = noisy(n, d)
        p = clone(estimator).set_params(random_state=0)
        plain, traced = best_of(
            5, lambda p=p, X=X, y=y: p.fit(X, y), lambda p=p, X=X, y=y: trace(p, X, y)
        )
        yield name, plain, traced, traced / plain, "<= 1.5"


def bench_memory():
    """Peak memory of tracing beyond that of fitting, by update; 24 bytes are three numbers."""
    X, y = noisy(100_000, 20)
    p = Perceptron(max_iter=10, keep="last", random_state=0)
    peaks, t = [], None
    for run in (lambda: p.fit(X, y), lambda: trace(p, X, y)):
        tracemalloc.start()
        t = run()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    beyond = (peaks[1] - peaks[0]) / len(t)
    yield f"bytes an update, {len(t)} updates", peaks[0] / 1e6, peaks[1] / 1e6, beyond, "<= 100"


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | plain fit | trace | ratio | target |")
