"""JSON, strictly: one way to write it, and nothing is believed when it is read."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Self, TypeVar

T = TypeVar("T")

MOST_ITEMS = 1_000_000  # values in a file, those in arrays not counted
MOST_DIGITS = 40
DEEPEST = 50
ROOTS = ("the file", "the document")  # whose fields are called by their names alone
LARGEST = 1 << 60  # of counts: sums of a few still fit into 64 bits


class InvalidDocument(Exception):  # noqa: N818 - never leaves the package
    """Why a file cannot be read, as the end of a sentence."""


# --- Writing -----------------------------------------------------------------------------------


def as_text(document: dict[str, Any]) -> str:
    """A field a line, and the fields of a part a line each."""
    lines = []
    for name, value in document.items():
        if isinstance(value, dict) and value:
            fields = ",\n".join(f"  {_line(k)}: {_line(v)}" for k, v in value.items())
            lines.append(f" {_line(name)}: {{\n{fields}\n }}")
        else:
            lines.append(f" {_line(name)}: {_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # half a character, as Python reads from strange file names
            return json.dumps(value, allow_nan=False)
    return text


def plain(value: Any, where: str, depth: int = 0) -> Any:
    """The value itself if JSON can say it and give it back; tuples become lists."""
    if depth > DEEPEST:
        raise InvalidDocument(f"{where} is nested more than {DEEPEST} deep")
    if value is None or type(value) in (str, bool):
        return value
    if type(value) is int:
        if abs(value) >= 10**MOST_DIGITS:
            raise InvalidDocument(f"{where} is a whole number of more than {MOST_DIGITS} digits")
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise InvalidDocument(f"{where} is {value}, which JSON cannot say")
        return value
    if type(value) in (list, tuple):
        return [plain(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                raise InvalidDocument(f"{where} has the key {key!r}, and keys are text in JSON")
        return {k: plain(v, f"{where}.{k}", depth + 1) for k, v in value.items()}
    raise InvalidDocument(f"{where} is a {type(value).__name__}, which JSON cannot say")


NO_SUM = "0" * 64  # where the checksum of a file will stand


def with_sum(content: bytes) -> bytes:
    """The file with its SHA-256, which is that of the file with zeros in its place."""
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(NO_SUM.encode(), digest.encode(), 1)


# --- Reading -----------------------------------------------------------------------------------


def check_sum(claimed: str, content: bytes, advice: str = "") -> None:
    if not re.fullmatch("[0-9a-f]{64}", claimed):
        raise InvalidDocument("its sha256 is not 64 hexadecimal digits")
    place = content.find(claimed.encode())
    digest = hashlib.sha256(memoryview(content)[:place])
    digest.update(NO_SUM.encode())
    digest.update(memoryview(content)[place + 64 :])
    if place < 0 or digest.hexdigest() != claimed:
        raise InvalidDocument(
            "its content does not have the sha256 that it claims: it is damaged, or was changed "
            f"after it was written{advice}"
        )


def parse(content: bytes, most: int = MOST_ITEMS) -> Part:
    """The object in the file."""
    check_size(content, most)
    try:
        value = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_int,
            parse_float=_float,
            parse_constant=_constant,
        )
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"it is not text in UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise InvalidDocument(f"it is not JSON: {error}") from None
    except RecursionError:
        raise InvalidDocument("it is nested too deep") from None
    return Part(value, "the file")


def check_size(content: bytes, most: int = MOST_ITEMS) -> None:
    """A value takes much more memory than its text; arrays as bytes are one each."""
    if sum(content.count(mark) for mark in (b",", b":", b"[", b"{")) > 2 * most:
        raise InvalidDocument(f"it holds more than {most:,} values")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InvalidDocument(f"it has the field {shown(twice)} twice in one place")
    return fields


def _int(text: str) -> int:
    if len(text) > MOST_DIGITS + 1:
        raise InvalidDocument(f"it holds a whole number of more than {MOST_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidDocument(f"it holds the number {shown(text)}, which is too large")
    return value


def _constant(text: str) -> float:
    raise InvalidDocument(f"it holds {text}, which is not a number of JSON")


def shown(value: Any) -> str:
    """A value of the file, short enough for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}…"


