"""certify for rows that are on disk, or on the machines of an engine."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import verify
from rosenblatt._engines import proof_work as work
from rosenblatt._engines.divided import Divided
from rosenblatt._engines.planes import Planes
from rosenblatt._engines.proof_data import RemoteData
from rosenblatt._engines.proof_work import Some
from rosenblatt._inputs import validate
from rosenblatt._proof import claim as say
from rosenblatt._proof.bounds import Bound
from rosenblatt._proof.facial_reduction import ONLY_SEPARABLE, Partition
from rosenblatt._proof.heading import opening
from rosenblatt._proof.limits import noting
from rosenblatt._support.budget import Budget
from rosenblatt._support.numbered import Numbered
from rosenblatt._support.one_thread import one_thread
from rosenblatt.certificate import Certificate, Origin
from rosenblatt.errors import CertificateRejected, InputError

if TYPE_CHECKING:
    from rosenblatt._proof.rows import Rows

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
    from rosenblatt._engines.source import divided

    validate.flag("fit_intercept", fit_intercept)
    validate.flag("margins", margins)
    if time_limit is not None:
        validate.positive("time_limit", time_limit)
    validate.whole("looks", looks)
    with ExitStack() as until_the_end:
        rows = until_the_end.enter_context(divided(source, engine, cache))
        return certified(
            rows,
            fit_intercept=fit_intercept,
            budget=Budget(time_limit=time_limit),
            margins=margins,
            looks=looks,
        )


def certified(
    rows: Divided, *, fit_intercept: bool, budget: Budget, margins: bool, looks: int = _LOOKS
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
    planes.budget.now("checking the proof")
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
