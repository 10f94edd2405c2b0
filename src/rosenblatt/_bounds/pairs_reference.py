"""The pairs that a cone forces, in NumPy and whole numbers: what native/directions.hpp does.

The same count of errors; of several best sets of pairs it may find another one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int32]
Ints = NDArray[np.int64]
Found = tuple[Ranks, Ranks, Ints]


def rank_along(rows: Sequence[Sequence[int]], direction: Sequence[int], rank: Ranks) -> None:
    far = [sum(a * b for a, b in zip(row, direction, strict=True)) for row in rows]
    number = {value: place for place, value in enumerate(sorted(set(far)))}
    rank[:] = [number[value] for value in far]


def forced_pairs(
    rank: Ranks, y: NDArray[np.int8], cost: Ints, positive: Ranks, negative: Ranks, amount: Ints
) -> Found:
    """A maximum flow (Ford and Fulkerson, 1956), along shortest ways."""
    up, down = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    above = np.asarray((rank[:, None, down] >= rank[:, up, None]).all(axis=0))
    give, take = cost[up].copy(), cost[down].copy()
    flow = np.zeros(above.shape, dtype=np.int64)
    place = np.empty(len(y), dtype=np.intp)
    place[up], place[down] = np.arange(len(up)), np.arange(len(down))
    for i, k, much in zip(place[positive], place[negative], amount, strict=True):
        flow[i, k] += much
        give[i] -= much
        take[k] -= much
    while (way := _way(above, flow, give, take)) is not None:
        _augment(way, flow, give, take)
    i, k = np.nonzero(flow)
    return up[i].astype(np.int32), down[k].astype(np.int32), flow[i, k]


def _way(above: NDArray[np.bool_], flow: Ints, give: Ints, take: Ints) -> list[int] | None:
    """Positive, negative, positive, ..., negative: from one that can give to one that can take."""
    came = {int(p): -1 for p in np.flatnonzero(give > 0)}
    entered: dict[int, int] = {}
    queue = list(came)
    for p in queue:
        for q in np.flatnonzero(above[p]).tolist():
            if q in entered:
                continue
            entered[q] = p
            if take[q] > 0:
                way = [q, p]
                while came[way[-1]] >= 0:
                    way += [came[way[-1]], entered[came[way[-1]]]]
                return way[::-1]
            for other in np.flatnonzero(flow[:, q]).tolist():
                if other not in came:
                    came[other] = q
                    queue.append(other)
    return None


def _augment(way: list[int], flow: Ints, give: Ints, take: Ints) -> None:
    forward = list(zip(way[::2], way[1::2], strict=True))
    back = list(zip(way[2::2], way[1::2], strict=False))
    much = min([give[way[0]], take[way[-1]], *(flow[p, q] for p, q in back)])
    for p, q in forward:
        flow[p, q] += much
    for p, q in back:
        flow[p, q] -= much
    give[way[0]] -= much
    take[way[-1]] -= much


def undecided_pairs(rank: Ranks, y: NDArray[np.int8], left: Ints, most: int) -> Found:
    up, down = np.flatnonzero((y > 0) & (left > 0)), np.flatnonzero((y < 0) & (left > 0))
    here, there = rank[:, up, None], rank[:, None, down]
    i, k = np.nonzero((there > here).any(axis=0) & (there < here).any(axis=0))
    i, k = i[:most], k[:most]
    return up[i].astype(np.int32), down[k].astype(np.int32), np.ones(len(i), dtype=np.int64)
