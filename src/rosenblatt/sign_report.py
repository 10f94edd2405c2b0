"""What the rows force: for each column the sign of its weight, or that it is open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify_errors
from rosenblatt._minimum import proof_file
from rosenblatt._support.foreign import one_line
from rosenblatt._support.words import named
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._minimum.tree import Tree
    from rosenblatt.error_bracket import ErrorBracket


@final
@dataclass(frozen=True)
class ColumnSign:
    """One column.

    Attributes
    ----------
    name : str
    sign : "+", "-" or None
        The sign of its weight in every rule with few errors; None: it is not known to be forced.
    free : bool
        A rule with few errors has the other sign, or weight 0: `rule`.
    collinear : bool
        On these rows it is a combination of other columns and a constant, so that its weight can
        always be 0. Of such columns none is forced: a column that is there twice, all levels of a
        column of words, a constant.
    at_least, at_most : int or float
        The fewest errors of rules with weight 0 or the other sign lie between these.
    best : "+", "-" or "0"
        The sign of its weight in the best rule found.
    rule : array of shape (d + 1,)
        One that makes `at_most`: weights, then the intercept.
    """

    name: str
    sign: Literal["+", "-"] | None
    free: bool
    collinear: bool
    best: Literal["+", "-", "0"]
    ends: tuple[int, int]
    unit: Fraction
    rule: NDArray[np.float64]
    tree: Tree | None

    @property
    def at_least(self) -> int | float:
        return _counted(self.ends[0] * self.unit)

    @property
    def at_most(self) -> int | float:
        return _counted(self.ends[1] * self.unit)


@final
class SignReport:
    """The answer of `forced_signs`: one ColumnSign for each column, in order or by name.

    Attributes
    ----------
    errors : int or float
        The rules compared make at most this many errors.
    at_least : int or float
        Every linear rule is proved to make at least this many; 0 where `errors` was given.
    columns : list of ColumnSign
    """

    def __init__(
        self,
        head: dict[str, Any],
        columns: list[ColumnSign],
        *,
        ends: tuple[int, int],
        unit: Fraction,
        longer: str | None,
        asked: bool,
        weighted: bool,
        best: tuple[NDArray[np.float64], NDArray[np.intp]],
    ):
        self._head, self.columns, self._ends, self._unit = head, columns, ends, unit
        self._longer, self._asked, self._weighted, self._best = longer, asked, weighted, best

    @property
    def errors(self) -> int | float:
        return _counted(self._ends[1] * self._unit)

    @property
    def at_least(self) -> int | float:
        return _counted(self._ends[0] * self._unit)

    def improved(self, bracket: ErrorBracket) -> ErrorBracket:
        """The bracket, with the best rule of this search if it makes fewer errors."""
        if self._asked or self._ends[1] >= bracket.ends[2]:
            return bracket
        return bracket.with_rule(*self._best, self._ends[1])

    @property
    def n_rows(self) -> int:
        """Rows that count: those of weight 0 are left out."""
        return int(self._head["rows"]) - len(self._head["dropped"])

    @property
    def label(self) -> str:
        """What a positive weight speaks for, as it stands in a sentence."""
        return one_line(named(self._head["labels"][-1]))

    def __getitem__(self, name: str) -> ColumnSign:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"there is no column {name!r}; there are {self._head['columns']}")

    def __iter__(self) -> Iterator[ColumnSign]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    # --- The proof ---

    def to_dict(self, name: str) -> dict[str, Any]:
        """The proof that a sign is forced, as `python -m rosenblatt.verify_errors` checks it."""
        column = self[name]
        if column.tree is None:
            raise InputError(f"The sign of {name!r} is not known to be forced: there is no proof.")
        least, most = column.ends
        return proof_file.proof_document(
            self._head,
            column.tree.document,
            unit=column.unit,
            at_least=least,
            at_most=most,
            rule=column.rule,
        )

    def save(self, name: str, path: str | os.PathLike[str]) -> None:
        """Write that proof as JSON (atomic write: whole or not at all)."""
        proof_file.save(self.to_dict(name), path)

    def verify(self, X: Any, y: Any) -> None:
        """Check every forced sign, and the errors of its rule, against the data, exactly.

        Raises CertificateRejected if something does not hold.
        """
        proof_file.held_against(self._head, X, y, self._check, "The signs are")

    def _check(self, X: Any, signs: NDArray[np.int8]) -> None:
        from rosenblatt._proof.check import data_of

        data = data_of(self._head, X, signs)
        for column in self.columns:
            if column.sign is not None:
                claim = self.to_dict(column.name)
                verify_errors.check_form(claim)
                verify_errors.check(claim, data)

    # --- In words ---

    def __repr__(self) -> str:
        signs = ", ".join(f"{c.name} {c.sign or ('free' if c.free else 'open')}" for c in self)
        return f"<SignReport: {signs}>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        yield (
            f"Signs of the weights in all linear rules with {self._most()} on these "
            f"{self.n_rows:,} rows (+ speaks for the label {self.label}, - against it):"
        )
        yield from (f"  {line}" for line in map(self._line, self.columns))
        yield "This is about these rows only; other rows may show something else."
        if not self._asked and self.at_least < self.errors:
            more = ", and more signs may then be forced" if any(not c.sign for c in self) else ""
            yield (
                f"{self.errors:,} is the fewest found, and not proved to be the minimum. With more "
                f"time a rule with fewer may be found{more}."
            )
        if self._longer is not None and any(c.sign is None and not c.free for c in self):
            yield f"Open signs may be settled by {self._longer}."

    def _line(self, column: ColumnSign) -> str:
        name = one_line(column.name)
        low, high = column.at_least, column.at_most
        other = "+" if column.best == "-" else "-"
        if column.sign is not None:
            not_so = {"+": "not positive", "-": "not negative"}[column.sign]
            most = "" if low == high else f"; the best such rule found {self._errs(high)}"
            return (
                f"{name}: {column.sign} is forced. Every rule whose weight on it is {not_so} "
                f"{self._errs(low, 'at least ')}{most}."
            )
        if column.collinear:
            return f"{name}: free. It is a combination of other columns: its weight can be 0."
        if column.free and column.best == "0":
            return f"{name}: free. The best rule found does without the column."
        if column.free:
            return (
                f"{name}: free. The best rule found has {column.best} here; another one, with "
                f"{other} or without the column, {self._errs(high)}."
            )
        much = f"between {low:,} and {high:,}" if low else f"at most {high:,}"
        return (
            f"{name}: open. The best rule found has {column.best} here; the fewest errors with "
            f"{other} or without the column: {much}."
        )

    def _most(self) -> str:
        if self._weighted:
            return f"errors that weigh at most {self.errors:,}"
        return f"at most {self.errors:,} {'error' if self.errors == 1 else 'errors'}"

    def _errs(self, value: int | float, least: str = "") -> str:
        if self._weighted:
            return f"makes errors that weigh {least}{value:,}"
        return f"errs on {least}{value:,} {'row' if value == 1 else 'rows'}"


def _counted(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)
