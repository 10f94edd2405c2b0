"""The verifier's own tests, vectorised: the same logic, with rows read by NumPy."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify.families import Beside, rows_of
from rosenblatt._certify.lifted_rows import LiftedRows
from rosenblatt._certify.linear_algebra import independent_rows
from rosenblatt._certify.rows import Rows, orthogonal, whole_binary
from rosenblatt._core.fingerprint import of_matrix
from rosenblatt._core.rows import Csr, dense
from rosenblatt._util.budget import Budget
from rosenblatt.errors import VerificationError

_SMALL = 5 * 10**4  # up to this many numbers the stand-alone verifier itself is run


@np.errstate(all="ignore")
def check(
    claim: dict[str, Any], X: Any, y: Any, beside: Beside | None = None, *, hashed: bool = False
) -> None:
    """Raise verify.Rejected unless the claim about X and the signs y is proved.

    `hashed`: the hash in the claim was taken of this very data just now.
    """
    verify.check_form(claim)
    with _no_collection():
        verify.check(claim, data_of(claim, X, y, beside, hashed=hashed))


@contextmanager
def nothing_rejected() -> Iterator[None]:
    """Inside, the verifier looks at what was found: nothing leaves that it would reject."""
    try:
        yield
    except verify.Rejected as reason:
        raise VerificationError(
            f"A certificate was found that its verifier rejects ({reason}), so that nothing is "
            "returned. This is a bug in rosenblatt: please report it, with the data if you can."
        ) from None


def data_of(
    claim: dict[str, Any], X: Any, y: Any, beside: Beside | None = None, *, hashed: bool = False
) -> verify.Data:
    (n, d), k = X.shape, len(claim["labels"])
    if "absorbed" in claim:
        return verify.Data(claim, packed(with_columns(X, beside)), y.tolist())
    if n * d * (k - 1) ** 2 <= _SMALL:
        return verify.lifted(claim, verify.Data(claim, packed(with_columns(X, beside)), y.tolist()))
    bulk = _Data(claim, X, y, hashed, beside)
    if beside is not None:
        paired = beside.family in verify.PAIRED
        return (_Paired if paired else _Sided)(claim, bulk)
    return _Lifted(claim, bulk) if k > 2 else bulk


def with_columns(X: Any, beside: Beside | None) -> Any:
    """The rows, with the columns of the family after those of the features."""
    if beside is None or not beside.values:
        return X
    columns = np.column_stack([*beside.values.values()])
    if sparse.issparse(X):
        return sparse.hstack([X.astype(np.float64), columns], format="csr")
    return np.hstack([X.astype(np.float64), columns])


def packed(X: Any) -> bytes:
    return dense(X).astype("<f8").tobytes()


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


class _Bulk:
    """Many rows at once; what is certain in floating point is decided there."""

    _rows: Rows
    _index: NDArray[Any]  # the numbers that rows have in the certificate, in order
    # The last blend: that of a conflict which is also the balance is asked for twice.
    _blended: tuple[Sequence[int], Sequence[int], list[Fraction]] | None = None

    def signs(self, w: Sequence[Any], bound: Any = 0, among: Any = None) -> Sequence[int]:
        only = None if among is None else np.array(among)
        signs = self._rows.signs(w, Fraction(bound), only=only)
        return (signs if only is None else signs * only).tolist()  # type: ignore[no-any-return]

    def signs_of_column(self, j: int, weight: int, rest: Fraction) -> Sequence[int]:
        rows = self._rows
        column = rows.like(dense(rows.X[:, [j]]), rows.labels())
        signs = column.signs([Fraction(weight), *[rest] * rows.intercept])
        return signs.tolist()  # type: ignore[no-any-return]

    def rank(self, vectors: Iterable[Sequence[int]]) -> int:
        """Never too large, as modulo any prime."""
        rows = list(vectors)
        return len(independent_rows(rows)) if rows else 0

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        if self._blended is None or self._blended[:2] != (rows, weights):
            place = np.searchsorted(self._index, rows).tolist()
            signed = zip(place, weights, strict=True)
            total = self._rows.blend({k: int(self._rows.y[k]) * v for k, v in signed})
            self._blended = rows, weights, total
        return self._blended[2]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        if not normals:
            return [True] * self._rows.n
        return orthogonal(self._rows, normals).tolist()  # type: ignore[no-any-return]


class _Lifted(_Bulk, verify.Rivals):
    def __init__(self, claim: dict[str, Any], points: _Data):
        super().__init__(claim, points)
        own = np.array([points.y[i] - 1 for i in points.present])
        self._rows = LiftedRows.of(points._rows, own, self.k)
        self._index = np.array(self.present)


class _OfFamily(_Bulk):
    def __init__(self, claim: dict[str, Any], points: _Data):
        super().__init__(claim, points)  # type: ignore[call-arg]
        assert points.of_family is not None
        self._rows, _ = rows_of(
            points.of_family,
            points._X,
            codes(points.y, claim["labels"]),
            claim["labels"],
            points.present,
            intercept=points.intercept,
            decimal=points.decimal,
            budget=Budget(),
        )
        self._index = np.array(self.present)  # type: ignore[attr-defined]


class _Sided(_OfFamily, verify.Sided):
    pass


class _Paired(_OfFamily, verify.Paired):
    pass


class _Data(_Bulk, verify.Data):
    def __init__(self, claim: dict[str, Any], X: Any, y: Any, hashed: bool, beside: Beside | None):
        width = len(claim["columns"])
        verify.demand(X.shape[1] == width, f"rows have {X.shape[1]} numbers, not {width}")
        present = np.delete(np.arange(len(y)), claim["dropped"])
        self._hashed, self._index = hashed, present
        some = X if len(present) == len(y) else X[present]
        self._rows = Rows(
            some,
            y[present] if len(claim["labels"]) == 2 else np.ones(len(present), dtype=np.int8),
            intercept=claim["fit_intercept"],
            decimal=claim["numbers"] == "decimal",
            budget=Budget(),
        )
        super().__init__(claim, b"", y.tolist())
        self._X, self.of_family = X, beside
        if beside is not None:
            self.beside = {role: v.tolist() for role, v in beside.values.items()}

    def x(self, i: int) -> Sequence[float]:
        return dense(self._X[[i]])[0].astype(np.float64).tolist()  # type: ignore[no-any-return]

    @cached_property
    def lengths(self) -> Sequence[float]:
        """Never too small, which is what matters."""
        rounding = (self._rows.D + 8) * 2.0**-51
        return (self._rows.norms() * (1 + rounding) + 2.0**-490).tolist()  # type: ignore[no-any-return]

    def sha256(self, claim: dict[str, Any]) -> str:
        if self._hashed:
            return str(claim["sha256"])
        y = codes(self.y, claim["labels"])
        return fingerprint(with_columns(self._X, self.of_family), y, claim["dropped"])

    def blends(
        self, rows: Sequence[int], several: Sequence[Sequence[int]]
    ) -> Iterable[tuple[int, list[Fraction]]]:
        x, place = self._rows, np.searchsorted(self._index, rows)
        low, high = x.ranges(np.ones(x.n, dtype=bool))
        powers = map(verify.power_above, np.maximum(np.abs(low), np.abs(high)).tolist())
        return zip([*powers, *[0] * x.intercept], x.blends(place, several), strict=True)

    def square(self, i: int) -> Fraction:
        above, below = self._rows.square(int(np.searchsorted(self._index, i)))
        return Fraction(above, below)

    def multiples(self, rows: Sequence[int]) -> list[list[int]]:
        if self._rows.decimal or not len(rows):
            return super().multiples(rows)
        x = dense(self._X[rows]).astype(np.float64)
        if self._rows.intercept:
            x = np.hstack([x, np.ones((len(x), 1))])
        columns, _ = whole_binary(x.T)
        return [[*row] for row in zip(*columns, strict=True)]


def codes(y: Sequence[int], labels: Sequence[Any]) -> NDArray[Any]:
    """Signs, or of many classes their numbers from 1 on, as the fingerprint has them."""
    return np.array(y, dtype=np.int8 if len(labels) == 2 else np.int32)


def fingerprint(X: Any, y: NDArray[Any], dropped: list[int]) -> str:
    """As in `verify.py`, of all rows; dropped ones have the sign 0."""
    signs = y.copy()
    signs[dropped] = 0
    rows = Csr(X.data, X.indices, X.indptr, X.shape) if sparse.issparse(X) else X
    return of_matrix(rows, signs)
