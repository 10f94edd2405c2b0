"""svmlight (LIBSVM) text: one row a line, `label index:value index:value … # comment`.

The grammar is strict, and every number becomes the double nearest to it. See `docs/svmlight.md`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._inputs import validate
from rosenblatt.data._source import Bytes, Source, can_be_read_twice, opened
from rosenblatt.data._svmlight_grammar import MOST_INDEX
from rosenblatt.data._svmlight_readers import ALL, Entries, Reader, reader_of
from rosenblatt.errors import InputError

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
    return _read(source, n_features, zero_based, MOST_INDEX + 1)


Read = tuple[sparse.csr_matrix, NDArray[np.float64], SvmlightInfo]


def read_held(source: Source, n_features: int | None) -> Read:
    """The same, of rows that weights will be learned from: these must fit into memory."""
    return _read(source, n_features, "auto", MOST_HELD)


def _read(source: Source, n_features: int | None, zero_based: ZeroBased, most: int) -> Read:
    with opened(source) as text:
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
    validate.whole("rows_per_chunk", rows_per_chunk)
    return _chunks(source, min(rows_per_chunk, ALL), n_features, zero_based)


def _chunks(
    source: Source, rows_per_chunk: int, n_features: int | None, zero_based: ZeroBased
) -> Iterator[tuple[sparse.csr_matrix, NDArray[np.float64]]]:
    if n_features is None or zero_based == "auto":
        if not can_be_read_twice(source):
            with opened(source) as text:
                raise InputError(
                    f"{text.name} can be read only once: give n_features and zero_based "
                    "(True or False), which otherwise take a first reading to find out."
                )
        info = scan(source, n_features=n_features, zero_based=zero_based)
        n_features, zero_based = info.n_features, info.zero_based
    with opened(source) as text:
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
    """Read everything, `see` its labels, keep nothing; an open file goes back to where it was.

    `most`: features that the text may have where `n_features` does not say it.
    """
    with opened(source) as text:
        before = None if isinstance(source, (str, os.PathLike)) else source.tell()
        reader = reader_of(text)
        while len(labels := reader.read(_SCANNED).labels):
            see(labels)
        if before is not None:
            text.file.seek(before)
        return _info(text, reader, n_features, zero_based, most)


def _check(n_features: int | None, zero_based: object) -> None:
    if (validate.whole_or_none("n_features", n_features) or 0) > MOST_INDEX + 1:
        raise InputError(f"n_features={n_features} is too many. Allowed: up to {MOST_INDEX + 1}.")
    if not isinstance(zero_based, (bool, np.bool_)) and zero_based != "auto":
        raise InputError(f"zero_based={zero_based!r} is not known. Allowed: True, False, 'auto'.")


def _info(
    text: Bytes,
    reader: Reader,
    n_features: int | None,
    zero_based: ZeroBased,
    most: int = MOST_INDEX + 1,
) -> SvmlightInfo:
    """Which index is the first, how many features there are; do the rows agree with it?"""
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
