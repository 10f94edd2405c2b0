"""What other rules that fit as well say of some test rows."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.table import read
from rosenblatt._core.backend import compute
from rosenblatt._study.document import Example, SecondOpinions
from rosenblatt._study.options import Options
from rosenblatt._study.work import Work
from rosenblatt._util.text import many, row_number
from rosenblatt.errors import InputError
from rosenblatt.opinions import LINES, Opinion, Opinions, RuleSet

ROWS = 40  # test rows that are asked about
WORK, EACH = 1_000_000, 20_000  # row evaluations: some tenths of a second in all
_MOST_NUMBERS = 200_000  # in the training rows
_EXAMPLES = 3
_LEVEL = 0.05  # of the test whether contested rows are wrong more often


def look(work: Work, X: Any, options: Options) -> SecondOpinions | None:
    """X: all rows in the units of the table, gaps filled. None where there is nothing to ask, or no
    answer could be hoped for in so short a time."""
    selection = work.selection
    assert selection is not None
    if selection.cv or options.stream or work.sample is not None or len(work.counts) != 2:
        return None
    if options.decides != "error":
        return None  # rules would be compared by errors, which this one was not chosen by
    known = selection.fitted_on
    if not len(selection.test) or sparse.issparse(X) or compute.cones is None:
        return None
    if len(known) * X.shape[1] > _MOST_NUMBERS or X.shape[1] > len(known):
        return None
    X = _without_gaps(work, X)
    asked = selection.test
    if len(asked) > ROWS:
        asked = np.sort(np.random.default_rng(options.seed).choice(asked, ROWS, replace=False))
    try:
        return _found(work, X, known, asked, options)
    except InputError:  # one label only, or numbers that are too far apart
        return None


def _without_gaps(work: Work, X: Any) -> Any:
    """Rows without a label stand in X where they do in the table."""
    if len(X) == len(work.y):
        return X
    return np.delete(X, list(work.left_out), axis=0)


def _found(
    work: Work, X: Any, known: NDArray[Any], asked: NDArray[Any], options: Options
) -> SecondOpinions:
    selection, y = work.selection, work.y
    assert selection is not None
    table = read(X[known], y[known], semantics="binary64", asked="second_opinion")
    said = {}
    for name, rows in (("asked", asked), ("known", known)):
        seen = work.X[rows]
        seen = seen if selection.prepare is None else selection.prepare.transform(seen)
        said[name] = np.asarray(selection.estimator.predict(seen))
    classes = table.origin.classes
    judges = RuleSet(
        table,
        np.asarray(X[asked], dtype=np.float64),
        answers=np.where(said["asked"] == classes[-1], 1, -1).astype(np.int8),
        errors=int((said["known"] != y[known]).sum()),
        work_limit=EACH,
        work=WORK,
        lines=LINES,
    )
    found = judges.all(list(judges.opinions()))
    wrong = said["asked"] != y[asked]
    return _described(found, wrong, work, asked, rows=not options.no_rows)


def _described(
    found: Opinions, wrong: NDArray[np.bool_], work: Work, asked: NDArray[Any], *, rows: bool
) -> SecondOpinions:
    selection = work.selection
    assert selection is not None
    contested = np.array([opinion.status in ("contested", "overruled") for opinion in found])
    counts = (int((wrong & contested).sum()), int((wrong & ~contested).sum()))
    return {
        "asked": len(found),
        "test_rows": len(selection.test),
        "train": found.n_rows,
        "separable": found.separable,
        "errors": found.errors,
        "contested": found.count("contested"),
        "forced": found.count("forced"),
        "overruled": found.count("overruled"),
        "open": found.count("open"),
        "contested_wrong": counts[0],
        "other_wrong": counts[1],
        "bound": found.bound,
        "examples": _examples(found, work, asked) if rows else [],
        "sentence": _sentence(found, counts, len(selection.test)),
    }


def _examples(found: Opinions, work: Work, asked: NDArray[Any]) -> list[Example]:
    """Contested ones first; of these the cheapest."""
    order = {"overruled": 0, "contested": 1, "open": 2, "forced": 3}

    def first(opinion: Opinion) -> tuple[int, int, int]:
        return order[opinion.status], opinion.at_most or 0, opinion.row

    return [
        {
            "row": work.number(int(asked[opinion.row])),
            "label": str(work.y[asked[opinion.row]]),
            "answer": str(opinion.answer),
            "status": opinion.status,
            "sentence": _with_numbers(found, opinion, work),
        }
        for opinion in sorted(found, key=first)[:_EXAMPLES]
    ]


def _with_numbers(found: Opinions, opinion: Opinion, work: Work) -> str:
    """Rows of a conflict by their numbers in the table."""
    selection = work.selection
    assert selection is not None
    return found.sentence(
        opinion.row, lambda row: row_number(work.number(int(selection.fitted_on[row])))
    )


def _sentence(found: Opinions, wrong: tuple[int, int], test_rows: int) -> str:
    """What was settled, and what was not; then how often the rule is wrong on both."""
    n, forced, unsettled = len(found), found.count("forced"), found.count("open")
    k = n - forced - unsettled
    few = "that fits all training rows" if found.separable else "with no more training errors"
    drawn = f"Of {many(test_rows, 'test row')}, {n:,} drawn at random were examined"
    said = (
        f"{drawn if n < test_rows else f'All {test_rows:,} test rows were examined'}: {k:,} "
        f"contested (another linear rule {few} gives the other answer), {forced:,} forced (all "
        f"such rules agree), {unsettled:,} not settled in the short time."
    )
    if not 0 < k < n:
        return said
    oftener = ", more often where contested" if _more_often(wrong, k, n) else ""
    return (
        f"{said} This rule is wrong on {wrong[0]:,} of the {k:,} contested and on {wrong[1]:,} of "
        f"the other {n - k:,}{oftener}."
    )


def _more_often(wrong: tuple[int, int], k: int, n: int) -> bool:
    """Fisher's exact test, one-sided: would chance put so many of the errors among k of n rows?"""
    errors = sum(wrong)
    ways = sum(comb(k, i) * comb(n - k, errors - i) for i in range(wrong[0], min(k, errors) + 1))
    return ways <= _LEVEL * comb(n, errors)
