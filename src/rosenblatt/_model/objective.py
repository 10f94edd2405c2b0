"""What a rule was chosen by and what its errors cost, as a model file keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.errors import InputError, InputTypeError

OBJECTIVES = ("error", "cost", "balanced")
_WEIGHTS = ("balanced",)


@dataclass(frozen=True)
class Objective:
    """What was asked of a rule besides few errors.

    Attributes
    ----------
    decides : "error", "cost" or "balanced"
        What candidates, and of two labels the threshold, were chosen by: the number of errors,
        their cost, or the mean of the errors of each label.
    costs : dict of (str, str) to float
        What a row of the first label costs that is called the second; what is not here costs 1.
    class_weight : "balanced" or None
        Whether training weighed the rows of each label by how rare it is.
    """

    decides: str = "error"
    costs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    class_weight: str | None = None

    def cost_matrix(self, labels: Sequence[str]) -> NDArray[np.float64]:
        """What a row of label i costs that is called label j, for all i and j."""
        matrix = 1.0 - np.eye(len(labels))
        place = {label: i for i, label in enumerate(labels)}
        for (actual, predicted), cost in self.costs.items():
            matrix[place[actual], place[predicted]] = cost
        return matrix

    def cost(self, y: Any, predicted: Any) -> float:
        """What it costs to predict these labels where the others are right.

        Examples
        --------
        >>> from rosenblatt._model.objective import Objective
        >>> Objective("cost", {("yes", "no"): 5.0}).cost(["yes", "yes", "no"], ["no"] * 3)
        10.0
        """
        if len(y) != len(predicted):
            raise InputError(f"There are {len(y):,} labels and {len(predicted):,} predictions.")
        pairs = ((str(a), str(p)) for a, p in zip(_plain(y), _plain(predicted), strict=True))
        return math.fsum(self.costs.get(pair, 1.0) for pair in pairs if pair[0] != pair[1])


def _plain(labels: Any) -> list[Any]:
    return np.asarray(labels).tolist()  # type: ignore[no-any-return] # of one dimension


def write_objective(objective: Objective | None) -> dict[str, Any] | None:
    if objective is None:
        return None
    if not isinstance(objective, Objective):
        raise InputTypeError(
            f"objective is a {type(objective).__name__}: give the attribute objective_ of an "
            "estimator that study or load returned."
        )
    return {
        "decides": objective.decides,
        "costs": [
            {"actual": actual, "predicted": predicted, "cost": float(cost)}
            for (actual, predicted), cost in objective.costs.items()
        ],
        "class_weight": objective.class_weight,
    }


def read_objective(part: Part, classes: NDArray[Any]) -> Objective:
    labels = [str(label) for label in classes.tolist()]
    with part:
        decides = part.one_of("decides", OBJECTIVES)
        costs = dict(_cost(each, labels) for each in part.parts("costs"))
        weight = part.optional(part.one_of, "class_weight", _WEIGHTS)
        if len(costs) < len(part.values("costs")):
            raise InvalidDocument(f"{part.name('costs')} names a pair of labels twice")
    if decides == "cost" and not costs:
        raise InvalidDocument(f"{part.name('decides')} is 'cost', but there are no costs")
    return Objective(decides, costs, weight)


def _cost(part: Part, labels: list[str]) -> tuple[tuple[str, str], float]:
    with part:
        actual, predicted = part.one_of("actual", labels), part.one_of("predicted", labels)
        cost = part.number("cost")
    if actual == predicted or cost <= 0:
        raise InvalidDocument(
            f"{part.name('cost')} is {cost} for predicting {predicted!r} for {actual!r}: a "
            f"number greater "
            "than 0 for two different labels is expected"
        )
    return (actual, predicted), cost