class Part:
    """An object in the file, read field by field.

    `with` refuses in the end what nobody has asked for.
    """

    def __init__(self, value: Any, where: str):
        if not isinstance(value, dict):
            raise InvalidDocument(f"{where} is {kind(value)}, not an object with fields")
        self._fields, self._where = value, where
        self._asked: set[str] = set()

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is None:
            unknown = sorted(set(self._fields) - self._asked)
            if unknown:
                raise InvalidDocument(f"{self._where} has the unknown field {shown(unknown[0])}")

    def name(self, field: str) -> str:
        """How a field is called in messages."""
        return field if self._where in ROOTS else f"{self._where}.{field}"

    def value(self, field: str) -> Any:
        if field not in self._fields:
            raise InvalidDocument(f"{self._where} lacks the field {field!r}")
        self._asked.add(field)
        return self._fields[field]

    def _typed(self, field: str, wanted: type[T], words: str) -> T:
        value = self.value(field)
        if type(value) is not wanted:
            raise InvalidDocument(f"{self.name(field)} is {kind(value)}, not {words}")
        return value

    def everything(self) -> dict[str, Any]:
        self._asked.update(self._fields)
        return plain(self._fields, self._where)  # type: ignore[no-any-return] # a dict stays one

    def part(self, field: str) -> Part:
        return Part(self.value(field), self.name(field))

    def values(self, field: str) -> list[Any]:
        return self._typed(field, list, "a list")

    def parts(self, field: str) -> list[Part]:
        return [Part(v, f"{self.name(field)}[{i}]") for i, v in enumerate(self.values(field))]

    def text(self, field: str) -> str:
        return self._typed(field, str, "text")

    def flag(self, field: str) -> bool:
        return self._typed(field, bool, "true or false")

    def number(self, field: str) -> float:
        return self._typed(field, float, "a number with a decimal point")

    def finite(self, field: str) -> float:
        """A number that may be written without a decimal point, too."""
        value = self.value(field)
        if not is_finite(value):
            raise InvalidDocument(f"{self.name(field)} is {kind(value)}, not a finite number")
        return float(value)

    def whole(self, field: str, most: int = LARGEST) -> int:
        value = self._typed(field, int, "a whole number")
        if not 0 <= value <= most:
            raise InvalidDocument(f"{self.name(field)} is {value}, not between 0 and {most}")
        return value

    def one_of(self, field: str, allowed: Any) -> str:
        value = self.text(field)
        if value not in allowed:
            raise InvalidDocument(
                f"{self.name(field)} is {shown(value)}, not one of {', '.join(allowed)}"
            )
        return value

    def texts(self, field: str) -> list[str]:
        values = self.values(field)
        for i, value in enumerate(values):
            if type(value) is not str:
                raise InvalidDocument(f"{self.name(field)}[{i}] is {kind(value)}, not text")
        return values

    def numbers(self, field: str) -> list[float]:
        values = self.values(field)
        for i, value in enumerate(values):
            if not is_finite(value):
                raise InvalidDocument(
                    f"{self.name(field)}[{i}] is {kind(value)}, not a finite number"
                )
        return [float(value) for value in values]

    def optional(self, read: Callable[..., T], field: str, *more: Any) -> T | None:
        """None where the field is null."""
        return None if self.value(field) is None else read(field, *more)


def is_finite(value: Any) -> bool:
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


_KINDS = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number with a decimal point",
}


def kind(value: Any) -> str:
    return _KINDS.get(type(value), "null")


# --- What a command found, as the JSON that it prints --------------------------------------------


SCHEMA_VERSION = 1


def document_of(command: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a command found, as it is printed by --json."""
    head = {"schema_version": SCHEMA_VERSION, "command": command}
    return dict(finite(head | content))


def finite(value: Any) -> Any:
    """JSON has no infinity: it becomes null."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
