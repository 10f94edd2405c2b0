"""certify beside a linear program on all rows (scipy's HiGHS) and beside one logistic regression.

Decision and proof included, and the check of the proof. Run with `make bench`; name cases to run
only those: `python benchmarks/certify.py large small`.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from ordinary import CASES
from run import best_of, machine, main
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from rosenblatt import certify, verify


def table(n, d, kind):
    """Gaussian rows with the labels of a random hyperplane; one of them flipped, or 5 %."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal(d)
    y = np.where(scores > 0, 1, -1)
    if kind == "one flipped":
        y[np.argmax(scores)] = -1
    if kind == "5% noise":
        y[rng.random(n) < 0.05] *= -1
    return X, y


def linear_program(X, y, **options):
    """max t with y_i (w·x_i + b) >= t, |w|, |b| <= 1: separable if and only if t > 0."""
    ones, signs = np.ones((len(y), 1)), y[:, None]
    if sparse.issparse(X):
        parts = [sparse.csr_array(part) for part in (X.multiply(-signs), -signs, ones)]
        A = sparse.hstack(parts).tocsc()
    else:
        A = np.hstack([-X * signs, -signs, ones])
    d = X.shape[1]
    cost = np.r_[np.zeros(d + 1), -1.0]
    bounds = [(-1, 1)] * (d + 1) + [(None, 1)]
    zeros = np.zeros(len(y))
    return linprog(cost, A_ub=A, b_ub=zeros, bounds=bounds, method="highs", options=options)


def beside_linear_program(n, d, repeats, targets):
    for kind, target in targets:
        X, y = table(n, d, kind)
        certificate = certify(X, y)
        assert certificate.separable is (kind == "separable")
        sides = (lambda X=X, y=y: linear_program(X, y)), (lambda X=X, y=y: certify(X, y))
        if n > 10**4:  # the linear program takes half a minute
            (theirs,), (ours,) = best_of(1, sides[0]), best_of(repeats, sides[1])
        else:
            theirs, ours = best_of(repeats, *sides)
        yield f"{n} x {d}, {kind}", theirs, ours, theirs / ours, f">= {target}"


def bench_large():
    targets = [("one flipped", 20), ("5% noise", 20), ("separable", 10)]
    yield from beside_linear_program(100_000, 100, 3, targets)


def bench_small():
    targets = [("one flipped", 5), ("5% noise", 5), ("separable", 5)]
    yield from beside_linear_program(10_000, 20, 15, targets)


def bench_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    theirs, ours = best_of(7, lambda: LogisticRegression().fit(X, y), lambda: certify(X, y))
    yield "breast cancer, beside LogisticRegression", theirs, ours, ours / theirs, "<= 10"


def bench_ordinary():
    """Redundant columns, one-hot columns, vectorised text. HiGHS, beside it, proves nothing, and is
    given a minute."""
    for name, case in CASES.items():
        X, y = case()
        side = np.where(y == np.unique(y)[-1], 1.0, -1.0)
        begin = time.perf_counter()
        certificate = certify(X, y)
        ours = 1000 * (time.perf_counter() - begin)
        if certificate.verdict == "undecided":  # more than the linear program could be asked, too
            yield f"{name}: undecided", float("nan"), ours, float("nan"), "5,000 columns or more"
            continue
        begin = time.perf_counter()
        linear_program(X, side, time_limit=60)
        theirs = 1000 * (time.perf_counter() - begin)
        yield f"{name}: {certificate.verdict}", theirs, ours, theirs / ours, ">= 1"


def lifted_by_hand(X, y):
    """Every row against each class but its own, as one table through the origin."""
    k, ones = int(y.max()) + 1, np.ones((len(y), 1))
    row, rival = np.divmod(np.arange(len(y) * k), k)
    row, rival = row[y[row] != rival], rival[y[row] != rival]
    share = (y[row, None] == np.arange(k - 1)).astype(float) - (rival[:, None] == np.arange(k - 1))
    return (share[:, :, None] * np.hstack([X, ones])[row][:, None, :]).reshape(len(row), -1)


