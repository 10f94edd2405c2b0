"""Which way through the rows is the fastest: decided by counts, never by time, and no bit changes.

    speculating ──more mistakes than one row in `ratio`──► walking
    walking ──fewer──► speculating

Speculation pays for each mistake, the walk for each block of rows. A part of it that was made is
judged by its own mistakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rosenblatt._compute.gpu.layout import BLOCK

RATIO = 160  # rows that the walk takes while speculation makes one update, of up to 128 columns,
LEAST_RATIO = 80  # and of very many
AT_FIRST, AT_ONCE = 1 << 14, 1 << 19  # rows that are walked through before it is looked again


def ratio_of(d: int) -> int:
    """Long rows make the walk slower than they make speculation."""
    return max(LEAST_RATIO, min(RATIO, RATIO * 128 // max(d, 1)))


@dataclass
class Regime:
    """What has been seen of a training so far."""

    walking: bool = False
    steps: int = AT_FIRST  # rows that the walk goes through next
    window: int = 1  # rows that speculation looks at first
    rounds: int = 0  # that it has made, in all calls
    told: int = 0  # messages of the walk, in all calls,
    blocks: int = 0  # and its blocks

    def speculated(self, rows: int, updates: int, ratio: int) -> None:
        """So many rows were visited by speculation, with so many updates."""
        self.walking = updates * ratio > rows + 64 * ratio
        self.steps = AT_FIRST

    def walked(self, rows: int, updates: int, ratio: int) -> None:
        self.walking = updates * ratio > rows
        self.steps = min(4 * self.steps, AT_ONCE)


@dataclass(frozen=True)
class Bounds:
    """What makes decisions of the walk certain: N, R and the last terms of E in `decide.cu`."""

    size: float
    radius: float
    error: float


def bounds(
    *, longest: float, heaviest: float, intercept: bool, w_length: float, rows: int, d: int
) -> Bounds | None:
    """Of a call through so many rows; None where numbers are too large or too small for float32.

    `longest`: at least ‖x‖² of all rows; `heaviest`: the largest weight of a row; `w_length`: at
    least the length of the weights.
    """
    square = longest + (1 if intercept else 0)
    if not (1e-12 < square < 1e24 and 1e-9 < heaviest < 1e9 and w_length < 1e30):
        return None
    radius = math.sqrt(square)
    reach = w_length + rows * heaviest * radius  # no weights of the call are longer
    if not radius * reach < 1e30:
        return None
    error = (d / 8 + 64 + 2 * BLOCK) * 2.0**-52 * radius * reach
    error += 256 * (d + 16) * 2.0**-149 * max(heaviest, 1)
    size = 1.0001 * heaviest * square
    return Bounds(size=size, radius=1.0001 * radius, error=1.02 * error)
