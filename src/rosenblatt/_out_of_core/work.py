"""The work: pure functions of rows and of small arguments.

What is summed comes back folded by shard, or by block: whoever asks folds on, in the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import fingerprint
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Examples, Rows, Tally, Weights
from rosenblatt._core.summation import Fold, folded, in_order
from rosenblatt._out_of_core.parts import Loaded, blocks_of
from rosenblatt._training.learner import Primal, PrimalMemory, machine_with
from rosenblatt._training.orders import Share, arrange_block, parts_of, shard_order, share_of
from rosenblatt._training.rule import Rule
from rosenblatt._training.state import Memory
from rosenblatt._training.training import against_rest
from rosenblatt._validation import targets


class How(NamedTuple):
    """What labels and steps mean."""

    k: int | None  # how many classes; None: two
    by_class: tuple[float, ...]  # the weights of the rows of each
    one: int | None = None  # the class that is +1 where all others are -1
    rule: Rule | None = None
    margin: float = 0.0
    intercept: bool = True

    def examples(self, part: Loaded, begin: int, end: int) -> Examples:
        X, y = part.rows(begin, end)
        some = Examples(X, y, targets.weigh(None, y, self.by_class), self.k)
        return some if self.one is None else against_rest(some, self.one)

    def machine(self, examples: Examples) -> Any:
        assert self.rule is not None
        return machine_with(self.rule)(examples, margin=self.margin, intercept=self.intercept)


class Turn(NamedTuple):
    """What the order of an epoch depends on."""

    seed: int
    epoch: int
    shuffled: bool


def blocks(part: Loaded, how: How) -> Iterator[tuple[int, Examples]]:
    """Its blocks, with their numbers."""
    for b in blocks_of(part, compute.block):
        yield b, block(part, how, b)


def block(part: Loaded, how: How, b: int) -> Examples:
    return how.examples(part, b * compute.block, min((b + 1) * compute.block, part.end))


def visit(
    part: Loaded,
    how: How,
    memory: PrimalMemory,
    turn: Turn,
    stretch: Sequence[tuple[int, int]],
    most: int,
    visits: int,
) -> tuple[PrimalMemory, int, int]:
    """One block after the other, each from a place on, with at most so many updates in all.

    Returns what was learned, and how many visits and updates there were.
    """
    memory, made, updates = memory.copy(), 0, 0
    for b, first in stretch:
        examples = block(part, how, b)
        machine, order = how.machine(examples), None
        place, size = first, examples.rows.n
        if turn.shuffled:
            order = np.empty(size, dtype=np.int32)
            arrange_block(order, None, b, turn.seed, turn.epoch)
        counts = np.zeros((size, *memory.w.shape[:-1]), dtype=np.int64)  # nobody looks at them
        within = Memory(memory.w, memory.drift, counts, memory.precision)
        while place < size and updates < most:
            end = min(place + examples.chunk, size)
            reached, more = machine.visit(within, order, place, end, most - updates, visits + made)
            made, updates, place = made + reached - place, updates + more, reached
        if updates >= most:
            break
    return memory, made, updates


def mix(
    part: Loaded, how: How, w: Weights, turn: Turn, first: int, n: int, averaged: bool
) -> list[Share]:
    """What each of its shards, from the first one on, adds to an epoch of n rows that begins with
    these weights."""
    found = []
    for shard in shards(part):
        s = shard.start // compute.shard
        if s < first:
            continue
        numbers = shard_order(n, s, turn.seed, turn.epoch)
        parts = parts_of(
            ((b, block(part, how, b)) for b in numbers),
            turn.seed,
            turn.epoch,
            margin=how.margin,
            intercept=how.intercept,
        )
        found.append(share_of(parts, w, averaged=averaged))
    return found


def descend(part: Loaded, how: How, w: Weights) -> tuple[list[Weights], int]:
    """What all rows call for under w: the step of each shard, and how many rows they are."""
    steps, mistakes = [], 0
    for shard in shards(part):
        fold = Fold[Weights]()
        for b in shard:
            machine = how.machine(block(part, how, b))
            assert isinstance(machine, Primal)
            found = machine.look(w)
            fold.add(found.step)
            mistakes += len(found.rows)
        steps.append(fold.total())
    return steps, mistakes


def shards(part: Loaded) -> Iterator[range]:
    """The blocks of each of its shards."""
    numbers = blocks_of(part, compute.block)
    for first in range(numbers.start, numbers.stop, compute.shard):
        yield range(first, min(first + compute.shard, numbers.stop))


def count(
    part: Loaded, how: How, candidates: Sequence[Weights]
) -> tuple[np.ndarray, list[Weights]]:
    """The mistakes of each: how many, and what they weigh in each shard."""
    plain, weighted = np.zeros(len(candidates), dtype=np.int64), []
    for shard in shards(part):
        fold = Fold[Weights]()
        for b in shard:
            tally = Tally(candidates, None)
            block(part, how, b).add_mistakes(tally)
            plain += tally.plain
            fold.add(tally.weighted)
        weighted.append(fold.total())
    return plain, weighted


def weigh(part: Loaded, how: How) -> list[float]:
    """What the rows of each shard weigh; of X nothing is read."""
    found = []
    for shard in shards(part):
        each = (_weights(part, how, b) for b in shard)
        found.append(folded(float(in_order(c)) for c in each))
    return found


def _weights(part: Loaded, how: How, b: int) -> Weights:
    _, y = part.rows(b * compute.block, min((b + 1) * compute.block, part.end))
    c = targets.weigh(None, y, how.by_class)
    assert c is not None
    return c


def measure(part: Loaded, how: How) -> list[tuple[float, float]]:
    """How large the rows of each shard are: Σ c ‖x̃‖² and Σ c."""
    found = []
    for shard in shards(part):
        both = [block(part, how, b).size(intercept=how.intercept) for b in shard]
        with np.errstate(over="ignore"):  # whoever takes the mean looks
            found.append((folded(s.total for s in both), folded(s.weight for s in both)))
    return found


def fingerprints(part: Loaded, how: How) -> list[bytes]:
    """The hash of each 65,536 rows and their signs: `fingerprint` defines it."""
    return [
        fingerprint.of_block(some.rows.X, some.y if some.k is None else some.y + np.int32(1))
        for some in _hashed(part, how)
    ]


def weight_fingerprints(part: Loaded, how: How) -> list[bytes]:
    """The weights of each 65,536 rows, hashed."""
    return [
        fingerprint.of_weight_block(some.c) for some in _hashed(part, how) if some.c is not None
    ]


def _hashed(part: Loaded, how: How) -> Iterator[Examples]:
    for begin in range(part.begin, part.end, fingerprint.BLOCK):
        yield how.examples(part, begin, min(begin + fingerprint.BLOCK, part.end))


def rows(part: Loaded) -> tuple[Any, Any]:
    """All of them, to whoever asked: where they are few."""
    return part.rows(part.begin, part.end)


def labels(part: Loaded, k: int) -> list[int]:
    """How many rows each class has."""
    _, y = part.rows(part.begin, part.end)
    found = np.bincount((y > 0).astype(np.intp) if y.dtype == np.int8 else y, minlength=k)
    return [int(v) for v in found]


def predict(part: Loaded, w: Weights) -> NDArray[np.intp]:
    """The place of each row's label among the classes: a score of 0 or more is the second; of many
    classes the one with the highest score, of equal ones the first."""
    found = []
    for begin in range(part.begin, part.end, compute.block):
        X, _ = part.rows(begin, min(begin + compute.block, part.end))
        scores = Rows(X).scores(w)
        found.append(np.argmax(scores, axis=1) if w.ndim > 1 else (scores >= 0).astype(np.intp))
    return np.concatenate(found)
