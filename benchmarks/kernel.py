"""KernelPerceptron beside scikit-learn's SVC: time, accuracy, memory, and a clean epoch.

Run with `make bench`; name cases to run only those: `python benchmarks/kernel.py svc memory`.
"""

import subprocess
import sys

import numpy as np
from run import best_of, machine, main
from sklearn.svm import SVC

from rosenblatt import KernelPerceptron
from rosenblatt._training.dual import Dual, KernelExamples
from rosenblatt._training.kernels import Gram


def two_gaussians(n, d=50):
    """Two classes that overlap: the best rule is right on 94 % of the rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=n)
    shift = rng.standard_normal(d)
    shift *= 1.555 / np.linalg.norm(shift)
    X = rng.standard_normal((n, d)) + np.where(y, 1, -1)[:, None] * shift
    return X.astype(np.float32), y


def bench_svc():
    X, y = two_gaussians(40_000)
    train, test = (X[:20_000], y[:20_000]), (X[20_000:], y[20_000:])
    machines = [
        SVC(kernel="rbf", C=1),
        KernelPerceptron(max_iter=10, patience=None, keep="average", random_state=0),
    ]
    theirs, ours = best_of(3, *(lambda m=m: m.fit(*train) for m in machines))
    yield "20000 x 50 rbf, fit", theirs, ours, theirs / ours, ">= 8"
    theirs, ours = (100 * m.score(*test) for m in machines)
    yield "the same, % right in test", theirs, ours, theirs - ours, "<= 1"


PEAK = """
import warnings; warnings.simplefilter("ignore")
import sys; sys.path.insert(0, {folder!r})
from kernel import two_gaussians
from rosenblatt import KernelPerceptron
X, y = two_gaussians(20_000)
KernelPerceptron(max_iter=2).fit(X[:1000], y[:1000])
def kilobytes(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1])
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
KernelPerceptron(max_iter=5, cache_size=200, random_state=0).fit(X, y)
print((kilobytes("VmHWM") - before) / 1024)
"""


def bench_memory():
    """Peak resident memory of fit beyond X with a cache of 200 MB. Linux only."""
    code = PEAK.format(folder=sys.path[0])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    megabytes = float(done.stdout)
    yield "20000 x 50, cache of 200 MB, peak in MB", 200, megabytes, megabytes / 200, "<= 1.15"


def bench_epoch():
    """One more epoch after training has converged, in ms: it grows with n, not with n²."""
    times = []
    for n in (5_000, 10_000, 20_000):
        X, y = two_gaussians(n)
        X[:, 0] += np.where(y, 20, -20)  # far apart
        p = KernelPerceptron(patience=None, keep="last", order="cyclic", random_state=0).fit(X, y)
        assert p.converged_
        labels = np.where(y, 1, -1).astype(np.int8)
        examples = KernelExamples(Gram(p._rule.kernel, X, 1), labels, None)
        dual, memory = Dual(examples, margin=0.0, intercept=True), p._state.memory
        (ms,) = best_of(20, lambda m=dual, at=memory, n=n: m.visit(at, None, 0, n, n, 0))
        times.append(ms)
        ratio = times[-1] / times[0]
        yield (
            f"{n} x 50, an epoch after convergence",
            times[0],
            times[-1],
            ratio,
            f"about {n // 5000}",
        )


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | peer | KernelPerceptron | ratio | target |")
