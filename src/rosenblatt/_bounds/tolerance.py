"""How firm a finding is: how many labels may be wrong, and how many rows others.

What a rule costs moves by at most the cost of a row when its label is turned round, or when it is
removed; a row that is added makes no rule cheaper, and none dearer than by its cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.directions import directions
from rosenblatt._bounds.problem import Costs, Problem, Rule
from rosenblatt._bounds.rules import constant, improve
from rosenblatt._certify.parts import Hyperplane
from rosenblatt._util.budget import LimitReached
from rosenblatt._util.text import many


@final
@dataclass(frozen=True)
class Tolerance:
    """A finding holds whichever so many labels are wrong, or whichever so many rows are others.

    Attributes
    ----------
    labels : int
        So many labels of these rows may be wrong.
    rows : int
        So many rows may be removed or added; where rows have weights, each that is added weighs no
        more than the heaviest here.
    """

    labels: int
    rows: int

    def words(self, n: int) -> str:
        """What may be otherwise; of a finding that no label may change, nothing."""
        parts = []
        if self.labels:
            wrong = "is" if self.labels == 1 else "are"
            parts.append(f"any {self.labels:,} of the {n:,} labels {wrong} wrong")
        if self.rows:
            moved = "is" if self.rows == 1 else "are"
            parts.append(f"any {many(self.rows, 'row')} {moved} removed or added")
        return ", or ".join(parts)

    @classmethod
    def least(cls, several: Iterable[Tolerance]) -> Tolerance | None:
        """Of findings together."""
        known = list(several)
        if not known:
            return None
        return cls(min(t.labels for t in known), min(t.rows for t in known))


def tolerance(gap: int, costs: NDArray[Any], *, both: bool) -> Tolerance:
    """`gap`: how much dearer the least rule against the finding is than what it is compared with.

    `both`: with a rule, whose own costs move as well where a label does.
    """
    heaviest = np.sort(costs)[::-1]
    if both:  # a row that is added counts against that rule
        labels = np.count_nonzero(np.cumsum(2 * heaviest) < gap)
        return Tolerance(labels=int(labels), rows=int((gap - 1) // heaviest[0]))
    fewest = int(np.count_nonzero(np.cumsum(heaviest) < gap))
    return Tolerance(labels=fewest, rows=fewest)


# --- The other end: labels that do overturn a sign -----------------------------------------------


@final
@dataclass(frozen=True)
class Overturn:
    """Rows whose labels, turned round together, overturn a forced sign.

    Attributes
    ----------
    rows : array of int
        With their labels turned round `rule`, which has not this sign, makes no more errors than
        any rule found that has it.
    proved : bool
        Than any rule at all that has it.
    """

    rows: NDArray[np.intp]
    rule: Hyperplane
    proved: bool


def down_to(problem: Problem, rival: Rule, errors: int) -> Overturn | None:
    """Until the rival, which has not the sign, costs so little."""
    turned, cost = [], rival.cost
    mended = np.flatnonzero(_wrong_side(problem, rival))
    for i in mended[np.argsort(-problem.single[mended], kind="stable")].tolist():
        if cost <= errors:
            break
        turned.append(i)
        cost -= int(problem.single[i])
    rows = np.array(sorted(turned), dtype=np.intp)
    return Overturn(rows, Hyperplane.of_lifted(rival.w), proved=True) if cost <= errors else None


def _wrong_side(problem: Problem, rule: Rule) -> NDArray[np.bool_]:
    """A row on the hyperplane is an error with either label."""
    w = [Fraction(v) for v in rule.w.tolist()]
    return np.asarray((problem.rows.signs(w) < 0)[problem.group])


def overturn(problem: Problem, rival: Rule, j: int, sign: int) -> Overturn | None:
    """`rival` has another sign of column j than the best rule of the problem, and costs more.

    Rows on which only the rival errs are turned round until it is the better one of both; where a
    search then finds a better rule with the sign, more rows are. None: the budget ended before.
    """
    search = _Turning(problem, rival, j, sign)
    with suppress(LimitReached), np.errstate(all="ignore"):
        if search.find():
            search.prove()
    return search.result()


class _Turning:
    def __init__(self, problem: Problem, rival: Rule, j: int, sign: int):
        self.known, self.rival, self.j, self.sign = problem, rival, j, sign
        self.costs = problem.single
        self.turned = np.zeros(len(self.costs), dtype=bool)
        self.least = rival.cost  # of the rival, as things are
        self.done, self.proved = False, False

    def find(self) -> bool:
        known, better = self.known, self.known.best
        errs = better.wrong[known.group]
        mended = _wrong_side(known, self.rival)
        while True:
            own = better.cost
            only_the_rival = np.flatnonzero(mended & ~errs & ~self.turned)
            for i in only_the_rival[np.argsort(-self.costs[only_the_rival], kind="stable")]:
                if self.least <= own:
                    break
                self.turned[i] = True
                self.least, own = self.least - int(self.costs[i]), own + int(self.costs[i])
            if self.least > own:
                return False
            better_now = self._searched(better)
            if better_now is None:
                self.done = True
                return True
            better, errs = better_now, better_now.wrong[self.problem.group]

    def _searched(self, before: Rule) -> Rule | None:
        """A rule with the sign that is better than the rival is now."""
        rows, group = self.known.rows, self.known.group
        y = np.where(self.turned, -rows.y[group], rows.y[group]).astype(np.int8)
        self.problem = Problem(
            rows.like(rows.X[group], y), Costs(self.costs, self.known.unit), self.known.signs
        )
        self.problem.rows.budget = rows.budget
        constant(self.problem)
        self.problem.offer(before.w)
        self.problem.offer(self.rival.w)
        improve(self.problem)
        best = self.problem.best
        if best.cost >= self.least:
            return None
        if best.w[self.j] * self.sign > 0:
            return best
        self.rival, self.least = best, best.cost
        return None

    def prove(self) -> None:
        self.proved = self.least == 0
        if not self.proved and (cones := directions(self.problem, (self.j, self.sign))) is not None:
            self.problem.best = Rule(self.rival.w, self.rival.wrong, self.least)
            cones.reach()
            self.proved = cones.bound >= self.least

    def result(self) -> Overturn | None:
        if not self.done:
            return None
        rule = Hyperplane.of_lifted(self.rival.w)
        return Overturn(np.flatnonzero(self.turned), rule, self.proved)
