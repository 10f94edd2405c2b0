"""Model files beside joblib and skops: bytes, and the time to save and to load.

Run with `make bench`; name cases to run only those: `python benchmarks/model_file.py linear`.
"""

import sys
import tempfile
from pathlib import Path

import joblib
import numpy as np
import skops.io
from run import best_of, machine, main

from rosenblatt import KernelPerceptron, Perceptron, load, save


def both_ways(name, model):
    """Size, saving, loading: ours beside joblib's, which is pickle, and skops'."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, safe = (Path(folder) / name for name in ("ours", "joblib", "skops"))
        *peers, mine = best_of(
            5,
            lambda: joblib.dump(model, theirs),
            lambda: skops.io.dump(model, safe),
            lambda: save(model, ours),
        )
        yield from line(f"{name}, save, ms", peers, mine)
        trusted = skops.io.get_untrusted_types(file=safe)
        *peers, mine = best_of(
            5,
            lambda: joblib.load(theirs),
            lambda: skops.io.load(safe, trusted=trusted),
            lambda: load(ours),
        )
        yield from line(f"{name}, load, ms", peers, mine)
        *peers, mine = (path.stat().st_size / 1000 for path in (theirs, safe, ours))
        yield from line(f"{name}, kB", peers, mine)


def line(name, peers, mine):
    for peer, value in zip(("joblib", "skops"), peers, strict=True):
        yield f"{name} ({peer})", value, mine, value / mine, "no target"


def bench_linear():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_000, 1000))
    y = X @ rng.standard_normal(1000) > 0
    yield from both_ways("1000 features, 10k rows", Perceptron(max_iter=5).fit(X, y))


def bench_kernel():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 50)), rng.random(20_000) < 0.5
    model = KernelPerceptron(order="cyclic", keep="last", max_iter=1, max_updates=10_000).fit(X, y)
    support = len(model.support_)
    yield from both_ways(f"kernel, {support} support vectors of 50", model)


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | peer | rosenblatt | ratio | target |")
