"""Screening: to separation beside scikit-learn, and with and without it where it cannot help.

Run with `make bench`; name cases to run only those: `python benchmarks/screening.py noise`.
"""

import subprocess
import sys

import numpy as np
from run import best_of, machine, main
from sklearn.linear_model import Perceptron as Theirs

from rosenblatt import Perceptron
from rosenblatt._core.screening import Screen


def unit_rows(n, d, margin=0.0, noise=0.0):
    """Gaussian rows of length 1; labels of a plane through the origin, at least `margin` away."""
    rng = np.random.default_rng(0)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n + n // 50 + 1000, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X = X[np.abs(X @ u) >= margin][:n]
    assert len(X) == n
    return X, (X @ u > 0) ^ (rng.random(n) < noise)


def fit(X, y, screened=True, **choices):
    def work():
        Screen.allowed = screened
        p = Perceptron(random_state=0, **choices).fit(X, y)
        Screen.allowed = True
        return p

    return work


def with_and_without(repeats, X, y, **choices):
    """Times without and with screening; the results are the same."""
    plain, screened = (fit(X, y, screened, **choices) for screened in (False, True))
    one, other = plain(), screened()
    assert one.update_counts_.tolist() == other.update_counts_.tolist()
    assert one.coef_.tolist() == other.coef_.tolist()
    return best_of(repeats, plain, screened)


def bench_separation():
    X, y = unit_rows(100_000, 20, 5e-4)
    ours = fit(X, y, max_iter=100_000)
    p = ours()
    assert p.converged_
    assert p.training_errors_ == 0
    peer = Theirs(max_iter=p.n_iter_, tol=None)
    theirs, mine = best_of(3, lambda: peer.fit(X, y), ours)
    name = f"100k x 20, margin 5e-4, {p.n_iter_} epochs"
    yield f"{name}: scikit-learn", theirs, mine, theirs / mine, ">= 15"
    for order in ("shuffle", "cyclic"):
        choices = {"order": order, "keep": "last", "max_iter": 100_000}
        plain, mine = with_and_without(3, X, y, **choices)
        yield f"the same, {order}, last: without", plain, mine, plain / mine, "(none)"


def bench_pays():
    """Where mistakes are few; times without and with screening."""
    for n, d, noise, keep, epochs in [
        (100_000, 20, 0.0005, "best", 200),
        (200_000, 50, 0.0, "best", 300),
        (20_000, 20, 0.0, "pocket", 200),
    ]:
        X, y = unit_rows(n, d, noise=noise)
        plain, mine = with_and_without(3, X, y, keep=keep, max_iter=epochs)
        name = f"{n // 1000}k x {d}, {noise:.2%} noise, {keep}, {epochs} epochs"
        yield f"{name}: without", plain, mine, plain / mine, "(none)"


def bench_noise():
    """Where it cannot help: the time with it, as a share of the time without."""
    for n, d, noise, keep, epochs in [
        (100_000, 20, 0.2, "last", 50),
        (100_000, 20, 0.2, "best", 50),
        (20_000, 200, 0.0, "best", 100),
        (5_000, 1000, 0.0, "best", 100),
    ]:
        X, y = unit_rows(n, d, noise=noise)
        plain, mine = with_and_without(7, X, y, keep=keep, max_iter=epochs)
        name = f"{n // 1000}k x {d}, {noise:.0%} noise, {keep}: with / without"
        yield name, plain, mine, mine / plain, "<= 1.03"


PEAK = """
import warnings; warnings.simplefilter("ignore")
import numpy as np
from rosenblatt import Perceptron
from rosenblatt._core import screening
screening.FEW = screening.NEAR = screening.PAYS = 0
screening.REST = 1
rng = np.random.default_rng(0)
X = rng.standard_normal((1_000_000, 100), dtype=np.float32)
y = X[:, 0] > 0
Perceptron(max_iter=2).fit(X[:10000], y[:10000])
def kilobytes(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1])
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
Perceptron(max_iter=6).fit(X, y)
print((kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""


def bench_memory():
    """Peak resident memory of fit beyond X while rows are screened, as a share of X. Linux only."""
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    share = 100 * float(done.stdout)
    yield "1000k x 100 float32, screened, peak memory, % of X", 0, share, share, "<= 5"


if __name__ == "__main__":
    print(machine())
    print("Times in ms, best of 3 (noise: 7).")
    main(sys.argv[1:], globals(), "| case | peer | rosenblatt | ratio | target |")
