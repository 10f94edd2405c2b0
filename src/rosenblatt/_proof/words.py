"""A certificate in words: for a terminal and for a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rosenblatt import theory

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, Conflict, Margin

_SHOWN = 5  # columns of the meeting point and rows of a conflict that are shown
_ENDLESS = "∞"


def as_text(certificate: Certificate) -> str:
    return "\n".join(line for _, lines in sections(certificate) for line in lines)


def as_html(certificate: Certificate) -> str:
    """The first line in bold, each further part under it, all rows of a conflict folded."""
    (_, (first, *rest)), *others = sections(certificate)
    out = [f"<p><b>{html.escape(first)}</b></p>"]
    out += [f"<p>{_lines(lines)}</p>" for lines in ([rest] if rest else [])]
    for kind, lines in others:
        out.append(f"<p>{_lines(lines)}</p>")
        if kind == "conflict" and certificate.conflict is not None:
            out.append(_folded(certificate.conflict))
    return f'<div class="rosenblatt-certificate">{"".join(out)}</div>'


def _lines(lines: list[str]) -> str:
    return "<br>".join(html.escape(line.strip()) for line in lines)


def _folded(conflict: Conflict) -> str:
    head = "<tr><th>row</th><th>label</th><th>share of its class</th></tr>"
    body = "".join(
        f"<tr><td>{row}</td><td>{html.escape(label)}</td><td>{share:.2%}</td></tr>"
        for row, label, share in _shares(conflict)
    )
    return (
        f"<details><summary>all {len(conflict.rows)} rows of the conflict</summary>"
        f"<table>{head}{body}</table></details>"
    )


def sections(certificate: Certificate) -> Iterator[tuple[str, list[str]]]:
    """Kind and lines of each part."""
    yield "verdict", list(_verdict(certificate))
    if certificate.conflict is not None:
        yield "conflict", list(_conflict(certificate, certificate.conflict))
    if certificate.coefficient_signs is not None:
        yield "coefficients", list(_coefficients(certificate))
    if certificate.homogeneous_margin is not None:
        yield "margins", list(_margins(certificate))
    if certificate.revealing_columns:
        yield "columns", list(_columns(certificate))
    if certificate.separable and certificate.n_rows <= 2 * _dimensions(certificate):
        yield "chance", list(_chance(certificate))
    yield "about", list(_about(certificate))


def _dimensions(certificate: Certificate) -> int:
    return certificate.n_features + certificate.fit_intercept


def _verdict(certificate: Certificate) -> Iterator[str]:
    n, plane = certificate.n_rows, _plane(certificate)
    if certificate.verdict == "complete separation":
        yield f"Complete separation: {plane} has {_all_rows(n)} strictly on the right side."
        if len(certificate.classes) == 1:
            yield "There is one class only, so that this says little."
    elif certificate.verdict == "quasi-complete separation":
        assert certificate.separated_rows is not None
        strict = len(certificate.separated_rows)
        yield (
            f"Quasi-complete separation: {plane} has {strict:,} of {n:,} rows strictly on the "
            f"right side and the other {n - strict:,} on it; none can do better."
        )
        yield "A perceptron does not converge; a logistic regression has no finite estimate."
    elif certificate.verdict == "overlap":
        yield (
            f"Overlap: no hyperplane{_through(certificate)} has all {n:,} rows on the right side, "
            "not even with some of them on it."
        )
        yield "A perceptron does not converge; a logistic regression has a finite estimate."
    else:
        yield f"Undecided: {'; '.join(certificate.limits)}."
        if certificate.separable is False:
            yield (
                f"Known: no hyperplane{_through(certificate)} has all {n:,} rows strictly on the "
                "right side. Open: can some be, with the others on it?"
            )


def _all_rows(n: int) -> str:
    return "its one row" if n == 1 else f"all {n:,} rows"


def _plane(certificate: Certificate) -> str:
    return f"a hyperplane{_through(certificate)}"


def _through(certificate: Certificate) -> str:
    return "" if certificate.fit_intercept else " through the origin"


def _conflict(certificate: Certificate, conflict: Conflict) -> Iterator[str]:
    k, rows = len(conflict.rows), conflict.rows
    if k == 1:
        yield f"Why: row {rows[0]} is zero, and is on every hyperplane through the origin."
        return
    if k == 2 and conflict.weights == [1, 1] and len(set(conflict.labels)) == 2:
        yield (
            f"Why: rows {rows[0]} and {rows[1]} are equal but for their labels, "
            f"{conflict.labels[0]} and {conflict.labels[1]}."
        )
        return
    yield f"Why: {k} rows cannot all be on the right side of any hyperplane{_through(certificate)}."
    counts = [(label, conflict.labels.count(label)) for label in certificate.classes]
    if conflict.meeting_point is not None:
        (a, many_a), (b, many_b) = counts
        point = list(conflict.meeting_point.items())
        some = ", ".join(f"{name} {value:.6g}" for name, value in point[:_SHOWN])
        more = f", and {len(point) - _SHOWN} more columns" if len(point) > _SHOWN else ""
        yield (
            f"  A blend of {_rows(many_a)} labelled {a} equals a blend of {_rows(many_b)} labelled "
            f"{b}: {some}{more}."
        )
    else:
        yield "  A blend of them, each with the sign of its label, is zero."
    shares = sorted(_shares(conflict), key=lambda item: -item[2])
    heaviest = ", ".join(
        f"row {row} ({label}, {share:.1%})" for row, label, share in shares[:_SHOWN]
    )
    rest = f", and {k - _SHOWN} more" if k > _SHOWN else ""
    yield f"  With the largest shares of their class's blend: {heaviest}{rest}."


def _rows(k: int) -> str:
    return "one row" if k == 1 else f"{k} rows"


def _shares(conflict: Conflict) -> list[tuple[int, str, float]]:
    """Row, label, and its share of the blend of its class."""
    total = dict.fromkeys(conflict.labels, 0)
    for label, weight in zip(conflict.labels, conflict.weights, strict=True):
        total[label] += weight
    items = zip(conflict.rows, conflict.labels, conflict.weights, strict=True)
    return [(row, label, float(Fraction(w, total[label]))) for row, label, w in items]


def _coefficients(certificate: Certificate) -> Iterator[str]:
    signs = certificate.coefficient_signs or {}
    moving = {name: sign for name, sign in signs.items() if sign != "0"}
    yield f"In a logistic regression {len(moving)} of {len(signs)} coefficients run to infinity:"
    meaning = {"+": f"+{_ENDLESS}", "-": f"-{_ENDLESS}", "±": f"±{_ENDLESS} (either, by direction)"}
    width = max((len(name) for name in moving), default=0)
    for name, sign in moving.items():
        yield f"  {name:<{width}}  {meaning[sign]}"


def _margins(certificate: Certificate) -> Iterator[str]:
    homogeneous, geometric = certificate.homogeneous_margin, certificate.geometric_margin
    assert homogeneous is not None
    yield f"Homogeneous margin γ (unit (w, b), Novikoff's): {_number(homogeneous)}."
    if geometric is not None and certificate.fit_intercept:
        yield f"Geometric margin (distance of the nearest row): {_number(geometric)}."
    bound, best = certificate.mistake_bound, certificate.best_possible_mistake_bound
    assert bound is not None
    yield (
        f"Mistake bound: from zero weights, a row at a time, at most {_count(bound)} updates"
        + (f"; with the best γ {_count(best)}." if best is not None and best != bound else ".")
    )


def _count(value: int) -> str:
    if value < 10**15:
        return f"{value:,}"
    return f"about {float(value):.3g}" if value < 10**300 else "more than 1e300"


def _number(margin: Margin) -> str:
    if margin.exact:
        return f"{margin.lo:.12g}, proved to be the largest"
    return f"between {margin.lo:.12g} and {margin.hi:.12g}"


def _columns(certificate: Certificate) -> Iterator[str]:
    for found in certificate.revealing_columns[:_SHOWN]:
        above = certificate.classes[-1 if found.sign > 0 else 0]
        yield (
            f"{found.column} alone has {found.rows:,} of {certificate.n_rows:,} rows strictly on "
            f"the right side: every row above {found.threshold:g} is {above}, none below it is. If "
            "it is known only after the outcome, leave it out."
        )
    if len(certificate.revealing_columns) > _SHOWN:
        yield f"So do {len(certificate.revealing_columns) - _SHOWN} more columns."


def _chance(certificate: Certificate) -> Iterator[str]:
    n, size = certificate.n_rows, _dimensions(certificate)
    chance = theory.probability_separable(
        n, certificate.n_features, fit_intercept=certificate.fit_intercept
    )
    yield (
        f"With {n:,} rows in {size:,} dimensions, random labels would be separable with "
        f"probability {chance:.3g} (Cover 1965, rows in general position): that these are says "
        "little about learning."
    )


def _about(certificate: Certificate) -> Iterator[str]:
    if certificate.verdict != "undecided":
        yield from (f"Cut short: {limit}." for limit in certificate.limits)
    meant = {"binary64": "the floating-point numbers as they are", "decimal": "the decimal numbers"}
    yield f"Proved for {meant[certificate.semantics]}, sha256 {certificate.sha256[:16]}…"
