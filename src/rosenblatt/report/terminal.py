"""A result in a few lines of text: what the terminal shows, and a study printed.

First what a person needs before anything is believed, then the error and what it consists of, the
rule, what is proved, and the next command. `detail_lines` has the rest.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rosenblatt import verify
from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import clip, many, named, number, one_line, width_of
from rosenblatt.data.naming import is_number
from rosenblatt.report.document import (
    CARD,
    Candidate,
    CardBeside,
    ClassRule,
    ComparedOnTest,
    Confusion,
    Data,
    Fit,
    Split,
    Term,
)

WIDTH = 100  # where there is no terminal
_INDENT = 12
_NAME = 20  # of a candidate, and a space
_LEVELS = 10  # reference levels that are named
_SHOWN = 4  # terms of a sum that has more than _WHOLE
_WHOLE = 12
_CLASSES = 3  # of many: with a line of their own
_COUNTED = 6  # labels whose rows are counted
_SCORES = 10  # of many classes, with -v
_TABLE = 4  # classes that make a small table
_CELL = 24  # characters of a label there

# What matters most comes first.
_GRAVE = (
    "revealing",
    "like groups",
    "worse",
    "no better",
    "missed",
    "unlike validation",
    "repeated",
    "header",
)

Line = tuple[str, str]  # the subject, and what is said of it
# A table, and what is copied: their lines stay as they are.
_AS_IT_IS = frozenset({"", "Rerun", "Next", "Candidates", "Again"})
OTHERS = {"logistic": "logistic regression", "boosting": "gradient boosting"}


def wrapped(lines: Iterable[Line], width: int) -> Iterator[tuple[str, str, str]]:
    """Subject, margin and text of each line; the margin names the subject where it begins."""
    before = None
    for subject, text in lines:
        line = one_line(text)
        if not subject:
            yield "", "", line
        else:
            # each warning stands by itself
            again = subject == before and subject not in ("Warning", "Note")
            head = f"{'' if again else subject:<{_INDENT}}"
            room = width - _INDENT
            parts = [line]
            if subject not in _AS_IT_IS:
                parts = textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
            for i, part in enumerate(parts):
                yield subject, " " * _INDENT if i else head, part
        before = subject


def short_lines(document: Fit) -> Iterator[Line]:
    """Subject and text of each line; a line without a subject is a part of a table, or empty."""
    yield from _warnings(document)
    yield "", _data(document["data"])
    yield "", _split(document["split"]) + _more_rows(document)
    yield "", ""
    if document["error"] is not None:
        yield from _errors(document)
        yield "", ""
    if document["confusion"] is not None:
        yield from _which(document["confusion"])
        yield "", ""
    yield from _rule(document)
    yield "Limit", _limit(document)
    if (price := document["price"]) is not None:
        yield "Signs", price["sentence"]
    if files := document["files"]:
        yield "Report", files["report"]
        if document["verdict"] is not None and "certificate" not in files:
            private = option("private", True)
            yield "Report", f"certificate.json is not written: its proof names rows ({private})"
    yield from _next(document)


def detail_lines(document: Fit) -> Iterator[Line]:
    """What `short_lines` leaves out."""
    for subject, shown in _DETAILS.items():
        if callable(shown):
            yield from ((subject, line) for line in shown(document))
        elif (part := dict(document)[shown]) is not None:
            assert isinstance(part, dict)
            yield subject, part["sentence"]


# --- What is always shown ------------------------------------------------------------------------


def _warnings(document: Fit) -> Iterator[Line]:
    warnings = document["data"]["warnings"]
    last = len(_GRAVE)

    def gravity(warned: Any) -> int:
        return _GRAVE.index(warned["kind"]) if warned["kind"] in _GRAVE else last

    for warned in sorted(warnings, key=gravity):
        yield "Note" if warned["kind"] in ("dates", "quantities") else "Warning", warned["sentence"]
    if advised := document["reproduce"]["advised"]:
        yield "Rerun", advised
    if warnings:
        yield "", ""


def _data(data: Data) -> str:
    """credit.csv: 1,319 rows, 9 columns; card: yes 1,023 (77.6%), no 296 (22.4%)."""
    files, rows = data["files"], data["rows"]
    table = (
        f"{Path(files[0]).name if len(files) == 1 else many(len(files), 'file')}: " if files else ""
    )
    labels = sorted(data["counts"].items(), key=lambda item: -item[1])
    counts = [f"{named(label)} {k:,} ({k / rows:.1%})" for label, k in labels[:_COUNTED]]
    more = len(labels) - _COUNTED
    counts += [f"{more} more labels"] if more > 0 else []
    repeats = data.get("repeated", 0)
    repeated = f" ({repeats:,} repeat another row)" if repeats else ""
    return (
        f"{table}{rows:,} rows{repeated}, {many(data['columns'], 'column')}; {data['target']}: "
        f"{', '.join(counts)}"
    )


def _split(split: Split) -> str:
    together = f"; rows with the same {split['group']} stay together" if split["group"] else ""
    seed = f" (seed {split['seed']}{together})"
    if split["folds"] is not None:
        return (
            f"Tested by {split['folds']}-fold cross-validation, each row by a rule that never saw "
            f"it{seed}"
        )
    known, test = split["learned_from"], split["test"]
    if split["time"]:
        since = f", from {split['tested_from']} on" if split["tested_from"] else ""
        return (
            f"Trained on the earliest {known:,} rows by {split['time']}, tested once on the latest "
            f"{test:,}{since} (seed {split['seed']})"
        )
    return f"Trained on {known:,} rows, tested once on {test:,} others{seed}"


def _more_rows(document: Fit) -> str:
    """How every row tests, where few do and no warning says so."""
    by_all = document["split"].get("tested_by_all")
    said = any("cv" in warned["advice"] for warned in document["data"]["warnings"])
    return "" if by_all is None or said else f"; {by_all} tests on every row"


def _errors(document: Fit) -> Iterator[Line]:
    """The test error, or first the cost or the balanced error where that decided, beside what else
    was tried on the same rows."""
    error, cost, others = document["error"], document["cost"], document["comparisons"][1:]
    assert error is not None
    n, by = error["test_n"], document["asked"]["objective"]
    constant, of_constant = f"always {named(error['majority_label'])}", error["majority_errors"] / n
    wrong = f"{error['test_errors']:,} of {n:,} rows wrong; {error['interval_words']}"
    rate = f"{error['rate']:>5.1%}  {wrong}; {constant}: {of_constant:.1%}"

    def figure(value: float | None) -> str:
        return number(value, 3) if by == "cost" else f"{value:.1%}"

    def measured(other: ComparedOnTest | CardBeside) -> str:
        return figure(other["test_errors"] / n if by == "error" else other["cost"])

    head, own, what = "Test error", error["rate"], wrong
    if cost is not None and by == "cost":
        head, own, cheapest = "Test cost", cost["per_row"], cost["baseline"]
        what = f"a row ({number(cost['total'])} for {n:,} test rows); {cost['interval_words']}"
        constant, of_constant = f"always {named(cheapest['label'])}", cheapest["per_row"]
    elif (balanced := document["balanced"]) is not None:
        head, own = "Balanced", balanced["rate"]
        what = f"balanced error of {n:,} test rows; {balanced['interval_words']}"
        constant, of_constant = "always the same label", balanced["baseline"]
    yield head, f"{figure(own):>5}  {what}"
    if by != "error":
        yield head, document["asked"]["meaning"] or ""
    same = f"{constant}, on the same rows"
    if cost is not None and by == "cost" and len(cost["always"]) == 2:
        for label, total in cost["always"].items():
            if label != cost["baseline"]["label"]:
                same += f"; always {named(label)}: {figure(total / n)}"
    for other in others:
        if other["column"]:
            value = other["test_errors"] / n if by == "error" else other["cost"]
            beside = "" if value is None else _beside(value, own)
            same += f"; {other['name']}: {measured(other)}{beside}"
    yield "Compared", f"{figure(of_constant):>5}  {same}"
    whole = [other for other in others if not other["column"]]
    for other in whole:
        name = OTHERS.get(other["name"], other["name"])
        yield "Compared", f"{measured(other):>5}  {name}"
    if (card := document["card"]) is not None:
        of = many(len(card["terms"]), "term")
        words = f"a card of {of}, to be added up by hand: {option('scorecard', True)}"
        yield "Compared", f"{measured(card):>5}  {words}"
    if whole and any(c["name"].startswith(CARD) for c in document["candidates"]):
        yield "", f"{' ' * _INDENT}{_NOT_CARDS}"
    left_out: dict[str, list[str]] = {}
    for name, why in document["not_tried"].items():
        if name in OTHERS:
            left_out.setdefault(why, []).append(OTHERS[name])
    for why, names in left_out.items():
        yield "Compared", f"{' and '.join(names)} not tried: {why}"
    if by != "error":
        yield "Test error", rate
    if cost is not None and by != "cost":
        yield "Cost", cost["sentence"]


def _beside(one_column: float, rule: float) -> str:
    """Whether many weights are worth more than a single column, on these test rows."""
    if one_column > rule:
        return ""
    return ", better than the rule" if one_column < rule else ", as good"


_NOT_CARDS = "(these use every column, with a weight of its own)"


def _which(confusion: Confusion) -> Iterator[Line]:
    """A small table; of many classes those with the most of their rows wrong."""
    labels, counts = confusion["labels"], confusion["counts"]
    if len(labels) > _TABLE:
        yield from (("By class", line) for line in class_lines(confusion))
        return
    names = [clip(one_line(named(label)), _CELL) for label in labels]
    first = max(_INDENT, *(width_of(name) + len("actual ") for name in names))
    heads = [f"predicted {name}" for name in names]
    yield "", " " * first + "".join(f"  {head}" for head in heads)
    for i, row in enumerate(counts):
        name, wrong = f"actual {names[i]}", sum(row) - row[i]
        cells = (f"{k:>{len(head) + 2},}" for k, head in zip(row, heads, strict=True))
        rate = f"   {wrong / sum(row):>5.1%} wrong" if sum(row) else ""
        yield "", name + " " * (first - width_of(name)) + "".join(cells) + rate


def class_lines(confusion: Confusion) -> Iterator[str]:
    """The test errors of the classes that have the most of their rows wrong, these first."""
    labels, lines = confusion["labels"], []
    for i, counts in enumerate(confusion["counts"]):
        rows, wrong = sum(counts), sum(counts) - counts[i]
        if not wrong:
            continue
        most = max((j for j in range(len(labels)) if j != i), key=counts.__getitem__)
        part = "" if counts[most] == wrong else f"{counts[most]:,} of them "
        line = (
            f"actual {named(labels[i])}: {wrong:,} of {rows:,} wrong ({wrong / rows:.1%}), {part}"
            f"predicted {named(labels[most])}"
        )
        lines.append((-wrong / rows, i, line))
    lines.sort()
    yield from (line for *_, line in lines[:_CLASSES])
    if len(lines) > _CLASSES:
        more = many(len(lines) - _CLASSES, "other label")
        yield f"and {more} with errors: see the report"


def _rule(document: Fit) -> Iterator[Line]:
    rule = document["rule"]
    if rule is None:
        return
    where = f" (they are in the report{either('', ', and shown with -v')})"
    yield "Rule", rule["sentence"] + (where if rule.get("classes") else "")


def _limit(document: Fit) -> str:
    """What is proved about all linear rules, in a sentence."""
    verdict, forced = document["verdict"], document["forced"]
    if verdict is None:
        return document["unasked"] or "not decided: interrupted"
    rows, kind = verdict["rows"], verdict["verdict"]
    endless = list(verdict["infinite_coefficients"] or {})
    if kind == "complete separation":
        return (
            f"a linear rule is right about all {rows:,} rows (proved): a logistic regression has "
            "no finite estimate"
        )
    if kind == verify.CHANCE:
        return f"almost certainly no linear rule is right about all {rows:,} rows (up to chance)"
    if verdict["separable"] is None:
        return (
            f"undecided whether a linear rule is right about all {rows:,} rows: more time may "
            f"settle it ({option('time_limit', ...)})"
        )
    none = f"no linear rule is right about all {rows:,} rows (proved)"
    if kind == "quasi-complete separation":
        which = f" ({', '.join(endless[:_SHOWN])}{', ...' * (len(endless) > _SHOWN)})"
        return f"{none}; a logistic regression has infinite coefficients{which if endless else ''}"
    if forced is None or not forced["at_least"]:
        return none
    least, found = forced["at_least"], forced["errors"]
    if least == found:
        return f"every linear rule is wrong about at least {least:,} of all {rows:,} rows (proved)"
    longer = either("minimum_errors", "certify --min-errors")
    return (
        f"every linear rule is wrong about at least {least:,} of all {rows:,} rows (proved); the "
        f"best one found is wrong about {found:,}. {longer} searches longer for both"
    )


def _next(document: Fit) -> Iterator[Line]:
    if (command := document["reproduce"]["predict"]) is not None:
        yield "Next", command


# --- What is shown when asked for ----------------------------------------------------------------


def _core(document: Any) -> Iterator[str]:
    yield f"rosenblatt {document['rosenblatt']['version']}, {document['rosenblatt']['core']}"


def _candidates(document: Any) -> Iterator[str]:
    candidates: list[Candidate] = document["candidates"]
    objective = document["asked"]["objective"]
    with_costs = any(c["cost"] is not None for c in candidates)
    head = {"cost": "validation cost a row", "balanced": "balanced"}.get(objective, "")
    room = max(13, 2 + len(head))
    more = f"{head:>{room}}" if with_costs else ""
    yield f"{'way of training':<{_NAME}}{'train':>8}{'validation':>12}{more}"
    for c in candidates:
        train, n = c["train_errors"] / c["train_n"], c["validation_n"]
        line = f"{c['name']:<{_NAME}}{train:>8.1%}{c['validation_errors'] / n:>12.1%}"
        if with_costs and c["cost"] is not None:
            a_row = c["cost"] / n
            line += f"{a_row:>{room}.1%}" if objective == "balanced" else f"{a_row:>{room}.3f}"
        yield line + _mark(c)
    for name, why in document["not_tried"].items():
        yield f"{name:<{_NAME}}not tried: {why}"


def _mark(c: Candidate) -> str:
    """What stands behind a candidate."""
    marks = {
        "   chosen": c["chosen"],
        "   baseline, never chosen": c["baseline"],
        "   ahead by too little": c["passed_over"],
    }
    return next((mark for mark, holds in marks.items() if holds), "")


def _rule_in_full(document: Any) -> Iterator[str]:
    """Of many classes their scores, and what decides between neighbours; reference levels."""
    rule = document["rule"] or {}
    classes = rule.get("classes", [])
    for of_class in classes[:_SCORES]:
        yield f"{named(of_class['label'])}: {score(of_class)}"
    if len(classes) > _SCORES:
        yield f"and {len(classes) - _SCORES} more: see the report"
    for difference in rule.get("differences", [])[:_SCORES]:
        yield difference["sentence"]
    if levels := rule.get("references"):
        some = ", ".join(levels[:_LEVELS]) + (", ..." if len(levels) > _LEVELS else "")
        yield f"reference levels of the one-hot encoding, with weight 0: {some}"


def _verdict(document: Any) -> Iterator[str]:
    """About the whole table; the line after it is about the rows that trained."""
    verdict = document["verdict"]
    if verdict is not None:
        rows = f", {verdict['rows']:,} rows" if verdict["separable"] is None else ""
        yield f"(the whole table{rows}) {verdict['sentence']}"


def _files(document: Any) -> Iterator[str]:
    files = document["files"]
    if not files:
        return
    names = [Path(path).name for kind, path in files.items() if kind != "report"]
    yield f"{files['report']}, with {' and '.join(names)} beside it"


def _again(document: Any) -> Iterator[str]:
    again = document["reproduce"]
    for command in (again["command"], again["verify"], again["export"]):
        if command is not None:
            yield command


# What makes the lines of a section, or whose sentence is all that is shown.
_DETAILS: dict[str, str | Callable[[Any], Iterator[str]]] = {
    "Core": _core,
    "Split": "split",
    "Candidates": _candidates,
    "Rule": _rule_in_full,
    "Card": "card",
    "Ranking": "roc",
    "Calibration": "calibration",
    "Verdict": _verdict,
    "Signs": "price",
    "Forced": "forced",
    "Opinions": "opinions",
    "One pass": "progressive",
    "Training": "training",
    "Proof": "proof",
    "Files": _files,
    "Again": _again,
}


# --- Sums in words, in characters that any keyboard has -------------------------------------------


def column(name: str) -> str:
    """A name that is a number is quoted: 25*0 would be read as a product."""
    return repr(name) if is_number(name) else name


def plain(value: float) -> str:
    """To three digits, as programs and spreadsheets read numbers."""
    whole = abs(value) >= 1000 and abs(value) < 1e15
    return f"{value:.0f}" if whole else f"{value:.3g}"


def weighted_sum(terms: Sequence[Term], n_terms: int) -> str:
    """2.5*age - 0.3*[owner=yes] + ... (30 more); the first terms are the heaviest."""
    if not terms:
        return "0"
    text = ""
    shown = terms if n_terms <= _WHOLE else terms[:_SHOWN]
    for term in shown:
        name = f"[{term['feature']}]" if term["indicator"] else column(term["feature"])
        sign = "-" if term["weight"] < 0 else "+" if text else ""
        text += f" {sign} " if text else sign
        text += f"{plain(abs(term['weight']))}*{name}"
    rest = n_terms - len(shown)
    return text + (f" + ... ({rest:,} more)" if rest > 0 else "")


def score(of_class: ClassRule) -> str:
    """The score of a class, for numbers as they stand in the table."""
    constant = of_class["constant"]
    total = weighted_sum(of_class["terms"], of_class["n_terms"])
    return f"{total} {'-' if constant < 0 else '+'} {plain(abs(constant))}"
