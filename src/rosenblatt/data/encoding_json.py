"""An encoding as a document of text, numbers, lists and dicts, and back: nothing is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rosenblatt._support.strict_json import InvalidDocument, Part, is_finite
from rosenblatt.data.chosen import SIGNS, Condition, Positive
from rosenblatt.data.encode import Encoding
from rosenblatt.data.hashing import MOST, Hashed
from rosenblatt.data.how import Reading, read_reading
from rosenblatt.data.labels import Target
from rosenblatt.data.levels import FALSE, MISSING, Words
from rosenblatt.data.number import Number, Seen, measured
from rosenblatt.data.part import Kind
from rosenblatt.data.prose import Prose
from rosenblatt.errors import InputError

SCHEMA = "rosenblatt-encoding/5"  # where values are noted that were seen; else the fourth
_FOURTH = "rosenblatt-encoding/4"
_THIRD = "rosenblatt-encoding/3"  # no hashed words
_SECOND = "rosenblatt-encoding/2"  # less is said of reading
_FIRST = "rosenblatt-encoding/1"  # no reading; of two values the first has no column, of more all


def write(encoding: Encoding) -> dict[str, Any]:
    target = encoding.target
    noted = any(isinstance(c, Number) and c.seen is not None for c in encoding.columns)
    return {
        "schema": SCHEMA if noted else _FOURTH,
        "columns": [_column(column, noted) for column in encoding.columns],
        "target": None
        if target is None
        else {
            "name": target.name,
            "kind": target.kind.value,
            "values": list(target.values),
            "positive": _positive(target.positive),
        },
        "reading": encoding.reading.to_dict(),
    }


def _positive(positive: Positive | None) -> Any:
    """A list of labels, or a condition."""
    if isinstance(positive, Condition):
        return {"sign": positive.sign, "number": positive.number}
    return None if positive is None else list(positive)


def _column(column: Number | Words | Prose, noted: bool) -> dict[str, Any]:
    head: dict[str, Any] = {"name": column.name, "kind": column.kind.value}
    if isinstance(column, Prose):
        return head | {"words": list(column.words), "hashed": _hashed(column.hashed)}
    if isinstance(column, Number):
        head |= {"fill": column.fill, "center": column.center, "scale": column.scale}
        seen = None if column.seen is None else column.seen._asdict()
        return head | ({"seen": seen} if noted else {})
    reference = {"reference": column.reference}
    return head | {"words": list(column.words), "missing": column.missing} | reference


def _hashed(hashed: Hashed | None) -> dict[str, Any] | None:
    return None if hashed is None else {"into": hashed.into, "buckets": list(hashed.buckets)}


def read(document: Any) -> Encoding:
    try:
        return _encoding(document)
    except InvalidDocument as why:
        raise InputError(f"This is not the encoding of a table: {why}.") from None


def _encoding(document: Any) -> Encoding:
    with Part(document, "the document") as part:
        schema = part.one_of("schema", (_FIRST, _SECOND, _THIRD, _FOURTH, SCHEMA))
        columns = tuple(_read_column(column, schema) for column in part.parts("columns"))
        target = None if part.value("target") is None else _read_target(part.part("target"))
        reading = Reading()
        if schema != _FIRST:
            reading = read_reading(part.part("reading"), first=schema == _SECOND)
            columns = tuple(measured(column, reading) for column in columns)
    encoding = Encoding(columns, target, reading)
    if encoding.prose != list(columns[len(columns) - len(encoding.prose) :]):
        raise InvalidDocument("a column of prose is not among the last")
    for names in (encoding.inputs + ([target.name] if target else []), encoding.feature_names):
        if len(set(names)) != len(names):
            raise InvalidDocument("a name stands twice")
    return encoding


def _read_column(column: Part, schema: str) -> Number | Words | Prose:
    with column as part:
        name, kind = part.text("name"), part.one_of("kind", [kind.value for kind in Kind])
        if kind == Kind.NUMBER.value:
            fill = part.optional(part.finite, "fill")
            center, scale = part.finite("center"), part.finite("scale")
            if scale <= 0:
                raise InvalidDocument(f"{part.name('scale')} is not positive")
            seen = part.optional(part.part, "seen") if schema == SCHEMA else None
            return Number(name, fill, center, scale, seen=None if seen is None else _seen(seen))
        words = part.texts("words")
        hashed = None
        if (
            kind == Kind.PROSE.value
            and schema in (_FOURTH, SCHEMA)
            and part.value("hashed") is not None
        ):
            hashed = _read_hashed(part.part("hashed"), len(words))
        elif words != sorted(set(words)):
            raise InvalidDocument(f"{part.name('words')} are not sorted, or one stands twice")
        if kind == Kind.PROSE.value:
            return Prose(name, tuple(words), hashed)
        missing, boolean = part.flag("missing"), kind == Kind.BOOLEAN.value
        if not (words or missing) or (boolean and words != ["False", "True"]):
            raise InvalidDocument(f"{part.name('words')} are not those of a {kind} column")
        found = Words(name, tuple(words), missing, boolean)
        if schema == _FIRST:
            reference = found.values[0] if len(found.values) == 2 else None
        else:
            reference = part.optional(part.text, "reference")
        if reference is not None and (reference not in words or reference == MISSING):
            raise InvalidDocument(f"{part.name('reference')} is none of the words")
        if boolean and not missing and reference != FALSE:
            raise InvalidDocument(f"{part.name('reference')} is not False")
        return replace(found, reference=reference)


def _seen(seen: Part) -> Seen:
    with seen as part:
        found = Seen(part.finite("low"), part.finite("high"), part.flag("whole"))
        if found.low > found.high:
            raise InvalidDocument(f"{part.name('low')} is above {part.name('high')}")
        return found


def _read_hashed(part: Part, columns: int) -> Hashed:
    with part:
        into = part.whole("into", MOST)
        buckets = part.values("buckets")
    whole = all(type(k) is int and 0 <= k < into for k in buckets)
    if not whole or len(buckets) != columns or buckets != sorted(set(buckets)):
        raise InvalidDocument(
            f"{part.name('buckets')} are not {columns:,} different numbers below {into:,}, rising"
        )
    return Hashed(into, tuple(buckets))


def _read_target(target: Part) -> Target:
    with target as part:
        kind = Kind(part.one_of("kind", [kind.value for kind in Kind if kind is not Kind.PROSE]))
        name, values = part.text("name"), part.values("values")
        if not values:
            return Target(name, kind, (), _read_condition(part, kind))
        allowed = {Kind.TEXT: (str,), Kind.BOOLEAN: (bool,), Kind.NUMBER: (int, float)}[kind]
        if not all(
            type(v) in allowed and (kind is not Kind.NUMBER or is_finite(v)) for v in values
        ):
            raise InvalidDocument(f"{part.name('values')} are of another kind")
        if len({type(v) for v in values}) != 1 or values != sorted(set(values)):
            raise InvalidDocument(f"{part.name('values')} are not sorted, or one stands twice")
        positive = part.value("positive")
        if positive is not None and not isinstance(positive, list):
            positive = [positive]  # version 1 had one
        for label in positive or []:
            if type(label) is not type(values[0]) or label not in values:
                raise InvalidDocument(f"{part.name('positive')} is none of the values")
        if positive is not None and (positive != sorted(set(positive)) or positive in ([], values)):
            raise InvalidDocument(f"{part.name('positive')} are none, all, or not sorted")
        if len(values) < 2 or (len(values) == 2 and positive is not None):
            raise InvalidDocument(f"{part.name('values')} are {len(values)}")
        return Target(name, kind, tuple(values), None if positive is None else tuple(positive))


def _read_condition(target: Part, kind: Kind) -> Condition:
    with target.part("positive") as part:
        if kind is not Kind.NUMBER:
            raise InvalidDocument(f"{target.name('positive')} is a condition on {kind.value}")
        return Condition(part.one_of("sign", SIGNS), part.finite("number"))
