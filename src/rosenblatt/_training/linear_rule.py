"""A trained linear rule: weights in units of the learning rate, and the learning rate."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.few_columns import FewColumns
from rosenblatt._core.protocol import Mean
from rosenblatt._core.rows import Rows, Weights
from rosenblatt._util.progress import check_interrupt, interrupted_by
from rosenblatt._util.spelling import option
from rosenblatt.errors import TooManyVotersError


@dataclass(frozen=True)
class LinearRule:
    """score = η (w·x + b).

    η multiplies the score, not the weights before it: whether a row is on the right side then does
    not depend on η, not even by rounding.
    """

    weights: Weights  # lifted: (w, b); of many classes one for each
    eta: float

    def signed(self, rows: Rows) -> NDArray[np.float64]:
        """w·x + b: the sign decides; of many classes the highest of the scores."""
        return rows.scores(self.weights)

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        scores = self.signed(rows)
        return scores if self.eta == 1 else self.eta * scores

    @property
    def coef(self) -> NDArray[np.float64]:
        return read_only(self.eta * np.atleast_2d(self.weights)[:, :-1])

    @property
    def intercept(self) -> NDArray[np.float64]:
        return read_only(self.eta * np.atleast_2d(self.weights)[:, -1])


def decided(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of each row's class: sign(0) = +1; of many classes the first of the highest."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return np.asarray(np.argmax(scores, axis=1))


class ChangingRule(LinearRule):
    """Last weights or their mean, which partial_fit goes on changing where they are.

    Threads that predict meanwhile see the weights of one moment.
    """

    w: Weights
    correction: Weights | None
    visits: int  # 0: the last weights are the rule, else their mean

    def __init__(self, w: Weights, correction: Weights | None, eta: float):
        vars(self).update(w=w, correction=correction, visits=0, eta=eta)

    @contextmanager
    def changed(self, *, visits: int) -> Iterator[None]:
        with _changing:
            yield
            vars(self).update(visits=visits)
            vars(self).pop("weights", None)

    @cached_property
    def weights(self) -> Weights:
        with _changing:
            mean = self._mean(self.w, self.correction)
            return np.copy(mean) if mean is self.w else mean

    def signed(self, rows: Rows) -> NDArray[np.float64]:
        few = None if "weights" in vars(self) else FewColumns.of(rows)
        if few is None:
            return super().signed(rows)
        with _changing:
            correction = None if self.correction is None else few.part_of(self.correction)
            return Rows(few.X).scores(self._mean(few.part_of(self.w), correction))

    def _mean(self, w: Weights, correction: Weights | None) -> Weights:
        if correction is None or not self.visits:
            return w
        return Mean(w, correction, self.visits).worked_out()


_changing = threading.RLock()


def _after_fork() -> None:
    global _changing  # noqa: PLW0603 - the thread that held it is not there to free it
    _changing = threading.RLock()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_after_fork)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """What is published is not what is computed with: a change would not reach it."""
    array.setflags(write=False)
    return array


# --- The weight vectors that vote, each with the number of visits after which it was current -----


MOST_BYTES = 2 << 30
_BLOCK_BYTES = 1 << 20


class Voters:
    """Grows by blocks, so that no voter is ever copied to make room."""

    def __init__(self, shape: tuple[int, ...]):
        self._shape = shape  # of one voter: (d + 1,), or (k, d + 1) of many classes
        self._bytes = 8 * math.prod(shape)
        self._per_block = max(1, _BLOCK_BYTES // self._bytes)
        self._blocks: list[Weights] = []
        self._votes: list[int] = []
        self._since = 0  # the newest voter has been current since this visit
        self._tally: Weights | None = None  # votes of the first voters on the validation rows
        self._tallied = 0  # how many they are

    def __len__(self) -> int:
        return len(self._votes)

    @property
    def vectors(self) -> int:
        """Weight vectors: one a voter, or one for each of many classes."""
        return len(self) * math.prod(self._shape[:-1])

    def copy(self) -> Voters:
        """Another one that can grow by itself; blocks that are full are shared."""
        other = Voters(self._shape)
        other._blocks = self._blocks.copy()
        if other._blocks:
            other._blocks[-1] = other._blocks[-1].copy()
        other._votes, other._since = self._votes.copy(), self._since
        return other

    @classmethod
    def of(cls, weights: Weights, votes: list[int], since: int) -> Voters:
        self = cls(weights.shape[1:])
        step = self._per_block
        self._blocks = [weights[k : k + step] for k in range(0, len(weights), step)]
        if self._blocks and len(self._blocks[-1]) < step:  # room for more
            room = self._room_for(weights[0])
            room[: len(self._blocks[-1])] = self._blocks[-1]
            self._blocks[-1] = room
        self._votes, self._since = votes, since
        return self

    @property
    def since(self) -> int:
        return self._since

    def table(self) -> tuple[Weights, list[int]]:
        weights = np.concatenate([np.empty((0, *self._shape)), *(w for w, _ in self.blocks())])
        return weights, self._votes.copy()

    def append(self, w: Weights, visits: int) -> None:
        """w has become current with visit number `visits`; what was current before keeps its votes.

        The start is current from visit 0 on, before any visit.
        """
        self.close(visits - 1)
        if (len(self) + 1) * self._bytes > MOST_BYTES:
            lower = f"{option('max_updates')} or {option('max_iter')}"
            raise TooManyVotersError(
                f"After {len(self):,} updates the weight vectors of {option('keep', 'vote')} would "
                f"take more than {MOST_BYTES / 2**30:g} GiB. Lower {lower}, or use "
                f"{option('keep', 'average')}, whose prediction is close to the vote and which "
                "needs one vector."
            )
        place = len(self) % self._per_block
        if place == 0:
            self._blocks.append(self._room_for(w))
        self._blocks[-1][place] = w
        self._votes.append(0)

    def _room_for(self, w: Weights) -> Weights:
        if w.ndim == 2 and not w.flags.c_contiguous:  # one feature after another
            return np.empty((self._per_block, *self._shape[::-1])).transpose(0, 2, 1)
        return np.empty((self._per_block, *self._shape))

    def close(self, visits: int) -> None:
        """Give the newest voter its votes up to now."""
        if self._votes:
            self._votes[-1] += visits - self._since
        self._since = max(visits, 0)

    def blocks(self, since: int = 0) -> Iterator[tuple[Weights, Weights]]:
        for k, block in enumerate(self._blocks):
            begin, end = k * self._per_block, min((k + 1) * self._per_block, len(self))
            skip = max(since - begin, 0)
            if begin + skip < end:
                votes = np.array(self._votes[begin + skip : end], dtype=np.float64)
                yield block[skip : end - begin], votes

    def scores(self, rows: Rows) -> Weights:
        """The weighted mean vote in [-1, 1]; of many classes the share of votes for each."""
        out = self._no_votes(rows)
        for voters, votes in self.blocks():
            check_interrupt()
            rows.add_votes(voters, votes, out)
        return out / max(sum(self._votes), 1)

    def running_scores(self, rows: Rows) -> Weights:
        """`scores` for rows that are asked for again and again: only newer voters are read."""
        if self._tally is None:
            self._tally, self._tallied = self._no_votes(rows), 0
        newest = self._no_votes(rows)  # its votes are not final yet
        with interrupted_by(None):  # the tally is kept
            for voters, votes in self.blocks(self._tallied):
                self._tally += newest
                newest = self._no_votes(rows)
                rows.add_votes(voters[:-1], votes[:-1], self._tally)
                rows.add_votes(voters[-1:], votes[-1:], newest)
            self._tallied = max(len(self) - 1, 0)
        return (self._tally + newest) / max(sum(self._votes), 1)

    def _no_votes(self, rows: Rows) -> Weights:
        return np.zeros((rows.n, *self._shape[:-1]))


@dataclass(frozen=True)
class SeparateVoters:
    """Voters for each of many classes, against the rest."""

    of_classes: tuple[Voters, ...]

    def __len__(self) -> int:
        return sum(map(len, self.of_classes))

    def scores(self, rows: Rows) -> Weights:
        return np.column_stack([voters.scores(rows) for voters in self.of_classes])


VOTING = (Voters, SeparateVoters)
