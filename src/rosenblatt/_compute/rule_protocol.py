"""What a backend offers for rules besides the perceptron; `reference.py` says what it computes."""

from __future__ import annotations

from typing import Protocol

from rosenblatt._compute.protocol import (
    Backend,
    Floats,
    Indices,
    Ints,
    Labels,
    LogColumns,
    NativeRows,
)


class RuleBackend(Backend, Protocol):
    """With precisions the rule is AROW and `number` its r; without it is passive-aggressive and
    `number` is C, with the squared loss or the loss itself."""

    def rule_visit(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        order: Indices | None,
        begin: int,
        end: int,
        most: int,
        number: float,
        squared: bool,
        intercept: bool,
        w: Floats,
        precision: Floats | None,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        /,
    ) -> tuple[int, int]: ...

    def rule_search(
        self,
        rows: NativeRows,
        y: Labels,
        c: Floats | None,
        pool: Indices,
        seed: int,
        draw: int,
        seen: int,
        looks: int,
        most: int,
        number: float,
        squared: bool,
        intercept: bool,
        w: Floats,
        precision: Floats | None,
        drift: Floats | None,
        counts: Ints,
        visits: int,
        log: LogColumns | None,
        /,
    ) -> tuple[int, int, int, int]: ...
