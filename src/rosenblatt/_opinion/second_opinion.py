"""second_opinion: do other rules that fit the known rows as well answer a new row differently?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._inputs import validate
from rosenblatt._opinion.judges import Judges
from rosenblatt._opinion.new_rows import new_rows
from rosenblatt._proof import frames
from rosenblatt._proof.table import read
from rosenblatt._support.bar import bar
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.opinions import Opinion, Opinions


def second_opinion(
    X: Any,
    y: Any,
    Q: Any,
    rule: Any = None,
    *,
    work_limit: int | None = None,
    verbose: int = 0,
) -> Opinions:
    """Do other linear rules that fit the known rows as well give new rows another answer?

    Where some linear rule makes no error on the known rows, all such rules are asked: an answer
    that they share is forced, by a few rows that are named. Otherwise the rules are asked that make
    no more errors than `rule`: what does the other answer cost, and which rule gives it?

    An error is a row with y_i (w·x_i + b) <= 0. It is about the known rows, in exact arithmetic.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The known rows. Columns of text or categories become 0/1 columns.
    y : array of shape (n,)
        Their labels, two different ones.
    Q : array, data frame or CSR matrix of shape (m, d)
        The new rows.
    rule : fitted classifier, optional
        Whose answers are to be judged, by its `predict`: any that takes X and Q as they are given
        here, a pipeline for example. By default the best linear rule found on the known rows.
    work_limit : int, optional
        Row evaluations for each new row, about five million a second; 120,000 by default. It counts
        operations, so that the answer is the same everywhere.
    verbose : int
        1: show progress.

    Returns
    -------
    Opinions
        For each new row: forced, contested or open, and why.

    Examples
    --------
    >>> from rosenblatt import second_opinion
    >>> opinions = second_opinion([[1], [2], [5], [6]], [0, 0, 1, 1], [[7], [4], [1]])
    >>> [opinion.status for opinion in opinions]
    ['forced', 'contested', 'forced']
    >>> opinions[0].because
    [1, 3]
    """
    work_limit = validate.whole_or_none("work_limit", work_limit)
    given, asked = X, Q
    encoding = None
    if frames.has_words(X):
        X, encoding = frames.in_numbers(X, decimal=False)
    table = read(X, y, semantics="binary64", asked="second_opinion")
    if len(table.classes) < 2:
        raise InputError(
            f"y holds one label, {table.classes[0]!r}: a second opinion needs known rows of two."
        )
    rows = new_rows(table, Q, encoding, like=X)
    answers, errors = None, None
    if rule is not None:
        answers, errors = _said(rule, given, table.y, asked, table.origin.classes)
    judges = Judges(table, rows, answers=answers, errors=errors, work_limit=work_limit)
    found: list[Opinion] = []
    with bar(quiet=not verbose) as now:
        for k, opinion in enumerate(judges.opinions()):
            found.append(opinion)
            now("second opinions", k + 1, rows.shape[0])
    return judges.all(found)


def _said(
    rule: Any, X: Any, y: NDArray[Any], Q: Any, classes: NDArray[Any]
) -> tuple[NDArray[np.int8], int]:
    """The answers of a rule as signs, and its errors on the known rows."""
    if not callable(getattr(rule, "predict", None)):
        raise InputTypeError(
            f"rule is a {type(rule).__name__}: give a fitted classifier with a method predict, or "
            "None for the best linear rule found."
        )
    both = []
    for rows in (Q, X):
        said = np.asarray(rule.predict(rows))
        strange = ~np.isin(said, classes)
        if strange.any():
            raise InputError(
                f"rule answers {said[strange].tolist()[0]!r}, and y holds {classes.tolist()}: give "
                "a rule that was trained on these labels."
            )
        both.append(np.where(said == classes[1], 1, -1).astype(np.int8))
    return both[0], int((both[1] != y).sum())
