"""What a type checker knows of rosenblatt. It runs, and mypy and pyright accept it."""

import tempfile
from pathlib import Path
from typing import Any, Literal, assert_type

import numpy as np
from numpy.typing import NDArray

import rosenblatt
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, StopReason

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
y = np.array(["yes", "yes", "no"])

# --- Estimators: fit gives back its own class, and attributes have types ----------------------

p = Perceptron(order="cyclic", keep="last").fit(X, y)
assert_type(p, Perceptron)
assert_type(p.n_iter_, int)
assert_type(p.n_updates_, int)
assert_type(p.t_, int)
assert_type(p.converged_, bool)
assert_type(p.training_errors_, int | None)
assert_type(p.stop_reason_, StopReason)
assert_type(p.certificate_, rosenblatt.Certificate | None)
assert_type(p.mistakes_, NDArray[np.int64])
assert_type(p.coef_, NDArray[np.float64])
assert_type(p.intercept_, NDArray[np.float64])
assert_type(p.classes_, NDArray[Any])
assert_type(p.score(X, y), float)
assert_type(p.decision_function(X), NDArray[np.float64])
assert_type(p.partial_fit(X, y), Perceptron)
assert_type(p.sparsify().densify(), Perceptron)

k = KernelPerceptron(kernel="linear").fit(X, y)
assert_type(k, KernelPerceptron)
assert_type(k.n_iter_, int)
assert_type(k.score(X, y), float)
assert_type(k.support_, NDArray[np.intp])
assert_type(k.dual_coef_, NDArray[np.float64])

r = RandomLinearClassifier(random_state=0).fit(X, y)
assert_type(r, RandomLinearClassifier)
assert_type(r.training_errors_, int)
assert_type(r.score(X, y), float)

# --- A stop reason is one of few, and a checker knows when all are handled --------------------

print("clean" if p.stop_reason_ is StopReason.CLEAN else p.stop_reason_.value)

# --- Certificates: words are literals ---------------------------------------------------------

c = rosenblatt.certify(X, y)
assert_type(
    c.verdict,
    Literal[
        "complete separation",
        "quasi-complete separation",
        "overlap",
        "overlap up to chance",
        "undecided",
    ],
)
assert_type(c.coefficient_signs, dict[str, Literal["+", "-", "±", "0", "collinear", "?"]])
assert_type(c.separable, bool | None)
assert_type(c.mistake_bound, int | None)
if c.geometric_margin is not None and c.separator is not None:
    assert_type(c.geometric_margin.lo, float)
    assert_type(c.separator.coef, NDArray[np.float64])
assert_type(Perceptron.from_certificate(c), Perceptron)

# --- Functions --------------------------------------------------------------------------------

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.json"
    rosenblatt.save(p, path)
    read = rosenblatt.load(path)
assert_type(read.predict(X), NDArray[Any])  # whichever of our estimators it is
print(read.predict(X))
if isinstance(read, Perceptron):
    assert_type(read.n_iter_, int)
    print(read.n_iter_, read.keep)

assert_type(rosenblatt.trace(p, X, y), rosenblatt.Trace)
assert_type(rosenblatt.trace(p, X, y).norm, NDArray[np.float64])
assert_type(rosenblatt.minimum_errors(X, y), rosenblatt.ErrorBracket)
assert_type(rosenblatt.minimum_errors(X, y).optimal, bool)
