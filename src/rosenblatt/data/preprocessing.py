"""From columns to numbers, recorded: the same rows become the same numbers, today and later.

Numbers stay as they are, or are scaled; booleans become 0 and 1; text becomes a 0/1 column for each
of its words but one, the reference level. What was done is a Preprocessing: it can be saved.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.rows import dense
from rosenblatt._util.strict_json import InvalidDocument, Part, is_finite
from rosenblatt._util.text import listed, many
from rosenblatt._validation import parameters
from rosenblatt.data.bag_of_words import MOST_BUCKETS, Hashed, Prose
from rosenblatt.data.batch import Batch, Kind, Reader, RowsFrom, Unwanted
from rosenblatt.data.features import (
    FALSE,
    MISSING,
    OTHER,
    Rows,
    Seen,
    Words,
    measured,
    seen_in,
    write_numbers,
)
from rosenblatt.data.features import Number as Number
from rosenblatt.data.naming import guess
from rosenblatt.data.open_table import reader_for
from rosenblatt.data.options import FileOptions, Reading, read_reading
from rosenblatt.data.stack import below, beside
from rosenblatt.data.target import SIGNS, Condition, Positive, Target
from rosenblatt.errors import InputError

ON_UNSEEN = ("error", "reference")
_SHOWN = 20  # columns that are named


@final
@dataclass(frozen=True)
class Preprocessing:
    """What was done to a table, so that it can be done again.

    `feature_names` are the names of the columns of X; `to_dict` and `from_dict` write it down and
    read it again.
    """

    columns: tuple[Number | Words | Prose, ...]  # those of prose are the last
    target: Target | None = None
    reading: Reading = field(
        default_factory=Reading
    )  # how tables are read, unless one is told otherwise

    @property
    def feature_names(self) -> list[str]:
        return [name for column in self.columns for name in column.features]

    def column_of(self, j: int) -> tuple[Number | Words | Prose, int]:
        """The column that feature j is of, and which of its features it is."""
        for column in self.columns:
            if j < len(column.features):
                return column, j
            j -= len(column.features)
        raise IndexError(j)

    @property
    def prose(self) -> list[Prose]:
        return [column for column in self.columns if isinstance(column, Prose)]

    def without_prose(self) -> Preprocessing:
        columns = tuple(column for column in self.columns if not isinstance(column, Prose))
        return replace(self, columns=columns)

    @property
    def n_dense(self) -> int:
        """How many features come before those of prose."""
        return sum(len(c.features) for c in self.columns if not isinstance(c, Prose))

    def head(self, X: Any) -> Any:
        """The features before those of prose, as an array; X itself where there is no prose."""
        return dense(X[:, : self.n_dense]) if sparse.issparse(X) else X

    @property
    def numbers(self) -> list[Number]:
        return [column for column in self.columns if isinstance(column, Number)]

    @property
    def scaled(self) -> bool:
        """Whether any number is shifted or scaled."""
        return not all(column.as_it_is for column in self.numbers)

    @property
    def inputs(self) -> list[str]:
        """The columns of a table that are read."""
        return [column.name for column in self.columns]

    def rows(
        self, batch: Batch, *, on_unseen: str = "error", out: Rows | None = None, seen: bool = False
    ) -> Any:
        """An array, or a CSR matrix where columns are prose. Each row is encoded by itself: any
        division into batches gives the same numbers. `seen`: the table was looked through, and its
        missing values may stay."""
        out = np.empty((batch.rows, self.n_dense)) if out is None else out
        begin = 0
        before = self.without_prose().columns
        for numbers, side_by_side in groupby(before, lambda c: isinstance(c, Number)):
            columns: list[Any] = list(side_by_side)
            if numbers:
                end = begin + len(columns)
                write_numbers(columns, batch, out[:, begin:end], seen)
                begin = end
                continue
            for column in columns:
                end = begin + len(column.features)
                column.write(batch, out[:, begin:end], on_unseen)
                begin = end
        return beside(out, [column.rows(batch) for column in self.prose])

    def labels(self, batch: Batch) -> NDArray[Any]:
        if self.target is None:
            raise InputError("The preprocessing has no target.")
        return self.target.labels(batch)

    def reader(
        self, source: Any, options: FileOptions | None = None, *, labelled: bool = False
    ) -> Reader:
        """New rows, read as the first table was but for `options`. Where that had no line of names,
        files without the column of labels are read, too."""
        target = None if self.target is None else self.target.name
        needed = frozenset([*self.inputs, *([target] if labelled and target else [])])
        reading = replace(self.reading, needed=needed, target=target)
        return reader_for(self.inputs, target, source, reading, options or FileOptions())

    def read(self, reader: Reader, *, labelled: bool = False) -> Iterable[Batch]:
        """Rows of files or of a data frame that have these columns."""
        kinds = {column.name: column.kind for column in self.columns}
        target = self.target if labelled else None
        if target is not None:
            kinds[target.name] = target.kind
        elif labelled:
            raise InputError("The preprocessing was made without a target, so it reads no labels.")
        _check_columns(reader, list(kinds))
        numbers = [name for name, kind in kinds.items() if kind is Kind.NUMBER]
        reader.kinds([name for name in numbers if name not in reader.styles])
        unwanted = target and Unwanted.of(reader.reading, target.name, target.kind)
        return RowsFrom(reader, kinds, unwanted, declared=True).all()

    def batches(
        self, source: Any, *, on_unseen: str = "error", **reading: Any
    ) -> Iterator[tuple[Batch, Any]]:
        """New rows, batch by batch: those of files, or of a data frame, that have these columns.

        They are read as the first table was. `reading` is `encoding`, `header`, `na_values`, `sep`,
        `names` and `sheet_name`, as in `read`, where that is not so.
        """
        parameters.one_of("on_unseen", on_unseen, ON_UNSEEN)
        reader = self.reader(source, FileOptions.of(**reading))
        for batch in self.read(reader):
            yield batch, self.rows(batch, on_unseen=on_unseen)

    def transform(self, source: Any, *, on_unseen: str = "error", **reading: Any) -> Any:
        """New rows as numbers: those of files, or of a data frame, that have these columns.

        on_unseen : "error" or "reference"
            What a word does that did not occur in training: raise an error; or be 0 in all columns
            of its own, as the reference level is, with a warning.
        """
        encoded, unknown = [], 0
        for batch, rows in self.batches(source, on_unseen=on_unseen, **reading):
            encoded.append(rows)
            words = self.unseen(batch) if on_unseen == "reference" else {}
            if words and not unknown:
                first = f"{batch.place(min(words))}, {words[min(words)][0]}"
            unknown += len(words)
        if unknown:
            sentence = f"{many(unknown, 'row')} with a category that did not occur in training"
            warnings.warn(f"{sentence}, as {first}.", UserWarning, stacklevel=2)
        return below(encoded, len(self.feature_names))

    def unseen(self, batch: Batch) -> dict[int, list[str]]:
        """The rows of a batch with unknown categories, and what these count as."""
        phrases: dict[int, list[str]] = {}
        for column in (c for c in self.columns if isinstance(c, Words)):
            for row, word in column.unseen(batch).items():
                phrase = f"{column.name}={word} counts as {column.counts_as}"
                phrases.setdefault(row, []).append(phrase)
        return phrases

    def wordless(self, X: Any) -> dict[int, list[str]]:
        """The rows of X that have no known word in a column of prose, and these columns."""
        columns: dict[int, list[str]] = {}
        begin = self.n_dense
        for column in self.prose:
            end = begin + len(column.words)
            for row in np.flatnonzero(np.diff(X[:, begin:end].indptr) == 0).tolist():
                columns.setdefault(row, []).append(column.name)
            begin = end
        return columns

    def lacking(self, batch: Batch) -> dict[int, list[str]]:
        """The rows of a batch that lack a value which is not filled, and the columns it is of."""
        columns: dict[int, list[str]] = {}
        for column in self.columns:
            if isinstance(column, Number):
                none = np.isnan(batch.numbers(column.name)) & (column.fill is None)
            elif isinstance(column, Words):
                none = (batch.words(column.name)[0] < 0) & (not column.missing)
            else:
                continue  # no text has no words
            for row in np.flatnonzero(none).tolist():
                columns.setdefault(row, []).append(column.name)
        return columns

    @property
    def references(self) -> list[str]:
        """The reference levels of columns of words, which have no 0/1 column: `town=Rome`."""
        words = [c for c in self.columns if isinstance(c, Words) and c.features != [c.name]]
        return [c.feature(c.reference) for c in words if c.reference is not None]

    def transform_labelled(self, source: Any, **reading: Any) -> tuple[Any, NDArray[Any]]:
        """Rows and labels of files, or of a data frame, that have these columns and the target."""
        X, y = [], []
        reader = self.reader(source, FileOptions.of(**reading), labelled=True)
        for batch in self.read(reader, labelled=True):
            X.append(self.rows(batch))
            y.append(self.labels(batch))
        labels = np.concatenate(y) if y else np.empty(0)
        return below(X, len(self.feature_names)), labels

    @property
    def number_places(self) -> list[int]:
        """The columns of X that are numbers, not 0/1 for words."""
        of = [c for c in self.columns for _ in c.features]
        return [j for j, column in enumerate(of) if isinstance(column, Number)]

    @cached_property
    def _to_finish(self) -> list[tuple[int, Number]]:
        """The columns of X that are filled or scaled: of wide tables there are few rows at a time,
        and most columns need neither."""
        pairs = zip(self.number_places, self.numbers, strict=True)
        return [(j, c) for j, c in pairs if c.fill is not None or not c.as_it_is]

    @property
    def changes_numbers(self) -> bool:
        """Whether any number is filled, shifted or scaled."""
        return bool(self._to_finish)

    def finish(self, X: Rows) -> None:
        """Fill and scale rows that were encoded with missing values."""
        for j, column in self._to_finish:
            if column.fill is not None:
                X[np.isnan(X[:, j]), j] = column.fill
            if not column.as_it_is:
                column.finish(X[:, j])

    def with_scales(self, fills: Any, centers: Any, scales: Any) -> Preprocessing:
        """With these for the columns of numbers, in their order."""
        settings = zip(self.numbers, fills, centers, scales, strict=True)
        return self._with_numbers(
            replace(column, fill=fill, center=center, scale=scale)
            for column, fill, center, scale in settings
        )

    def _with_numbers(self, numbers: Iterator[Number]) -> Preprocessing:
        columns = (next(numbers) if isinstance(c, Number) else c for c in self.columns)
        return replace(self, columns=tuple(columns))

    def with_seen(self, X: Any, made_by: Preprocessing) -> Preprocessing:
        """Notes the least and the greatest number of each column in these rows, which
        another one of the same columns made with missing values, and whether all are whole."""
        numbers = made_by.head(X)[:, made_by.number_places].T
        pairs = zip(self.numbers, numbers, strict=True)
        return self._with_numbers(replace(c, seen=seen_in(values)) for c, values in pairs)

    def filling(self, names: Collection[str]) -> Preprocessing:
        """Fills missing values in these columns of numbers only: what is said of a table names
        what was done to it, not what would have been."""
        return self._with_numbers(
            c if c.name in names else replace(c, fill=None) for c in self.numbers
        )

    def to_dict(self) -> dict[str, Any]:
        """Text, numbers, lists and dicts only; a float's repr is exact."""
        target = self.target
        return {
            "schema": SCHEMA,
            "columns": [_column(column) for column in self.columns],
            "target": None
            if target is None
            else {
                "name": target.name,
                "kind": target.kind.value,
                "values": list(target.values),
                "positive": _positive(target.positive),
            },
            "reading": self.reading.to_dict(),
        }

    @classmethod
    def from_dict(cls, document: Any) -> Preprocessing:
        """What `to_dict` gave. Raises InputError for anything else."""
        try:
            return _read(document)
        except InvalidDocument as why:
            raise InputError(f"This is not the preprocessing of a table: {why}.") from None


