"""Where the training of a Perceptron stands: what going on needs besides the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Weights
from rosenblatt._compute.fingerprint import FIRST
from rosenblatt._learning.keeps import KEEPS
from rosenblatt._learning.machine import Memory
from rosenblatt._learning.orders import ORDERS
from rosenblatt._learning.primal import PrimalMemory, PrimalState
from rosenblatt._learning.settings import Recipe
from rosenblatt._learning.state import Candidate, State
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._model.linear import read_weights, written_weights
from rosenblatt._rules.linear import LinearRule
from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.perceptron import Perceptron

JUDGED = ("best", "pocket")  # what these return was judged

# --- Writing -----------------------------------------------------------------------------------


def written(p: Perceptron) -> dict[str, Any]:
    """What is not yet said by the rule and by how training went."""
    return {
        **written_place(p._state),
        "returned": None if p._kept is None else _judgement(p._kept),
        "kept": written_kept(p._state.kept, p._kept),
        "goes_on": _written_recipe(p._trained_by),
    }


def written_place(state: PrimalState) -> dict[str, Any]:
    """Where in an epoch training stands, and with which weights."""
    memory = state.memory
    return {
        "seed": int(state.seed),
        "position": int(state.position),
        "under_way": bool(state.under_way),
        "unseen_update": bool(state.unseen_update),
        "draw": int(state.draw),
        "seen": int(state.seen),
        "visits": int(state.visits),
        "last": written_weights(memory.w),
        "drift": None if memory.drift is None else written_weights(memory.drift),
        "fewest_mistakes": None if math.isinf(state.fewest) else float(state.fewest),
        "fewest_in_epoch": int(state.fewest_in),
    }


def _judgement(c: Candidate[Weights]) -> dict[str, Any]:
    return {
        "mistakes": int(c.mistakes),
        "weighted": float(c.weighted),
        "averaged": bool(c.averaged),
    }


def written_kept(kept: Candidate[Weights] | None, returned: Candidate[Weights] | None) -> Any:
    """The best weights so far, where they are not what was returned."""
    if kept is None:
        return None
    return "returned" if kept is returned else _judgement(kept) | written_weights(kept.weights)


def _written_recipe(recipe: Recipe | None) -> dict[str, Any] | None:
    """The data and parameters with which `warm_start` goes on to the bit."""
    if recipe is None:
        return None
    return {
        "order": recipe.order,
        "margin": recipe.margin,
        "data": recipe.data,
        "weights": recipe.weights,
        "validation_data": recipe.more,
    }


# --- Reading -----------------------------------------------------------------------------------


def read(part: Part, p: Any, counts: NDArray[np.int64], version: int) -> None:
    """Set the state on an estimator that has its rule and knows how training went."""
    keep = p._made_with.keep
    with part:
        p._kept = _read_returned(part, p, keep)
        p._state = _read_state(part, p, counts)
        p._trained_by = _read_recipe(part, p, version)
    if p._state.under_way and not (p._state.mistakes and p._state.epoch):
        raise InvalidDocument("state.under_way is true, but no epoch has begun")
    if p._trained_by is not None and keep in JUDGED and p._state.kept is None:
        raise InvalidDocument(
            "state.kept is null, and training could not go on as state.goes_on says"
        )


def _read_state(part: Part, p: Any, counts: NDArray[np.int64]) -> PrimalState:
    keep, d = p._made_with.keep, p.n_features_in_
    return State(
        **read_place(part, keep, d, p._n_rows, p.n_iter_, counts),
        epoch=p.n_iter_,
        clean=p.converged_,
        updates=p.n_updates_,
        mistakes=p.mistakes_.tolist(),
        validation=list(map(int, getattr(p, "validation_mistakes_", ()))),
        kept=read_kept(part, d, p._kept),
        certificate=p.certificate_,
        voters=p._rule if keep == "vote" else None,
    )


def read_place(
    part: Part, keep: str, d: int, rows: int, epochs: int, counts: NDArray[np.int64]
) -> dict[str, Any]:
    """What `written_place` has written, by the names of State."""
    return {
        "memory": _read_memory(part, d, counts, keep),
        "seed": part.whole("seed", 2**63 - 1),
        "position": part.whole("position", rows),
        "under_way": part.flag("under_way"),
        "unseen_update": part.flag("unseen_update"),
        "draw": part.whole("draw"),
        "seen": part.whole("seen", rows),
        "visits": part.whole("visits"),
        "fewest": _read_fewest(part),
        "fewest_in": part.whole("fewest_in_epoch", epochs),
    }


def _read_fewest(part: Part) -> float:
    fewest = part.optional(part.number, "fewest_mistakes")
    return math.inf if fewest is None else float(fewest)


def _part_with(part: Part, field: str, keep: str, *, wanted: bool) -> Part | None:
    """A part that is there if, and only if, `keep` calls for it."""
    found = part.optional(part.part, field)
    if (found is not None) != wanted:
        is_there = "null" if found is None else "there"
        raise InvalidDocument(f"{part.name(field)} is {is_there} with keep={keep!r}")
    return found


def _read_returned(part: Part, p: Any, keep: str) -> Candidate[Weights] | None:
    judged = keep in JUDGED and p.stop_reason_ is not StopReason.FROM_CERTIFICATE
    returned = _part_with(part, "returned", keep, wanted=judged)
    if returned is None:
        return None
    assert isinstance(p._rule, LinearRule)
    with returned:
        return _read_judgement(returned, p._rule.weights.copy())


def _read_judgement(part: Part, weights: NDArray[np.float64]) -> Candidate[Weights]:
    weighted = part.number("weighted")
    if weighted < 0:
        raise InvalidDocument(f"{part.name('weighted')} is {weighted}, which is less than 0")
    return Candidate(weights, part.whole("mistakes"), weighted, part.flag("averaged"))


def read_kept(part: Part, d: int, returned: Candidate[Weights] | None) -> Candidate[Weights] | None:
    if returned is not None and part.value("kept") == "returned":
        return returned
    kept = part.optional(part.part, "kept")
    if kept is None:
        return None
    with kept:
        return _read_judgement(kept, read_weights(kept, d))


def _read_memory(part: Part, d: int, counts: NDArray[np.int64], keep: str) -> PrimalMemory:
    with part.part("last") as last:
        w = read_weights(last, d)
    given = _part_with(part, "drift", keep, wanted=KEEPS[keep].averaged)
    if given is None:
        return Memory(w, None, counts)
    with given:
        return Memory(w, read_weights(given, d), counts)


def _read_recipe(part: Part, p: Any, version: int) -> Recipe | None:
    recipe = part.optional(part.part, "goes_on")
    if recipe is None:
        return None
    with recipe:
        order, margin = recipe.one_of("order", ORDERS), recipe.number("margin")
        data = recipe.text("data")
        weights = None if version == 1 else recipe.optional(recipe.text, "weights")
        judged = recipe.optional(recipe.text, "validation_data")
    if version == 1:
        data, judged = FIRST + data, None if judged is None else FIRST + judged
    shape = (p._n_rows, p.n_features_in_)
    return Recipe(p._made_with, order, margin, p.classes_.tolist(), shape, data, weights, judged)
