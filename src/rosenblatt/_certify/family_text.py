"""What a certificate of another family than the logistic one says, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt import verify
from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import counted, first_few, many, row_number

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate

_SHOWN = 10  # rows
MODELS = {
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
    "ordinal": "scores and thresholds move no row towards a threshold of its level, and {0}",
    "conditional": "in no stratum has a row a higher score than the one that was chosen; {0}",
    "cox": "at no time of an event has a row at risk a higher score than one with the event; {0}",
}
_EXACTLY["ppml"] = _EXACTLY["poisson"].replace("a count", "an amount")
_NO_ESTIMATE = "{} has no finite maximum likelihood estimate"


def verdict(certificate: Certificate) -> Iterator[str]:
    model, n = MODELS[certificate.family], certificate.n_rows
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
        some = f": {'row' if k == 1 else 'rows'} {_listed(rows.tolist())}" if k else ""
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


def _listed(rows: list[int]) -> str:
    return f"{first_few([row_number(i) for i in rows], _SHOWN)} ({counted()})"


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
        yield f"Levels of {target}, from the lowest on: {first_few(labels, _SHOWN)}."
    if certificate.family in verify.PAIRED:
        what = {"cox": "have an event", "conditional": "were chosen"}[certificate.family]
        yield f"Rows with {target} = {labels[-1]} {what}."


def coefficients(certificate: Certificate) -> Iterator[str]:
    for factor, levels in (certificate.separated_levels or {}).items():
        if levels:
            has = "one level has" if len(levels) == 1 else f"{len(levels):,} levels have"
            yield f"Of {factor} {has} separated rows only: {first_few(levels, _SHOWN)}."
    signs = certificate.coefficient_signs
    for sign, meaning in (
        ("+", "diverge to plus infinity"),
        ("-", "diverge to minus infinity"),
        ("±", "may diverge either way"),
        ("?", "may diverge; it was not decided"),
    ):
        names = [name for name, own in signs.items() if own == sign]
        if names and certificate.separable is not None:
            rest = len(names) - _SHOWN
            more = f", and {many(rest, 'more coefficient', 'one')}" if rest > 0 else ""
            yield f"These coefficients {meaning}: {', '.join(names[:_SHOWN])}{more}."


def collinear(certificate: Certificate) -> Iterator[str]:
    """With factors: of a feature that levels, and perhaps others, tell."""
    effects = f"effects of {' and '.join(certificate.absorbed)}"
    for column in certificate.collinear[:_SHOWN]:
        others = f" and of {first_few(list(column.factors), _SHOWN)}" if column.factors else ""
        yield (
            f"Collinear: {column.column} is a combination of {effects}{others}, so its coefficient "
            "is not determined. Leave it out."
        )
