"""An encoding as a document of text, numbers, lists and dicts, and back: nothing is trusted."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt.data.encode import Encoding, Number, Words
from rosenblatt.data.labels import Target
from rosenblatt.data.part import Kind
from rosenblatt.errors import InputError

SCHEMA = "rosenblatt-encoding/1"


def write(encoding: Encoding) -> dict[str, Any]:
    target = encoding.target
    return {
        "schema": SCHEMA,
        "columns": [_column(column) for column in encoding.columns],
        "target": None
        if target is None
        else {
            "name": target.name,
            "kind": target.kind.value,
            "values": list(target.values),
            "positive": target.positive,
        },
    }


def _column(column: Number | Words) -> dict[str, Any]:
    head: dict[str, Any] = {"name": column.name, "kind": column.kind.value}
    if isinstance(column, Number):
        return head | {"fill": column.fill, "center": column.center, "scale": column.scale}
    return head | {"words": list(column.words), "missing": column.missing}


def read(document: Any) -> Encoding:
    fields = _fields(document, {"schema", "columns", "target"}, "the document")
    if fields["schema"] != SCHEMA:
        raise _bad(f"the schema is not {SCHEMA!r}")
    columns = tuple(
        _read_column(entry, f"column {i}")
        for i, entry in enumerate(_list(fields["columns"], "columns"))
    )
    target = None if fields["target"] is None else _read_target(fields["target"])
    encoding = Encoding(columns, target)
    for names in (encoding.inputs + ([target.name] if target else []), encoding.feature_names):
        if len(set(names)) != len(names):
            raise _bad("a name stands twice")
    return encoding


def _read_column(entry: Any, where: str) -> Number | Words:
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if kind == "number":
        fields = _fields(entry, {"name", "kind", "fill", "center", "scale"}, where)
        fill = None if fields["fill"] is None else _float(fields["fill"], where)
        center, scale = _float(fields["center"], where), _float(fields["scale"], where)
        if scale <= 0:
            raise _bad(f"{where} has a scale that is not positive")
        return Number(_text(fields["name"], where), fill, center, scale)
    if kind not in ("text", "boolean"):
        raise _bad(f"{where} is of no known kind")
    fields = _fields(entry, {"name", "kind", "words", "missing"}, where)
    words = tuple(_text(word, where) for word in _list(fields["words"], where))
    if not isinstance(fields["missing"], bool) or not (words or fields["missing"]):
        raise _bad(f"{where} has no words")
    if list(words) != sorted(set(words)):
        raise _bad(f"{where} has words that are not sorted or stand twice")
    if kind == "boolean" and words != ("False", "True"):
        raise _bad(f"{where} is boolean with other words than False and True")
    name = _text(fields["name"], where)
    return Words(name, words, fields["missing"], kind == "boolean")


def _read_target(entry: Any) -> Target:
    where = "the target"
    fields = _fields(entry, {"name", "kind", "values", "positive"}, where)
    kinds = {kind.value: kind for kind in Kind}
    if not isinstance(fields["kind"], str) or fields["kind"] not in kinds:
        raise _bad(f"{where} is of no known kind")
    kind, values = kinds[fields["kind"]], _list(fields["values"], where)
    allowed = {Kind.TEXT: (str,), Kind.BOOLEAN: (bool,), Kind.NUMBER: (int, float)}[kind]
    if not all(type(v) in allowed and (kind is not Kind.NUMBER or _finite(v)) for v in values):
        raise _bad(f"{where} has values of another kind")
    if len({type(v) for v in values}) != 1 or values != sorted(set(values)):
        raise _bad(f"{where} has values that are not sorted or stand twice")
    positive = fields["positive"]
    if positive is not None and (type(positive) is not type(values[0]) or positive not in values):
        raise _bad(f"{where} has a positive value that is none of its values")
    if (len(values) > 2) != (positive is not None) or len(values) < 2:
        raise _bad(f"{where} has {len(values)} values")
    return Target(_text(fields["name"], where), kind, tuple(values), positive)


def _fields(entry: Any, names: set[str], where: str) -> dict[str, Any]:
    if not isinstance(entry, dict) or set(entry) != names:
        raise _bad(f"{where} does not have exactly the fields {', '.join(sorted(names))}")
    return entry


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{where}: a list is expected")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _bad(f"{where}: text is expected, not {type(value).__name__}")
    return value


def _float(value: Any, where: str) -> float:
    if type(value) not in (int, float) or not _finite(value):
        raise _bad(f"{where}: a finite number is expected")
    return float(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number with hundreds of digits
        return False


def _bad(why: str) -> InputError:
    return InputError(f"This is not the encoding of a table: {why}.")
