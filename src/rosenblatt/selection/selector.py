"""`select`, and its answer: train, choose on validation, test once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.checkpoint import EVERY
from rosenblatt._model.probability import Probability
from rosenblatt._util.text import many, named
from rosenblatt._validation import parameters
from rosenblatt.data.target import FIFTHS, too_rare
from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import baseline
from rosenblatt.selection.candidates import candidates as usual
from rosenblatt.selection.comparison import (
    Candidate,
    Comparison,
    ComparisonRule,
    Progress,
    Refitted,
    Training,
    majority_of,
    more_fits,
    trained_with,
)
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.folds import Indices, RowGroups, by_time, rest, row_groups
from rosenblatt.selection.measures import LEAST_GROUPS, clopper_pearson, error_interval
from rosenblatt.selection.out_of_sample import Floats, OutOfSample, Threshold, Unit, scores_of


@dataclass(frozen=True)
class Selection:
    """The answer of `select`.

    Attributes
    ----------
    candidates : list of Candidate
        In the order given, the largest class before them.
    winner : Candidate
        The fewest validation errors, or the lowest cost; on a tie one with weights, then averaged
        ones, then the fewest training errors, then the first. The floor is not chosen: the largest
        class, and a RandomLinearClassifier beside other candidates.
    comparison_rules : list of ComparisonRule
        Their errors on the test rows; they learned from the rows that the winner learned from.
    passed_over : Candidate or None
        It would have won, but by less than one standard error against a rule with weights that can
        be shown, or than two against the one that the criterion names.
    estimator : estimator
        The winner, fitted on the rows in `fitted_on`.
    preprocessor : transformer or None
        Fitted on the rows that the winner was fitted on: rows go through it first.
    fitted_on : array of int
        The training rows; those and the validation rows with `retrain`; all rows with `cv`.
    test_errors, test_n : int
        The winner's errors on rows that neither trained nor chose it. With `cv` those of the whole
        procedure, each row predicted by a rule that never saw it.
    interval : tuple of float, or None
        For the error rate: Clopper-Pearson, which takes rows as independent. Where rows are in
        groups, or many are repeated, Korn-Graubard by group; None with fewer than 5 groups. With
        `cv` it is approximate.
    majority, majority_errors : label, int
        The largest class of the training rows, and the errors of always saying it, on these rows.
    train, validation, test : arrays of int
        The rows. With `cv` all rows are in the first two, and those tested so far in the third.
    predictions : array
        The labels predicted for the rows in `test`.
    scores : array or None
        Of the rows in `test`; with `cv` in the units of the estimator, whichever rule gave them. Of
        more than two classes a column for each, whose mean in each row is 0.
    probabilities : array or None
        Of the second class, for the rows in `test`; of more than two classes of each.
    out_of_sample : OutOfSample or None
        Scores of rows that chose the threshold, in the units of the estimator: each by a rule that
        had not seen its row.
    moved : float or array
        How much the threshold was moved from where it was learned; the estimator has it already. Of
        more than two classes how much the score of each was lowered.
    probability : Platt, Softmax or None
        From a score of the estimator to the probability of the second class, or from the scores of
        more than two classes to their probabilities.
    criterion : Criterion
        What a wrong answer costs.
    groups : RowGroups or None
        Which rows stayed in one part: those of a group, and equal ones.
    times : array or None
        By which the rows were divided.
    """

    candidates: list[Candidate]
    winner: Candidate
    preprocessor: Any
    majority: Any
    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]
    labels: NDArray[Any] = field(repr=False)  # of the rows in `test`
    predictions: NDArray[Any] = field(repr=False)
    majority_errors: int
    confidence: float
    random_state: int
    criterion: Criterion
    cv: int | None = None
    interrupted: bool = False
    retrained: bool = False
    passed_over: Candidate | None = None
    comparison_rules: list[ComparisonRule] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # comparison rules, and why
    scores: Floats | None = field(default=None, repr=False)
    probabilities: Floats | None = field(default=None, repr=False)
    out_of_sample: OutOfSample | None = field(default=None, repr=False)
    probability: Probability | None = None
    moved: Threshold = 0.0
    groups: RowGroups | None = field(default=None, repr=False)
    times: Floats | None = field(default=None, repr=False)

    @property
    def fitted_on(self) -> NDArray[np.intp]:
        if not self.retrained or self.cv:
            return self.train
        return np.sort(np.concatenate([self.train, self.validation]))

    @property
    def estimator(self) -> Any:
        return self.winner.estimator

    @property
    def test_n(self) -> int:
        return len(self.test)

    @property
    def test_errors(self) -> int:
        return int((self.predictions != self.labels).sum())

    @property
    def test_groups(self) -> Indices | None:
        """The group of each test row, where intervals are by group."""
        return self._groups_of(self.test)

    def _groups_of(self, rows: Indices) -> Indices | None:
        return None if self.groups is None or not self.groups.dependent else self.groups.codes[rows]

    @property
    def interval(self) -> tuple[float, float] | None:
        return error_interval(self.predictions != self.labels, self.test_groups, self.confidence)

    @property
    def interval_method(self) -> str:
        return "Clopper-Pearson" if self.test_groups is None else "Korn-Graubard, by group"

    @property
    def interval_words(self) -> str:
        if self.interval is None:
            assert self.test_groups is not None
            of = many(len(np.unique(self.test_groups)), "group")
            return f"no interval, since the test rows are in {of}, and {LEAST_GROUPS} are needed"
        return self.words_of(*(f"{end:.1%}" for end in self.interval))

    def words_of(self, lo: str, hi: str) -> str:
        """An interval, and how far it can be believed."""
        kind = "" if self.test_groups is None else " by group"
        rough = "approximate " if self.cv else ""
        return f"{rough}{100 * self.confidence:g}% interval{kind} {lo} to {hi}"

    @property
    def sentence(self) -> str:
        """The error, in words."""
        return (
            f"{self.test_errors:,} of {self.test_n:,} test rows are wrong: "
            f"{self.test_errors / self.test_n:.1%}, {self.interval_words}; always saying "
            f"{named(self.majority)} is wrong on {self.majority_errors:,}."
        )

    @property
    def validation_interval(self) -> tuple[float, float] | None:
        """That of the winner's error on the rows that chose it; None for folds."""
        winner = self.winner
        if self.cv:
            return None
        groups = self._groups_of(self.validation)
        if groups is None:
            return clopper_pearson(winner.validation_errors, winner.validation_n, self.confidence)
        if winner.losses is None:
            return None
        return error_interval(winner.losses > 0, groups, self.confidence)

    @property
    def copies_in_test(self) -> int:
        """Test rows with a copy among those that the winner learned from: there should be none."""
        if self.groups is None or self.groups.given or self.cv:
            return 0
        codes = self.groups.codes
        return int(np.isin(codes[self.test], codes[self.fitted_on]).sum())

    @property
    def optimism(self) -> str:
        """Why the winner's validation error is no estimate."""
        winner, compared = self.winner, sum(not c.baseline for c in self.candidates)
        if compared < 2:
            return "Only one candidate was given, so nothing was chosen on the validation rows."
        low = "it is the lowest" if self.passed_over is None else "nearly the lowest is chosen"
        return (
            f"{self._chosen_by(winner)} is too optimistic on average, as {low} of {compared} "
            "(baselines are not counted). So the winner is measured again, on test rows that "
            "played no part in the choice."
        )

    def _chosen_by(self, winner: Candidate) -> str:
        n = winner.validation_n
        if winner.cost is None:
            return f"The winner's validation error, {winner.validation_errors:,} of {n:,},"
        if self.criterion.objective == "balanced":
            mean = f"{winner.cost / n:.1%}, the mean of the error rates of the labels"
            return f"The winner's validation error, {mean},"
        return f"The winner's cost, {winner.cost:,g} for {n:,} validation rows,"

    def __str__(self) -> str:
        room = max(16, 1 + max(len(c.name) for c in self.candidates))
        lines = [f"{'candidate':<{room}}{'train':>10}{'validation':>12}"]
        lines += [
            f"{c.name:<{room}}{c.train_errors / c.train_n:>10.1%}{c.validation_rate:>12.1%}"
            f"{'  chosen' if c is self.winner else ''}"
            for c in self.candidates
        ]
        return "\n".join([*lines, *([self.sentence] if self.test_n else []), self.optimism])


