"""Why a row has its label: what each feature, or each term of a card, adds to the score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt._util.spelling import option
from rosenblatt.errors import InputError

REASONS = 3  # unless told otherwise
_ROUNDING = 1e-12


class Why(NamedTuple):
    """What adds up to a score: the heaviest features, all other features, the intercept.

    Of many classes: to what the score of the predicted class is above that of its runner-up.
    """

    reasons: list[tuple[str, float]]
    texts: list[str]  # the same features, with their values
    others: float
    n_others: int
    intercept: float
    threshold: int | None = None  # of a card: what its points are compared with

    def to_dict(self) -> dict[str, Any]:
        reasons = [{"feature": name, "adds": added} for name, added in self.reasons]
        content = {"reasons": reasons, "others": self.others, "intercept": self.intercept}
        return content if self.threshold is None else content | {"threshold": self.threshold}

    def cells(self, most: int) -> list[str | float]:
        """Each reason and what it adds, what all others add, and the intercept: their sum is the
        score. Of a card the threshold stands for the intercept."""
        if self.threshold is None:
            adds, end = [*(adds for _, adds in self.reasons), self.others], self.intercept
        else:  # points are whole wherever counts are
            points = [*(adds for _, adds in self.reasons), self.others]
            adds, end = [int(p) if p.is_integer() else p for p in points], self.threshold
        pairs = zip(self.texts, adds, strict=False)
        cells: list[str | float] = [cell for pair in pairs for cell in pair]
        return [*cells, *[""] * (2 * most - len(cells)), adds[-1], end]


class Reasons:
    """The `most` heaviest features of a rule, or the heaviest terms of a card."""

    def __init__(self, estimator: Any, names: Sequence[str], numbers: Mapping[int, Any], most: int):
        """`names` of the features; `numbers` are the columns that are compared with their means."""
        self._weights = weights(estimator)
        self._card = estimator if is_card(estimator) else None
        self._names = names if self._card is None else self._card.terms_
        self.most = min(most, len(self._names))
        self._numbers = numbers if self._card is None else {}

    def values(self, X: Any) -> Any:
        """What the weights are of."""
        return X if self._card is None else self._card._rule.values(X)

    def of(self, values: Any, first: int, second: int | None) -> Why:
        """Of a row whose label is the class `first`; `second` is the runner-up of many classes."""
        import numpy as np

        from rosenblatt._core.rows import dense

        x = dense(values).ravel()
        w, intercept = lead(*self._weights, first, second)
        added = w * x
        order = np.argsort(-np.abs(added), kind="stable")
        order = order[: np.count_nonzero(added)]
        heaviest, rest = order[: self.most], added[order[self.most :]]
        return Why(
            [(self._names[j], float(added[j])) for j in heaviest],
            [self._text(int(j), float(x[j])) for j in heaviest],
            math.fsum(rest),
            len(rest),
            intercept,
            None if self._card is None else self._card.threshold_,
        )

    def _text(self, j: int, x: float) -> str:
        """A feature with its value: reports 0 (average 0.46)"""
        column = self._numbers.get(j)
        if column is None:
            return self._names[j]
        value = x * column.scale + column.center
        if abs(value) < _ROUNDING * (abs(column.center) + column.scale):
            value = 0.0  # but for rounding
        return f"{self._names[j]} {value:.4g} (average {column.center:.4g})"


def lead(w: Any, b: Any, first: int, second: int | None) -> tuple[Any, float]:
    """The weights and the intercept of a score, or of how far one is above another."""
    if second is None:
        return w[first], float(b[first])
    return w[first] - w[second], float(b[first] - b[second])


def is_card(estimator: Any) -> bool:
    return hasattr(estimator, "term_values")


def points_of(estimator: Any, X: Any) -> list[float] | None:
    """What a card adds up for each row, whole numbers where all counts are; None of other rules."""
    if not is_card(estimator):
        return None
    points = estimator._rule.totals(X).tolist()
    return [int(sum_) if sum_.is_integer() else sum_ for sum_ in points]


def weights(estimator: Any) -> tuple[Any, Any]:
    if is_card(estimator):  # the score is half a point above its points
        return estimator.points_[None], [0.5 - estimator.threshold_]
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        raise InputError(
            f"{option('explain')} needs a rule with one weight for each feature. This model has "
            "none: it is a voted or a kernel perceptron."
        )
    return coef, estimator.intercept_


def centred(preprocessing: Any) -> dict[int, Any]:
    """By their places among the features; a number that was not shifted is in its own units."""
    columns = [column for column in preprocessing.columns for _ in column.features]
    numbers = {j: columns[j] for j in preprocessing.number_places}
    return {j: column for j, column in numbers.items() if column.center and not column.measure}


# --- Labels and scores, and whose weights tell why ------------------------------------------------

_Scored = tuple[Any, float, tuple[Any, float] | None, int, int | None]


def ranked(estimator: Any, X: Any) -> Iterator[_Scored]:
    """Label and score of each row, its runner-up where classes are many, and where both are among
    the weights."""
    return _of_two(estimator, X) if len(estimator.classes_) == 2 else _of_many(estimator, X)


def _of_two(estimator: Any, X: Any) -> Iterator[_Scored]:
    scores, labels = estimator.decision_function(X), estimator.predict(X)
    for label, score in zip(labels.tolist(), scores.tolist(), strict=True):
        yield label, score, None, 0, None


def _of_many(estimator: Any, X: Any) -> Iterator[_Scored]:
    import numpy as np

    scores, classes = estimator.decision_function(X), estimator.classes_.tolist()
    for row, label in zip(scores, estimator.predict(X).tolist(), strict=True):
        first = classes.index(label)
        second = int(np.where(np.arange(len(row)) == first, -np.inf, row).argmax())
        yield label, float(row[first]), (classes[second], float(row[second])), first, second
