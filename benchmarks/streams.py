"""Rows on disk beside rows in memory: speed of an epoch, memory, and what checkpoints cost.

python benchmarks/streams.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, train
from rosenblatt._model import checkpoint
from rosenblatt._out_of_core.cache import stored

EPOCHS, TIMES = 6, 5


def rows(n, d, dtype, seed=0):
    """Batches of noisy rows: made again every time, so that no array of all of them is needed."""

    def batches():
        rng = np.random.default_rng(seed)
        w = rng.normal(size=d)
        for begin in range(0, n, 50_000):
            X = rng.normal(size=(min(50_000, n - begin), d)).astype(dtype)
            yield X, X @ w + rng.normal(size=len(X)) > 0

    return batches


def epochs(fit, order, keep):
    """Seconds of one epoch, the first one left out: of k epochs less those of one."""

    def seconds(k):
        p = Perceptron(order=order, keep=keep, max_iter=k, patience=None, random_state=0)
        begin = time.perf_counter()
        fit(p)
        return time.perf_counter() - begin

    return (seconds(EPOCHS) - seconds(1)) / (EPOCHS - 1)


def speed(n, d, dtype, keep, cache):
    from rosenblatt._out_of_core.fit import fit_stored

    X, y = (np.concatenate(parts) for parts in zip(*rows(n, d, dtype)(), strict=True))
    with stored(rows(n, d, dtype), folder=cache) as on_disk:
        memory, disk = [], []
        for _ in range(TIMES):  # in turns: the machine is not always equally fast
            memory.append(epochs(lambda p: p.fit(X, y), "blocks", keep))
            disk.append(epochs(lambda p: fit_stored(p, on_disk), "blocks", keep))
    ours, theirs = n / min(disk), n / min(memory)
    print(
        f"| {n:,} x {d} {np.dtype(dtype).name}, {keep} | {theirs / 1e6:.1f} | {ours / 1e6:.1f} | "
        f"{ours / theirs:.0%} | >= 60 % |"
    )


MEMORY = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {here!r})
from streams import rows
import numpy as np
from rosenblatt import Perceptron, train
import rosenblatt._out_of_core.cache, rosenblatt._out_of_core.fit
def most():  # kB; ru_maxrss would also tell of the process that started this one
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
before = most()
p = Perceptron(order="blocks", max_iter=2, patience=None, random_state=0)
train(p, rows({n}, 100, np.float32), cache={cache!r})
print(most() - before)
"""


def memory(n, cache):
    code = MEMORY.format(here=str(Path(__file__).parent), n=n, cache=str(cache))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print(f"| {n:,} x 100 float32 ({n * 400 / 2**20:,.0f} MiB) | {int(out.stdout) / 1024:.0f} |")


def checkpoints(cache):
    """What one writing costs beside the time between two of them."""
    path = cache / "checkpoint"
    for n, d in [(1_000_000, 20), (100_000, 100_000)]:
        X = np.random.default_rng(0).normal(size=(1000, min(d, 1000)))
        y = X[:, 0] > 0
        if d > 1000:
            from scipy import sparse

            X = sparse.csr_array(X)
            X.resize((1000, d))
        p = Perceptron(keep="best", max_iter=2, patience=None, random_state=0)
        seconds = []
        write = checkpoint.Checkpoint.write

        def timed(self, state, n=n, seconds=seconds, write=write):
            counts, state.memory.counts = state.memory.counts, np.ones(n, dtype=np.int64)
            begin = time.perf_counter()
            write(self, state)
            seconds.append(time.perf_counter() - begin)
            state.memory.counts = counts

        checkpoint.Checkpoint.write = timed
        train(p, (X, y), checkpoint=path, checkpoint_every=0)
        checkpoint.Checkpoint.write = write
        path.unlink()
        worst = max(seconds)
        print(f"| {n:,} x {d:,} | {1000 * worst:.0f} | {worst / 60:.2%} | <= 1 % |")


def main():
    warnings.simplefilter("ignore")  # nobody expects these epochs to be enough
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        print("| rows, keep | in memory (million rows/s) | on disk | ratio | target |")
        print("|---|---|---|---|---|")
        for n, d, dtype, keep in [
            (2_000_000, 20, np.float32, "last"),
            (1_000_000, 100, np.float32, "last"),
            (1_000_000, 100, np.float32, "best"),
            (500_000, 100, np.float64, "last"),
        ]:
            speed(n, d, dtype, keep, cache)
        print("\n| rows on disk | resident memory beyond the imports (MiB) |\n|---|---|")
        for n in (500_000, 1_000_000, 2_000_000, 4_000_000):
            memory(n, cache)
        print("\n| training | writing a checkpoint (ms) | every 60 s | target |\n|---|---|---|---|")
        checkpoints(cache)


if __name__ == "__main__":
    main()
