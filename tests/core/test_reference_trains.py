"""The package works on the NumPy reference alone. `make test` runs this once more with
ROSENBLATT_CORE=reference."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import Perceptron, RandomLinearClassifier
from rosenblatt._core import reference
from rosenblatt._core.backend import compute

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_the_core_that_was_asked_for_runs():
    asked_for_the_reference = os.environ.get("ROSENBLATT_CORE") == "reference"
    assert asked_for_the_reference != compute.native
    assert (compute.backend is reference) == asked_for_the_reference


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "blocks", "random", "batch"])
@pytest.mark.parametrize("keep", ["last", "best", "pocket", "average", "vote"])
def test_it_trains_and_predicts(order, keep, on_reference, rng):
    X = rng.normal(size=(40, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.2, "yes", "no")
    for rows in (X, sparse.csr_matrix(X.astype(np.float32))):
        p = Perceptron(order=order, keep=keep, random_state=0, max_iter=20).fit(rows, y)
        assert p.score(rows, y) > 0.9
        assert p.partial_fit(rows, y).score(rows, y) > 0.8


def test_the_baseline_trains(on_reference, rng):
    X, y = rng.normal(size=(20, 2)), [0, 1] * 10
    assert RandomLinearClassifier(k=5, random_state=0).fit(X, y).candidate_errors_.shape == (5,)


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unknown_core_is_refused():
    done = run("import rosenblatt; rosenblatt.Perceptron", ROSENBLATT_CORE="fortran")
    assert done.returncode != 0
    assert "allowed: 'native', 'reference'" in done.stderr


def test_a_missing_core_is_said_first_thing_and_training_works():
    # What an installation without a compiler looks like: no rosenblatt._core._native.
    done = run(
        "import sys; sys.modules['rosenblatt._core._native'] = None\n"
        "from rosenblatt import Perceptron\n"
        "p = Perceptron(order='cyclic', keep='last').fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])\n"
        "print(p.coef_.tolist(), p.intercept_.tolist())",
        ROSENBLATT_CORE="",
    )
    assert done.stdout.strip() == "[[1.0, 1.0]] [-3.0]"
    assert "installed without its compiled core" in done.stderr
    assert "C++17 compiler" in done.stderr
