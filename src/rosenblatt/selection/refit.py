"""From the winner of a comparison to the rule that is tested: its rows, threshold, probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt._model.probability import Platt
from rosenblatt._training.threshold import can_move, move_threshold, on_rows
from rosenblatt.errors import InputError
from rosenblatt.selection.comparison import Contest
from rosenblatt.selection.folds import FIFTHS, Indices, folds, rest
from rosenblatt.selection.out_of_sample import Unit, Unseen, platt, scores_of
from rosenblatt.selection.result import Candidate, Floats

ENOUGH = 10_000  # validation rows whose scores tell as much as folds would
_PLAIN = Unit(0.0, 1.0)  # scores as they are


@dataclass(frozen=True)
class Settled:
    """A rule with its threshold; scores are those of `estimator`, threshold included."""

    estimator: Any
    prepare: Any
    notes: tuple[str, ...]
    unit: Unit = _PLAIN
    unseen: Unseen | None = None
    probability: Platt | None = None
    moved: float = 0.0
    retrained: bool = False

    def probabilities(self, scores: Floats | None) -> Floats | None:
        if scores is None or self.probability is None:
            return None
        return self.probability.of(scores)


def settled(
    contest: Contest, rule: Any, X: Any, y: Any, prepare: Any, unseen: Unseen | None, **more: Any
) -> Settled:
    """The rule, fitted on X and y, with the threshold that rows which it has not seen call for.

    Scores of `unseen` are in the units of whichever rule gave them: they carry over to this one by
    its own unit.
    """
    if unseen is None:
        return Settled(rule, prepare, **more)
    unit = Unit.of(scores_of(rule, X))
    own = Unseen(unit.scores(unseen.scores), unseen.second)
    threshold = 0.0
    if contest.judge.moves and can_move(rule):
        threshold = own.cheapest(contest.judge.prices)
    if threshold:
        move_threshold(rule, threshold, on_rows(X, y))
    return Settled(
        rule,
        prepare,
        unit=unit.lowered(threshold),
        unseen=Unseen(own.scores - threshold, own.second),
        probability=platt(own).lowered(threshold),
        moved=threshold,
        **more,
    )


def more_fits(contest: Contest, validation: int) -> int:
    """How many times the winner is fitted once more: at most."""
    return 1 + (FIFTHS if contest.two and validation < ENOUGH else 0)


def retrained(
    contest: Contest, winner: Candidate, train: Indices, validation: Indices
) -> Settled | None:
    """The winner, fitted on training and validation rows; None where Ctrl-C came before it was.

    Its threshold and its probabilities are those of folds of these rows, each scored by a rule that
    learned from the others; of very many validation rows, of their scores by the compared rule.
    """
    both = np.sort(np.concatenate([train, validation]))
    unseen = winner.unseen
    if contest.two and len(validation) < ENOUGH:
        unseen = _by_folds(contest, winner.name, both) or unseen
    if contest.training.interrupted:
        return None
    prepare = contest.prepared(both)
    X, y = contest.rows(both, prepare), contest.y[both]
    given = clone(contest.rules[winner.name])
    rule, notes = contest.training.fit(f"{winner.name}, again", given, X, y)
    if rule is None or contest.training.interrupted:
        return None
    return settled(contest, rule, X, y, prepare, unseen, notes=notes, retrained=True)


def _by_folds(contest: Contest, name: str, rows: Indices) -> Unseen | None:
    """None where the rows cannot be divided."""
    groups = None if contest.groups is None else contest.groups[rows]
    fewest = int(np.unique(contest.y[rows], return_counts=True)[1].min())
    try:
        parts = [
            rows[part] for part in folds(contest.y[rows], min(FIFTHS, fewest), groups, contest.seed)
        ]
    except (InputError, ValueError):  # groups that are too large, or a label that is too rare
        return None
    found = []
    for i, part in enumerate(parts):
        train = rest(parts, [i])
        prepare = contest.prepared(train)
        X, given = contest.rows(train, prepare), clone(contest.rules[name])
        name_of_it = f"{name}, fold {i + 1}"
        rule, _ = contest.training.fit(name_of_it, given, X, contest.y[train], kept=False)
        if rule is None or contest.training.interrupted:
            return None
        found.append(contest.unseen(rule, X, contest.rows(part, prepare), contest.y[part]))
    return Unseen.joined(found)
