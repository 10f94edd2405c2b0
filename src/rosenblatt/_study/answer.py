"""The study in two sentences: how good the rule is, and what to know before it is believed."""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt._util.text import listed, named
from rosenblatt.report.document import Answer, Cost, Effect, Error, OfClass, Warned

_MISSED = 0.5  # a label of which a larger share is called otherwise is spoken of
_NAMED = 2
_FIRST = {  # what stands first where it was warned of
    "worse": "Worse than by guessing",
    "no better": "Not shown to be better than by guessing",
}


def answer(
    objective: str,
    error: Error | None,
    cost: Cost | None,
    by_class: Sequence[OfClass],
    warnings: Sequence[Warned],
) -> Answer | None:
    if error is None:
        return None
    kinds = {warned["kind"] for warned in warnings}
    short = next((_FIRST[kind] for kind in _FIRST if kind in kinds), "Better than by guessing")
    if error["interval"] is None:
        short = "No interval, so it may be chance"
    sentence = _wrong(error)
    if objective == "balanced" and by_class:
        short, sentence = _balanced(by_class)
    elif cost is not None and objective == "cost":
        sentence = _costing(cost, error["test_n"])
    return {"short": short, "sentence": sentence, "caution": _caution(by_class, warnings)}


def _balanced(by_class: Sequence[OfClass]) -> tuple[str, str]:
    rates = [1 - one["recall"] for one in by_class if one["recall"] is not None]
    mean, same = sum(rates) / len(rates), 1 - 1 / len(by_class)
    short = "Better than by guessing" if mean < same else _FIRST["no better"]
    return short, (
        f"on the test rows, which it had never seen, {mean:.1%} of a label's rows are wrong on "
        f"average over the labels; always the same answer: {same:.1%}."
    )


def _wrong(error: Error) -> str:
    n, ends = error["test_n"], error["interval"]
    between = f", between {ends[0]:.1%} and {ends[1]:.1%}" if ends else ""
    always = f"always saying {named(error['majority_label'])} would be wrong on"
    return (
        f"{error['rate']:.1%} of the {n:,} test rows, which it had never seen, are wrong{between}; "
        f"{always} {error['majority_errors'] / n:.1%}."
    )


def _costing(cost: Cost, n: int) -> str:
    ends, label = cost["interval"], min(cost["always"], key=cost["always"].__getitem__)
    between = f", between {ends[0]:.3g} and {ends[1]:.3g}" if ends else ""
    return (
        f"the errors on the {n:,} test rows, which it had never seen, cost {cost['per_row']:.3g} "
        f"a row{between}; always saying {named(label)} would cost "
        f"{cost['always'][label] / n:.3g}."
    )


def _caution(by_class: Sequence[OfClass], warnings: Sequence[Warned]) -> str | None:
    for warned in warnings:
        if warned["kind"] == "revealing":
            return _too_good(warned["columns"], warned.get("effect"))
    missed = [one for one in by_class if one["recall"] is not None and one["recall"] < 1 - _MISSED]
    if missed:
        parts = [
            f"{one['errors']:,} of the {one['rows']:,} rows labelled {named(one['label'])}"
            for one in missed
        ]
        return f"But it misses {listed(parts, _NAMED)}."
    return None


def _too_good(columns: list[str], effect: Effect | None) -> str:
    tell, it, they = "tell", "they are", "them"
    if len(columns) == 1:
        tell, it, they = "tells", "it is", "it"
    rate = f": without {they}, {effect['rate']:.1%} are wrong" if effect else ""
    which = " and ".join(columns) if len(columns) == _NAMED else listed(columns, _NAMED)
    return (
        f"But {which} {tell} almost everything. If {it} known only afterwards, this is too "
        f"good{rate}."
    )
