"""Is this the same data as last time? One fingerprint of rows and labels, however they are stored.

It is shown by model files, certificates, checkpoints and traces; `docs/definitions.md` defines it.
Blocks of rows are hashed on their own, so that it can be made in parts. A certificate's verifier
computes it once more (`verify.py`), with the standard library alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Csr, Examples, Matrix, row_range
from rosenblatt._util.progress import check_interrupt

if TYPE_CHECKING:
    from hashlib import _Hash


BLOCK = 1 << 16  # rows that are hashed on their own; as in `verify.py` and the page
STRIP = 1 << 10  # rows that are written in one form
_PIECE = 1 << 16  # numbers that are made ready at a time: a cache holds them

Labels = NDArray[Any]  # signs, int8; numbers of many classes, int32
RowsFrom = Callable[[int, int], tuple[Matrix, Labels]]


def of_examples(examples: Examples) -> str:
    """Of labelled rows; one of weight 0 has the sign 0. Many classes are counted from 1 instead."""
    c = examples.c
    y = examples.y if examples.k is None else examples.y + np.int32(1)
    return of_matrix(examples.rows.X, y if c is None else np.where(c == 0, 0, y).astype(y.dtype))


def of_matrix(X: Matrix, y: Labels) -> str:
    def rows(begin: int, end: int) -> tuple[Matrix, Labels]:
        return row_range(X, begin, end), y[begin:end]

    return of_rows(X.shape, rows)


def of_rows(shape: tuple[int, int], rows: RowsFrom) -> str:
    """Of so many rows and features; `rows(begin, end)` gives some of them, with their signs."""
    return of_blocks(shape, (of_block(*rows(begin, end)) for begin, end in ranges(shape[0])))


def of_blocks(shape: tuple[int, int], blocks: Iterable[bytes]) -> str:
    digest = hashlib.sha256(np.array(shape, dtype="<u8"))
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def of_block(X: Matrix, y: Labels) -> bytes:
    signs = np.ascontiguousarray(y, dtype="<i4" if y.dtype == np.int32 else "i1")
    digest = hashlib.sha256(_head(signs.itemsize, len(signs)))
    digest.update(signs)
    strips = _csr_strips(digest, X) if isinstance(X, Csr) else _dense_strips(digest, X)
    for _ in strips:
        check_interrupt()
    return digest.digest()


def of_weights(weights: Iterable[NDArray[np.float64]]) -> str:
    """Of the weights of rows, given in blocks of `BLOCK`."""
    digest = hashlib.sha256()
    for block in weights:
        digest.update(of_weight_block(block))
    return digest.hexdigest()


def of_weight_block(block: NDArray[np.float64]) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(block, dtype="<f8")).digest()


def of_weights_of(examples: Examples) -> str | None:
    """None where all are 1."""
    c = examples.c
    if c is None:
        return None
    return of_weights(c[begin:end] for begin, end in ranges(len(c)))


def _head(size: int, items: int) -> NDArray[Any]:
    """Before each part: without it the numbers of one table could be the places of another."""
    return np.array([size, items], dtype="<u8")


# --- A strip of rows: all numbers, or where more than half are zero, the others ------------------


def _dense_strips(digest: _Hash, X: NDArray[Any]) -> Iterator[None]:
    d = X.shape[1]
    piece = min(STRIP, max(1, _PIECE // d))
    room = np.empty((piece, d), dtype="<f8")
    for begin, end in ranges(len(X), STRIP):
        x = X[begin:end]
        if 2 * np.count_nonzero(x) >= x.size:
            digest.update(_head(8, x.size))
            for first, last in ranges(len(x), piece):
                # In one go numbers become float64 and -0.0 becomes 0.0.
                digest.update(np.add(x[first:last], 0.0, out=room[: last - first]))
        else:
            places = np.flatnonzero(x)
            _put_entries(digest, places, x.reshape(-1)[places])
        yield


def _csr_strips(digest: _Hash, X: Csr) -> Iterator[None]:
    n, d = X.shape
    for begin, end in ranges(n, STRIP):
        first, last = X.indptr[begin], X.indptr[end]
        values = X.data[first:last]
        row = np.repeat(np.arange(end - begin), np.diff(X.indptr[begin : end + 1]))
        places = row * d + X.indices[first:last]
        stored = np.flatnonzero(values)
        if len(stored) < len(values):
            places, values = places[stored], values[stored]
        if 2 * len(values) >= (end - begin) * d:
            x = np.zeros((end - begin) * d, dtype="<f8")
            x[places] = values
            digest.update(_head(8, len(x)))
            digest.update(x)
        else:
            _put_entries(digest, places, values)
        yield


def _put_entries(digest: _Hash, places: NDArray[Any], values: NDArray[Any]) -> None:
    digest.update(_head(16, len(places)))
    digest.update(places.astype("<u8", copy=False))
    digest.update(values.astype("<f8", copy=False))


def ranges(n: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    return ((begin, min(begin + size, n)) for begin in range(0, n, size))