def _check_columns(reader: Reader, wanted: list[str]) -> None:
    names, file = reader.names, reader.files[0].name
    wrong = [name for name in wanted if name not in names]
    if len(wrong) > 1:
        what = f"lacks {len(wrong):,} columns that the training table had: "
        what += listed([repr(name) for name in wrong], _SHOWN)
    elif wrong:
        what = f"has no column {wrong[0]!r}, which the training table had"
    elif wrong := [name for name in wanted if names.count(name) > 1]:
        what = f"has several columns {wrong[0]!r}, of which the training table had one"
    else:
        return
    raise InputError(f"{file} {what}. {guess(wrong[0], names, header=reader.reading.has_names)}")


# --- As a document of text, numbers, lists and dicts, and back: nothing is trusted ---------------

SCHEMA = "rosenblatt-preprocessing/1"


def _positive(positive: Positive | None) -> Any:
    if isinstance(positive, Condition):
        return {"sign": positive.sign, "number": positive.number}
    return None if positive is None else list(positive)


def _column(column: Number | Words | Prose) -> dict[str, Any]:
    head: dict[str, Any] = {"name": column.name, "kind": column.kind.value}
    if isinstance(column, Number):
        head |= {"fill": column.fill, "center": column.center, "scale": column.scale}
        return head | {"seen": column.seen and column.seen._asdict()}
    head |= {"words": list(column.words)}
    if isinstance(column, Prose):
        hashed = column.hashed
        return head | {"hashed": hashed and {"into": hashed.into, "buckets": list(hashed.buckets)}}
    head |= {"missing": column.missing, "reference": column.reference}
    return head | {"pooled": column.pooled}


