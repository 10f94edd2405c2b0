"""The perceptron algorithm by itself: rows in their order, from zero weights, no estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples, Matrix
from rosenblatt._training.keeps import Last
from rosenblatt._training.learner import Primal, PrimalJob, PrimalState
from rosenblatt._training.loop import train
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import Cyclic
from rosenblatt._training.state import Job, State


def pla(
    X: Matrix,
    y: NDArray[Any],
    *,
    margin: float,
    intercept: bool,
    max_iter: int,
    classes: int | None = None,
) -> PrimalState:
    """Where training stands after so many epochs, or after a clean one.

    With more than two classes say how many: y are their numbers then, from 0 on.
    """
    examples = Examples(X, y, None, classes)
    machine = Primal(examples, margin=margin, intercept=intercept)
    start = machine.start(np.zeros(examples.shape_of_weights), averaged=False)
    state: PrimalState = State(start, seed=0)
    with Watch() as watch:
        job: PrimalJob = Job(
            machine, Cyclic(examples), Last(), machine.evaluation_rows, False, watch
        )
        train(job, state, max_iter=max_iter, max_updates=None)
    return state
