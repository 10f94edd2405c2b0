"""What errors cost: by row, with an interval, and in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.objective import Objective
from rosenblatt._study.judged_document import Priced
from rosenblatt._support.words import named
from rosenblatt.report.words import number

_DRAWS = 10_000  # of the bootstrap
_CHOSEN_BY = {
    "error": "the fewest errors",
    "cost": "the lowest cost of errors",
    "balanced": "the lowest mean of the error rates of the labels (balanced error)",
}


def priced(
    labels: list[str],
    counts: NDArray[np.int64],
    prices: NDArray[np.float64],
    *,
    confidence: float,
    seed: int = 0,
    rows: str = "rows",
) -> Priced:
    """Of errors that were counted by label and by what the rows were called.

    The interval is that of the bootstrap: rows are drawn again, as often as there are. Without an
    error there is none: every draw would cost nothing, however few the rows.
    """
    n, total = int(counts.sum()), float((counts * prices).sum())
    ends = None
    found = f"no error among these {n:,} {rows}: no interval"
    if counts.sum() > np.trace(counts):
        ends = _interval(counts, prices, confidence, seed)
        spread = f"{number(ends[0], 3)} to {number(ends[1], 3)} (bootstrap)"
        found = f"{100 * confidence:g} % interval {spread}"
    of_label = counts.sum(axis=1)
    always = {label: float(of_label @ prices[:, j]) for j, label in enumerate(labels)}
    shown = sorted(always, key=always.__getitem__)[:2]
    constant = (f"always saying {named(label)}: {number(always[label] / n, 3)}" for label in shown)
    sentence = (
        f"{number(total / n, 3)} a row ({number(total)} for {n:,} {rows}), {found}; "
        f"{', '.join(constant)} a row"
    )
    return {
        "total": total,
        "per_row": total / n,
        "interval": ends,
        "confidence": confidence,
        "method": "bootstrap",
        "always": always,
        "sentence": sentence,
    }


def _interval(
    counts: NDArray[np.int64], prices: NDArray[np.float64], confidence: float, seed: int
) -> list[float]:
    n, tail = int(counts.sum()), (1 - confidence) / 2
    drawn = np.random.default_rng(seed).multinomial(n, counts.ravel() / n, _DRAWS)
    ends: list[float] = np.quantile(drawn @ prices.ravel() / n, [tail, 1 - tail]).tolist()
    return ends


def chosen_by(objective: Objective) -> str:
    """What decided."""
    return _CHOSEN_BY[objective.decides]


def price_words(objective: Objective, classes: int) -> str:
    """What errors cost, where that was said."""
    said = [
        f"{named(actual)} called {named(predicted)} costs {number(cost)}"
        for (actual, predicted), cost in objective.costs.items()
    ]
    others = len(said) < classes * (classes - 1)
    return ", ".join([*said, *(["other errors cost 1"] if others else [])])
