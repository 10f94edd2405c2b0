"""Some rows of a table, as every reader hands them over: numbers as float64, the rest as text."""

from __future__ import annotations

import copy
import enum
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import in_file, in_memory
from rosenblatt.data.dates import Days
from rosenblatt.data.files import File
from rosenblatt.data.formatted_numbers import Style
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
    dialect: Any = None  # of text

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
        from rosenblatt.data.numbering import line_of

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
    dialect: Any = None  # of text

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


class Reader(ABC):
    """Files with the same columns, one after the other, or a data frame."""

    dialect: Any = None  # of text

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
