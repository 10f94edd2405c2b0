"""A certificate in words."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rosenblatt import verify
from rosenblatt._certify import column_text as columns
from rosenblatt._certify.cover_theorem import probability_separable
from rosenblatt._certify.parts import with_the_signs
from rosenblatt._util.spelling import about_frame, either, option
from rosenblatt._util.text import (
    about_files,
    counted,
    first_few,
    html_table,
    listed,
    many,
    named,
    one_line,
    row_number,
)
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._certify.parts import CoefficientSign
    from rosenblatt.certificate import Certificate, ClassPair, Conflict, Margin


_NO_LOGISTIC_ESTIMATE = "A logistic regression has no finite maximum likelihood estimate."
_USUAL = ", as is common in real data"
_NOT_THE_ERROR = "This does not measure how often a rule is wrong."
_SHOWN = 5  # rows of a conflict, columns, coefficients, pairs of classes


def as_text(certificate: Certificate, *, without: Sequence[str] = ()) -> str:
    """All sections but some."""
    parts = (lines for kind, lines in sections(certificate) if kind not in without)
    return "\n".join(one_line(line) for lines in parts for line in lines)


def sections(certificate: Certificate) -> Iterator[tuple[str, list[str]]]:
    of_family = certificate.family != "logistic" or bool(certificate.absorbed)
    parts = _parts_of_family if of_family else _parts_of_many if certificate.many else _parts
    parts = _parts_with_signs if certificate.signs else parts
    for kind, lines in parts(certificate):
        if part := list(lines):
            yield kind, part


def _parts_with_signs(certificate: Certificate) -> Iterator[tuple[str, Iterable[str]]]:
    yield "verdict", _verdict_with_signs(certificate)
    if certificate.conflict is not None:
        yield "conflict", _conflict(certificate, certificate.conflict)
    yield "about", _about(certificate)


def _parts(certificate: Certificate) -> Iterator[tuple[str, Iterable[str]]]:
    verdict, instead = list(_verdict(certificate)), list(_instead(certificate))
    yield "verdict", verdict[:2] if instead else verdict
    yield "instead", instead
    yield "exactly", verdict[2:] if instead else []
    with about_frame():
        separated = list(_separated(certificate))
    yield "separated", separated
    yield "all separated", _all_separated(certificate)
    yield "columns", columns.telling_lines(certificate)
    with about_frame():  # certify itself has no option to leave out a column
        rare = list(columns.rare_lines(certificate))
    yield "rare", rare
    yield "coefficients", _coefficients(certificate)
    yield "collinear", columns.collinear_lines(certificate)
    yield "levels", columns.reference_lines(certificate)
    if certificate.conflict is not None:
        yield "conflict", _conflict(certificate, certificate.conflict)
    yield "chance", _chance(certificate)
    yield "margins", _margins(certificate)
    yield "about", _about(certificate)


def _parts_of_family(certificate: Certificate) -> Iterator[tuple[str, Iterable[str]]]:
    yield "verdict", _verdict_of_family(certificate)
    yield "all separated", _all_separated(certificate)
    yield "coefficients", _coefficients_of_family(certificate)
    collinear = _collinear_with_factors if certificate.absorbed else columns.collinear_lines
    yield "collinear", collinear(certificate)
    yield "levels", columns.reference_lines(certificate)
    yield "about", _about(certificate)


def _parts_of_many(certificate: Certificate) -> Iterator[tuple[str, Iterable[str]]]:
    yield "verdict", _verdict_of_many(certificate)
    yield "coefficients", _coefficients_of_many(certificate)
    if certificate.conflict is not None:
        yield "conflict", _conflict_of_many(certificate, certificate.conflict)
    yield "margins", _margins(certificate)
    if certificate.pair_certificates is not None:
        yield "pairs", ["Each pair of classes:", *str(certificate.pair_certificates).split("\n")]
    yield "about", _about(certificate)


def _verdict(certificate: Certificate) -> Iterator[str]:
    n, through = certificate.n_rows, "" if certificate.fit_intercept else " through the origin"
    all_rows = "the one row" if n == 1 else f"all {n:,} rows"
    if certificate.verdict == "complete separation":
        yield f"Complete separation: a linear rule{through} is right about {all_rows}."
        if len(certificate.classes) == 1:
            yield "There is only one class, so this says little."
        else:
            yield f"A perceptron converges. {_NO_LOGISTIC_ESTIMATE}"
        yield f"Exactly: a hyperplane{through} has {all_rows} strictly on the right side."
    elif certificate.verdict == "quasi-complete separation":
        assert certificate.separated_rows is not None
        strict = len(certificate.separated_rows)
        others = "the other one" if n - strict == 1 else f"the other {n - strict:,}"
        yield (
            "Quasi-complete separation: some coefficients of a logistic regression are infinite. "
            f"The reason: a linear rule{through} gets {strict:,} of the {n:,} rows right, none "
            f"wrong, "
            f"and leaves {others} exactly on its boundary. {_NOT_THE_ERROR}"
        )
        yield f"A perceptron does not converge. {_NO_LOGISTIC_ESTIMATE}"
        yield (
            f"Exactly: a hyperplane{through} has {many(strict, 'row', 'one')} strictly on the "
            f"right side and {others} on it. No hyperplane{through} without a row on the wrong "
            "side has more on the right side."
        )
        if last := len(certificate.last_bit_rows):
            them = "1 row is" if last == 1 else f"{last:,} rows are"
            yield f"{them} right only by the last bits of the numbers, as rounding leaves them."
    elif certificate.verdict == "overlap":
        usual = _USUAL if n > 1 else ""
        yield f"Overlap: no linear rule{through} is right about {all_rows}{usual}."
        unique = ", but not a unique one" if certificate.collinear else ""
        estimate = f"a finite estimate{unique}"
        yield f"A logistic regression has {estimate}. A perceptron does not converge."
        yield (
            f"Exactly: every hyperplane{through} misclassifies at least one row, or contains "
            f"them all."
        )
    elif certificate.verdict == verify.CHANCE:
        yield (
            f"Overlap up to chance: almost certainly no linear rule{through} is right about "
            f"{all_rows}. This is not proved."
        )
        yield "A logistic regression then has a finite estimate. A perceptron does not converge."
        yield (
            "Exactly: were it otherwise, four random vectors would let it pass with a probability "
            "of 2^-128. They are made by SHA-256 from the rows and from the weights of the check."
        )
    elif certificate.separable is False:
        yield f"Not separable: no linear rule{through} is right about {all_rows}."
        yield "A perceptron does not converge."
        yield (
            "Still open: overlap, or quasi-complete separation with infinite coefficients "
            f"({_limits(certificate)})."
        )
    else:
        yield (
            f"Undecided: it is not known whether a linear rule{through} is right about {all_rows} "
            f"({_limits(certificate)})."
        )
        yield f"More time may settle it: {option('time_limit', ...)}."


def _verdict_with_signs(certificate: Certificate) -> Iterator[str]:
    which = f"linear rule{with_the_signs(certificate)} (a weight may be 0)"
    rows = f"right about all {certificate.n_rows:,} rows"
    if certificate.separable is None:
        yield f"Undecided: it is not known whether a {which} is {rows}."
        yield f"{_limits(certificate)}. More time may settle it: {option('time_limit', ...)}."
    elif certificate.separable:
        yield f"Separable with these signs: a {which} is {rows}."
        yield "A perceptron whose steps are projected onto these signs converges."
    else:
        yield f"Not separable with these signs: no {which} is {rows}."
        yield "Rules with other signs were not asked."


def _instead(certificate: Certificate) -> Iterator[str]:
    finite = {
        "complete separation": "firth(X, y)",
        "quasi-complete separation": "limiting_model(X, y) or firth(X, y)",
    }
    if len(certificate.classes) > 1 and (python := finite.get(certificate.verdict)):
        instead = either(f"rosenblatt.separation.{python}", "rosenblatt certify --estimates")
        yield f"What to report instead: {instead}."


def _separated(certificate: Certificate) -> Iterator[str]:
    """The rows that make coefficients infinite, where these are not all, and why they do."""
    if certificate.verdict != "quasi-complete separation":
        return
    rows = certificate.separated_rows
    assert rows is not None
    n = f"{len(rows):,} of {certificate.n_rows:,} {'is' if len(rows) == 1 else 'are'} separated"
    yield f"Why coefficients are infinite: {n}, {_some_rows(rows.tolist())}."
    several = [d for d in certificate.separating_directions if len(d.weights) > 1]
    for direction in several:
        value = f"{float(direction.value):g}"
        few, labels = len(direction.rows), Counter(direction.labels)
        of = " and ".join(f"{count:,} labelled {named(y)}" for y, count in labels.items())
        if len(labels) == 1:
            of = f"{'' if few == 1 else 'all '}labelled {named(direction.labels[0])}"
        yield (
            f"{direction} is {value} in every row but {'one' if few == 1 else f'{few:,}'}, {of}: "
            f"{_some_rows(direction.rows)}."
        )
    if several:
        names = list(several[0].weights)
        yield (
            "If that may be chance, leave out one of the columns of each such combination, as "
            f"{names[0]} ({option('ignore', names[0])})."
        )


def _some_rows(rows: list[int]) -> str:
    lead = "row" if len(rows) == 1 else "rows"
    more = len(rows) - _MORE_SHOWN
    named_rows = ", ".join(str(row_number(i)) for i in rows[:_MORE_SHOWN])
    return f"{lead} {named_rows}{f' and {more:,} more' if more > 0 else ''} ({counted()})"


def _all_separated(certificate: Certificate) -> Iterator[str]:
    rows = certificate.separated_rows
    if rows is None or certificate.verdict != "quasi-complete separation":
        return
    if _MORE_SHOWN < len(rows) <= _ALL_SHOWN:
        yield f"All separated rows: {', '.join(str(row_number(i)) for i in rows)}."


def _limits(certificate: Certificate) -> str:
    return "; ".join(certificate.limits)


def _why(certificate: Certificate) -> str:
    """What a conflict is the reason of: under quasi-complete separation of nothing infinite."""
    quasi = certificate.verdict == "quasi-complete separation"
    return "Why the separation is not complete" if quasi else "Why"


def _conflict(certificate: Certificate, conflict: Conflict) -> Iterator[str]:
    k, rows = len(conflict.rows), [row_number(row) for row in conflict.rows]
    if k == 1 and not certificate.signs:
        yield (
            f"{_why(certificate)}: row {rows[0]} is all zeros, so it lies on every hyperplane "
            f"through the origin ({counted()})."
        )
        return
    equal = conflict.weights == [1, 1] and len(set(conflict.labels)) == 2
    if k == 2 and equal and not certificate.signs:
        yield _equal_rows(certificate, conflict)
        return
    yield (
        f"{_why(certificate)}: {k} rows contradict each other. No hyperplane has all of them "
        f"strictly on the right side ({counted()})."
    )
    if conflict.meeting_point is not None:
        (a, many_a), (b, many_b) = [(c, conflict.labels.count(c)) for c in certificate.classes]
        point = list(conflict.meeting_point.items())
        some = ", ".join(f"{name} {value:.6g}" for name, value in point[:_SHOWN])
        yield (
            f"  A weighted average of {many(many_a, 'row', 'one')} labelled {named(a)} equals a "
            f"weighted average of {many(many_b, 'row', 'one')} labelled {named(b)}. The common "
            f"point: {some}{_more(len(point), 'column')}."
        )
    elif certificate.signs:
        yield (
            "  Each multiplied by the sign of its label, a weighted sum of them is zero; in the "
            "columns with a sign it has the other sign or is zero."
        )
    else:
        yield "  Each multiplied by the sign of its label, a weighted sum of them is zero."
    heaviest = ", ".join(
        f"row {row_number(row)} (label {named(label)}, {share:.1%})"
        for row, label, share in shares(conflict)[:_SHOWN]
    )
    yield f"  The rows with the largest weights in these averages: {heaviest}{_more(k, 'row')}."


def _equal_rows(certificate: Certificate, conflict: Conflict) -> str:
    (i, j), (a, b) = map(row_number, conflict.rows), map(named, conflict.labels)
    same = f"{_why(certificate)}: rows {i} and {j} have the same values and different labels"
    return f"{same}, {a} and {b} ({counted()})."


def _more(k: int, what: str) -> str:
    rest = k - _SHOWN
    return f", and {many(rest, f'more {what}', 'one')}" if rest > 0 else ""


def shares(conflict: Conflict) -> list[Any]:
    """Row, label, and its share of the average of its class; of many classes row, label, rival, and
    its share of all weights. The largest first."""
    rows, labels, weights = conflict.rows, conflict.labels, conflict.weights
    if conflict.rivals is None:
        total = Counter[str]()
        for label, weight in zip(labels, weights, strict=True):
            total[label] += weight
        whole, names = [total[label] for label in labels], [rows, labels]
    else:
        whole, names = [sum(weights)] * len(rows), [rows, labels, conflict.rivals]
    parts = [float(Fraction(w, of)) for w, of in zip(weights, whole, strict=True)]
    return sorted(zip(*names, parts, strict=True), key=lambda item: -item[-1])


def _coefficients(certificate: Certificate) -> Iterator[str]:
    signs = certificate.coefficient_signs
    if certificate.separable and len(certificate.classes) > 1 and "?" in signs.values():
        yield NOT_WORKED_OUT
    for sign, meaning in (
        ("+", "diverge to plus infinity"),
        ("-", "diverge to minus infinity"),
        ("±", "diverge to either +∞ or −∞"),
    ):
        names = [name for name, own in signs.items() if own == sign]
        if names:
            some = ", ".join(names[:_SHOWN]) + _more(len(names), "coefficient")
            label = named(certificate.classes[-1])
            what = f"In a logistic regression for the label {label} these coefficients"
            yield f"{what} {meaning}: {some}."


def _margins(certificate: Certificate) -> Iterator[str]:
    homogeneous, geometric = certificate.homogeneous_margin, certificate.geometric_margin
    if homogeneous is None:
        return
    if geometric is not None and certificate.fit_intercept:
        yield (
            "Geometric margin, the largest possible distance between a separating hyperplane and "
            f"the nearest row, in the units of the columns: {_number(geometric)}."
        )
    lift = "the rows with a 1 appended" if certificate.fit_intercept else "the rows"
    lift += " and the weights of all classes together" if certificate.many else ""
    yield (
        f"Homogeneous margin γ of Novikoff's theorem, the largest possible for {lift}: "
        f"{_number(homogeneous)}."
    )
    bound, best = certificate.mistake_bound, certificate.best_possible_mistake_bound
    assert bound is not None
    assert best is not None
    loose = f" ({_updates(best)} with the largest possible γ)" if best < bound else ""
    use = " That is too many to wait for: scale the columns." if bound > 10**9 else ""
    who = "joint perceptron" if certificate.many else "perceptron"
    yield (
        f"Mistake bound: started from zero weights and trained a row at a time, the {who} "
        f"converges after at most {_updates(bound)}{loose}.{use}"
    )


def _updates(value: int) -> str:
    if value < 10**15:
        return many(value, "update", "one")
    return f"{float(value):.3g} updates" if value < 10**300 else "an astronomic number of updates"


def _number(margin: Margin) -> str:
    if margin.exact:
        return f"{margin.lo:.12g}"
    if f"{margin.lo:.9g}" == f"{margin.hi:.9g}":
        return f"{margin.lo:.9g} to all digits shown"
    return f"between {margin.lo:.12g} and {margin.hi:.12g}"


def _chance(certificate: Certificate) -> Iterator[str]:
    n, d = certificate.n_rows, certificate.n_features
    size = d + certificate.fit_intercept
    if not 1 < n <= 2 * size or not certificate.separable:
        yield from _few_events(certificate, size)
        return
    chance = probability_separable(n, d, fit_intercept=certificate.fit_intercept)
    columns = many(d, "column", "one") + (" and an intercept" if certificate.fit_intercept else "")
    yield (
        f"With so few rows for so many columns, separability means little: with random labels "
        f"{n:,} "
        f"rows in general position, with {columns}, would be separable with probability "
        f"{chance:.3g} (Cover 1965)."
    )


def _few_events(certificate: Certificate, size: int) -> Iterator[str]:
    counts = certificate.origin and certificate.origin.counts
    if not certificate.verdict.endswith("separation") or not counts or not min(counts):
        return
    few = min(counts)
    if few < size:
        label = certificate.classes[counts.index(few)]
        yield (
            f"Only {many(few, 'row', 'one')} labelled {named(label)} for "
            f"{many(size, 'coefficient')}: with so few, separation may well be chance."
        )


def _about(certificate: Certificate) -> Iterator[str]:
    if certificate.verdict != "undecided":
        yield from (f"Cut short: {limit}." for limit in certificate.limits)
    if certificate.n_dropped:
        rows = many(certificate.n_dropped, "row", "one")
        reading = (certificate.preprocessing or {}).get("reading")
        reading = reading if isinstance(reading, dict) else {}
        # They are left out in the same way.
        also = " or without a label" * (reading.get("drop_unlabelled") is True)
        if isinstance(labels := reading.get("drop_label"), list) and labels:
            also += f" or with the label {listed([repr(label) for label in labels], _SHOWN)}"
        yield f"Left out: {rows} of weight 0{also}."
    numbers = {
        "float": "the numbers in the file, each rounded to the nearest float64 "
        f"({option('numbers', 'decimal')}: as written)"
        if about_files()
        else "the floating-point numbers exactly as given",
        "decimal": "the decimal numbers as written",
    }
    meant = _made(certificate) or numbers[certificate.numbers]
    word = "Proved" if certificate.checked else "Claimed (not checked since it was loaded)"
    if certificate.verdict == verify.CHANCE and certificate.checked:
        word = "Checked up to chance"
    elif certificate.separable is None:
        word = "Asked"
    data = f"data fingerprint {certificate.sha256[:16]}"
    yield f"{word} for {meant}, {data}."


def _made(certificate: Certificate) -> str | None:
    from rosenblatt.data import Preprocessing
    from rosenblatt.data.transformation import in_words

    if certificate.preprocessing is None:
        return None
    try:
        changes = in_words(Preprocessing.from_dict(certificate.preprocessing))
    except InputError:
        return "numbers made from a table by a preprocessing that cannot be read"
    some = "; ".join(changes[:_SHOWN]) + _more(len(changes), "column")
    return f"floating-point numbers made from a table ({some})" if changes else None


# --- A certificate in words, for a notebook ------------------------------------------------------


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
    what, names = "rows", ["row", "label", "weight in its class"]
    if conflict.rivals is not None:
        what, names = "comparisons", ["row", "label", "rival", "weight"]
    lines = [(*cells, f"{share:.2%}") for *cells, share in shares(conflict)]
    summary = f"all {len(lines)} {what} of the conflict"
    return f"<details><summary>{summary}</summary>{html_table(names, lines)}</details>"


# --- A certificate of many classes in words ------------------------------------------------------


_LOGISTIC = "a multinomial logistic regression"
NOT_WORKED_OUT = (
    "Which coefficients run to infinity, and which way, is not worked out under complete "
    "separation of so many columns."
)
_NO_MULTINOMIAL_ESTIMATE = (
    "A multinomial logistic regression has no finite maximum likelihood estimate."
)


def _verdict_of_many(certificate: Certificate) -> Iterator[str]:
    n, k = certificate.n_rows, len(certificate.classes)
    through = "" if certificate.fit_intercept else ", without intercepts,"
    if certificate.verdict == "complete separation":
        yield (
            f"Complete separation: a linear rule for the {k} classes{through} is right about all "
            f"{n:,} rows."
        )
        yield f"The joint perceptron converges. {_NO_MULTINOMIAL_ESTIMATE}"
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
            f"right and none wrong, and leaves {others} tied. {_NOT_THE_ERROR}"
        )
        yield f"The joint perceptron does not converge. {_NO_MULTINOMIAL_ESTIMATE}"
        yield (
            f"Exactly: weights for each of the classes{through} score the own class strictly "
            f"higher in {strict:,} comparisons and equally in {others}. No weights without a "
            "wrong comparison have more."
        )
        yield from _pairs(pairs, each_alone=certificate.pair_certificates is not None)
    elif certificate.verdict == "overlap":
        yield (
            f"Overlap: no linear rule for the {k} classes{through} is right about all {n:,} "
            f"rows{_USUAL}."
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
        yield f"Still open: overlap, or quasi-complete separation ({_limits(certificate)})."
    else:
        yield (
            f"Undecided: it is not known whether a linear rule for the {k} classes{through} is "
            f"right about all {n:,} rows ({_limits(certificate)})."
        )


def _pairs(pairs: list[ClassPair], *, each_alone: bool) -> Iterator[str]:
    """`each_alone`: each pair was looked at alone, too."""
    tied = [p for p in pairs if not p.separated]
    partly = [p for p in pairs if 0 < p.separated < p.rows]
    for lead, chosen in (
        ("Told apart in every row", [p for p in pairs if p.separated == p.rows]),
        ("Told apart in some rows, with ties in the others", partly),
        ("Ties in every row, in any joint rule with no comparison wrong", tied),
    ):
        if chosen:
            some = "; ".join(_pair(p) for p in chosen[:_SHOWN])
            rest = len(chosen) - _SHOWN
            more = f"; and {many(rest, 'more pair', 'one')}" if rest > 0 else ""
            yield f"{lead}: {some}{more}."
    if tied and not each_alone:
        how = option("pairs", True)
        yield f"A rule for two of the classes alone may still separate them: {how}."


def _pair(pair: ClassPair) -> str:
    counts = f" ({pair.separated:,} of {pair.rows:,} rows)"
    return f"{pair.first} and {pair.second}{counts if 0 < pair.separated < pair.rows else ''}"


def _conflict_of_many(certificate: Certificate, conflict: Conflict) -> Iterator[str]:
    rows, rivals = [row_number(row) for row in conflict.rows], conflict.rivals or []
    if len(rows) == 1:
        zeros = f"{_why(certificate)}: row {rows[0]} is all zeros"
        yield f"{zeros}, so all its scores are 0 ({counted()})."
        return
    if len(rows) == 2 and conflict.weights == [1, 1] and rivals == conflict.labels[::-1]:
        yield _equal_rows(certificate, conflict)
        return
    several = "" if len(set(rows)) == len(rows) else f", in {len(rows)} comparisons"
    yield (
        f"{_why(certificate)}: {many(len(set(rows)), 'row', 'one')} cannot all have a higher score "
        f"for their own class than for the other class named with them{several} ({counted()})."
    )
    yield (
        "  Take the score of the own class minus that of the other, in each comparison. With fixed "
        "positive weights these differences add up to 0 for every linear rule, so they cannot all "
        "be positive."
    )
    heaviest = ", ".join(
        f"row {row_number(row)} (label {named(label)} against {named(rival)}, {share:.1%})"
        for row, label, rival, share in shares(conflict)[:_SHOWN]
    )
    more = _more(len(rows), "comparison")
    yield f"  The heaviest comparisons, with their share of the total weight: {heaviest}{more}."


def _coefficients_of_many(certificate: Certificate) -> Iterator[str]:
    by_class, last = certificate.class_coefficient_signs, certificate.classes[-1]
    if by_class is None:
        if certificate.separable:
            yield NOT_WORKED_OUT
        return
    yield f"In {_LOGISTIC}, against the reference class {last}:"
    for label, signs in list(by_class.items())[:_SHOWN]:
        yield f"  {label}: {_running(signs)}."
    if len(by_class) > _SHOWN:
        rest = len(by_class) - _SHOWN
        yield f"  and {rest:,} more {'class' if rest == 1 else 'classes'}."
    finite = [label for label, signs in by_class.items() if set(signs.values()) == {"0"}]
    if finite and _apart(certificate, {*finite, last}):
        them = f"{', '.join(finite)} and {last}"
        yield f"The finite ones are those of a regression on the rows of {them} alone."
    yield (
        "What to report instead: rosenblatt.separation in Python, for two classes at a time. One "
        "class against the rest is a different model."
    )


def _running(signs: dict[str, CoefficientSign]) -> str:
    clauses = []
    for sign, meaning in (
        ("+", "to plus infinity"),
        ("-", "to minus infinity"),
        ("±", "to infinity, in directions that the rows do not fix (±)"),
    ):
        names = [name for name, own in signs.items() if own == sign]
        can = "can run" if sign == "±" else "runs" if len(names) == 1 else "run"
        if len(names) == len(signs) > 1:
            return f"all {many(len(names), 'coefficient')} {can} {meaning}"
        if names:
            rest = len(names) - _SHOWN
            more = f" and {rest:,} more" if rest > 0 else ""
            clauses.append(f"{', '.join(names[:_SHOWN])}{more} {can} {meaning}")
    if not clauses:
        return "all coefficients are finite"
    return "; ".join([*clauses, *(["the others are finite"] if "0" in signs.values() else [])])


def _apart(certificate: Certificate, some: set[str]) -> bool:
    """Is each of these classes told apart in every row from each of the others?"""
    return all(
        pair.separated == pair.rows
        for pair in certificate.class_pairs or []
        if (pair.first in some) != (pair.second in some)
    )


# --- A certificate of another family than the logistic one, in words -----------------------------


_MORE_SHOWN = 10  # rows, levels, coefficients
_ALL_SHOWN = 100  # rows
_MODELS = {
    "logistic": "a logistic regression",
    "poisson": "a Poisson regression",
    "ppml": "a Poisson pseudo-maximum-likelihood regression",
    "ordinal": "an ordinal regression",
    "conditional": "a conditional logistic regression",
    "cox": "a Cox regression",
}
_EXACTLY = {  # of the scores x·β, and of the rows that are strictly so
    "logistic": "scores are on the side of the label in {0}, and 0 in the others",
    "poisson": "scores are 0 in every row with a count above 0, and below 0 in {0}; in no row are "
    "they above 0",
    "ordinal": "in one direction of the coefficients and thresholds (a direction of recession) no "
    "row comes nearer to a threshold of its own level, and {0}",
    "conditional": "in no stratum has a row a higher score than the one that was chosen; {0}",
    "cox": "at no time of an event has a row at risk a higher score than one with the event; {0}",
}
_EXACTLY["ppml"] = _EXACTLY["poisson"].replace("a count", "an amount")
_NO_ESTIMATE = "{} has no finite maximum likelihood estimate"


def _verdict_of_family(certificate: Certificate) -> Iterator[str]:
    model, n = _MODELS[certificate.family], certificate.n_rows
    if certificate.absorbed:
        model += f" with effects of {' and '.join(certificate.absorbed)}"
    none = _NO_ESTIMATE.format(model)
    if certificate.verdict == "complete separation":
        yield (
            f"Complete separation: {none}. No row is left that tells how large any coefficient is."
        )
    elif certificate.verdict == "quasi-complete separation":
        rows = certificate.separated_rows
        assert rows is not None
        k = len(rows)
        whole = f"{k:,} of {many(n, 'row', 'one')} {'is' if k == 1 else 'are'} separated"
        some = f": {'row' if k == 1 else 'rows'} {_counted_rows(rows.tolist())}" if k else ""
        if not k:
            whole = "No row is separated in all its comparisons"
        yield f"Quasi-complete separation: {none}. {whole}{some}."
        yield _what_to_do(certificate, k)
        far = many(k, "row", "one")
        if certificate.family in verify.PAIRED:
            differ = "differs from all that it is" if k == 1 else "differ from all that they are"
            far = f"{far} {differ} compared with" if k else "some differ"
        if certificate.family == "ordinal":
            far = f"{far} away from each" if k else "some rows away from one"
        yield f"Exactly: {_EXACTLY[certificate.family].format(far)}."
    elif certificate.verdict == "overlap":
        unique = ", but not a unique one" if certificate.collinear else ""
        yield f"Overlap: {model} has a finite maximum likelihood estimate{unique}."
    elif certificate.separated_rows is not None:
        limits = "; ".join(certificate.limits)
        k = len(certificate.separated_rows)
        yield f"{none[0].upper()}{none[1:]}: {k:,} of {many(n, 'row', 'one')} are separated."
        yield f"Undecided: whether more rows are ({limits})."
    else:
        limits = "; ".join(certificate.limits)
        yield (
            f"Undecided: it is not known whether {model} has a finite maximum likelihood estimate "
            f"({limits})."
        )
        yield f"More time may settle it: {option('time_limit', ...)}."
    yield from _meaning(certificate)


def _counted_rows(rows: list[int]) -> str:
    return f"{first_few([row_number(i) for i in rows], _MORE_SHOWN)} ({counted()})"


def _what_to_do(certificate: Certificate, separated: int) -> str:
    family = certificate.family
    if family == "cox":  # a row may be far at one event, and tied at another
        w = certificate.to_dict()["separator"]
        own = [n for n, v in zip(certificate.feature_names, w, strict=True) if verify.number(v)]
        score, value = "the score that separates (separator in the certificate)", "score"
        if len(own) == 1:
            score, value = own[0], "value"
        return (
            f"What to do: stratify by {score}: in the limit an event is compared only with rows at "
            f"risk that have the same {value}. The finite coefficients are those of that model."
        )
    if family == "ordinal":
        model = "rosenblatt.separation.limiting_model(X, y, family='ordinal')"
        return (
            f"What to report instead: the limit, by {either(model, '--estimates')}, in which the "
            "finite coefficients have their estimates."
        )
    them, mean = ("it", "its mean") if separated == 1 else ("them", "their means")
    limit = f" ({mean} would be 0)" if family in verify.LOG_LINK else ""
    return (
        f"What to do: leave {them} out{limit}, and columns that are then collinear. The finite "
        "coefficients keep their estimates."
    )


def _meaning(certificate: Certificate) -> Iterator[str]:
    """Of the labels."""
    labels, target = certificate.classes, certificate.to_dict()["target"]
    if certificate.family == "ordinal":
        yield f"Levels of {target}, starting with the lowest: {first_few(labels, _MORE_SHOWN)}."
    if certificate.family in verify.PAIRED:
        what = {"cox": "have an event", "conditional": "were chosen"}[certificate.family]
        yield f"Rows with {target} = {labels[-1]} {what}."


def _coefficients_of_family(certificate: Certificate) -> Iterator[str]:
    for factor, levels in (certificate.separated_levels or {}).items():
        if levels:
            has = "one level has" if len(levels) == 1 else f"{len(levels):,} levels have"
            yield f"Of {factor} {has} separated rows only: {first_few(levels, _MORE_SHOWN)}."
    signs = certificate.coefficient_signs
    for sign, meaning in (
        ("+", "diverge to plus infinity"),
        ("-", "diverge to minus infinity"),
        ("±", "diverge to either +∞ or −∞"),
        ("?", "may diverge; it was not decided"),
    ):
        names = [name for name, own in signs.items() if own == sign]
        if names and certificate.separable is not None:
            rest = len(names) - _MORE_SHOWN
            more = f", and {many(rest, 'more coefficient', 'one')}" if rest > 0 else ""
            yield f"These coefficients {meaning}: {', '.join(names[:_MORE_SHOWN])}{more}."


def _collinear_with_factors(certificate: Certificate) -> Iterator[str]:
    """With factors: of a feature that levels, and perhaps others, tell."""
    effects = f"effects of {' and '.join(certificate.absorbed)}"
    for column in certificate.collinear[:_MORE_SHOWN]:
        others = f" and of {first_few(list(column.factors), _MORE_SHOWN)}" if column.factors else ""
        yield (
            f"Collinear: {column.column} is a combination of {effects}{others}, so its coefficient "
            "is not determined. Leave it out."
        )