def _read(document: Any) -> Preprocessing:
    with Part(document, "the document") as part:
        part.one_of("schema", (SCHEMA,))
        reading = read_reading(part.part("reading"))
        columns = tuple(measured(_read_column(column), reading) for column in part.parts("columns"))
        target = None if part.value("target") is None else _read_target(part.part("target"))
    preprocessing = Preprocessing(columns, target, reading)
    if preprocessing.prose != list(columns[len(columns) - len(preprocessing.prose) :]):
        raise InvalidDocument("a column of prose is not among the last")
    for names in (
        preprocessing.inputs + ([target.name] if target else []),
        preprocessing.feature_names,
    ):
        if len(set(names)) != len(names):
            raise InvalidDocument("a name stands twice")
    return preprocessing


def _read_column(column: Part) -> Number | Words | Prose:
    with column as part:
        name, kind = part.text("name"), part.one_of("kind", [kind.value for kind in Kind])
        if kind == Kind.NUMBER.value:
            fill = part.optional(part.finite, "fill")
            center, scale = part.finite("center"), part.finite("scale")
            if scale <= 0:
                raise InvalidDocument(f"{part.name('scale')} is not positive")
            seen = part.optional(part.part, "seen")
            return Number(name, fill, center, scale, seen=None if seen is None else _seen(seen))
        words = part.texts("words")
        hashed = None
        if kind == Kind.PROSE.value and part.value("hashed") is not None:
            hashed = _read_hashed(part.part("hashed"), len(words))
        elif words != sorted(set(words)):
            raise InvalidDocument(f"{part.name('words')} are not sorted, or one stands twice")
        if kind == Kind.PROSE.value:
            return Prose(name, tuple(words), hashed)
        missing, boolean = part.flag("missing"), kind == Kind.BOOLEAN.value
        pooled = part.flag("pooled")
        empty = not (words or missing or pooled) or (pooled and (boolean or OTHER in words))
        if empty or (boolean and words != ["False", "True"]):
            raise InvalidDocument(f"{part.name('words')} are not those of a {kind} column")
        column_of_words = Words(name, tuple(words), missing, boolean, pooled=pooled)
        reference = part.optional(part.text, "reference")
        known = [*words, *[OTHER] * pooled]
        if reference is not None and (reference not in known or reference == MISSING):
            raise InvalidDocument(f"{part.name('reference')} is none of the words")
        if boolean and not missing and reference != FALSE:
            raise InvalidDocument(f"{part.name('reference')} is not False")
        return replace(column_of_words, reference=reference)


