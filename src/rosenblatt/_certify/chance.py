"""Overlap in thousands of dimensions, up to chance: `verify.check_chance` says why it holds.

The multipliers are the squared hinge's, brought nearer to a blend that is zero; and for each random
vector g a blend of the same rows, of any signs, is solved for that is nearly g. Both by the same
matrix H = Σ x_i b_i b_i': what x and z lack is a blend of rows with shares x_i b_i·H⁻¹lack.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from rosenblatt import verify
from rosenblatt._certify.conditioning import Metric
from rosenblatt._certify.rows import Floats, Names, Rows, Vector
from rosenblatt._certify.squared_hinge import Fit, blended, with_squares

_LEAST = 1e-3  # of the largest multiplier: rows with less are left out
_STEPS = 4
_BITS = 60  # of the largest multiplier
_FINE = 16  # bits below the point, of the shares of a random vector


@dataclass(frozen=True)
class UpToChance:
    """As a document has it."""

    rows: Vector
    weights: list[str]
    bits: int
    vectors: list[list[str]]

    def document(self) -> dict[str, Any]:
        return asdict(self)


def overlap(
    rows: Rows, view: Metric, hinge: Fit, name: Names, about: dict[str, Any]
) -> UpToChance | None:
    """None: the multipliers are no guess that holds. `about` is what a document begins with."""
    x = np.where(hinge.blend > _LEAST * hinge.blend.max(initial=0.0), hinge.blend, 0.0)
    if np.count_nonzero(x) < rows.D or rows.decimal:
        return None
    try:
        shares = _Shares(rows, view, x)
        weights = shares.weights()
    except (np.linalg.LinAlgError, ValueError):  # not positive definite, or not finite
        return None
    if min(weights) <= 0:
        return None
    named, texts = [name(i) for i in shares.index.tolist()], [*map(hex, weights)]
    part = {"rows": named, "weights": texts}
    targets = [verify.random_vector(about, part, k, rows.D) for k in range(verify.VECTORS)]
    several = shares.of(targets)
    columns = shares.columns([weights, *several])
    if not verify.are_nearly_blends(targets, columns, weights, several, 1 << _FINE):
        return None
    vectors = [[*map(hex, z)] for z in several]
    return UpToChance(named, texts, _FINE, vectors)


class _Shares:
    """Blends of rows: in floats, and what these leave is summed exactly and solved for again."""

    def __init__(self, rows: Rows, view: Metric, x: Floats):
        self.rows, self.view, self.x, self.index = rows, view, x, np.flatnonzero(x)
        rows.budget.spend(rows.D * len(self.index) // 16)
        empty = np.zeros((rows.D, rows.D), order="F")
        gram = with_squares(empty, rows, view, self.index, 1.0, x)
        self._factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        self._length = view.lengths(rows, self.index)
        low, high = rows.ranges(np.ones(rows.n, dtype=bool))
        largest = np.maximum(np.abs(low), np.abs(high)).tolist()
        self._exponents = [*map(verify.power_above, largest), *[0] * rows.intercept]
        self._powers = [
            Fraction(2) ** power for power in self._exponents
        ]  # columns over these are even

    def weights(self) -> Vector:
        """Positive ones, with luck, of a blend that is nearly zero."""
        x = self.x
        for _ in range(_STEPS):
            x = np.maximum(x - self._solved(blended(self.rows, self.view, x)), 0.0)
        unit = 2.0 ** (_BITS - np.ceil(np.log2(float(self._raw(x).max()))))
        whole = _rounded(self._raw(x) * unit)
        (sums,) = self._sums([whole])
        return self._without(whole, sums)

    def of(self, targets: list[Vector]) -> list[Vector]:
        """Of blends that are nearly these vectors of even columns, times 2^16."""
        guesses = []
        for target in targets:
            g = np.array([float(v * p) for v, p in zip(target, self._powers, strict=True)])
            z, seen = np.zeros(self.rows.n), self._seen(g)
            for _ in range(_STEPS - 1):
                z = z + self._solved(seen - blended(self.rows, self.view, z))
            guesses.append(_rounded(self._raw(z) * 2.0**_FINE))
        out = []
        for whole, sums, target in zip(guesses, self._sums(guesses), targets, strict=True):
            terms = zip(sums, target, self._powers, strict=True)
            out.append(self._without(whole, [v - (g << _FINE) * p for v, g, p in terms]))
        return out

    def columns(self, several: list[Vector]) -> Iterable[tuple[int, list[Fraction]]]:
        return zip(self._exponents, self.rows.blends(self.index, several), strict=True)

    def _sums(self, several: list[Vector]) -> list[list[Fraction]]:
        return [[*sums] for sums in zip(*self.rows.blends(self.index, several), strict=True)]

    def _without(self, whole: Vector, rest: list[Fraction]) -> Vector:
        off = self._raw(self._solved(self._seen(np.array([float(v) for v in rest]))))
        return [v - u for v, u in zip(whole, _rounded(off), strict=True)]

    def _solved(self, lack: Floats) -> Floats:
        direction = cho_solve(self._factor, lack, check_finite=False)
        return np.asarray(self.x * self.view.scores(self.rows, direction))

    def _raw(self, shares: Floats) -> Floats:
        """Of the rows as they are, where there are any."""
        return np.asarray(shares[self.index] * self._length)

    def _seen(self, vector: Floats) -> Floats:
        """A vector beside the rows, in the view."""
        (g, b), view = self.rows.split(vector), self.view
        return self.rows.lifted(view.scale * (g - view.center * b), view.lift * b)


def _rounded(values: Floats) -> Vector:
    return [round(v) for v in values.tolist()]
