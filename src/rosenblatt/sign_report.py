"""What the rows force: for each column the sign of its weight, or that it is open."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify, verify_errors
from rosenblatt._bounds import proof, rules
from rosenblatt._bounds.directions import (
    MOST_COLUMNS,
    Directions,
    Tree,
    directions,
    free_columns,
)
from rosenblatt._bounds.problem import Costs, Problem, Rule, Signs
from rosenblatt._bounds.tolerance import Overturn, Tolerance, down_to, overturn, tolerance
from rosenblatt._certify.diagnostics import collinear_columns
from rosenblatt._certify.document import head, signs_demanded
from rosenblatt._certify.parts import AboutRows, Hyperplane, with_the_signs
from rosenblatt._certify.rows import Rows, Vector
from rosenblatt._certify.table import Table, demanded_signs, read_encoded
from rosenblatt._util.budget import Budget, Clock, LimitReached
from rosenblatt._util.spelling import option
from rosenblatt._util.text import named, one_line
from rosenblatt._validation import parameters
from rosenblatt._validation.targets import sample_weights
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing
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
    rule : Hyperplane
        One that makes `at_most`, with `coef` and `intercept`.
    tolerates : Tolerance or None
        How firm a forced sign is: this many `labels` may be wrong, or this many `rows` removed or
        added, and still every best rule has it; if `errors` was given, every rule with at most that
        many.
    """

    name: str
    sign: Literal["+", "-"] | None
    free: bool
    collinear: bool
    best: Literal["+", "-", "0"]
    ends: tuple[int, int]
    unit: Fraction
    rule: Hyperplane
    tree: Tree | None
    tolerates: Tolerance | None = None

    @property
    def at_least(self) -> int | float:
        return _counted(self.ends[0] * self.unit)

    @property
    def at_most(self) -> int | float:
        return _counted(self.ends[1] * self.unit)


