"""What people would use instead: learned from the same rows for comparison, and not written."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOGISTIC, BOOSTING = "logistic", "boosting"
_NUMBERS = 2_000_000  # n·d that both take a second or two for
_TREES = 150  # columns times classes: a hundred trees for each class look at all columns


def peers(
    n: int, d: int, k: int, *, sparse: bool = False, random_state: Any = 0, class_weight: Any = None
) -> dict[str, Any]:
    """scikit-learn's logistic regression, and gradient boosting as the ceiling of what is not
    linear, where n rows of d features and k classes allow it.

    Examples
    --------
    >>> from rosenblatt.selection.peers import peers
    >>> list(peers(1000, 10, 2)), list(peers(1000, 10_000, 2))
    (['logistic', 'boosting'], [])
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    without = no_peers(n, d, k, sparse=sparse)
    found: dict[str, Any] = {
        LOGISTIC: LogisticRegression(max_iter=1000, class_weight=class_weight),
        BOOSTING: HistGradientBoostingClassifier(
            random_state=random_state, class_weight=class_weight
        ),
    }
    return {name: peer for name, peer in found.items() if name not in without}


def no_peers(n: int, d: int, k: int, *, sparse: bool = False) -> dict[str, str]:
    """What `peers` leaves out, and why."""
    if n * d > _NUMBERS:
        return dict.fromkeys([LOGISTIC, BOOSTING], f"more than {_NUMBERS:,} numbers to train on")
    if sparse:
        return {BOOSTING: "it does not take sparse rows"}
    columns = d if k == 2 else d * k
    if columns > _TREES:
        times = "" if k == 2 else " times classes"
        return {BOOSTING: f"more than {_TREES} columns{times} to grow trees on"}
    return {}


@contextmanager
def alone() -> Iterator[None]:
    """Without a word, and on one thread: threads that wait for each other take longer."""
    from threadpoolctl import threadpool_limits

    with (
        threadpool_limits(limits=1, user_api="openmp"),
        threadpool_limits(limits=1, user_api="blas"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
