"""Numbers of files as they are written: do the floats that were read still tell them apart?

A float has 15 digits and a bit. Where decimals are meant, 9007199254740993 must not be taken for
9007199254740992; and a label must not be taken for another, whatever is meant by numbers.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from rosenblatt import verify
from rosenblatt._util.text import in_file
from rosenblatt.data.batch import Kind, Place
from rosenblatt.data.encoding import Encoding, Number
from rosenblatt.data.files import File
from rosenblatt.data.opening import opened_source
from rosenblatt.errors import InputError


def refuse_rounded(reader: Any, encoding: Encoding, *, decimal: bool) -> None:
    """Raise InputError at the first label, or with `decimal` number, that a float cannot hold."""
    target = encoding.target
    names = [c.name for c in encoding.columns if isinstance(c, Number)] if decimal else []
    if target is not None and target.kind is Kind.NUMBER:
        names.append(target.name)
    if not names:
        return
    mark = getattr(getattr(reader, "dialect", None), "decimal", ".")
    texts = reader.batches(dict.fromkeys(names, Kind.TEXT), declared=True)
    numbers = reader.batches(dict.fromkeys(names, Kind.NUMBER), declared=True)
    for written, read in zip(texts, numbers, strict=True):
        for name in names:
            codes, words = written.words(name)
            style = reader.styles.get(name)
            words = [
                style.plain(word or "") if style else (word or "").replace(mark, ".")
                for word in words
            ]
            exact = [_exact(word) for word in words]
            values = np.array([*(np.nan if v is None else v for v in exact), np.nan])[codes]
            wrong = (values != read.numbers(name)) & (codes >= 0)
            if wrong.any():
                row = int(wrong.argmax())
                _refuse(written.place(row), f"column {name!r}", words[codes[row]])


def refuse_rounded_entries(file: File, *, decimal: bool) -> None:
    with opened_source(str(file.path)) as text:
        parts = -1 if decimal else 1
        lines = (line.partition(b"#")[0].split(None, parts) for line in text.lines())
        there = ((k, fields) for k, fields in enumerate(lines, 1) if fields)
        for row, (line, (label, *entries)) in enumerate(there):
            values = [entry.rpartition(b":")[2] for entry in entries if decimal]
            for word in (label, *values):
                if _exact(word.decode("ascii", "replace")) is None:
                    where = f"{file.name}, {in_file(row, f'line {line}')}"
                    _refuse(where, "it", word.decode("ascii", "replace"))


@lru_cache(1024)
def _exact(word: str) -> float | None:
    """The float that means this decimal; None where none does."""
    if not verify.PLAIN.fullmatch(word):
        return None
    value = float(word)
    return value if Decimal(word) == Decimal(repr(value)) else None


def _refuse(place: Place | str, what: str, word: str) -> None:
    raise InputError(
        f"{place}, {what} holds {word}, which float64 cannot hold exactly, so the proof would be "
        "about another number. Round it to 15 digits, or subtract a constant from the column.",
        **({} if isinstance(place, str) else place.data),
    )
