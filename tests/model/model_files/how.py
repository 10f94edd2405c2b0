"""How the files beside this one were written.

    python how.py FOLDER

`expected.json` was computed by hand; the calculations are in it. Until the first release the format
may change in place, and the files are written again; from then on they are kept as they are.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from rosenblatt import (
    AROW,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    RandomLinearClassifier,
    Scorecard,
    save,
)
from rosenblatt._model.objective import Objective
from rosenblatt._model.probability import Platt

LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
CORNERS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


def models():
    named = pd.DataFrame(LI_HANG, columns=["länge", "breite"])
    first, counted = Perceptron(order="cyclic", keep="last"), {"history": True}
    yield "li-hang-2.1", first.fit(named, [1, 1, -1]), {"data_fingerprint": "example 2.1"} | counted

    stopped = Perceptron(order="cyclic", keep="last", max_updates=3, warm_start=True)
    yield "li-hang-2.1-stopped", stopped.fit(LI_HANG, [1, 1, -1]), {}

    as_there = Perceptron(shuffle=False, tol=0.5, keep="last", max_updates=3, warm_start=True)
    yield "li-hang-2.1-stopped-tol", as_there.fit(LI_HANG, [1, 1, -1]), {}

    passed = Perceptron(keep="pocket")
    yield "li-hang-2.1-one-pass", passed.partial_fit(LI_HANG, ["yes", "yes", "no"]), {}

    dual = KernelPerceptron(kernel="linear", order="cyclic", keep="last")
    yield "li-hang-2.2", dual.fit(LI_HANG, [1, 1, -1]), {}

    two = {"order": "cyclic", "max_iter": 2, "class_weight": {False: 1.0}}
    truth = np.array([True, True, False], dtype=object)
    yield "average", Perceptron(keep="average", **two).fit(LI_HANG, truth), {}
    yield "vote", Perceptron(keep="vote", **two).fit(LI_HANG, truth == True), {}  # noqa: E712

    rows = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]], dtype=np.float32)
    batch = Perceptron(order="batch", eta0=0.5, random_state=np.random.RandomState(0))
    preprocessing = {"columns": [{"name": "größe", "kind": "number", "mean": 0.1}], "missing": None}
    yield (
        "batch",
        batch.fit(rows, np.float32([1, 1, 0])),
        {"preprocessing": preprocessing} | counted,
    )

    many = Perceptron(order="cyclic", keep="last", fit_intercept=False)
    unit = np.eye(128)[np.arange(300) % 128]
    yield "many-features", many.fit(unit, np.arange(300) % 2), {}

    choices = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0, "fit_intercept": False}
    xor = KernelPerceptron(order="cyclic", keep="last", **choices)
    labels = np.array(["different", "equal"], dtype=object)[[1, 0, 0, 1]]
    yield "xor-sparse", xor.fit(sparse.csr_matrix(CORNERS.astype(np.float32)), labels), {}

    three = Perceptron(order="cyclic", keep="last", max_iter=1)
    corners = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    yield "three-classes", three.fit(corners, ["a", "b", "c"]), {}

    likely = {"probability": Platt(0.5, -0.25, 3)}
    again = Perceptron(order="cyclic", keep="last")
    yield "li-hang-2.1-probability", again.fit(LI_HANG, ["yes", "yes", "no"]), likely

    costly = likely | {"objective": Objective("cost", {("yes", "no"): 5.0}, "balanced")}
    yield "li-hang-2.1-objective", again, costly

    votes = KernelPerceptron(kernel="precomputed", order="cyclic", keep="vote", max_iter=2)
    yield "vote-precomputed", votes.fit(LI_HANG @ LI_HANG.T, np.int8([1, 1, 0])), {}

    guess = RandomLinearClassifier(k=20, fit_intercept=False, random_state=0)
    yield "random-linear", guess.fit([[2.0], [-1.0]], [7, 3]), {}

    sure = AROW(r=1.0, order="cyclic", fit_intercept=False, max_iter=1)
    yield "arow", sure.fit([[1.0, 0.0], [0.0, 1.0]], ["yes", "no"]), {}

    mean = PassiveAggressive(C=0.5, order="cyclic", fit_intercept=False, max_iter=1)
    yield "passive-aggressive", mean.fit([[1.0, 0.0], [0.0, 1.0]], [1, -1]), {}

    card = Scorecard(max_terms=1)
    people = [[0, 25], [0, 31], [1, 44], [2, 52], [3, 47], [4, 23]]
    yield "card", card.fit(people, ["yes", "yes", "yes", "no", "no", "no"]), {}

    scaled = make_pipeline(MaxAbsScaler(), Perceptron(order="cyclic", keep="last", margin=0))
    yield "pipeline", scaled.fit([[2.0, 4.0], [4.0, 4.0], [0.0, 0.0]], [1, 1, -1]), {}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, model, more in models():
        save(model, Path(sys.argv[1]) / f"{name}.json", **more)
