"""The page, made of the document: choices, pictures, words, and the proof that it checks."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
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
from rosenblatt.play.html_page import asset, embedded
from rosenblatt.report import charts
from rosenblatt.report.charts import BARS, Rate
from rosenblatt.report.terminal import OTHERS

FORMULA_TERMS = 8
LISTED = 500  # lines of a folded table: more make a page that no one reads and mail refuses
HARD_COLUMNS = 9
THRESHOLDS = 8
MATRIX = 12  # classes that make a matrix; of more those with the most errors are listed
CARDS = 100  # classes that have a picture
APART = 12  # pairs of classes that are told apart
_TERMS = 4  # of a difference
_RIVALS = 200  # rows of a conflict


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
    made.filters |= {"number": number, "signed": signed, "percent": percent, "many": some}
    made.filters |= {
        "name": name,
        "condition": condition,
        "label": label,
        "margin": margin,
        "sentence": sentence,
    }
    made.filters |= {"row": row, "short": lambda text: clip(shown(text), 32)}
    made.globals["palette"] = Markup(css())
    return made


def some(count: Any, thing: str) -> str:
    """1 row, 2,000 rows; of an unknown number rows."""
    return many(count, thing) if isinstance(count, int) else f"{thing}s"


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


def condition(text: Any) -> Markup:
    """Of a term of a card: on a small screen a line ends before a value, not in it."""
    tag, written = str(name(text, 60)).split(">", 1)
    return Markup(f"{tag}>{written.replace('=', '=<wbr>')}")


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


def shown_with(content: Mapping[str, Any], carried: Mapping[str, Any] | None) -> dict[str, Any]:
    """All that the template needs."""
    claim, parts = None, {"content": content, "document": embedded(content)}
    if carried is not None:
        claim = json.loads(carried["certificate"])
        parts["carried"] = _proof(carried, claim)
    return parts | _derived(content, claim) | script("plain" if carried is None else "page")


def _derived(content: Mapping[str, Any], claim: Mapping[str, Any] | None) -> dict[str, Any]:
    """Pictures, and choices among what is listed."""
    rule, error = content.get("rule") or {}, content.get("error") or {}
    data, verdict = content.get("data") or {}, content.get("verdict") or {}
    forced, classes = content.get("forced") or {}, list(data.get("classes") or [])
    terms = rule.get("terms") or []
    n_terms = rule.get("n_terms") or len(terms)
    in_formula = n_terms if n_terms <= FORMULA_TERMS + 1 else FORMULA_TERMS
    columns = forced.get("columns") or []
    proved = {c.get("feature") for c in columns if c.get("sign")} & {
        t.get("feature") for t in terms
    }
    confusion = content.get("confusion") or {}
    effects = [effect for one in data.get("warnings") or [] if (effect := _effect(one))]
    return {
        "several": len(classes) > 2,
        "decided_by": _decided_by(content),
        "mild": all(_kind(one) in _MILD for one in data.get("warnings") or []),
        "rates": charts.rates(_rates(content), _decided_by(content) != "cost"),
        "errors": charts.errors(confusion.get("labels"), confusion.get("counts")),
        "matrix": matrix(confusion),
        "weights": charts.weights(terms, (rule.get("other"), rule.get("label")), proved),
        "proved_signs": proved,
        "effect": charts.effect(error, effects[0] if effects else None),
        "formula": formula(terms, in_formula),
        "more_terms": n_terms - in_formula,
        "n_terms": n_terms,
        "bars": BARS,
        "indicators": _indicators(terms),
        "class_cards": class_cards(rule),
        "differences": differences(rule),
        "listed": LISTED,
        "listed_classes": MATRIX,
        "thresholds": charts.thresholds(content.get("thresholds")),
        "roc": charts.roc(content.get("roc"), content.get("thresholds")),
        "calibration": charts.calibration(content.get("calibration")),
        "threshold_rows": threshold_rows(content.get("thresholds")),
        "balance": charts.balance(_sides(claim)),
        "bracket": charts.bracket(forced) if forced.get("at_least") else None,
        "signs": charts.signs(forced),
        "opinions": charts.opinions(content.get("opinions")),
        "learning": charts.learning(content.get("learning")),
        "margins": charts.margins(content.get("margins"), classes),
        "conflict_rows": conflict_rows(verdict.get("conflict")),
        "conflict_rivals": conflict_rivals(verdict.get("conflict")),
        "hard_columns": _hard_columns(content),
        "counted": sentence(counted()),
        "result": _result(verdict),
    }


# They change nothing of the answer.
_MILD = {"constant", "like missing", "unlabelled", "dates", "quantities"}


def _kind(warned: Any) -> Any:
    return warned.get("kind") if isinstance(warned, Mapping) else None


def _effect(warned: Any) -> Mapping[str, Any] | None:
    return warned.get("effect") if isinstance(warned, Mapping) else None


def _decided_by(content: Mapping[str, Any]) -> str:
    """What stands first: "error", or "cost" or "balanced" where that is known."""
    objective = str((content.get("asked") or {}).get("objective"))
    return objective if content.get(objective) else "error"


def _rates(content: Mapping[str, Any]) -> list[Rate]:
    """On the same test rows; without what is not known of one."""
    error, n = content.get("error") or {}, (content.get("error") or {}).get("test_n")
    by = _decided_by(content)
    own, always, floor = error, error.get("majority_label"), error.get("majority_errors")
    others: list[Rate] = []  # what costs more than the cheapest constant
    floor = floor / n if n and floor is not None else None
    always = None if always is None else f"always {named(always)}"
    if by == "balanced":
        own = content["balanced"]
        always, floor = "always the same", own.get("baseline")
    elif by == "cost":
        cost = content["cost"]
        own = {"rate": cost.get("per_row"), "interval": cost.get("interval")}
        constant = cost.get("baseline") or {}
        always, floor = f"always {named(constant.get('label'))}", constant.get("per_row")
        totals = cost.get("always") or {}
        dearer = [label for label in totals if label != constant.get("label")]
        if n and len(totals) == 2:
            others = [Rate(f"always {named(k)}", totals[k] / n, None, "other") for k in dearer]
    rates = [Rate("this rule", own.get("rate"), own.get("interval"), "own")]
    if always is not None and floor is not None:
        rates += [Rate(always, floor, None, "floor"), *others]
    for other in (content.get("comparisons") or [])[1:]:
        rate, wrong = other.get("cost"), other.get("test_errors")
        if by == "error":
            rate = wrong / n if n and wrong is not None else None
        if rate is not None:
            ends = other.get("interval") if by == "error" else None
            name = str(other.get("name"))
            rates.append(Rate(OTHERS.get(name, name), rate, ends, "other"))
    if n and (card := content.get("card")):
        rate = card["test_errors"] / n if by == "error" else card.get("cost")
        name = f"card of {many(len(card['terms']), 'term')}"
        rates.append(Rate(name, rate, card.get("interval") if by == "error" else None, "other"))
    return rates


_RESULTS = {
    "complete separation": "a linear rule is right about all {} rows",
    "quasi-complete separation": "no linear rule is right about all {} rows; "
    "a logistic regression has infinite coefficients",
    "overlap": "no linear rule is right about all {} rows",
    verify.CHANCE: "almost certainly no linear rule is right about all {} rows",
    "not separable": "no linear rule is right about all {} rows",
    "undecided": "undecided whether a linear rule is right about all {} rows",
}


def _result(verdict: Mapping[str, Any]) -> str | None:
    """The verdict in a line, before it is unfolded."""
    words = _RESULTS.get(verdict.get("verdict") or "")
    return words and words.format(number(verdict.get("rows"))).replace("all  rows", "all rows")


def matrix(confusion: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the matrix of many classes, each count with how dark it is: all of them, or of very
    many classes those with the largest share of errors."""
    labels, counts = confusion.get("labels") or [], confusion.get("counts") or []
    lines = []
    for one, (label, row) in enumerate(zip(labels, counts, strict=False)):
        rows, most = sum(row), max(row, default=0) or 1
        lines.append(
            {
                "label": label,
                "rows": rows,
                "errors": rows - row[one],
                "counts": [
                    {"count": k, "right": j == one, "shade": round(100 * k / most)}
                    for j, k in enumerate(row)
                ],
                "rival": max((k, labels[j]) for j, k in enumerate(row) if j != one)
                if len(row) > 1
                else (0, ""),
            }
        )
    if len(labels) > MATRIX:
        lines.sort(key=lambda line: -line["errors"] / (line["rows"] or 1))
    return lines


