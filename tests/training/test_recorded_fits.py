"""The bits of training, recorded once: a table of fits that no change may change.

Every order × keep × way of holding the rows, in primal and in dual form. The file was written by
this module itself: `python tests/training/test_recorded_fits.py`. Write it anew only where a
definition in docs/definitions.md changes, and say so in CHANGELOG.md.
"""

import hashlib
import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron, Perceptron

RECORDED = Path(__file__).parent / "recorded_fits.json"
ORDERS = ("cyclic", "shuffle", "blocks", "random", "batch")
KEEPS = ("last", "best", "pocket", "average", "vote")
HELD = ("float64", "float32", "csr", "kernel")


def rows(n=70, d=5):
    """Multiples of 1/256 from a linear congruential generator: exact in float32, the same ever."""
    numbers, state = [], 12345
    for _ in range(n * (d + 1)):
        state = (1103515245 * state + 12345) % 2**31
        numbers.append((state >> 16) % 1024 / 256 - 2)
    table = np.array(numbers).reshape(n, d + 1)
    X = np.where(abs(table[:, :d]) < 0.4, 0.0, table[:, :d])
    return X, np.where(X[:, 0] - X[:, 1] / 2 + table[:, d] / 4 > 0, "yes", "no")


def fit(order, keep, held):
    X, y = rows()
    weights = np.where(np.arange(len(y)) % 7 == 3, 0.5, 1.0)
    parameters = {"order": order, "keep": keep, "max_iter": 6, "patience": None, "random_state": 5}
    if held == "kernel":
        return KernelPerceptron(kernel="linear", **parameters).fit(X, y, weights), X
    hold = {"float64": X, "float32": X.astype(np.float32), "csr": csr_array(X)}[held]
    return Perceptron(**parameters).fit(hold, y, weights), X


def digest(order, keep, held):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # six epochs do not end it
        p, X = fit(order, keep, held)
    bits = hashlib.sha256()
    for part in (p.decision_function(X), p.mistakes_, p.update_counts_):
        bits.update(np.ascontiguousarray(part).tobytes())
    if keep != "vote" and held != "kernel":
        bits.update(p.coef_.tobytes() + p.intercept_.tobytes())
    bits.update(f"{p.n_iter_} {p.n_updates_} {p.training_errors_} {p.converged_}".encode())
    return bits.hexdigest()[:32]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_training_gives_the_bits_that_were_recorded(order, keep, held):
    recorded = json.loads(RECORDED.read_text())
    assert digest(order, keep, held) == recorded[f"{order} {keep} {held}"]


if __name__ == "__main__":
    table = {" ".join(c): digest(*c) for c in itertools.product(ORDERS, KEEPS, HELD)}
    RECORDED.write_text(json.dumps(table, indent=1) + "\n")
