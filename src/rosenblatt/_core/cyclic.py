"""The perceptron algorithm by itself: rows in their order, from zero weights, no estimator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import Floats, Ints, LearnerArrays, UpdateRule
from rosenblatt._core.rows import Examples
from rosenblatt._core.screening import Screen
from rosenblatt._util.progress import check_interrupt
from rosenblatt.errors import WeightsOverflowError


class Trained(NamedTuple):
    """What was learned, and how many epochs it took."""

    w: Floats
    counts: Ints  # updates by row, with many classes by row and class
    epochs: int


def train_cyclic(examples: Examples, *, margin: float, intercept: bool, max_epochs: int) -> Trained:
    n, shape, epoch, visits, clean = examples.rows.n, examples.shape_of_weights, 0, 0, False
    w = examples.rows.placed(np.zeros(shape))
    counts = np.zeros((n, *shape[:-1]), dtype=np.int64)
    rule = UpdateRule("perceptron", margin, intercept)
    screen = Screen(examples, rule)
    while not clean and epoch < max_epochs:
        check_interrupt()
        learner = LearnerArrays(w, None, counts, visits=visits)
        most = min(screen.epochs_of_one_call(n), max_epochs - epoch)
        if most > 0 and (backend := compute.whole_epochs) is not None:
            updates = np.empty(most, dtype=np.int64)
            call = examples.labelled, rule, learner, None, None, None, updates, np.empty(most)
            made, visits, clean, *_ = backend.epochs(*call)
            screen.skipped(made, visits - learner.visits, int(updates[made - 1]))
        else:
            made, clean = 1, _epoch(examples, rule, learner, screen) == 0
            visits += n
        epoch += made
        if not np.isfinite(w).all():
            raise overflow(epoch)
    return Trained(w, counts, epoch)


def _epoch(examples: Examples, rule: UpdateRule, learner: LearnerArrays, screen: Screen) -> int:
    n, visits, place, updates = examples.rows.n, learner.visits, 0, 0
    while place < n:
        check_interrupt()
        if screen.before(place, learner.w):
            continue
        end = min(place + examples.chunk, n)
        learner = learner._replace(visits=visits + place)
        if screen.ready:
            reached, made = screen.visit(learner, None, place, end, end - place)
        else:
            reached, made = examples.rows.backend.visit(
                examples.labelled, rule, learner, None, place, end, end - place
            )
        screen.visited(reached - place, made)
        updates, place = updates + made, reached
    return updates


def overflow(epoch: int) -> WeightsOverflowError:
    return WeightsOverflowError(
        f"The weights grew beyond the largest floating-point number in epoch {epoch}. "
        "Something is too large: scale the features, for example with "
        "sklearn.preprocessing.StandardScaler; weights, starts and 1/eta0 count, too."
    )
