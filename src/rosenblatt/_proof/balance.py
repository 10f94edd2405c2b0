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
from numpy.typing import NDArray

from rosenblatt._proof.exact_product import combined
from rosenblatt._proof.integer_algebra import Singular, System, reduce
from rosenblatt._proof.least_distance import blend_to
from rosenblatt._proof.metric import Sight
from rosenblatt._proof.modular import PRIMES, echelon, mod
from rosenblatt._proof.residues import spanning_rows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats

Blend = dict[int, int]  # row: positive whole number
_MOST_ROUNDS = 12
_STRICT = 1e-9  # a score from which on a row of length 1 is taken to be strictly right
_BITS = 60  # between the weights of long rows and of short ones, at most


def spanning_balance(
    rows: Rows, look: Callable[[NDArray[np.intp]], Sight], first: Sequence[int]
) -> Blend | None:
    """A positive blend that is zero of as many rows as span all that cannot be strict, with luck.

    `look` tells how the search sees some rows. `first` are independent rows that are known to be
    among those that cannot be strict. None also where they span all that cannot.
    """
    alive = _without_columns_of_one_class(rows)
    given, support, more = list[int](), list[int](), list[int]()
    for _ in range(_MOST_ROUNDS):
        pool = np.flatnonzero(alive)
        given, _ = spanning_rows(rows, pool, [*first, *(i for i in given if alive[i])])
        if len(given) == len(first):  # which are enough
            return None
        sight = look(pool)
        given = list(dict.fromkeys([*given, *(i for i in more if alive[i])]))
        shares, target = _even_shares(rows, sight, np.array(given, dtype=np.intp))
        found = blend_to(rows, sight, -target, alive, [i for i in support if alive[i]])
        support = found.support
        if found.complete:
            balance = _exactly(rows, support, dict(zip(given, shares, strict=True)))
            if balance is not None:
                return balance
            more += _farthest(rows, sight, support, pool)
            continue
        strict = found.scores > _STRICT * float(np.linalg.norm(found.direction))
        if not (strict & alive).any() or (strict | ~alive).all():
            return None
        alive &= ~strict
    return None


def _farthest(rows: Rows, sight: Sight, support: list[int], pool: NDArray[np.intp]) -> list[int]:
    """The row of the pool farthest from the span of the support: where floats saw less than there
    is in the rows that were given, it shows them the rest."""
    q, _ = np.linalg.qr(sight.rows(rows, np.array(support, dtype=np.intp)).T)
    b = sight.rows(rows, pool)
    b = b - (b @ q) @ q.T
    return [int(pool[np.argmax(np.einsum("ij,ij->i", b, b))])]


def _without_columns_of_one_class(rows: Rows) -> NDArray[np.bool_]:
    """All rows but those that a single column has strictly right, and no row wrong, one after the
    other: as a word has that is found in texts of one class only."""
    alive = np.ones(rows.n, dtype=bool)
    for _ in range(_MOST_ROUNDS):
        low, high = rows.ranges(alive, signed=True)
        columns = np.flatnonzero(((low >= 0) & (high > 0)) | ((high <= 0) & (low < 0)))
        if not len(columns):
            break
        used = rows.X[:, columns] != 0
        alive &= ~(np.asarray(used.sum(axis=1)).ravel() > 0)
    return alive


def _even_shares(rows: Rows, sight: Sight, index: NDArray[np.intp]) -> tuple[list[int], Floats]:
    """Whole shares of the given rows, which make them about equally long, and their blend."""
    length = sight.lengths(rows, index)
    power = np.round(np.log2(np.maximum(length / length.max(initial=1e-300), 2.0**-_BITS)))
    shares = [1 << int(v) for v in np.nan_to_num(power - power.min(initial=0.0)).tolist()]
    return shares, (np.array(shares) / length) @ sight.rows(rows, index)


def _exactly(rows: Rows, support: list[int], given: Blend) -> Blend | None:
    """The blend of the support that is minus the given one; both together, if that is positive.

    Where the support does not span the given rows but for rounding, some of these help out: a
    little less of them than was given is still positive.
    """
    rows.budget.spend_on_algebra(len(support))
    whole, _ = rows.whole([*support, *given])
    right = [-v for v in combined(list(given.values()), whole[len(support) :])]
    for prime in PRIMES:
        places, columns = echelon(mod(whole, prime), prime)
        if places[: len(support)] == list(range(len(support))):
            break
    else:
        return None
    basis = [whole[k] for k in places]
    try:
        system = System([[row[j] for row in basis] for j in columns])
    except Singular:
        return None
    x, times = system.solve([right[j] for j in columns], rows.budget.check_interrupt)
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
