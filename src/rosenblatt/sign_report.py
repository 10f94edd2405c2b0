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
    rule : array of shape (d + 1,)
        One that makes `at_most`: weights, then the intercept.
    """

    name: str
    sign: Literal["+", "-"] | None
    free: bool
    collinear: bool
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
    ):
        self._head, self.columns, self._ends, self._unit = head, columns, ends, unit
        self._longer = longer

    @property
    def errors(self) -> int | float:
        return _counted(self._ends[1] * self._unit)

    @property
    def at_least(self) -> int | float:
        return _counted(self._ends[0] * self._unit)

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
            "Signs of the weights in all linear rules with at most "
            f"{self.errors:,} errors on these {self.n_rows:,} rows "
            f"(+ speaks for the label {self.label}, - against it):"
        )
        yield from (f"  {line}" for line in map(self._line, self.columns))
        yield "This is about these rows only; other rows may show something else."
        if self._longer is not None and any(c.sign is None and not c.free for c in self):
            yield f"Open signs may be settled by {self._longer}."

    def _line(self, column: ColumnSign) -> str:
        name = one_line(column.name)
        low, high = column.at_least, column.at_most
        if column.sign is not None:
            other = {"+": "not positive", "-": "not negative"}[column.sign]
            most = "" if low == high else f"; the best such rule found errs on {high:,}"
            return (
                f"{name}: {column.sign} is forced. Every rule whose weight on it is {other} "
                f"errs on at least {low:,} rows{most}."
            )
        if column.collinear:
            return f"{name}: free. It is a combination of other columns: its weight can be 0."
        if column.free:
            return (
                f"{name}: free. A rule with the other sign, or without it, errs on {high:,} rows."
            )
        much = f"between {low:,} and {high:,}" if low else f"at most {high:,}"
        return f"{name}: open. The fewest errors with the other sign, or without it: {much}."


def _counted(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)
