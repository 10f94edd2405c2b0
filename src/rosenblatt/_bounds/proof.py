"""A lower bound that fractions prove: by shares of conflicts, in cases where that is not enough.

In each case some rows are given up (errors of the rule) and some are kept (it is right about them).
Two cases part at a row: it is given up, or it is kept. So one of the cases at the ends holds for
every rule, and the least of their bounds holds for all.
"""

from __future__ import annotations

import heapq
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify, verify_errors
from rosenblatt._bounds.hitting_set import Cover, Relaxation, Shares
from rosenblatt._bounds.problem import Costs
from rosenblatt._certify.parts import Hyperplane, nearest_floats
from rosenblatt._util.budget import Budget, LimitReached
from rosenblatt._util.files import nearby, write_whole
from rosenblatt.errors import InputError, VerificationError
from rosenblatt.verify import demand
from rosenblatt.verify_errors import is_count

_MOST_CASES = 2000
_DEEPEST = 200  # rows that a case is about


@dataclass
class Case:
    """Either parted at a row into two, or ended by shares, or by a conflict of rows all kept."""

    shares: Shares = field(default_factory=dict)
    impossible: int | None = None  # the conflict
    row: int | None = None
    given_up: Case | None = None
    kept: Case | None = None

    @property
    def count(self) -> int:
        if self.given_up is None or self.kept is None:
            return 1
        return self.given_up.count + self.kept.count

    def renamed(self, conflict: dict[int, int], row: Callable[[int], int]) -> Case:
        if self.row is not None:
            assert self.given_up is not None
            assert self.kept is not None
            both = (end.renamed(conflict, row) for end in (self.given_up, self.kept))
            return Case({}, None, row(self.row), *both)
        shares = {conflict[k]: share for k, share in self.shares.items()}
        return Case(shares, None if self.impossible is None else conflict[self.impossible])


def bound_of(
    case: Case,
    conflicts: Sequence[Sequence[int]],
    cost: Mapping[int, int],
    given_up: frozenset[int] = frozenset(),
    kept: frozenset[int] = frozenset(),
) -> int | None:
    """What every rule costs in this case, in whole units; None: there is no such rule.

    ValueError where the case proves nothing.
    """
    if case.row is not None:
        assert case.given_up is not None
        assert case.kept is not None
        both = [
            bound_of(case.given_up, conflicts, cost, given_up | {case.row}, kept),
            bound_of(case.kept, conflicts, cost, given_up, kept | {case.row}),
        ]
        return min((b for b in both if b is not None), default=None)
    if case.impossible is not None:
        if not kept.issuperset(conflicts[case.impossible]):
            raise ValueError("a case is called impossible, but its conflict has other rows")
        return None
    loads: dict[int, Fraction] = {}
    for k, share in case.shares.items():
        if share < 0 or given_up.intersection(conflicts[k]):
            raise ValueError("a share is negative, or its conflict has a row that is given up")
        for i in conflicts[k]:
            loads[i] = loads.get(i, Fraction(0)) + share
    if any(load > cost[i] for i, load in loads.items() if i not in kept):
        raise ValueError("a row gives more than it costs")
    return sum(cost[i] for i in given_up) + math.ceil(sum(case.shares.values(), Fraction(0)))


@dataclass(order=True)
class _Open:
    """A case that could be parted further."""

    bound: int
    number: int
    case: Case = field(compare=False)
    x: Any = field(compare=False)
    given_up: frozenset[int] = field(compare=False)
    kept: frozenset[int] = field(compare=False)


