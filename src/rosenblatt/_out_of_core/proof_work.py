"""What workers do for a proof: pure functions of rows and of exact weights.

Everything comes back by shard, so that no answer depends on how shards are bundled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._certify.margins import lowest, radius_row
from rosenblatt._certify.residues import orthogonal
from rosenblatt._certify.rows import Rows, nearest_floats
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Rows as ReadRows
from rosenblatt._core.rows import as_table, dense
from rosenblatt._out_of_core.partitions import Partition
from rosenblatt._util.budget import Budget

Vector = list[Fraction]


class Some(NamedTuple):
    """Rows that were picked out, as they were given, by their numbers among all."""

    number: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.int8]

    @classmethod
    def joined(cls, parts: Sequence[Some]) -> Some:
        number, x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(number, x, y)

    def part(self, places: Any) -> Some:
        return Some(self.number[places], self.x[places], self.y[places])

    def rows(self, *, intercept: bool, budget: Budget) -> Rows:
        return Rows(self.x, self.y, intercept=intercept, decimal=False, budget=budget)


class Looked(NamedTuple):
    """What a look at a shard found under some weights."""

    wrong: int  # rows that are not strictly on the right side
    worst: Some  # the rows of the lowest scores, for their length,
    standing: NDArray[np.float64]  # and these
    reached: Fraction | None  # what the score of every row reaches, where none is wrong


def _blocks(part: Partition, shard: range, intercept: bool) -> Iterator[tuple[int, Any, Rows]]:
    """The first row, the matrix as it is read, and the rows as proofs read them."""
    for b in shard:
        begin = b * compute.block
        X, y = part.block_rows(b)
        rows = Rows(as_table(X), y, intercept=intercept, decimal=False, budget=Budget())
        yield begin, X, rows


def sample(part: Partition, few: int) -> list[Some]:
    """Rows of each shard at even distances, and the first of each sign."""
    found = []
    for shard in part.shards:
        begin, end = shard.start * compute.block, min(shard.stop * compute.block, part.end)
        places = np.unique(np.linspace(begin, end - 1, few).astype(np.int64))
        _, y = part.rows(begin, end)
        first = [int(np.argmax(y == sign)) + begin for sign in (-1, 1) if (y == sign).any()]
        places = np.unique(np.concatenate([places, first])).astype(np.int64)
        found.append(Some.joined([_one(part, int(i)) for i in places]))
    return found


def _one(part: Partition, i: int) -> Some:
    X, y = part.rows(i, i + 1)
    x = dense(as_table(X)).astype(np.float64)
    return Some(np.array([i], dtype=np.int64), x, y.astype(np.int8))


@np.errstate(all="ignore")  # what overflows is decided in whole numbers
def look(part: Partition, w: Vector, intercept: bool, few: int) -> list[Looked]:
    """How all rows stand under w."""
    found = []
    for shard in part.shards:
        wrong, reached, picked = 0, list[Fraction](), list[tuple[Some, NDArray[np.float64]]]()
        for begin, X, rows in _blocks(part, shard, intercept):
            here, worst, standing = _block(begin, X, rows, w, few)
            wrong += here
            picked.append((worst, standing))
            if not wrong:
                reached.append(lowest(rows, w))
        worst, standing = _lowest(picked, few)
        found.append(Looked(wrong, worst, standing, None if wrong else min(reached)))
    return found


def _block(
    begin: int, X: Any, rows: Rows, w: Vector, few: int
) -> tuple[int, Some, NDArray[np.float64]]:
    """By the score as it is defined, so that the same rows are picked on every machine."""
    f = nearest_floats(w)
    read = ReadRows(X)
    m = rows.y * read.scores(f if rows.intercept else np.append(f, 0.0))
    length = np.sqrt(read.lifted_squares(0, rows.n, intercept=rows.intercept))
    limit = rows.rounding * (length + 2.0) * float(np.linalg.norm(f)) + 2.0**-400
    certain = np.abs(m) > limit  # False where anything is NaN or infinite
    wrong = certain & (m < 0)
    doubtful = np.flatnonzero(~certain)
    if len(doubtful):
        wrong[doubtful] = rows.part(doubtful).signs(w) <= 0
    standing = m / np.maximum(length, 2.0**-500)
    standing[wrong] = np.minimum(standing[wrong], 0.0)
    standing = np.where(np.isfinite(standing), standing, -np.inf)
    places = np.lexsort((np.arange(rows.n), standing))[:few] if few < rows.n else np.arange(rows.n)
    x = rows.dense(places)
    some = Some(begin + places.astype(np.int64), x, rows.y[places].astype(np.int8))
    return int(wrong.sum()), some, standing[places]


def _lowest(
    picked: list[tuple[Some, NDArray[np.float64]]], few: int
) -> tuple[Some, NDArray[np.float64]]:
    """The few lowest of all; of equal ones those that come first."""
    some = Some.joined([rows for rows, _ in picked])
    standing = np.concatenate([s for _, s in picked])
    places = np.lexsort((some.number, standing))[:few]
    return some.part(places), standing[places]


def signs(part: Partition, w: Vector, bound: Fraction, intercept: bool) -> list[NDArray[np.int8]]:
    """The sign of a_i·w - bound for every row, exactly."""
    return [
        rows.signs(w, bound)
        for shard in part.shards
        for _, _, rows in _blocks(part, shard, intercept)
    ]


def lowest_sign(part: Partition, w: Vector, bound: Fraction, intercept: bool) -> int:
    """The lowest of these."""
    return min(int(some.min()) for some in signs(part, w, bound, intercept))


def flat(part: Partition, normals: list[list[int]], intercept: bool) -> list[NDArray[np.bool_]]:
    """Is the row orthogonal to all of the normals?"""
    return [
        orthogonal(rows, normals)
        for shard in part.shards
        for _, _, rows in _blocks(part, shard, intercept)
    ]


def astray(
    part: Partition, w: Vector, normals: list[list[int]], intercept: bool, few: int
) -> list[Some]:
    """Some rows of each shard that are on the wrong side, or on the hyperplane without being in
    the span that the normals leave out."""
    found = []
    for shard in part.shards:
        some = [_one(part, part.begin).part(slice(0, 0))]
        for begin, _, rows in _blocks(part, shard, intercept):
            side = rows.signs(w)
            strays = np.flatnonzero((side < 0) | ((side == 0) & ~orthogonal(rows, normals)))[:few]
            index = begin + strays.astype(np.int64)
            some.append(Some(index, rows.dense(strays), rows.y[strays].astype(np.int8)))
        joined = Some.joined(some)
        found.append(joined.part(slice(0, few)))
    return found


def longest(part: Partition, intercept: bool) -> list[tuple[Fraction, Some]]:
    """The longest row of each shard, exactly; of equal ones the first."""
    found = []
    for shard in part.shards:
        best: tuple[Fraction, Some] | None = None
        for begin, _, rows in _blocks(part, shard, intercept):
            i = radius_row(rows)
            square = Fraction(*rows.square(i))
            if best is None or square > best[0]:
                best = square, _one(part, begin + i)
        assert best is not None
        found.append(best)
    return found
