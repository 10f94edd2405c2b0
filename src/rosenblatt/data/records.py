"""Delimited text in blocks of whole records: a line end inside quotes does not end a record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.ahead import AT_ONCE

QUOTE = ord('"')
BLOCK = 8 << 20
LONGEST = 256 << 20  # a longer record is a quote that is never closed


class Bytes(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


class TooLong(Exception):  # noqa: N818 - the word says what happened
    """A record has no end."""


def blocks(
    stream: Bytes, delimiter: str, size: int = BLOCK, kept: int = AT_ONCE
) -> Iterator[memoryview]:
    """Whole records, about `size` bytes at a time. A block is good until `kept` more were given
    and another one is asked for: its memory is used again."""
    others, buffer, end = deque(bytearray() for _ in range(kept)), bytearray(size), 0
    while True:
        while end < len(buffer):
            got = stream.readinto(memoryview(buffer)[end:])
            if not got:
                if end:
                    yield memoryview(buffer)[:end]
                return
            end += got
        cut = end_of_records(buffer, delimiter)
        if not cut:
            if len(buffer) >= LONGEST:
                raise TooLong
            buffer = buffer + bytearray(len(buffer))
            continue
        yield memoryview(buffer)[:cut]
        other = others.popleft()
        if len(other) < len(buffer):
            other = bytearray(len(buffer))
        other[: end - cut] = memoryview(buffer)[cut:end]
        others.append(buffer)
        buffer, end = other, end - cut


def end_of_records(block: bytearray | bytes, delimiter: str) -> int:
    """Just behind the last line end outside quotes; 0 where there is none.

    A quote opens at the beginning of a field only; inside, two of them stand for one.
    """
    line_end = b"\n" if b"\n" in block else b"\r"
    cut = block.rfind(line_end) + 1
    last = block.rfind(b'"')
    if last < 0:
        return cut
    upto = min(last + 2, len(block))  # often all quotes are in the names, at the beginning
    quotes = _quotes(np.frombuffer(block, dtype=np.uint8, count=upto), ord(delimiter))
    while cut:
        before = int(np.searchsorted(quotes, cut))
        if before % 2 == 0:
            break
        cut = block.rfind(line_end, 0, int(quotes[before - 1])) + 1
    return cut


def first_record(block: bytes, delimiter: str) -> tuple[int, int]:
    """Where the first record that is not an empty line begins, and where the next one does."""
    begin = len(block) - len(block.lstrip(b"\r\n"))
    quotes = _quotes(np.frombuffer(block[begin:] + b"\n", dtype=np.uint8), ord(delimiter)) + begin
    line_end = b"\n" if b"\n" in block else b"\r"
    end = block.find(line_end, begin) + 1
    while end and np.searchsorted(quotes, end) % 2:
        end = block.find(line_end, end) + 1
    return begin, end or len(block)


def _quotes(text: NDArray[np.uint8], delimiter: int) -> NDArray[np.intp]:
    """Places of the quotes that open and close, in turn."""
    quotes = np.flatnonzero(text == QUOTE)
    ends = np.array([delimiter, *b"\r\n"], dtype=np.uint8)
    before = text[quotes - 1]
    starts = np.isin(before, ends) | (quotes == 0)
    doubled = np.zeros(len(quotes), dtype=bool)  # the quote follows another one
    doubled[1:] = np.diff(quotes) == 1
    after = text[np.minimum(quotes + 1, len(text) - 1)]
    closes = np.isin(after, ends) | (after == QUOTE) | (quotes == len(text) - 1)
    if (starts | doubled)[0::2].all() and closes[1::2].all():
        return quotes
    return _one_by_one(quotes.tolist(), starts.tolist())


def _one_by_one(quotes: list[int], starts: list[bool]) -> NDArray[np.intp]:
    """Where quotes also stand inside fields that have none, as in 5" pipe."""
    places: list[int] = []
    k = 0
    while k < len(quotes):
        if len(places) % 2 == 0:
            if starts[k]:
                places.append(quotes[k])
        elif k + 1 < len(quotes) and quotes[k + 1] == quotes[k] + 1:
            k += 1  # two for one
        else:
            places.append(quotes[k])
        k += 1
    return np.array(places, dtype=np.intp)


def has_quote(block: bytes | memoryview) -> bool:
    """Searched for in what a view is of: only that has a quick way."""
    whole = block.obj if isinstance(block, memoryview) else block
    assert isinstance(whole, (bytes, bytearray))
    begin = _address(block) - _address(whole)
    return whole.find(b'"', begin, begin + len(block)) >= 0


def _address(block: Any) -> int:
    return int(np.frombuffer(block, dtype=np.uint8).__array_interface__["data"][0])
