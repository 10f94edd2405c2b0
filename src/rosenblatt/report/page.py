"""The page, made of the document: choices, pictures, words, and the proof that it checks."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChainableUndefined, Environment, PackageLoader
from markupsafe import Markup

from rosenblatt import verify
from rosenblatt._util.palette import css
from rosenblatt._util.text import (
    clip,
    counted,
    many,
    named,
    number,
    percent,
    row_number,
    sentence,
    shown,
    signed,
)
from rosenblatt.play.bundle import bundled
from rosenblatt.play.html_page import asset
from rosenblatt.report.charts import CHARTS, Charts
from rosenblatt.report.document import SECTIONS

FORMULA_TERMS = 8
HEAVIEST = 20
LISTED = 500  # lines of a folded table: more make a page that no one reads and mail refuses
HARD_COLUMNS = 9
THRESHOLDS = 12


@cache
def environment() -> Environment:
    """Templates that escape every value and leave out what is missing."""
    made = Environment(
        loader=PackageLoader("rosenblatt.report"),
        autoescape=True,
        undefined=ChainableUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "signed": signed, "percent": percent, "many": many}
    made.filters |= {"name": name, "label": label, "margin": margin, "sentence": sentence}
    made.filters |= {"row": row}
    made.globals["palette"] = Markup(css())
    return made


def row(counted_from_0: Any) -> str:
    """A row as a person counts it who has the table in a file, or in Python."""
    return number(row_number(counted_from_0))


def _finalize(value: Any) -> Any:
    if value is None:
        return ""
    return shown(value) if type(value) is str else value  # Markup is ours, and ready


def name(text: Any, width: int = 80) -> Markup:
    """A name from the table: isolated from the sentence it stands in, whole on hovering."""
    if text is None:
        return Markup()
    whole, short = shown(str(text)), clip(shown(str(text)), width)
    hint = Markup(' title="{}"').format(whole) if short != whole else ""
    return Markup("<bdi{}>{}</bdi>").format(hint, short or "“”")


def label(text: Any, width: int = 80) -> Markup:
    """A label in a sentence, as `named` writes it."""
    return name(None if text is None else named(text), width)


def margin(ends: Mapping[str, Any]) -> str:
    """{lo, hi, exact} in words."""
    low, high = ends.get("lo"), ends.get("hi")
    if ends.get("exact") or high == low:
        return number(low)
    if high is None:
        return f"at least {number(low)}"
    ends_shown = number(low), number(high)
    return (
        ends_shown[0] if ends_shown[0] == ends_shown[1] else f"{ends_shown[0]} to {ends_shown[1]}"
    )


def derived(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the templates need besides the document."""
    charts, several = Charts(), len(_classes(content)) > 2
    rule = content.get("rule") or {}
    terms = rule.get("terms") or []
    n_terms = rule.get("n_terms") or len(terms)
    in_formula = n_terms if n_terms <= FORMULA_TERMS + 1 else FORMULA_TERMS
    return {
        "several": several,
        **_error_chart(charts, content, several=several),
        "formula": formula(terms, in_formula),
        "more_terms": n_terms - in_formula,
        "n_terms": n_terms,
        "indicators": {term.get("feature") for term in terms if term.get("indicator")},
        "weights_chart": _weights_chart(charts, terms),
        "class_cards": class_cards(charts, rule),
        "differences": differences(rule),
        "heaviest": HEAVIEST,
        "listed": LISTED,
        "learning_chart": _learning_chart(charts, content.get("learning")),
        "margins_chart": _margins_chart(charts, content.get("margins"), _classes(content)),
        "margin_labels": _in_order(content.get("margins"), _classes(content)),
        "conflict_rows": _conflict_rows((content.get("verdict") or {}).get("conflict")),
        "conflict_rivals": conflict_rivals((content.get("verdict") or {}).get("conflict")),
        **_figures(charts, content),
        "threshold_rows": _threshold_rows(content.get("thresholds")),
        "hard_columns": _hard_columns(content),
        "counted": sentence(counted()),
        "highest_rate": _highest_rate(content.get("candidates") or []),
    }


