"""The fewest training errors on real tables, beside what the pocket and others make of them.

Errors are rows with y (w·x + b) <= 0; the others train on columns of mean 0 and variance 1. Run
with `python benchmarks/minimum.py`; name tables to run only those: `... iris wine`.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from run import machine
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as Theirs
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import Perceptron, minimum_errors

LIMIT = 30.0  # seconds
OTHERS = {
    "scikit-learn": Theirs(random_state=0),
    "logistic": LogisticRegression(C=1e4, max_iter=10_000),
    "pocket": Perceptron(order="random", keep="pocket", max_updates=2000, random_state=0),
    "best": Perceptron(random_state=0),
}


def tables():
    X, y = load_iris(return_X_y=True)
    yield "iris: versicolor, virginica", X[50:], y[50:]
    yield "iris: the same, sepals only", X[50:, :2], y[50:]
    X, y = load_wine(return_X_y=True)
    yield "wine: second against the rest, 3 columns", X[:, :3], y == 1
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer: 2 columns", X[:, :2], y
    yield "breast cancer: 4 columns", X[:, :4], y
    yield "breast cancer: the 10 means", X[:, :10], y
    frame = pd.read_csv(Path(rosenblatt.__file__).parent / "datasets" / "credit_card.csv")
    yes = frame == "yes"
    numbers = frame.where(~yes, 1).replace("no", 0).astype(float)
    kept = numbers.drop(columns=["card", "share", "expenditure"])
    yield "credit cards: 9 columns", kept.to_numpy(), frame["card"]
    X, y = load_digits(return_X_y=True)
    some = (y == 8) | (y == 1)
    yield "digits: 1, 8, every 4th pixel", X[some][:, 1::4], y[some]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 20))
    y = (X @ rng.standard_normal(20) > 0) ^ (rng.random(100_000) < 0.1)
    yield "Gaussian, 10 % of labels flipped", X, y


def errors(estimator, X, y):
    """On the rows it was trained on; a score of 0 is an error."""
    X = StandardScaler().fit_transform(X)
    sign = np.where(np.asarray(y) == np.unique(y)[1], 1, -1)
    return int((sign * estimator.fit(X, y).decision_function(X) <= 0).sum())


def main(wanted):
    warnings.simplefilter("ignore")
    print(machine(), f"\nTime limit {LIMIT:g} s.\n")
    print(f"| table | rows | {' | '.join(OTHERS)} | proved | lower | upper | seconds |")
    print("|---" * (len(OTHERS) + 6) + "|")
    for name, X, y in tables():
        if wanted and not any(word in name for word in wanted):
            continue
        others = [errors(estimator, X, y) for estimator in OTHERS.values()]
        begin = time.perf_counter()
        bracket = minimum_errors(X, y, time_limit=LIMIT)
        seconds = time.perf_counter() - begin
        bracket.verify(X, y)
        ends = [bracket.proved_lower, bracket.lower, bracket.upper]
        cells = [name, f"{len(y)} x {X.shape[1]}", *others, *ends, f"{seconds:.1f}"]
        print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