def threshold_rows(found: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Some thresholds, and the chosen one among them."""
    points = [p for p in (found or {}).get("points") or [] if p.get("probability") is not None]
    some = points[len(points) // 20 :: max(1, len(points) // THRESHOLDS)]
    if (chosen := (found or {}).get("chosen")) and chosen.get("probability") is not None:
        some.append({**chosen, "saved": True})
    some = sorted(some, key=lambda point: (float(point["probability"]), "saved" not in point))
    by_words = {percent(point["probability"]): point for point in reversed(some)}
    return list(reversed(by_words.values()))


def conflict_rows(conflict: Mapping[str, Any] | None) -> dict[str, list[int]]:
    """The rows of a conflict by label."""
    by_label: dict[str, list[int]] = {}
    if conflict:
        rows, labels = conflict.get("rows") or [], conflict.get("labels") or []
        for row, label in zip(rows, labels, strict=False):
            by_label.setdefault(str(label), []).append(row_number(row))
    return by_label


def conflict_rivals(conflict: Mapping[str, Any] | None) -> list[tuple[int, str, str]]:
    """Row, label and rival, of more than two classes."""
    if not conflict or not conflict.get("rivals"):
        return []
    parts = (conflict.get(name) or [] for name in ("rows", "labels", "rivals"))
    rows_shown = list(zip(*parts, strict=False))[:_RIVALS]
    return [(int(row), str(label), str(rival)) for row, label, rival in rows_shown]


def _hard_columns(content: Mapping[str, Any]) -> list[str]:
    """The columns to show of a row, the heaviest first."""
    rows = content.get("hardest_rows") or []
    return list((rows[0].get("values") or {}) if rows else {})[:HARD_COLUMNS]


# --- Rules as sums of terms ----------------------------------------------------------------------


def _indicators(terms: Sequence[Mapping[str, Any]]) -> set[Any]:
    return {term.get("feature") for term in terms if term.get("indicator")}


def formula(terms: Sequence[Mapping[str, Any]], most: int) -> list[tuple[str, str, str]]:
    """Sign, size and feature of the first terms, as they stand in a sum."""
    return [_signed(term, first=place == 0) for place, term in enumerate(terms[:most])]


def _signed(term: Mapping[str, Any], *, first: bool) -> tuple[str, str, str]:
    weight = term.get("weight") or 0.0
    sign = "−" if weight < 0 else "" if first else "+"
    return sign, number(abs(weight), digits=3), str(term.get("feature", ""))


def class_cards(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What speaks for each class and against it."""
    cards = []
    for card in (rule.get("classes") or [])[:CARDS]:
        terms = card.get("terms") or []
        picture = charts.weights(terms[:_BARS], ("against", "for"), set())
        n_terms = card.get("n_terms") or len(terms)
        cards.append({**card, "terms": terms, "n_terms": n_terms, "picture": picture})
    return cards


_BARS = 6  # weights in the picture of a class


def differences(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Why a row is of one class and not of another."""
    pairs = []
    for pair in (rule.get("differences") or [])[:APART]:
        terms = pair.get("terms") or []
        more = max((pair.get("n_terms") or len(terms)) - _TERMS, 0)
        own = {"formula": formula(terms, _TERMS), "more_terms": more}
        pairs.append({**pair, **own, "indicators": _indicators(terms)})
    return pairs


# --- The proof: what is shown before and without the script of the page --------------------------


_ROWS, _COLUMNS = 200, 12  # of the table that is shown; the page has all


def _proof(carried: Mapping[str, Any], claim: Mapping[str, Any]) -> dict[str, Any]:
    held = {"rows": carried["rows"], "table": carried["table"]}
    rows, point = _rows_shown(carried["rows"], claim), (claim.get("conflict") or {}).get("point")
    return {
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


def _sides(claim: Mapping[str, Any] | None) -> list[tuple[str, list[tuple[int, float]]]]:
    """Of two classes that meet: label, and each row with its share, the heaviest first."""
    if claim is None:
        return []
    shares = _shares(claim)
    by_label: dict[str, list[tuple[int, float]]] = {}
    part = claim.get("conflict") or {}
    for row, side in zip(part.get("rows", ()), part.get("y", ()), strict=False):
        if row in shares:
            label = claim["labels"][1 if side == 1 else 0]
            by_label.setdefault(label, []).append((row, shares[row]))
    order = sorted(by_label, key=claim["labels"].index)
    return [(label, sorted(by_label[label], key=lambda pair: -pair[1])) for label in order]


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
