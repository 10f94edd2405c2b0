"""The smallest change of a row that changes its label: `rosenblatt predict --change`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt.cli._reasons import lead, weights
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._opinion.change import Change, Changes

_SINGLE = 3  # changes of one column that are told


class SmallestChange:
    """--change."""

    column, key = "smallest change", "changes"

    def __init__(self, known: Any, model: str, fixed: Sequence[str]):
        from rosenblatt._opinion.moves import changeable
        from rosenblatt.data import Encoding

        if known.encoding is None:
            raise InputError(
                f"--change: {model} was saved without the encoding of its table, so there are no "
                "columns to change. rosenblatt fit saves it."
            )
        self._estimator = known.estimator
        self._weights = weights(known.estimator)
        self._columns = changeable(Encoding.from_dict(known.encoding), fixed)

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        from rosenblatt._compute.matrices import dense

        changes = self._smallest(dense(x).ravel().astype(float), label)
        return _told(changes), {
            "single": [_as_dict(change) for change in changes.single],
            "double": None if changes.double is None else _as_dict(changes.double),
        }

    def _smallest(self, row: Any, label: Any) -> Changes:
        from rosenblatt._opinion import card_change
        from rosenblatt._opinion.change import Turning
        from rosenblatt._rules.card import Card

        if isinstance(self._estimator._rule, Card):
            return card_change.smallest(self._estimator._rule, self._columns, row)

        def turned(other: Any) -> bool:
            return bool(self._estimator.predict(other[None, :])[0] != label)

        return Turning(self._columns, row, turned).smallest(self._leads(row, label))

    def _leads(self, x: Any, label: Any) -> list[tuple[Any, float]]:
        """By how much the label is ahead of each other one, and the weights of that."""
        classes = self._estimator.classes_.tolist()
        if len(classes) == 2:
            w, b = lead(*self._weights, 0, None)
            sign = 1.0 if label == classes[1] else -1.0
            return [(sign * w, sign * (float(w @ x) + b))]
        mine = classes.index(label)
        others = (lead(*self._weights, mine, c) for c in range(len(classes)) if c != mine)
        return [(w, float(w @ x) + b) for w, b in others]


def _told(changes: Changes) -> str:
    found = [_moves(change) for change in changes.single[:_SINGLE]]
    if changes.double is not None:
        found.append(f"two together: {_moves(changes.double)}")
    if not found:
        return "no change of one or two columns within the ranges seen in training changes it"
    return "; or ".join(found)


def _moves(change: Change) -> str:
    from rosenblatt._opinion.moves import shown

    return " and ".join(f"{m.column} {shown(m.now)} → {shown(m.to)}" for m in change.moves)


def _as_dict(change: Change) -> dict[str, Any]:
    moves = [{"column": m.column, "now": m.now, "to": m.to} for m in change.moves]
    return {"moves": moves, "size": change.size}
