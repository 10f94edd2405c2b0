"""Rows on many machines, as the verifier asks for them: its own tests, with every row looked at
where it is. It holds the few rows that a proof names, and asks for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np

from rosenblatt import verify
from rosenblatt._engines import proof_work as work
from rosenblatt._engines.divided import Divided
from rosenblatt._engines.proof_work import Some
from rosenblatt._proof.integer_algebra import independent_rows


@final
class RemoteData(verify.Data):
    """`few` are the rows that the claim names."""

    def __init__(self, claim: dict[str, Any], rows: Divided, few: Some):
        self._all = rows
        self._x = dict(zip(few.number.tolist(), few.x.tolist(), strict=True))
        self.y: Any = dict(zip(few.number.tolist(), few.y.tolist(), strict=True))
        self.n, self.intercept, self.decimal = rows.n, claim["fit_intercept"], False
        self.size = rows.d + self.intercept
        self.kept: Any = _Everybody()
        # Lists about rows are of all only where a claim names the rows that are separated.
        self.listed = claim["verdict"] == "quasi-complete separation"
        self.present: Any = range(rows.n) if self.listed else sorted(self._x)
        self.lengths: Any = [np.inf] * len(self.present)  # `check_longest` asks for all

    def x(self, i: int) -> Sequence[float]:
        return self._x[i]  # type: ignore[no-any-return]

    def sha256(self, claim: dict[str, Any]) -> str:
        return self._all.fingerprint

    def signs(self, w: Sequence[Any], bound: Any = 0, among: Any = None) -> Sequence[int]:
        weights, low = [Fraction(v) for v in w], Fraction(bound)
        if among is None:  # the lowest of each bundle tells all that is asked
            return self._all.each(work.lowest_sign, weights, low, bool(self.intercept))
        found = self._all.each(work.signs, weights, low, bool(self.intercept))
        signs = np.concatenate([block for part in found for block in part])
        return (signs * np.array(among)).tolist()  # type: ignore[no-any-return]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        if not normals:
            return [True] * len(self.present)
        found = self._all.each(work.flat, normals, bool(self.intercept))
        flat = np.concatenate([b for part in found for b in part])
        if not self.listed:  # what is said is said of all rows
            return [bool(flat.all())] * len(self.present)
        return flat.tolist()  # type: ignore[no-any-return]

    def rank(self, vectors: Any) -> int:
        rows = list(vectors)
        return len(independent_rows(rows)) if rows else 0

    def check_longest(self, claim: dict[str, Any]) -> None:
        """No row of any machine is longer than the one that is named."""
        named = self.square(claim["radius_row"])
        found = self._all.each(work.longest, bool(self.intercept))
        longest = max(square for part in found for square, _ in part)
        verify.demand(longest <= named, "a row is longer")


class _Everybody:
    """No row is left out."""

    def __getitem__(self, i: int) -> bool:
        return True
