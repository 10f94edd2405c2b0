"""How few training errors can any linear rule make? From both sides: `minimum_errors`."""

from __future__ import annotations

import copy
import html
import math
import os
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify, verify_errors
from rosenblatt._bounds import proof as proofs
from rosenblatt._bounds.directions import Tree
from rosenblatt._bounds.problem import Costs, Problem
from rosenblatt._bounds.proof import Case, bound_of, held_against, proof_document, save, used
from rosenblatt._bounds.search import Search
from rosenblatt._bounds.tolerance import Tolerance, tolerance
from rosenblatt._certify import document as say
from rosenblatt._certify.check import data_of
from rosenblatt._certify.document import head, signs_demanded
from rosenblatt._certify.parts import AboutRows, Hyperplane, signs_in_words, with_the_signs
from rosenblatt._certify.rows import Rows
from rosenblatt._certify.table import demanded_signs, read_encoded
from rosenblatt._util.budget import Budget, Clock
from rosenblatt._util.spelling import either
from rosenblatt._util.text import counted, html_table, many, row_number
from rosenblatt._validation import parameters
from rosenblatt._validation.targets import sample_weights
from rosenblatt.certificate import Certificate, Conflict
from rosenblatt.errors import InputError
from rosenblatt.verify import demand

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


_SHOWN = 10  # rows


