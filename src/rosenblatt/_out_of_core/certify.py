"""certify for rows that are on disk, or on the machines of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

import numpy as np

from rosenblatt import verify
from rosenblatt._certify import document as say
from rosenblatt._certify import margins
from rosenblatt._certify.conditioning import looked, metric_of
from rosenblatt._certify.facial_reduction import ONLY_SEPARABLE, Partition
from rosenblatt._certify.heading import opening
from rosenblatt._certify.linear_algebra import independent_rows
from rosenblatt._certify.margins import Bound, proved
from rosenblatt._certify.multiclass import conflict_at_sight
from rosenblatt._certify.nearest_point import nearest_point
from rosenblatt._certify.rows import Rows
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import proof_work as work
from rosenblatt._out_of_core.partitions import PartitionedRows
from rosenblatt._out_of_core.proof_work import Some
from rosenblatt._util.budget import Budget, LimitReached
from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.text import Numbered
from rosenblatt._validation import parameters
from rosenblatt.certificate import Certificate, Origin, noting
from rosenblatt.errors import CertificateRejected, InputError

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
    from rosenblatt._out_of_core.placement import partitioned

    parameters.flag("fit_intercept", fit_intercept)
    parameters.flag("margins", margins)
    if time_limit is not None:
        parameters.positive("time_limit", time_limit)
    parameters.whole("looks", looks)
    with ExitStack() as until_the_end:
        rows = until_the_end.enter_context(partitioned(source, engine, cache))
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
    """The certificate, checked."""
    if rows.k is not None:
        raise InputError(
            f"There are {len(rows.classes)} classes: of rows on disk or on an engine two can be "
            "decided about. Name the one to tell from all others (positive=LABEL when the table is "
            "read), or ask certify with all rows in memory."
        )
    planes = Planes(rows, fit_intercept, budget, looks, margins)
    limits: list[str] = []
    with one_thread(), np.errstate(all="ignore"):  # floating point only guesses here
        with noting(limits):
            planes.run()
        out = _document(planes, limits, margins=margins)
        _check(out, planes)
    origin = Origin(rows.classes, rows.feature_names is not None)
    return Certificate(out, checked=True, origin=origin)


def _document(planes: Planes, limits: list[str], *, margins: bool) -> dict[str, Any]:
    rows, part = planes.all, planes.partition
    names = rows.feature_names or list(Numbered(rows.d))
    encoding = rows.encoding
    target = encoding.target.name if encoding is not None and encoding.target is not None else "y"
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
    name = say.Names(planes.few.number.astype(np.intp))
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
    if encoding is not None:
        out["encoding"] = encoding.to_dict()
    return out


def _separated(planes: Planes, part: Partition) -> list[int]:
    """The rows that are not in the span of the balanced ones."""
    found = planes.all.each(work.flat, part.normals or [], planes.intercept)
    return np.flatnonzero(~np.concatenate([b for some in found for b in some])).tolist()


def _margins(planes: Planes, bound: Bound, name: say.Names) -> dict[str, Any]:
    found = [s for part in planes.all.each(work.longest, planes.intercept) for s in part]
    longest = max(square for square, _ in found)
    row = next(some for square, some in found if square == longest)
    planes.few = Some.joined([planes.few, row])
    rows: Rows = planes.few.rows(intercept=planes.intercept, budget=planes.budget)
    name = say.Names(planes.few.number.astype(np.intp))
    margins = {"homogeneous": say.margin(bound, name)}
    if not planes.intercept:
        margins["geometric"] = margins["homogeneous"]
    return {"margins": margins, **say.mistake_bounds(rows, name, bound, len(planes.few.number) - 1)}


def _check(out: dict[str, Any], planes: Planes) -> None:
    """Nothing leaves that the verifier would reject."""
    planes.budget.begins("checking the proof")
    try:
        data = RemoteData(out, planes.all, planes.few)
        verify.check(out, data)
        if "radius_row" in out:
            data.check_longest(out)
    except verify.Rejected as reason:
        raise CertificateRejected(
            f"A certificate was found that its verifier rejects ({reason}), so that nothing is "
            "returned. This is a mistake in rosenblatt: please report it, with the data if you can."
        ) from None


# Cutting planes: a few rows are decided about exactly; all rows are asked whether it holds.
#
# The weights that separate the few best go to every machine, and the rows that are most on the
# wrong
# side come back and join the few, until none is. A conflict among the few is one among all.


_BATCH = 16  # rows for a dimension that join at a time
_WIDEN = 12  # looks up to which the margin is bracketed more closely
_CLOSE = 1e-6  # a relative gap that is close enough
_NO_MORE = "{} looks at all rows were not enough"


@final
@dataclass
class Planes:
    """The search; at the end it holds what was found."""

    all: PartitionedRows
    intercept: bool
    budget: Budget
    most_looks: int
    margins: bool  # how wide a separation is is asked, too
    looks: int = 0
    few: Some = field(init=False)
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

    def _sampled(self) -> Some:
        """A first few rows: of every shard, or of some of them where there are many."""
        size = 2 * (self.all.d + 2)
        shards = [some for part in self.all.each(work.sample, size) for some in part]
        step = max(1, len(shards) // 64)
        return Some.joined(shards[::step])

    def _begin(self) -> None:
        self._rows = self.few.rows(intercept=self.intercept, budget=self.budget)
        self.partition = Partition(self._rows)

    def _separator(self) -> list[Fraction] | None:
        """Weights that separate the few, widely; None: there are none, `partition` proves it."""
        rows, part = self._rows, self.partition
        part.conflict = conflict_at_sight(rows)
        if part.conflict is None:
            part.metric = metric_of(rows)
            sight = looked(rows, part.metric)
            guess = nearest_point(rows, sight)
            part.support = guess.support
            w = sight.exactly(rows, guess.direction)
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
        """With the largest margin among the few, where that is soon found."""
        self.partition.separator, self.partition.support = w, support
        self._on_few = margins.homogeneous(self._rows, support, w)
        return list(self._on_few.separator)

    def _holds(self, w: list[Fraction]) -> bool:
        """Do they separate all rows? If not, or not closely enough, rows join the few."""
        self._look()
        most, few = _BATCH * self._rows.D, self._few
        found = [
            shard for part in self.all.each(work.look, w, self.intercept, few) for shard in part
        ]
        if not sum(shard.wrong for shard in found):
            reached = min(shard.reached for shard in found if shard.reached is not None)
            self._keep(w, reached)
            close = self.bound is not None and self.bound.gap < _CLOSE
            if close or not self.margins or self.looks >= _WIDEN:
                return True
        joined = self._join([shard.worst for shard in found], [s.standing for s in found], most)
        return not joined and self.complete

    @property
    def _few(self) -> int:
        """Rows that a shard picks out: as many as join where there is one, a quarter of it where
        there are many."""
        shards = -(-self.all.n // compute.rows_of_shard)
        return int(self._rows.D) * max(_BATCH // shards, _BATCH // 4)

    def _keep(self, w: list[Fraction], reached: Fraction) -> None:
        part = self.partition
        part.separator, part.done, self.complete = w, True, True
        upper = self._on_few
        found = proved(self._rows, w, reached, upper.weights, free=False)
        if self.bound is None or found.gap < self.bound.gap:
            self.bound, self.proved_on = found, self.few

    def _join(self, rows: list[Some], standing: list[np.ndarray], most: int) -> bool:
        """The lowest of these, of equal ones the first; False: they were all there."""
        some, low = Some.joined(rows), np.concatenate(standing)
        new = ~np.isin(some.number, self.few.number)
        if self.complete:  # only those that would narrow the margin
            new &= low < np.inf
        places = np.flatnonzero(new)
        places = places[np.lexsort((some.number[places], low[places]))][:most]
        if len(places):
            self.few = Some.joined([self.few, some.part(places)])
        return bool(len(places))

    def _look(self) -> None:
        if self.looks >= self.most_looks:
            raise LimitReached(_NO_MORE.format(self.looks))
        self.budget.spend(self.all.n)
        self.looks += 1

    # --- Which rows can be strict, once there is a conflict ---

    def _facial_reduction(self) -> None:
        """Overlap, or quasi-complete separation of all rows."""
        while True:
            conflict = self.partition.conflict
            self.partition = Partition(self._rows)
            self.partition.run(conflict)
            part = self.partition
            if part.separator is None and not part.normals:  # no direction is left, for nobody
                self.complete = True
                return
            self._look()  # without a separator: for rows outside the span of the few
            strays = self.all.each(
                work.astray,
                part.separator or [Fraction(0)] * self._rows.D,
                part.normals or [],
                self.intercept,
                self._few,
            )
            found = [some for shards in strays for some in shards]
            if not sum(len(some.number) for some in found):
                self.complete = True
                return
            part.done = False  # of the few, not of all
            if not self._join(found, [np.zeros(len(s.number)) for s in found], 1 << 14):
                raise LimitReached(_NO_MORE.format(self.looks))
            self._begin()
            self.partition.conflict = conflict

    @property
    def rows(self) -> Rows:
        """The few, as the proof reads them."""
        return self._rows


# Rows on many machines, as the verifier asks for them: its own tests, with every row looked at
# where it is. It holds the few rows that a proof names, and asks for the rest.


@final
class RemoteData(verify.Data):
    """`few` are the rows that the claim names."""

    def __init__(self, claim: dict[str, Any], rows: PartitionedRows, few: Some):
        self._all = rows
        self._x = dict(zip(few.number.tolist(), few.x.tolist(), strict=True))
        self.y: Any = dict(zip(few.number.tolist(), few.y.tolist(), strict=True))
        self.n, self.intercept, self.decimal = rows.n, claim["fit_intercept"], False
        self.size = rows.d + self.intercept
        self.kept: Any = _Everybody()
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
        if among is None:  # the lowest of each bundle tells all that is asked
            return self._all.each(work.lowest_sign, weights, low, bool(self.intercept))
        found = self._all.each(work.signs, weights, low, bool(self.intercept))
        signs = np.concatenate([block for part in found for block in part])
        return (signs * np.array(among)).tolist()  # type: ignore[no-any-return]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        if not normals:
            return [True] * len(self.present)
        found = self._all.each(work.flat, normals, bool(self.intercept))
        flat = np.concatenate([b for part in found for b in part])
        if not self.listed:  # what is said is said of all rows
            return [bool(flat.all())] * len(self.present)
        return flat.tolist()  # type: ignore[no-any-return]

    def rank(self, vectors: Any) -> int:
        rows = list(vectors)
        return len(independent_rows(rows)) if rows else 0

    def check_longest(self, claim: dict[str, Any]) -> None:
        """No row of any machine is longer than the one that is named."""
        named = self.square(claim["radius_row"])
        found = self._all.each(work.longest, bool(self.intercept))
        longest = max(square for part in found for square, _ in part)
        verify.demand(longest <= named, "a row is longer")


class _Everybody:
    """No row is left out."""

    def __getitem__(self, i: int) -> bool:
        return True