def _classes(content: Mapping[str, Any]) -> list[str]:
    return list((content.get("data") or {}).get("classes") or [])


def _error_chart(charts: Charts, content: Mapping[str, Any], *, several: bool) -> dict[str, Any]:
    """What the headline says, as a picture, and the label that always said is its floor."""
    error, cost = content.get("error") or {}, content.get("cost")
    n, largest = error.get("test_n"), "the largest class" if several else "the larger class"
    if cost and (content.get("asked") or {}).get("objective") == "cost":
        costs = (cost.get("always") or {}).items()
        always = {label: total for label, total in costs if total is not None}
        label = min(always, key=always.__getitem__, default=None)
        rate, ends, floor = cost.get("per_row"), cost.get("interval"), always.get(label)
        title, floor_name, share = "The cost of a test row", f"always saying {named(label)}", False
    else:
        label, rate, ends = error.get("majority_label"), error.get("rate"), error.get("interval")
        floor, title = error.get("majority_errors"), "The error on the test rows"
        floor_name, share = f"always saying {largest}", True
    floor_words = {"floor_label": label or largest, "has_floor": floor is not None and bool(n)}
    if rate is None:
        return {**floor_words, "error_chart": None}
    least = floor / n if floor is not None and n else None
    both = (ends[0], ends[1]) if ends else None
    return {
        **floor_words,
        "error_chart": charts.interval(rate, both, least, title, floor_name, share=share),
    }


def _figures(charts: Charts, content: Mapping[str, Any]) -> dict[str, Any]:
    """The cards of the error analysis: those with a heading whose chart can be drawn, or that have
    none."""
    drawn = {name: draw(charts, content.get(name)) for name, draw in CHARTS.items()}
    figures = []
    for section in SECTIONS:
        part, chart = content.get(section.name), drawn.get(section.name)
        if section.heading is None or not part or (section.name in CHARTS and chart is None):
            continue
        figure = {"id": section.anchor or section.name, "heading": section.heading, "chart": chart}
        note = _NOTES.get(section.name)
        figures.append(figure | {"sentence": part.get("sentence"), "note": note and note(part)})
    return {"threshold_chart": drawn["thresholds"], "figures": figures}


def _roc_note(curve: Mapping[str, Any]) -> Markup:
    return Markup(
        "This is the ROC curve of the test rows; upwards: the share of {} that is found. The dot "
        "is the saved rule."
    ).format(label(curve.get("label", ""), 24))


def _calibration_note(calibration: Mapping[str, Any]) -> Markup:
    rows = calibration.get("fitted_to")
    fitted = ""
    if rows is not None:
        fitted = f", fitted to {number(rows)} rows that the scoring rule had not seen"
    return Markup(
        "Test rows; upwards: the share that was {}, with 95% intervals. On the dashed line the "
        "probabilities are right. They come from Platt scaling{}."
    ).format(label(calibration.get("label", ""), 24), fitted)


_NOTES: dict[str, Callable[[Mapping[str, Any]], Markup]] = {
    "roc": _roc_note,
    "calibration": _calibration_note,
}


def _weights_chart(charts: Charts, terms: Sequence[Mapping[str, Any]]) -> Markup | None:
    items = [
        (str(term["feature"]), float(term["scaled_weight"]))
        for term in terms[:HEAVIEST]
        if term.get("scaled_weight") is not None
    ]
    return charts.bars(items, "The weights of the rule") if items else None


def _learning_chart(charts: Charts, learning: Mapping[str, Any] | None) -> Markup | None:
    if not learning or not learning.get("mistakes"):
        return None
    series = {"Rows that changed the weights": learning["mistakes"]}
    if learning.get("kept"):
        series = {
            "Training errors of the rule, had training ended there": learning["kept"]
        } | series
    return charts.line(series, "Learning, epoch by epoch", "epoch")


