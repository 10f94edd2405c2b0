"""svmlight (LIBSVM) text: one row a line, `label index:value index:value … # comment`.

The grammar is strict, and every number becomes the double nearest to it. See `docs/tables.md`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.backend import compute
from rosenblatt._validation import parameters
from rosenblatt.data.ahead import show_reading
from rosenblatt.data.opening import Bytes, Source, can_be_read_twice, opened_source
from rosenblatt.errors import InputError

# --- Why a line is refused: the grammar of `native/svmlight.hpp`, with words ----------------------

LONGEST_NUMBER = 4096
"""As in `native/decimal.hpp`."""

MOST_INDEX = 2**63 - 2
"""The largest index: the number of features is one more, and both are 64-bit numbers."""

PART = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_QUERY = re.compile(rb"qid:[+-]?\d+")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)

_LINE = "A line is: label index:value index:value …"


class Fault(NamedTuple):
    column: int  # of the part, counted in bytes from 1
    part: bytes
    why: str  # a sentence or two: what is wrong, what is allowed


def find_fault(line: bytes) -> Fault | None:
    """The first part of a line, without its end, that is against the grammar."""
    last = -1
    for place, part in enumerate(PART.finditer(line.partition(b"#")[0])):
        text = part.group()
        if place == 0:
            why = _label(text)
        elif place == 1 and text.startswith(b"q"):
            why = _query(text)
        else:
            why = _entry(text, last)
            last = last if why else int(text.partition(b":")[0])
        if why:
            return Fault(part.start() + 1, text, why)
    return None


def _label(text: bytes) -> str:
    why = _number("label", text)
    if not why:
        return ""
    if b"," in text:
        return "It has several labels. Allowed: one label a line."
    if b":" in text:
        return f"It begins with a feature, without a label. {_LINE}"
    return why


def _query(text: bytes) -> str:
    if not _QUERY.fullmatch(text) or _whole(text[4:].lstrip(b"+-")) > MOST_INDEX + 1:
        return f"This is no query id. After the label may come qid: and a whole number. {_LINE}"
    return ""


def _entry(text: bytes, last: int) -> str:
    index, colon, value = text.partition(b":")
    if index == b"qid":
        return "A query id stands between the label and the first feature."
    if not colon:
        return f"This is no feature: there is no colon in it. {_LINE}"
    if not index.isdigit():
        return f"The index is not a whole number, 0 or greater. {_LINE}"
    if _whole(index) > MOST_INDEX:
        return f"The index is too large. Allowed: up to {MOST_INDEX}."
    if _whole(index) == last:
        return f"Feature {last} is there twice. Allowed: each feature once, indices increasing."
    if _whole(index) < last:
        return f"It comes after feature {last}. Allowed: indices that increase along a line."
    return _number("value", value)


def _whole(digits: bytes) -> float:
    """Infinity where the digits are far too many."""
    significant = digits.lstrip(b"0")
    if len(digits) > LONGEST_NUMBER or len(significant) > 19:
        return math.inf
    return int(significant or b"0")


def _number(what: str, text: bytes) -> str:
    if _NOT_FINITE.fullmatch(text):
        return f"The {what} is not finite. Allowed: finite numbers."
    if not _NUMBER.fullmatch(text):
        return f"The {what} is not a number. Allowed: numbers such as 1, -0.5 or 2.5e-3."
    if len(text) > LONGEST_NUMBER:
        return f"The {what} has {len(text)} characters. Allowed: up to {LONGEST_NUMBER}."
    if math.isinf(float(text)):
        return f"The {what} is too large. Allowed: up to 1.7976931348623157e308."
    return ""


ZeroBased = bool | Literal["auto"]
MOST_HELD = 1 << 26
"""Features that rules are learned of: a weight for each takes half a gigabyte."""

_SCANNED = 1 << 13  # rows that are looked through at a time


@dataclass(frozen=True)
class SvmlightInfo:
    """What was found in a text.

    Attributes
    ----------
    rows, entries : how many rows, and how many index:value pairs in them.
    n_features : the number of columns of X.
    zero_based : True if the index of the first feature is 0, False if it is 1.
    qid : True if a line has a query id. They are checked and left out.
    comments : how many lines have a comment.
    """

    rows: int
    entries: int
    n_features: int
    zero_based: bool
    qid: bool
    comments: int


def read_svmlight(
    source: Source, *, n_features: int | None = None, zero_based: ZeroBased = "auto"
) -> tuple[sparse.csr_matrix, NDArray[np.float64], SvmlightInfo]:
    """Read svmlight text into memory.

    Parameters
    ----------
    source : path, open binary file or "-"
        Of a file or of "-", standard input: what is compressed by gzip, bz2 or zstd is unpacked.
    n_features : int, optional
        The number of features. By default the largest index says it.
    zero_based : bool or "auto", default="auto"
        Is the first feature 0 or 1? "auto": 0 if a line has a feature 0, else 1.

    Returns
    -------
    X : csr_matrix of float64, with int32 indices where they fit, else int64
    y : array of float64, the labels
    info : SvmlightInfo, what was found
    """
    _check(n_features, zero_based)
    return read_up_to(MOST_INDEX + 1, source, n_features, zero_based)


def read_up_to(
    most: int, source: Source, n_features: int | None, zero_based: ZeroBased = "auto"
) -> tuple[sparse.csr_matrix, NDArray[np.float64], SvmlightInfo]:
    """`most`: features that the text may have where `n_features` does not say it."""
    with opened_source(source) as text:
        reader = reader_of(text)
        entries = reader.read(ALL)
        info = _info(text, reader, n_features, zero_based, most)
    return *_rows(entries, info), info


def iterate_svmlight(
    source: Source,
    rows_per_chunk: int = 65536,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
) -> Iterator[tuple[sparse.csr_matrix, NDArray[np.float64]]]:
    """Read svmlight text a chunk of rows at a time, in bounded memory.

    The chunks below each other are what `read_svmlight` gives. Unless both `n_features` and
    `zero_based` are given, the text is read once before, to find them out; standard input can be
    read only once, so there they must be given.

    Parameters
    ----------
    source, n_features, zero_based : as for `read_svmlight`
    rows_per_chunk : int, default=65536
        How many rows a chunk has; the last one may have fewer.

    Yields
    ------
    X, y : as from `read_svmlight`
    """
    _check(n_features, zero_based)
    parameters.whole("rows_per_chunk", rows_per_chunk)
    return _chunks(source, min(rows_per_chunk, ALL), n_features, zero_based)


def _chunks(
    source: Source, rows_per_chunk: int, n_features: int | None, zero_based: ZeroBased
) -> Iterator[tuple[sparse.csr_matrix, NDArray[np.float64]]]:
    if n_features is None or zero_based == "auto":
        if not can_be_read_twice(source):
            with opened_source(source) as text:
                raise InputError(
                    f"{text.name} can be read only once: give n_features and zero_based "
                    "(True or False), which otherwise take a first reading to find out."
                )
        info = scan(source, n_features=n_features, zero_based=zero_based)
        n_features, zero_based = info.n_features, info.zero_based
    with opened_source(source) as text:
        reader = reader_of(text)
        while len((entries := reader.read(rows_per_chunk)).labels):
            yield _rows(entries, _info(text, reader, n_features, zero_based))
        _info(text, reader, n_features, zero_based)


def scan(
    source: Source,
    *,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    see: Callable[[NDArray[np.float64]], object] = len,
    most: int = MOST_INDEX + 1,
) -> SvmlightInfo:
    """Read everything, `see` its labels, keep nothing; an open file goes back to where it was."""
    with opened_source(source) as text:
        before = None if isinstance(source, (str, os.PathLike)) else source.tell()
        reader = reader_of(text)
        while len(labels := reader.read(_SCANNED).labels):
            see(labels)
        if before is not None:
            text.file.seek(before)
        return _info(text, reader, n_features, zero_based, most)


def _check(n_features: int | None, zero_based: object) -> None:
    if (parameters.whole_or_none("n_features", n_features) or 0) > MOST_INDEX + 1:
        raise InputError(
            f"n_features={n_features} is too many. Allowed: up to {MOST_INDEX + 1}.",
            option="n_features",
            value=n_features,
        )
    if not isinstance(zero_based, (bool, np.bool_)) and zero_based != "auto":
        raise InputError(
            f"zero_based={zero_based!r} is not known. Allowed: True, False, 'auto'.",
            option="zero_based",
            value=zero_based,
        )


def _info(
    text: Bytes,
    reader: Reader,
    n_features: int | None,
    zero_based: ZeroBased,
    most: int = MOST_INDEX + 1,
) -> SvmlightInfo:
    seen, name = reader.seen, text.name
    if seen.rows == 0:
        raise InputError(f"{name} has no rows: {seen.lines} lines, all empty or comments.")
    if seen.entries == 0 and n_features is None:
        raise InputError(f"{name} has no features in any of its {seen.rows} rows: give n_features.")
    if zero_based == "auto":
        first = 1 if seen.entries and seen.least > 0 else 0
    else:
        first = 0 if zero_based else 1
        if seen.least < first:
            raise InputError(
                f"{name}, line {seen.least_line} has feature 0, but zero_based=False says that "
                'the first is 1. Give zero_based=True or "auto".'
            )
    d = seen.most + 1 - first
    if n_features is not None and d > n_features:
        raise InputError(
            f"{name}, line {seen.most_line} has feature {seen.most}, but n_features={n_features} "
            f"says that the last is {n_features - 1 + first}. Give n_features={d} or more."
        )
    if n_features is None and d > most:
        raise InputError(
            f"{name}, line {seen.most_line} has feature {seen.most}: weights for so many features "
            f"would not fit into memory. Allowed: up to {most:,}. Is it an identifier? Leave it "
            "out. Are the features few, with large numbers? Number them 1, 2, and so on."
        )
    return SvmlightInfo(
        rows=seen.rows,
        entries=seen.entries,
        n_features=d if n_features is None else int(n_features),
        zero_based=first == 0,
        qid=seen.queries > 0,
        comments=seen.comments,
    )


def _rows(entries: Entries, info: SvmlightInfo) -> tuple[sparse.csr_matrix, NDArray[np.float64]]:
    data, indices, indptr, labels = entries
    if not info.zero_based:
        indices -= 1
    fits = max(info.n_features, len(data)) <= np.iinfo(np.int32).max
    whole = np.int32 if fits else np.int64
    columns, starts = indices.astype(whole, copy=False), indptr.astype(whole, copy=False)
    X = sparse.csr_matrix((data, columns, starts), shape=(len(labels), info.n_features))
    X.has_canonical_format = True  # indices increase along every line
    return X, labels


# --- Rows, some at a time: by the compiled core, or in Python -------------------------------------

BLOCK = 1 << 20
"""How many bytes are parsed at a time: a few milliseconds, and Ctrl-C is heard in between."""

LONGEST_LINE = 1 << 30
"""A file without ends of lines must not fill the memory before it is refused."""

ALL = 2**63 - 1
"""More rows than any file has."""

_SLACK = 7
"""Bytes that the core may read behind a block, whatever they are: `slack` in native/decimal.hpp."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Entries(NamedTuple):
    data: NDArray[np.float64]
    indices: NDArray[Any]  # as they are in the text
    indptr: NDArray[np.int64]
    labels: NDArray[np.float64]


