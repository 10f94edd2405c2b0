"""minimum_errors: how few training errors can any linear rule make? From both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._inputs import validate
from rosenblatt._inputs.weights import sample_weights
from rosenblatt._minimum.clock import Clock
from rosenblatt._minimum.problem import Problem
from rosenblatt._minimum.proof import used
from rosenblatt._minimum.search import Search
from rosenblatt._minimum.tree import Tree
from rosenblatt._proof import claim as say
from rosenblatt._proof.heading import head
from rosenblatt._proof.table import read_encoded
from rosenblatt.error_bracket import ErrorBracket

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


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
    validate.flag("fit_intercept", fit_intercept)
    if time_limit is not None:
        time_limit = validate.positive("time_limit", time_limit)
    clock = Clock(time_limit)
    table, encoding = read_encoded(
        X, y, sample_weight, encoding, semantics="binary64", asked="minimum_errors"
    )
    weights = sample_weights(sample_weight, len(table.y))
    present = np.arange(len(table.y)) if table.present is None else table.present
    problem = Problem.of(table, weights, intercept=bool(fit_intercept))
    search = Search(problem, clock)
    search.run()
    name = say.Names(present[problem.first])
    numbers = used(search.proof)
    rule = problem.best
    return ErrorBracket(
        head(table, bool(fit_intercept), "binary64", problem.rows.budget, encoding),
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
        longer = f"--fewest-errors {6 * time_limit:g} (time_limit={6 * time_limit:g})"
        out.append(
            f"the time limit of {time_limit:g} seconds was reached; {longer} searches longer"
        )
    return out