class SelectionInterrupted(KeyboardInterrupt):
    """Ctrl-C; `selection` compares the candidates that were done, or is None if none was."""

    def __init__(self, selection: Selection | None):
        super().__init__("interrupted")
        self.selection = selection


def select(
    X: Any,
    y: Any,
    candidates: Mapping[str, Any] | None = None,
    *,
    preprocessor: Any = None,
    cv: int | None = None,
    groups: Any = None,
    times: Any = None,
    random_state: int = 0,
    confidence: float = 0.95,
    retrain: bool = False,
    comparison_rules: Mapping[str, Any] | None = None,
    comparison_preprocessor: Any = None,
    criterion: Criterion | None = None,
    progress: Progress | None = None,
    checkpoint: Any = None,
    checkpoint_every: float = EVERY,
) -> Selection:
    """Compare candidates honestly, and measure the error of the best one.

    Three fifths of the rows train, one fifth chooses, one fifth tests; every part has its share of
    each label. The largest class is compared, too, and never chosen; nor is a
    RandomLinearClassifier beside other candidates: they are the floor.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
    y : array of shape (n,)
    candidates : dict of name to scikit-learn classifier, optional
        By default the perceptrons of `candidates`. They are cloned, not changed.
    preprocessor : scikit-learn transformer, optional
        As a scaler; fitted on training rows only, once for all candidates.
    cv : int, optional
        Nested cross-validation with so many folds, for few rows: each fold is tested by the winner
        of a cross-validation on all others; then the winner on all rows is fitted to all rows.
    groups : array of shape (n,), optional
        Rows with equal values are never in two parts. Nor are rows with equal features, but for
        those of tables with few different rows, where nobody copied them.
    times : array of shape (n,), optional
        When each row was: the earliest three fifths train, and the latest fifth tests. Rows with
        equal times are never in two parts.
    random_state : int
        Of the division into parts, and of the candidates that are made here.
    confidence : float
        Of the interval for the error.
    retrain : bool
        True: the winner is fitted again, on training and validation rows, before it is tested. With
        `cv` it always is, on all rows.
    comparison_rules : dict of name to scikit-learn classifier, optional
        They learn from the rows that the winner learns from, and are tested once on the same test
        rows. Nothing is chosen by them.
    comparison_preprocessor : scikit-learn transformer, optional
        For these, where rows go through another one than `preprocessor` first.
    criterion : Criterion, optional
        What a wrong answer costs; by default the number of errors decides.
    progress : callable, optional
        Called as progress(done, total, name) before each candidate is fitted.
    checkpoint : path or address (s3://…), optional
        A folder in which every `Perceptron` keeps where its training stands, as `train` does: the
        same comparison goes on there after a crash, to the same bits.
    checkpoint_every : float
        Seconds between two checkpoints.

    Raises
    ------
    SelectionInterrupted
        A KeyboardInterrupt, which has what was done until Ctrl-C.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.selection import select
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rules = {"logistic": LogisticRegression(), "average": Perceptron(keep="average")}
    >>> found = select(X, y, rules, preprocessor=StandardScaler())
    >>> found.winner.name in rules, found.test_n
    (True, 114)
    """
    y = np.asarray(y)
    if (
        not isinstance(random_state, Integral)
        or isinstance(random_state, bool)
        or not 0 <= random_state < 2**32
    ):
        raise InputError(
            f"random_state={random_state!r} is not a whole number from 0 to 4294967295.",
            option="random_state",
            value=random_state,
        )
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool) or cv < 2):
        raise InputError(
            f"cv={cv!r} is not a whole number, 2 or greater, or None.", option="cv", value=cv
        )
    clopper_pearson(0, 1, confidence)  # refuses what is no confidence
    X = X if hasattr(X, "shape") else np.asarray(X)
    n, d = X.shape
    if y.shape != (n,):
        raise InputError(f"X has {n:,} rows, and y has the shape {y.shape}: one label for each.")
    if not isinstance(groups, RowGroups):
        if groups is not None and np.shape(groups) != (n,):
            raise InputError(f"X has {n:,} rows, and groups the shape {np.shape(groups)}.")
        groups = row_groups(X, y, groups)
    if candidates is None:
        kernel = groups is None or not groups.many_repeated
        size = n if cv else n * 3 // FIFTHS
        candidates = usual(size, d, random_state=int(random_state), kernel=kernel)
    classes = np.unique(y)
    always = baseline(len(classes))
    if not candidates or always in candidates:
        raise InputError(
            f"candidates is a dict of names to classifiers, at least one, none named {always!r}."
        )
    training = Training(trained_with(checkpoint, checkpoint_every), progress, 0)
    beside = Comparison(
        X,
        y,
        dict(comparison_rules or {}),
        preprocessor if comparison_preprocessor is None else comparison_preprocessor,
        groups,
        _times(times, n),
        int(random_state),
        confidence,
        criterion or Criterion(1.0 - np.eye(len(classes))),
        training,
    )
    own = {"candidates": dict(candidates), "preprocessor": preprocessor}
    comparison = replace(beside, beside=beside, **own)
    if cv is not None:
        if times is not None:
            raise InputError("cv divides the rows at random, and times by time: give one of them.")
        return nested(comparison, int(cv))
    return _split(comparison, retrain=parameters.flag("retrain", retrain))


