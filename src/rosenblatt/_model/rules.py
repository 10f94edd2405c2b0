"""What a rule needs to go on: which it is, how large rows were, how sure it is of each weight."""

from __future__ import annotations

import math

from rosenblatt._compute.examples import Weights
from rosenblatt._compute.scale import Scale
from rosenblatt._learning.rule import Number
from rosenblatt._model.linear import read_weights
from rosenblatt._support.strict_json import InvalidDocument, Part


def read_rule(recipe: Part) -> tuple[str, Number]:
    kind = recipe.one_of("rule", ("perceptron", "PA-I", "PA-II", "AROW"))
    if recipe.value("number") == "scale":
        return kind, "scale"
    return kind, recipe.number("number")


def read_scale(part: Part) -> Scale | None:
    value = part.value("scale")
    if value is None:
        return None
    numbers = type(value) is list and len(value) == 2 and all(type(v) is float for v in value)
    if not numbers or not all(0 <= v < math.inf for v in value) or value[1] == 0:
        raise InvalidDocument(f"{part.name('scale')} is not a sum of squares and one of weights")
    return Scale(*value)


def read_precision(part: Part, shape: tuple[int, ...], wanted: bool) -> Weights | None:
    given = part.optional(part.part, "precision")
    if (given is not None) != wanted:
        is_there = "null" if given is None else "there"
        raise InvalidDocument(f"{part.name('precision')} is {is_there}, but AROW has it")
    if given is None:
        return None
    with given:
        precision = read_weights(given, shape)
    if not (precision >= 1).all():  # steps are divided by them
        raise InvalidDocument(f"{part.name('precision')} holds numbers below 1")
    return precision
