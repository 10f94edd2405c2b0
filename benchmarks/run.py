"""Side by side with scikit-learn's Perceptron, in the same run, as ratios.

Every time is the best of several, the two sides taking turns, since machines are noisy. Run with
`make bench`; name cases to run only those: `python benchmarks/run.py dense predict`.
"""

import os
import platform
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from scipy import sparse
from sklearn.linear_model import Perceptron as Theirs

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import LabelledRows, LearnerArrays, UpdateRule

EPOCHS, REPEATS = 10, 5


def best_of(repeats, *sides, clock=time.perf_counter):
    """The best time of each side in milliseconds; they take turns."""
    times = [[] for _ in sides]
    for _ in range(repeats):
        for side, seconds in zip(sides, times, strict=True):
            begin = clock()
            side()
            seconds.append(clock() - begin)
    return [1000 * min(seconds) for seconds in times]


def noisy(X, rng):
    """Labels of a random hyperplane, 10 % flipped."""
    scores = X @ rng.standard_normal(X.shape[1]).astype(X.dtype)
    return (scores > 0) ^ (rng.random(X.shape[0]) < 0.1)


def dense(n, d, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32).astype(dtype)
    return X, noisy(X, rng)


def zipf():
    """200k x 50k, 75 draws a row, column floor(d^u) with u uniform."""
    rng, n, d, draws = np.random.default_rng(0), 200_000, 50_000, 75
    column = np.minimum(np.floor(d ** rng.random(n * draws)), d - 1).astype(np.int32)
    value = rng.standard_normal(n * draws).astype(np.float32)
    X = sparse.csr_matrix((value, (np.repeat(np.arange(n), draws), column)), shape=(n, d))
    X.sum_duplicates()
    return X, noisy(X, rng)


def ours(X, y, keep="last"):
    choices = {"keep": keep, "max_iter": EPOCHS, "patience": None, "random_state": 0}
    return lambda: Perceptron(**choices).fit(X, y)


def theirs(X, y):
    return lambda: Theirs(max_iter=EPOCHS, tol=None).fit(X, y)


def training(name, data, target):
    """10 epochs of fit, and keep="best" beside keep="last"."""
    X, y = data
    peer, last, best = best_of(REPEATS, theirs(X, y), ours(X, y), ours(X, y, "best"))
    yield name, peer, last, peer / last, f">= {target}"
    yield f"{name}: best / last", last, best, best / last, "<= 1.3"


def floor(X):
    """Scoring every row in shuffled order and nothing else: what memory allows for one epoch."""
    n, d = X.shape
    examples = LabelledRows(compute.backend.dense(X), np.ones(n, dtype=np.int8))
    counts, order = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int32)
    compute.backend.arrange(order, None, 0, 0, n)
    never = UpdateRule("perceptron", -np.inf)  # no row's margin is below it
    learner = LearnerArrays(np.ones(d + 1), None, counts)
    return lambda: compute.backend.visit(examples, never, learner, order, 0, n, 1 << 60)


def bench_dense():
    for n, d, dtype, target in [
        (1_000_000, 2, "float32", 10),
        (1_000_000, 10, "float32", 8),
        (1_000_000, 100, "float32", 6),
        (1_000_000, 100, "float64", 4),
        (100_000, 1000, "float32", 4),
    ]:
        name, (X, y) = f"{n // 1000}k x {d} {dtype}", dense(n, d, dtype)
        yield from training(name, (X, y), target)
        peer, one_epoch = best_of(REPEATS, theirs(X, y), floor(X))
        limit = EPOCHS * one_epoch
        yield f"{name}: scoring alone", peer, limit, peer / limit, "the most there is"


def bench_sparse():
    yield from training("200k x 50k CSR float32", zipf(), 3)


def bench_small():
    X, y = dense(100, 5, "float64")
    peer, last, best = best_of(300, theirs(X, y), ours(X, y), ours(X, y, "best"))
    yield "100 x 5 float64, fit", peer, last, peer / last, ">= 1"
    yield "100 x 5 float64, fit, best", peer, best, peer / best, ">= 1"


