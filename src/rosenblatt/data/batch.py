"""Some rows of a table, as every reader hands them over: numbers as float64, the rest as text.

Which rows of which files they are goes along, for messages, for certificates, and for whoever reads
a part of a table.
"""

from __future__ import annotations

import copy
import csv
import enum
import io
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from typing import Any, NamedTuple, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import in_file, in_memory, listed, many
from rosenblatt.data.ahead import ahead, watched
from rosenblatt.data.dates import Days
from rosenblatt.data.dialect import Dialect, announced
from rosenblatt.data.files import File
from rosenblatt.data.formatted_numbers import Style
from rosenblatt.data.naming import find_columns
from rosenblatt.data.opening import open_bytes
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

TEXT = pa.dictionary(pa.int32(), pa.string())
_PIECE = 1 << 18  # numbers that are put into rows at a time
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class Kind(enum.Enum):
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    PROSE = "prose"


class Place(NamedTuple):
    """A row of a file, counted from 0, as in the array that it becomes; not so for a person."""

    file: File
    row: int
    dialect: Dialect | None = None  # of text

    def __str__(self) -> str:
        return f"{self.file.name}, {self._row()}"

    def below(self, rows: int) -> Place:
        return self._replace(row=self.row + rows)

    def error(self, sentence: str, **data: Any) -> InputError:
        return InputError(f"{self}, {sentence}", file=self.file.name, row=self.row, **data)

    def _row(self) -> str:
        if self.file.kind == "frame":
            return in_memory(self.row)
        if self.dialect is None:
            return in_file(self.row)
        return in_file(self.row, line_of(self.file, self.dialect, self.row))


class Recode(Exception):  # noqa: N818 - an instruction, not a failure
    """Columns hold something else than was thought: read again with these kinds."""

    def __init__(self, kinds: dict[str, Kind]):
        super().__init__("columns turned out to hold something else")
        self.kinds = kinds


