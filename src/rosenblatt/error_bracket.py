"""How few training errors can any linear rule make? From both sides: `minimum_errors`."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.check import check
from rosenblatt._bounds.directions import Tree
from rosenblatt._bounds.problem import Problem
from rosenblatt._bounds.proof import Case, held_against, proof_document, save, used
from rosenblatt._bounds.search import Search
from rosenblatt._bounds.text import as_html, as_text
from rosenblatt._certify import document as say
from rosenblatt._certify.document import head
from rosenblatt._certify.table import read_encoded
from rosenblatt._util.budget import Clock
from rosenblatt._util.spelling import either
from rosenblatt._validation import parameters
from rosenblatt._validation.targets import sample_weights
from rosenblatt.certificate import Certificate, Conflict
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


_ONE_CONFLICT = "it is about one conflict; whether the other rows can be separated was not asked"


def minimum_errors(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    time_limit: float | None = 10.0,
    encoding: Encoding | None = None,
) -> ErrorBracket:
    """The fewest training errors that any linear rule can make: a bracket, and a rule.

    An error is a row with y_i (w·x_i + b) <= 0: on the wrong side, or on the hyperplane. The upper
    end is what the rule found makes, counted exactly. The lower end comes from conflicts, rows that
    no rule has all on the right side: of each conflict at least one is an error. In tables of up to
    10 columns it comes from cones of directions, too: see docs/forced.md.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The rows.
    y : array of shape (n,)
        Their labels: two different ones, or one.
    fit_intercept : bool
        False: hyperplanes through the origin only.
    sample_weight : array of shape (n,), optional
        What an error on each row counts, 1 by default; rows of weight 0 are left out.
    time_limit : float or None
        Seconds to search for; None: until the two ends meet, which may take very long.
    encoding : rosenblatt.data.Encoding, optional
        How X was made of a table: its names of columns are used. Words and categories of a data
        frame become columns of 0 and 1 by themselves, as in `certify`.

    Returns
    -------
    ErrorBracket
        Both ends, what of them is proved, the rule and the conflicts.

    Examples
    --------
    >>> from rosenblatt import minimum_errors
    >>> bracket = minimum_errors([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1])
    >>> bracket.lower, bracket.upper, bracket.proved
    (1, 1, True)
    >>> len(bracket.wrong_rows), len(bracket.conflicts)
    (1, 1)
    """
    parameters.flag("fit_intercept", fit_intercept)
    if time_limit is not None:
        time_limit = parameters.positive("time_limit", time_limit)
    clock = Clock(time_limit)
    table, encoding = read_encoded(
        X, y, sample_weight, encoding, semantics="binary64", asked="minimum_errors"
    )
    weights = sample_weights(sample_weight, len(table.y))
    present = np.arange(len(table.y)) if table.present is None else table.present
    problem = Problem.of(table, weights, intercept=bool(fit_intercept))
    search = Search(problem, clock)
    search.run()
    name = problem.rows.names(present[problem.first])
    numbers = used(search.proof)
    rule = problem.best
    return ErrorBracket(
        head(table, bool(fit_intercept), "binary64", encoding),
        lifted=rule.w if fit_intercept else np.append(rule.w, 0.0),
        wrong_rows=present[rule.wrong[problem.group]],
        weights=weights,
        unit=problem.unit,
        ends=(search.proved, search.lower, rule.cost),
        conflicts=[say.conflict(problem.rows, name, search.cover.conflicts[k]) for k in numbers],
        proof=search.proof.renamed({k: new for new, k in enumerate(numbers)}, name),
        tree=None if search.cones is None else Tree(search.cones, present, len(table.y)),
        limits=_limits(search, time_limit),
    )


def _limits(search: Search, time_limit: float | None) -> list[str]:
    problem, rows = search.problem, search.problem.rows
    out: list[str] = []
    if search.lower >= problem.best.cost:
        return out
    if problem.wide:
        out.append(
            f"{rows.n} different rows in {rows.D} dimensions are too many to look for conflicts, "
            "but for equal rows of opposite labels"
        )
    if problem.beyond_floats is not None and problem.beyond_floats < problem.best.cost:
        out.append(
            "there is a rule with fewer errors, but no floating-point weights were found for it"
        )
    elif search.cut_short and time_limit is not None:
        limit = f"{6 * time_limit:g}"
        longer = either(f"time_limit={limit}", f"--fewest-errors {limit}")
        out.append(
            f"the time limit of {time_limit:g} seconds was reached; {longer} searches longer"
        )
    return out


@final
class ErrorBracket:
    """The answer of `minimum_errors`. Print it to read it in words.

    Every linear rule makes at least `lower` errors; the rule found (`coef_`, `intercept_`) makes
    `upper`. An error is a row with y_i (w·x_i + b) <= 0. With weights, both are weights of rows.

    Attributes
    ----------
    lower, upper : int, or float where there are weights
        The two ends. `upper` is counted exactly. `lower` may rely on the solver of mixed-integer
        programs, where that gives more than what is proved.
    proved_lower : int or float
        The part of `lower` that is proved in exact arithmetic; see `verify`.
    proof : "conflicts" or "directions"
        What proves it: rows that no rule has all on the right side, or pairs of rows of which every
        rule errs on one, for each cone of directions.
    optimal, proved : bool
        The ends are equal: no linear rule makes fewer errors. `proved`: without trusting a solver.
    coef_, intercept_ : arrays of shape (1, d) and (1,)
        The rule.
    wrong_rows : array of int
        The rows on which it errs.
    conflicts : list of Conflict
        Groups of rows that prove `proved_lower`: every rule errs on at least one row of each, so
        its errors are a hitting set of them. Empty where directions prove it.
    shares : list of Fraction, or None
        How much of the bound each of them gives: the shares of the conflicts with a row are not
        more than what an error on it counts, with all rows that equal it. All 1 without weights:
        the conflicts have no row in common, and `proved_lower` is their number. None: the proof
        distinguishes cases.
    n_cases : int
        How many cases it distinguishes; of directions, how many cones.
    limits : list of str
        Why the ends do not meet.
    n_rows, n_features, feature_names, classes, fit_intercept, sha256
        What it is about.
    """

    def __init__(
        self,
        head: dict[str, Any],
        *,
        lifted: NDArray[np.float64],
        wrong_rows: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
        unit: Fraction,
        ends: tuple[int, int, int],
        conflicts: list[dict[str, Any]],
        proof: Case,
        tree: Tree | None,
        limits: list[str],
    ):
        self._head, self._parts, self._proof, self._tree = head, conflicts, proof, tree
        self._weights, self._unit, self._ends = weights, unit, ends
        self.coef_, self.intercept_ = lifted[None, :-1], lifted[-1:]
        self.wrong_rows, self.limits = wrong_rows, limits

    # --- What it is about ---

    @property
    def n_rows(self) -> int:
        """Rows that count: those of weight 0 are left out."""
        return int(self._head["rows"]) - len(self._head["dropped"])

    @property
    def n_features(self) -> int:
        return len(self._head["columns"])

    @property
    def feature_names(self) -> list[str]:
        return list(self._head["columns"])

    @property
    def classes(self) -> list[str]:
        """The labels as text; the last one is that of positive scores."""
        return [label for label in self._head["labels"] if label is not None]

    @property
    def fit_intercept(self) -> bool:
        return bool(self._head["fit_intercept"])

    @property
    def sha256(self) -> str:
        return str(self._head["sha256"])

    @property
    def total(self) -> int | float:
        """What errors on all rows would count."""
        return self.n_rows if self._weights is None else float(self._weights.sum())

    def with_rule(
        self, lifted: NDArray[np.float64], wrong_rows: NDArray[np.intp], units: int
    ) -> ErrorBracket:
        """This bracket with a better rule, found by another search."""
        proved, lower, _ = self.ends
        return ErrorBracket(
            self._head,
            lifted=lifted,
            wrong_rows=wrong_rows,
            weights=self._weights,
            unit=self._unit,
            ends=(proved, min(lower, units), units),
            conflicts=self._parts,
            proof=self._proof,
            tree=self._tree,
            limits=[] if lower >= units else self.limits,
        )

    @property
    def lifted(self) -> NDArray[np.float64]:
        """The weights of the rule, and its intercept."""
        return np.append(self.coef_[0], self.intercept_)

    # --- The two ends ---

    @property
    def ends(self) -> tuple[int, int, int]:
        """Proved, claimed, and reached by the rule, in units."""
        return self._ends

    @property
    def proved_lower(self) -> int | float:
        return self._counted(self._ends[0], up=False)

    @property
    def lower(self) -> int | float:
        return self._counted(self._ends[1], up=False)

    @property
    def upper(self) -> int | float:
        return self._counted(self._ends[2], up=True)

    @property
    def optimal(self) -> bool:
        return self._ends[1] >= self._ends[2]

    @property
    def proved(self) -> bool:
        return self._ends[0] >= self._ends[2]

    def _counted(self, units: int, *, up: bool) -> int | float:
        """In the weights that were given: to the nearest float if the ends meet, else outward."""
        exact = units * self._unit
        if self._weights is None:
            return int(exact)
        value = float(exact)
        if units == self._ends[2] and self.optimal:
            return value
        if up and Fraction(value) < exact:
            return math.nextafter(value, math.inf)
        if not up and Fraction(value) > exact:
            return math.nextafter(value, 0.0)
        return value

    # --- The proof ---

    @property
    def proof(self) -> Literal["conflicts", "directions"]:
        return "conflicts" if self._tree is None else "directions"

    @property
    def conflicts(self) -> list[Conflict]:
        found = (self.certificate(k).conflict for k in range(len(self._parts)))
        return [conflict for conflict in found if conflict is not None]

    @property
    def shares(self) -> list[Fraction] | None:
        if self._proof.row is not None or self._tree is not None:
            return None
        return [self._proof.shares[k] * self._unit for k in range(len(self._parts))]

    @property
    def n_cases(self) -> int:
        if self._tree is not None:
            return self._tree.n_cones
        return self._proof.count

    def certificate(self, k: int) -> Certificate:
        """Conflict k as a certificate that it is one, for `python -m rosenblatt.verify`."""
        verdict = {"verdict": "undecided", "separable": False, "limits": [_ONE_CONFLICT]}
        return Certificate(self._head | verdict | {"conflict": self._parts[k]}, checked=True)

    def to_dict(self) -> dict[str, Any]:
        """A proof by directions, as `python -m rosenblatt.verify_errors` checks it."""
        if self._tree is None:
            raise InputError(
                "This bound is proved by conflicts, not by directions: each of them has a "
                "certificate of its own, certificate(0) and so on."
            )
        return proof_document(
            self._head,
            self._tree.document,
            unit=self._unit,
            at_least=self._ends[0],
            at_most=self._ends[2],
            rule=self.lifted,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write that proof as JSON (atomic write: whole or not at all)."""
        save(self.to_dict(), path)

    def verify(self, X: Any, y: Any) -> None:
        """Check the rule, its errors, and what proves `proved_lower` against the data, exactly.

        Raises CertificateRejected if something does not hold.
        """

        held_against(self._head, X, y, partial(check, self), "The bracket is")

    # --- In words ---

    def __repr__(self) -> str:
        return f"<ErrorBracket: {self.lower} to {self.upper} of {self.total}>"

    def __str__(self) -> str:

        return as_text(self)

    def _repr_html_(self) -> str:

        return as_html(self)