def separable(n, d, margin):
    """Unit rows, none nearer than the margin to a random hyperplane through the origin."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d)
    X = rng.standard_normal((2 * n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    scores = X @ (w / np.linalg.norm(w))
    far = np.flatnonzero(np.abs(scores) >= margin)[:n]
    return X[far], scores[far] > 0


def by_default(name, X, y, repeats=3, target=">= 1"):
    """Both libraries as they come: the time, and the training rows that they get wrong."""
    peer, mine = best_of(
        repeats, lambda: Theirs().fit(X, y), lambda: Perceptron(random_state=0).fit(X, y)
    )
    yield f"{name}, defaults", peer, mine, peer / mine, target
    theirs, ours = Theirs().fit(X, y), Perceptron(random_state=0).fit(X, y)
    wrong = [int(np.sum(p.predict(X) != y)) for p in (theirs, ours)]
    epochs = f"{theirs.n_iter_} and {ours.n_iter_} epochs, {ours.stop_reason_.name}"
    yield f"the same, training errors ({epochs})", *wrong, wrong[1] / max(wrong[0], 1), "<= 1"


def bench_defaults():
    for dtype in ("float32", "float64"):
        yield from by_default(f"1000k x 20 {dtype}, 10 % noise", *dense(1_000_000, 20, dtype))
    yield from by_default("100k x 1000 float32, 10 % noise", *dense(100_000, 1000, "float32"))
    yield from by_default("100k x 20, separable, margin 0.01", *separable(100_000, 20, 0.01))
    few = dense(100, 5, "float64")
    yield from by_default("100 x 5, 10 % noise", *few, repeats=100, target="at most 15 ms longer")


def predicting(dtype):
    X, y = dense(1_000_000, 100, dtype)
    mine, peer = ours(X[:1000], y[:1000])(), theirs(X[:1000], y[:1000])()
    return best_of(REPEATS, lambda: peer.predict(X), lambda: mine.predict(X))


def bench_predict():
    for dtype in ("float32", "float64"):
        peer, mine = predicting(dtype)
        yield f"1000k x 100 {dtype}, predict", peer, mine, peer / mine, ">= 2"


PEAK = """
import warnings; warnings.simplefilter("ignore")
import numpy as np
from {module} import Perceptron
rng = np.random.default_rng(0)
X = rng.standard_normal((1_000_000, 100), dtype=np.float32)
y = rng.random(len(X)) < 0.5
Perceptron(max_iter=2, **{choices}).fit(X[:1000], y[:1000])
def kilobytes(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1])
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
Perceptron(max_iter=2, **{choices}).fit(X, y)
print((kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""


def bench_memory():
    """Peak resident memory of fit beyond X, as a share of X. Linux only."""
    share = []
    for module, choices in [
        ("sklearn.linear_model", {}),
        ("rosenblatt", {"keep": "last"}),
        ("rosenblatt", {"keep": "best"}),
    ]:
        code = PEAK.format(module=module, choices=choices)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        share.append(100 * float(done.stdout))
    yield "1000k x 100 float32, peak memory, % of X", share[0], share[1], share[1], "<= 5"
    yield "the same, best", share[0], share[2], share[2], "<= 5"


def machine():
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return (
        f"{cpu}, {compute.backend.cpu_levels()[-1]}; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}, "
        f"rosenblatt {rosenblatt.__version__}; {compute.threads_for(1 << 40)} threads, load "
        f"{os.getloadavg()[0]:.1f}"
    )


def main(wanted, names, head):
    """Run the groups of cases, functions bench_*, that are wanted; all of them if none is named."""
    warnings.simplefilter("ignore")
    groups = {
        name.removeprefix("bench_"): group
        for name, group in names.items()
        if name.startswith("bench_")
    }
    print(f"\n{head}")
    print("|---|---|---|---|---|")
    for name, group in groups.items():
        if not wanted or name in wanted:
            for case, peer, mine, ratio, target in group():
                print(f"| {case} | {peer:.4g} | {mine:.4g} | {ratio:.2f} | {target} |", flush=True)


if __name__ == "__main__":
    print(machine())
    print(f"Times in ms, best of {REPEATS}, {EPOCHS} epochs of training.")
    main(sys.argv[1:], globals(), "| case | scikit-learn | rosenblatt | ratio | target |")
    print("\nIn lines 'best / last' the two times are keep='last' and keep='best'.")
