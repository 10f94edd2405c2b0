"""What leaving out suspect columns would change: the chosen method, fitted without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from rosenblatt._util.text import named
from rosenblatt.report.document import Effect
from rosenblatt.scorecard import Scorecard
from rosenblatt.selection.comparison import Comparison, Training, trained_with
from rosenblatt.selection.measures import error_interval

if TYPE_CHECKING:
    from rosenblatt._study.stages import Compared

_SOON = 2_000_000  # numbers that it learns from once more


def without(compared: Compared, names: list[str]) -> Effect | None:
    """Trained on the same rows without these columns and tested on the same test rows; None where
    that takes long. Nothing is chosen by it."""
    read, selection, preprocessing = compared.read, compared.selection, compared.preprocessing
    if preprocessing is None or selection.cv or not selection.test_n or read.sample is not None:
        return None
    kept = np.repeat(
        [column.name not in names for column in preprocessing.columns],
        [len(column.features) for column in preprocessing.columns],
    )
    numbers = read.X.shape[0] * read.X.shape[1]
    if not kept.any() or numbers > _SOON or isinstance(selection.estimator, Scorecard):
        return None
    assert selection.preprocessor is not None
    again = Comparison(
        selection.preprocessor.transform(read.X)[:, kept],
        read.y,
        candidates={},
        comparison_rules={selection.winner.name: clone(selection.estimator)},
        preprocessor=None,
        groups=selection.groups,
        random_state=selection.random_state,
        confidence=selection.confidence,
        criterion=selection.criterion,
        training=Training(trained_with(None, 0), None, 1),
    ).test_comparison_rules(selection.fitted_on, selection.test)
    if not again:
        return None
    [tested] = again
    n, wrong = selection.test_n, tested.losses > 0
    ends = error_interval(wrong, selection.test_groups, selection.confidence)
    them, rate = "it" if len(names) == 1 else "them", tested.test_errors / n
    sentence = (
        f"Without {them}, the same method ({named(selection.winner.name)}) is wrong on {rate:.1%} "
        f"of the test rows; with {them}, on {selection.test_errors / n:.1%}."
    )
    return {
        "columns": names,
        "test_errors": tested.test_errors,
        "test_n": n,
        "rate": rate,
        "interval": None if ends is None else list(ends),
        "sentence": sentence,
    }
