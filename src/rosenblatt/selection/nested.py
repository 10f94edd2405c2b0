"""Nested cross-validation: each row is tested once, by a rule that never saw it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt.selection.contest import Contest, majority_of
from rosenblatt.selection.folds import Indices, folds, rest
from rosenblatt.selection.result import Candidate, Floats, Selection, SelectionInterrupted
from rosenblatt.selection.settling import Settled, settled
from rosenblatt.selection.unseen import Unit, Unseen


def nested(contest: Contest, k: int) -> Selection:
    """Each of k folds is tested by the winner of a cross-validation on all others."""
    y, training = contest.y, contest.training
    every = np.arange(len(y))
    outer = folds(y, k, contest.groups, contest.seed)
    training.total = (k + 1) * (k * len(contest.rules) + 1) + k * len(contest.peers)
    whole = _cross_validated(contest, every, k, peers=True)
    if whole is None:
        raise SelectionInterrupted(None)
    found, winner, passed_over, final = whole
    tested, scored, always = _Tested(contest, final.unit), [], 0
    for i, part in enumerate(outer):
        inner = None
        if not training.interrupted:
            inner = _cross_validated(contest, rest(outer, [i]), k, peers=False)
        if inner is None or training.interrupted:
            break
        tested.add(part, inner[-1])
        always += int((y[part] != majority_of(inner[0][0])).sum())
        scored.append(part)
    test = np.concatenate([every[:0], *scored])
    selection = Selection(
        found,
        winner,
        final.prepare,
        majority_of(found[0]),
        every,
        every,
        test,
        y[test],
        np.concatenate([y[:0], *tested.predicted]),
        always,
        contest.confidence,
        contest.seed,
        contest.judge,
        cv=k,
        interrupted=training.interrupted,
        passed_over=passed_over,
        failed=contest.failed,
        scores=_joined(tested.scores),
        probabilities=_joined(tested.probabilities),
        unseen=final.unseen,
        probability=final.probability,
        moved=final.moved,
    )
    if training.interrupted:
        raise SelectionInterrupted(selection)
    return selection


class _Tested:
    """What the rules of the outer folds say of their test rows; scores in units of one of them."""

    def __init__(self, contest: Contest, unit: Unit):
        self.contest, self.unit = contest, unit
        self.predicted: list[Any] = []
        self.scores: list[Floats | None] = []
        self.probabilities: list[Floats | None] = []

    def add(self, part: Indices, by: Settled) -> None:
        X = self.contest.rows(part, by.prepare)
        self.predicted.append(by.estimator.predict(X))
        scores = self.contest.scores(by.estimator, X)
        self.probabilities.append(by.probabilities(scores))
        if scores is not None:
            scores = self.unit.scores(by.unit.measured(scores))
        self.scores.append(scores)


def _joined(parts: list[Floats | None]) -> Floats | None:
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there else None


def _cross_validated(
    contest: Contest, rows: Indices, k: int, *, peers: bool
) -> tuple[list[Candidate], Candidate, Candidate | None, Settled] | None:
    """The candidates with errors added up over k folds; the best, fitted to all these rows."""
    groups = None if contest.groups is None else contest.groups[rows]
    parts = [rows[part] for part in folds(contest.y[rows], k, groups, contest.seed)]
    rounds = []
    for i in range(k):
        rounds.append(contest.compare(rest(parts, [i]), parts[i], peers=peers)[1])
        if contest.training.interrupted:
            return None
    by_name = [{c.name: c for c in one} for one in rounds]
    everywhere = [c.name for c in rounds[0] if all(c.name in one for one in by_name)]
    found = [_added([one[name] for one in by_name]) for name in everywhere]
    winner, passed_over = contest.chosen(found)
    prepare = contest.prepared(rows)
    given = clone(contest.rules[winner.name])
    X, y = contest.rows(rows, prepare), contest.y[rows]
    rule, notes = contest.training.fit(winner.name, given, X, y)
    if rule is None:
        return None
    final = settled(contest, rule, X, y, prepare, winner.unseen, notes=notes)
    place = next(i for i, c in enumerate(found) if c is winner)
    found[place] = winner = replace(winner, estimator=rule, notes=notes)
    return found, winner, passed_over, final


def _added(same: list[Candidate]) -> Candidate:
    """One candidate over all folds."""
    fields = ("train_errors", "train_n", "validation_errors", "validation_n")
    sums = {name: sum(getattr(c, name) for c in same) for name in fields}
    notes = tuple(dict.fromkeys(note for c in same for note in c.notes))
    return replace(
        same[0],
        notes=notes,
        losses=_joined([c.losses for c in same]),
        unseen=_pooled([c.unseen for c in same]),
        seen=_pooled([c.seen for c in same]),
        **sums,
    )


def _pooled(parts: list[Unseen | None]) -> Unseen | None:
    there = [part for part in parts if part is not None]
    return Unseen.joined(there) if there else None