def _times(times: Any, n: int) -> Floats | None:
    if times is None:
        return None
    values = np.asarray(times, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise InputError(f"times needs a finite number for each of the {n:,} rows.")
    return values


def _split(comparison: Comparison, *, retrain: bool) -> Selection:
    y, training = comparison.y, comparison.training
    if comparison.times is None:
        parts = comparison.folds(np.arange(len(y)), FIFTHS)
        parts.sort(key=lambda part: len(part) > 2 * len(y) / FIFTHS)  # a group so large trains
        train, validation, test = rest(parts, [0, 1]), parts[1], parts[0]
    else:
        train, validation, test = by_time(y, comparison.times)
    if len(np.unique(y[train])) < len(comparison.classes):
        raise InputError(
            "The training rows lack a label, since rows of a group stay together. Take another "
            "seed, or a column with more and smaller groups."
        )
    training.total = len(comparison.rules) + comparison.other_fits
    training.total += more_fits(len(validation)) if retrain else 0
    preprocessor, candidates = comparison.compare(train, validation)
    if len(candidates) < 2:
        raise SelectionInterrupted(None)
    winner, passed_over = comparison.chosen(candidates)
    final = None
    if retrain and not training.interrupted:
        final = comparison.refit(winner, train, validation)
    if final is None:
        X = comparison.rows(train, preprocessor)
        rule, notes = winner.estimator, winner.notes
        final = comparison.with_threshold(
            rule, X, y[train], preprocessor, winner.out_of_sample, notes=notes
        )
    chosen = _Chosen.of(candidates, winner, passed_over, final)
    X = comparison.rows(test, final.preprocessor)
    scores = scores_of(final.estimator, X)
    learned_from = np.sort(np.concatenate([train, validation])) if final.retrained else train
    return chosen.tested(
        comparison,
        train=train,
        validation=validation,
        test=test,
        predictions=final.estimator.predict(X),
        majority_errors=int((y[test] != chosen.majority).sum()),
        comparison_rules=comparison.tested_beside(learned_from, test),
        scores=scores,
        probabilities=final.probabilities(scores),
    )


@dataclass(frozen=True)
class _Chosen:
    """The winner, fitted to the rows that it shall have learned from, and those it was among."""

    candidates: list[Candidate]
    winner: Candidate
    passed_over: Candidate | None
    final: Refitted

    @classmethod
    def of(
        cls,
        candidates: list[Candidate],
        winner: Candidate,
        passed_over: Candidate | None,
        final: Refitted,
    ) -> _Chosen:
        fitted = replace(winner, estimator=final.estimator, notes=final.notes)
        return cls([fitted if c is winner else c for c in candidates], fitted, passed_over, final)

    @property
    def majority(self) -> Any:
        return majority_of(self.candidates[0])

    def tested(self, comparison: Comparison, *, test: Indices, **more: Any) -> Selection:
        final, interrupted = self.final, comparison.training.interrupted
        selection = Selection(
            self.candidates,
            self.winner,
            final.preprocessor,
            self.majority,
            test=test,
            labels=comparison.y[test],
            confidence=comparison.confidence,
            random_state=comparison.random_state,
            criterion=comparison.criterion,
            interrupted=interrupted,
            retrained=final.retrained,
            passed_over=self.passed_over,
            failed=comparison.failed,
            out_of_sample=final.out_of_sample,
            probability=final.probability,
            moved=final.moved,
            groups=comparison.groups,
            times=comparison.times,
            **more,
        )
        if interrupted:
            raise SelectionInterrupted(selection)
        return selection


# --- Nested cross-validation: each row is tested once, by a rule that never saw it ---------------


def nested(comparison: Comparison, k: int) -> Selection:
    """Each of k folds is tested by the winner of a cross-validation on all others."""
    y, training = comparison.y, comparison.training
    every = np.arange(len(y))
    rows = dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))
    if len(rows) > 1 and (rare := too_rare(rows, k, nested=True)) is not None:
        raise InputError(rare)
    outer = comparison.folds(every, k)
    training.total = (k + 1) * (k * len(comparison.rules) + 1) + k * comparison.other_fits
    whole = _cross_validated(comparison, every, k)
    if whole is None:
        raise SelectionInterrupted(None)
    tested, scored, always = _Tested(comparison, whole.final.unit), [], 0
    comparison_rules: list[list[ComparisonRule]] = []
    for i, part in enumerate(outer):
        inner = None
        if not training.interrupted:
            inner = _cross_validated(comparison, rest(outer, [i]), k)
        if inner is None or training.interrupted:
            break
        tested.add(part, inner.final)
        always += int((y[part] != inner.majority).sum())
        comparison_rules.append(comparison.tested_beside(rest(outer, [i]), part))
        scored.append(part)
    test = np.concatenate([every[:0], *scored])
    return whole.tested(
        comparison,
        train=every,
        validation=every,
        test=test,
        predictions=np.concatenate([y[:0], *tested.predicted]),
        majority_errors=always,
        cv=k,
        comparison_rules=_in_every_fold(comparison_rules),
        scores=_joined(tested.scores),
        probabilities=_joined(tested.probabilities),
    )


