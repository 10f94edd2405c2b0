"""Rows of svmlight text, some at a time: by the compiled core, or by scikit-learn's loader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt.data._source import Bytes
from rosenblatt.data._svmlight_grammar import MOST_INDEX, PART, find_fault, index_of
from rosenblatt.data._watching import tell
from rosenblatt.errors import InputError

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
    """Some rows, the indices as they are in the text."""

    data: NDArray[np.float64]
    indices: NDArray[Any]
    indptr: NDArray[np.int64]
    labels: NDArray[np.float64]


class Seen(Protocol):
    """What the text had so far; indices are given with the first line that has them."""

    @property
    def lines(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def entries(self) -> int: ...
    @property
    def comments(self) -> int: ...
    @property
    def queries(self) -> int: ...
    @property
    def least(self) -> int: ...
    @property
    def least_line(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def most_line(self) -> int: ...


class Reader(Protocol):
    @property
    def seen(self) -> Seen: ...

    def read(self, rows: int) -> Entries:
        """The next rows, fewer only at the end."""


def reader_of(source: Bytes) -> Reader:
    return NativeReader(source) if compute.native else SklearnReader(source)


def refused(name: str, number: int, line: bytes) -> InputError:
    """The error for a line that a reader does not take."""
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
        from rosenblatt._compute._core import SvmlightReader

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
                tell(self.seen.rows, self._source.share())
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
    """What `SvmlightReader` counts in the core."""

    lines: int = 0
    rows: int = 0
    entries: int = 0
    comments: int = 0
    queries: int = 0
    least: int = MOST_INDEX
    least_line: int = 0
    most: int = -1
    most_line: int = 0

    def add(self, parts: list[bytes]) -> None:
        """A row, given as its label and entries."""
        self.rows += 1
        if len(parts) > 1 and parts[1].startswith(b"q"):
            self.queries += 1
            del parts[1]
        self.entries += len(parts) - 1
        if len(parts) > 1:
            first, last = index_of(parts[1]), index_of(parts[-1])
            if first < self.least:
                self.least, self.least_line = first, self.lines
            if last > self.most:
                self.most, self.most_line = last, self.lines


class SklearnReader:
    """Lines are checked here, so that errors are ours, and read by scikit-learn's loader."""

    def __init__(self, source: Bytes) -> None:
        self.seen = Tally()
        self._name = source.name
        self._lines = source.lines()

    def read(self, rows: int) -> Entries:
        from sklearn.datasets import load_svmlight_file

        try:
            X, labels = load_svmlight_file(_Lines(self._checked(rows)), zero_based=True)
        except OverflowError as error:
            raise InputError(
                f"{self._name}, line {self.seen.lines}: an index is larger than 2147483647. "
                "Reading it needs the compiled core."
            ) from error
        return Entries(X.data, X.indices, X.indptr, labels)

    def _checked(self, rows: int) -> Iterator[bytes]:
        until = self.seen.rows + rows
        while self.seen.rows < until and (line := next(self._lines, None)) is not None:
            if self.seen.lines == 0:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            self.seen.lines += 1
            if find_fault(line):
                raise refused(self._name, self.seen.lines, line)
            text, comment, _ = line.partition(b"#")
            self.seen.comments += bool(comment)
            if parts := PART.findall(text):
                self.seen.add(parts)
                yield line


class _Lines:
    """A file for scikit-learn's loader: it asks for `read` and then goes through the lines."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def read(self) -> bytes:
        return b"\n".join(self._lines)
