"""The fewest training errors on real tables, beside what the pocket and others make of them.

Errors are rows with y (w·x + b) <= 0; the others train on columns of mean 0 and variance 1. Run
with `python benchmarks/minimum.py`; name tables to run only those: `... iris wine`. With the word
`directions` it runs what cones of directions are to reach, and a sign that is forced. With the word
`signs` it shows how far the search comes when signs of weights are demanded.
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
from rosenblatt import Perceptron, forced_signs, minimum_errors

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
    kept, card = credit()
    yield "credit cards: 9 columns", kept.to_numpy(), card
    X, y = load_digits(return_X_y=True)
    some = (y == 8) | (y == 1)
    yield "digits: 1, 8, every 4th pixel", X[some][:, 1::4], y[some]
    yield "Gaussian, 10 % of labels flipped", *noisy(100_000, 20)


def credit():
    frame = pd.read_csv(Path(rosenblatt.__file__).parent / "datasets" / "credit_card.csv")
    yes = frame == "yes"
    numbers = frame.where(~yes, 1).replace("no", 0).astype(float)
    return numbers.drop(columns=["card", "share", "expenditure"]), frame["card"]


def noisy(n, d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal(d) > 0) ^ (rng.random(n) < 0.1)


def errors(estimator, X, y):
    """On the rows it was trained on; a score of 0 is an error."""
    X = StandardScaler().fit_transform(X)
    sign = np.where(np.asarray(y) == np.unique(y)[1], 1, -1)
    return int((sign * estimator.fit(X, y).decision_function(X) <= 0).sum())


def directions():
    """What is to be closed or reached, and within how many seconds; the processor's beside them."""
    X, y = load_breast_cancer(return_X_y=True)
    kept, card = credit()

    def bracket(X, y, limit):
        found = minimum_errors(X, y, time_limit=limit)
        return f"{found.proved_lower} to {found.upper}"

    def sign():
        found = forced_signs(kept, card, errors=178)["reports"]
        return f"{found.sign or 'open'}, otherwise {found.at_least} to {found.at_most}"

    cases = {
        "breast cancer, 4 columns: 38 in 1 s": lambda: bracket(X[:, :4], y, 30),
        "Gaussian 1000 x 5: closed in 5 s": lambda: bracket(*noisy(1000, 5), 30),
        "Gaussian 100,000 x 2: closed in 30 s": lambda: bracket(*noisy(100_000, 2), 60),
        "credit, 9 columns: 110 in 10 s": lambda: bracket(kept, card, 10),
        "`reports` on credit: forced": sign,
    }
    print(
        machine(), "\n\n| case and target | found | seconds | of the processor |\n|---|---|---|---|"
    )
    for name, run in cases.items():
        begin, used = time.perf_counter(), time.process_time()
        found = run()
        wall, processor = time.perf_counter() - begin, time.process_time() - used
        print(f"| {name} | {found} | {wall:.1f} | {processor:.1f} |", flush=True)


def alike(n, d):
    """Columns that all say nearly the same: the more, the larger."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal(n)
    return (z[:, None] + 0.1 * rng.standard_normal((n, d))).round(2), z + rng.normal(0, 0.7, n) > 0


def signs():
    """Fewer orthants: the same rows without a demand, and with a sign for each column."""
    cancer, benign = load_breast_cancer(return_X_y=True)
    kept, card = credit()
    cases = {
        "alike, 20 columns, all +": (*alike(300, 20), np.ones(20)),
        "alike, 40 columns, all +": (*alike(300, 40), np.ones(40)),
        "breast cancer, 10 columns, all -": (cancer[:, :10], benign, -np.ones(10)),
        "breast cancer, 20 columns, all -": (cancer[:, :20], benign, -np.ones(20)),
        "credit, 9 columns, income + and reports -": (kept, card, {"income": "+", "reports": "-"}),
    }
    print(
        machine(), "\n\n| rows and demand | without | with | the demand costs |\n|---|---|---|---|"
    )
    for name, (X, y, demand) in cases.items():
        free = minimum_errors(X, y, time_limit=LIMIT / 3)
        fair = minimum_errors(X, y, signs=demand, time_limit=LIMIT / 3)
        both = [f"{one.proved_lower} to {one.upper}, {one.proof}" for one in (free, fair)]
        least, most = fair.price(free)
        print(f"| {name} | {both[0]} | {both[1]} | {least} to {most} |", flush=True)


def main(wanted):
    warnings.simplefilter("ignore")
    if wanted == ["directions"]:
        directions()
        return
    if wanted == ["signs"]:
        signs()
        return
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
