"""Weights of the features: the rule, and all that training needs to go on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._fit import Candidate, State
from rosenblatt._keeps import KEEPS
from rosenblatt._model import arrays
from rosenblatt._model.document import Part, Wrong
from rosenblatt._orders import ORDERS
from rosenblatt._primal import Memory
from rosenblatt._rule import LinearRule, rule_of
from rosenblatt._settings import Recipe
from rosenblatt._voters import MOST_BYTES, Voters
from rosenblatt.errors import WeightsOverflow
from rosenblatt.perceptron import Perceptron

_JUDGED = ("best", "pocket")  # these keep what was judged

# --- The rule ----------------------------------------------------------------------------------


def written_rule(rule: LinearRule | Voters) -> dict[str, Any]:
    """In units of the learning rate: the score is eta0 (weights·x + intercept), or the votes."""
    if isinstance(rule, LinearRule):
        return _lifted(rule.weights)
    weights, votes = rule.table()
    return {
        "voters": arrays.floats(weights[:, :-1]),
        "intercepts": arrays.floats(weights[:, -1]),
        "votes": arrays.counts(votes),
    }


def _lifted(w: NDArray[np.float64]) -> dict[str, Any]:
    return {"weights": arrays.floats(w[:-1]), "intercept": float(w[-1])}


def read_rule(part: Part, d: int, eta: float) -> LinearRule:
    with part:
        weights = _read_lifted(part, d)
    try:
        rule = rule_of(weights, eta)
    except WeightsOverflow:
        raise Wrong(f"{part.name('weights')} times the learning rate {eta} overflow") from None
    assert isinstance(rule, LinearRule)
    return rule


def _read_lifted(part: Part, d: int) -> NDArray[np.float64]:
    return np.append(arrays.read_floats(part, "weights", (d,)), part.number("intercept"))


def _read_voters(part: Part, d: int, since: int) -> Voters:
    with part:
        intercepts = arrays.read_floats(part, "intercepts", (None,))
        weights = arrays.read_floats(part, "voters", (len(intercepts), d))
        votes = arrays.read_counts(part, "votes", (len(intercepts),)).tolist()
    if 8 * len(intercepts) * (d + 1) > MOST_BYTES:
        raise Wrong(f"{part.name('voters')} holds more than {MOST_BYTES >> 30} GiB")
    return Voters.of(np.hstack([weights, intercepts[:, None]]), votes, since)


# --- The state of training -----------------------------------------------------------------------


def written_state(p: Perceptron) -> dict[str, Any]:
    """What is not yet said by the rule and by how training went."""
    state = p._state
    memory = state.memory
    return {
        "seed": int(state.seed),
        "position": int(state.position),
        "under_way": bool(state.under_way),
        "unseen_update": bool(state.unseen_update),
        "draw": int(state.draw),
        "seen": int(state.seen),
        "visits": int(state.visits),
        "last": _lifted(memory.w),
        "drift": None if memory.drift is None else _lifted(memory.drift),
        "returned": None if p._kept is None else _judgement(p._kept),
        "kept": _written_kept(state.kept, p._kept),
        "newest_voter_since": None if state.voters is None else state.voters.since,
        "goes_on": _written_recipe(p._trained_by),
    }


def _judgement(c: Candidate) -> dict[str, Any]:
    return {
        "mistakes": int(c.mistakes),
        "weighted": float(c.weighted),
        "averaged": bool(c.averaged),
    }


def _written_kept(kept: Candidate | None, returned: Candidate | None) -> Any:
    if kept is None or kept is returned:
        return "returned" if kept is not None else None
    return _judgement(kept) | _lifted(kept.weights)


def _written_recipe(recipe: Recipe | None) -> dict[str, Any] | None:
    """The data and parameters with which `warm_start` goes on to the bit."""
    if recipe is None:
        return None
    return {
        "order": recipe.order,
        "margin": recipe.margin,
        "data": recipe.data,
        "validation_data": recipe.more,
    }


def read(rule: Part, state: Part, p: Perceptron, counts: NDArray[np.int64]) -> None:
    """Set the rule and the state on an estimator that knows how training went."""
    with state:
        _read(rule, state, p, counts)


def _read(rule_part: Part, part: Part, p: Any, counts: NDArray[np.int64]) -> None:
    d, rows, units = p.n_features_in_, len(p.update_counts_), p._made_with
    voting, judged = units.keep == "vote", units.keep in _JUDGED
    since = part.optional(part.whole, "newest_voter_since")
    _same(since is not None, voting, part, "newest_voter_since", units.keep)
    rule: LinearRule | Voters
    if voting:
        assert since is not None
        rule = _read_voters(rule_part, d, since)
    else:
        rule = read_rule(rule_part, d, units.eta0)
    returned = part.optional(part.part, "returned")
    _same(returned is not None, judged, part, "returned", units.keep)
    if returned is not None:
        assert isinstance(rule, LinearRule)
        with returned:
            p._kept = _read_judgement(returned, rule.weights.copy())
    else:
        p._kept = None
    p._rule = rule
    p._state = State(
        memory=_read_memory(part, d, counts, units.keep),
        seed=part.whole("seed", 2**63 - 1),
        epoch=p.n_iter_,
        position=part.whole("position", rows),
        under_way=part.flag("under_way"),
        clean=p.converged_,
        unseen_update=part.flag("unseen_update"),
        draw=part.whole("draw"),
        seen=part.whole("seen", rows),
        visits=part.whole("visits"),
        updates=p.n_updates_,
        mistakes=p.mistakes_.tolist(),
        validation=list(map(int, getattr(p, "validation_mistakes_", ()))),
        kept=_read_kept(part, d, p._kept),
        voters=rule if voting else None,
    )
    p._trained_by = _read_recipe(part, p)
    if p._state.under_way and not (p._state.mistakes and p._state.epoch):
        raise Wrong("state.under_way is true, but no epoch has begun")
    if p._trained_by is not None and judged and p._state.kept is None:
        raise Wrong("state.kept is null, and training could not go on as state.goes_on says")


def _same(got: bool, wanted: bool, part: Part, field: str, keep: str) -> None:
    if got != wanted:
        raise Wrong(f"{part.name(field)} is {'there' if got else 'null'} with keep={keep!r}")


def _read_judgement(part: Part, weights: NDArray[np.float64]) -> Candidate:
    weighted = part.number("weighted")
    if weighted < 0:
        raise Wrong(f"{part.name('weighted')} is {weighted}, which is less than 0")
    return Candidate(weights, part.whole("mistakes"), weighted, part.flag("averaged"))


def _read_kept(part: Part, d: int, returned: Candidate | None) -> Candidate | None:
    if part.value("kept") == "returned":
        if returned is None:
            raise Wrong(f"{part.name('kept')} is 'returned', and nothing of that kind was")
        return returned
    kept = part.optional(part.part, "kept")
    if kept is None:
        return None
    with kept:
        return _read_judgement(kept, _read_lifted(kept, d))


def _read_memory(part: Part, d: int, counts: NDArray[np.int64], keep: str) -> Memory:
    with part.part("last") as last:
        w = _read_lifted(last, d)
    drift = None
    given = part.optional(part.part, "drift")
    _same(given is not None, KEEPS[keep].averaged, part, "drift", keep)
    if given is not None:
        with given:
            drift = _read_lifted(given, d)
    return Memory(w, drift, counts)


def _read_recipe(part: Part, p: Any) -> Recipe | None:
    recipe = part.optional(part.part, "goes_on")
    if recipe is None:
        return None
    with recipe:
        order, margin = recipe.one_of("order", ORDERS), recipe.number("margin")
        data = recipe.text("data")
        validation = recipe.optional(recipe.text, "validation_data")
    shape = (len(p.update_counts_), p.n_features_in_)
    return Recipe(p._made_with, order, margin, p.classes_.tolist(), shape, data, validation)
