"""Who is compared: rules that learn in passes, ours and the peers', and peers with their own stop.

A rule is a function of the seed and of the number of passes (None: its own stop). To add one, enter
it in OURS or PEERS; what is not installed, or not in this version, is left out with a note.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

Rule = Callable[[int, int | None], Any]
PASSES = (1, 10)
TUNED = "LogisticRegression, tuned"
AVERAGE_WITH_MARGIN = "rosenblatt: average, margin"
AROW = "rosenblatt: AROW"
PENALTY = "rosenblatt: penalty, tuned"


# --- Ours -----------------------------------------------------------------------------------------


def ours(seed: int, passes: int | None, **given: Any) -> Any:
    if passes is None:
        return Perceptron(random_state=seed, **given)
    return Perceptron(random_state=seed, max_iter=passes, patience=None, **given)


def of_its_own(name: str, seed: int, passes: int | None) -> Any:
    """An estimator of rosenblatt that may not be there yet."""
    limits = {} if passes is None else {"max_iter": passes, "patience": None}
    return getattr(rosenblatt, name)(random_state=seed, **limits)


OURS: dict[str, Rule] = {
    "rosenblatt: best": partial(ours, keep="best"),
    "rosenblatt: last": partial(ours, keep="last"),
    "rosenblatt: average": partial(ours, keep="average"),
    AVERAGE_WITH_MARGIN: partial(ours, keep="average", margin="scale"),
    "rosenblatt: average, wide margin": partial(ours, keep="average", margin="wide"),
    AROW: partial(of_its_own, "AROW"),
    "rosenblatt: PassiveAggressive": partial(of_its_own, "PassiveAggressive"),
}


# --- Peers ----------------------------------------------------------------------------------------


def theirs(seed: int, passes: int | None) -> Any:
    limits = {} if passes is None else {"max_iter": passes, "tol": None}
    return TheirPerceptron(random_state=seed, **limits)


def sgd(seed: int, passes: int | None, **given: Any) -> Any:
    limits = {} if passes is None else {"max_iter": passes, "tol": None}
    return SGDClassifier(random_state=seed, **limits, **given)


def tuned(seed: int, _: int | None) -> Any:
    """C is chosen by three folds of the training rows."""
    grid = {"C": np.logspace(-3, 3, 7)}
    return GridSearchCV(LogisticRegression(max_iter=2000), grid, cv=3, error_score="raise")


def penalised(seed: int, _: int | None) -> Any:
    """The averaged perceptron with a wide margin, its penalty chosen as C is."""
    grid = {"alpha": [0.0, *np.logspace(-5, -2, 7)]}
    rule = Perceptron(penalty="l2", random_state=seed)
    return GridSearchCV(rule, grid, cv=3, error_score="raise")


class VowpalWabbit:
    """Its defaults for two classes, one against all for more; it reads the rows from a file."""

    def __init__(self, passes: int | None, loss: str = "logistic"):
        self._passes, self._loss = passes or 10, loss

    def fit(self, X: Any, y: Any) -> "VowpalWabbit":
        from vowpalwabbit import Workspace

        self.classes_, place = np.unique(y, return_inverse=True)
        several = len(self.classes_) > 2
        labels = place + 1 if several else 2 * place - 1
        kind = f"--oaa {len(self.classes_)}" if several else ""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows")
            _written(path, X, labels)
            more = f"-c --passes {self._passes} -k --holdout_off" if self._passes > 1 else ""
            model = os.path.join(folder, "model")
            Workspace(
                f"--quiet {kind} --loss_function {self._loss} -b 20 --data {path} {more} -f {model}"
            ).finish()
            with open(model, "rb") as file:
                self._model = file.read()
        return self

    def predict(self, X: Any) -> Any:
        from vowpalwabbit import Workspace

        with tempfile.TemporaryDirectory() as folder:
            path, model, out = (os.path.join(folder, name) for name in ("rows", "model", "out"))
            with open(model, "wb") as file:
                file.write(self._model)
            _written(path, X, None)
            Workspace(f"--quiet -t -i {model} --data {path} -p {out}").finish()
            found = np.loadtxt(out, ndmin=1)
        several = len(self.classes_) > 2
        return self.classes_[found.astype(int) - 1 if several else (found > 0).astype(int)]


def _written(path: str, X: Any, labels: Any) -> None:
    rows = sparse.csr_matrix(X)
    with open(path, "w") as file:
        for i in range(rows.shape[0]):
            some = slice(*rows.indptr[i : i + 2])
            pairs = zip(rows.indices[some].tolist(), rows.data[some].tolist(), strict=True)
            text = " ".join(f"{j}:{x:.7g}" for j, x in pairs)
            file.write(f"{'' if labels is None else labels[i]} | {text}\n")


PEERS: dict[str, Rule] = {
    "scikit-learn Perceptron": theirs,
    "scikit-learn SGD, hinge": partial(sgd, loss="hinge"),
    "scikit-learn SGD, logistic": partial(sgd, loss="log_loss"),
    "scikit-learn PassiveAggressive": partial(
        sgd, loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0
    ),
    "scikit-learn PassiveAggressive, average": partial(
        sgd, loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, average=True
    ),
    "Vowpal Wabbit, logistic": lambda _, passes: VowpalWabbit(passes),
    "Vowpal Wabbit, hinge": lambda _, passes: VowpalWabbit(passes, "hinge"),
}

AT_REST: dict[str, Rule] = {
    PENALTY: penalised,
    "LogisticRegression": lambda _, passes: LogisticRegression(max_iter=2000),
    TUNED: tuned,
    "LinearSVC": lambda seed, _: LinearSVC(random_state=seed),
}
"""They make as many passes as they like."""


def rules() -> Iterator[tuple[str, int | None, Rule]]:
    """Name, passes and rule of all that are there; what is not is told."""
    for name, rule in (OURS | PEERS).items():
        missing = _missing(name, rule)
        if missing:
            print(f"(left out: {name}: {missing})")
            continue
        for passes in PASSES:
            yield name, passes, rule
    for name, rule in AT_REST.items():
        yield name, None, rule


def _missing(name: str, rule: Rule) -> str | None:
    """Why a rule cannot be tried, if so."""
    X, y = np.array([[0.0], [1.0]] * 100), np.array([0, 1] * 100)
    with suppress(ImportError, AttributeError, InputError, TypeError):
        rule(0, 1).fit(X, y)
        return None
    return "it is not installed" if "Wabbit" in name else "it is not in this version"
