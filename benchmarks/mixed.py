"""order="mixed" beside order="blocks": training errors after 8 epochs, epochs to a clean one.

    python benchmarks/mixed.py

Shards are made small (n/S rows, in blocks of 1,024), so that a table of 262,144 rows has many of
them. Rows come as they were drawn, sorted by class, or sorted by a feature that grows with time.
"""

from __future__ import annotations

import warnings

import numpy as np

from rosenblatt import Perceptron
from rosenblatt._core.backend import compute

N, D, BLOCK, SHARDS = 1 << 18, 20, 1 << 10, (4, 16, 64)


def table(noise):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(N, D)), rng.normal(size=D)
    distance = (X @ w + 0.3) / np.linalg.norm(w)
    if not noise:  # rows near the hyperplane are left out: a margin of 0.05
        far = np.flatnonzero(np.abs(distance) > 0.05)[: N - (1 << 14)]
        X, distance = X[far], distance[far]
    y = np.where(distance > 0, 1, -1)
    y[rng.random(len(y)) < noise] *= -1
    return X, y


def sorted_tables(X, y):
    for words, order in (
        ("as drawn", np.arange(len(y))),
        ("by class", np.argsort(y, kind="stable")),
        ("by time", np.argsort(X[:, 0], kind="stable")),
    ):
        yield words, np.ascontiguousarray(X[order]), y[order]


def fitted(X, y, shards, **more):
    compute.block, compute.shard = BLOCK, max(1, len(y) // shards // BLOCK)
    order = "mixed" if shards > 1 else "blocks"
    p = Perceptron(order=order, random_state=0, patience=None, **more)
    return p.fit(X, y)


def main():
    warnings.simplefilter("ignore")
    print("| rows | noise | blocks |", " | ".join(f"{s} shards" for s in SHARDS), "|")
    for noise in (0.1, 0.02):
        for words, X, y in sorted_tables(*table(noise)):
            errors = [fitted(X, y, s, max_iter=8).training_errors_ for s in (1, *SHARDS)]
            ratios = " | ".join(f"{e / errors[0]:.3f}" for e in errors[1:])
            print(f"| {words} | {noise:.0%} | {errors[0]:,} | {ratios} |", flush=True)
    print("epochs to a clean one, without noise:")
    for words, X, y in sorted_tables(*table(0)):
        fits = [fitted(X, y, s, keep="last", max_iter=400) for s in (1, *SHARDS)]
        print(f"| {words} |", " | ".join(str(p.n_iter_) for p in fits), "|", flush=True)


if __name__ == "__main__":
    main()