def _seen(seen: Part) -> Seen:
    with seen as part:
        values = Seen(part.finite("low"), part.finite("high"), part.flag("whole"))
        if values.low > values.high:
            raise InvalidDocument(f"{part.name('low')} is above {part.name('high')}")
        return values


def _read_hashed(part: Part, columns: int) -> Hashed:
    with part:
        into = part.whole("into", MOST_BUCKETS)
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
        if positive is not None:
            positive = part.values("positive")
        for label in positive or []:
            if type(label) is not type(values[0]) or label not in values:
                raise InvalidDocument(f"{part.name('positive')} is none of the values")
        if positive is not None and (positive != sorted(set(positive)) or positive in ([], values)):
            raise InvalidDocument(f"{part.name('positive')} are none, all, or not sorted")
        if len(values) < 2 or (len(values) == 2 and positive not in (None, values[:1])):
            raise InvalidDocument(f"{part.name('values')} are {len(values)}")
        return Target(name, kind, tuple(values), None if positive is None else tuple(positive))


def _read_condition(target: Part, kind: Kind) -> Condition:
    with target.part("positive") as part:
        if kind is not Kind.NUMBER:
            raise InvalidDocument(f"{target.name('positive')} is a condition on {kind.value}")
        return Condition(part.one_of("sign", SIGNS), part.finite("number"))
