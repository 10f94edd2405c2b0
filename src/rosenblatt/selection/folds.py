"""Rows are divided so that every part has its share of each label, and groups stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import either, option
from rosenblatt.errors import InputError

FIFTHS = 5  # three of them train, one chooses, one tests
Indices = NDArray[np.intp]


def folds(y: NDArray[Any], k: int, groups: Any, seed: int) -> list[Indices]:
    """k parts of the rows, each sorted: stratified, shuffled by the seed."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    labels, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes, minlength=len(labels))
    _check(labels, counts, k, groups)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_splits=k, shuffle=True, random_state=seed)
    parts = [part for _, part in splitter.split(np.zeros(len(y)), codes, groups)]
    for part in parts:
        if len(part) == 0 or (np.bincount(codes[part], minlength=len(labels)) == counts).any():
            why = "" if groups is None else ", since rows of a group stay together"
            raise InputError(
                f"The rows cannot be divided into {k} parts that each leave rows of all labels to "
                f"the others{why}. Take another seed, or a column with more and smaller groups."
            )
    return parts


def rest(parts: list[Indices], without: list[int]) -> Indices:
    """The rows of all parts but these, sorted."""
    return np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in without]))


def _or_fewer_labels() -> str:
    return (
        ", leave them out, or choose labels to be told from all others: "
        f"{option('positive', ...)}{either('', ' (repeatable)')}"
    )


def _check(labels: NDArray[Any], counts: NDArray[np.intp], k: int, groups: Any) -> None:
    if len(labels) < 2:
        only = f"all are {str(labels[0])!r}" if len(labels) else "there are none"
        raise InputError(f"Two different labels are needed to compare rules; {only}.")
    if counts.min() < k:
        fewest = str(labels[counts.argmin()])
        raise InputError(
            f"Only {counts.min()} of {counts.sum():,} rows have the label {fewest!r}; each of the "
            f"{k} parts that train, choose and test needs one at least. Give more such rows"
            f"{_or_fewer_labels() if len(labels) > 2 else ''}."
        )
    if groups is not None and (number := len(np.unique(groups))) < k:
        raise InputError(
            f"There are {number} groups, and rows of a group stay together; {k} parts need {k} "
            "groups at least. Leave out the groups, or take a column with more values."
        )
