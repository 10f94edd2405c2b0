"""A bracket of the fewest errors in words: for a terminal and for a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt._util.text import counted, many, row_number

if TYPE_CHECKING:
    from rosenblatt.error_bracket import ErrorBracket


_SHOWN = 10  # rows


def as_text(bracket: ErrorBracket, *, alone: bool = True) -> str:
    """`alone`: without a certificate before it, which has told what was left out."""
    return "\n".join(_lines(bracket, alone=alone))


def as_html(bracket: ErrorBracket) -> str:
    first, *rest = (html.escape(line) for line in _lines(bracket))
    return (
        f'<div class="rosenblatt-bracket"><p><b>{first}</b></p><p>{"<br>".join(rest)}</p>'
        f"{_coefficients(bracket)}</div>"
    )


def _coefficients(bracket: ErrorBracket) -> str:
    names = [*bracket.feature_names, "(intercept)"]
    values = [*bracket.coef_[0].tolist(), *bracket.intercept_.tolist()]
    body = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{value:.6g}</td></tr>"
        for name, value in zip(names, values, strict=True)
    )
    return f"<details><summary>the rule</summary><table>{body}</table></details>"


def _lines(bracket: ErrorBracket, *, alone: bool = True) -> Iterator[str]:
    yield _ends(bracket)
    if len(bracket.wrong_rows):
        yield _errors(bracket)
        yield from _proof(bracket)
    yield from (f"Cut short: {limit}." for limit in bracket.limits)
    if alone and bracket._weights is not None and bracket._head["dropped"]:
        yield f"Left out: {many(len(bracket._head['dropped']), 'row', 'one')} of weight 0."


def _ends(bracket: ErrorBracket) -> str:
    through = "" if bracket.fit_intercept else " through the origin"
    lower, upper = _amount(bracket, bracket.lower), _amount(bracket, bracket.upper)
    if not len(bracket.wrong_rows):
        return f"No errors: a linear rule{through} is right about all {bracket.n_rows:,} rows."
    if bracket._weights is not None:
        if bracket.optimal:
            return f"The errors of any linear rule{through} weigh at least {upper} in all."
        best = f"those of the best one found weigh {upper}"
        return f"The errors of every linear rule{through} weigh at least {lower} in all; {best}."
    if bracket.optimal:
        return f"The fewest errors of any linear rule{through}: {upper}."
    best = f"the best one found errs on {upper}"
    return f"Every linear rule{through} errs on at least {lower}; {best}."


def _amount(bracket: ErrorBracket, value: int | float) -> str:
    share = f"{value / bracket.total:.2%}"
    if bracket._weights is None:
        return f"{value:,} of {bracket.n_rows:,} rows ({share})"
    return f"{value:.6g} of {bracket.total:.6g} ({share})"


def _errors(bracket: ErrorBracket) -> str:
    rows = bracket.wrong_rows.tolist()
    some = ", ".join(str(row_number(i)) for i in rows[:_SHOWN])
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    word = "row" if len(rows) == 1 else "rows"
    which = "The best one found"
    if bracket.optimal and bracket._weights is None:
        which = f"A rule with {many(len(rows), 'error')}"
    elif bracket.optimal:
        which = "A rule whose errors weigh so little"
    plane = "A row on the hyperplane counts as an error here."
    return f"{which} errs on {word} {some}{more} ({counted()}). {plane}"


def _proof(bracket: ErrorBracket) -> Iterator[str]:
    value, k = bracket.proved_lower, len(bracket._parts)
    if not value:
        yield "No lower bound was found: a rule with fewer errors may exist."
        return
    least = f"{value:,}" if bracket._weights is None else f"{value:.6g}"
    groups = f"{k:,} groups of rows" if k > 1 else "a group of rows"
    how = f"{groups}, on {'each of ' if k > 1 else ''}which every linear rule errs at least once"
    if bracket.proof == "directions":
        cones = many(bracket.n_cases, "cone", "one")
        how = f"pairs of rows of which every rule errs on one, in each of {cones} of directions"
    elif bracket.shares is None:
        how += f" (their smallest hitting set, in {bracket.n_cases:,} cases)"
    elif bracket._weights is None and set(bracket.shares) == {1} and k > 1:
        how = f"{groups} with no row in common, on each of which every linear rule errs"
    yield f"At least {least}, proved in exact arithmetic by {how}."
    if bracket.lower > value:
        yield "The part above that is claimed by the solver scipy.optimize.milp, and not proved."
