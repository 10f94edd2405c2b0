"""Train on the shipped table and print the SHA-256 of what came out; it is the same everywhere.

    python scripts/training_hash.py

Needs nothing but an installed rosenblatt, so that every wheel can be asked on its own system. Every
order and keep goes in, other rules, many classes, dense and sparse rows. Exit code 1: other bits.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from rosenblatt import AROW, PassiveAggressive, Perceptron, data, save
from rosenblatt._core.backend import core
from rosenblatt.datasets import load_credit

# Another one only where docs/definitions.md changes, with a line in CHANGELOG.md.
RECORDED = "1b564bc793888b7f97dc17669b82126abf9e8df7ba9fe0518cb0e03fe80e7d99"
ORDERS = ("cyclic", "shuffle", "blocks", "mixed", "random", "batch")
KEEPS = ("last", "best", "average")
CHOICES = [*itertools.product(ORDERS, KEEPS), ("cyclic", "vote"), ("random", "pocket")]
EPOCHS = 20


def table() -> tuple[np.ndarray, np.ndarray]:
    """The rows and labels of the credit-card applications."""
    found = data.read(load_credit().filename, target="card", ignore=["share", "expenditure"])
    X, y, _ = found.encode()
    return np.ascontiguousarray(X, dtype=np.float64), np.asarray(y)


def learned(estimator: Any, X: Any, y: np.ndarray) -> bytes:
    """The bits of a fit: what it scores, what it counted."""
    p = estimator.fit(X, y)
    counts = p.update_counts_.toarray() if issparse(p.update_counts_) else p.update_counts_
    numbers = [p.decision_function(X), *([p.coef_, p.intercept_] if hasattr(p, "coef_") else [])]
    parts = [np.ascontiguousarray(part, dtype="<f8") for part in numbers]
    parts += [np.ascontiguousarray(part, dtype="<i8") for part in (p.mistakes_, counts)]
    return b"".join(part.tobytes() for part in parts)


def training_hash() -> str:
    X, y = table()
    common = {"max_iter": EPOCHS, "patience": None, "random_state": 5}
    three = np.digitize(X[:, 2], [-0.5, 0.5])  # by income: many classes
    digest = hashlib.sha256()
    for order, keep in CHOICES:
        dense = learned(Perceptron(order=order, keep=keep, **common), X, y)
        sparse = learned(Perceptron(order=order, keep=keep, **common), csr_array(X), y)
        if dense != sparse:
            sys.exit(f"order={order!r}, keep={keep!r}: dense and sparse rows gave other bits")
        digest.update(dense)
    for estimator in (AROW(**common), PassiveAggressive(**common)):
        digest.update(learned(estimator, X, y))
    for keep in ("best", "auto"):
        rule = Perceptron(keep=keep, **common)
        digest.update(learned(rule, np.delete(X, 2, axis=1), three))
    return digest.hexdigest()


# --- What native/driver.cpp computes, too --------------------------------------------------------


def task() -> bytes:
    """What the driver reads."""
    X, y = table()
    signs = np.where(y == np.unique(y)[1], 1, -1).astype("<i1")
    head = np.array([*X.shape, EPOCHS, _seed(X, y)], dtype="<i8")
    return head.tobytes() + X.astype("<f8").tobytes() + signs.tobytes()


def answer() -> bytes:
    """What it should write."""
    X, y = table()
    last, average = _shuffled("last").fit(X, y), _shuffled("average").fit(X, y)
    weights = [part for p in (last, average) for part in (p.coef_[0], p.intercept_)]
    return (
        np.concatenate(weights).astype("<f8").tobytes()
        + last.update_counts_.astype("<i8").tobytes()
    )


def _shuffled(keep: str) -> Perceptron:
    return Perceptron(
        order="shuffle", keep=keep, max_iter=EPOCHS, patience=None, random_state=5, warm_start=True
    )


def _seed(X: np.ndarray, y: np.ndarray) -> int:
    """That of the permutations, from where it is documented: the model file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save(_shuffled("last").set_params(max_iter=1).fit(X, y), path)
        return int(json.loads(path.read_text())["state"]["seed"])


def main() -> str:
    found = training_hash()
    about = core()
    print(f"rosenblatt {about['version']}, {about['core']}; Python {sys.version.split()[0]}")
    if found != RECORDED:
        sys.exit(f"training hash {found}, but {RECORDED} was recorded: other bits")
    return f"training hash {found}, as recorded"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # a few epochs do not end it
    print(main())