class Reader(Protocol):
    seen: Any  # a Tally, or what counts the same in the core

    def read(self, rows: int) -> Entries: ...  # fewer only at the end


def reader_of(source: Bytes) -> Reader:
    return NativeReader(source) if compute.native else PythonReader(source)


def refused(name: str, number: int, line: bytes) -> InputError:
    fault = find_fault(line)
    if fault is None:
        return InputError(f"{name}, line {number} cannot be read: {_shown(line)}")
    where = f"{name}, line {number}, column {fault.column}"
    return InputError(f"{where}: {_shown(fault.part)}. {fault.why}")


def _shown(text: bytes) -> str:
    """As Python would write it, so that odd bytes can be seen; not more than 40 of them."""
    short = text if len(text) <= 40 else text[:37] + b"..."
    return repr(short)[1:]


class NativeReader:
    """The lines of a block are parsed in one go; a line that is not finished waits for the next."""

    def __init__(self, source: Bytes) -> None:
        from rosenblatt._core._native import SvmlightReader

        self.seen = SvmlightReader()
        self._source = source
        self._text = np.empty(BLOCK + _SLACK, dtype=np.uint8)
        self._begin = self._end = 0  # what of the block is still to be parsed
        self._over = False
        self._more()
        if self._text[: self._end].tobytes().startswith(_BYTE_ORDER_MARK):
            self._begin = 3

    def read(self, rows: int) -> Entries:
        until = self.seen.rows + rows
        while self.seen.rows < until:
            if self._begin < self._end:
                self._begin, fine = self.seen.read(
                    self._text, self._begin, self._end, until - self.seen.rows
                )
                if not fine:
                    raise refused(self._source.name, self.seen.lines + 1, self._line())
                show_reading(self.seen.rows, self._source.share())
            if self.seen.rows < until and not self._more():
                break
        return Entries(*self.seen.take())

    def _more(self) -> bool:
        """Fill the block, behind the unfinished line. False: that was all."""
        if self._over:
            return False
        left = self._end - self._begin
        self._text[:left] = self._text[self._begin : self._end]
        self._begin, self._end = 0, left
        if 2 * left >= len(self._text) - _SLACK:
            self._enlarge()
        # One byte stays free, for the newline that the last line may lack.
        room = memoryview(self._text)[: -_SLACK - 1]
        while not self._over and self._end < len(room):
            count = self._source.read_into(room[self._end :])
            self._end += count
            self._over = count == 0
        if self._over and self._end and self._text[self._end - 1] != ord("\n"):
            self._text[self._end] = ord("\n")
            self._end += 1
        return True

    def _enlarge(self) -> None:
        if len(self._text) >= LONGEST_LINE:
            raise InputError(
                f"{self._source.name}, line {self.seen.lines + 1} is longer than "
                f"{LONGEST_LINE // 2} bytes: this does not look like svmlight text."
            )
        larger = np.empty(2 * len(self._text) - _SLACK, dtype=np.uint8)
        larger[: self._end] = self._text[: self._end]
        self._text = larger

    def _line(self) -> bytes:
        rest = self._text[self._begin : self._end].tobytes()
        return rest.partition(b"\n")[0].removesuffix(b"\r")


