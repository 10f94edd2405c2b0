"""`certify` for rows that are on disk, or on the machines of an engine: cutting planes.

A few rows are decided about exactly. The weights that separate them best go to every partition, and
the rows that are most on the wrong side come back and join the few, until none is. A conflict among
the few is one among all. The verifier's own tests read every row where it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._certify import document as say
from rosenblatt._certify import margins
from rosenblatt._certify.check import nothing_rejected
from rosenblatt._certify.diagnostics import visible_conflict
from rosenblatt._certify.document import opening
from rosenblatt._certify.facial_reduction import ONLY_SEPARABLE, Partition
from rosenblatt._certify.linear_algebra import independent_rows
from rosenblatt._certify.margins import Bound, lowest, proved, radius_row
from rosenblatt._certify.nearest_point import nearest_point
from rosenblatt._certify.rows import Names, Rows, nearest_floats, orthogonal
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Rows as ReadRows
from rosenblatt._core.rows import as_table, dense
from rosenblatt._out_of_core.partitions import Partition as WorkerPartition
from rosenblatt._out_of_core.partitions import PartitionedRows
from rosenblatt._out_of_core.placement import partitioned
from rosenblatt._util.budget import Budget, LimitReached, noting
from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.spelling import option
from rosenblatt._util.text import Numbered
from rosenblatt._validation import parameters
from rosenblatt.certificate import Certificate, Origin
from rosenblatt.errors import InputError

_MOST_LISTED = 10**7  # rows of which a certificate can list those that are separated
_LOOKS = 100


def certify_stored(
    source: Any,
    *,
    engine: Any = None,
    fit_intercept: bool = True,
    margins: bool = True,
    time_limit: float | None = None,
    looks: int = _LOOKS,
    cache: Any = None,
) -> Certificate:
    """Decide whether a hyperplane separates the classes of rows that are not in memory, and prove
    it.

    A few rows are decided about exactly, and all rows are asked whether it holds for them: those
    that are most on the wrong side join the few. Some ten looks at all rows are enough for most.

    Parameters
    ----------
    source : table, path, function, or pair of arrays
        As for `train`; of two classes.
    engine : optional
        Whose machines look at the rows, as for `train`. None: this process.
    fit_intercept : bool
        False: hyperplanes through the origin only.
    margins : bool
        Bracket the margin of a separation more closely than the first separator does, with up to
        12 looks at all rows.
    time_limit : float, optional
        Seconds after which the answer may be "undecided".
    looks : int
        So many looks at all rows after which it may be.
    cache : path, optional
        As for `train`.

    Returns
    -------
    Certificate
        As `certify` gives it; the stand-alone verifier accepts it for the same rows. Columns that
        reveal the label and signs of coefficients are not looked for.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import certify_stored
    >>> X = np.arange(100.0)[:, None]
    >>> certificate = certify_stored((X, X[:, 0] > 40.5))
    >>> certificate.verdict, certificate.n_rows
    ('complete separation', 100)
    """
    parameters.flag("fit_intercept", fit_intercept)
    parameters.flag("margins", margins)
    if time_limit is not None:
        parameters.positive("time_limit", time_limit)
    parameters.whole("looks", looks)
    with partitioned(source, engine, cache) as rows:
        return certified(
            rows,
            fit_intercept=fit_intercept,
            budget=Budget(time_limit=time_limit),
            margins=margins,
            looks=looks,
        )


def certified(
    rows: PartitionedRows,
    *,
    fit_intercept: bool,
    budget: Budget,
    margins: bool,
    looks: int = _LOOKS,
) -> Certificate:
    if rows.k is not None:
        raise InputError(
            f"There are {len(rows.classes)} classes: for rows on disk or on an engine there may be "
            "only two. Name the one to compare with all others "
            f"({option('positive', ...)} when the table is read), or ask certify with all rows in "
            "memory."
        )
    planes = CuttingPlanes(rows, fit_intercept, budget, looks, margins)
    limits: list[str] = []
    with one_thread(), np.errstate(all="ignore"):  # floating point only guesses here
        with noting(limits):
            planes.run()
        out = _document(planes, limits, margins=margins)
        planes.budget.begins("checking the proof")
        with nothing_rejected():
            data = PartitionedData(out, planes.all, planes.few)
            verify.check(out, data)
            if "radius_row" in out:
                data.check_longest(out)
    origin = Origin(rows.classes, rows.feature_names is not None)
    return Certificate(out, checked=True, origin=origin)


def _document(planes: CuttingPlanes, limits: list[str], *, margins: bool) -> dict[str, Any]:
    rows, part = planes.all, planes.partition
    names = rows.feature_names or list(Numbered(rows.d))
    preprocessing = rows.preprocessing
    target = (
        preprocessing.target.name
        if preprocessing is not None and preprocessing.target is not None
        else "y"
    )
    planes.budget.lift()
    out = opening(
        rows.n,
        [],
        names,
        target,
        [str(label) for label in rows.classes.tolist()],
        rows.fingerprint,
        intercept=planes.intercept,
    )
    part.done = part.done and planes.complete
    name = Names(planes.few.number.astype(np.intp))
    many = part.done and part.conflict is not None and part.separator is not None
    if many and rows.n > _MOST_LISTED:
        part.done = False
        limits.append(f"the rows that are separated are not listed, of more than {_MOST_LISTED:,}")
    out |= say.partition_part(part, name)
    if out["verdict"] == "quasi-complete separation":
        out["separated"] = _separated(planes, part)
    if out["verdict"] == "complete separation":
        assert planes.bound is not None
        out |= _margins(planes, planes.bound, name)
        limits += [] if margins else [ONLY_SEPARABLE]
    out["limits"] = limits
    if preprocessing is not None:
        out["preprocessing"] = preprocessing.to_dict()
    return out


def _separated(planes: CuttingPlanes, part: Partition) -> list[int]:
    in_span = planes.all.of_shards(flat, part.normals or [], planes.intercept)
    return np.flatnonzero(~np.concatenate(in_span)).tolist()


def _margins(planes: CuttingPlanes, bound: Bound, name: Names) -> dict[str, Any]:
    of_shards = planes.all.of_shards(longest, planes.intercept)
    _, row = max(of_shards, key=lambda shard: shard[0])  # of equal ones the first
    planes.few = PickedRows.joined([planes.few, row])
    rows: Rows = planes.few.rows(intercept=planes.intercept, budget=planes.budget)
    name = Names(planes.few.number.astype(np.intp))
    margins = {"homogeneous": say.margin(bound, name)}
    if not planes.intercept:
        margins["geometric"] = margins["homogeneous"]
    return {"margins": margins, **say.mistake_bounds(rows, name, bound, len(planes.few.number) - 1)}


_BATCH = 16  # rows for a dimension that join at a time
_WIDEN = 12  # looks up to which the margin is bracketed more closely
_CLOSE = 1e-6  # a relative gap that is close enough
_NO_MORE = "{} looks at all rows were not enough"


@final
@dataclass
class CuttingPlanes:
    """The search; at the end it holds what was found."""

    all: PartitionedRows
    intercept: bool
    budget: Budget
    most_looks: int
    margins: bool  # how wide a separation is is asked, too
    looks: int = 0
    few: PickedRows = field(init=False)
    partition: Partition = field(init=False)  # of the few
    bound: Bound | None = None  # of the margin of all rows
    complete: bool = False  # what `partition` says holds for all rows

    def run(self) -> None:
        """Raises LimitReached where it is cut short; then `partition` has what is known."""
        self.few = self._sampled()
        self._begin()
        while True:
            w = self._separator()
            if w is None:
                break
            if self._holds(w):
                return
            self._begin()
        self._facial_reduction()

    # --- Complete separation, or a conflict ---

    def _sampled(self) -> PickedRows:
        size = 2 * (self.all.d + 2)
        of_shards = self.all.of_shards(sample, size)
        step = max(1, len(of_shards) // 64)
        return PickedRows.joined(of_shards[::step])

    def _begin(self) -> None:
        self._rows = self.few.rows(intercept=self.intercept, budget=self.budget)
        self.partition = Partition(self._rows)

    def _separator(self) -> list[Fraction] | None:
        """Weights that separate the few; None: there are none, and `partition` proves it."""
        rows, part = self._rows, self.partition
        part.conflict = visible_conflict(rows)
        if part.conflict is None:
            guess = nearest_point(rows, part.view)
            part.support = guess.support
            w = part.view.exactly(rows, guess.direction)
            if guess.separates and (rows.signs(w) > 0).all():
                return self._wide(w, guess.support)
        part.first_conflict = True
        try:
            part.run(part.conflict)
        except LimitReached:
            if part.conflict is None:
                raise
        if part.conflict is not None:
            return None
        assert part.separator is not None
        return self._wide(part.separator, part.support)

    def _wide(self, w: list[Fraction], support: list[int]) -> list[Fraction]:
        self.partition.separator, self.partition.support = w, support
        self._on_few = margins.homogeneous(self._rows, support, w)
        return list(self._on_few.separator)

    def _holds(self, w: list[Fraction]) -> bool:
        self._look()
        most = _BATCH * self._rows.D
        shards = self.all.of_shards(look, w, self.intercept, self._most_of_a_shard)
        if not sum(shard.wrong for shard in shards):
            reached = min(shard.reached for shard in shards if shard.reached is not None)
            self._keep(w, reached)
            close = self.bound is not None and self.bound.gap < _CLOSE
            if close or not self.margins or self.looks >= _WIDEN:
                return True
        joined = self._join([s.worst for s in shards], [s.standing for s in shards], most)
        return not joined and self.complete

    @property
    def _most_of_a_shard(self) -> int:
        """As many as join where there is one shard, a quarter of it where there are many."""
        shards = -(-self.all.n // compute.rows_of_shard)
        return int(self._rows.D) * max(_BATCH // shards, _BATCH // 4)

    def _keep(self, w: list[Fraction], reached: Fraction) -> None:
        part = self.partition
        part.separator, part.done, self.complete = w, True, True
        upper = self._on_few
        bound = proved(self._rows, w, reached, upper.weights, free=False)
        if self.bound is None or bound.gap < self.bound.gap:
            self.bound = bound

    def _join(self, rows: list[PickedRows], standing: list[np.ndarray], most: int) -> bool:
        """Of equal ones the first; False: they were all there."""
        picked, low = PickedRows.joined(rows), np.concatenate(standing)
        new = ~np.isin(picked.number, self.few.number)
        if self.complete:  # only those that would narrow the margin
            new &= low < np.inf
        places = np.flatnonzero(new)
        places = places[np.lexsort((picked.number[places], low[places]))][:most]
        if len(places):
            self.few = PickedRows.joined([self.few, picked.some(places)])
        return bool(len(places))

    def _look(self) -> None:
        if self.looks >= self.most_looks:
            raise LimitReached(_NO_MORE.format(self.looks))
        self.budget.spend(self.all.n)
        self.looks += 1

    # --- Which rows can be strict, once there is a conflict ---

    def _facial_reduction(self) -> None:
        while True:
            conflict = self.partition.conflict
            self.partition = Partition(self._rows)
            self.partition.run(conflict)
            part = self.partition
            if part.separator is None and not part.normals:  # no direction is left, for nobody
                self.complete = True
                return
            self._look()  # without a separator: for rows outside the span of the few
            strays = self.all.of_shards(
                astray,
                part.separator or [Fraction(0)] * self._rows.D,
                part.normals or [],
                self.intercept,
                self._most_of_a_shard,
            )
            if not sum(len(picked.number) for picked in strays):
                self.complete = True
                return
            part.done = False  # of the few, not of all
            if not self._join(strays, [np.zeros(len(s.number)) for s in strays], 1 << 14):
                raise LimitReached(_NO_MORE.format(self.looks))
            self._begin()
            self.partition.conflict = conflict


@final
class PartitionedData(verify.Data):
    """The rows as the verifier asks for them; `few`, which the claim names, are held here."""

    def __init__(self, claim: dict[str, Any], rows: PartitionedRows, few: PickedRows):
        self._all = rows
        self._x = dict(zip(few.number.tolist(), few.x.tolist(), strict=True))
        self.y: Any = dict(zip(few.number.tolist(), few.y.tolist(), strict=True))
        self.n, self.intercept, self.decimal = rows.n, claim["fit_intercept"], False
        self.size = rows.d + self.intercept
        self.kept: Any = defaultdict(lambda: True)  # no row is left out
        # Lists about rows are of all only where a claim names the rows that are separated.
        self.listed = claim["verdict"] == "quasi-complete separation"
        self.present: Any = range(rows.n) if self.listed else sorted(self._x)
        self.lengths: Any = [np.inf] * len(self.present)  # `check_longest` asks for all

    def x(self, i: int) -> Sequence[float]:
        return self._x[i]  # type: ignore[no-any-return]

    def sha256(self, claim: dict[str, Any]) -> str:
        return self._all.fingerprint

    def signs(self, w: Sequence[Any], bound: Any = 0, among: Any = None) -> Sequence[int]:
        weights, low = [Fraction(v) for v in w], Fraction(bound)
        if among is None:  # the lowest of each partition are enough
            return self._all.each(lowest_sign, weights, low, bool(self.intercept))
        of_rows = np.concatenate(self._all.of_shards(signs, weights, low, bool(self.intercept)))
        return (of_rows * np.array(among)).tolist()  # type: ignore[no-any-return]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        if not normals:
            return [True] * len(self.present)
        in_span = np.concatenate(self._all.of_shards(flat, normals, bool(self.intercept)))
        if not self.listed:  # what is said is said of all rows
            return [bool(in_span.all())] * len(self.present)
        return in_span.tolist()  # type: ignore[no-any-return]

    def rank(self, vectors: Any) -> int:
        rows = list(vectors)
        return len(independent_rows(rows)) if rows else 0

    def check_longest(self, claim: dict[str, Any]) -> None:
        named = self.square(claim["radius_row"])
        of_shards = self._all.of_shards(longest, bool(self.intercept))
        verify.demand(max(square for square, _ in of_shards) <= named, "a row is longer")


# --- What workers do for a proof: pure functions of a partition and of exact weights -------------
#
# What they return is by shard, so that no answer depends on how shards are divided.


Vector = list[Fraction]


class PickedRows(NamedTuple):
    """Rows that were picked out, as they were given, by their numbers among all."""

    number: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.int8]

    @classmethod
    def joined(cls, parts: Sequence[PickedRows]) -> PickedRows:
        number, x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(number, x, y)

    def some(self, places: Any) -> PickedRows:
        return PickedRows(self.number[places], self.x[places], self.y[places])

    def rows(self, *, intercept: bool, budget: Budget) -> Rows:
        return Rows(self.x, self.y, intercept=intercept, decimal=False, budget=budget)


class Evaluation(NamedTuple):
    wrong: int  # rows that are not strictly on the right side
    worst: PickedRows  # the rows of the lowest scores, for their length,
    standing: NDArray[np.float64]  # and these
    reached: Fraction | None  # what the score of every row reaches, where none is wrong


def _blocks(
    part: WorkerPartition, shard: range, intercept: bool
) -> Iterator[tuple[int, Any, Rows]]:
    for b in shard:
        begin = b * compute.block
        X, y = part.block_rows(b)
        if b + 1 < shard.stop:
            part.expect(b + 1)
        rows = Rows(as_table(X), y, intercept=intercept, decimal=False, budget=Budget())
        yield begin, X, rows


def sample(part: WorkerPartition, few: int) -> list[PickedRows]:
    of_shards = []
    for shard in part.shards:
        begin, end = shard.start * compute.block, min(shard.stop * compute.block, part.end)
        places = np.unique(np.linspace(begin, end - 1, few).astype(np.int64))
        _, y = part.rows(begin, end)
        first = [int(np.argmax(y == sign)) + begin for sign in (-1, 1) if (y == sign).any()]
        places = np.unique(np.concatenate([places, first])).astype(np.int64)
        of_shards.append(PickedRows.joined([_one(part, int(i)) for i in places]))
    return of_shards


def _one(part: WorkerPartition, i: int) -> PickedRows:
    X, y = part.rows(i, i + 1)
    x = dense(as_table(X)).astype(np.float64)
    return PickedRows(np.array([i], dtype=np.int64), x, y.astype(np.int8))


@np.errstate(all="ignore")  # what overflows is decided in whole numbers
def look(part: WorkerPartition, w: Vector, intercept: bool, few: int) -> list[Evaluation]:
    of_shards = []
    for shard in part.shards:
        wrong, reached, picked = 0, list[Fraction](), list[tuple[PickedRows, NDArray[np.float64]]]()
        for begin, X, rows in _blocks(part, shard, intercept):
            here, worst, standing = _block(begin, X, rows, w, few)
            wrong += here
            picked.append((worst, standing))
            if not wrong:
                reached.append(lowest(rows, w))
        worst, standing = _lowest(picked, few)
        of_shards.append(Evaluation(wrong, worst, standing, None if wrong else min(reached)))
    return of_shards


def _block(
    begin: int, X: Any, rows: Rows, w: Vector, few: int
) -> tuple[int, PickedRows, NDArray[np.float64]]:
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
    some = PickedRows(begin + places.astype(np.int64), x, rows.y[places].astype(np.int8))
    return int(wrong.sum()), some, standing[places]


def _lowest(
    picked: list[tuple[PickedRows, NDArray[np.float64]]], few: int
) -> tuple[PickedRows, NDArray[np.float64]]:
    rows = PickedRows.joined([rows for rows, _ in picked])
    standing = np.concatenate([s for _, s in picked])
    places = np.lexsort((rows.number, standing))[:few]
    return rows.some(places), standing[places]


def signs(
    part: WorkerPartition, w: Vector, bound: Fraction, intercept: bool
) -> list[NDArray[np.int8]]:
    """The sign of a_i·w - bound for every row, exactly."""
    return [
        rows.signs(w, bound)
        for shard in part.shards
        for _, _, rows in _blocks(part, shard, intercept)
    ]


def lowest_sign(part: WorkerPartition, w: Vector, bound: Fraction, intercept: bool) -> int:
    return min(int(some.min()) for some in signs(part, w, bound, intercept))


def flat(
    part: WorkerPartition, normals: list[list[int]], intercept: bool
) -> list[NDArray[np.bool_]]:
    return [
        orthogonal(rows, normals)
        for shard in part.shards
        for _, _, rows in _blocks(part, shard, intercept)
    ]


def astray(
    part: WorkerPartition, w: Vector, normals: list[list[int]], intercept: bool, few: int
) -> list[PickedRows]:
    """Rows on the wrong side, or on the hyperplane and outside the span of the balanced ones."""
    of_shards = []
    for shard in part.shards:
        picked = [_one(part, part.begin).some(slice(0, 0))]
        for begin, _, rows in _blocks(part, shard, intercept):
            side = rows.signs(w)
            strays = np.flatnonzero((side < 0) | ((side == 0) & ~orthogonal(rows, normals)))[:few]
            index = begin + strays.astype(np.int64)
            picked.append(PickedRows(index, rows.dense(strays), rows.y[strays].astype(np.int8)))
        of_shards.append(PickedRows.joined(picked).some(slice(0, few)))
    return of_shards


def longest(part: WorkerPartition, intercept: bool) -> list[tuple[Fraction, PickedRows]]:
    """Of equal ones the first."""
    of_shards = []
    for shard in part.shards:
        best: tuple[Fraction, PickedRows] | None = None
        for begin, _, rows in _blocks(part, shard, intercept):
            i = radius_row(rows)
            square = Fraction(*rows.square(i))
            if best is None or square > best[0]:
                best = square, _one(part, begin + i)
        assert best is not None
        of_shards.append(best)
    return of_shards