class Cases:
    """Parts the case of the lowest bound until the target is reached, or no more may be."""

    def __init__(self, cover: Cover, root: Relaxation, budget: Budget):
        self.cover, self.budget = cover, budget
        self.root = Case(shares=root.prove())
        bound = math.ceil(sum(self.root.shares.values()))
        self._open = [_Open(bound, 0, self.root, root.x, frozenset(), frozenset())]
        self._count = 1

    @property
    def bound(self) -> int:
        return self._open[0].bound

    def reach(self, target: int) -> None:
        while self.bound < target and self._count < _MOST_CASES:
            try:
                self.budget.check_interrupt()
                if not self._part(self._open[0]):
                    return
            except LimitReached:
                return

    def _part(self, case: _Open) -> bool:
        if len(case.given_up) + len(case.kept) >= _DEEPEST:
            return False
        doubt = np.abs(case.x - 0.5)
        row = int(np.argmin(doubt))
        if doubt[row] > 0.5 - 1e-6:
            return False  # the relaxation is whole: it needs more conflicts, not more cases
        ends = [
            self._case(case.given_up | {row}, case.kept),
            self._case(case.given_up, case.kept | {row}),
        ]
        heapq.heappop(self._open)
        whole = case.case
        whole.shares, whole.row = {}, row
        whole.given_up, whole.kept = (end.case for end in ends)
        for end in ends:
            if end.case.impossible is None:
                heapq.heappush(self._open, end)
        return bool(self._open)

    def _case(self, given_up: frozenset[int], kept: frozenset[int]) -> _Open:
        cover, self._count = self.cover, self._count + 1
        among = [k for k, rows in enumerate(cover.rows) if not given_up.intersection(rows.tolist())]
        end = _Open(0, self._count, Case(), None, given_up, kept)
        for k in among:
            if kept.issuperset(cover.rows[k].tolist()):
                end.case.impossible = k
                return end
        mask = np.zeros(len(cover.cost), dtype=bool)
        mask[list(kept)] = True
        relaxed = cover.relaxation(among, mask, self.budget, None)
        end.case.shares, end.x = relaxed.prove(), relaxed.x
        total = sum(int(cover.cost[i]) for i in given_up)
        end.bound = total + math.ceil(sum(end.case.shares.values()))
        return end


def used(case: Case) -> list[int]:
    if case.given_up is not None and case.kept is not None:
        return sorted({*used(case.given_up), *used(case.kept)})
    return sorted(case.shares if case.impossible is None else [case.impossible])


# --- Proofs of errors as documents: how they are made, written and held against the data ---------


def proof_document(
    head: dict[str, Any],
    tree: dict[str, Any],
    *,
    unit: Fraction,
    at_least: int,
    at_most: int,
    rule: Hyperplane,
    tolerates: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        **head,
        "schema": verify_errors.SCHEMA,
        "unit": str(unit),
        "at_least": at_least,
        "at_most": at_most,
        "rule": in_hex(rule),
        "tolerates": tolerates,
        **tree,
    }


def in_hex(rule: Hyperplane) -> list[str]:
    return [float(v).hex() for v in rule.lifted.tolist()]


def save(document: dict[str, Any], path: str | os.PathLike[str]) -> None:
    text = json.dumps(document, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode(), overwrite=True)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `save` wrote, with its rule, unit and weights. InputError where it is no such proof."""
    try:
        with nearby(path) as name:
            claim = verify.load(name)
        verify_errors.check_form(claim)
        demand(claim["rule"] is not None, "it has no rule")
        rule = read_rule(claim["rule"], claim)
        demand(is_count(claim["at_most"]), "at_most is not a whole number, 0 or greater")
        if (compared := claim["tolerates"]) is not None:
            demand(is_count(compared["errors"]), "what it tolerates has no errors")
            compared["rule"] = compared["rule"] and read_rule(compared["rule"], claim)
        costs, unit = claim["costs"], Fraction(claim["unit"])
        each = costs is None or (len(costs) == claim["rows"] and all(map(is_count, costs)))
        demand(each, "costs are not a whole number, 0 or greater, for each row")
    except verify.Rejected as reason:
        raise InputError(f"{path} is not a proof of errors: {reason}.") from None
    except OSError:
        raise
    except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise InputError(
            f"{path} is not a proof of errors: it is malformed ({type(error).__name__}: {error})."
        ) from None
    counted = None if costs is None else Costs(np.array(costs), unit)
    return {**claim, "unit": unit, "costs": counted, "rule": rule}


def read_rule(texts: Any, claim: dict[str, Any]) -> Hyperplane:
    w = nearest_floats(texts)
    demand(len(w) == len(claim["columns"]) + 1, "the rule has another number of columns")
    return Hyperplane.of_lifted(w)


def head_of(claim: dict[str, Any]) -> dict[str, Any]:
    """What a loaded proof is about."""
    own = {"unit", "at_least", "at_most", "rule", "tolerates", "costs", "column", "powers", "tree"}
    return {name: value for name, value in claim.items() if name not in own}


def held_against(
    head: dict[str, Any],
    X: Any,
    y: Any,
    check: Callable[[Any, NDArray[np.int8]], None],
    what: str,
) -> None:
    from rosenblatt._certify.table import read_again

    X, _, texts = read_again(X, y, head)
    try:
        check(X, np.array(verify.label_signs(head, texts), dtype=np.int8))
    except (verify.Rejected, LookupError, TypeError, ArithmeticError, ValueError) as reason:
        raise VerificationError(f"{what} rejected: {reason}.") from None
