"""What errors cost: as it is given, by row with an interval, and in words; what decides by it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.objective import OBJECTIVES, Objective
from rosenblatt._util.spelling import option
from rosenblatt._util.text import named, number
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.selection.candidates import WITH_MARGIN
from rosenblatt.selection.criterion import Criterion, cost_matrix
from rosenblatt.selection.measures import LEAST_GROUPS, balanced_interval, mean_interval

if TYPE_CHECKING:
    from rosenblatt._study.options import Options
    from rosenblatt._study.reading import Read
    from rosenblatt.report.document import Balanced, Cost


Costs = dict[str, float]


def _how() -> str:
    return (
        f"give actual:predicted=number, as {option('costs', {'yes:no': 5})}: a yes that is called "
        "no costs 5"
    )


def costs_of(given: Any) -> Costs | None:
    """By "actual:predicted", from a dict, or texts as "yes:no=5"; None where there are none."""
    if isinstance(given, Iterable) and not given:
        return None
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return {_pair(pair): _cost(cost) for pair, cost in given.items()}
    if not isinstance(given, Iterable):
        raise InputTypeError(
            f"{option('costs', given)} is not allowed: {_how()}.", option="costs", value=given
        )
    costs: Costs = {}
    for text in given:
        pair, is_there, cost = str(text).rpartition("=")
        if not isinstance(text, str) or not is_there:
            raise InputError(
                f"{option('costs')}: {text!r} is not a cost: {_how()}.", option="costs", value=text
            )
        costs[_pair(pair)] = _cost(cost)
    return costs


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
            "not named costs 1.",
            option="costs",
            value=given,
        )
    return cost


def class_weight_of(given: Any) -> str:
    if not (isinstance(given, str) and given == "balanced"):
        raise InputError(
            f"{option('class_weight', given)} is not allowed: give 'balanced', or None. Costs of "
            f"single errors are {option('costs')}.",
            option="class_weight",
            value=given,
            allowed=("balanced", None),
        )
    return "balanced"


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


def criterion_of(options: Options, labels: list[str]) -> Criterion:
    """InputError where costs name a label that is none."""
    costs = pairs_of(options.costs, labels)
    cost_matrix(labels, costs)  # refused whatever decides
    return Criterion.of(
        labels,
        options.decides,
        costs,
        prefers_weights=options.linear_only is not False,
        prefers=WITH_MARGIN,
    )


def objective_kept(options: Options, classes: Any) -> Objective:
    """As a model file keeps it."""
    labels = [str(label) for label in classes.tolist()]
    return Objective(options.decides, pairs_of(options.costs, labels), options.class_weight)


def pairs_of(costs: Costs | None, labels: list[str]) -> dict[tuple[str, str], float]:
    """By (actual, predicted); a colon may be part of a label."""
    by_pair = {}
    for text, cost in (costs or {}).items():
        cuts = [i for i, c in enumerate(text) if c == ":"]
        pairs = [(text[:i], text[i + 1 :]) for i in cuts]
        known = [pair for pair in pairs if set(pair) <= set(labels)]
        by_pair[(known or pairs)[0]] = cost
    return by_pair


def with_costs_of(read: Read, options: Options) -> Options:
    """Costs may name both of two labels as the table does, although the first is the positive one,
    so that the other is called something else."""
    target = None if read.preprocessing is None else read.preprocessing.target
    if not options.costs or target is None or len(target.values) != 2 or target.positive is None:
        return options
    chosen, other = map(str, target.values)
    ours = {chosen: chosen, other: target.rest}
    pairs = pairs_of(options.costs, list(ours))
    costs = {f"{ours.get(a, a)}:{ours.get(b, b)}": cost for (a, b), cost in pairs.items()}
    return replace(options, costs=costs)


# --- By row, and in words ------------------------------------------------------------------------


_DRAWS = 10_000  # of the bootstrap
_CHOSEN_BY = {
    "error": "the fewest errors",
    "cost": "the lowest cost of errors",
    "balanced": "the lowest mean of the error rates of the labels (balanced error)",
}


def cost_of(
    labels: list[str],
    counts: NDArray[np.int64],
    costs: NDArray[np.float64],
    *,
    confidence: float,
    seed: int = 0,
    rows: str = "rows",
    by_group: tuple[NDArray[np.float64], NDArray[np.intp]] | None = None,
    approximate: bool = False,
) -> Cost:
    """Of errors that were counted by label and by what the rows were called.

    The interval is that of the bootstrap: rows are drawn again, as often as there are. Without an
    error there is none: every draw would cost nothing, however few the rows. `by_group`, what each
    row costs and its group, is for rows that are not independent.
    """
    n, total = int(counts.sum()), float((counts * costs).sum())
    ends, method = None, "bootstrap" if by_group is None else "t, by group"
    words = f"no error among these {n:,} {rows}: no interval"
    if counts.sum() > np.trace(counts):
        if by_group is None:
            ends = _interval(counts, costs, confidence, seed)
        elif of_mean := mean_interval(*by_group, confidence):
            ends = list(of_mean)
        words = f"no interval, since fewer than {LEAST_GROUPS} groups have an error"
    if ends is not None:
        spread = f"{number(ends[0], 3)} to {number(ends[1], 3)} ({method})"
        words = f"{'approximate ' * approximate}{100 * confidence:g}% interval {spread}"
    of_label = counts.sum(axis=1)
    always = {label: float(of_label @ costs[:, j]) for j, label in enumerate(labels)}
    cheapest = sorted(always, key=always.__getitem__)[:2]
    constant = (f"always saying {named(c)}: {number(always[c] / n, 3)}" for c in cheapest)
    sentence = (
        f"{number(total / n, 3)} a row ({number(total)} for {n:,} {rows}), {words}; "
        f"{', '.join(constant)} a row"
    )
    return {
        "total": total,
        "per_row": total / n,
        "interval": ends,
        "interval_words": words,
        "confidence": confidence,
        "method": method,
        "always": always,
        "baseline": {"label": cheapest[0], "per_row": always[cheapest[0]] / n},
        "sentence": sentence,
    }


BALANCED = "the mean of the error rates of the labels: each counts the same, however few its rows"


def balanced_of(
    counts: NDArray[np.int64],
    *,
    confidence: float,
    grouped: bool = False,
    approximate: bool = False,
) -> Balanced:
    """The balanced error, of errors counted as for `cost_of`; labels without rows have no rate.

    There is no interval for rows in groups, which are not independent.
    """
    rows = counts.sum(axis=1)
    there = rows > 0
    errors, rows = (rows - counts.diagonal())[there].tolist(), rows[there].tolist()
    rate = sum(wrong / n for wrong, n in zip(errors, rows, strict=True)) / len(rows)
    same, ends, words = 1 - 1 / len(rows), None, "no interval, since rows are in groups"
    if not grouped:
        ends = list(balanced_interval(errors, rows, confidence))
        words = f"{'approximate ' * approximate}{100 * confidence:g}% interval "
        words += f"{ends[0]:.1%} to {ends[1]:.1%} (MOVER)"
    return {
        "rate": rate,
        "interval": ends,
        "interval_words": words,
        "confidence": confidence,
        "method": "MOVER",
        "baseline": same,
        "sentence": f"{rate:.1%}, {words}; always the same label: {same:.1%}",
    }


def _interval(
    counts: NDArray[np.int64], costs: NDArray[np.float64], confidence: float, seed: int
) -> list[float]:
    n, tail = int(counts.sum()), (1 - confidence) / 2
    drawn = np.random.default_rng(seed).multinomial(n, counts.ravel() / n, _DRAWS)
    ends: list[float] = np.quantile(drawn @ costs.ravel() / n, [tail, 1 - tail]).tolist()
    return ends


def chosen_by(objective: Objective) -> str:
    """What decided."""
    return _CHOSEN_BY[objective.decides]


def cost_words(objective: Objective, classes: int) -> str:
    """What errors cost, where that was said."""
    costs = [
        f"predicting {named(predicted)} for {named(actual)} costs {number(cost)}"
        for (actual, predicted), cost in objective.costs.items()
    ]
    others = len(costs) < classes * (classes - 1)
    return ", ".join([*costs, *(["other errors cost 1"] if others else [])])
