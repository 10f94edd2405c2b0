"""What workers do in training: pure functions of a partition and of small arguments.

What is summed comes back folded by shard: whoever asks folds on, in the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Examples, Rows, Tally, Weights
from rosenblatt._core.summation import Fold, folded, in_order
from rosenblatt._core.update_log import Log
from rosenblatt._out_of_core.partitions import Epoch, Labelling, Partition
from rosenblatt._training.learner import Look, Primal, PrimalMemory, numbers_read
from rosenblatt._training.linear_rule import SeparateVoters, Voters
from rosenblatt._training.orders import Share, parts_of, shard_order, share_of
from rosenblatt._training.state import Memory
from rosenblatt._util.progress import check_interrupt


class Steps(NamedTuple):
    """What learns from the rows of a block, and how."""

    labelling: Labelling
    rule: UpdateRule

    def learner(self, examples: Examples, log: Log | None) -> Primal:
        learner = Primal(examples, self.rule)
        learner.log = log
        return learner


class Stretch(NamedTuple):
    """Blocks that are visited one after the other."""

    blocks: list[tuple[int, int, int]]  # number, first place and the one behind the last
    following: int  # the block that comes then

    @property
    def rows(self) -> int:
        return sum(end - place for _, place, end in self.blocks)


def in_turn(
    partition: Partition, labelling: Labelling, numbers: Iterable[int]
) -> Iterator[tuple[int, Examples]]:
    coming = list(numbers)
    for b, following in zip(coming, [*coming[1:], None], strict=True):
        check_interrupt()
        block = partition.block(labelling, b)
        if following is not None:
            partition.expect(following)
        yield b, block


def chunk(partition: Partition, labelling: Labelling) -> int:
    return int(partition.block(labelling, partition.blocks.start).chunk)


def visit(
    partition: Partition,
    steps: Steps,
    memory: PrimalMemory,
    epoch: Epoch,
    stretch: Stretch,
    max_updates: int,
    visits: int,
    log: Log | None,
) -> tuple[PrimalMemory, int, int]:
    memory, made, updates = memory.copy(), 0, 0
    following = [*(b for b, _, _ in stretch.blocks[1:]), stretch.following]
    for (b, place, end), then in zip(stretch.blocks, following, strict=True):
        block = partition.block(steps.labelling, b)
        if then in partition.blocks:
            partition.expect(then)
        order, counts = partition.visits(epoch, b, block)
        learner = steps.learner(block, log)
        within = Memory(memory.w, memory.correction, counts, memory.precision)
        at, before = place, memory.updates
        while at < end and updates < max_updates:
            behind, most = min(at + block.chunk, end), max_updates - updates
            within.updates = before + updates
            reached, more = learner.visit(within, order, at, behind, most, visits + made)
            made, updates, at = made + reached - at, updates + more, reached
        # They may lie otherwise now: as these rows read them.
        memory = replace(within, counts=memory.counts, updates=before)
        if updates >= max_updates:
            break
    return memory, made, updates


def mix(
    partition: Partition,
    steps: Steps,
    w: Weights,
    epoch: Epoch,
    shards: range,
    n: int,
    averaged: bool,
    log: Log | None,
) -> list[Share]:
    shares = []
    for shard in partition.shards:
        s = shard.start // compute.shard
        if s not in shards:
            continue
        numbers = shard_order(n, s, epoch.seed, epoch.number)
        blocks = in_turn(partition, steps.labelling, numbers)
        parts = parts_of(blocks, steps.rule, epoch.seed, epoch.number)
        shares.append(share_of(parts, w, averaged=averaged, log=log))
    return shares


class Descent(NamedTuple):
    """What rows call for under the same weights."""

    of_shards: list[Weights]
    mistakes: int
    noted: list[tuple[Look, NDArray[Any]]]  # of each block, with its labels, where it is logged


def descend(partition: Partition, steps: Steps, w: Weights, log: Log | None) -> Descent:
    """Nothing is logged yet."""
    descent = Descent([], 0, [])
    for shard in partition.shards:
        fold = Fold[Weights]()
        for _, block in in_turn(partition, steps.labelling, shard):
            look = steps.learner(block, log).look(w)
            fold.add(look.step)
            descent = descent._replace(mistakes=descent.mistakes + len(look.rows))
            if log is not None:
                descent.noted.append((look, block.y))
        descent.of_shards.append(fold.total())
    return descent


def count(
    partition: Partition,
    labelling: Labelling,
    candidates: Sequence[Weights],
    limits: list[float] | None,
) -> tuple[NDArray[np.int64], list[Weights]]:
    """One that reaches its limit in a shard weighs infinitely much, and is not counted on."""
    limit = np.full(len(candidates), np.inf) if limits is None else np.array(limits)
    plain, weighted = np.zeros(len(candidates), dtype=np.int64), list[Weights]()
    out = np.zeros(len(candidates), dtype=bool)
    for shard in partition.shards:
        tally = Tally(candidates, np.where(out, -np.inf, limit).tolist())
        for _, block in in_turn(partition, labelling, shard):
            if not block.add_mistakes(tally):
                break
        plain += tally.plain
        out |= tally.weighted >= limit
        weighted.append(np.where(out, np.inf, tally.weighted))
        if out.all():
            break
    return plain, weighted


def numbers_of_votes(partition: Partition, labelling: Labelling, vectors: int, most: int) -> int:
    read = 0
    for _, block in in_turn(partition, labelling, partition.blocks):
        read += vectors * numbers_read(block.rows)
        if read > most:
            break
    return read


def vote_mistakes(
    partition: Partition, labelling: Labelling, voters: Voters | SeparateVoters
) -> int:
    blocks = in_turn(partition, labelling, partition.blocks)
    return sum(block.mistakes(voters.scores(block.rows)) for _, block in blocks)


def weigh(partition: Partition, labelling: Labelling) -> list[float]:
    def weight(b: int) -> float:
        c = labelling.weights(partition.block_rows(b)[1])
        assert c is not None
        return float(in_order(c))

    return [folded(map(weight, shard)) for shard in partition.shards]


def measure(
    partition: Partition, labelling: Labelling, intercept: bool
) -> list[tuple[float, float]]:
    """Σ c ‖x̃‖² and Σ c of each shard."""
    sizes = []
    for shard in partition.shards:
        blocks = in_turn(partition, labelling, shard)
        both = [block.size(intercept=intercept) for _, block in blocks]
        with np.errstate(over="ignore"):  # whoever takes the mean looks
            sizes.append((folded(s.total for s in both), folded(s.weight for s in both)))
    return sizes


def count_classes(partition: Partition, k: int) -> list[int]:
    _, y = partition.rows(partition.begin, partition.end)
    counts = np.bincount((y > 0).astype(np.intp) if y.dtype == np.int8 else y, minlength=k)
    return [int(rows) for rows in counts]


def predict(partition: Partition, w: Weights) -> NDArray[np.intp]:
    """Places of labels among the classes: a score of 0 or more is the second; of equal ones the
    first."""
    predictions = []
    for b in partition.blocks:
        X, _ = partition.block_rows(b)
        if b + 1 < partition.blocks.stop:
            partition.expect(b + 1)
        scores = Rows(X).scores(w)
        predictions.append(
            np.argmax(scores, axis=1) if w.ndim > 1 else (scores >= 0).astype(np.intp)
        )
    return np.concatenate(predictions)