def bench_many_classes():
    """Beside the same question about the lift, made by hand: one class, through the origin."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 20))
    labels = (X @ rng.standard_normal((20, 5))).argmax(axis=1)
    noisy = np.where(rng.random(len(X)) < 0.05, rng.integers(0, 5, len(X)), labels)
    cases = {
        "iris, 3 classes": (*load_iris(return_X_y=True), "quasi-complete separation"),
        "wine, 3 classes": (*load_wine(return_X_y=True), "complete separation"),
        "digits, 1797 x 64, 10 classes": (*load_digits(return_X_y=True), "complete separation"),
        "20000 x 20, 5 classes": (X, labels, "complete separation"),
        "20000 x 20, 5 classes, 5% noise": (X, noisy, "overlap"),
    }
    for name, (X, y, verdict) in cases.items():
        assert certify(X, y).verdict == verdict
        (ours,) = best_of(3, lambda X=X, y=y: certify(X, y))
        lift = lifted_by_hand(X, y)
        one = np.ones(len(lift), dtype=int)
        (theirs,) = best_of(1, lambda a=lift, b=one: certify(a, b, fit_intercept=False))
        target = "certify <= 10 s" if name.startswith("digits") else ""
        yield f"{name}: {verdict}", theirs, ours, theirs / ours, target


def bench_verifier():
    """The stand-alone program in a process of its own, reading CSV."""
    for kind in ("separable", "5% noise"):
        X, y = table(10_000, 20, kind)
        with tempfile.TemporaryDirectory() as folder:
            certificate, data = Path(folder, "certificate.json"), Path(folder, "data.csv")
            frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
            certify(frame, pd.Series(y, name="y")).save(certificate)
            frame.assign(y=y).to_csv(data, index=False)
            command = [sys.executable, "-S", "-I", verify.__file__]
            (ms,) = best_of(
                3, lambda c=command, a=certificate, b=data: subprocess.run([*c, a, b], check=True)
            )
        yield f"10000 x 20, {kind}, the stand-alone verifier", 1000.0, ms, ms / 1000, "< 1"


def bench_wide():
    """Noise of thousands of columns: seconds of one core, and of the check by verify.py alone."""
    rng = np.random.default_rng(0)
    for n, d, target in ((1000, 4096, "< 1.5 s"), (5000, 4096, "< 5 s"), (8000, 2500, "< 10 s")):
        X, y = rng.standard_normal((n, d)).astype(np.float32), rng.random(n) < 0.5
        (ours,) = best_of(2, lambda X=X, y=y: certify(X, y), clock=time.process_time)
        claim = certify(X, y).to_dict()
        data = verify.Data(claim, X.astype("<f8").tobytes(), np.where(y, 1, -1).tolist())
        (check,) = best_of(1, lambda c=claim, d=data: verify.check(c, d), clock=time.process_time)
        yield f"{n} x {d}, {claim['verdict']} (peer: the check)", check, ours, ours / check, target


PEAK = """
import time, numpy as np
from rosenblatt import certify, verify
rng = np.random.default_rng(0)
X = rng.standard_normal((1_000_000, 20), dtype=np.float32)
scores = X @ rng.standard_normal(20, dtype=np.float32)
y = np.where((scores > 0) ^ ({noise} & (rng.random(len(X)) < 0.05)), 1, -1)
certify(X[:1000], y[:1000])
def kilobytes(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1])
open("/proc/self/clear_refs", "w").write("5")
before, begin = kilobytes("VmRSS"), time.perf_counter()
certificate = certify(X, y)
print((kilobytes("VmHWM") - before) / 2**20, time.perf_counter() - begin, certificate.verdict)
"""


def bench_million():
    """Peak memory beyond X in GB, and the time. Linux only."""
    for noise in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", PEAK.format(noise=noise)],
            capture_output=True,
            text=True,
            check=True,
        )
        gigabytes, seconds, *verdict = done.stdout.split()
        name = f"1000000 x 20 float32, {' '.join(verdict)}: memory beyond X in GB (time: ours)"
        yield name, 1.0, 1000 * float(seconds), float(gigabytes), "<= 1"


if __name__ == "__main__":
    began = time.perf_counter()
    print(machine())
    main(sys.argv[1:], globals(), "| case | peer, ms | certify, ms | ratio | target |")
    print(f"\nTook {time.perf_counter() - began:.0f} s.")
