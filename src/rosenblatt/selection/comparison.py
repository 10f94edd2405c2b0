"""One comparison: candidates learn on some rows, are evaluated on others, and one learns again.

They learn one after the other, with or without checkpoints.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning

from rosenblatt._model.probability import Probability
from rosenblatt._out_of_core.train import train
from rosenblatt._training.estimator import TrainedLinearClassifier
from rosenblatt._training.threshold import can_move, move_threshold, on_rows
from rosenblatt._util.files import Place, make_folder, place_of
from rosenblatt.data.target import FIFTHS
from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import alone, baseline, floor
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.folds import Indices, RowGroups, folds, rest
from rosenblatt.selection.out_of_sample import (
    Floats,
    OutOfSample,
    Threshold,
    Unit,
    probability_of,
    scores_of,
)

_FORGOTTEN = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Strengths of a penalty: what weights lose of themselves in an epoch, nearly."""

_SOON = 200_000  # numbers: those strengths are tried within half a second
ENOUGH = 10_000  # validation rows whose scores tell as much as folds would
_PLAIN = Unit(0.0, 1.0)  # scores as they are


@dataclass(frozen=True)
class Candidate:
    """A rule that was compared; with `cv` errors and rows are added up over the folds.

    Where a threshold is chosen, errors and cost are those at the threshold.
    """

    name: str
    estimator: Any  # fitted
    train_errors: int
    train_n: int
    validation_errors: int
    validation_n: int
    baseline: bool = False  # the floor: compared, not chosen
    notes: tuple[str, ...] = ()  # warnings of its training
    cost: float | None = None  # of its validation errors
    losses: Floats | None = field(default=None, repr=False, compare=False)  # by validation row
    out_of_sample: OutOfSample | None = field(
        default=None, repr=False, compare=False
    )  # of validation rows
    in_sample: OutOfSample | None = field(default=None, repr=False, compare=False)

    @property
    def loss(self) -> float:
        """What candidates are chosen by: the errors, or their cost."""
        return self.validation_errors if self.cost is None else self.cost

    @property
    def validation_rate(self) -> float:
        return self.validation_errors / self.validation_n


@dataclass(frozen=True)
class ComparisonRule:
    """Somebody else's rule, for comparison: it learned from the rows that the winner learned from,
    and was evaluated once, on the same test rows. Nothing is chosen by it."""

    name: str
    test_errors: int
    losses: Floats = field(repr=False, compare=False)  # by test row: what its answer costs
    column: str | None = None  # the only one that it uses
    label: Any = None  # the only one that it predicts

    @property
    def test_n(self) -> int:
        return len(self.losses)

    @property
    def cost(self) -> float:
        return float(self.losses.sum())

    def __add__(self, other: ComparisonRule) -> ComparisonRule:
        return ComparisonRule(
            self.name,
            self.test_errors + other.test_errors,
            np.concatenate([self.losses, other.losses]),
            self.column if self.column == other.column else None,
            self.label if self.label == other.label else None,
        )


@dataclass(frozen=True)
class Refitted:
    """A rule with its threshold; scores are those of `estimator`, threshold included."""

    estimator: Any
    preprocessor: Any
    notes: tuple[str, ...]
    unit: Unit = _PLAIN
    out_of_sample: OutOfSample | None = None
    probability: Probability | None = None
    moved: Threshold = 0.0
    retrained: bool = False

    def probabilities(self, scores: Floats | None) -> Floats | None:
        if scores is None or self.probability is None:
            return None
        return self.probability.of(scores)


