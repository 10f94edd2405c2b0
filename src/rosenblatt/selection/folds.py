"""Rows are divided so that every part has its share of each label, and groups stay together."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.text import listed, many
from rosenblatt.data.target import FIFTHS, too_rare
from rosenblatt.errors import InputError
from rosenblatt.selection.row_groups import RowGroups

Indices = NDArray[np.intp]


def folds(y: NDArray[Any], k: int, groups: RowGroups | None, seed: int) -> list[Indices]:
    """k parts of the rows, each sorted: stratified, shuffled by the seed.

    Equal rows stay together where every part can have all labels then. Groups that were given
    always do.
    """
    labels, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes, minlength=len(labels))
    given = groups.codes if groups is not None and groups.given else None
    _check(labels, counts, k, given)
    if groups is not None and not groups.given:
        parts = _without_copies(codes, counts, k, groups.codes, seed)
        if parts is not None:
            return parts
    parts = _stratified(codes, k, given, seed)
    for part in parts:
        if len(part) == 0 or (np.bincount(codes[part], minlength=len(labels)) == counts).any():
            why = "" if given is None else ", since rows of a group stay together"
            raise InputError(
                f"The rows cannot be divided into {k} parts that each leave rows of all labels to "
                f"the others{why}. Take another seed, or a column with more and smaller groups."
            )
    return parts


def _stratified(codes: Indices, k: int, groups: Indices | None, seed: int) -> list[Indices]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_splits=k, shuffle=True, random_state=seed)
    return [part for _, part in splitter.split(np.zeros(len(codes)), codes, groups)]


def _without_copies(
    codes: Indices, counts: NDArray[np.intp], k: int, groups: Indices, seed: int
) -> list[Indices] | None:
    """Groups are divided as rows are, each by the rarest label in it: None where a part lacks one.

    StratifiedGroupKFold looks at one group after the other, which takes minutes for many rows.
    """
    rarity = np.argsort(np.argsort(counts, kind="stable"))
    of_group = np.full(int(groups.max()) + 1, len(counts))
    np.minimum.at(of_group, groups, rarity[codes])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a label with fewer groups than parts
        if len(of_group) < k or np.bincount(of_group).max() < k:
            return None
        parts_of_groups = _stratified(of_group, k, None, seed)
    part = np.empty(len(of_group), dtype=np.intp)
    for number, some in enumerate(parts_of_groups):
        part[some] = number
    parts = [np.flatnonzero(part[groups] == number) for number in range(k)]
    has_all = all(np.bincount(codes[rows], minlength=len(counts)).all() for rows in parts)
    return parts if has_all else None


def by_time(y: NDArray[Any], times: NDArray[np.float64]) -> tuple[Indices, Indices, Indices]:
    """The earliest three fifths, the next fifth and the latest one, each sorted, as nearly as equal
    times, which stay in one part, allow."""
    n, order = len(times), np.argsort(times, kind="stable")
    cuts = np.flatnonzero(np.diff(times[order])) + 1
    if len(cuts) < 2:
        raise InputError(
            f"The rows have {many(len(cuts) + 1, 'different time')}, and rows of one time stay "
            "together: three parts need three at least. Leave out the time, or take another column."
        )
    last = int(cuts[1:][np.abs(cuts[1:] - n * 4 / FIFTHS).argmin()])
    earlier = cuts[cuts < last]
    first = int(earlier[np.abs(earlier - n * 3 / FIFTHS).argmin()])
    train, validation, test = (np.sort(part) for part in np.split(order, [first, last]))
    if len(later := np.setdiff1d(y, y[train])):
        raise InputError(
            f"The training rows, the earliest {len(train):,}, lack the label "
            f"{listed([*map(repr, map(str, later))], 3)}, which comes later. Leave out such rows, "
            "or the time."
        )
    return train, validation, test


def rest(parts: list[Indices], without: list[int]) -> Indices:
    """The rows of all parts but these, sorted."""
    return np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in without]))


def _check(labels: NDArray[Any], counts: NDArray[np.intp], k: int, groups: Indices | None) -> None:
    if len(labels) < 2:
        only = f"all are {str(labels[0])!r}" if len(labels) else "there are none"
        raise InputError(f"Two different labels are needed to compare rules; {only}.")
    if (rare := too_rare(dict(zip(labels.tolist(), counts.tolist(), strict=True)), k)) is not None:
        raise InputError(rare)
    if groups is not None and (number := len(np.unique(groups))) < k:
        raise InputError(
            f"There are {number} groups, and rows of a group stay together; {k} parts need {k} "
            "groups at least. Leave out the groups, or take a column with more values."
        )
