"""How long a second opinion takes for one more row, in processor time, and how much it settles.

Four fifths of the rows are known, and the others are asked about. Run with
`python benchmarks/opinion.py`; the targets are 30 ms a row up to 4 columns, and 100 ms at 9.
"""

import time

import numpy as np
from minimum import credit
from run import machine
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split

from rosenblatt import second_opinion

ASKED = 60


def tables():
    X, y = load_iris(return_X_y=True)
    yield "iris: setosa against the rest (separable)", X, y == 0, 30
    yield "iris: versicolor, virginica", X[50:], y[50:], 30
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer: 2 columns", X[:, :2], y, 30
    yield "breast cancer: 3 columns", X[:, :3], y, 30
    yield "breast cancer: 4 columns", X[:, :4], y, 30
    yield "breast cancer: 30 columns (separable)", X, y, 100
    kept, card = credit()
    yield "credit cards: 9 columns", kept.to_numpy(), card.to_numpy(), 100


def timed(X, y, X_new):
    """The whole, and what one row more costs."""
    begin = time.process_time()
    second_opinion(X, y, X_new[:1])
    one = time.process_time() - begin
    begin = time.process_time()
    found = second_opinion(X, y, X_new)
    every = time.process_time() - begin
    return found, one, (every - one) / max(len(X_new) - 1, 1)


def main():
    print(machine())
    print(
        "| table | known rows | first row | each further row | target | forced | contested | open |"
        "\n|---|---|---|---|---|---|---|---|"
    )
    for name, X, y, target in tables():
        known, new, labels, _ = train_test_split(X, np.asarray(y), test_size=0.2, random_state=0)
        found, first, each = timed(known, labels, new[:ASKED])
        shares = (found.count(s) / len(found) for s in ("forced", "contested", "open"))
        told = " | ".join(f"{share:.0%}" for share in shares)
        print(
            f"| {name} | {len(labels):,} | {1000 * first:,.0f} ms | {1000 * each:.1f} ms "
            f"| {target} ms | {told} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
