"""What a preprocessing does to the values of a table: in words, and refused where two become one.

A certificate brings its preprocessing along, and whoever wrote it chose that: minus 1e17 makes one
number of 3 and 4, and rows that were apart meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._util.spelling import option
from rosenblatt._util.text import in_file, many
from rosenblatt.data.bag_of_words import Prose
from rosenblatt.data.batch import Batch, Kind, Reader, left_out_of, unlabelled
from rosenblatt.data.features import MISSING, OTHER, Number, Words
from rosenblatt.data.files import File
from rosenblatt.data.opening import opened_source
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.stack import below, in_place
from rosenblatt.data.target import Condition
from rosenblatt.errors import InputError


@final
class Transformed:
    """The values that go into a preprocessing, batch by batch."""

    def __init__(self, preprocessing: Preprocessing):
        self.preprocessing = preprocessing
        self._values: dict[str, list[NDArray[np.float64]]] = {}
        self.filled = dict.fromkeys((column.name for column in preprocessing.numbers), 0)

    def see(self, batch: Batch) -> None:
        for column in self.preprocessing.numbers:
            if column.as_it_is and column.fill is None:
                continue
            numbers = batch.numbers(column.name)
            none = np.isnan(numbers)
            self.filled[column.name] += int(none.sum())
            if not column.as_it_is:
                self._values.setdefault(column.name, []).append(np.unique(numbers[~none]))

    def refuse_merged(self) -> None:
        for column in self.preprocessing.columns:
            if isinstance(column, Words) and column.missing and MISSING in column.words:
                raise InputError(
                    f"In the column {column.name!r} missing values and the word {MISSING!r} become "
                    "the same, so a proof about the numbers would not be one about the table.",
                    column=column.name,
                )
        for number in self.preprocessing.numbers:
            values = np.unique(np.concatenate(self._values.get(number.name, [np.empty(0)])))
            made = values.copy()
            with np.errstate(all="ignore"):
                number.finish(made)
            same = np.flatnonzero(~(made[1:] > made[:-1]))
            if not np.isfinite(made).all():
                raise InputError(
                    f"Scaling makes numbers of the column {number.name!r} infinite "
                    f"({_shift(number)}).",
                    column=number.name,
                )
            if len(same):
                one, two = values[same[0] : same[0] + 2].tolist()
                raise InputError(
                    f"Scaling makes {one!r} and {two!r} in the column {number.name!r} the same "
                    f"number ({_shift(number)}), so a proof about the scaled numbers would not be "
                    "one about the table. Certify the numbers as they are, without "
                    f"{option('scale', True)}.",
                    column=number.name,
                )


def in_words(preprocessing: Preprocessing, filled: dict[str, int] | None = None) -> list[str]:
    """What a preprocessing does, a few words a column; nothing of numbers and booleans that stay.

    `filled`: how many values were missing in each column of numbers, where that is known.
    """
    phrases = [phrase for column in preprocessing.columns if (phrase := _in_words(column, filled))]
    phrases += [
        f"{n!r} read as numbers{style}" for n, style in preprocessing.reading.styles.items()
    ]
    positive = None if preprocessing.target is None else preprocessing.target.positive
    if isinstance(positive, Condition):
        phrases.append(f"labels {positive} against all others")
    elif positive is not None:
        labels = " or ".join(map(repr, positive))
        phrases.append(f"the label {labels} against all others")
    return phrases


def _in_words(column: Any, filled: dict[str, int] | None) -> str:
    if isinstance(column, Prose):
        kind = "words" if column.hashed is None else "buckets of hashed words"
        return f"{column.name!r} as {len(column.words):,} {kind}, 0 or 1 each"
    if not isinstance(column, Number):
        if column.boolean and not column.missing:
            return ""  # true is 1 everywhere
        k = len(column.features)
        named = "" if column.reference is None else f", reference {column.reference!r}"
        named += f", {OTHER!r} for all other words" * column.pooled
        return f"{column.name!r} as {'0 or 1' if k == 1 else f'{k} columns of 0 and 1'}{named}"
    done = [] if column.as_it_is else [_shift(column)]
    if column.fill is not None and (filled is None or filled[column.name]):
        count = "missing values" if filled is None else many(filled[column.name], "missing value")
        done.append(f"{column.fill!r} for {count}")
    return f"{column.name!r} {', '.join(done)}" if done else ""


def refuse_merged(preprocessing: Preprocessing, batches: Iterable[Batch]) -> None:
    """Raise InputError where a preprocessing makes one of several values of these rows."""
    transformed = Transformed(preprocessing)
    for batch in batches:
        transformed.see(batch)
    transformed.refuse_merged()


def _shift(column: Number) -> str:
    less = f"minus {column.center!r}" if column.center else ""
    by = f"divided by {column.scale!r}" if column.scale != 1.0 else ""
    return ", ".join(filter(None, (less, by)))


class Reread(NamedTuple):
    """Rows and labels of a table by a preprocessing, which rows it left out, and what it did, in
    words. What was left out is a row of zeros, and has the label ""."""

    X: Any
    y: NDArray[Any]
    left_out: NDArray[np.int64]
    phrases: list[str]


def reread(reader: Reader, preprocessing: Preprocessing, *, decimal: bool) -> Reread:
    """Rows and labels by a preprocessing that somebody else brought along.

    Raises InputError where it makes one value of several, and where floats do not hold labels or,
    with `decimal`, numbers as they are written.
    """
    transformed, X, y = Transformed(preprocessing), [], []
    batches = preprocessing.read(reader, labelled=True)
    with np.errstate(all="ignore"):  # what becomes infinite is refused below
        for batch in batches:
            transformed.see(batch)
            X.append(preprocessing.rows(batch))
            y.append(preprocessing.labels(batch))
    transformed.refuse_merged()
    if decimal and preprocessing.scaled:
        raise InputError(
            f"The proof is about decimals as written ({option('numbers', 'decimal')}), but the "
            "preprocessing scales them."
        )
    refuse_rounded(reader, preprocessing, decimal=decimal)
    if not X:
        raise InputError(f"{reader.files[0].name} has no rows, only the names of its columns.")
    left_out = left_out_of(batches)
    together = below(X, len(preprocessing.feature_names))
    rows, labels, _ = in_place(together, np.concatenate(y), left_out)
    labels = labels.astype(object)
    labels[left_out] = ""
    phrases = in_words(preprocessing, transformed.filled)
    phrases += [unlabelled(len(left_out), reader.reading)] * bool(len(left_out))
    return Reread(rows, labels, left_out, phrases)


# --- Numbers as they are written: do the floats that were read still tell them apart? -------------


def refuse_rounded(reader: Reader, preprocessing: Preprocessing, *, decimal: bool) -> None:
    """Raise InputError at the first label, or with `decimal` number, that a float cannot hold."""
    target = preprocessing.target
    names = [c.name for c in preprocessing.numbers] if decimal else []
    if target is not None and target.kind is Kind.NUMBER:
        names.append(target.name)
    if not names:
        return
    texts = reader.batches(dict.fromkeys(names, Kind.TEXT), declared=True)
    numbers = reader.batches(dict.fromkeys(names, Kind.NUMBER), declared=True)
    for written, read in zip(texts, numbers, strict=True):
        for name in names:
            codes, words = written.words(name)
            style = reader.styles.get(name)
            plain = style.plain if style else lambda word: word.replace(reader.decimal, ".")
            words = [plain(word or "") for word in words]
            exact = [_exact(word) for word in words]
            values = np.array([*(np.nan if v is None else v for v in exact), np.nan])[codes]
            wrong = (values != read.numbers(name)) & (codes >= 0)
            if wrong.any():
                row = int(wrong.argmax())
                sentence = f"column {name!r} {_rounded(words[codes[row]])}"
                raise written.place(row).error(sentence, column=name)


def refuse_rounded_entries(file: File, *, decimal: bool) -> None:
    with opened_source(str(file.path)) as text:
        parts = -1 if decimal else 1
        lines = (line.partition(b"#")[0].split(None, parts) for line in text.lines())
        there = ((k, fields) for k, fields in enumerate(lines, 1) if fields)
        for row, (line, (label, *entries)) in enumerate(there):
            values = [entry.rpartition(b":")[2] for entry in entries if decimal]
            for word in (label, *values):
                if _exact(word.decode("ascii", "replace")) is None:
                    where = f"{file.name}, {in_file(row, f'line {line}')}, it"
                    sentence = f"{where} {_rounded(word.decode('ascii', 'replace'))}"
                    raise InputError(sentence, file=file.name, row=row)


@lru_cache(1024)
def _exact(word: str) -> float | None:
    """The float that means this decimal; None where none does."""
    if not verify.PLAIN.fullmatch(word):
        return None
    value = float(word)
    return value if Decimal(word) == Decimal(repr(value)) else None


def _rounded(word: str) -> str:
    return (
        f"holds {word}, which float64 cannot hold exactly, so the proof would be about another "
        "number. Round it to 15 digits, or subtract a constant from the column."
    )
