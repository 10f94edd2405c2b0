"""rosenblatt fit: where its time goes, what its rules are worth, how long the demo takes.

Run with `make bench`; name cases to run only those: `python benchmarks/fit.py breakdown`.
"""

import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from run import machine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rosenblatt import data
from rosenblatt.datasets import load_credit
from rosenblatt.selection import select

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).parent / "rosenblatt"


def breakdown():
    """1M x 20, CSV of 153 MB: at most half of the time outside reading and training."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000_000, 20)).round(4)
    noise = rng.standard_normal(len(X))
    y = np.where(X @ rng.standard_normal(20) + noise > 0.3, "yes", "no")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        csv.write_csv(pa.table({f"x{j}": X[:, j] for j in range(20)} | {"label": y}), path)
        done = subprocess.run(
            [COMMAND, "fit", path, "--target", "label", "-v", "-o", Path(folder) / "out"],
            capture_output=True,
            text=True,
            check=True,
        )
    seconds = {what: float(s) for what, s in re.findall(r"^(.*): ([\d.]+) s$", done.stderr, re.M)}
    total = sum(seconds.values())
    for what, spent in seconds.items():
        print(f"| {what} | {spent:.2f} s | {spent / total:.0%} |")
    outside = 1 - (seconds["reading"] + seconds["training"]) / total
    print(f"| outside reading and training | | {outside:.0%} (target: at most 50 %) |")


def errors():
    """On the credit table without the leak, over 20 seeds: the same training and test rows."""
    table = data.read(load_credit().filename, target="card", ignore=["share", "expenditure"])
    X, y, _ = table.encode(scale=False)
    wrong = {"rosenblatt fit": [], "LogisticRegression": [], "always yes": []}
    for seed in range(20):
        found = select(X, y, preprocessor=StandardScaler(), random_state=seed)
        scaler = StandardScaler().fit(X[found.train])
        peer = LogisticRegression().fit(scaler.transform(X[found.train]), y[found.train])
        theirs = peer.predict(scaler.transform(X[found.test])) != y[found.test]
        wrong["rosenblatt fit"].append(found.test_errors / found.test_n)
        wrong["LogisticRegression"].append(theirs.mean())
        wrong["always yes"].append(found.majority_errors / found.test_n)
    for name, rates in wrong.items():
        print(f"| {name} | {np.mean(rates):.1%} | {np.min(rates):.1%} to {np.max(rates):.1%} |")


def timed(command):
    """Seconds of a command, and of processors: other work on the machine does not count there."""

    def processor():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begin, used = time.perf_counter(), processor()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return f"{time.perf_counter() - begin:.1f} s ({processor() - used:.1f} s of processors)"


def wide():
    """Few rows, many columns."""
    rng = np.random.default_rng(0)
    for n, d in ((100, 500), (100, 5000), (1000, 1500)):
        X = rng.standard_normal((n, d)).round(3)
        y = X @ rng.standard_normal(d) / np.sqrt(d) + 0.5 * rng.standard_normal(n) > 0
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "table.csv", Path(folder) / "out"
            csv.write_csv(pa.table({f"x{j}": X[:, j] for j in range(d)} | {"label": y}), path)
            spent = timed([COMMAND, "fit", path, "--target", "label", "-o", out])
            size = (out / "report.html").stat().st_size
        print(f"| {n} x {d} | {spent} | report of {size / 1000:.0f} kB |")


def demo():
    """After installation; the target is 15 s."""
    print(f"| make demo | {timed(['make', '-C', ROOT, 'demo'])} | target: 15 s |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(machine())
    for case in (breakdown, errors, wide, demo):
        if not sys.argv[1:] or case.__name__ in sys.argv[1:]:
            print(f"\n{case.__doc__}\n")
            case()
