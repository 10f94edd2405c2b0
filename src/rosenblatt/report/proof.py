"""The part of the page that checks the proof: what it shows before and without its script."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from rosenblatt import verify
from rosenblatt.play.bundle import bundled
from rosenblatt.play.html_page import asset

_ROWS, _COLUMNS = 200, 12  # of the table that is shown; the page has all


def proof(carried: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the template needs; nothing where the page carries no certificate."""
    if carried is None:
        return {"carried": None}
    claim = json.loads(carried["certificate"])
    held = {"rows": carried["rows"], "table": carried["table"]}
    rows, point = _shown(carried["rows"], claim), (claim.get("conflict") or {}).get("point")
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


def _shown(rows: Sequence[Mapping[str, Any]], claim: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of two classes that meet: each by itself, its heaviest rows first."""
    shares = _shares(claim)
    found = [
        {**row, "numbers": row["numbers"][:_COLUMNS], "share": shares.get(row["row"])}
        for row in rows
        if not shares or row["row"] in shares
    ]
    labels = claim["labels"]
    return sorted(found, key=lambda row: (-labels.index(row["label"]), -(row["share"] or 0)))


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


# The one script of the page, and its hash: the browser runs this and nothing else.


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
