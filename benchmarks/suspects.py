"""Planted wrong labels that are found among the first k rows, k as many as were planted.

Beside `suspects` stands cleanlab's self-confidence: the cross-validated probability of the label
that a row has, here of a logistic regression and of a random forest. Run with
`python benchmarks/suspects.py`; name files of tables (the label last, no header) to have them, too.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from run import machine
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from rosenblatt import datasets, suspects

MOST, LEAST = 2000, 12  # rows of a table; rows of a label
PLANTED = (0.05, 0.1)
RULES = {
    "self-confidence, logistic": LogisticRegression(max_iter=500),
    "self-confidence, forest": RandomForestClassifier(100, random_state=0),
}


def tables(files):
    for load in (load_breast_cancer, load_iris, load_wine, load_digits):
        yield load.__name__[5:], *load(return_X_y=True)
    card = datasets.load_credit(as_frame=True)
    yield "credit", card.data.drop(columns=["share", "expenditure"]).to_numpy(float), card.target
    for path in map(Path, files):
        table = pd.read_csv(path, header=None)
        yield path.stem, table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def kept(X, y):
    """Some rows of a large table, without rare labels."""
    codes = np.unique(y, return_inverse=True)[1]
    if len(codes) > MOST:
        some = np.random.default_rng(0).choice(len(codes), MOST, replace=False)
        X, codes = X[some], codes[some]
    often = np.bincount(codes)[codes] >= LEAST
    return X[often], np.unique(codes[often], return_inverse=True)[1]


def planted(y, share, seed):
    rng, k = np.random.default_rng(seed), int(len(y) * share)
    bad, classes = rng.choice(len(y), k, replace=False), y.max() + 1
    wrong = y.copy()
    wrong[bad] = (wrong[bad] + rng.integers(1, classes, k)) % classes
    return wrong, bad


def self_confidence(rule, X, y):
    X = StandardScaler().fit_transform(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(rule, X, y, cv=folds, method="predict_proba")[np.arange(len(y)), y]


def main(files):
    warnings.simplefilter("ignore")
    print(machine(), "\n")
    names = ["suspects", *RULES]
    print(f"| table | rows | planted | {' | '.join(names)} |\n|{'---|' * (3 + len(names))}")
    found = []
    for name, *table in tables(files):
        X, y = kept(*table)
        for share in PLANTED:
            labels, bad = planted(y, share, 1)
            ranked = [suspects(X, labels, time_limit=0.1).ranking]
            ranked += [np.argsort(self_confidence(rule, X, labels)) for rule in RULES.values()]
            found.append([np.isin(order[: len(bad)], bad).mean() for order in ranked])
            cells = [f"{value:.0%}" for value in found[-1]]
            print(f"| {name} | {len(y)} | {share:.0%} | {' | '.join(cells)} |", flush=True)
    means = [f"{value:.1%}" for value in np.mean(found, axis=0)]
    print(f"| mean | | | {' | '.join(means)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
