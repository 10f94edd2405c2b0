"""A certificate of many classes in words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rosenblatt._support.row_numbers import counted, row_number
from rosenblatt._support.words import many, named

if TYPE_CHECKING:
    from rosenblatt._proof.coefficients import CoefficientSign
    from rosenblatt.certificate import Certificate, ClassPair, Conflict

SHOWN = 5  # pairs of classes, rows of a conflict and coefficients that are shown
USUAL = ", as is common in real data"
NOT_THE_ERROR = "This does not measure how often a rule is wrong."
_LOGISTIC = "a multinomial logistic regression"
NOT_WORKED_OUT = (
    "Which coefficients run to infinity, and which way, is not worked out under complete "
    "separation."
)
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
            f"reason: compare each of the {n:,} rows with the {k - 1} other classes, in {total:,} "
            f"comparisons. A linear rule for the {k} classes{through} gets {strict:,} of them "
            f"right and none wrong, and leaves {others} tied. {NOT_THE_ERROR}"
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
    yield (
        "  Take the score of the own class minus that of the other, in each comparison. With fixed "
        "positive weights these differences add up to 0 for every linear rule, so they cannot all "
        "be positive."
    )
    heaviest = ", ".join(
        f"row {row_number(row)} (label {named(label)} against {named(rival)}, {share:.1%})"
        for row, label, rival, share in shares(found)[:SHOWN]
    )
    rest = len(rows) - SHOWN
    more = f", and {many(rest, 'more comparison', 'one')}" if rest > 0 else ""
    yield f"  The heaviest comparisons, with their share of the total weight: {heaviest}{more}."


def shares(found: Conflict) -> list[tuple[int, str, str, float]]:
    """Row, label, rival and its share of all weights; the largest first."""
    total = sum(found.weights)
    items = zip(found.rows, found.labels, found.rivals or [], found.weights, strict=True)
    told = [(row, label, rival, float(Fraction(w, total))) for row, label, rival, w in items]
    return sorted(told, key=lambda item: -item[3])


def coefficients(certificate: Certificate) -> Iterator[str]:
    if certificate.separable:
        yield NOT_WORKED_OUT
    by_class, last = certificate.class_coefficient_signs, certificate.classes[-1]
    if by_class is None:
        return
    yield f"In {_LOGISTIC}, against the reference class {last}:"
    for label, signs in list(by_class.items())[:SHOWN]:
        yield f"  {label}: {_running(signs)}."
    if len(by_class) > SHOWN:
        rest = len(by_class) - SHOWN
        yield f"  and {rest:,} more {'class' if rest == 1 else 'classes'}."
    finite = [label for label, signs in by_class.items() if set(signs.values()) == {"0"}]
    if finite and _apart(certificate, {*finite, last}):
        them = f"{', '.join(finite)} and {last}"
        yield f"The finite ones are those of a regression on the rows of {them} alone."
    yield (
        "What to do: python -m pydoc rosenblatt.separation, for two classes at a time. One class "
        "against the rest is a different model."
    )


def _running(signs: dict[str, CoefficientSign]) -> str:
    """Where the coefficients of one class go."""
    told = []
    for sign, meaning in (
        ("+", "to plus infinity"),
        ("-", "to minus infinity"),
        ("±", "to infinity, in directions that the rows do not fix (±)"),
    ):
        names = [name for name, found in signs.items() if found == sign]
        can = "can run" if sign == "±" else "runs" if len(names) == 1 else "run"
        if len(names) == len(signs) > 1:
            return f"all {many(len(names), 'coefficient')} {can} {meaning}"
        if names:
            rest = len(names) - SHOWN
            more = f" and {rest:,} more" if rest > 0 else ""
            told.append(f"{', '.join(names[:SHOWN])}{more} {can} {meaning}")
    if not told:
        return "all coefficients are finite"
    return "; ".join([*told, *(["the others are finite"] if "0" in signs.values() else [])])


def _apart(certificate: Certificate, some: set[str]) -> bool:
    """Whether each of these classes is told apart in every row from each of the others."""
    return all(
        pair.separated == pair.rows
        for pair in certificate.class_pairs or []
        if (pair.first in some) != (pair.second in some)
    )