@final
@dataclass
class Comparison:
    """What is compared, on which rows, by which criterion."""

    X: Any
    y: NDArray[Any]
    candidates: dict[str, Any]
    preprocessor: Any
    groups: RowGroups | None
    times: Floats | None  # rows are divided by
    random_state: int
    confidence: float
    criterion: Criterion
    training: Training
    beside: Comparison | None = None  # what is tested on the same rows, and never chosen
    failed: dict[str, str] = field(default_factory=dict)  # of that, and why

    def __post_init__(self) -> None:
        self.classes = np.unique(self.y)
        always = baseline(len(self.classes))
        self.rules = {always: DummyClassifier(strategy="most_frequent")} | self.candidates
        self.floor = floor(self.rules)

    @property
    def other_fits(self) -> int:
        """Of what is beside it, for one test: where thresholds are chosen, each learns twice."""
        rules = 0 if self.beside is None else len(self.beside.candidates)
        return rules * (2 if self.criterion.moves else 1)

    def compare(self, train: Indices, validation: Indices) -> tuple[Any, list[Candidate]]:
        """All candidates, fitted on `train`; those done so far if Ctrl-C came."""
        preprocessor = self.prepared(train)
        parts = (
            (self.rows(train, preprocessor), self.y[train]),
            (self.rows(validation, preprocessor), self.y[validation]),
        )
        candidates = []
        for name in self.rules:
            rule = self.rule_for(name, train)
            if self.training.interrupted:
                break
            try:
                fitted, notes = self.training.fit(name, rule, *parts[0])
                if fitted is not None:
                    candidates.append(self._counted(name, fitted, notes, *parts))
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        return preprocessor, candidates

    def rule_for(self, name: str, rows: Indices) -> Any:
        """The rule of this name, to be fitted to these rows: that which is preferred with the
        penalty on its weights that is best in folds of them, or none."""
        rule = clone(self.rules[name])
        if name == self.criterion.prefers and self.times is None:
            try:
                rule.set_params(**self._penalty(rule, rows))
            except (InputError, ValueError):  # folds that lack a label, or large groups
                pass
            except KeyboardInterrupt:
                self.training.interrupted = True
        return rule

    def _penalty(self, rule: Any, rows: Indices) -> dict[str, Any]:
        X = taken(self.X, rows)
        if (X.nnz if hasattr(X, "nnz") else X.shape[0] * X.shape[1]) > _SOON:
            return {}
        folds = []
        parts = self.folds(rows, FIFTHS)
        for i, part in enumerate(parts):
            train = rest(parts, [i])
            preprocessor = self.prepared(train)
            X, X_val = (self.rows(some, preprocessor) for some in (train, part))
            folds.append((X, self.y[train], X_val, self.y[part]))
        tried: list[tuple[float, dict[str, Any]]] = []
        for share in _FORGOTTEN:
            penalty = {"penalty": "l2", "alpha": share / len(rows)} if share else {}
            tried.append((self._loss(clone(rule).set_params(**penalty), folds), penalty))
            best = min(tried, key=itemgetter(0))
            if tried.index(best) < len(tried) - 2:
                break
        return best[1]

    def _loss(self, rule: Any, folds: list[tuple[Any, Any, Any, Any]]) -> float:
        """In all folds, each at the threshold that would be chosen."""
        labels, predicted, scored = [], [], []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for X, y, X_val, y_val in folds:
                rule.fit(X, y)
                labels.append(y_val)
                predicted.append(rule.predict(X_val))
                if self.criterion.moves:
                    scored.append(self.scored(rule, X, X_val, y_val))
        if scored:
            all_of_them = OutOfSample.joined(scored)
            costs = self.criterion.costs_in(all_of_them.counts)
            return float(all_of_them.costs(self.criterion.cheapest(all_of_them), costs).sum())
        of_rows = np.concatenate(labels), np.concatenate(predicted)
        return float(self.criterion.row_costs(*of_rows, self.classes).sum())

    def tested_beside(self, learned_from: Indices, test: Indices) -> list[ComparisonRule]:
        return [] if self.beside is None else self.beside.tested(learned_from, test)

    def tested(self, learned_from: Indices, test: Indices) -> list[ComparisonRule]:
        """All candidates, without a choice. A rule that cannot be fitted is left out: nothing
        depends on it."""
        tested = []
        for name in self.candidates:
            if self.training.interrupted:
                break
            try:
                with alone():
                    predicted = self._predicted(name, learned_from, test)
            except KeyboardInterrupt:
                self.training.interrupted = True
            except Exception as error:  # whatever somebody else's code raises
                self.failed[name] = f"it failed: {type(error).__name__}"
            else:
                if predicted is not None:
                    (answers, rule), labels = predicted, self.y[test]
                    losses = self.criterion.row_costs(labels, answers, self.classes)
                    wrong = int((answers != labels).sum())
                    column, said = getattr(rule, "column_", None), np.unique(answers)
                    label = said[0] if len(said) == 1 else None
                    tested.append(ComparisonRule(name, wrong, losses, column, label))
        return tested

    def _predicted(self, name: str, rows: Indices, test: Indices) -> tuple[Any, Any] | None:
        """Labels, and the rule that gave them; None after Ctrl-C. A threshold is chosen, where one
        is, on a fifth that did not train."""
        held_out = None
        if self.criterion.moves:
            fewest = int(np.unique(self.y[rows], return_counts=True)[1].min())
            fifths = self.folds(rows, max(2, min(FIFTHS, fewest)))
            trained = self._fitted(name, rest(fifths, [0]))
            if trained is None:
                return None
            fitted, preprocessor, X = trained
            labels = self.y[fifths[0]]
            held_out = self.scored(fitted, X, self.rows(fifths[0], preprocessor), labels)
        trained = self._fitted(name, rows)
        if trained is None:
            return None
        fitted, preprocessor, X = trained
        X_test = self.rows(test, preprocessor)
        if held_out is None:
            return fitted.predict(X_test), fitted
        own = Unit.of(scores_of(fitted, X)).scores(held_out.scores)
        threshold = self.criterion.cheapest(OutOfSample(own, held_out.codes))
        scored = OutOfSample(scores_of(fitted, X_test), np.searchsorted(self.classes, self.y[test]))
        return self.classes[scored.called(threshold)], fitted

    def _fitted(self, name: str, rows: Indices) -> tuple[Any, Any, Any] | None:
        rule, preprocessor = self.rule_for(name, rows), self.prepared(rows)
        if self.training.interrupted:
            return None
        X = self.rows(rows, preprocessor)
        fitted, _ = self.training.fit(name, rule, X, self.y[rows], kept=False)
        return None if fitted is None else (fitted, preprocessor, X)

    def _counted(
        self,
        name: str,
        rule: Any,
        notes: tuple[str, ...],
        train: tuple[Any, Any],
        validation: tuple[Any, Any],
    ) -> Candidate:
        (X, y), (X_val, y_val) = train, validation
        predicted = rule.predict(X_val)
        has_scores = not isinstance(rule, DummyClassifier)
        return Candidate(
            name,
            rule,
            int((rule.predict(X) != y).sum()),
            len(y),
            int((predicted != y_val).sum()),
            len(y_val),
            name in self.floor,
            notes,
            losses=self.criterion.row_costs(y_val, predicted, self.classes),
            out_of_sample=self.scored(rule, X, X_val, y_val) if has_scores else None,
            in_sample=self.scored(rule, X, X, y) if has_scores and self.criterion.moves else None,
        )

    def scored(self, rule: Any, X: Any, X_val: Any, y_val: Any) -> OutOfSample:
        """Scores in units of those of the rows X that trained it."""
        unit = Unit.of(scores_of(rule, X))
        codes = np.searchsorted(self.classes, y_val)
        return OutOfSample(unit.measured(scores_of(rule, X_val)), codes)

    def chosen(self, candidates: list[Candidate]) -> tuple[Candidate, Candidate | None]:
        """The winner, and who was passed over. `candidates` get their losses."""
        candidates[:] = [self.criterion.evaluated(c) for c in candidates]
        return self.criterion.best(candidates)

    def folds(self, rows: Indices, k: int) -> list[Indices]:
        groups = None if self.groups is None else self.groups.of(rows)
        return [rows[part] for part in folds(self.y[rows], k, groups, self.random_state)]

    def prepared(self, rows: Indices) -> Any:
        return (
            None if self.preprocessor is None else clone(self.preprocessor).fit(taken(self.X, rows))
        )

    def rows(self, part: Indices, preprocessor: Any) -> Any:
        X = taken(self.X, part)
        return X if preprocessor is None else preprocessor.transform(X)

    # --- From the winner to the rule that is tested: its rows, threshold, probability ---

    def with_threshold(
        self,
        rule: Any,
        X: Any,
        y: Any,
        preprocessor: Any,
        out_of_sample: OutOfSample | None,
        **more: Any,
    ) -> Refitted:
        """The rule, fitted on X and y, with the threshold that rows which it has not seen call for.

        Scores of `out_of_sample` are in the units of whichever rule gave them: they carry over to
        this one by its own unit.
        """
        if out_of_sample is None:
            return Refitted(rule, preprocessor, **more)
        unit = Unit.of(scores_of(rule, X))
        own = OutOfSample(unit.scores(out_of_sample.scores), out_of_sample.codes)
        threshold: Threshold = 0.0
        if self.criterion.moves and can_move(rule):
            threshold = self.criterion.cheapest(own)
        if np.any(threshold):
            move_threshold(rule, threshold, on_rows(X, y))
        return Refitted(
            rule,
            preprocessor,
            unit=unit.lowered(threshold),
            out_of_sample=own.lowered(threshold),
            probability=probability_of(own).lowered(threshold),
            moved=threshold,
            **more,
        )

    def refit(self, winner: Candidate, train: Indices, validation: Indices) -> Refitted | None:
        """The winner, fitted on training and validation rows; None where Ctrl-C came before it was.

        Its threshold and its probabilities are those of folds of these rows, each scored by a rule
        that learned from the others; of very many validation rows, and where rows are divided by
        time, of their scores by the compared rule.
        """
        both = np.sort(np.concatenate([train, validation]))
        out_of_sample = winner.out_of_sample
        clean = self.rule_for(winner.name, both)
        if self.training.interrupted:
            return None
        if len(validation) < ENOUGH and self.times is None:
            out_of_sample = self._by_folds(winner.name, clean, both) or out_of_sample
        if self.training.interrupted:
            return None
        preprocessor = self.prepared(both)
        X, y = self.rows(both, preprocessor), self.y[both]
        rule, notes = self.training.fit(f"{winner.name}, again", clean, X, y)
        if rule is None or self.training.interrupted:
            return None
        return self.with_threshold(
            rule, X, y, preprocessor, out_of_sample, notes=notes, retrained=True
        )

    def _by_folds(self, name: str, rule: Any, rows: Indices) -> OutOfSample | None:
        fewest = int(np.unique(self.y[rows], return_counts=True)[1].min())
        try:
            parts = self.folds(rows, min(FIFTHS, fewest))
        except (InputError, ValueError):  # groups that are too large, or a label that is too rare
            return None
        scored = []
        for i, part in enumerate(parts):
            train = rest(parts, [i])
            preprocessor = self.prepared(train)
            X, labels = self.rows(train, preprocessor), self.y[train]
            title = f"{name}, fold {i + 1}"
            fitted, _ = self.training.fit(title, clone(rule), X, labels, kept=False)
            if fitted is None or self.training.interrupted:
                return None
            X_out = self.rows(part, preprocessor)
            scored.append(self.scored(fitted, X, X_out, self.y[part]))
        return OutOfSample.joined(scored)


