"""The breast-cancer data that scikit-learn ships, learned by rosenblatt and by scikit-learn.

Run by `make demo`. Everything is seeded: the README shows the output that you will see.
"""

import warnings

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import Perceptron, RandomLinearClassifier
from rosenblatt._kernels import NATIVE

console = Console(width=100, highlight=False)


def load():
    """Training and test rows, scaled by the training rows."""
    data = load_breast_cancer()
    labels = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(
        data.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test, data.feature_names


def fit(estimator, X, y):
    """Fit; returns the warnings that came."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, y)
    return [str(warning.message) for warning in caught]


def what_it_says(estimator, caught):
    if hasattr(estimator, "stop_reason_"):
        return str(estimator.stop_reason_)
    if isinstance(estimator, RandomLinearClassifier):
        return "The best of 100 random hyperplanes."
    return caught[0] if caught else "(nothing)"


def main():
    X, X_test, y, y_test, names = load()
    core = "compiled core" if NATIVE else "NumPy reference (no compiled core)"
    console.print(f"rosenblatt {rosenblatt.__version__}, {core}")
    console.print(
        f"Breast cancer: {len(X)} training rows, {len(X_test)} test rows, {X.shape[1]} features, "
        f"scaled; {np.mean(y == 'benign'):.0%} benign.\n"
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for heading in ("epochs", "updates", "errors in\ntraining", "errors\nin test"):
        table.add_column(heading, justify="right")
    table.add_column("what it says", overflow="fold")
    for name, estimator in {
        "random linear": RandomLinearClassifier(random_state=0),
        "scikit-learn": TheirPerceptron(),
        "last": Perceptron(keep="last", random_state=0),
        "average": Perceptron(keep="average", random_state=0),
        "best (default)": Perceptron(random_state=0),
    }.items():
        caught = fit(estimator, X, y)
        table.add_row(
            name,
            str(getattr(estimator, "n_iter_", "")),
            str(getattr(estimator, "n_updates_", "")),
            str((estimator.predict(X) != y).sum()),
            str((estimator.predict(X_test) != y_test).sum()),
            what_it_says(estimator, caught),
        )
    console.print(table)
    weights = estimator.coef_[0]
    heaviest = np.argsort(-np.abs(weights))[:4]
    terms = " ".join(f"{weights[j]:+.1f}·[{names[j]}]" for j in heaviest)
    console.print(
        f"\nThe rule: {estimator.classes_[1]} if {terms} … {estimator.intercept_[0]:+.1f} >= 0",
        markup=False,
    )
    mistakes = " ".join(map(str, estimator.mistakes_[:10]))
    console.print(f"Mistakes by epoch: {mistakes} … {estimator.mistakes_[-1]}")


if __name__ == "__main__":
    main()
