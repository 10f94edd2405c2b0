"""Draws the pictures of docs/playground.md: python examples/pictures.py [folder]."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, PassiveAggressive, Perceptron, trace
from rosenblatt.plots import (
    AlphaDisplay,
    BoundaryDisplay,
    ConeDisplay,
    LossBoundDisplay,
    LossLineDisplay,
    MistakesDisplay,
    PocketDisplay,
    RegionsDisplay,
    SqueezeDisplay,
    UpdateDisplay,
    animate,
)

FOUR = [[3, 1], [1, 3], [-1, 2], [2, -2]], [1, 1, -1, -1]
TOY = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]


def flowers():
    """Setosa and versicolor, two lengths: separable."""
    data = load_iris(as_frame=True)
    some = data.target < 2
    X = data.data.loc[some, ["sepal length (cm)", "petal length (cm)"]]
    return X, data.target_names[data.target[some]]


def tumours():
    """Thirty features, scaled: separable only just."""
    data = load_breast_cancer(as_frame=True)
    X = StandardScaler().set_output(transform="pandas").fit_transform(data.data)
    return X, data.target_names[data.target]


def overlapping():
    """Versicolor and virginica, two widths: no line separates them."""
    data = load_iris(as_frame=True)
    some = data.target > 0
    X = data.data.loc[some, ["sepal width (cm)", "petal width (cm)"]]
    return X, data.target_names[data.target[some]]


def clouds():
    """Two clouds that overlap."""
    X, y = make_blobs(60, centers=[[0, 0], [1.5, 1]], random_state=4)
    return X.round(2), np.where(y, "yes", "no")


def displays():
    """By name of the file."""
    X, y = flowers()
    rule = Perceptron(order="cyclic", margin=0).fit(X, y)
    yield "plane", BoundaryDisplay.from_estimator(rule, X, y, weights=True)

    wide, sick = tumours()
    few = Perceptron(random_state=0, margin=0, max_iter=20, patience=None).fit(wide, sick)
    yield "cut", BoundaryDisplay.from_estimator(few, wide, sick)

    moons = make_moons(200, noise=0.2, random_state=0)
    curved = KernelPerceptron(gamma=2.0, random_state=0).fit(*moons)
    yield "kernel", BoundaryDisplay.from_estimator(curved, *moons)

    iris = load_iris(as_frame=True)
    petals = iris.data[["petal length (cm)", "petal width (cm)"]]
    species = iris.target_names[iris.target]
    three = LogisticRegression().fit(petals, species)
    yield "regions", RegionsDisplay.from_estimator(three, petals, species)

    yield "update", UpdateDisplay.from_trace(trace(Perceptron(order="cyclic"), *FOUR), 3)
    toy = trace(Perceptron(order="cyclic", keep="last"), *TOY)
    yield "squeeze", SqueezeDisplay.from_trace(toy)
    online = trace(PassiveAggressive(order="cyclic"), *TOY)
    yield "loss-bound", LossBoundDisplay.from_trace(online)
    yield "losses", LossLineDisplay.from_trace(trace(Perceptron(order="cyclic"), X, y))

    yield (
        "mistakes",
        MistakesDisplay.from_trace(
            trace(Perceptron(random_state=0, max_iter=40, patience=None), wide, sick)
        ),
    )
    mixed = overlapping()
    noisy = Perceptron(order="random", random_state=0, max_iter=4)
    yield "pocket", PocketDisplay.from_estimator(noisy, *mixed)
    yield "cone", ConeDisplay.from_rows(*clouds(), [[2, 1], [1, 2]])
    yield "alpha", AlphaDisplay.from_estimator(noisy.fit(*mixed), mixed[1])


def main(folder):
    for name, display in displays():
        path = folder / f"{name}.png"
        display.figure_.savefig(path, dpi=100)
        plt.close(display.figure_)
        # 256 colours are enough for lines and points, and take half the room.
        Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
            path, optimize=True
        )
    animate(trace(Perceptron(order="cyclic", keep="last"), *FOUR), folder / "training.gif")


if __name__ == "__main__":
    default = Path(__file__).parent.parent / "docs" / "images"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    target.mkdir(exist_ok=True)
    main(target)