@final
class SignReport(AboutRows):
    """The answer of `forced_signs`: one ColumnSign for each column, in order or by name.

    Attributes
    ----------
    errors : int or float
        The rules compared make at most this many errors.
    at_least : int or float
        Every linear rule is proved to make at least this many; 0 where `errors` was given.
    columns : list of ColumnSign
    tolerates : Tolerance or None
        How firm all forced signs together are: that of the least firm; None where none is forced.
    """

    def __init__(
        self,
        head: dict[str, Any],
        columns: list[ColumnSign],
        *,
        ends: tuple[int, int],
        longer: str | None,
        errors_given: bool,
        costs: Costs | None,
        best: tuple[Hyperplane, NDArray[np.intp] | None] | None,
        checked: bool = True,
    ):
        self._document, self._ends, self._costs = head, ends, costs
        self._unit = Fraction(1) if costs is None else costs.unit
        self._longer, self._errors_given, self._best = longer, errors_given, best
        self._checked = checked
        self.columns = list(map(self._firm, columns))

    @property
    def checked(self) -> bool:
        """Whether it was found or checked here; False after `load`, until `verify`."""
        return self._checked

    @property
    def errors(self) -> int | float:
        return _counted(self._ends[1] * self._unit)

    @property
    def at_least(self) -> int | float:
        return _counted(self._ends[0] * self._unit)

    def improved(self, bracket: ErrorBracket) -> ErrorBracket:
        """The bracket, with the best rule of this search if it makes fewer errors."""
        if self._best is None or self._errors_given or self._ends[1] >= bracket.ends[2]:
            return bracket
        rule, wrong = self._best
        return bracket if wrong is None else bracket.with_rule(rule, wrong, self._ends[1])

    @property
    def tolerates(self) -> Tolerance | None:
        return Tolerance.least(c.tolerates for c in self if c.tolerates is not None)

    def _firm(self, column: ColumnSign) -> ColumnSign:
        if column.sign is None:
            return column
        costs = np.ones(self.n_rows) if self._costs is None else self._costs.single
        gap = column.ends[0] - self._ends[1]
        return replace(column, tolerates=tolerance(gap, costs, both=not self._errors_given))

    @property
    def label(self) -> str:
        """What a positive weight speaks for, as it stands in a sentence."""
        return one_line(named(self._document["labels"][-1]))

    def __getitem__(self, name: str) -> ColumnSign:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"there is no column {name!r}; there are {self._document['columns']}")

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
        return proof.proof_document(
            self._document,
            column.tree.document,
            unit=column.unit,
            at_least=least,
            at_most=most,
            rule=column.rule,
            tolerates=self._tolerated(column),
        )

    def _tolerated(self, column: ColumnSign) -> dict[str, Any]:
        """What is compared: the best rule found, or the number of errors asked about."""
        assert column.tolerates is not None
        rule = None if self._errors_given or self._best is None else proof.in_hex(self._best[0])
        return {**asdict(column.tolerates), "errors": self._ends[1], "rule": rule}

    def save(self, name: str, path: str | os.PathLike[str]) -> None:
        """Write that proof as JSON (atomic write: whole or not at all)."""
        proof.save(self.to_dict(name), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SignReport:
        """Read what `save` wrote: a report of that one column.

        It says what it claims; `verify` says whether that is proved.
        """
        claim = proof.load(path)
        j, sign = _column_of(claim, path)
        least, most = claim["at_least"], claim["at_most"]
        forced: Any = _SIGNS[-sign]
        column = ColumnSign(
            name=claim["columns"][j],
            sign=forced,
            free=False,
            collinear=False,
            best=forced,
            ends=(least, most),
            unit=claim["unit"],
            rule=claim["rule"],
            tree=Tree.of(claim),
        )
        compared = claim["tolerates"] or {"errors": least - 1, "rule": None}
        best = compared["rule"]
        return cls(
            proof.head_of(claim),
            [column],
            ends=(0, compared["errors"]),
            longer=None,
            errors_given=best is None,
            costs=claim["costs"],
            best=None if best is None else (best, None),
            checked=False,
        )

    def overturn(
        self, name: str, X: Any, y: Any, *, time_limit: float | None = 10.0
    ) -> Overturn | None:
        """The other end of `tolerates`: rows whose labels, turned round, overturn a forced sign.

        X and y are those of the report. None: no such rows were found in time.
        """
        column = self[name]
        if column.sign is None or column.tree is None:
            raise InputError(f"The sign of {name!r} is not known to be forced.")
        overturns: list[Overturn | None] = []

        def search(X: Any, signs: NDArray[np.int8]) -> None:
            rows = np.setdiff1d(np.arange(len(signs)), self._document["dropped"])
            costs = None if self._costs is None else self._costs.of_rows(rows)
            budget = Budget(time_limit=time_limit)
            own = Rows(X[rows], signs[rows], intercept=True, decimal=False, budget=budget)
            problem = Problem(own, costs, signs_demanded(self._document))
            rival = problem.rule(column.rule.lifted)
            if self._errors_given or self._best is None:
                turned = down_to(problem, rival, self._ends[1])
            else:
                problem.best = problem.rule(self._best[0].lifted)
                sign = 1 if column.sign == "+" else -1
                turned = overturn(problem, rival, self.feature_names.index(name), sign)
            overturns.append(None if turned is None else replace(turned, rows=rows[turned.rows]))

        proof.held_against(self._document, X, y, search, "These rows are")
        return overturns[0]

    def verify(self, X: Any, y: Any) -> None:
        """Check every forced sign, and the errors of its rule, against the data, exactly.

        Raises VerificationError if something does not hold.
        """
        proof.held_against(self._document, X, y, self._check, "The signs are")
        self._checked = True

    def _check(self, X: Any, signs: NDArray[np.int8]) -> None:
        from rosenblatt._certify.check import data_of

        data = data_of(self._document, X, signs)
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
            f"Signs of the weights in all linear rules{with_the_signs(self)} "
            f"{'and' if self.signs else 'with'} {self._most()} on "
            f"these {self.n_rows:,} rows (+ speaks for the label {self.label}, - against it):"
        )
        yield from (f"  {line}" for line in map(self._line, self.columns))
        if not self.checked:
            yield "Claimed (not checked since it was loaded): verify(X, y) checks it."
        yield "This is about these rows only; other rows may show something else."
        if self._costs is not None and (rounded := self._costs.sentence()):
            yield rounded
        if not self._errors_given and self.at_least < self.errors:
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
        other = "with + or " if column.best == "-" else "with - or "
        if column.name in self.signs:
            other = ""
        if column.sign is not None:
            not_so = {"+": "not positive", "-": "not negative"}[column.sign]
            most = "" if low == high else f"; the best such rule found {self._errs(high)}"
            return (
                f"{name}: {column.sign} is forced. Every rule whose weight on it is {not_so} "
                f"{self._errs(low, 'at least ')}{most}.{self._firmness(column)}"
            )
        if column.collinear:
            return f"{name}: free. It is a combination of other columns: its weight can be 0."
        if column.free and column.best == "0":
            return f"{name}: free. The best rule found does without the column."
        if column.free:
            return (
                f"{name}: free. The best rule found has {column.best} here; another one, "
                f"{other}without the column, {self._errs(high)}."
            )
        much = f"between {low:,} and {high:,}" if low else f"at most {high:,}"
        return (
            f"{name}: open. The best rule found has {column.best} here; the fewest errors "
            f"{other}without the column: {much}."
        )

    def _firmness(self, column: ColumnSign) -> str:
        assert column.tolerates is not None
        firm = column.tolerates.words(self.n_rows)
        of = "so few errors" if self._errors_given else "the fewest errors"
        return f" Rules with {of} have {column.sign} even if {firm}." if firm else ""

    def _most(self) -> str:
        if self._costs is not None:
            return f"errors that weigh at most {self.errors:,}"
        return f"at most {self.errors:,} {'error' if self.errors == 1 else 'errors'}"

    def _errs(self, value: int | float, least: str = "") -> str:
        if self._costs is not None:
            return f"makes errors that weigh {least}{value:,}"
        return f"misclassifies {least}{value:,} {'row' if value == 1 else 'rows'}"


