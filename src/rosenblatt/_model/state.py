"""Where the training of a Perceptron stands, in a model file or checkpoint: what resuming needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import Kind
from rosenblatt._core.rows import Scale, Weights
from rosenblatt._core.summation import Fold
from rosenblatt._model import arrays
from rosenblatt._model.rules import read_weights, read_weights_in, shape_of_weights, write_weights
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import PrimalState
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.orders import ORDERS, Share, together
from rosenblatt._training.settings import Number, Recipe
from rosenblatt._training.state import Candidate, Losses, Memory, State
from rosenblatt._training.stopping import StopReason
from rosenblatt._training.training import TrainingRecord
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.perceptron import Perceptron

# --- Writing -----------------------------------------------------------------------------------


def write_state(p: Perceptron) -> dict[str, Any]:
    assert p._state is not None
    return {
        **write_place(p._state),
        "returned": None if p._kept is None else _judgement(p._kept),
        "kept": write_kept(p._state.kept, p._kept),
        "goes_on": _write_recipe(p._trained_by),
    }


def write_place(state: PrimalState) -> dict[str, Any]:
    memory = state.memory
    return {
        "seed": int(state.seed),
        "position": int(state.position),
        "under_way": bool(state.under_way),
        "unseen_update": bool(state.unseen_update),
        "draw": int(state.draw),
        "seen": int(state.seen),
        "visits": int(state.visits),
        "visits_before": int(state.visits_before),
        "last": write_weights(memory.w),
        "drift": None if memory.correction is None else write_weights(memory.correction),
        "precision": None if memory.precision is None else write_weights(memory.precision),
        "faded": float(memory.faded),
        "fewest_mistakes": None if math.isinf(state.fewest) else float(state.fewest),
        "fewest_in_epoch": int(state.fewest_in),
        "scale": None if state.scale is None else [float(v) for v in state.scale],
        "wrong_ahead": [float(v) for v in state.ahead],
        "loss": None if state.losses is None else _write_losses(state.losses),
        "mixing": None if state.mixing is None else _write_mixing(state.mixing),
    }


def _write_losses(losses: Losses) -> dict[str, Any]:
    return {
        "of_epoch": None if math.isnan(losses.of_epoch) else float(losses.of_epoch),
        "lowest": None if math.isinf(losses.lowest) else float(losses.lowest),
        "epochs_without_gain": int(losses.idle),
    }


def _judgement(c: Candidate[Weights]) -> dict[str, Any]:
    return {
        "mistakes": int(c.mistakes),
        "weighted": float(c.weighted),
        "averaged": bool(c.averaged),
    }


def write_kept(kept: Candidate[Weights] | None, returned: Candidate[Weights] | None) -> Any:
    """The best weights so far, where they are not what was returned."""
    if kept is None:
        return None
    return "returned" if kept is returned else _judgement(kept) | write_weights(kept.weights)


def _write_recipe(recipe: Recipe | None) -> dict[str, Any] | None:
    if recipe is None:
        return None
    return {
        "order": recipe.order,
        "rule": recipe.rule[0],
        "number": recipe.rule[1],
        "decay": recipe.rule[2],
        "data": recipe.data,
        "weights": recipe.weights,
        "validation_data": recipe.more,
    }


# --- Reading -----------------------------------------------------------------------------------


class Read(NamedTuple):
    state: PrimalState | None
    kept: Candidate[Weights] | None
    trained_by: Recipe | None


@dataclass(frozen=True)
class Known:
    record: TrainingRecord
    rule: LinearRule | Voters
    classes: NDArray[Any]
    d: int
    confident: bool  # precisions of the weights are kept

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of_weights(self.d, self.classes)


def read_state(part: Part, known: Known, counts: NDArray[np.int64]) -> Read:
    keep = known.record._made_with.keep
    with part:
        kept = _read_returned(part, known)
        state = _read_state(part, known, counts, kept)
        recipe = _read_recipe(part, known)
    if state.under_way and not (state.mistakes and state.epoch):
        raise InvalidDocument("state.under_way is true, but no epoch has begun")
    if recipe is not None and KEEPS[keep].evaluated and state.kept is None:
        raise InvalidDocument(
            "state.kept is null, and training could not go on as state.goes_on says"
        )
    return Read(state, kept, recipe)


def _read_state(
    part: Part,
    known: Known,
    counts: NDArray[np.int64],
    returned: Candidate[Weights] | None,
) -> PrimalState:
    record, validation = known.record, known.record.validation_mistakes_
    keep = record._made_with.keep
    return State(
        **read_place(
            part,
            keep,
            known.shape,
            record._n_rows,
            record.n_iter_,
            counts,
            confident=known.confident,
        ),
        epoch=record.n_iter_,
        clean=record.converged_,
        updates=record.n_updates_,
        mistakes=record.mistakes_.tolist(),
        validation=[] if validation is None else validation.tolist(),
        kept=read_kept(part, known.shape, returned),
        certificate=record.certificate_,
        voters=known.rule if isinstance(known.rule, Voters) else None,
    )


def read_place(
    part: Part,
    keep: str,
    shape: tuple[int, ...],
    rows: int,
    epochs: int,
    counts: NDArray[np.int64],
    *,
    confident: bool,
) -> dict[str, Any]:
    """By the names of State. `confident`: with precisions of the weights, as AROW has them."""
    w, position = read_weights_in(part, "last", shape), part.whole("position", rows)
    averaged = _is_there(part, "drift", keep, wanted=KEEPS[keep].averaged)
    memory = Memory(w, read_weights_in(part, "drift", shape) if averaged else None, counts)
    memory.precision = read_precision(part, shape, confident)
    memory.faded = _read_faded(part)
    fewest = part.optional(part.number, "fewest_mistakes")
    return {
        "memory": memory,
        "seed": part.whole("seed", 2**63 - 1),
        "position": position,
        "mixing": part.optional(_read_mixing, "mixing", part, shape, position, averaged),
        "under_way": part.flag("under_way"),
        "unseen_update": part.flag("unseen_update"),
        "draw": part.whole("draw"),
        "seen": part.whole("seen", rows),
        "visits": part.whole("visits"),
        "visits_before": part.whole("visits_before"),
        "fewest": math.inf if fewest is None else fewest,
        "fewest_in": part.whole("fewest_in_epoch", epochs),
        "scale": read_scale(part),
        "ahead": _read_ahead(part),
        "losses": part.optional(_read_losses, "loss", part, epochs),
    }


def _read_ahead(part: Part) -> tuple[float, float]:
    mean, last = arrays.read_floats(part, "wrong_ahead", (2,)).tolist()
    if mean < 0 or last < 0:
        raise InvalidDocument(f"{part.name('wrong_ahead')} holds numbers below 0")
    return mean, last


def _read_losses(field: str, part: Part, epochs: int) -> Losses:
    with part.part(field) as loss:
        of_epoch = loss.optional(loss.number, "of_epoch")
        lowest = loss.optional(loss.number, "lowest")
        idle = loss.whole("epochs_without_gain", epochs)
    return Losses(
        math.nan if of_epoch is None else of_epoch, math.inf if lowest is None else lowest, idle
    )


def _is_there(part: Part, field: str, keep: str, *, wanted: bool) -> bool:
    if (part.value(field) is not None) != wanted:
        state = "null" if wanted else "there"
        raise InvalidDocument(f"{part.name(field)} is {state} with keep={keep!r}")
    return wanted


def _read_returned(part: Part, known: Known) -> Candidate[Weights] | None:
    keep = known.record._made_with.keep
    trained = known.record.stop_reason_ is not StopReason.FROM_CERTIFICATE
    if not _is_there(part, "returned", keep, wanted=KEEPS[keep].evaluated and trained):
        return None
    assert isinstance(known.rule, LinearRule)
    with part.part("returned") as returned:
        return _read_judgement(returned, known.rule.weights.copy())


def _read_judgement(part: Part, weights: NDArray[np.float64]) -> Candidate[Weights]:
    weighted = part.number("weighted")
    if weighted < 0:
        raise InvalidDocument(f"{part.name('weighted')} is {weighted}, which is less than 0")
    return Candidate(weights, part.whole("mistakes"), weighted, part.flag("averaged"))


def read_kept(
    part: Part, shape: tuple[int, ...], returned: Candidate[Weights] | None
) -> Candidate[Weights] | None:
    if returned is not None and part.value("kept") == "returned":
        return returned
    if part.value("kept") is None:
        return None
    with part.part("kept") as kept:
        return _read_judgement(kept, read_weights(kept, shape))


def _read_recipe(part: Part, known: Known) -> Recipe | None:
    if part.value("goes_on") is None:
        return None
    with part.part("goes_on") as recipe:
        order = recipe.one_of("order", ORDERS)
        rule = read_rule(recipe)
        data = recipe.text("data")
        weights = recipe.optional(recipe.text, "weights")
        judged = recipe.optional(recipe.text, "validation_data")
    units, shape = known.record._made_with, (known.record._n_rows, known.d)
    return Recipe(units, order, rule, known.classes.tolist(), shape, data, weights, judged)


# --- What a rule remembers: its number, how large rows were, how sure it is of each weight --------


def read_rule(recipe: Part) -> tuple[str, Number, float]:
    kind = str(recipe.value("rule"))  # and its signs, and the strength of its penalty
    if kind.partition(" with ")[0] not in get_args(Kind):
        kind = recipe.one_of("rule", get_args(Kind))
    number = recipe.value("number")
    if number not in ("scale", "wide", "auto"):
        number = recipe.number("number")
    return kind, number, recipe.number("decay")


def read_scale(part: Part) -> Scale | None:
    value = part.value("scale")
    if value is None:
        return None
    numbers = type(value) is list and len(value) == 2 and all(type(v) is float for v in value)
    if not numbers or not all(0 <= v < math.inf for v in value) or value[1] == 0:
        raise InvalidDocument(f"{part.name('scale')} is not a sum of squares and one of weights")
    return Scale(*value)


def _read_faded(part: Part) -> float:
    faded = part.number("faded")
    if not 0 < faded <= 1:
        raise InvalidDocument(f"{part.name('faded')} is not above 0 and at most 1")
    return faded


def read_precision(part: Part, shape: tuple[int, ...], wanted: bool) -> Weights | None:
    if (part.value("precision") is not None) != wanted:
        is_there = "null" if wanted else "there"
        raise InvalidDocument(f"{part.name('precision')} is {is_there}, but AROW has it")
    if not wanted:
        return None
    precision = read_weights_in(part, "precision", shape)
    if not (precision >= 1).all():  # steps are divided by them
        raise InvalidDocument(f"{part.name('precision')} holds numbers below 1")
    return precision


# --- An epoch of order="mixed" that is under way: what its shards have added so far --------------


def _write_mixing(mixing: Fold[Share]) -> dict[str, Any]:
    branches = [_write_share(share) for share in mixing.branches]
    return {"shards": int(mixing.parts), "branches": branches}


def _write_share(share: Share) -> dict[str, Any]:
    return {
        "moved": write_weights(share.moved),
        "summed": None if share.summed is None else write_weights(share.summed),
        "visits": int(share.visits),
        "mistakes": int(share.mistakes),
        "loss": float(share.loss),
    }


def _read_mixing(
    field: str, part: Part, shape: tuple[int, ...], position: int, averaged: bool
) -> Fold[Share]:
    with part.part(field) as mixing:
        shards = mixing.whole("shards")
        branches = [_read_share(branch, shape, averaged) for branch in mixing.parts("branches")]
    # A fold of so many has one branch for each 1 among their binary digits.
    sound = len(branches) == shards.bit_count() and shards * compute.rows_of_shard == position
    if not sound or sum(branch.visits for branch in branches) != position:
        raise InvalidDocument(f"{part.name(field)} is not of {shards} shards and {position} visits")
    return Fold(together, shards, branches)


def _read_share(part: Part, shape: tuple[int, ...], averaged: bool) -> Share:
    with part:
        change = read_weights_in(part, "moved", shape)
        if (part.value("summed") is not None) != averaged:
            raise InvalidDocument(f"{part.name('summed')} does not go with what is kept")
        summed = read_weights_in(part, "summed", shape) if averaged else None
        visits, mistakes = part.whole("visits"), part.whole("mistakes")
        return Share(change, summed, visits, mistakes, part.number("loss"))