def more_fits(validation: int) -> int:
    """How many times the winner is fitted once more: at most."""
    return 1 + (FIFTHS if validation < ENOUGH else 0)


def majority_of(baseline: Candidate) -> Any:
    """The label that it always says."""
    rule = baseline.estimator
    label = rule.classes_[int(np.argmax(rule.class_prior_))]
    return label.item() if isinstance(label, np.generic) else label


def taken(X: Any, rows: Indices) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


# --- Training ------------------------------------------------------------------------------------


Progress = Callable[[int, int, str], None]
Trained = Callable[[Any, Any, Any, int], None]  # fits a rule to rows, the k-th one


def trained_with(checkpoint: Any, every: float) -> Trained:
    """How a candidate is fitted to rows in memory; `checkpoint` is a folder or None."""
    if checkpoint is None:
        return _fit
    folder = place_of(checkpoint)
    make_folder(folder)
    return partial(_fit_and_keep, folder, every)


def checkpoint_of(folder: Place, number: int) -> Place:
    """The file that keeps where the training of this number stands."""
    return folder / f"{number}.checkpoint"


def _fit(rule: Any, X: Any, y: Any, number: int) -> None:
    rule.fit(X, y)


def _fit_and_keep(folder: Place, every: float, rule: Any, X: Any, y: Any, number: int) -> None:
    """With a checkpoint for each perceptron, named by its number in the comparison."""
    if not isinstance(rule, TrainedLinearClassifier):
        rule.fit(X, y)
        return
    rule.set_params(warm_start=False)  # the checkpoint goes on, and it is a clone anyway
    train(rule, (X, y), checkpoint=checkpoint_of(folder, number), checkpoint_every=every)