def _column_of(claim: dict[str, Any], path: Any) -> tuple[int, int]:
    """Its number, and the sign that is proved to cost more."""
    if claim["column"] is None:
        raise InputError(f"{path} is about all linear rules: ErrorBracket.load reads it.")
    try:
        next(verify_errors.orthants(claim, len(claim["columns"])))
    except (verify.Rejected, TypeError, ValueError) as reason:
        raise InputError(f"{path} is not a proof of errors: {reason}.") from None
    if not claim["at_least"]:
        raise InputError(f"{path} is not a proof of a sign: it proves no error.")
    j, sign = claim["column"]
    return j, sign


def _counted(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)


# --- forced_signs: which weights have the same sign in every rule with few errors? ---------------

# Parts of the time: for a rule with few errors, for some without each column, for a bound of all.
_RULES, _WITHOUT, _CONES = 0.1, 0.2, 0.4
_SIGNS: dict[int, Any] = {1: "+", 0: "0", -1: "-"}
_MOST_CONES = 20_000  # without a time limit, of a sign that is forced


def forced_signs(
    X: Any,
    y: Any,
    *,
    errors: int | None = None,
    sample_weight: Any = None,
    time_limit: float | None = 10.0,
    preprocessing: Preprocessing | None = None,
    signs: Any = None,
) -> SignReport:
    """Which weights have the same sign in every linear rule with few errors on these rows?

    For each column the fewest errors of a rule whose weight there is 0 or has the other sign: if
    they are more than `errors`, the sign is forced, and the column is necessary. It is a statement
    about these rows, proved in exact arithmetic; about other rows it says nothing.

    Parameters
    ----------
    X : array or data frame of shape (n, d), d <= 10
        The rows.
    y : array of shape (n,)
        Their labels, two different ones.
    errors : int, optional
        Only rules with at most this many errors count: by default as many as the best rule found
        makes. With `sample_weight` a float.
    sample_weight : array of shape (n,), optional
        What an error on each row counts, 1 by default; rows of weight 0 are left out.
    time_limit : float or None
        Seconds to search for; None: until every column is settled, which may take very long.
    preprocessing : rosenblatt.data.Preprocessing, optional
        How X was made of a table: its names of columns are used. Words and categories of a data
        frame become columns of 0 and 1 by themselves, as in `certify`.
    signs : mapping or array of shape (d,), optional
        Signs that weights must have, for the second label: {"income": "+", "reports": "-"}, or -1,
        0 and 1 by column. Only rules that obey them count; a weight of 0 does. Forced is then
        such a sign where the column cannot be left out. They do not count among the 10 columns.

    Returns
    -------
    SignReport
        For each column its sign, or that it is open, and what the other sign costs.

    Examples
    --------
    >>> from rosenblatt import forced_signs
    >>> x = [[1, 0], [2, 5], [3, 1], [4, 4], [5, 3], [6, 2]]
    >>> print(forced_signs(x, [0, 0, 0, 1, 1, 1])["x0"].sign)
    +
    """
    if time_limit is not None:
        time_limit = parameters.positive("time_limit", time_limit)
    return signs_within(
        Clock(time_limit),
        X,
        y,
        errors=errors,
        sample_weight=sample_weight,
        preprocessing=preprocessing,
        signs=signs,
        longer=None if time_limit is None else f"more time than {time_limit:g} seconds",
    )