def _in_order(margins: Mapping[str, Any] | None, classes: Sequence[str]) -> list[str]:
    """The labels of the histogram, the one that a score of 0 means first: it points upwards."""
    labels = list((margins or {}).get("counts") or {})
    return sorted(labels, key=lambda label: classes[-1:] != [label])


def _margins_chart(
    charts: Charts, margins: Mapping[str, Any] | None, classes: Sequence[str]
) -> Markup | None:
    if not margins or len(margins.get("edges") or []) < 2 or not margins.get("counts"):
        return None
    counts = {label: margins["counts"][label] for label in _in_order(margins, classes)}
    kernel = margins.get("unit") == "score"
    unit = "score of the rule" if kernel else "distance to the hyperplane, in standard deviations"
    if len(counts) > 2:
        counts = {"all classes": [sum(bar) for bar in zip(*counts.values(), strict=True)]}
        unit = (
            "lead over the nearest other class"
            if kernel
            else "distance to the nearest other class, in standard deviations"
        )
    said = f"← wrong side · {unit} · right side →"
    return charts.histogram(margins["edges"], counts, "Margins of the training rows", said)


def _threshold_rows(found: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """A dozen thresholds, and the chosen one among them."""
    points = (found or {}).get("points") or []
    some = [p for p in points[:: max(1, len(points) // THRESHOLDS)] if p and p.get("threshold")]
    if chosen := (found or {}).get("chosen"):
        some.append({**chosen, "threshold": 0.0})
    return sorted(some, key=lambda point: float(point["threshold"]))


def _conflict_rows(conflict: Mapping[str, Any] | None) -> dict[str, list[int]]:
    """The rows of a conflict by label."""
    by_label: dict[str, list[int]] = {}
    if conflict:
        rows, labels = conflict.get("rows") or [], conflict.get("labels") or []
        for row, label in zip(rows, labels, strict=False):
            by_label.setdefault(str(label), []).append(row_number(row))
    return by_label


def _hard_columns(content: Mapping[str, Any]) -> list[str]:
    """The columns to show of a row, the heaviest first."""
    rows = content.get("hardest_rows") or []
    return list((rows[0].get("values") or {}) if rows else {})[:HARD_COLUMNS]


def _highest_rate(candidates: Sequence[Mapping[str, Any]]) -> float:
    rates = [
        candidate[f"{part}_errors"] / candidate[f"{part}_n"]
        for candidate in candidates
        for part in ("train", "validation")
        if candidate.get(f"{part}_n") and candidate.get(f"{part}_errors") is not None
    ]
    return max(rates, default=0.0) or 1.0


# --- Rules as sums of terms, and what the page shows of more than two classes --------------------


CARDS = 100  # classes that have a card
APART = 12  # pairs of classes that are told apart
_BARS = 8  # weights in the chart of a class
_WIDTH = 460  # of that chart: two stand side by side
_TERMS = 4  # of a difference
_RIVALS = 200  # rows of a conflict


def formula(terms: Sequence[Mapping[str, Any]], most: int) -> list[tuple[str, str, str]]:
    """Sign, size and feature of the first terms, as they stand in a sum."""
    return [_signed(term, first=place == 0) for place, term in enumerate(terms[:most])]


def _signed(term: Mapping[str, Any], *, first: bool) -> tuple[str, str, str]:
    weight = term.get("weight") or 0.0
    sign = "−" if weight < 0 else "" if first else "+"
    return sign, number(abs(weight), digits=3), str(term.get("feature", ""))


def class_cards(charts: Charts, rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What speaks for each class and against it."""
    cards = []
    for card in (rule.get("classes") or [])[:CARDS]:
        terms, label = card.get("terms") or [], str(card.get("label", ""))
        items = [(str(t["feature"]), float(t["scaled_weight"])) for t in terms[:_BARS]]
        cards.append(
            {
                "label": label,
                "terms": terms,
                "n_terms": card.get("n_terms") or len(terms),
                "constant": card.get("constant"),
                "chart": charts.bars(items, f"What speaks for {label}", _WIDTH) if items else None,
            }
        )
    return cards


def differences(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Why a row is of one class and not of another."""
    pairs = []
    for pair in (rule.get("differences") or [])[:APART]:
        terms = pair.get("terms") or []
        pairs.append(
            {
                "label": str(pair.get("label", "")),
                "other": str(pair.get("other", "")),
                "formula": formula(terms, _TERMS),
                "more_terms": max((pair.get("n_terms") or len(terms)) - _TERMS, 0),
                "indicators": {term.get("feature") for term in terms if term.get("indicator")},
                "threshold": pair.get("threshold"),
            }
        )
    return pairs


def conflict_rivals(conflict: Mapping[str, Any] | None) -> list[tuple[int, str, str]]:
    """Row, label and rival, of more than two classes."""
    if not conflict or not conflict.get("rivals"):
        return []
    parts = (conflict.get(name) or [] for name in ("rows", "labels", "rivals"))
    rows_shown = list(zip(*parts, strict=False))[:_RIVALS]
    return [(int(row), str(label), str(rival)) for row, label, rival in rows_shown]


# --- The proof: what is shown before and without the script of the page --------------------------


_ROWS, _COLUMNS = 200, 12  # of the table that is shown; the page has all


def proof(carried: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the template needs; nothing where the page carries no certificate."""
    if carried is None:
        return {"carried": None}
    claim = json.loads(carried["certificate"])
    held = {"rows": carried["rows"], "table": carried["table"]}
    rows, point = _rows_shown(carried["rows"], claim), (claim.get("conflict") or {}).get("point")
    return {
        "carried": {
            "certificate": Markup(carried["certificate"].replace("<", "\\u003c")),
            "held": Markup(embedded(held)),
            "embedded": carried["table"] is not None,
            "columns": claim["columns"][:_COLUMNS],
            "more_columns": max(0, len(claim["columns"]) - _COLUMNS),
            "rows": rows[:_ROWS],
            "more_rows": max(0, len(rows) - _ROWS),
            "conflict": "conflict" in claim,
            "point": None if point is None else point[:_COLUMNS],
        }
    }


def _rows_shown(
    rows: Sequence[Mapping[str, Any]], claim: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Of two classes that meet: each by itself, its heaviest rows first."""
    shares = _shares(claim)
    table = [
        {**row, "numbers": row["numbers"][:_COLUMNS], "share": shares.get(row["row"])}
        for row in rows
        if not shares or row["row"] in shares
    ]
    labels = claim["labels"]
    return sorted(table, key=lambda row: (-labels.index(row["label"]), -(row["share"] or 0)))


def _shares(claim: Mapping[str, Any]) -> dict[int, float]:
    """How much each row weighs in the average of its class, where two of them meet."""
    part = claim.get("conflict")
    if part is None or "point" not in part:
        return {}
    weights = [verify.number(text) for text in part["weights"]]
    totals = {
        side: sum(v for v, y in zip(weights, part["y"], strict=True) if y == side)
        for side in set(part["y"])
    }
    each = zip(part["rows"], weights, part["y"], strict=True)
    return {row: float(weight / totals[side]) for row, weight, side in each}


# --- The one script of the page, and its hash: the browser runs this and nothing else ------------


def module(name: str) -> str:
    """A module of the page: of its own, or one that it shares with the playground."""
    own = files("rosenblatt.report") / "assets" / f"{name}.js"
    text = own.read_text(encoding="utf-8") if own.is_file() else asset(f"{name}.js")
    return text.replace("\r\n", "\n")


@cache
def script(entry: str) -> dict[str, Markup]:
    """The module of this name and all that it imports."""
    text = bundled(entry, module)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"script": Markup(text), "script_hash": Markup(f"sha256-{digest}")}


def embedded(content: Any) -> str:
    """JSON that no HTML parser takes for the end of the script element."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
