"""A certificate of many classes in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rosenblatt._support.words import many

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, ClassPair, Conflict

SHOWN = 5  # pairs of classes, rows of a conflict and coefficients that are shown
USUAL = ", as is common in real data"
NOT_THE_ERROR = "This is about infinite coefficients, not about how often a rule errs."
_LOGISTIC = "a multinomial logistic regression"


def verdict(certificate: Certificate) -> Iterator[str]:
    n, k = certificate.n_rows, len(certificate.classes)
    through = "" if certificate.fit_intercept else ", without intercepts,"
    limits = "; ".join(certificate.limits)
    if certificate.verdict == "complete separation":
        yield (
            f"Complete separation: weights for each of the {k} classes{through} give all {n:,} "
            "rows a higher score for their own class than for any other."
        )
        yield f"The joint perceptron converges; {_LOGISTIC} has no finite estimate."
    elif certificate.verdict == "quasi-complete separation":
        pairs = certificate.class_pairs or []
        strict, total = sum(p.separated for p in pairs), sum(p.rows for p in pairs)
        others = "the other one" if total - strict == 1 else f"the other {total - strict:,}"
        yield (
            f"Quasi-complete separation: {strict:,} of {total:,} comparisons of a row's own class "
            f"with another can be told for certain by a linear rule for the {k} classes{through} "
            f"with none of them wrong; {others} cannot. {NOT_THE_ERROR}"
        )
        yield (
            f"Weights for each of the classes{through} have the own class strictly ahead in "
            f"{strict:,} comparisons and tie in {others}; none without a wrong comparison have "
            "more."
        )
        yield from _pairs(pairs, asked=certificate.pair_certificates is not None)
        yield f"The joint perceptron does not converge; {_LOGISTIC} has no finite estimate."
    elif certificate.verdict == "overlap":
        yield (
            f"Overlap: no linear rule for the {k} classes{through} is right about all {n:,} "
            f"rows{USUAL}."
        )
        yield (
            f"Whatever the weights of the classes{through} are, at least one of the rows has a "
            "higher score for another class than for its own, or all scores tie."
        )
        yield f"The joint perceptron does not converge; {_LOGISTIC} has a finite estimate."
    elif certificate.separable is False:
        yield (
            f"Not separable: no weights of the {k} classes{through} give all {n:,} rows a higher "
            "score for their own class than for any other."
        )
        yield "The joint perceptron does not converge."
        yield f"Open: can some comparisons be right, with ties in the others? ({limits})"
    else:
        yield f"Undecided: {limits}."


def _pairs(pairs: list[ClassPair], *, asked: bool) -> Iterator[str]:
    """Which classes are apart, and which are not; `asked`: each pair was looked at alone, too."""
    tied = [p for p in pairs if not p.separated]
    for lead, chosen in (
        ("Strictly apart", [p for p in pairs if p.separated == p.rows]),
        ("Apart but for ties", [p for p in pairs if 0 < p.separated < p.rows]),
        ("Not apart in any joint rule with no comparison wrong", tied),
    ):
        if chosen:
            some = "; ".join(_pair(p) for p in chosen[:SHOWN])
            rest = len(chosen) - SHOWN
            more = f"; and {many(rest, 'more pair', 'one')}" if rest > 0 else ""
            yield f"{lead}: {some}{more}."
    if tied and not asked:
        yield "Two classes alone may still be apart: --pairs (pairs=True) decides about each pair."


def _pair(pair: ClassPair) -> str:
    counts = f" ({pair.separated:,} of {pair.rows:,} rows)"
    return f"{pair.first} and {pair.second}{counts if 0 < pair.separated < pair.rows else ''}"


def conflict(found: Conflict) -> Iterator[str]:
    rows, rivals = found.rows, found.rivals or []
    if len(rows) == 1:
        yield f"Why: row {rows[0]} is zero, so that all its scores are."
        return
    if len(rows) == 2 and found.weights == [1, 1] and rivals == found.labels[::-1]:
        yield (
            f"Why: rows {rows[0]} and {rows[1]} are equal but for their labels, "
            f"{found.labels[0]} and {found.labels[1]} (rows are counted from 0)."
        )
        return
    several = "" if len(set(rows)) == len(rows) else f", in {len(rows)} comparisons"
    yield (
        f"Why: {many(len(set(rows)), 'row', 'one')} cannot all have a higher score for their own "
        f"class than for the rival beside them{several} (rows are counted from 0)."
    )
    yield "  Weighted, how far each is ahead of its rival sums to zero, whatever the weights are."
    heaviest = ", ".join(
        f"row {row} (label {label} against {rival}, {share:.1%})"
        for row, label, rival, share in shares(found)[:SHOWN]
    )
    rest = len(rows) - SHOWN
    more = f", and {many(rest, 'more comparison', 'one')}" if rest > 0 else ""
    yield f"  The largest weights: {heaviest}{more}."


def shares(found: Conflict) -> list[tuple[int, str, str, float]]:
    """Row, label, rival and its share of all weights; the largest first."""
    total = sum(found.weights)
    items = zip(found.rows, found.labels, found.rivals or [], found.weights, strict=True)
    told = [(row, label, rival, float(Fraction(w, total))) for row, label, rival, w in items]
    return sorted(told, key=lambda item: -item[3])


def coefficients(certificate: Certificate) -> Iterator[str]:
    by_class, last = certificate.class_coefficient_signs or {}, certificate.classes[-1]
    endless = [
        f"{name} for class {label} ({sign})"
        for label, signs in by_class.items()
        for name, sign in signs.items()
        if sign != "0"
    ]
    if endless:
        rest = len(endless) - SHOWN
        more = f", and {many(rest, 'more coefficient', 'one')}" if rest > 0 else ""
        yield (
            f"In {_LOGISTIC} with the reference class {last} these run to infinity, or are not "
            f"determined at all (±): {', '.join(endless[:SHOWN])}{more}."
        )