def _in_every_fold(folds: list[list[ComparisonRule]]) -> list[ComparisonRule]:
    by_name: dict[str, list[ComparisonRule]] = {}
    for rules in folds:
        for rule in rules:
            by_name.setdefault(rule.name, []).append(rule)
    everywhere = [same for same in by_name.values() if len(same) == len(folds)]
    return [reduce(ComparisonRule.__add__, same) for same in everywhere]


class _Tested:
    """What the rules of the outer folds say of their test rows; scores in units of one of them."""

    def __init__(self, comparison: Comparison, unit: Unit):
        self.comparison, self.unit = comparison, unit
        self.predicted: list[Any] = []
        self.scores: list[Floats] = []
        self.probabilities: list[Floats | None] = []

    def add(self, part: Indices, by: Refitted) -> None:
        X = self.comparison.rows(part, by.preprocessor)
        self.predicted.append(by.estimator.predict(X))
        scores = scores_of(by.estimator, X)
        self.probabilities.append(by.probabilities(scores))
        self.scores.append(self.unit.scores(by.unit.measured(scores)))


def _joined(parts: Sequence[Floats | None]) -> Floats | None:
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if arrays else None


def _cross_validated(comparison: Comparison, rows: Indices, k: int) -> _Chosen | None:
    parts = comparison.folds(rows, k)
    rounds = []
    for i in range(k):
        rounds.append(comparison.compare(rest(parts, [i]), parts[i])[1])
        if comparison.training.interrupted:
            return None
    by_name = [{c.name: c for c in one} for one in rounds]
    everywhere = [c.name for c in rounds[0] if all(c.name in one for one in by_name)]
    candidates = [_added([one[name] for one in by_name]) for name in everywhere]
    winner, passed_over = comparison.chosen(candidates)
    preprocessor = comparison.prepared(rows)
    rule = comparison.rule_for(winner.name, rows)
    X, y = comparison.rows(rows, preprocessor), comparison.y[rows]
    rule, notes = comparison.training.fit(winner.name, rule, X, y)
    if rule is None:
        return None
    final = comparison.with_threshold(rule, X, y, preprocessor, winner.out_of_sample, notes=notes)
    return _Chosen.of(candidates, winner, passed_over, final)


def _added(same: list[Candidate]) -> Candidate:
    fields = ("train_errors", "train_n", "validation_errors", "validation_n")
    sums = {name: sum(getattr(c, name) for c in same) for name in fields}
    notes = tuple(dict.fromkeys(note for c in same for note in c.notes))
    return replace(
        same[0],
        notes=notes,
        losses=_joined([c.losses for c in same]),
        out_of_sample=_pooled([c.out_of_sample for c in same]),
        in_sample=_pooled([c.in_sample for c in same]),
        **sums,
    )


def _pooled(parts: list[OutOfSample | None]) -> OutOfSample | None:
    scored = [part for part in parts if part is not None]
    return OutOfSample.joined(scored) if scored else None
