"""Lengths of weights and of blends of rows, as margins need them.

Of many classes lengths are those of the weights of all classes together. A lifted row has no block
of the last class: there it would have minus the sum of its other blocks. Weights have none either,
and of all that make the same difference the shortest count: those whose mean over the classes is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rosenblatt._proof.lifted_rows import LiftedRows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Vector


def spread(rows: Rows, vectors: list[Vector]) -> list[Vector]:
    """Rows in the space in which lengths are measured."""
    if not isinstance(rows, LiftedRows):
        return vectors
    return [[*vector, *(-v for v in _summed(rows, vector))] for vector in vectors]


def weights_of(rows: Rows, blend: list[Fraction]) -> list[Fraction]:
    """The weights that a blend of rows is: what its blocks are above that of the last class."""
    if not isinstance(rows, LiftedRows):
        return blend
    total = _summed(rows, blend)
    return [v + total[j % rows.points.D] for j, v in enumerate(blend)]


def weights_square(rows: Rows, w: Sequence[Fraction]) -> Fraction:
    """‖w‖²."""
    if not isinstance(rows, LiftedRows):
        return _square(w)
    return _square(w) - _square(_summed(rows, w)) / rows.classes


def blend_square(rows: Rows, blend: Sequence[Fraction]) -> Fraction:
    """‖Σ weight·a_i‖²."""
    if not isinstance(rows, LiftedRows):
        return _square(blend)
    return _square(blend) + _square(_summed(rows, blend))


def _square(vector: Sequence[Fraction]) -> Fraction:
    common = math.lcm(*(v.denominator for v in vector))
    whole = (v.numerator * (common // v.denominator) for v in vector)
    return Fraction(sum(v * v for v in whole), common**2)


def _summed(rows: LiftedRows, blocks: Sequence[Any]) -> list[Any]:
    """The sum of the blocks."""
    return [sum(blocks[j :: rows.points.D]) for j in range(rows.points.D)]
