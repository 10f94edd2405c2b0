"""A study in a few lines of text: one subject after the other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from rosenblatt._study.document import (
    CARD,
    Beginning,
    Candidate,
    Confusion,
    Data,
    Error,
    Fit,
    OfClass,
    Rule,
    Verdict,
)
from rosenblatt._study.rule import score
from rosenblatt._util.escape import one_line
from rosenblatt._util.spelling import option
from rosenblatt._util.text import many, named

WIDTH = 100  # where there is no terminal
_INDENT = 12
_NAME = 20  # of a candidate, and a space
_LEVELS = 10  # reference levels that are named
_CLASSES = 10  # of many, and pairs of them, that have a line of their own
_PEERS_OF_CARDS = (
    "the rules for comparison use all columns but the ignored ones, with a 0/1 column for every "
    "category as cards have them: without --points their figures are a little different"
)

_CHOSEN_BY = {
    "error": "",
    "cost": ". The rule was chosen by the cost of its errors, not by this rate",
    "balanced": ". The rule was chosen by the balanced error, not by this rate",
}


def wrapped(lines: Iterable[tuple[str, str]], width: int) -> Iterator[tuple[str, str, str]]:
    """Subject, margin and text of each line; the margin names the subject where it begins."""
    before = None
    for subject, words in lines:
        said = one_line(words)
        head = f"{subject if subject != before else '':<{_INDENT}}"
        if subject in ("candidates", "next"):  # a table, and what is copied
            yield subject, head, said
        else:
            room = width - _INDENT
            parts = textwrap.wrap(said, room, break_long_words=False, break_on_hyphens=False)
            for i, line in enumerate(parts):
                yield subject, " " * _INDENT if i else head, line
        before = subject


def all_lines(found: Fit) -> Iterator[tuple[str, str]]:
    """Subject and text of each line."""
    yield from first_lines(found)
    yield from last_lines(found)


def first_lines(found: Beginning) -> Iterator[tuple[str, str]]:
    """What is known before the verdict."""
    yield "core", f"rosenblatt {found['rosenblatt']['version']}, {found['rosenblatt']['core']}"
    yield "data", data_line(found["data"])
    yield "split", found["split"]["sentence"]
    yield from _candidate_lines(found["candidates"], found["asked"]["objective"])
    for name, why in found["not_tried"].items():
        yield "candidates", f"{name:<{_NAME}}not tried: {why}"
    if found["error"] is not None:
        yield "error", error_line(found["error"], found["asked"]["objective"])
    if found["price"] is not None:
        yield "cost", found["price"]["sentence"]
    if found["asked"]["objective"] == "balanced" and found["by_class"]:
        yield "balanced", balanced_line(found["by_class"])
    if found["rule"] is not None:
        yield from _rule_lines(found["rule"])
        if levels := found["rule"]["references"]:
            some = ", ".join(levels[:_LEVELS]) + (", …" if len(levels) > _LEVELS else "")
            yield "levels", f"reference levels of the one-hot encoding, with weight 0: {some}"


def _candidate_lines(candidates: list[Candidate], objective: str) -> Iterator[tuple[str, str]]:
    heads = {"cost": "validation cost a row", "balanced": "balanced"}
    priced = any(c["price"] is not None for c in candidates)
    head = heads.get(objective, "")
    room = max(13, 2 + len(head))
    more = f"{head:>{room}}" if priced else ""
    yield "candidates", f"{'way of training':<{_NAME}}{'train':>8}{'validation':>12}{more}"
    for c in candidates:
        train, n = c["train_errors"] / c["train_n"], c["validation_n"]
        line = f"{c['name']:<{_NAME}}{train:>8.1%}{c['validation_errors'] / n:>12.1%}"
        if priced and c["price"] is not None:
            a_row = c["price"] / n
            line += f"{a_row:>{room}.1%}" if objective == "balanced" else f"{a_row:>{room}.3f}"
        yield "candidates", line + mark_of(c)
    if any(c["name"].startswith(CARD) for c in candidates) and any(c["peer"] for c in candidates):
        yield "", _PEERS_OF_CARDS


def mark_of(c: Candidate) -> str:
    """What is said behind a candidate."""
    marks = {
        "   chosen": c["chosen"],
        "   baseline, never chosen": c["baseline"],
        "   for comparison only": c["peer"],
        "   ahead by less than a standard error": c["passed_over"],
    }
    return next((mark for mark, holds in marks.items() if holds), "")


def balanced_line(classes: list[OfClass]) -> str:
    rates = [1 - c["recall"] for c in classes if c["recall"] is not None]
    k = len(classes)
    return (
        f"{sum(rates) / len(rates):.1%}, the mean of the error rates of the labels (balanced "
        f"error); always saying one label: {1 - 1 / k:.1%}"
    )


def _rule_lines(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "rule", rule["sentence"]
    classes, differences = rule.get("classes", []), rule.get("differences", [])
    for card in classes[:_CLASSES]:
        yield "scores", f"{named(card['label'])}: {score(card)}"
    if len(classes) > _CLASSES:
        yield "scores", f"and {len(classes) - _CLASSES} more: see the report"
    for difference in differences[:_CLASSES]:
        yield "why", difference["sentence"]


def last_lines(found: Fit) -> Iterator[tuple[str, str]]:
    """The errors by class; the verdict, and what comes with it."""
    if found["confusion"] is not None:
        for line in class_lines(found["confusion"]):
            yield "by class", line
    if found["roc"] is not None:
        yield "ranking", found["roc"]["sentence"]
    if found["verdict"] is not None:
        yield "verdict", verdict_line(found["verdict"])
    elif found["unasked"] is not None:
        yield "verdict", found["unasked"]
    if found["forced"] is not None:
        yield "forced", found["forced"]["sentence"]
    if found["opinions"] is not None:
        yield "opinions", found["opinions"]["sentence"]
    if found["progressive"] is not None:
        yield "one pass", found["progressive"]["sentence"]
    if found["training"] is not None:
        yield "training", found["training"]["sentence"]
    if found["proof"] is not None:
        yield "proof", found["proof"]["sentence"]
    for warning in found["data"]["warnings"]:
        yield "warning", warning["sentence"]
    if found["files"]:
        yield "files", files_line(found["files"])
        if found["verdict"] is not None and "certificate" not in found["files"]:
            no_rows = option("no_rows", True)
            yield "files", f"certificate.json is not written: its proof names rows ({no_rows})"
    for command in (found["reproduce"]["predict"], found["reproduce"]["verify"]):
        if command is not None:
            yield "next", command


def data_line(data: Data) -> str:
    labels = list(data["counts"].items())
    counts = ", ".join(f"{named(label)} {count:,}" for label, count in labels[:_CLASSES])
    counts += f" and {len(labels) - _CLASSES} more labels" if len(labels) > _CLASSES else ""
    return (
        f"{data['rows']:,} rows, {many(data['columns'], 'column')} → "
        f"{many(data['n_features'], 'number')}; {data['target']}: {counts}"
    )


def class_lines(confusion: Confusion) -> Iterator[str]:
    """The test errors of each class, in the order of the labels; of many classes those with the
    most of their rows wrong, these first."""
    labels, lines = confusion["labels"], []
    for i, counts in enumerate(confusion["counts"]):
        rows, wrong = sum(counts), sum(counts) - counts[i]
        if not rows:
            continue
        said = f"{named(labels[i])}: {wrong:,} of {rows:,} test rows wrong ({wrong / rows:.1%})"
        if wrong:
            most = max((j for j in range(len(labels)) if j != i), key=counts.__getitem__)
            part = "" if counts[most] == wrong else f"{counts[most]:,} of them "
            said += f", {part}called {named(labels[most])}"
        lines.append((-wrong / rows, i, said))
    if len(lines) > _CLASSES:
        lines.sort()
    yield from (said for *_, said in lines[:_CLASSES])
    if len(lines) > _CLASSES:
        yield f"and {len(lines) - _CLASSES} more: see the report"


def error_line(error: Error, objective: str) -> str:
    lo, hi = error["interval"]
    always = error["majority_errors"] / error["test_n"]
    return (
        f"{error['rate']:.1%} ({error['test_errors']:,} of {error['test_n']:,} test rows), "
        f"{100 * error['confidence']:g} % interval {lo:.1%} to {hi:.1%}; "
        f"always saying {named(error['majority_label'])}: {always:.1%}{_CHOSEN_BY[objective]}"
    )


def verdict_line(verdict: Verdict) -> str:
    """It is about the whole table, and the next line about the rows that trained."""
    rows = f", {verdict['rows']:,} rows" if verdict["separable"] is None else ""
    return f"(the whole table{rows}) {verdict['sentence']}"


def files_line(files: dict[str, str]) -> str:
    """The one to open first."""
    names = [Path(path).name for kind, path in files.items() if kind != "report"]
    return f"{files['report']}, with {' and '.join(names)} beside it"
