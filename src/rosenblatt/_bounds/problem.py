"""Rows and what an error on each costs, in whole numbers; and the best rule so far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.cones import Cones, simplest
from rosenblatt._bounds.pairs import PairTable
from rosenblatt._certify.conditioning import Metric, decision_metric
from rosenblatt._certify.diagnostics import hashes
from rosenblatt._certify.rows import Floats, Rows
from rosenblatt._certify.table import Table
from rosenblatt._certify.wide import is_wide
from rosenblatt._util.budget import Budget

Mask = NDArray[np.bool_]
Index = NDArray[np.intp]
Signs = NDArray[np.int8]


_MOST_UNITS = 1 << 40  # that weights add up to; else a coarser unit within rounding is looked for
_ROUNDING = Fraction(1, 1 << 50)  # relative, of a weight
_FINEST = 10**6  # units in the least weight


class Costs(NamedTuple):
    """What an error on each row costs, in whole multiples of `unit`."""

    single: NDArray[Any]
    unit: Fraction = Fraction(1)
    rounded: bool = False  # they are the weights given within rounding only

    @classmethod
    def of(cls, weights: Floats | None) -> Costs | None:
        if weights is None:
            return None
        ratios = [v.as_integer_ratio() for v in weights.tolist()]
        common = math.lcm(*(below for _, below in ratios))
        whole = [above * (common // below) for above, below in ratios]
        divisor = math.gcd(*whole)
        total = sum(whole) // divisor
        near = None if total < _MOST_UNITS else _near(weights)
        if near is not None:
            return near
        dtype = np.int64 if total < 2**62 else object
        single = np.array([v // divisor for v in whole], dtype=dtype)
        return cls(single, Fraction(divisor, common))

    def of_rows(self, rows: Index) -> Costs:
        return self._replace(single=self.single[rows])

    @property
    def whole(self) -> bool:
        """They have a common unit that is not too small to count in."""
        return self.single.dtype != object

    @property
    def total(self) -> float:
        return float(sum(self.single.tolist()) * self.unit)

    def sentence(self) -> str | None:
        if not self.rounded:
            return None
        return (
            f"The weights were taken as whole multiples of {float(self.unit):.6g}, up to rounding."
        )


def _near(weights: Floats) -> Costs | None:
    """0.1 and 0.3 are no floats: multiples of 1/10 within rounding are taken for what was meant."""
    distinct, place = np.unique(weights, return_inverse=True)
    positive = [Fraction(v) for v in distinct[distinct > 0].tolist()]
    parts, low, high = 1, Fraction(0), None
    for v in positive:
        ratio = v / positive[0]
        near = ratio.limit_denominator(_FINEST)
        parts = math.lcm(parts, near.denominator)
        if abs(near - ratio) > _ROUNDING * ratio or parts > _FINEST:
            return None
    counts = [round(v / positive[0] * parts) for v in positive]
    for v, k in zip(positive, counts, strict=True):
        low = max(low, v * (1 - 2 * _ROUNDING) / k)
        most = v * (1 + 2 * _ROUNDING) / k
        high = most if high is None else min(high, most)
    if high is None or low > high:
        return None
    whole = np.array([0] * (len(distinct) - len(positive)) + counts, dtype=object)[place.ravel()]
    if sum(whole.tolist()) >= _MOST_UNITS:
        return None
    return Costs(whole.astype(np.int64), simplest(low, high), rounded=True)


@dataclass(frozen=True)
class Rule:
    """Lifted weights in floating point, and the errors they make, counted exactly."""

    w: Floats
    wrong: Mask
    cost: int


class Problem:
    """Different rows: those that are equal, labels included, are one that costs what they do.

    A rule is right about all of them or about none. Costs are whole multiples of `unit`. Where
    `signs` of weights are demanded, all rules obey them.
    """

    def __init__(self, rows: Rows, costs: Costs | None, signs: Signs | None = None):
        self.signs = signs
        self.first, self.group = equal_rows(rows)
        self.single, self.unit, _ = costs or Costs(np.ones(rows.n, dtype=np.int64))
        if len(self.first) < rows.n:
            rows = rows.part(self.first)
        self.rows = rows
        self.cost = np.zeros(rows.n, dtype=self.single.dtype)
        np.add.at(self.cost, self.group, self.single)
        scale = max(self.cost.tolist())
        self.scale = 1 if self.unit == 1 else scale  # errors are counted in ones where they can be
        self.c = np.array([v / self.scale for v in self.cost.tolist()])
        self.best = self.nothing()
        self.beyond_floats: int | None = None  # the cost of a rule that no floats were found for

    @classmethod
    def of(
        cls, table: Table, costs: Costs | None, *, intercept: bool, signs: Signs | None = None
    ) -> Problem:
        X, y = table.X, table.y
        if table.present is not None:
            X, y = X[table.present], y[table.present]
            costs = None if costs is None else costs.of_rows(table.present)
        return cls(Rows(X, y, intercept=intercept, decimal=False, budget=Budget()), costs, signs)

    def nothing(self) -> Rule:
        return Rule(np.zeros(self.rows.D), np.ones(self.rows.n, dtype=bool), int(self.cost.sum()))

    @cached_property
    def wide(self) -> bool:
        return is_wide(self.rows)

    @cached_property
    def pairs(self) -> PairTable:
        x, y = self.rows.x(0, self.rows.n), self.rows.y.astype(np.int8)
        return PairTable(x, y, self.cost.astype(np.int64))

    @cached_property
    def cones(self) -> Cones:
        return Cones(self.pairs)

    @cached_property
    def metric(self) -> Metric:
        if self.wide:  # nothing that would make rows dense
            return Metric(np.ones(self.rows.d), np.zeros(self.rows.d), 1.0)
        return decision_metric(self.rows)

    @property
    def rows_and_signs(self) -> tuple[Rows, Metric]:
        """The rows that conflicts are looked for in: those of the signs are behind the others."""
        return (self.rows, self.metric) if self.signs is None else self._with_signs

    @cached_property
    def _with_signs(self) -> tuple[Rows, Metric]:
        assert self.signs is not None
        rows = self.rows.with_signs(self.signs)
        return rows, decision_metric(rows)

    def obeying(self, w: NDArray[Any]) -> NDArray[Any]:
        """The nearest weights with the signs demanded."""
        if self.signs is None:
            return w
        wrong = np.zeros(len(w), dtype=bool)
        wrong[: len(self.signs)] = self.signs * w[: len(self.signs)] < 0
        return np.where(wrong, abs(w) * 0, w)

    def total(self, mask: Mask) -> int:
        return int(self.cost[mask].sum())

    def wrong(self, w: list[Fraction]) -> Mask:
        """Rows with a_i·w <= 0, exactly; what was found is counted although time may be over."""
        budget, self.rows.budget = self.rows.budget, Budget()
        try:
            return self.rows.signs(w) <= 0
        finally:
            self.rows.budget = budget

    def rule(self, w: Floats) -> Rule:
        w = self.obeying(w)
        wrong = self.wrong([Fraction(v) for v in w.tolist()])
        return Rule(w, wrong, self.total(wrong))

    def offer(self, w: Floats) -> bool:
        if not np.isfinite(w).all() or (rule := self.rule(w)).cost >= self.best.cost:
            return False
        self.best = rule
        return True

    def offer_exact(self, w: list[Fraction]) -> bool:
        w = self.obeying(np.array(w, dtype=object)).tolist()
        cost = self.total(self.wrong(w))
        if cost >= self.best.cost:
            return False
        improved = False
        for f in _roundings(w):
            improved = self.offer(f) or improved
            if self.best.cost <= cost:
                return True
        self.beyond_floats = min(cost, self.beyond_floats or cost)
        return improved


def _roundings(w: list[Fraction]) -> Any:
    """Floats next to multiples of w: rounding errs elsewhere each time."""
    size = max((abs(v) for v in w), default=Fraction(0)) or Fraction(1)
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    unit = Fraction(2) ** -bits
    for factor in (*range(1, 64, 2), 2**900):  # the last one for numbers that are far apart
        yield np.array([float(v * unit * factor) for v in w])


def equal_rows(rows: Rows) -> tuple[Index, Index]:
    code = hashes(rows)
    order = np.lexsort((rows.y, code))
    near = order[1:][(np.diff(code[order]) == 0) & (np.diff(rows.y[order]) == 0)]
    before = order[:-1][(np.diff(code[order]) == 0) & (np.diff(rows.y[order]) == 0)]
    same = np.zeros(rows.n, dtype=bool)  # as the row before it in this order
    step = max(1, (1 << 20) // max(rows.d, 1))
    for begin in range(0, len(near), step):
        i, j = near[begin : begin + step], before[begin : begin + step]
        same[i] = (rows.dense(i) == rows.dense(j)).all(axis=1)
    group = np.empty(rows.n, dtype=np.intp)
    group[order] = np.cumsum(~same[order]) - 1
    first = np.full(int(group.max()) + 1, rows.n, dtype=np.intp)
    np.minimum.at(first, group, np.arange(rows.n))
    rank = np.argsort(first)  # groups in the order of their first rows
    place = np.empty_like(rank)
    place[rank] = np.arange(len(rank))
    return first[rank], place[group]
