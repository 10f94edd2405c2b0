"""Engines: what a second worker gains, what a call costs, what mixing loses, how often proofs look.

python benchmarks/engines.py [--rows N] [--looked N]

The rows are float32, on disk, mapped into the memory of every worker: Dask's workers are processes
of this machine. Where it is busy with something else the clock shows less than there is; processor
time tells how well the work divides.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

from rosenblatt import Perceptron
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._out_of_core import certify, work
from rosenblatt._out_of_core import client as clients
from rosenblatt._out_of_core.cache import stored
from rosenblatt._out_of_core.engine import OnDask
from rosenblatt._out_of_core.fit import fit_stored
from rosenblatt._out_of_core.partitions import Epoch, Labelling, on_disk, on_engine
from rosenblatt._util.budget import Budget

D, TIMES = 20, 3


def rows(n, *, flipped=0.0, margin=0.0, wrong=False):
    """Batches of Gaussian rows with the labels of a hyperplane; some turned round, none near it."""

    def batches():
        w = np.random.default_rng(1).normal(size=D)
        w /= np.linalg.norm(w)
        for k, begin in enumerate(range(0, n, 1 << 19)):
            rng = np.random.default_rng(k)
            X = rng.normal(size=(min(1 << 19, n - begin), D)).astype(np.float32)
            s = X @ w
            X += (np.sign(s) * np.maximum(margin - np.abs(s), 0))[:, None] * w.astype(np.float32)
            y = s > 0
            y ^= rng.random(len(y)) < flipped
            if wrong and k == 0:
                y[int(np.argmax(s))] ^= True
            yield X, y

    return batches


def jobs(rows_in_place):
    """One epoch, one count of two candidates, one step, one look of a proof."""
    labelling = Labelling(None, (1.0, 1.0))
    steps = work.Steps(labelling, UpdateRule("perceptron", 0.0, True))
    w = np.random.default_rng(2).normal(size=D + 1)
    epoch, n = Epoch(0, 1, shuffled=True), rows_in_place.n
    weights = [Fraction(v) for v in w.tolist()]
    return {
        "mixed, an epoch": (work.mix, steps, w, epoch, range(n), n, True, None),
        "count of two candidates": (work.count, labelling, [w, -w], None),
        "batch, a step": (work.descend, steps, w, None),
        "a look of a proof": (certify.look, weights, True, 16 * D),
    }


def busy(part, job, *given):
    """On a worker: the processor time of this work."""
    begin = time.thread_time()
    job(part, *given)
    return time.thread_time() - begin


def processor(rows_in_place, name):
    """The longest of all bundles: that of the machine that is waited for."""
    job, *given = jobs(rows_in_place)[name]
    return min(max(rows_in_place.each(busy, job, *given)) for _ in range(TIMES))


def speed(n, cache):
    with stored(rows(n, flipped=0.1), folder=cache) as stored_rows:
        alone = on_disk(stored_rows)
        names = list(jobs(alone))
        here = {name: processor(alone, name) for name in names}
        clock, cpu, over = {}, {}, {}
        for workers in (1, 2):
            with (
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
                ) as cluster,
                Client(cluster) as client,
            ):
                of_engine = clients.Client(OnDask(client))
                placed = on_engine(of_engine, stored_rows)
                for name in names:
                    job, *given = jobs(placed)[name]
                    placed.each(job, *given)
                    of_engine.paces.clear()
                    took = []
                    for _ in range(TIMES):
                        begin = time.perf_counter()
                        placed.each(job, *given)
                        took.append(time.perf_counter() - begin)
                    clock[name, workers] = min(took)
                    over[name, workers] = sum(took) / sum(
                        p.seconds for p in of_engine.paces.values()
                    )
                    cpu[name, workers] = processor(placed, name)
    print(f"\n{n:,} x {D} float32; seconds by the clock and of the processor\n")
    print(
        "| | one process, cpu | 1 worker | 2 workers | 2 / 1 by the clock | cpu of 1 | of 2, each |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in names:
        one, two = clock[name, 1], clock[name, 2]
        print(
            f"| {name} | {here[name]:.2f} | {one:.2f} | {two:.2f} | {one / two:.2f} x | "
            f"{cpu[name, 1]:.2f} | {cpu[name, 2]:.2f} ({cpu[name, 1] / cpu[name, 2]:.2f} x) |"
        )
    print("\nOne worker, one call for all rows: what the engine adds to the seconds of the work")
    for name in names:
        print(f"  {name}: {over[name, 1] - 1:+.1%}")


def mixing(n, cache):
    print("\n| labels turned round | errors of blocks | of mixed | ratio | target |")
    print("|---|---|---|---|---|")
    for flipped in (0.02, 0.1):
        with stored(rows(n, flipped=flipped), folder=cache) as stored_rows:
            found = []
            for order in ("blocks", "mixed"):
                p = Perceptron(order=order, max_iter=6, patience=None, random_state=0)
                found.append(fit_stored(p, stored_rows).training_errors_)
        ratio = found[1] / found[0]
        print(f"| {flipped:.0%} | {found[0]:,} | {found[1]:,} | {ratio:.4f} | <= 1.005 |")


def looks(n, cache):
    print(f"\nWhether {n:,} x {D} rows are separable\n")
    print("| | verdict | looks | target | seconds |")
    print("|---|---|---|---|---|")
    for name, how in {
        "margin 0.01": {"margin": 1e-2},
        "margin 0.00001": {"margin": 1e-5},
        "one wrong label": {"margin": 1e-2, "wrong": True},
    }.items():
        with stored(rows(n, **how), folder=cache) as stored_rows:
            planes = certify.CuttingPlanes(on_disk(stored_rows), True, Budget(), 100, margins=False)
            begin = time.perf_counter()
            planes.run()
            took = time.perf_counter() - begin
        verdict = "separable" if planes.partition.conflict is None else "not separable"
        print(f"| {name} | {verdict} | {planes.looks} | <= 12 | {took:.1f} |")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=1 << 23)
    options.add_argument("--looked", type=int, default=10_000_000)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        speed(given.rows, Path(folder))
        mixing(given.rows, Path(folder))
        looks(given.looked, Path(folder))
