"""The comparison: train, choose on validation, test once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from rosenblatt._inputs import validate
from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import baseline
from rosenblatt.selection.candidates import candidates as usual
from rosenblatt.selection.contest import Contest, majority_of
from rosenblatt.selection.folds import FIFTHS, folds, rest
from rosenblatt.selection.interval import clopper_pearson
from rosenblatt.selection.judge import Judge
from rosenblatt.selection.nested import nested
from rosenblatt.selection.result import Selection, SelectionInterrupted
from rosenblatt.selection.settling import more_fits, retrained, settled
from rosenblatt.selection.training import Progress, Training, trained_with


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
    retrain: bool = False,
    peers: Mapping[str, Any] | None = None,
    judge: Judge | None = None,
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
    retrain : bool
        True: the winner is fitted again, on training and validation rows, before it is tested. With
        `cv` it always is, on all rows.
    peers : dict of name to scikit-learn classifier, optional
        Compared on the same rows, never chosen.
    judge : Judge, optional
        What a wrong answer costs; by default the number of errors decides.
    progress : callable, optional
        Called as progress(done, total, name) before each candidate is fitted.
    checkpoint : path, optional
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
    classes = np.unique(y)
    always = baseline(len(classes))
    if not candidates or always in candidates:
        raise InputError(
            f"candidates is a dict of names to classifiers, one at least, none named {always!r}."
        )
    peers = peers or {}
    training = Training(trained_with(checkpoint, checkpoint_every), progress, 0)
    contest = Contest(
        X,
        y,
        dict(candidates),
        peers,
        prepare,
        None if groups is None else np.asarray(groups),
        int(seed),
        confidence,
        judge or Judge(1.0 - np.eye(len(classes))),
        training,
    )
    if cv is not None:
        return nested(contest, int(cv))
    return _split(contest, retrain=validate.flag("retrain", retrain))


def _split(contest: Contest, *, retrain: bool) -> Selection:
    """Three fifths train, one chooses, one tests."""
    y, training = contest.y, contest.training
    parts = folds(y, FIFTHS, contest.groups, contest.seed)
    train, validation, test = rest(parts, [0, 1]), parts[1], parts[0]
    if len(np.unique(y[train])) < len(contest.classes):
        raise InputError(
            "The training rows lack a label, since rows of a group stay together. Take another "
            "seed, or a column with more and smaller groups."
        )
    training.total = len(contest.rules) + len(contest.peers)
    training.total += more_fits(contest, len(validation)) if retrain else 0
    prepare, found = contest.compare(train, validation)
    if len(found) < 2:
        raise SelectionInterrupted(None)
    winner, passed_over = contest.chosen(found)
    final = None
    if retrain and not training.interrupted:
        final = retrained(contest, winner, train, validation)
    if final is None:
        X = contest.rows(train, prepare)
        rule, notes = winner.estimator, winner.notes
        final = settled(contest, rule, X, y[train], prepare, winner.unseen, notes=notes)
    place = next(i for i, c in enumerate(found) if c is winner)
    found[place] = winner = replace(winner, estimator=final.estimator, notes=final.notes)
    majority, X = majority_of(found[0]), contest.rows(test, final.prepare)
    scores = contest.scores(final.estimator, X)
    selection = Selection(
        found,
        winner,
        final.prepare,
        majority,
        train,
        validation,
        test,
        y[test],
        final.estimator.predict(X),
        int((y[test] != majority).sum()),
        contest.confidence,
        contest.seed,
        contest.judge,
        interrupted=training.interrupted,
        retrained=final.retrained,
        passed_over=passed_over,
        failed=contest.failed,
        scores=scores,
        probabilities=final.probabilities(scores),
        unseen=final.unseen,
        probability=final.probability,
        moved=final.moved,
    )
    if training.interrupted:
        raise SelectionInterrupted(selection)
    return selection
