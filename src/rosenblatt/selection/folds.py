"""Rows are divided so that every part has its share of each label, and groups stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import InputError

FIFTHS = 5  # three of them train, one chooses, one tests
Indices = NDArray[np.intp]


def folds(y: NDArray[Any], k: int, groups: Any, seed: int) -> list[Indices]:
    """k parts of the rows, each sorted: stratified, shuffled by the seed."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    _check(y, k, groups)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_splits=k, shuffle=True, random_state=seed)
    found = [part for _, part in splitter.split(np.zeros(len(y)), y, groups)]
    _check_folds(found, y, groups)
    return found


def rest(parts: list[Indices], without: list[int]) -> Indices:
    """The rows of all parts but these, sorted."""
    return np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in without]))


def _check(y: NDArray[Any], k: int, groups: Any) -> None:
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        only = f"all are {str(labels[0])!r}" if len(labels) else "there are none"
        raise InputError(f"Two different labels are needed to compare rules; {only}.")
    if counts.min() < k:
        fewest = str(labels[counts.argmin()])
        raise InputError(
            f"Only {counts.min()} of {len(y):,} rows have the label {fewest!r}; each of the {k} "
            "parts that train, choose and test needs one at least. Give more such rows."
        )
    if groups is not None and (number := len(np.unique(groups))) < k:
        raise InputError(
            f"There are {number} groups, and rows of a group stay together; {k} parts need {k} "
            "groups at least. Leave out the groups, or take a column with more values."
        )


def _check_folds(parts: list[Indices], y: NDArray[Any], groups: Any) -> None:
    labels = len(np.unique(y))
    for i, part in enumerate(parts):
        if len(part) == 0 or len(np.unique(y[rest(parts, [i])])) < labels:
            why = "" if groups is None else ", since rows of a group stay together"
            raise InputError(
                f"The rows cannot be divided into {len(parts)} parts that all labels are "
                f"outside of{why}. Take another seed, or a column with more and smaller groups."
            )
