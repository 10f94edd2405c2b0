"""Rules as sums of terms, and what the page shows of more than two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.report.charts import Charts
from rosenblatt.report.words import number

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
    found = []
    for card in (rule.get("classes") or [])[:CARDS]:
        terms, label = card.get("terms") or [], str(card.get("label", ""))
        items = [(str(t["feature"]), float(t["scaled_weight"])) for t in terms[:_BARS]]
        found.append(
            {
                "label": label,
                "terms": terms,
                "n_terms": card.get("n_terms") or len(terms),
                "constant": card.get("constant"),
                "chart": charts.bars(items, f"What speaks for {label}", _WIDTH) if items else None,
            }
        )
    return found


def differences(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Why a row is of one class and not of another."""
    found = []
    for pair in (rule.get("differences") or [])[:APART]:
        terms = pair.get("terms") or []
        found.append(
            {
                "label": str(pair.get("label", "")),
                "other": str(pair.get("other", "")),
                "formula": formula(terms, _TERMS),
                "more_terms": max((pair.get("n_terms") or len(terms)) - _TERMS, 0),
                "indicators": {term.get("feature") for term in terms if term.get("indicator")},
                "threshold": pair.get("threshold"),
            }
        )
    return found


def conflict_rivals(conflict: Mapping[str, Any] | None) -> list[tuple[int, str, str]]:
    """Row, label and rival, of more than two classes."""
    if not conflict or not conflict.get("rivals"):
        return []
    parts = (conflict.get(name) or [] for name in ("rows", "labels", "rivals"))
    found = list(zip(*parts, strict=False))[:_RIVALS]
    return [(int(row), str(label), str(rival)) for row, label, rival in found]
