"""How firmly the known rows answer for new ones: forced, contested or open, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof import claim as say
from rosenblatt._proof.balance import Blend
from rosenblatt._proof.heading import head
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.table import Table
from rosenblatt._support.budget import Budget
from rosenblatt._support.foreign import one_line
from rosenblatt._support.words import many
from rosenblatt.certificate import Certificate
from rosenblatt.data.together import below
from rosenblatt.errors import InputError

Status = Literal["forced", "overruled", "contested", "open"]
STATUSES: tuple[Status, ...] = ("forced", "overruled", "contested", "open")
_ONE_CONFLICT = "it is about one conflict; whether the other rows can be separated was not asked"
_NAMED = 12  # rows of a conflict that are named in a sentence


@final
@dataclass(frozen=True)
class Opinion:
    """One new row.

    Attributes
    ----------
    row : int
        Its number in Q.
    answer, other : labels
        What the rule says, and what it does not say.
    status : "forced", "overruled", "contested" or "open"
        Forced: every rule with at most `errors` errors on the known rows gives the answer.
        Overruled: all of them give the other one. Contested: one of them gives the other answer:
        `rival`. Open: neither was settled.
    at_least, at_most : int, or None
        The fewest errors of rules that give the other answer lie between these; None where that was
        not searched, because a few rows have already settled it.
    price : (int, int) or None
        What the other answer costs: these errors minus the fewest of all rules, as a bracket.
    rival : array of shape (d + 1,) or None
        A rule that gives the other answer and makes `at_most` errors: weights, then the intercept.
    because : list of int
        Where the known rows have a separator and the answer is forced: at most d + 1 of them that
        leave no other.
    """

    row: int
    answer: Any
    other: Any
    status: Status
    at_least: int | None = None
    at_most: int | None = None
    price: tuple[int, int] | None = None
    rival: NDArray[np.float64] | None = None
    conflict: Blend | None = None  # by row of the table; the new row is the last one

    @property
    def because(self) -> list[int]:
        return sorted(self.conflict)[:-1] if self.conflict else []


@final
class Opinions:
    """The answer of `second_opinion`: one Opinion for each row of Q, in order.

    Attributes
    ----------
    separable : bool
        Some linear rule makes no error on the known rows; forced is what all such rules say.
    errors : int
        Rules with at most this many errors are asked: 0 where one makes none, else as many as the
        rule makes, or as the best linear rule found where that is more.
    fewest : (int, int)
        The fewest errors of any linear rule lie between these.
    bound : float or None
        Where the known rows are separable, (d + 2)/(m + 1). For m known rows and a new one in
        random order, the probability that the known ones are separable, the answer is forced, and
        it is wrong, all three, is at most this. It is not the probability that a forced answer is
        wrong.
    """

    def __init__(
        self,
        table: Table,
        Q: Any,
        found: list[Opinion],
        *,
        separable: bool,
        errors: int,
        fewest: tuple[int, int],
        n_rows: int,
    ):
        self._table, self._Q, self._found = table, Q, found
        self.separable, self.errors, self.fewest, self.n_rows = separable, errors, fewest, n_rows

    @property
    def bound(self) -> float | None:
        if not self.separable:
            return None
        return min(1.0, (len(self._table.columns) + 2) / (self.n_rows + 1))

    def count(self, status: Status) -> int:
        return Counter(opinion.status for opinion in self)[status]

    def __getitem__(self, row: int) -> Opinion:
        return self._found[row]

    def __iter__(self) -> Iterator[Opinion]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    # --- The proof ---

    def certificate(self, row: int) -> Certificate:
        """Why an answer is forced: the known rows with this one, labelled otherwise, have no
        separator. `python -m rosenblatt.verify` checks it against `rows_of(row)`."""
        opinion = self[row]
        if opinion.conflict is None:
            raise InputError(
                f"Row {row} is {opinion.status}, and there is a certificate only where a few rows "
                "force the answer: where the known rows have a separator."
            )
        table = self._with(opinion)
        rows = Rows(table.X, table.y, intercept=True, decimal=False, budget=Budget())
        found = head(table, True, "binary64", Budget())
        found |= {"verdict": "undecided", "separable": False, "limits": [_ONE_CONFLICT]}
        part = say.conflict(rows, say.Names(None), opinion.conflict)
        return Certificate(found | {"conflict": part}, checked=True)

    def rows_of(self, row: int) -> tuple[Any, NDArray[Any]]:
        """X and y of the certificate: the known rows, and this one labelled otherwise."""
        opinion = self[row]
        table = self._with(opinion)
        names = np.array(table.origin.classes)
        return table.X, names[(table.y > 0).astype(np.intp)]

    def _with(self, opinion: Opinion) -> Table:
        label = opinion.answer if opinion.status == "overruled" else opinion.other
        sign = 1 if label == self._table.origin.classes[1] else -1
        X = below([self._table.X, self._Q[[opinion.row]]], len(self._table.columns))
        return replace(self._table, X=X, y=np.append(self._table.y, sign).astype(np.int8))

    # --- In words ---

    def __repr__(self) -> str:
        counted = ((self.count(status), status) for status in STATUSES)
        return f"<Opinions: {', '.join(f'{k} {status}' for k, status in counted if k)}>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        yield self.about
        for status in STATUSES:
            if k := self.count(status):
                yield f"  {status}: {k:,} of {many(len(self), 'row')}. {self._meaning(status)}"
        if self.bound is not None:
            yield self.bound_sentence
        yield "This is about the known rows and linear rules, not about which answer is right."

    @property
    def about(self) -> str:
        """Which rules are asked."""
        if self.separable:
            return f"A second opinion of all linear rules that fit all {self.n_rows:,} known rows."
        least, most = self.fewest
        best = f"the fewest possible are {most:,}"
        if least != most:
            best = f"the best rule found makes {most:,}"
        return (
            f"A second opinion of all linear rules with at most {self.errors:,} errors on the "
            f"{self.n_rows:,} known rows ({best})."
        )

    @property
    def bound_sentence(self) -> str:
        assert self.bound is not None
        return (
            "If the known rows and a new one come in random order, three things happen together "
            f"with probability at most {self.bound:.2g}: the known rows are separable, the new "
            "answer is forced, and it is wrong. That is not the probability that a forced answer "
            "is wrong."
        )

    def _meaning(self, status: Status) -> str:
        none = f"Not settled: no rule with at most {many(self.errors, 'error')} was found"
        return {
            "forced": "All these rules give the same answer as the rule asked.",
            "overruled": "All these rules give the other answer.",
            "contested": "At least one of these rules gives the other answer.",
            "open": f"{none} that gives the other answer, but none is ruled out.",
        }[status]

    def sentence(self, row: int, number: Callable[[int], int] = int) -> str:
        """About one row; `number`: what known rows are called."""
        opinion = self[row]
        answer, other = one_line(str(opinion.answer)), one_line(str(opinion.other))
        if opinion.conflict is not None:
            right = other if opinion.status == "overruled" else answer
            why = _named([number(i) for i in opinion.because])
            return f"{opinion.status}: every rule that fits says {right}, because of {why}"
        if opinion.status == "forced":
            least = f"{opinion.at_least:,} errors, more than {self.errors:,}"
            return f"forced: every rule that says {other} makes at least {least}"
        if opinion.status == "contested":
            if self.separable:
                return f"contested: a rule that fits says {other}"
            return f"contested: a rule with {many(opinion.at_most or 0, 'error')} says {other}"
        return (
            f"open: no rule with at most {many(self.errors, 'error')} was found that says {other} "
            f"(the best one found makes {opinion.at_most:,}), but none is ruled out"
        )


def _named(rows: list[int]) -> str:
    some = ", ".join(map(str, rows[:_NAMED])) + (", …" if len(rows) > _NAMED else "")
    return f"{'row' if len(rows) == 1 else 'rows'} {some}"
