"""A certificate of many classes in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rosenblatt._support.row_numbers import counted, row_number
from rosenblatt._support.words import many, named

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, ClassPair, Conflict

SHOWN = 5  # pairs of classes, rows of a conflict and coefficients that are shown
USUAL = ", as is common in real data"
NOT_THE_ERROR = "This does not measure how often a rule is wrong."
_LOGISTIC = "a multinomial logistic regression"
_NO_ESTIMATE = "A multinomial logistic regression has no finite maximum likelihood estimate."


def verdict(certificate: Certificate) -> Iterator[str]:
    n, k = certificate.n_rows, len(certificate.classes)
    through = "" if certificate.fit_intercept else ", without intercepts,"
    limits = "; ".join(certificate.limits)
    if certificate.verdict == "complete separation":
        yield (
            f"Complete separation: a linear rule for the {k} classes{through} is right about all "
            f"{n:,} rows."
        )
        yield f"The joint perceptron converges. {_NO_ESTIMATE}"
        yield (
            f"Exactly: weights for each of the {k} classes{through} give every row a higher score "
            "for its own class than for any other."
        )
    elif certificate.verdict == "quasi-complete separation":
        pairs = certificate.class_pairs or []
        strict, total = sum(p.separated for p in pairs), sum(p.rows for p in pairs)
        others = "the other one" if total - strict == 1 else f"the other {total - strict:,}"
        yield (
            f"Quasi-complete separation: some coefficients of {_LOGISTIC} are infinite. The "
            f"reason: a linear rule for the {k} classes{through} exists that decides only "
            f"{strict:,} of {total:,} comparisons, each of a row's own class with one other, never "
            f"wrongly, and leaves {others} tied. {NOT_THE_ERROR}"
        )
        yield f"The joint perceptron does not converge. {_NO_ESTIMATE}"
        yield (
            f"Exactly: weights for each of the classes{through} score the own class strictly "
            f"higher in {strict:,} comparisons and equally in {others}. No weights without a "
            "wrong comparison have more."
        )
        yield from _pairs(pairs, asked=certificate.pair_certificates is not None)
    elif certificate.verdict == "overlap":
        yield (
            f"Overlap: no linear rule for the {k} classes{through} is right about all {n:,} "
            f"rows{USUAL}."
        )
        what = _LOGISTIC[0].upper() + _LOGISTIC[1:]
        yield f"{what} has a finite estimate. The joint perceptron does not converge."
        yield (
            f"Exactly: whatever the weights of the classes{through} are, at least one of the rows "
            "has a higher score for another class than for its own, or all scores tie."
        )
    elif certificate.separable is False:
        yield (
            f"Not separable: no linear rule for the {k} classes{through} is right about all {n:,} "
            "rows."
        )
        yield "The joint perceptron does not converge."
        yield f"Still open: overlap, or quasi-complete separation ({limits})."
    else:
        yield (
            f"Undecided: it is not known whether a linear rule for the {k} classes{through} is "
            f"right about all {n:,} rows ({limits})."
        )


def _pairs(pairs: list[ClassPair], *, asked: bool) -> Iterator[str]:
    """Which classes are apart, and which are not; `asked`: each pair was looked at alone, too."""
    tied = [p for p in pairs if not p.separated]
    for lead, chosen in (
        ("Told apart in every row", [p for p in pairs if p.separated == p.rows]),
        ("Told apart in some rows, with ties in the others", _partly(pairs)),
        ("Ties in every row, in any joint rule with no comparison wrong", tied),
    ):
        if chosen:
            some = "; ".join(_pair(p) for p in chosen[:SHOWN])
            rest = len(chosen) - SHOWN
            more = f"; and {many(rest, 'more pair', 'one')}" if rest > 0 else ""
            yield f"{lead}: {some}{more}."
    if tied and not asked:
        yield "A rule for two of the classes alone may still separate them: --pairs (pairs=True)."


def _partly(pairs: list[ClassPair]) -> list[ClassPair]:
    return [p for p in pairs if 0 < p.separated < p.rows]


def _pair(pair: ClassPair) -> str:
    counts = f" ({pair.separated:,} of {pair.rows:,} rows)"
    return f"{pair.first} and {pair.second}{counts if 0 < pair.separated < pair.rows else ''}"


def conflict(found: Conflict) -> Iterator[str]:
    rows, rivals = [row_number(row) for row in found.rows], found.rivals or []
    if len(rows) == 1:
        yield f"Why: row {rows[0]} is all zeros, so all its scores are 0 ({counted()})."
        return
    if len(rows) == 2 and found.weights == [1, 1] and rivals == found.labels[::-1]:
        yield (
            f"Why: rows {rows[0]} and {rows[1]} have the same values and different labels, "
            f"{named(found.labels[0])} and {named(found.labels[1])} ({counted()})."
        )
        return
    several = "" if len(set(rows)) == len(rows) else f", in {len(rows)} comparisons"
    yield (
        f"Why: {many(len(set(rows)), 'row', 'one')} cannot all have a higher score for their own "
        f"class than for the other class named with them{several} ({counted()})."
    )
    yield "  A weighted sum of these leads is zero, whatever the weights of the classes are."
    heaviest = ", ".join(
        f"row {row_number(row)} (label {named(label)} against {named(rival)}, {share:.1%})"
        for row, label, rival, share in shares(found)[:SHOWN]
    )
    rest = len(rows) - SHOWN
    more = f", and {many(rest, 'more comparison', 'one')}" if rest > 0 else ""
    yield f"  The heaviest comparisons: {heaviest}{more}."


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
            f"In {_LOGISTIC} with the reference class {last} these coefficients run to infinity, "
            f"upwards (+), downwards (-) or undetermined (±): {', '.join(endless[:SHOWN])}{more}."
        )