@dataclass(frozen=True)
class Batch:
    """Rows that follow each other in one file; the first is row `start` of it. Some may be left
    out: `numbered` has the places of the others, counted from there."""

    columns: Any  # a pyarrow.RecordBatch
    file: File
    start: int
    share: float  # of the file that is read when these rows are
    numbered: NDArray[np.int64] | None = None
    dialect: Dialect | None = None  # of text

    @property
    def rows(self) -> int:
        return int(self.columns.num_rows)

    def slice(self, begin: int, rows: int) -> Batch:
        columns = self.columns.slice(begin, rows)
        if self.numbered is None:
            return replace(self, columns=columns, start=self.start + begin)
        return replace(self, columns=columns, numbered=self.numbered[begin : begin + rows])

    def some(self, rows: int) -> Iterator[Batch]:
        """Smaller batches, of so many rows."""
        return (self.slice(i, rows) for i in range(0, self.rows, rows))

    def only(self, rows: NDArray[np.bool_]) -> Batch:
        return replace(
            self, columns=self.columns.filter(pa.array(rows)), numbered=np.flatnonzero(rows)
        )

    def place(self, i: int) -> Place:
        row = self.start + int(i if self.numbered is None else self.numbered[i])
        return Place(self.file, row, self.dialect)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; NaN where one is missing."""
        return np.asarray(_values(self.columns.column(name)), dtype=np.float64)

    def matrix(self, names: list[str]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Columns of numbers as rows, some at a time, and which is the first of them: sooner
        than one column after the other."""
        numbers = self.columns.select(names)
        size = max(1, _PIECE // len(names))
        for i in range(0, self.rows, size):
            tensor = numbers.slice(i, size).to_tensor(null_to_nan=True, row_major=True)
            yield i, tensor.to_numpy()

    def words(self, name: str) -> tuple[NDArray[np.int64], list[str | None]]:
        """A column of text as codes and the words they stand for; code -1 where it is missing.

        Spaces around a word do not count, and a word may stand twice in the list.
        """
        column = self.columns.column(name)
        words = [(word or "").strip() or None for word in column.dictionary.to_pylist()]
        codes = codes_of(column)
        if None in words:
            empty = np.array([word is None for word in [*words, "there"]])
            codes = np.where(empty[codes], -1, codes)
        return codes, words


def first_of(
    batches: Iterable[Batch], name: str, holds: Callable[[str], bool]
) -> tuple[Place, str] | None:
    """The first row of a column of text with such a word, and the word."""
    for batch in batches:
        codes, words = batch.words(name)
        such = np.array([*(word is not None and holds(word) for word in words), False])[codes]
        if such.any():
            row = int(such.argmax())
            return batch.place(row), str(words[codes[row]])
    return None


class Reader(ABC):
    """Files with the same columns, one after the other, or a data frame."""

    dialect: Dialect | None = None  # of text

    def __init__(self, files: list[File], names: list[str], reading: Reading):
        self.files, self.names, self._reading = files, names, reading
        self.styles: dict[str, Style | Days] = dict(reading.styles)

    def drop_labels(self, labels: Iterable[str]) -> None:
        dropped = (*self._reading.drop_label, *labels)
        self._reading = replace(self._reading, drop_label=dropped)

    def copy(self) -> Self:
        """For a table of its own: what it finds out about its columns does not touch this one."""
        twin = copy.copy(self)
        twin.styles = dict(self.styles)
        return twin

    @property
    def decimal(self) -> str:
        return self._reading.decimal or "."

    @property
    def reading(self) -> Reading:
        """How other tables like this one are read."""
        return replace(self._reading, styles=self.styles)

    def is_category(self, name: str) -> bool:
        return False

    def texts(self, columns: list[str] | None) -> tuple[list[str], Iterator[tuple[str, ...]]]:
        """Columns (None: all that have a name of their own), and row by row what is written there;
        nothing where a value is missing."""
        names, file = self.names, self.files[0].name
        wanted = list(dict.fromkeys(names if columns is None else columns))
        find_columns(names, file, [("copy", n) for n in wanted], header=self.reading.has_names)
        if len(set(names)) < len(names):
            wanted = [name for name in wanted if names.count(name) == 1]
        return wanted, self.copy()._texts(wanted)

    def _texts(self, names: list[str]) -> Iterator[tuple[str, ...]]:
        for batch in self.batches(dict.fromkeys(names, Kind.TEXT), declared=True):
            columns = [batch.columns.column(name).to_pylist() for name in names]
            yield from zip(*([v or "" for v in column] for column in columns), strict=True)

    @property
    @abstractmethod
    def fingerprint(self) -> dict[str, Any]: ...

    @abstractmethod
    def as_written(self) -> Self:
        """Without words that stand for a missing value."""

    @abstractmethod
    def kinds(self, wanted: list[str]) -> dict[str, Kind]:
        """A first guess for text; of other columns what their types say."""

    @abstractmethod
    def batches(self, kinds: dict[str, Kind], *, declared: bool = False) -> Generator[Batch]:
        """Numbers as float64, text as dictionaries.

        Where a column of numbers holds something else, raises Recode with what it is; or, if the
        kinds are declared, InputError with the place. Typed columns are converted if they are
        declared to be of another kind.
        """


def codes_of(column: Any) -> NDArray[np.int64]:
    """The places in the dictionary of a column of text; -1 where a word is missing."""
    indices = column.indices
    filled = indices.fill_null(-1) if indices.null_count else indices
    return np.asarray(_values(filled), dtype=np.int64)


def _values(column: Any) -> NDArray[Any]:
    """NaN where one is missing. Not by to_numpy, which imports pandas: that takes longer."""
    if not column.null_count:
        return np.from_dlpack(column)  # the same memory
    batch = pa.RecordBatch.from_arrays([column], names=[""])
    values: NDArray[Any] = batch.to_tensor(null_to_nan=True).to_numpy()[:, 0]
    return values


# --- Some of the rows of files that are read together --------------------------------------------
#
# A file begins where those before it end. How many rows it has is known once the table was looked
# through: so some rows can be read, by anyone, without those before them, and have the numbers that
# they have among all. Rows that are left out keep theirs.


@final
@dataclass(frozen=True)
class RowsFrom:
    """Some files, what is known of their columns, and which of their rows are meant."""

    reader: Reader
    kinds: dict[str, Kind]
    unwanted: Unwanted | None
    declared: bool = False
    skip: int = 0  # rows before,
    rows: int = 0  # and how many there are

    def all(self) -> Iterable[Batch]:
        read = self.reader.batches(self.kinds, declared=self.declared)
        batches = watched(ahead(read), self.reader.files)
        return batches if self.unwanted is None else Labelled(batches, self.unwanted)

    def batches(self) -> Iterator[Batch]:
        return some_of(self.all(), self.skip, self.skip + self.rows) if self.rows > 0 else iter(())

    def between(self, begin: int, end: int, by_file: list[int]) -> Self:
        """Some of all rows, from the files that they lie in."""
        edges = list(pairwise([0, *accumulate(by_file)]))
        some = [k for k, (first, last) in enumerate(edges) if first < end and begin < last]
        reader = self.reader.copy()
        reader.files = [self.reader.files[k] for k in some]
        skip = begin - edges[some[0]][0] if some else 0
        return replace(self, reader=reader, skip=skip, rows=end - begin if some else 0)


def some_of(batches: Iterable[Batch], begin: int, end: int) -> Iterator[Batch]:
    first = 0
    for batch in batches:
        a, b = max(begin - first, 0), min(end - first, batch.rows)
        if a < b:
            yield batch if b - a == batch.rows else batch.slice(a, b - a)
        first += batch.rows
        if first >= end:
            return


# --- Rows that are left out for their label, when that is asked for -------------------------------

_NAMED = 5  # labels


@final
@dataclass(frozen=True)
class Unwanted:
    """Rows with some labels; `missing`: and rows that have none."""

    target: str
    kind: Kind
    labels: tuple[str, ...] = ()
    missing: bool = False

    @classmethod
    def of(cls, reading: Reading, target: str | None, kind: Kind | None) -> Self | None:
        if target is None or kind is None or not (reading.drop_label or reading.drop_unlabelled):
            return None
        return cls(target, kind, reading.drop_label, reading.drop_unlabelled)

    def there(self, batch: Batch) -> NDArray[np.bool_]:
        """The other rows."""
        values: list[Any]
        if self.kind is Kind.NUMBER:
            numbers = batch.numbers(self.target)
            different, codes = np.unique(numbers, return_inverse=True)
            values, none = different.tolist(), np.isnan(numbers)
        else:
            codes, words = batch.words(self.target)
            values, none = [*words], codes < 0
        dropped = [any(same_label(label, value) for label in self.labels) for value in values]
        there = ~np.array([*dropped, False])[codes]
        return np.where(none, not self.missing, there)


def same_label(label: Any, word: Any) -> bool:
    """Is the label that someone gave this one of the table?"""
    if isinstance(word, str):
        return str(label).strip() == word or (word in TRUTH and label is TRUTH[word])
    try:
        return bool(float(label) == word)
    except (TypeError, ValueError):
        return False


@final
class Labelled:
    """The rows of batches that are not unwanted. When all were given, `left_out` are the numbers of
    the others, counted from 0 over all files."""

    def __init__(self, batches: Iterable[Batch], unwanted: Unwanted):
        self._batches, self._unwanted = batches, unwanted
        self._left_out: list[NDArray[np.int64]] = []
        self._seen = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            there = self._unwanted.there(batch)
            self._left_out.append(self._seen + np.flatnonzero(~there))
            self._seen += batch.rows
            if there.all():
                yield batch
            elif there.any():
                yield batch.only(there)

    @property
    def left_out(self) -> NDArray[np.int64]:
        return np.concatenate(self._left_out) if self._left_out else np.empty(0, dtype=np.int64)


def left_out_of(batches: Iterable[Batch]) -> NDArray[np.int64]:
    """The numbers of the rows that these batches left out, when all were given."""
    return batches.left_out if isinstance(batches, Labelled) else np.empty(0, dtype=np.int64)


def unlabelled(left_out: int, reading: Reading) -> str:
    why = ["without a label"] * reading.drop_unlabelled
    if labels := reading.drop_label:
        why.append(f"with the label {listed([repr(label) for label in labels], _NAMED)}")
    return f"{many(left_out, 'row')} {' or '.join(why)} left out"


# --- Where a row stands in its file: a line of text, a row of a sheet -----------------------------
#
# They differ from the row's number by the header, by empty lines, and by line ends inside quotes.
# So the file is read again up to there: only a message about one row needs it.

_MOST = 1 << 20  # rows: to find a line further down takes longer than a person waits


def line_of(file: File, dialect: Dialect, row: int) -> str | None:
    """As it is told: "line 4", "sheet row 4"; None where it cannot be found."""
    try:
        return _line(file, dialect, row) if row < _MOST else None
    except Exception:  # the message is about something else, and comes without a line
        return None


def _line(file: File, dialect: Dialect, row: int) -> str | None:
    stream, _ = open_bytes(file.path, file.name)
    with stream:
        text = io.BufferedReader(dialect.text(stream, file))
        skipped = len(announced(text.peek())[1] or "")  # a line that is not counted in sheets
        lines = io.TextIOWrapper(text, encoding="utf-8", errors="replace", newline="")
        above = sum(1 for _ in islice(lines, skipped + dialect.skip))
        records = csv.reader(lines, delimiter=dialect.delimiter)
        number, left = above - skipped, row + dialect.header
        while True:
            first = above + records.line_num + 1  # a record may have several
            record = next(records)
            number += 1
            if record and left == 0:
                return (file.called or f"line {first}").format(number, number - 1)
            left -= bool(record)


# --- Numbers that are written as text -------------------------------------------------------------

_VALUES = 4096  # looked at together: a call by itself takes as long as a thousand of them


def not_numbers(table: Any, names: Iterable[str], decimal: str) -> set[str]:
    """The columns of strings that hold anything else than numbers and missing values."""
    rest, others = iter(names), set[str]()
    size = max(1, _VALUES // max(table.num_rows, 1))
    while some := list(islice(rest, size)):
        if size > 1:
            chunks = [chunk for name in some for chunk in table.column(name).chunks]
            if _numbers(pa.concat_arrays(chunks), decimal):
                continue
        others |= {name for name in some if not _numbers(table.column(name), decimal)}
    return others


def numbers_of(column: Any, decimal: str) -> Any:
    """Strings as float64, missing where they are; None where one is no number."""
    text = pc.utf8_trim(column, " \t")
    if decimal != ".":
        if pc.any(pc.match_substring(text, ".")).as_py():
            return None
        text = pc.replace_substring(text, decimal, ".")
    try:
        return pc.cast(text, pa.float64())
    except pa.ArrowInvalid:
        return None


def _numbers(column: Any, decimal: str) -> bool:
    return numbers_of(column, decimal) is not None


def first_not_number(column: Any, decimal: str) -> int | None:
    """The first place in a column of strings that holds neither a number nor nothing."""
    if _numbers(column, decimal):
        return None
    ends = range(1, len(column))
    return bisect_left(ends, True, key=lambda end: not _numbers(column.slice(0, end), decimal))


def converted(column: Any, style: Style | Days, name: str, place: Place) -> Any:
    """A column of text, as a dictionary, as the numbers that its words are; the first row is at
    this place."""
    words = [None if word is None else word.strip() for word in column.dictionary.to_pylist()]
    numbers = [style.number(word) if word else None for word in words]
    codes = codes_of(column)
    wrong = np.array([bool(w) and n is None for w, n in zip(words, numbers, strict=True)] + [False])
    if wrong[codes].any():
        row = int(wrong[codes].argmax())
        word = words[codes[row]]
        raise place.below(row).error(
            f"column {name!r} holds {word!r}: {style.expected} is expected. Correct it; or, if it "
            f"stands for a missing value, say so: {option('na_values', word)}.",
            column=name,
            value=word,
        )
    values = np.array([np.nan if n is None else n for n in numbers] + [np.nan])[codes]
    return pa.array(values, mask=np.isnan(values))
