"""What sets of lecture notes define, where they differ; and their algorithms as estimators.

An algorithm of the notes runs until it ends as the notes say: there is no patience. Each has a
limit that is large, and a warning says where it was reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from rosenblatt._validation.parameters import one_of
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.online import Relaxation
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier


@dataclass(frozen=True)
class Notes:
    """Conventions of a course."""

    title: str
    tie: Literal["mistake", "positive", "negative"]  # what a score of 0 is
    intercept: bool = True
    layout: Literal["rows", "columns"] = "rows"  # points of X
    b_first: bool = False  # in a vector of d + 1 weights
    order: Literal["any", "cyclic", "shuffle"] = "any"  # of the updates


NOTES = {
    "li-hang": Notes("Li Hang, Statistical Learning Methods, chapter 2", "mistake"),
    "mit": Notes("MIT 6.036, week 2", "mistake", layout="columns", order="cyclic"),
    "ntu": Notes("NTU, Machine Learning Foundations", "negative", b_first=True),
    "cornell": Notes("Cornell CS4780", "mistake", intercept=False, order="cyclic"),
}

MAX_ITER = 1_000_000
"""Epochs after which an algorithm of the notes is ended, with a warning."""


def _made_by(kind: type[Any], **given: Any) -> Callable[..., Any]:
    def made(notes: Notes, limits: dict[str, Any]) -> Any:
        own: dict[str, Any] = {"order": "cyclic", "keep": "last", "patience": None}
        own |= {"fit_intercept": notes.intercept, "max_iter": MAX_ITER}
        own |= {} if kind is Relaxation else {"tie": notes.tie}
        return kind(**own | given | limits)

    return made


def _random(notes: Notes, limits: dict[str, Any]) -> Any:
    return RandomLinearClassifier(fit_intercept=notes.intercept, **limits)


ALGORITHMS: dict[str, Callable[[Notes, dict[str, Any]], Any]] = {
    "pla": _made_by(Perceptron),
    "fixed cycle": _made_by(Perceptron, order="fixed"),
    "shuffled": _made_by(Perceptron, order="shuffle"),
    "stochastic gradient descent": _made_by(Perceptron, order="random"),
    "gradient descent": _made_by(Perceptron, order="batch"),
    "decaying rate": _made_by(Perceptron, decay=1.0),
    "margin": _made_by(Perceptron, margin=1.0),
    "pocket": _made_by(Perceptron, order="random", keep="pocket", max_updates=50),
    "averaged": _made_by(Perceptron, keep="average", max_iter=10),
    "voted": _made_by(Perceptron, keep="vote", max_iter=10),
    "dual": _made_by(KernelPerceptron, kernel="linear"),
    "kernel": _made_by(KernelPerceptron, kernel="poly", degree=2, gamma=1.0, coef0=1.0),
    "relaxation": _made_by(Relaxation),
    "random linear classifier": _random,
}


def algorithm(name: str, notes: str = "li-hang", **parameters: Any) -> Any:
    """The estimator that is this algorithm of these notes; `parameters` are changed or added.

    >>> from rosenblatt import teach
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> pla = teach.algorithm("pla").fit(X, y)
    >>> pla.coef_, pla.intercept_, pla.n_updates_
    (array([[1., 1.]]), array([-3.]), 7)
    """
    one_of("name", name, ALGORITHMS)
    return ALGORITHMS[name](notes_of(notes), parameters)


def notes_of(name: str) -> Notes:
    one_of("notes", name, NOTES)
    return NOTES[name]