@final
class Training:
    """Fits rules, counts them, says which one is under way, and keeps what Ctrl-C left."""

    def __init__(self, trained: Trained, progress: Progress | None, total: int):
        self.trained, self.progress = trained, progress
        self.done, self.total = 0, total
        self.interrupted = False

    def fit(
        self, name: str, rule: Any, X: Any, y: Any, *, kept: bool = True
    ) -> tuple[Any, tuple[str, ...]]:
        """The rule, fitted, and what it warned of; None where Ctrl-C came before there was one.

        `kept=False`: of few rows, soon done again, and without a checkpoint.
        """
        trained = self.trained if kept else _fit
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if self.progress is not None:
                    self.progress(self.done, self.total, name)
                trained(rule, X, y, self.done)
            except KeyboardInterrupt:
                self.interrupted = True
                rule = rule if _is_left_fitted(rule) else None
        self.done += 1
        notes = []
        for warning in caught:
            if issubclass(warning.category, ConvergenceWarning):  # said of the candidate instead
                notes.append(str(warning.message))
            else:
                warnings.warn(warning.message, warning.category, stacklevel=5)
        return rule, tuple(notes)


def _is_left_fitted(rule: Any) -> bool:
    """Our estimators are left with the best so far when Ctrl-C comes; nobody knows of others."""
    return type(rule).__module__.startswith("rosenblatt.") and hasattr(rule, "classes_")
