"""The comparison: train, choose on validation, test once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import baseline, floor
from rosenblatt.selection.candidates import candidates as usual
from rosenblatt.selection.folds import FIFTHS, Indices, folds, rest
from rosenblatt.selection.interval import clopper_pearson
from rosenblatt.selection.result import Candidate, Selection, SelectionInterrupted
from rosenblatt.selection.training import Progress, Trained, Training, trained_with


def select(
    X: Any,
    y: Any,
    candidates: Mapping[str, Any] | None = None,
    *,
    prepare: Any = None,
    cv: int | None = None,
    groups: Any = None,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Progress | None = None,
    checkpoint: Any = None,
    checkpoint_every: float = 60,
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
    prepare : scikit-learn transformer, optional
        As a scaler; fitted on training rows only, once for all candidates.
    cv : int, optional
        Nested cross-validation with so many folds, for few rows: each fold is tested by the winner
        of a cross-validation on all others; then the winner on all rows is fitted to all rows.
    groups : array of shape (n,), optional
        Rows with equal values are never in two parts.
    seed : int
        Of the division into parts, and of the candidates that are made here.
    confidence : float
        Of the interval for the error.
    progress : callable, optional
        Called as progress(done, total, name) before each candidate is fitted.
    checkpoint : path, optional
        A folder in which every `Perceptron` keeps where its training stands, as `train` does: the
        same comparison goes on there after a crash, to the same bits.
    checkpoint_every : float
        Seconds from one writing to the next.

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
    >>> found = select(X, y, rules, prepare=StandardScaler())
    >>> found.winner.name in rules, found.test_n
    (True, 114)
    """
    y = np.asarray(y)
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise InputError(f"seed={seed!r} is not a whole number from 0 to 4294967295.")
    if cv is not None and (not isinstance(cv, Integral) or isinstance(cv, bool) or cv < 2):
        raise InputError(f"cv={cv!r} is not a whole number, 2 or greater, or None.")
    clopper_pearson(0, 1, confidence)  # refuses what is no confidence
    X = X if hasattr(X, "shape") else np.asarray(X)
    n, d = X.shape
    if y.shape != (n,):
        raise InputError(f"X has {n:,} rows, and y has the shape {y.shape}: one label for each.")
    if groups is not None and np.shape(groups) != (n,):
        raise InputError(f"X has {n:,} rows, and groups the shape {np.shape(groups)}.")
    if candidates is None:
        candidates = usual(n if cv else n * 3 // FIFTHS, d, random_state=int(seed))
    always = baseline(len(np.unique(y)))
    if not candidates or always in candidates:
        raise InputError(
            f"candidates is a dict of names to classifiers, one at least, none named {always!r}."
        )
    trained = trained_with(checkpoint, checkpoint_every)
    contest = _Contest(
        X, y, dict(candidates), prepare, groups, int(seed), confidence, progress, trained
    )
    return contest.split() if cv is None else contest.nested(int(cv))


class _Contest:
    def __init__(
        self,
        X: Any,
        y: NDArray[Any],
        candidates: dict[str, Any],
        prepare: Any,
        groups: Any,
        seed: int,
        confidence: float,
        progress: Progress | None,
        trained: Trained,
    ):
        self.X, self.y, self.prepare = X, y, prepare
        self.groups = None if groups is None else np.asarray(groups)
        always = baseline(len(np.unique(self.y)))
        self.rules = {always: DummyClassifier(strategy="most_frequent")} | candidates
        self.floor = floor(self.rules)
        self.seed, self.confidence = seed, confidence
        self.training = Training(trained, progress, len(self.rules))

    # --- One split ---

    def split(self) -> Selection:
        parts = folds(self.y, FIFTHS, self.groups, self.seed)
        train, validation, test = rest(parts, [0, 1]), parts[1], parts[0]
        if len(np.unique(self.y[train])) < len(np.unique(self.y)):
            raise InputError(
                "The training rows lack a label, since rows of a group stay together. Take another "
                "seed, or a column with more and smaller groups."
            )
        prepare, found = self.compare(train, validation)
        if len(found) < 2:
            raise SelectionInterrupted(None)
        winner, majority = best(found), majority_of(found[0])
        selection = Selection(
            found,
            winner,
            prepare,
            majority,
            train,
            validation,
            test,
            self.y[test],
            winner.estimator.predict(self.rows(test, prepare)),
            int((self.y[test] != majority).sum()),
            self.confidence,
            self.seed,
            interrupted=self.training.interrupted,
        )
        if self.training.interrupted:
            raise SelectionInterrupted(selection)
        return selection

    def compare(self, train: Indices, validation: Indices) -> tuple[Any, list[Candidate]]:
        """All candidates, fitted on `train`; those done so far if Ctrl-C came."""
        prepare = None
        if self.prepare is not None:
            prepare = clone(self.prepare).fit(_take(self.X, train))
        X, y = self.rows(train, prepare), self.y[train]
        X_val, y_val = self.rows(validation, prepare), self.y[validation]
        found = []
        for name, given in self.rules.items():
            try:
                rule, notes = self.training.fit(name, clone(given), X, y)
                if rule is not None:
                    wrong = int((rule.predict(X) != y).sum()), len(y)
                    missed = int((rule.predict(X_val) != y_val).sum()), len(y_val)
                    found.append(Candidate(name, rule, *wrong, *missed, name in self.floor, notes))
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        return prepare, found

    def rows(self, part: Indices, prepare: Any) -> Any:
        X = _take(self.X, part)
        return X if prepare is None else prepare.transform(X)

    # --- Nested cross-validation ---

    def nested(self, k: int) -> Selection:
        every = np.arange(len(self.y))
        outer = folds(self.y, k, self.groups, self.seed)
        self.training.total = (k + 1) * (k * len(self.rules) + 1)
        prepare, found, winner = self.cross_validated(every, k)
        if winner is None:
            raise SelectionInterrupted(None)
        majority = majority_of(found[0])
        tested, predicted, always = [], [], 0
        for i, part in enumerate(outer):
            if self.training.interrupted:
                break
            inside, others, one = self.cross_validated(rest(outer, [i]), k)
            if one is None or self.training.interrupted:
                break
            tested.append(part)
            predicted.append(one.estimator.predict(self.rows(part, inside)))
            always += int((self.y[part] != majority_of(others[0])).sum())
        test = np.concatenate([np.zeros(0, dtype=np.intp), *tested])
        selection = Selection(
            found,
            winner,
            prepare,
            majority,
            every,
            every,
            test,
            self.y[test],
            np.concatenate([self.y[:0], *predicted]),
            always,
            self.confidence,
            self.seed,
            cv=k,
            interrupted=self.training.interrupted,
        )
        if self.training.interrupted:
            raise SelectionInterrupted(selection)
        return selection

    def cross_validated(
        self, rows: Indices, k: int
    ) -> tuple[Any, list[Candidate], Candidate | None]:
        """The candidates with errors added up over k folds; the best, fitted to all these rows."""
        groups = None if self.groups is None else self.groups[rows]
        parts = [rows[part] for part in folds(self.y[rows], k, groups, self.seed)]
        rounds = []
        for i in range(k):
            rounds.append(self.compare(rest(parts, [i]), parts[i])[1])
            if self.training.interrupted:
                return None, [], None
        found = [_added(same) for same in zip(*rounds, strict=True)]
        chosen = found.index(best(found))
        prepare = None
        if self.prepare is not None:
            prepare = clone(self.prepare).fit(_take(self.X, rows))
        name = found[chosen].name
        given = clone(self.rules[name])
        rule, notes = self.training.fit(name, given, self.rows(rows, prepare), self.y[rows])
        if rule is None:
            return None, [], None
        found[chosen] = replace(found[chosen], estimator=rule, notes=notes)
        return prepare, found, found[chosen]


def best(found: list[Candidate]) -> Candidate:
    """The fewest validation errors; of equal ones a rule with weights, which can be read, then the
    fewest training errors, then the first."""
    chosen_from = [c for c in found if not c.baseline] or found[1:]  # Ctrl-C: all there is
    return min(chosen_from, key=_rank)


def _rank(c: Candidate) -> tuple[int, bool, int]:
    return c.validation_errors, not hasattr(c.estimator, "coef_"), c.train_errors


def _added(same: tuple[Candidate, ...]) -> Candidate:
    """One candidate over all folds."""
    fields = ("train_errors", "train_n", "validation_errors", "validation_n")
    sums = {name: sum(getattr(c, name) for c in same) for name in fields}
    notes = tuple(dict.fromkeys(note for c in same for note in c.notes))
    return replace(same[0], notes=notes, **sums)


def majority_of(baseline: Candidate) -> Any:
    """The label that it always says."""
    rule = baseline.estimator
    return _plain(rule.classes_[int(np.argmax(rule.class_prior_))])


def _plain(label: Any) -> Any:
    """A label as Python writes it."""
    return label.item() if isinstance(label, np.generic) else label


def _take(X: Any, rows: Indices) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
