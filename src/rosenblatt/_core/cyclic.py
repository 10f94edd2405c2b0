"""The perceptron algorithm by itself: rows in their order, from zero weights, no estimator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core.protocol import Floats, Ints, LearnerArrays, UpdateRule
from rosenblatt._core.rows import Examples
from rosenblatt._core.screening import Screen
from rosenblatt._util.interrupt import check_interrupt
from rosenblatt.errors import WeightsOverflow


class Trained(NamedTuple):
    """What was learned, and how many epochs it took."""

    w: Floats
    counts: Ints  # updates by row, with many classes by row and class
    epochs: int


def train_cyclic(examples: Examples, rule: UpdateRule, max_epochs: int) -> Trained:
    """Epochs until one without an update, at most `max_epochs`."""
    n, shape, visits = examples.rows.n, examples.shape_of_weights, 0
    w, counts = np.zeros(shape), np.zeros((n, *shape[:-1]), dtype=np.int64)
    screen = Screen(examples, rule)
    for epoch in range(1, max_epochs + 1):
        place = updates = 0
        while place < n:
            check_interrupt()
            if screen.before(place, w):
                continue
            end = min(place + examples.chunk, n)
            learner = LearnerArrays(w, None, counts, visits=visits)
            if screen.ready:
                reached, made = screen.visit(learner, None, place, end, end - place)
            else:
                reached, made = examples.rows.backend.visit(
                    examples.labelled, rule, learner, None, place, end, end - place
                )
            screen.visited(reached - place, made)
            visits, updates, place = visits + reached - place, updates + made, reached
        if not np.isfinite(w).all():
            raise overflow(epoch)
        if updates == 0:
            break
    return Trained(w, counts, epoch)


def overflow(epoch: int) -> WeightsOverflow:
    return WeightsOverflow(
        f"The weights grew beyond the largest floating-point number in epoch {epoch}. "
        "Something is too large: scale the features, for example with "
        "sklearn.preprocessing.StandardScaler; weights, starts and 1/eta0 count, too."
    )
