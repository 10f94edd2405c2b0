"""What other rules that fit as well say of some test rows."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.table import read
from rosenblatt._core.backend import compute
from rosenblatt._study.options import Options
from rosenblatt._study.stages import Compared
from rosenblatt._util.text import many, row_number
from rosenblatt.errors import InputError
from rosenblatt.opinions import LINES, Opinion, Opinions, RuleSet
from rosenblatt.report.document import Example, SecondOpinions

ROWS = 40  # test rows that are asked about
WORK, EACH = 1_000_000, 20_000  # row evaluations: some tenths of a second in all
_MOST_NUMBERS = 200_000  # in the training rows
_EXAMPLES = 3
_LEVEL = 0.05  # of the test whether contested rows are wrong more often


def ask(compared: Compared, X: Any, options: Options) -> SecondOpinions | None:
    """X: all rows in the units of the table, missing values filled. None where there is nothing to
    ask, or no answer could be hoped for in so short a time."""
    read, selection = compared.read, compared.selection
    if selection.cv or options.stream or read.sample is not None or len(read.counts) != 2:
        return None
    if options.decides != "error":
        return None  # rules would be compared by errors, which this one was not chosen by
    known = selection.fitted_on
    if not len(selection.test) or sparse.issparse(X) or compute.cones is None:
        return None
    if len(known) * X.shape[1] > _MOST_NUMBERS or X.shape[1] > len(known):
        return None
    if len(X) != len(read.y):  # rows without a label stand in X where they do in the table
        X = np.delete(X, list(read.notes.unlabelled), axis=0)
    asked = selection.test
    if len(asked) > ROWS:
        asked = np.sort(np.random.default_rng(options.seed).choice(asked, ROWS, replace=False))
    try:
        return _opinions(compared, X, asked, rows=not options.no_rows)
    except InputError:  # one label only, or numbers that are too far apart
        return None


def _opinions(compared: Compared, X: Any, asked: NDArray[Any], *, rows: bool) -> SecondOpinions:
    selection, y = compared.selection, compared.read.y
    known = selection.fitted_on
    table = read(X[known], y[known], semantics="binary64", asked="second_opinion")
    answers, fitted = _predicted(compared, asked), _predicted(compared, known)
    rules = RuleSet(
        table,
        np.asarray(X[asked], dtype=np.float64),
        answers=np.where(answers == table.origin.classes[-1], 1, -1).astype(np.int8),
        errors=int((fitted != y[known]).sum()),
        work_limit=EACH,
        work=WORK,
        lines=LINES,
    )
    opinions = rules.all(list(rules.opinions()))
    return _described(opinions, answers != y[asked], compared, asked, rows=rows)


def _predicted(compared: Compared, rows: NDArray[Any]) -> NDArray[Any]:
    X, prepare = compared.read.X[rows], compared.selection.prepare
    return np.asarray(
        compared.selection.estimator.predict(X if prepare is None else prepare.transform(X))
    )


def _described(
    opinions: Opinions,
    wrong: NDArray[np.bool_],
    compared: Compared,
    asked: NDArray[Any],
    *,
    rows: bool,
) -> SecondOpinions:
    selection = compared.selection
    contested = np.array([opinion.status in ("contested", "overruled") for opinion in opinions])
    counts = (int((wrong & contested).sum()), int((wrong & ~contested).sum()))
    return {
        "asked": len(opinions),
        "test_rows": len(selection.test),
        "train": opinions.n_rows,
        "separable": opinions.separable,
        "errors": opinions.errors,
        "contested": opinions.count("contested"),
        "forced": opinions.count("forced"),
        "overruled": opinions.count("overruled"),
        "open": opinions.count("open"),
        "contested_wrong": counts[0],
        "other_wrong": counts[1],
        "bound": opinions.bound,
        "examples": _examples(opinions, compared, asked) if rows else [],
        "sentence": _sentence(opinions, counts, len(selection.test)),
    }


def _examples(opinions: Opinions, compared: Compared, asked: NDArray[Any]) -> list[Example]:
    """Contested ones first; of these the cheapest."""
    table = compared.read
    order = {"overruled": 0, "contested": 1, "open": 2, "forced": 3}

    def first(opinion: Opinion) -> tuple[int, int, int]:
        return order[opinion.status], opinion.at_most or 0, opinion.row

    return [
        {
            "row": table.number(int(asked[opinion.row])),
            "label": str(table.y[asked[opinion.row]]),
            "answer": str(opinion.answer),
            "status": opinion.status,
            "sentence": _with_numbers(opinions, opinion, compared),
        }
        for opinion in sorted(opinions, key=first)[:_EXAMPLES]
    ]


def _with_numbers(opinions: Opinions, opinion: Opinion, compared: Compared) -> str:
    """Rows of a conflict by their numbers in the table."""
    table, known = compared.read, compared.selection.fitted_on
    return opinions.sentence(opinion.row, lambda row: row_number(table.number(int(known[row]))))


def _sentence(opinions: Opinions, wrong: tuple[int, int], test_rows: int) -> str:
    """What was settled, and what was not; then how often the rule is wrong on both."""
    n, forced, unsettled = len(opinions), opinions.count("forced"), opinions.count("open")
    k = n - forced - unsettled
    few = "that fits all training rows" if opinions.separable else "with no more training errors"
    drawn = f"Of {many(test_rows, 'test row')}, {n:,} drawn at random were examined"
    sentence = (
        f"{drawn if n < test_rows else f'All {test_rows:,} test rows were examined'}: {k:,} "
        f"contested (another linear rule {few} gives the other answer), {forced:,} forced (all "
        f"such rules agree), {unsettled:,} not settled in the short time."
    )
    if not 0 < k < n:
        return sentence
    oftener = ", more often where contested" if _more_often(wrong, k, n) else ""
    return (
        f"{sentence} This rule is wrong on {wrong[0]:,} of the {k:,} contested and on "
        f"{wrong[1]:,} of the other {n - k:,}{oftener}."
    )


def _more_often(wrong: tuple[int, int], k: int, n: int) -> bool:
    """Fisher's exact test, one-sided: would chance put so many of the errors among k of n rows?"""
    errors = sum(wrong)
    ways = sum(comb(k, i) * comb(n - k, errors - i) for i in range(wrong[0], min(k, errors) + 1))
    return ways <= _LEVEL * comb(n, errors)
