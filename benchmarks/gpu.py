"""On a GPU, beside our CPU and scikit-learn on the same machine: `make gpu`, or name some cases.

Data are on the GPU; times are medians of 5 after warming up. "learning" is the visits alone, "all"
is learning, permutations and counting, "fit" is the call as a user makes it. Without a GPU it says
so and ends.
"""

import sys
import time
import warnings
from statistics import median

from sklearn.linear_model import Perceptron as Theirs

from rosenblatt import Perceptron
from rosenblatt._core.backend import gpu
from rosenblatt._core.gpu.driver import cupy
from rosenblatt.errors import DeviceError, MissingExtraError

REPEATS = 5
CASES = {
    # rows, columns, margin, flipped labels, epochs (None: to a clean one), keep, targets in ms
    "1M x 100, margin 0.01": (1_000_000, 100, 0.01, 0.0, None, "last", (15, 25)),
    "10M x 100, margin 0.01": (10_000_000, 100, 0.01, 0.0, None, "last", (50, 120)),
    "100k x 1000, margin 0.01": (100_000, 1000, 0.01, 0.0, None, "last", (35, None)),
    "1M x 100, 10 % noise, an epoch, best": (1_000_000, 100, 0.01, 0.1, 1, "best", (None, 30)),
    "100k x 1000, 10 % noise, an epoch": (100_000, 1000, 0.01, 0.1, 1, "last", (None, 8)),
}


class Timed:
    """The GPU's backend; `spent` has the seconds of each function."""

    def __init__(self, backend, wait):
        self.backend, self.wait, self.spent = backend, wait, {}

    def __getattr__(self, name):
        function = getattr(self.backend, name)

        def call(*arguments):
            begun = time.perf_counter()
            found = function(*arguments)
            self.wait()
            self.spent[name] = self.spent.get(name, 0) + time.perf_counter() - begun
            return found

        return call


def unit_rows(library, n, d, gap, noise):
    """Gaussian rows of length 1, pushed off a plane; made on the GPU."""
    library.random.seed(0)
    X, y = library.empty((n, d), "f4"), library.empty(n, "i1")
    u = library.random.standard_normal(d, dtype="f4")
    u /= library.linalg.norm(u)
    step = 1 << 20
    for begin in range(0, n, step):
        x = library.random.standard_normal((min(step, n - begin), d), dtype="f4")
        x /= library.linalg.norm(x, axis=1, keepdims=True)
        t = x @ u
        side = library.where(t >= 0, 1, -1)
        push = library.where(library.abs(t) < gap, side * (gap - library.abs(t)), 0)
        X[begin : begin + step] = x + push.astype("f4")[:, None] * u
        flipped = library.random.rand(len(x)) < noise
        y[begin : begin + step] = library.where(flipped, -side, side)
    return X, library.asnumpy(y)


def measured(monkey, library, X, y, epochs, keep):
    """Medians of learning, all and fit in ms; and the last fitted estimator."""
    times = []
    for repeat in range(REPEATS + 2):
        timed = monkey(Timed(gpu(), library.cuda.Device().synchronize))
        p = Perceptron(keep=keep, random_state=0, max_iter=epochs or 1000, patience=None)
        begun = time.perf_counter()
        fitted(p, X, y)
        whole = time.perf_counter() - begun
        if repeat >= 2:
            spent = timed.spent
            times.append([spent["visit"], sum(spent.values()), whole])
    return [1e3 * median(column) for column in zip(*times, strict=True)], p


def fitted(p, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return p.fit(X, y)


def seconds_of(work):
    begun = time.perf_counter()
    found = work()
    return 1e3 * (time.perf_counter() - begun), found


def judged(time, target):
    return "" if target is None else f" ({'met' if time <= target else 'missed'}: <= {target})"


def main():
    try:
        library = cupy()
    except (DeviceError, MissingExtraError) as error:
        print(f"Left out: {error}")
        return
    from rosenblatt._core import rows

    def monkey(backend):
        rows.gpu = lambda: backend
        return backend

    print("| case | epochs, updates | learning | all | fit | our CPU | scikit-learn | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    wanted = [name for name in CASES if not sys.argv[1:] or any(w in name for w in sys.argv[1:])]
    for name in wanted:
        n, d, gap, noise, epochs, keep, (learning_target, all_target) = CASES[name]
        X, y = unit_rows(library, n, d, gap, noise)
        (learning, everything, whole), p = measured(monkey, library, X, y, epochs, keep)
        host = library.asnumpy(X)
        same = Perceptron(**p.get_params())
        ours, q = seconds_of(lambda same=same, host=host, y=y: fitted(same, host, y))
        assert p.coef_.tobytes() == q.coef_.tobytes()
        assert p.n_updates_ == q.n_updates_
        # Of ten million rows one epoch is timed, the others take as long.
        made = 1 if n > 10**6 else p.n_iter_
        peer = Theirs(max_iter=made, tol=None, random_state=0)
        theirs, _ = seconds_of(lambda peer=peer, host=host, y=y: fitted(peer, host, y))
        theirs *= p.n_iter_ / made
        print(
            f"| {name} | {p.n_iter_}, {p.n_updates_:,} "
            f"| {learning:.1f}{judged(learning, learning_target)} "
            f"| {everything:.1f}{judged(everything, all_target)} | {whole:.1f} "
            f"| {ours:.0f} | {theirs:.0f} | {theirs / whole:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