@dataclass
class Tally:
    """What the text had so far; indices are given with the first line that has them."""

    lines: int = 0
    rows: int = 0
    entries: int = 0
    comments: int = 0
    queries: int = 0
    least: int = MOST_INDEX
    least_line: int = 0
    most: int = -1
    most_line: int = 0

    def add_row(self, indices: list[int]) -> None:
        self.rows += 1
        self.entries += len(indices)
        if indices and indices[0] < self.least:
            self.least, self.least_line = indices[0], self.lines
        if indices and indices[-1] > self.most:
            self.most, self.most_line = indices[-1], self.lines


class PythonReader:
    def __init__(self, source: Bytes) -> None:
        self.seen = Tally()
        self._name = source.name
        self._lines = source.lines()

    def read(self, rows: int) -> Entries:
        seen, until = self.seen, self.seen.rows + rows
        data: list[float] = []
        indices: list[int] = []
        ends, labels = [0], []
        while seen.rows < until and (line := next(self._lines, None)) is not None:
            if seen.lines == 0:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            seen.lines += 1
            if find_fault(line):
                raise refused(self._name, seen.lines, line)
            text, comment, _ = line.partition(b"#")
            seen.comments += bool(comment)
            if not (parts := PART.findall(text)):
                continue
            label, *entries = parts
            if entries and entries[0].startswith(b"q"):
                seen.queries += 1
                del entries[0]
            labels.append(float(label))
            for entry in entries:
                index, _, value = entry.partition(b":")
                indices.append(int(index))
                data.append(float(value))
            seen.add_row(indices[ends[-1] :])
            ends.append(len(data))
        return Entries(
            np.array(data), np.array(indices, dtype=np.int64), np.array(ends), np.array(labels)
        )