def signs_within(
    clock: Clock,
    X: Any,
    y: Any,
    *,
    longer: str | None,
    errors: int | None = None,
    sample_weight: Any = None,
    preprocessing: Preprocessing | None = None,
    names: list[str] | None = None,
    known: ErrorBracket | None = None,
    signs: Any = None,
) -> SignReport:
    """`longer`: what may settle more, in words; `names` of the columns, if they have others.

    `known`: what the search for the fewest errors has found of the same rows. Where no `errors` are
    given, few are as many as the best rule makes, whichever search finds it.
    """
    table, preprocessing = read_encoded(
        X, y, sample_weight, preprocessing, numbers="float", function="forced_signs"
    )
    if names is not None:
        table = replace(table, columns=names)
    signed = demanded_signs(table, signs)
    if (free := free_columns(len(table.columns), signed)) > MOST_COLUMNS:
        free_ones = "columns" if signed is None else "columns without a sign"
        raise InputError(
            f"forced_signs takes at most {MOST_COLUMNS} {free_ones}; X has {free}. Keep "
            "those that you ask about and the most important others."
        )
    costs = Costs.of(sample_weights(sample_weight, len(table.y)))
    present = np.arange(len(table.y)) if table.present is None else table.present
    problem = _problem(table, costs, signed)
    # With signs another column may not take over what one leaves: only the search tells.
    blends = [] if signed is not None else [c.vector for c in collinear_columns(problem.rows)]
    without = _rules(problem, clock)
    if known is not None:
        problem.offer(known.rule.lifted)
        least = known.ends[0]
    else:
        least = 0 if errors is not None else _least(problem, clock)
    about = head(table, True, "float", preprocessing, signed)
    columns = [_Column(problem, j, rule) for j, rule in enumerate(without)]
    while True:
        allowed = _allowed(errors, problem)
        for column in columns:
            column.blend([v for v in blends if v[column.j]])
        for column in _in_turn(columns, allowed, clock):
            column.settle(allowed, most=None if clock.limited else _MOST_CONES)
        better = min((column.others.best for column in columns), key=lambda rule: rule.cost)
        if errors is not None or better.cost >= problem.best.cost:
            break
        columns = _beside(better, problem, columns, without)
    return SignReport(
        about,
        [column.report(about, present, allowed, least) for column in columns],
        ends=(least, allowed),
        longer=longer,
        errors_given=errors is not None,
        costs=costs,
        best=(Hyperplane.of_lifted(problem.best.w), present[problem.best.wrong[problem.group]]),
    )


def _beside(
    better: Rule, problem: Problem, columns: list[_Column], without: list[Rule]
) -> list[_Column]:
    former, problem.best = problem.best, better
    for j, column in enumerate(columns):
        if not column.own or column.own != int(np.sign(better.w[j])):
            has_other = former.w[j] * better.w[j] <= 0
            known = min(without[j], former, key=lambda rule: rule.cost) if has_other else without[j]
            columns[j] = _Column(problem, j, known)
    return columns


def _in_turn(columns: list[_Column], allowed: int, clock: Clock) -> Iterator[_Column]:
    """First those that seem to cost most, and longest: they are settled soonest."""
    waiting = sorted(columns, key=lambda column: -column.others.best.cost)
    gaps = [max(column.others.best.cost - allowed, 0) for column in waiting]
    reached = _CONES
    for k, column in enumerate(waiting):
        reached += (1 - reached) * gaps[k] / (sum(gaps[k:]) or 1)
        column.others.rows.budget = clock.budget(reached)
        yield column


