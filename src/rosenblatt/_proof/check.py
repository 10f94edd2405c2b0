"""The verifier's own tests, vectorised: the same logic, with rows read by NumPy."""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt import verify
from rosenblatt._examples import nobody_waits
from rosenblatt._proof.budget import Budget
from rosenblatt._proof.rows import Rows
from rosenblatt._tables import dense

_SMALL = 10**6  # up to this many numbers the stand-alone verifier itself is run


@np.errstate(all="ignore")
def check(
    claim: dict[str, Any],
    X: Any,
    y: Any,
    *,
    hashed: bool = False,
    hear: Callable[[], None] = nobody_waits,
) -> None:
    """Raise verify.Rejected unless the claim about X and the signs y is proved.

    `hashed`: the hash in the claim was taken of this very data just now. `hear` is called often.
    """
    with _no_collection():
        verify.check(claim, data_of(claim, X, y, hashed=hashed, hear=hear))


def data_of(
    claim: dict[str, Any],
    X: Any,
    y: Any,
    *,
    hashed: bool = False,
    hear: Callable[[], None] = nobody_waits,
) -> verify.Data:
    """The rows, as the verifier reads them."""
    n, d = X.shape
    if n * d <= _SMALL:
        return verify.Data(claim, dense(X).astype(np.float64).tolist(), y.tolist())
    return _Data(claim, X, y, hashed, Budget(hear=hear))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Thousands of lists are made, none of them is garbage: looking for it takes as long again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Data(verify.Data):
    """Rows read in chunks; what is certain in floating point is decided there."""

    def __init__(self, claim: dict[str, Any], X: Any, y: Any, hashed: bool, budget: Budget):
        width = len(claim["columns"])
        verify.demand(X.shape[1] == width, f"rows have {X.shape[1]} numbers, not {width}")
        present = np.delete(np.arange(len(y)), claim["dropped"])
        self._hashed, self._index = hashed, present
        some = X if len(present) == len(y) else X[present]
        self._rows = Rows(
            some,
            y[present],
            intercept=claim["fit_intercept"],
            decimal=claim["semantics"] == "decimal",
            budget=budget,
        )
        super().__init__(claim, _Lazy(X), y.tolist())

    @cached_property
    def norms(self) -> Sequence[float]:
        """Never too small, which is what matters."""
        norms = self._rows.norms() * (1 + (self._rows.D + 8) * 2.0**-51) + 2.0**-490
        return np.hypot(norms, float(self.intercept)).tolist()  # type: ignore[no-any-return]

    def sha256(self, claim: dict[str, Any]) -> str:
        return str(claim["sha256"]) if self._hashed else fingerprint(claim, self._rows)

    def signs(self, w: Sequence[Fraction], bound: Fraction = Fraction(0)) -> Sequence[int]:
        return self._rows.signs(w, bound).tolist()  # type: ignore[no-any-return]

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        place = np.searchsorted(self._index, rows).tolist()
        return self._rows.blend(dict(zip(place, weights, strict=True)))

    def column(self, j: int) -> Sequence[float]:
        x = dense(self._rows.X[:, [j]])
        return x.ravel().astype(np.float64).tolist()

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        flat = np.ones(self._rows.n, dtype=bool)
        for normal in normals:
            flat &= self._rows.signs([Fraction(v) for v in normal], only=flat) == 0
        return flat.tolist()  # type: ignore[no-any-return]


class _Lazy:
    """Rows as lists of floats, one at a time."""

    def __init__(self, X: Any):
        self._X = X

    def __getitem__(self, i: int) -> list[float]:
        return dense(self._X[[i]])[0].astype(np.float64).tolist()  # type: ignore[no-any-return]


def fingerprint(claim: dict[str, Any], rows: Rows) -> str:
    """The hash of `verify.py`: names, labels, and the non-zero numbers of each row."""
    names = [claim["columns"], claim["target"], claim["labels"]]
    digest = hashlib.sha256(json.dumps(names).encode())
    d = rows.d
    record = np.dtype([("n", "<u4"), ("y", "<i4"), ("j", "<u4", (d,)), ("x", "<f8", (d,))])
    full: Any = np.empty(0, dtype=record)
    for begin, end in rows.chunks():
        x, y = rows.x(begin, end), rows.y[begin:end].astype("<i4")
        if sparse.issparse(x) or not x.all():
            digest.update(_bytes(x, y))
            continue
        if len(full) < len(x):  # rows without a zero all look alike
            full = np.empty(len(x), dtype=record)
            full["n"], full["j"] = d, np.arange(d)
        some = full[: len(x)]
        some["y"], some["x"] = y, x
        digest.update(some.view(np.uint8))
    return digest.hexdigest()


def _bytes(x: Any, y: Any) -> Any:
    """Each row: how many numbers, the label, their columns, the numbers themselves."""
    k = x.shape[0]
    if sparse.issparse(x):
        x = x.tocsr()
        row = np.repeat(np.arange(k), np.diff(x.indptr))
        kept = x.data != 0
        row, column, value = row[kept], x.indices[kept], x.data[kept]
    else:
        row, column = np.nonzero(x)
        value = x[row, column]
    count = np.bincount(row, minlength=k)
    size = 2 + 3 * count  # in words of 4 bytes
    start = np.cumsum(size) - size
    rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    words = np.empty(int(size.sum()), dtype="<u4")
    words[start], words[start + 1] = count, y.view("<u4")
    words[start[row] + 2 + rank] = column
    halves = np.ascontiguousarray(value, dtype="<f8").view("<u4").reshape(-1, 2)
    place = start[row] + 2 + count[row] + 2 * rank
    words[place], words[place + 1] = halves[:, 0], halves[:, 1]
    return words.view(np.uint8)
