"""Checks a bracket against the data from the beginning: only multiplied, added and compared."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify, verify_errors
from rosenblatt._bounds.problem import Problem
from rosenblatt._bounds.proof import bound_of
from rosenblatt._certify.check import data_of
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget
from rosenblatt.verify import demand

if TYPE_CHECKING:
    from rosenblatt.error_bracket import ErrorBracket


@np.errstate(all="ignore")  # what overflows is decided in whole numbers
def check(bracket: ErrorBracket, X: Any, y: NDArray[np.int8]) -> None:
    """Raise verify.Rejected or ValueError unless all that is claimed holds."""
    head, parts = bracket._head, bracket._parts
    data = data_of(head, X, y)
    demand(data.sha256(head) == head["sha256"], verify.OTHER_DATA)
    for part in parts:
        verify.check_conflict(data, part)
    present = np.array(data.present, dtype=np.intp)
    rows = Rows(X[present], y[present], intercept=data.intercept, decimal=False, budget=Budget())
    weights = bracket._weights
    problem = Problem(rows, None if weights is None else weights[present])
    demand(problem.unit == bracket._unit, "the weights are counted in another unit")
    _check_rule(bracket, problem, present)
    if bracket.proof == "directions":
        _check_cones(bracket, data, problem, present)
    else:
        _check_bound(bracket, problem, present)


def _check_rule(bracket: ErrorBracket, problem: Problem, present: NDArray[np.intp]) -> None:
    w = [Fraction(v) for v in [*bracket.coef_[0].tolist(), *bracket.intercept_.tolist()]]
    demand(problem.rows.intercept or w[-1] == 0, "the rule has an intercept")
    wrong = problem.wrong(w if problem.rows.intercept else w[:-1])
    same = np.array_equal(present[wrong[problem.group]], bracket.wrong_rows)
    demand(same, "the rule errs on other rows")
    demand(problem.total(wrong) == bracket._ends[2], "the rule's errors count something else")


def _check_bound(bracket: ErrorBracket, problem: Problem, present: NDArray[np.intp]) -> None:
    """Rows of conflicts stand for all that equal them."""
    first = present[problem.first].tolist()
    cost = dict(zip(first, problem.cost.tolist(), strict=True))
    for part in bracket._parts:
        demand(all(i in cost for i in part["rows"]), "a conflict has a row that equals another")
    bound = bound_of(bracket._proof, [part["rows"] for part in bracket._parts], cost)
    demand(bound is None or bound >= bracket._ends[0], "the conflicts prove less")


def _check_cones(
    bracket: ErrorBracket, data: verify.Data, problem: Problem, present: NDArray[np.intp]
) -> None:
    claim = bracket.to_dict()
    verify_errors.check_form(claim)
    costs = claim["costs"] or [1] * data.n
    same = problem.single.tolist() == [costs[i] for i in present.tolist()]
    demand(same, "the errors count something else")
    demand(claim["column"] is None, "it is about some rules only")
    verify_errors.check_tree(claim, verify_errors.Table(claim, data))
