"""Cones of directions: all 2^d orthants at first, each split into two where it must be.

Signs that weights must have leave fewer orthants; a weight that must be 0 has the generator 0.

A cone has d generators, whole vectors; its directions are their non-negative blends. It is split on
an edge: p g_a + q g_b takes the place of g_a in one half and of g_b in the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.pairs import NO_PAIRS, Direction, Pairs, PairTable, Ranks
from rosenblatt._certify.rows import Floats

_NEAR = 9, 10  # how near the simplest ratio is to the one that is wanted
_NARROW = 1 - 1e-6  # correlation of the projections on every edge from which pairs are looked at
_FLAT = 1e-12  # of the spread of the columns: what rounding may leave of nothing
_FEW = 64  # pairs that are looked at


Cut = tuple[int, float]  # the fewest errors along a direction, and the threshold with so few


@dataclass(frozen=True)
class Generator:
    direction: Direction
    rank: Ranks  # of the rows along it
    scaled: Floats  # the direction for columns of similar size
    spread: float  # of the rows along it

    @cached_property
    def unit(self) -> Floats:
        """Along which the rows have variance 1."""
        return self.scaled / (self.spread or 1.0)


@dataclass(frozen=True)
class Split:
    """On the edge of generators a and b, at p g_a + q g_b."""

    a: int
    b: int
    p: int
    q: int


@dataclass
class Cone:
    """Its generators, the pairs it forces, and its two halves once it is split."""

    generators: tuple[Generator, ...]
    pairs: Pairs
    split: Split | None = None
    halves: list[Cone] = field(default_factory=list)
    settled: bool = False  # nothing in it is undecided
    cut: Cut | None = None  # of its middle, if it is known

    @property
    def bound(self) -> int:
        return self.pairs.total


class Cones:
    def __init__(self, table: PairTable):
        self.table = table
        self._orthants: dict[Direction, tuple[Pairs, Cut]] = {}  # by their signs
        self._covariance = np.cov(table.scaled, rowvar=False).reshape(table.d, table.d)
        self._not_edges = np.tri(table.d, dtype=bool)  # each edge once
        self._largest = math.sqrt(max(float(np.diag(self._covariance).max()), 0.0))

    def orthants(self, signs: dict[int, int]) -> Iterator[Cone]:
        """Each is looked at once: the questions about all columns begin with the same ones."""
        choices = [[signs[j]] if j in signs else [1, -1] for j in range(self.table.d)]
        axes = [
            {s: self._generator(tuple(s * (k == j) for k in range(self.table.d))) for s in choice}
            for j, choice in enumerate(choices)
        ]
        for place in itertools.product(*choices):
            generators = tuple(axis[sign] for axis, sign in zip(axes, place, strict=True))
            if place not in self._orthants:
                cone = self._cone(generators, NO_PAIRS)
                self._orthants[place] = cone.pairs, self.cut(cone)
            pairs, cut = self._orthants[place]
            yield Cone(generators, pairs, cut=cut)

    def halves(self, cone: Cone, more: Callable[[Cone], Pairs] | None = None) -> bool:
        """False: nothing is left to split, or the numbers would be too long."""
        split = self._chosen(cone)
        if split is None and more is not None and len((pairs := more(cone)).amount):
            split = self._between_pairs(cone, pairs)
        if split is None:
            return False
        g, h = cone.generators[split.a].direction, cone.generators[split.b].direction
        direction = tuple(split.p * v + split.q * w for v, w in zip(g, h, strict=True))
        divisor = math.gcd(*direction)
        if divisor > 1:
            direction = tuple(v // divisor for v in direction)
        if not self.table.fits(direction):
            return False
        between = self._generator(direction)
        cone.split = split
        for place in (split.a, split.b):
            others = list(cone.generators)
            others[place] = between
            cone.halves.append(self._cone(tuple(others), cone.pairs))
        return True

    def middle(self, cone: Cone) -> Floats:
        return np.asarray(np.sum([g.unit for g in cone.generators], axis=0))

    def cut(self, cone: Cone) -> Cut:
        if cone.cut is not None:
            return cone.cut
        return best_cut(self.table.scaled @ self.middle(cone), self.table.y, self.table.cost)

    def whole_middle(self, cone: Cone) -> list[int]:
        return [sum(column) for column in zip(*(g.direction for g in cone.generators), strict=True)]

    def _generator(self, direction: Direction) -> Generator:
        pairs = zip(direction, self.table.bits.tolist(), strict=True)
        scaled = np.array([math.ldexp(v, bits) for v, bits in pairs])
        spread = math.sqrt(max(float(scaled @ self._covariance @ scaled), 0.0))
        if spread < _FLAT * np.abs(scaled).max() * self._largest:
            spread = 0.0  # constant, but for rounding: collinear columns
        return Generator(direction, self.table.ranks(direction), scaled, spread)

    def _cone(self, generators: tuple[Generator, ...], known: Pairs) -> Cone:
        return Cone(generators, self.table.forced([g.rank for g in generators], known))

    # --- Where to split ---

    def _chosen(self, cone: Cone) -> Split | None:
        a, b, correlation = self._widest_edge(cone)
        if correlation > _NARROW:
            return self._between_pairs(cone, self._undecided(cone))
        g, by_g = cone.generators[a].spread.as_integer_ratio()
        h, by_h = cone.generators[b].spread.as_integer_ratio()
        near, of = _NEAR
        above, below = h * by_g, g * by_h
        return Split(a, b, *_simplest(near * above, of * below, of * above, near * below))

    def _widest_edge(self, cone: Cone) -> tuple[int, int, float]:
        G = np.array([g.unit for g in cone.generators])
        correlation = G @ self._covariance @ G.T
        correlation[self._not_edges] = np.inf
        flat = [k for k, g in enumerate(cone.generators) if g.spread == 0]
        correlation[flat, :] = correlation[:, flat] = np.inf  # nothing changes along such an edge
        a, b = np.unravel_index(int(np.argmin(correlation)), correlation.shape)
        return int(a), int(b), float(correlation[a, b])

    def _undecided(self, cone: Cone) -> Pairs:
        ranks = [g.rank for g in cone.generators]
        pairs = self.table.undecided(ranks, self.table.left(cone.pairs), _FEW)
        if not len(pairs.amount):
            pairs = self.table.undecided(ranks, self.table.cost, _FEW)
        cone.settled = not len(pairs.amount)
        return pairs

    def _between_pairs(self, cone: Cone, pairs: Pairs) -> Split | None:
        """Where half of the pairs change: between two of them, or where the only ones do."""
        if not len(pairs.amount):
            return None
        changes = [self._changes(cone, int(i), int(k)) for i, k in zip(*pairs[:2], strict=True)]
        edges: dict[tuple[int, int], list[Fraction]] = {}
        for change in changes:
            for edge, ratio in change.items():
                edges.setdefault(edge, []).append(ratio)
        (a, b), ratios = max(edges.items(), key=lambda item: len(item[1]))
        distinct = sorted(set(ratios))
        middle = len(distinct) // 2
        ratio = distinct[0]
        if len(distinct) > 1:
            low, high = distinct[middle - 1], distinct[middle]
            third = (high - low) / 3
            ratio = simplest(low + third, high - third)
        return Split(a, b, ratio.numerator, ratio.denominator)

    def _changes(self, cone: Cone, i: int, k: int) -> dict[tuple[int, int], Fraction]:
        """On which edges, and at which p : q, row k stops being farther than row i."""
        x, z = self.table.whole(i), self.table.whole(k)
        apart = [c - b for b, c in zip(x, z, strict=True)]
        along = [
            sum(v * w for v, w in zip(g.direction, apart, strict=True)) for g in cone.generators
        ]
        return {
            (a, b): Fraction(abs(along[b]), abs(along[a]))
            for a, b in itertools.combinations(range(len(along)), 2)
            if along[a] * along[b] < 0
        }


def simplest(low: Fraction, high: Fraction) -> Fraction:
    return Fraction(*_simplest(*low.as_integer_ratio(), *high.as_integer_ratio()))


def _simplest(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """From a/b to c/d, in whole numbers: cones are split often."""
    whole, rest = divmod(a, b)
    if rest == 0:
        return whole, 1
    if (whole + 1) * d <= c:
        return whole + 1, 1
    p, q = _simplest(d, c - whole * d, b, rest)
    return whole * p + q, p


def best_cut(scores: Floats, y: NDArray[np.int8], cost: NDArray[np.int64]) -> Cut:
    """The fewest errors of `score > t`, and that t: in the middle of a gap between scores."""
    order = np.argsort(scores, kind="stable")
    s = scores[order]
    wrong_below = np.append(0, np.cumsum(np.where(y[order] > 0, cost[order], 0)))
    right_below = np.append(0, np.cumsum(np.where(y[order] < 0, cost[order], 0)))
    errors = wrong_below + right_below[-1] - right_below
    errors[1:-1][s[1:] <= s[:-1]] = errors.max() + 1
    at = int(np.argmin(errors))
    if at in (0, len(s)):
        return int(errors[at]), float(s[0] - 1.0 if at == 0 else s[-1] + 1.0)
    return int(errors[at]), float(s[at - 1] + (s[at] - s[at - 1]) / 2)