def _rules(problem: Problem, clock: Clock) -> list[Rule]:
    rules.constant(problem)
    constant = problem.best  # the larger class for every row
    out = [constant] * problem.rows.d
    problem.rows.budget = clock.budget(_RULES)
    with suppress(LimitReached), np.errstate(all="ignore"):
        rules.improve(problem)
    problem.rows.budget = clock.budget(_WITHOUT)
    with suppress(LimitReached), np.errstate(all="ignore"):
        for ask in (rules.left_out, rules.without):
            for j in range(problem.rows.d):
                out[j] = min(out[j], ask(problem, j), key=lambda rule: rule.cost)
    return out


def _least(problem: Problem, clock: Clock) -> int:
    problem.rows.budget = clock.budget(_CONES)
    cones = directions(problem)
    assert cones is not None
    with suppress(LimitReached), np.errstate(all="ignore"):
        cones.reach()
    return cones.bound


def _problem(table: Table, costs: Costs | None, signs: Signs | None) -> Problem:
    if costs is not None and not costs.whole:
        raise InputError(
            f"The weights ({option('sample_weight')}) have no common unit, and errors are "
            "counted in one. Round them: numpy.round(sample_weight, 2) gives multiples of 0.01.",
            option="sample_weight",
        )
    problem = Problem.of(table, costs, intercept=True, signs=signs)
    if directions(problem) is None:
        raise InputError(
            "forced_signs cannot look at this table. It needs a dense table of two labels, with up "
            "to 4,000,000 numbers that are of similar size in each column. With three columns or "
            "more, it takes up to 25,000,000 pairs of rows of both labels (10,000 rows, half of "
            "each)."
        )
    return problem


def _allowed(errors: Any, problem: Problem) -> int:
    if errors is None:
        return problem.best.cost
    real = isinstance(errors, Real) and not isinstance(errors, bool)
    if not real or not 0 <= errors < math.inf:
        raise InputError(f"errors must be a number, 0 or greater, or None; got {errors!r}.")
    return math.floor(Fraction(errors) / problem.unit)


class _Column:
    """The rules whose weight on column j is 0, or of the sign that the best rule does not have."""

    def __init__(self, problem: Problem, j: int, known: Rule):
        own = problem.best.w[j]
        self.problem, self.j, self.sign = problem, j, 1 if own >= 0 else -1
        if problem.signs is not None and problem.signs[j]:
            self.sign = int(problem.signs[j])
        self.own = int(np.sign(own))
        self.cones: Directions | None = None
        self.others = copy.copy(problem)  # the same rows and costs, rules of its own
        self.others.best = problem.best if own == 0 else known
        self.collinear = False

    def blend(self, blends: list[Vector]) -> None:
        """Blends of columns that are 0 on all rows: with one of them the column can be left out."""
        w = [Fraction(v) for v in self.problem.best.w.tolist()]
        for v in blends:
            self.collinear = True
            much = w[self.j] / v[self.j]
            self.others.offer_exact([a - much * b for a, b in zip(w, v, strict=True)])

    def settle(self, allowed: int, most: int | None) -> None:
        """`most` cones only make the cost of the other sign sharper, once the sign is forced."""
        if self.others.best.cost <= allowed or self.collinear:
            return
        cones = self.cones = self.cones or directions(self.others, (self.j, -self.sign))
        assert cones is not None
        with suppress(LimitReached), np.errstate(all="ignore"):
            cones.reach(most)
            if cones.bound <= allowed:
                cones.reach()

    def report(self, about: dict[str, Any], present: Any, allowed: int, least: int) -> ColumnSign:
        best, cones = self.others.best, self.cones
        bound = 0 if cones is None else cones.bound
        forced = bound > allowed
        return ColumnSign(
            name=about["columns"][self.j],
            sign=_SIGNS[self.sign] if forced else None,
            free=best.cost <= allowed,
            collinear=self.collinear,
            best=_SIGNS[self.own],
            ends=(max(bound, min(least, best.cost)), best.cost),
            unit=self.others.unit,
            rule=Hyperplane.of_lifted(best.w),
            tree=Tree(cones, present, about["rows"]) if cones and forced else None,
        )
