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
        "voters": arrays.floats(weights[..., :-1]),
        "intercepts": arrays.floats(weights[..., -1]),
        "votes": arrays.counts(votes),
        "newest_since": int(rule.since),
    }


def written_weights(w: NDArray[np.float64]) -> dict[str, Any]:
    """Lifted; of many classes a row for each."""
    if w.ndim == 1:
        return {"weights": arrays.floats(w[:-1]), "intercept": float(w[-1])}
    return {"weights": arrays.floats(w[:, :-1]), "intercepts": arrays.floats(w[:, -1])}


def shape_of_weights(d: int, classes: NDArray[Any]) -> tuple[int, ...]:
    """Of the weights without their intercepts: (d,), or (k, d) of many classes."""
    return (d,) if len(classes) == 2 else (len(classes), d)


def read_rule(part: Part, shape: tuple[int, ...], eta: float) -> LinearRule:
    with part:
        weights = read_weights(part, shape)
    try:
        rule = rule_of(weights, eta)
    except WeightsOverflow:
        raise InvalidDocument(
            f"{part.name('weights')} times the learning rate {eta} overflow"
        ) from None
    assert isinstance(rule, LinearRule)
    return rule


def read_weights(part: Part, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Lifted: (w, b)."""
    weights = arrays.read_floats(part, "weights", shape)
    if len(shape) == 1:
        return np.append(weights, part.number("intercept"))
    return np.column_stack([weights, arrays.read_floats(part, "intercepts", shape[:1])])


def read_voters(part: Part, shape: tuple[int, ...]) -> Voters:
    with part:
        intercepts = arrays.read_floats(part, "intercepts", (None, *shape[:-1]))
        weights = arrays.read_floats(part, "voters", (len(intercepts), *shape))
        votes = arrays.read_counts(part, "votes", (len(intercepts),)).tolist()
        since = part.whole("newest_since")
    if 8 * intercepts.size * (shape[-1] + 1) > MOST_BYTES:
        raise InvalidDocument(f"{part.name('voters')} holds more than {MOST_BYTES >> 30} GiB")
    return Voters.of(np.concatenate([weights, intercepts[..., None]], axis=-1), votes, since)
