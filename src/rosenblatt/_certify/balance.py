"""Many rows at once that no hyperplane can have strictly on the right side: a balance of them.

If rows overlap, then every blend of rows has a negative: -Σ_G a_i is a positive blend of rows, too.
So take rows G that span all of them and solve Σ_B x_i a_i = -Σ_G a_i with x > 0; G and B together
are a positive blend that is zero, and it spans everything. If that is not possible, what is left of
the target is a direction that has no row on the wrong side and some strictly on the right one:
without these rows try again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import qr

from rosenblatt._certify.exact_product import combined, longest
from rosenblatt._certify.linear_algebra import PRIMES, Singular, System, echelon, mod, reduce
from rosenblatt._certify.nearest_point import blend_to
from rosenblatt._certify.one_sided import one_sided
from rosenblatt._certify.rows import Floats, Index, Rows, View, spanning_rows

Blend = dict[int, int]  # row: positive whole number
_MOST_ROUNDS = 12
_STRICT = 1e-9  # a score from which on a row of length 1 is taken to be strictly right
_SEEN = 1e-6  # of a row of length 1 that floats see well
_UNEVEN = 64  # to twice as much: shares of rows of the same length
_BITS = 60  # between the weights of long rows and of short ones, at most


def spanning_balance(
    rows: Rows, look: Callable[[Index, int], View], first: Sequence[int]
) -> Blend | None:
    """A positive blend that is zero of as many rows as span all that cannot be strict, with luck.

    `look` tells how the search sees some rows of a known rank. `first` are independent rows that
    are known to be among those that cannot be strict. None also where they span all that cannot.
    """
    alive = one_sided(rows).alive
    spanning, support, more = list[int](), list[int](), list[int]()
    view: View | None = None
    viewed = 0  # rows in the pool when the view was chosen: fewer are seen as they were before
    for _ in range(_MOST_ROUNDS):
        pool = np.flatnonzero(alive)
        spanning, _ = spanning_rows(rows, pool, [*first, *(i for i in spanning if alive[i])])
        if len(spanning) == len(first):  # which are enough
            return None
        if view is None:
            view, viewed = look(pool, len(spanning)), len(pool)
            more += _beside(rows, view, spanning, pool, len(spanning))
        more = [i for i in more if alive[i]]
        shares, target = _even_shares(rows, view, _unique(spanning, more))
        approach = blend_to(rows, view, -target, alive, [i for i in support if alive[i]])
        support = approach.support
        if not approach.complete:
            strict = approach.scores > _STRICT * float(np.linalg.norm(approach.direction))
            if not (strict & alive).any() or (strict | ~alive).all():
                return None
            alive &= ~strict
            continue
        fresh = viewed == len(pool)
        balance = _exactly(rows, support, shares, helped=fresh)
        if balance is not None:
            return balance
        if fresh:
            more += _beside(rows, view, support, pool, len(spanning))
        else:
            view = None
    return None


def _unique(*index: list[int]) -> Index:
    return np.array(list(dict.fromkeys(i for part in index for i in part)), dtype=np.intp)


def _beside(rows: Rows, view: View, index: list[int], pool: Index, most: int) -> list[int]:
    """Rows of the pool that floats see outside of the span of the given ones, the farthest first.

    Rows that span the pool in whole numbers may do so by their last bits only. `most` is the rank.
    """
    q, r, _ = qr(view.rows(rows, np.array(index, dtype=np.intp)).T, pivoting=True)
    size = np.abs(np.diag(r))
    rank = int(np.count_nonzero(size > _SEEN * size.max(initial=0.0)))
    if rank >= most:
        return []
    b, outside = view.rows(rows, pool) @ q[:, rank:], list[int]()
    while len(outside) < most - rank:
        length = np.sqrt(np.einsum("ij,ij->i", b, b))
        farthest = int(np.argmax(length))
        if not length[farthest] > _SEEN:
            break
        outside.append(int(pool[farthest]))
        direction = b[farthest] / length[farthest]
        b = b - np.outer(b @ direction, direction)
    return outside


def _even_shares(rows: Rows, view: View, index: Index) -> tuple[Blend, Floats]:
    """Whole shares of the given rows, which make them about equally long, and their blend.

    No two rows have quite the same share: opposite rows shall not cancel.
    """
    length = view.lengths(rows, index)
    power = np.round(np.log2(np.maximum(length / length.max(initial=1e-300), 2.0**-_BITS)))
    uneven = np.random.default_rng(0).integers(_UNEVEN, 2 * _UNEVEN, len(index)).tolist()
    up = np.nan_to_num(power - power.min(initial=0.0)).tolist()
    shares = [u << int(v) for u, v in zip(uneven, up, strict=True)]
    target = (np.array(shares) / length) @ view.rows(rows, index)
    return dict(zip(index.tolist(), shares, strict=True)), target


def _exactly(rows: Rows, support: list[int], given: Blend, *, helped: bool) -> Blend | None:
    """The blend of the support that is minus the given one; both together, if that is positive.

    Where the support does not span the given rows but for rounding, some of these may help out: a
    little less of them than was given is still positive.
    """
    whole, _ = rows.whole([*support, *given])
    rows.budget.spend_on_algebra(len(support), longest(whole))
    right = [-v for v in combined(list(given.values()), whole[len(support) :])]
    for prime in PRIMES:
        places, columns = echelon(mod(whole, prime), prime)
        if places[: len(support)] == list(range(len(support))):
            break
    else:
        return None
    if len(places) > len(support) and not helped:
        return None
    basis = [whole[k] for k in places]
    try:
        system = System([[row[j] for row in basis] for j in columns])
    except Singular:
        return None
    x, times = system.solve([right[j] for j in columns], rows.budget)
    if combined([*x, -times], [*basis, right]) != [0] * rows.D:
        return None
    total = {i: times * v for i, v in given.items()}
    names = [*support, *given]
    for k, v in zip(places, x, strict=True):
        total[names[k]] = total.get(names[k], 0) + v
    index = sorted(i for i, v in total.items() if v)
    if not index or min(total[i] for i in index) < 0:
        return None
    return dict(zip(index, reduce([total[i] for i in index]), strict=True))
