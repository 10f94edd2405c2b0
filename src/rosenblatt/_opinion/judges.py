"""All rules that fit the known rows well, asked about one new row after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._minimum import conflicts, rules
from rosenblatt._minimum.directions import directions
from rosenblatt._minimum.problem import Problem, Rule
from rosenblatt._opinion.asked import with_row
from rosenblatt._opinion.cells import Cells
from rosenblatt._opinion.library import Library
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.table import Table
from rosenblatt._proof.whole_numbers import Floats
from rosenblatt._support.budget import Budget, LimitReached
from rosenblatt._support.telling import tell
from rosenblatt.errors import InputError
from rosenblatt.opinions import Opinion, Opinions, Status

ALL, EACH = 3_000_000, 120_000  # row evaluations: of the known rows, and of each new one
LINES, _MOST_LINES = 60, 200  # along which a rival becomes better: of few columns, of many
_AT_ONCE = 256  # new rows that share a search, at least
_KEPT = 20  # separators that are tried first


class Judges:
    """What is known of the rows of a table, and of the rules that fit them."""

    def __init__(
        self,
        table: Table,
        Q: Any,
        *,
        answers: NDArray[np.int8] | None,
        errors: int | None,
        work_limit: int | None = None,
        work: int = ALL,
        lines: int | None = None,
    ):
        self.table, self.Q = table, Q
        self.each = EACH if work_limit is None else work_limit
        self.problem = Problem.of(table, None, intercept=True)
        if self.problem.wide:
            raise InputError(
                f"X has {self.problem.rows.d:,} columns, too many for a second opinion: rules that "
                "fit the rows answer almost everything both ways. Choose the columns that matter."
            )
        self._work, self._lower = work, 0
        self._lines = lines or min(max(LINES, 20 * self.problem.rows.d), _MOST_LINES)
        self._step = max(_AT_ONCE, self.problem.rows.n)
        with np.errstate(all="ignore"):
            self._begin()
            self._first = None if self.separable else self._prepared(Q[: self._step])
        allowed = max(self.problem.best.cost, errors or 0)
        self.errors = 0 if self.separable else allowed
        self._answers = self._best_answers() if answers is None else answers

    def _begin(self) -> None:
        """Have the known rows a separator? If not: a good rule."""
        tell("looking for a rule with few errors")
        everything = np.ones(self.problem.rows.n, dtype=bool)
        found = conflicts.ask(self.problem, everything)
        self.separable = found.separator is not None
        self._separators: list[list[Any]] = []
        if found.separator is not None:
            self._separators.append(found.separator)
            self.problem.offer_exact(found.separator)
            return
        self._lower = 1
        rules.constant(self.problem)
        self.problem.rows.budget = Budget(work_limit=self._work)
        with suppress(LimitReached):
            rules.improve(self.problem)
        self.problem.rows.budget = Budget()

    def _best_answers(self) -> NDArray[np.int8]:
        if self.separable:
            return _signs(self._of(self.Q), self._separators[0])
        return _signs(self._of(self.Q), [*self.problem.best.w.tolist()])

    def _of(self, Q: Any) -> Rows:
        ones = np.ones(Q.shape[0], dtype=np.int8)
        return Rows(Q, ones, intercept=True, decimal=False, budget=Budget())

    def all(self, found: list[Opinion]) -> Opinions:
        return Opinions(
            self.table,
            self.Q,
            found,
            separable=self.separable,
            errors=self.errors,
            fewest=(self._lower, self.problem.best.cost if not self.separable else 0),
            n_rows=len(self.table.y),
        )

    # --- One after the other ---

    def opinions(self) -> Iterator[Opinion]:
        with np.errstate(all="ignore"):
            yield from self._by_separators() if self.separable else self._by_errors()

    def _labels(self, row: int) -> tuple[int, Any, Any]:
        sign, names = int(self._answers[row]), self.table.origin.classes.tolist()
        answer, other = (names[1], names[0]) if sign > 0 else (names[0], names[1])
        return sign, answer, other

    # --- A separator, or a few rows that leave none ---

    def _by_separators(self) -> Iterator[Opinion]:
        for row in range(self.Q.shape[0]):
            tell(f"new row {row + 1:,} of {self.Q.shape[0]:,}")
            sign, answer, other = self._labels(row)
            conflict, rival = self._forced(row, -sign)
            status: Status = "forced"
            if conflict is None:
                conflict, _ = self._forced(row, sign)
                status = "contested" if conflict is None else "overruled"
            yield Opinion(row, answer, other, status, rival=rival, conflict=conflict)

    def _forced(self, row: int, sign: int) -> tuple[dict[int, int] | None, Floats | None]:
        """Rows in conflict with this one on that side; or a rule that has it there."""
        x = self.Q[[row]]
        for known in self._separators:
            if int(_signs(self._of(x), known, strictly=True)[0]) == sign:
                return None, _floats(known)
        asked = with_row(self.problem, x, sign)
        last = asked.rows.n - 1
        found = conflicts.ask(asked, np.ones(asked.rows.n, dtype=bool), always=last)
        if found.separator is not None:
            if len(self._separators) < _KEPT:
                self._separators.append(found.separator)
            asked.offer_exact(found.separator)
            return None, asked.best.w
        assert found.conflict is not None
        name, n = self.problem.first, len(self.table.y)
        return {n if i == last else int(name[i]): v for i, v in found.conflict.items()}, None

    # --- What the other answer costs ---

    def _by_errors(self) -> Iterator[Opinion]:
        for begin in range(0, self.Q.shape[0], self._step):
            part = self.Q[begin : begin + self._step]
            library, cells = self._first or self._prepared(part)
            self._first = None  # of the other parts another one
            for k in range(part.shape[0]):
                tell(f"new row {begin + k + 1:,} of {self.Q.shape[0]:,}")
                yield self._priced(begin + k, k, part, library, cells)

    def _prepared(self, part: Any) -> tuple[Library, Cells | None]:
        tell("looking at all directions")
        library = Library(self.problem, part)
        cells = None
        if directions(self.problem) is not None and not sparse.issparse(part):
            cells = Cells(self.problem, part)
            if cells.table.possible:
                bound = cells.grow(Budget(work_limit=self._work), library)
                self._lower = max(self._lower, bound)
            else:
                cells = None
        library.add(self.problem.best.w[:-1])
        return library, cells

    def _priced(
        self, row: int, k: int, part: Any, library: Library, cells: Cells | None
    ) -> Opinion:
        sign, answer, other = self._labels(row)
        asked = with_row(self.problem, part[[k]], -sign)
        rules.constant(asked)
        low, budget = self._lower, Budget(work_limit=self.each)
        if (start := library.rule(k, -sign)) is not None:
            asked.offer(start)
            rules.descend(asked, start, self._lines)
        better = cells is not None
        while cells is not None and better and low < asked.best.cost:
            low = max(low, cells.least(k, -sign, asked.best.cost, budget))
            start = library.rule(k, -sign)  # along directions that were tried meanwhile
            better = start is not None and asked.offer(start)
        best = asked.best
        library.add(best.w[:-1])
        if best.cost < self.problem.best.cost:
            self.problem.best = _without_last(best)
        status: Status = "open"
        if best.cost <= self.errors:
            status = "contested"
        elif low > self.errors:
            status = "forced"
        price = max(0, low - self.problem.best.cost), best.cost - self._lower
        return Opinion(row, answer, other, status, low, best.cost, price, best.w)


def _without_last(rule: Rule) -> Rule:
    """Of the known rows alone: the new one was right, and cost nothing."""
    return Rule(rule.w, rule.wrong[:-1], rule.cost)


def _signs(rows: Rows, w: list[Any], *, strictly: bool = False) -> NDArray[np.int8]:
    """Which side rows are on, exactly; those on the hyperplane are on the positive one."""
    found = rows.signs([Fraction(v) for v in w])
    return found if strictly else np.where(found >= 0, 1, -1).astype(np.int8)


def _floats(w: list[Any]) -> Floats:
    return np.array([float(v) for v in w])
