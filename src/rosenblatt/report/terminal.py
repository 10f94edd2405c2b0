"""A result in a few lines of text: what the terminal shows of each section, and a study printed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rosenblatt._util.spelling import option
from rosenblatt._util.text import many, named, number, one_line
from rosenblatt.data.naming import is_number
from rosenblatt.report.document import (
    CARD,
    FIRST_SECTIONS,
    LAST_SECTIONS,
    Beginning,
    Candidate,
    ClassRule,
    Confusion,
    Data,
    Fit,
    Section,
    Term,
)

WIDTH = 100  # where there is no terminal
_INDENT = 12
_NAME = 20  # of a candidate, and a space
_LEVELS = 10  # reference levels that are named
SHOWN = 4  # terms of a sum
_CLASSES = 10  # of many, and pairs of them, that have a line of their own

_CHOSEN_BY = {
    "error": "",
    "cost": ". The rule was chosen by the cost of its errors, not by this rate",
    "balanced": ". The rule was chosen by the balanced error, not by this rate",
}

Line = tuple[str, str]  # the subject, and what is said of it


def wrapped(lines: Iterable[Line], width: int) -> Iterator[tuple[str, str, str]]:
    """Subject, margin and text of each line; the margin names the subject where it begins."""
    before = None
    for subject, text in lines:
        line = one_line(text)
        head = f"{subject if subject != before else '':<{_INDENT}}"
        if subject in ("candidates", "next"):  # a table, and what is copied
            yield subject, head, line
        else:
            room = width - _INDENT
            parts = textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
            for i, part in enumerate(parts):
                yield subject, " " * _INDENT if i else head, part
        before = subject


def _baselines_of_cards() -> str:
    return (
        "the rules for comparison use all columns but the ignored ones, with a 0/1 column for "
        f"every category as cards have them: without {option('points')} their figures are a "
        "little different"
    )


def all_lines(document: Fit) -> Iterator[Line]:
    """Subject and text of each line."""
    yield from first_lines(document)
    yield from last_lines(document)


def first_lines(document: Beginning) -> Iterator[Line]:
    """What is known before the verdict."""
    return _lines(FIRST_SECTIONS, document)


def last_lines(document: Fit) -> Iterator[Line]:
    """The errors by class; the verdict, and what comes with it."""
    return _lines(LAST_SECTIONS, document)


def _lines(sections: Iterable[Section], document: Mapping[str, Any]) -> Iterator[Line]:
    for section in sections:
        if section.subject is None:
            continue
        if section.name in _LINES:
            for line in _LINES[section.name](document):
                yield line if isinstance(line, tuple) else (section.subject, line)
        elif document[section.name] is not None:
            yield section.subject, document[section.name]["sentence"]


# --- Sections that say more than a sentence ------------------------------------------------------


def _core(document: Any) -> Iterator[str]:
    yield f"rosenblatt {document['rosenblatt']['version']}, {document['rosenblatt']['core']}"


def _data(document: Any) -> Iterator[str]:
    data: Data = document["data"]
    labels = list(data["counts"].items())
    counts = ", ".join(f"{named(label)} {count:,}" for label, count in labels[:_CLASSES])
    counts += f" and {len(labels) - _CLASSES} more labels" if len(labels) > _CLASSES else ""
    repeats = data.get("repeated", 0)
    repeated = f" ({repeats:,} of them repeat the values of another row)" if repeats else ""
    yield (
        f"{data['rows']:,} rows{repeated}, {many(data['columns'], 'column')} → "
        f"{many(data['n_features'], 'number')}; {data['target']}: {counts}"
    )


def _candidates(document: Any) -> Iterator[str | Line]:
    candidates: list[Candidate] = document["candidates"]
    objective = document["asked"]["objective"]
    priced = any(c["price"] is not None for c in candidates)
    head = {"cost": "validation cost a row", "balanced": "balanced"}.get(objective, "")
    room = max(13, 2 + len(head))
    more = f"{head:>{room}}" if priced else ""
    yield f"{'way of training':<{_NAME}}{'train':>8}{'validation':>12}{more}"
    for c in candidates:
        train, n = c["train_errors"] / c["train_n"], c["validation_n"]
        line = f"{c['name']:<{_NAME}}{train:>8.1%}{c['validation_errors'] / n:>12.1%}"
        if priced and c["price"] is not None:
            a_row = c["price"] / n
            line += f"{a_row:>{room}.1%}" if objective == "balanced" else f"{a_row:>{room}.3f}"
        yield line + _mark(c)
    for name, why in document["not_tried"].items():
        yield f"{name:<{_NAME}}not tried: {why}"


def _mark(c: Candidate) -> str:
    """What stands behind a candidate."""
    marks = {
        "   chosen": c["chosen"],
        "   baseline, never chosen": c["baseline"],
        "   ahead by less than a standard error": c["passed_over"],
    }
    return next((mark for mark, holds in marks.items() if holds), "")


def _error(document: Any) -> Iterator[str]:
    error = document["error"]
    if error is None:
        return
    always = error["majority_errors"] / error["test_n"]
    yield (
        f"{error['rate']:.1%} ({error['test_errors']:,} of {error['test_n']:,} test rows), "
        f"{error['interval_words']}; always saying "
        f"{named(error['majority_label'])}: {always:.1%}"
        f"{_CHOSEN_BY[document['asked']['objective']]}"
    )


def _comparisons(document: Any) -> Iterator[str]:
    """What other methods make of the same rows; always saying one label stands beside the error."""
    others = document["comparisons"][1:]
    if others:
        rates = [f"{c['name']} {c['test_errors'] / c['test_n']:.1%}" for c in others]
        yield f"{', '.join(rates)}, trained on the same rows and wrong on the same test rows"
        if any(c["name"].startswith(CARD) for c in document["candidates"]):
            yield _baselines_of_cards()


def _balanced(document: Any) -> Iterator[str]:
    classes = document["by_class"]
    if document["asked"]["objective"] != "balanced" or not classes:
        return
    rates = [1 - c["recall"] for c in classes if c["recall"] is not None]
    yield (
        f"{sum(rates) / len(rates):.1%}, the mean of the error rates of the labels (balanced "
        f"error); always saying one label: {1 - 1 / len(classes):.1%}"
    )


def _rule(document: Any) -> Iterator[str | Line]:
    rule = document["rule"]
    if rule is None:
        return
    yield rule["sentence"]
    classes, differences = rule.get("classes", []), rule.get("differences", [])
    for of_class in classes[:_CLASSES]:
        yield "scores", f"{named(of_class['label'])}: {score(of_class)}"
    if len(classes) > _CLASSES:
        yield "scores", f"and {len(classes) - _CLASSES} more: see the report"
    for difference in differences[:_CLASSES]:
        yield "why", difference["sentence"]
    if levels := rule["references"]:
        some = ", ".join(levels[:_LEVELS]) + (", …" if len(levels) > _LEVELS else "")
        yield "levels", f"reference levels of the one-hot encoding, with weight 0: {some}"


# --- Sums in words -------------------------------------------------------------------------------


def column(name: str) -> str:
    """A name that is a number is quoted: 25·0 would be read as a product."""
    return repr(name) if is_number(name) else name


def weighted_sum(terms: Sequence[Term], n_terms: int) -> str:
    """2.5·age − 0.3·[owner = yes] + … (3 more); the first terms are the heaviest."""
    if not terms:
        return "0"
    text = ""
    for term in terms[:SHOWN]:
        name = f"[{term['feature']}]" if term["indicator"] else column(term["feature"])
        sign = "−" if term["weight"] < 0 else "+" if text else ""
        text += f" {sign} " if text else sign
        text += f"{number(abs(term['weight']), digits=3)}·{name}"
    rest = n_terms - SHOWN
    return text + (f" + … ({rest:,} more)" if rest > 0 else "")


def score(of_class: ClassRule) -> str:
    """The score of a class, for numbers as they stand in the table."""
    constant = of_class["constant"]
    total = weighted_sum(of_class["terms"], of_class["n_terms"])
    return f"{total} {'−' if constant < 0 else '+'} {number(abs(constant), digits=3)}"


def class_lines(confusion: Confusion) -> Iterator[str]:
    """The test errors of each class, in the order of the labels; of many classes those with the
    most of their rows wrong, these first."""
    labels, lines = confusion["labels"], []
    for i, counts in enumerate(confusion["counts"]):
        rows, wrong = sum(counts), sum(counts) - counts[i]
        if not rows:
            continue
        line = f"{named(labels[i])}: {wrong:,} of {rows:,} test rows wrong ({wrong / rows:.1%})"
        if wrong:
            most = max((j for j in range(len(labels)) if j != i), key=counts.__getitem__)
            part = "" if counts[most] == wrong else f"{counts[most]:,} of them "
            line += f", {part}called {named(labels[most])}"
        lines.append((-wrong / rows, i, line))
    if len(lines) > _CLASSES:
        lines.sort()
    yield from (line for *_, line in lines[:_CLASSES])
    if len(lines) > _CLASSES:
        yield f"and {len(lines) - _CLASSES} more: see the report"


def _confusion(document: Any) -> Iterator[str]:
    if document["confusion"] is not None:
        yield from class_lines(document["confusion"])


def _verdict(document: Any) -> Iterator[str]:
    """About the whole table; the line after it is about the rows that trained."""
    verdict = document["verdict"]
    if verdict is not None:
        rows = f", {verdict['rows']:,} rows" if verdict["separable"] is None else ""
        yield f"(the whole table{rows}) {verdict['sentence']}"
    elif document["unasked"] is not None:
        yield document["unasked"]


def _warnings(document: Any) -> Iterator[str]:
    for warning in document["data"]["warnings"]:
        yield warning["sentence"]


def _files(document: Any) -> Iterator[str]:
    """The report, to be opened first, and what else was written."""
    files = document["files"]
    if not files:
        return
    names = [Path(path).name for kind, path in files.items() if kind != "report"]
    yield f"{files['report']}, with {' and '.join(names)} beside it"
    if document["verdict"] is not None and "certificate" not in files:
        no_rows = option("no_rows", True)
        yield f"certificate.json is not written: its proof names rows ({no_rows})"


def _commands(document: Any) -> Iterator[str]:
    for command in (document["reproduce"]["predict"], document["reproduce"]["verify"]):
        if command is not None:
            yield command


_LINES: dict[str, Callable[[Any], Iterator[str | Line]]] = {
    "rosenblatt": _core,
    "data": _data,
    "candidates": _candidates,
    "error": _error,
    "comparisons": _comparisons,
    "by_class": _balanced,
    "rule": _rule,
    "confusion": _confusion,
    "verdict": _verdict,
    "warnings": _warnings,
    "files": _files,
    "reproduce": _commands,
}
