"""Rules that are weights of the features: one weight vector, or many that vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model import arrays
from rosenblatt._rules.linear import LinearRule, rule_of
from rosenblatt._rules.voters import MOST_BYTES, Voters
from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.errors import WeightsOverflow


def written(rule: LinearRule | Voters) -> dict[str, Any]:
    """In units of the learning rate: the score is eta0 (weights·x + intercept), or the votes."""
    if isinstance(rule, LinearRule):
        return written_weights(rule.weights)
    weights, votes = rule.table()
    return {
        "voters": arrays.floats(weights[:, :-1]),
        "intercepts": arrays.floats(weights[:, -1]),
        "votes": arrays.counts(votes),
        "newest_since": int(rule.since),
    }


def written_weights(w: NDArray[np.float64]) -> dict[str, Any]:
    return {"weights": arrays.floats(w[:-1]), "intercept": float(w[-1])}


def read_rule(part: Part, d: int, eta: float) -> LinearRule:
    with part:
        weights = read_weights(part, d)
    try:
        rule = rule_of(weights, eta)
    except WeightsOverflow:
        raise InvalidDocument(
            f"{part.name('weights')} times the learning rate {eta} overflow"
        ) from None
    assert isinstance(rule, LinearRule)
    return rule


def read_weights(part: Part, d: int) -> NDArray[np.float64]:
    """Lifted: (w, b)."""
    return np.append(arrays.read_floats(part, "weights", (d,)), part.number("intercept"))


def read_voters(part: Part, d: int) -> Voters:
    with part:
        intercepts = arrays.read_floats(part, "intercepts", (None,))
        weights = arrays.read_floats(part, "voters", (len(intercepts), d))
        votes = arrays.read_counts(part, "votes", (len(intercepts),)).tolist()
        since = part.whole("newest_since")
    if 8 * len(intercepts) * (d + 1) > MOST_BYTES:
        raise InvalidDocument(f"{part.name('voters')} holds more than {MOST_BYTES >> 30} GiB")
    return Voters.of(np.hstack([weights, intercepts[:, None]]), votes, since)