def minimum_errors(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    time_limit: float | None = 10.0,
    preprocessing: Preprocessing | None = None,
    signs: Any = None,
) -> ErrorBracket:
    """The fewest training errors that any linear rule can make: a bracket, and a rule.

    An error is a row with y_i (w·x_i + b) <= 0: on the wrong side, or on the hyperplane. The upper
    end is what the rule found makes, counted exactly. The lower end comes from conflicts, rows that
    no rule has all on the right side: of each conflict at least one is an error. In tables of up to
    10 columns it comes from cones of directions, too: see docs/fewest-errors.md.

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
    preprocessing : rosenblatt.data.Preprocessing, optional
        How X was made of a table: its names of columns are used. Words and categories of a data
        frame become columns of 0 and 1 by themselves, as in `certify`.
    signs : mapping or array of shape (d,), optional
        Signs that weights must have, for the second label: {"income": "+", "reports": "-"}, or -1,
        0 and 1 by column. The bracket is then about rules that obey them; a weight of 0 does.
        Columns with a sign do not count among the 10.

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
    table, preprocessing = read_encoded(
        X, y, sample_weight, preprocessing, numbers="float", function="minimum_errors"
    )
    costs = Costs.of(sample_weights(sample_weight, len(table.y)))
    present = np.arange(len(table.y)) if table.present is None else table.present
    signed = demanded_signs(table, signs)
    problem = Problem.of(table, costs, intercept=bool(fit_intercept), signs=signed)
    search = Search(problem, clock)
    search.run()
    name = problem.rows.names(present[problem.first])
    numbers = used(search.proof)
    best = problem.best
    return ErrorBracket(
        head(table, bool(fit_intercept), "float", preprocessing, signed),
        rule=Hyperplane.of_lifted(best.w if fit_intercept else np.append(best.w, 0.0)),
        wrong_rows=present[best.wrong[problem.group]],
        costs=costs,
        ends=(search.proved, search.lower, best.cost),
        conflicts=[
            say.conflict(problem.rows, name, search.cover.conflicts[k], meet=signed is None)
            for k in numbers
        ],
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
        longer = either(f"time_limit={limit}", f"--search-time {limit}")
        out.append(
            f"the time limit of {time_limit:g} seconds was reached; {longer} searches longer"
        )
    return out


@final
class ErrorBracket(AboutRows):
    """The answer of `minimum_errors`. Print it to read it in words.

    Every linear rule makes at least `lower` errors; the rule found makes `upper`.
    An error is a row with y_i (w·x_i + b) <= 0. With weights, both are weights of rows.

    Attributes
    ----------
    lower, upper : int, or float where there are weights
        The two ends. `upper` is counted exactly. `lower` may rely on the solver of mixed-integer
        programs, where that gives more than what is proved.
    proved_lower : int or float
        The part of `lower` that is proved in exact arithmetic; see `verify`.
    proof : "conflicts" or "directions"
        What proves it: rows that no rule has all on the right side, or pairs of rows of which every
        rule misclassifies one, for each cone of directions.
    optimal, proved : bool
        The ends are equal: no linear rule makes fewer errors. `proved`: without trusting a solver.
    rule : Hyperplane
        One that makes `upper`, with `coef` and `intercept`.
    wrong_rows : array of int or None
        The rows that it misclassifies; None after `load`, until `verify` has seen the rows.
    conflicts : list of Conflict
        Groups of rows that prove `proved_lower`: every rule misclassifies a row of each, so
        its errors are a hitting set of them. Empty where directions prove it.
    shares : list of Fraction, or None
        How much of the bound each of them gives: the shares of the conflicts with a row are not
        more than what an error on it counts, with all rows that equal it. All 1 without weights:
        the conflicts have no row in common, and `proved_lower` is their number. None: the proof
        distinguishes cases.
    tolerates : Tolerance or None
        How firm it is that no linear rule is right about all rows: `labels` that may be wrong, and
        `rows` that may be removed or added. None where nothing is proved.
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
        rule: Hyperplane,
        wrong_rows: NDArray[np.intp] | None,
        costs: Costs | None,
        ends: tuple[int, int, int],
        conflicts: list[dict[str, Any]],
        proof: Case,
        tree: Tree | None,
        limits: list[str],
        checked: bool = True,
    ):
        self._document, self._parts, self._proof, self._tree = head, conflicts, proof, tree
        self._costs, self._unit = costs, Fraction(1) if costs is None else costs.unit
        self.ends = ends  # proved, claimed, and reached by the rule, in units
        self.rule, self._checked = rule, checked
        self.wrong_rows, self.limits = wrong_rows, limits

    @property
    def checked(self) -> bool:
        """Whether it was found or checked here; False after `load`, until `verify`."""
        return self._checked

    # --- What it is about ---

    @property
    def total(self) -> int | float:
        """What errors on all rows would count."""
        return self.n_rows if self._costs is None else self._costs.total

    def with_rule(self, rule: Hyperplane, wrong_rows: NDArray[np.intp], units: int) -> ErrorBracket:
        """This bracket with a better rule, found by another search."""
        proved, lower, _ = self.ends
        return ErrorBracket(
            self._document,
            rule=rule,
            wrong_rows=wrong_rows,
            costs=self._costs,
            ends=(proved, min(lower, units), units),
            conflicts=self._parts,
            proof=self._proof,
            tree=self._tree,
            limits=[] if lower >= units else self.limits,
        )

    def named(self, names: list[str]) -> ErrorBracket:
        """With the columns called so."""
        other = copy.copy(self)
        other._document = self._document | {"columns": names}
        return other

    # --- The two ends ---

    @property
    def proved_lower(self) -> int | float:
        return self._counted(self.ends[0], up=False)

    @property
    def lower(self) -> int | float:
        return self._counted(self.ends[1], up=False)

    @property
    def upper(self) -> int | float:
        return self._counted(self.ends[2], up=True)

    @property
    def optimal(self) -> bool:
        return self.ends[1] >= self.ends[2]

    @property
    def proved(self) -> bool:
        return self.ends[0] >= self.ends[2]

    def price(self, free: ErrorBracket) -> tuple[int | float, int | float]:
        """What the signs demanded here cost at least and at most, beside the rules without them."""
        same = (self.sha256, self.feature_names, self.fit_intercept)
        if not self.signs or (free.sha256, free.feature_names, free.fit_intercept) != same:
            raise InputError(
                "price compares a bracket with signs with one of the same rows without them: "
                "minimum_errors(X, y, signs=...).price(minimum_errors(X, y))."
            )
        # A rule with the signs is one without the demand, too.
        least = max(0, self.ends[1] - min(free.ends[2], self.ends[2]))
        most = self.ends[2] - free.ends[1]
        return self._counted(least, up=False), self._counted(most, up=True)

    def price_sentence(self, free: ErrorBracket) -> str:
        least, most = self.price(free)
        of = f"{self.total:.6g}" if self._costs is not None else many(self.n_rows, "row")
        named = signs_in_words(self)
        if not most:
            return f"Demanding {named} costs nothing: no more errors on these {of}."
        much = (
            f"{most:,} more" if least == most else f"at least {least:,} and at most {most:,} more"
        )
        return f"Demanding {named} costs {much} of {of}."

    def _counted(self, units: int, *, up: bool) -> int | float:
        """In the weights that were given: to the nearest float if the ends meet, else outward."""
        exact = units * self._unit
        if self._costs is None:
            return int(exact)
        value = float(exact)
        if units == self.ends[2] and self.optimal:
            return value
        if up and Fraction(value) < exact:
            return math.nextafter(value, math.inf)
        if not up and Fraction(value) > exact:
            return math.nextafter(value, 0.0)
        return value

    @property
    def tolerates(self) -> Tolerance | None:
        """So many labels may be wrong, or rows others, and still no linear rule is right about all.

        It follows from `proved_lower`; None where that is 0.
        """
        if not self.ends[0]:
            return None
        costs = np.ones(self.n_rows) if self._costs is None else self._costs.single
        return tolerance(self.ends[0], costs, both=False)

    # --- The proof ---

    @property
    def proof(self) -> Literal["conflicts", "directions"]:
        return "conflicts" if self._tree is None else "directions"

    @property
    def conflicts(self) -> list[Conflict]:
        all_ = (self.certificate(k).conflict for k in range(len(self._parts)))
        return [conflict for conflict in all_ if conflict is not None]

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
        return Certificate(say.one_conflict(self._document, self._parts[k]), checked=True)

    def to_dict(self) -> dict[str, Any]:
        """A proof by directions, as `python -m rosenblatt.verify_errors` checks it."""
        if self._tree is None:
            raise InputError(
                "This bound is proved by conflicts, not by directions: each of them has a "
                "certificate of its own, certificate(0) and so on."
            )
        return proof_document(
            self._document,
            self._tree.document,
            unit=self._unit,
            at_least=self.ends[0],
            at_most=self.ends[2],
            rule=self.rule,
            tolerates=self._tolerated(),
        )

    def _tolerated(self) -> dict[str, Any] | None:
        known = self.tolerates
        return None if known is None else {**asdict(known), "errors": 0, "rule": None}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write that proof as JSON (atomic write: whole or not at all)."""
        save(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ErrorBracket:
        """Read what `save` wrote. It says what it claims; `verify` says whether that is proved."""
        claim = proofs.load(path)
        if claim["column"] is not None:
            raise InputError(f"{path} is about the sign of one column: SignReport.load reads it.")
        least = claim["at_least"]
        return cls(
            proofs.head_of(claim),
            rule=claim["rule"],
            wrong_rows=None,
            costs=claim["costs"],
            ends=(least, least, claim["at_most"]),
            conflicts=[],
            proof=Case(),
            tree=Tree.of(claim),
            limits=[],
            checked=False,
        )

    def verify(self, X: Any, y: Any) -> None:
        """Check the rule, its errors, and what proves `proved_lower` against the data, exactly.

        Raises VerificationError if something does not hold.
        """
        held_against(self._document, X, y, partial(_check, self), "The bracket is")
        self._checked = True

    # --- In words ---

    def __repr__(self) -> str:
        return f"<ErrorBracket: {self.lower} to {self.upper} of {self.total}>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        first, *rest = map(html.escape, self.lines())
        return (
            f'<div class="rosenblatt-bracket"><p><b>{first}</b></p><p>{"<br>".join(rest)}</p>'
            f"{_coefficients(self)}</div>"
        )

    def lines(self, *, alone: bool = True) -> Iterator[str]:
        """`alone`: without a certificate before it, which has told what was left out."""
        yield _ends(self)
        if self.ends[2]:
            if self.wrong_rows is not None:
                yield _errors(self)
            yield from _proof(self)
        if self.tolerates is not None and (firm := self.tolerates.words(self.n_rows)):
            rule = f"No linear rule{with_the_signs(self)}"
            yield f"{rule} is right about all rows, even if {firm}."
        if not self.checked:
            yield "Claimed (not checked since it was loaded): verify(X, y) checks it."
        yield from (f"Cut short: {limit}." for limit in self.limits)
        if self._costs is not None and (rounded := self._costs.sentence()):
            yield rounded
        if alone and self._costs is not None and self._document["dropped"]:
            yield f"Left out: {many(len(self._document['dropped']), 'row', 'one')} of weight 0."


# --- The bracket held against the data: only multiplied, added and compared ----------------------


@np.errstate(all="ignore")  # what overflows is decided in whole numbers
def _check(bracket: ErrorBracket, X: Any, y: NDArray[np.int8]) -> None:
    head, parts = bracket._document, bracket._parts
    data = data_of(head, X, y)
    demand(data.sha256(head) == head["sha256"], verify.OTHER_DATA)
    for part in parts:
        verify.check_conflict(data, part, head.get("demand", ()))
    present = np.array(data.present, dtype=np.intp)
    rows = Rows(X[present], y[present], intercept=data.intercept, decimal=False, budget=Budget())
    costs = bracket._costs
    problem = Problem(rows, None if costs is None else costs.of_rows(present), signs_demanded(head))
    _check_rule(bracket, problem, present)
    if bracket.proof == "directions":
        _check_cones(bracket, data, problem, present)
    else:
        _check_bound(bracket, problem, present)


def _check_rule(bracket: ErrorBracket, problem: Problem, present: NDArray[np.intp]) -> None:
    w = [Fraction(v) for v in bracket.rule.lifted.tolist()]
    demand(problem.rows.intercept or w[-1] == 0, "the rule has an intercept")
    obeys = problem.obeying(np.array(w, dtype=object)).tolist() == w
    demand(obeys, "the rule has another sign than is demanded")
    wrong = problem.wrong(w if problem.rows.intercept else w[:-1])
    rows = present[wrong[problem.group]]
    known = bracket.wrong_rows
    demand(known is None or np.array_equal(rows, known), "the rule misclassifies other rows")
    demand(problem.total(wrong) == bracket.ends[2], "the rule's errors count something else")
    bracket.wrong_rows = rows


def _check_bound(bracket: ErrorBracket, problem: Problem, present: NDArray[np.intp]) -> None:
    """Rows of conflicts stand for all that equal them."""
    first = present[problem.first].tolist()
    cost = dict(zip(first, problem.cost.tolist(), strict=True))
    for part in bracket._parts:
        demand(all(i in cost for i in part["rows"]), "a conflict has a row that equals another")
    bound = bound_of(bracket._proof, [part["rows"] for part in bracket._parts], cost)
    demand(bound is None or bound >= bracket.ends[0], "the conflicts prove less")


def _check_cones(
    bracket: ErrorBracket, data: verify.Data, problem: Problem, present: NDArray[np.intp]
) -> None:
    claim = bracket.to_dict()
    verify_errors.check_form(claim)
    costs = claim["costs"] or [1] * data.n
    same = problem.single.tolist() == [costs[i] for i in present.tolist()]
    demand(same, "the errors count something else")
    demand(claim["column"] is None, "it is about some rules only")
    verify_errors.check(claim, data)


# --- In words -------------------------------------------------------------------------------------


def _coefficients(bracket: ErrorBracket) -> str:
    names = [*bracket.feature_names, "(intercept)"]
    weights = [f"{value:.6g}" for value in bracket.rule.lifted.tolist()]
    table = html_table((), list(zip(names, weights, strict=True)))
    return f"<details><summary>the rule</summary>{table}</details>"


def _ends(bracket: ErrorBracket) -> str:
    through = "" if bracket.fit_intercept else " through the origin"
    through += with_the_signs(bracket)
    lower, upper = _amount(bracket, bracket.lower), _amount(bracket, bracket.upper)
    if not bracket.ends[2]:
        return f"No errors: a linear rule{through} is right about all {bracket.n_rows:,} rows."
    if bracket._costs is not None:
        if bracket.optimal:
            return f"The least weighted error of any linear rule{through}: {upper}."
        best = f"the best one found has {upper}"
        return f"Every linear rule{through} has a weighted error of at least {lower}; {best}."
    if bracket.optimal:
        return f"The fewest errors of any linear rule{through}: {upper}."
    best = f"the best one found misclassifies {upper}"
    return f"Every linear rule{through} misclassifies at least {lower}; {best}."


def _amount(bracket: ErrorBracket, value: int | float) -> str:
    share = f"{value / bracket.total:.2%}"
    if bracket._costs is None:
        return f"{value:,} of {bracket.n_rows:,} rows ({share})"
    return f"{value:.6g} of {bracket.total:.6g} ({share})"


def _errors(bracket: ErrorBracket) -> str:
    assert bracket.wrong_rows is not None
    rows = bracket.wrong_rows.tolist()
    some = ", ".join(str(row_number(i)) for i in rows[:_SHOWN])
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    word = "row" if len(rows) == 1 else "rows"
    which = "The best one found"
    if bracket.optimal and bracket._costs is None:
        which = f"A rule with {many(len(rows), 'error')}"
    elif bracket.optimal:
        which = "A rule with the least weighted error"
    plane = "A row on the hyperplane counts as an error here."
    return f"{which} misclassifies {word} {some}{more} ({counted()}). {plane}"


def _proof(bracket: ErrorBracket) -> Iterator[str]:
    value, k = bracket.proved_lower, len(bracket._parts)
    if not value:
        yield "No lower bound was found: a rule with fewer errors may exist."
        return
    least = f"{value:,}" if bracket._costs is None else f"{value:.6g}"
    groups = f"{k:,} groups of rows" if k > 1 else "a group of rows"
    of = "from each of which" if k > 1 else "from which"
    how = f"{groups}, {of} every linear rule misclassifies at least one row"
    if bracket.proof == "directions":
        cones = many(bracket.n_cases, "cone", "one")
        how = (
            f"pairs of rows of which every rule misclassifies one, in each of {cones} of directions"
        )
    elif bracket.shares is None:
        how += f" (their smallest hitting set, in {bracket.n_cases:,} cases)"
    elif bracket._costs is None and set(bracket.shares) == {1} and k > 1:
        how = f"{groups} without a common row; every linear rule misclassifies a row of each"
    word = "proved in exact arithmetic" if bracket.checked else "claimed to be proved"
    yield f"At least {least}, {word} by {how}."
    if bracket.lower > value:
        yield "The part above that is claimed by the solver scipy.optimize.milp, and not proved."
