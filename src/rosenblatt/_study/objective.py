"""What is asked of a study besides few errors: costs, weights of classes, what decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from rosenblatt._model.objective import OBJECTIVES, Objective
from rosenblatt._util.spelling import option
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.selection.judge import Judge, price_list

if TYPE_CHECKING:
    from rosenblatt._study.options import Options


Costs = dict[str, float]


def _how() -> str:
    return (
        f"give actual:predicted=number, as {option('costs', {'yes:no': 5})}: a yes that is called "
        "no "
        "costs 5"
    )


def costs_of(given: Any) -> Costs | None:
    """By "actual:predicted", from a dict, or texts as "yes:no=5"; None where there are none."""
    if given is None or (isinstance(given, Iterable) and not given):
        return None
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return {_pair(pair): _cost(cost) for pair, cost in given.items()}
    if not isinstance(given, Iterable):
        raise InputTypeError(
            f"{option('costs', given)} is not allowed: {_how()}.", option="costs", value=given
        )
    found: Costs = {}
    for text in given:
        pair, is_there, cost = str(text).rpartition("=")
        if not isinstance(text, str) or not is_there:
            raise InputError(
                f"{option('costs')}: {text!r} is not a cost: {_how()}.", option="costs", value=text
            )
        found[_pair(pair)] = _cost(cost)
    return found


def _pair(given: Any) -> str:
    if isinstance(given, tuple) and len(given) == 2:
        return f"{given[0]}:{given[1]}"
    if not isinstance(given, str) or ":" not in given:
        raise InputError(
            f"{option('costs')}: {given!r} does not name two labels: {_how()}.",
            option="costs",
            value=given,
        )
    return given


def _cost(given: Any) -> float:
    try:
        cost = float(given) if isinstance(given, str | Real) else math.nan
    except ValueError:
        cost = math.nan
    if not 0 < cost < math.inf or isinstance(given, bool):
        raise InputError(
            f"{option('costs')}: {given!r} is not a cost. Give a number greater than 0; what is "
            "not "
            "named costs 1.",
            option="costs",
            value=given,
        )
    return cost


def class_weight_of(given: Any) -> str | None:
    if given is not None and not (isinstance(given, str) and given == "balanced"):
        raise InputError(
            f"{option('class_weight', given)} is not allowed: give 'balanced', or None. Prices of "
            f"single errors are {option('costs')}.",
            option="class_weight",
            value=given,
            allowed=("balanced", None),
        )
    return given


def objective_of(given: Any, costs: Costs | None, class_weight: str | None) -> str:
    """That given; else what the other two call for."""
    if given is None:
        return "cost" if costs else "balanced" if class_weight else "error"
    parameters.one_of("objective", given, OBJECTIVES)
    if given == "cost" and not costs:
        raise InputError(
            f"{option('objective', given)} needs costs: {_how()}.", option="objective", value=given
        )
    return str(given)


def judge_of(options: Options, counts: dict[str, int]) -> Judge:
    """InputError where costs name a label that is none."""
    costs = pairs_of(options.costs, list(counts))
    price_list(list(counts), costs)  # refused whatever decides
    return Judge.of(
        counts, options.decides, costs, prefers_weights=options.linear_only is not False
    )


def kept(options: Options, classes: Any) -> Objective:
    """As a model file keeps it."""
    labels = [str(label) for label in classes.tolist()]
    return Objective(options.decides, pairs_of(options.costs, labels), options.class_weight)


def pairs_of(costs: Costs | None, labels: list[str]) -> dict[tuple[str, str], float]:
    """By (actual, predicted); a colon may be part of a label."""
    found = {}
    for text, cost in (costs or {}).items():
        cuts = [i for i, c in enumerate(text) if c == ":"]
        pairs = [(text[:i], text[i + 1 :]) for i in cuts]
        known = [pair for pair in pairs if set(pair) <= set(labels)]
        found[(known or pairs)[0]] = cost
    return found
