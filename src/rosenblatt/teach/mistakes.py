"""The mistakes that are known by name, in the words of the formula, and what tells them apart."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

from rosenblatt.teach.definition import (
    DEFINITION,
    IN_DUAL_FORM,
    TASKS,
    How,
    Setting,
    Table,
    mistakes_along,
)


@dataclass(frozen=True)
class Mistake:
    """What a program does instead. `says` follows "your program ..."."""

    name: str
    how: How
    says: str
    hint: str  # what to look at, without the answer
    tasks: tuple[str, ...] = TASKS
    needs: str = ""  # "intercept", "rate", "rate and intercept" or "labels 0 and 1"


_PRIMAL = tuple(task for task in TASKS if task not in IN_DUAL_FORM)
_TO_THE_END = ("pla", "dual", "kernel")  # end when an epoch is clean


def _known(
    hint: str,
    *rows: tuple[str, str, dict[str, Any]],
    tasks: tuple[str, ...] = TASKS,
    needs: str = "",
) -> list[Mistake]:
    """Of each row its name, what it says, and the change to the definition."""
    return [
        Mistake(name, replace(DEFINITION, **change), says, hint, tasks, needs)
        for name, says, change in rows
    ]


_UPDATE = "Look at the line that changes w."
_INTERCEPT = "Look at the line that changes b."
_SCORE = "Look at the line that computes the score."
_LOOP = "Look at the loop: which row comes after which?"
_END = "Look at when the loop ends."
_RESULT = "Look at what is returned."

MISTAKES: tuple[Mistake, ...] = (
    *_known(
        "Look at the condition of the update: what exactly is a mistake in the notes?",
        (
            "a score of 0 is right",
            "passes a row whose score is 0, whatever its label: < where the notes have <=",
            {"calls": "right"},
        ),
        (
            "sign(0) = +1",
            "takes sign(0) as +1, so that a score of 0 is right for a positive row",
            {"calls": "positive"},
        ),
        (
            "sign(0) = -1",
            "takes sign(0) as -1, so that a score of 0 is right for a negative row",
            {"calls": "negative"},
        ),
        (
            "a score of 0 is a mistake",
            "updates at a score of 0 whatever the label: <= where the notes have a sign",
            {"calls": "mistake"},
        ),
        (
            "label forgotten in the condition",
            "compares the score with 0, not y times the score",
            {"calls": "whatever the label"},
        ),
        (
            "margin 1",
            "updates while y times the score is below 1: that is the hinge loss, not the "
            "perceptron",
            {"calls": "below 1"},
        ),
    ),
    *_known(
        _SCORE,
        (
            "b forgotten in the score",
            "leaves b out of the score: w·x where the notes have w·x + b",
            {"scores_b": False},
        ),
        needs="intercept",
    ),
    *_known(
        _SCORE,
        (
            "label forgotten in the sum",
            "sums α_j k(x_j, x) where the notes have α_j y_j k(x_j, x)",
            {"scores_y": False},
        ),
        tasks=IN_DUAL_FORM,
    ),
    *_known(
        _UPDATE,
        ("label forgotten in the update", "adds x where the notes add y x", {"step_w": "x"}),
        tasks=_PRIMAL,
    ),
    *_known(
        _UPDATE,
        (
            "label forgotten in w and b",
            "adds x to w and 1 to b where the notes add y x and y",
            {"step_w": "x", "step_b": "1"},
        ),
        tasks=_PRIMAL,
        needs="intercept",
    ),
    *_known(
        "Look at the prediction: which values can it have, and which have the labels?",
        (
            "0 and 1 predicted",
            "adds (y - p) x with a prediction p of 0 or 1, where the labels are -1 and +1: "
            "negative rows that are right make updates, too",
            {"predicts": "1 at 0, else 0"},
        ),
        (
            "0 and 1 predicted, 0 at a score of 0",
            "adds (y - p) x with a prediction p of 0 or 1 (0 at a score of 0), where the labels "
            "are -1 and +1: negative rows that are right make updates, too",
            {"predicts": "0 at 0"},
        ),
        (
            "sign(0) = 0",
            "adds (y - sign(score)) x with sign(0) = 0: y x at a score of 0, and 2 y x at other "
            "mistakes",
            {"predicts": "sign(0) = 0"},
        ),
        tasks=("pla",),
    ),
    *_known(
        "Look at the line that changes α.",
        (
            "y added to α",
            "adds y to α where the notes add 1: the label is in the sum already",
            {"step_w": "x"},
        ),
        tasks=IN_DUAL_FORM,
    ),
    *_known(
        _UPDATE,
        ("wrong way", "subtracts what the notes add", {"step_w": "-y x", "step_b": "-y"}),
    ),
    *_known(
        _UPDATE,
        ("wrong way for w", "subtracts y x from w where the notes add it", {"step_w": "-y x"}),
        ("doubled step for w", "adds twice the step to w and not to b", {"step_w": "2 y x"}),
        needs="intercept",
    ),
    *_known(
        _UPDATE,
        (
            "doubled step",
            "adds twice the step: (y - sign(score)) x is 2 y x at a mistake",
            {"step_w": "2 y x", "step_b": "2 y"},
        ),
        ("rate applied twice", "multiplies by the learning rate twice", {"rate": "twice"}),
        ("rate ignored", "does not use the learning rate", {"rate": "not"}),
        needs="rate",
    ),
    *_known(
        _INTERCEPT,
        ("b never changes", "never changes b", {"step_b": "0"}),
        ("label forgotten in b", "adds 1 to b where the notes add y", {"step_b": "1"}),
        ("wrong way for b", "subtracts y from b where the notes add it", {"step_b": "-y"}),
        ("doubled step for b", "adds 2 y to b where the notes add y", {"step_b": "2 y"}),
        needs="intercept",
    ),
    *_known(
        _INTERCEPT,
        (
            "b scaled by R²",
            "adds y R² to b, with R the length of the longest row, where the notes add y",
            {"step_b": "R² y"},
        ),
        tasks=(*_PRIMAL, "dual"),
        needs="intercept",
    ),
    *_known(
        _INTERCEPT,
        ("rate forgotten in b", "uses the learning rate for w and not for b", {"rate": "not in b"}),
        needs="rate and intercept",
    ),
    *_known(
        "Look at the values of y before the first update.",
        (
            "labels 0 and 1 used as they are",
            "uses the label 0 in formulas that are about -1 and +1",
            {"zero_label": True},
        ),
        needs="labels 0 and 1",
    ),
    *_known(
        _LOOP,
        (
            "starts again after an update",
            "goes back to the first row after every update",
            {"restarts": True},
        ),
        tasks=(*_TO_THE_END, "pocket"),
    ),
    *_known(
        _LOOP,
        (
            "one look for all",
            "looks at all rows under the weights from before the epoch, and then makes all updates",
            {"together": True},
        ),
        ("first row left out", "never visits the first row", {"leaves_out": "first"}),
        ("last row left out", "never visits the last row", {"leaves_out": "last"}),
    ),
    *_known(
        "Look at the start.",
        ("starts from ones", "starts from ones, not from zeros", {"start": 1}),
    ),
    *_known(
        _END,
        (
            "ends at the first right row",
            "ends at the first row that is right; all rows must be right under the same weights",
            {"ends": "first right row"},
        ),
        ("one epoch", "ends after one epoch", {"ends": "1 epochs"}),
    ),
    *_known(
        _END,
        (
            "never ends",
            "does not end when an epoch is clean: all rows are right, and it looks at them again "
            "and again",
            {"ends": "never"},
        ),
        tasks=_TO_THE_END,
    ),
    *_known(
        _RESULT,
        (
            "weights from before the last update",
            "returns the weights from before the last update",
            {"returns": "before the last update"},
        ),
        tasks=_TO_THE_END,
    ),
    *_known(
        _RESULT,
        (
            "last weights, no average",
            "returns the last weights, not their average",
            {"returns": "the last"},
        ),
        (
            "average of the last epoch",
            "averages over the last epoch alone",
            {"returns": "the last epoch"},
        ),
        (
            "average over updates",
            "averages over updates, where every visit counts",
            {"returns": "after updates"},
        ),
        (
            "average over epochs",
            "averages the weights at the ends of epochs, where every visit counts",
            {"returns": "after epochs"},
        ),
        (
            "average includes the start",
            "counts the weights before each visit, the start among them, not those after it",
            {"returns": "before each visit"},
        ),
        (
            "average counts the start",
            "divides by one visit too many: it counts the start",
            {"returns": "with the start"},
        ),
        (
            "sum, not divided",
            "returns the sum of the weights, not divided by the visits",
            {"returns": "the sum"},
        ),
        (
            "sum divided by the rows",
            "divides the sum of the weights by the rows, where there are rows times epochs visits",
            {"returns": "the sum by rows"},
        ),
        (
            "sum divided by the updates",
            "divides the sum over visits by the updates",
            {"returns": "the sum by updates"},
        ),
        tasks=("averaged",),
    ),
    *_known(
        _RESULT,
        ("b not averaged", "averages w and returns the last b", {"returns": "w alone"}),
        tasks=("averaged",),
        needs="intercept",
    ),
    *_known(
        _RESULT,
        (
            "pocket is the last",
            "returns the last weights (a pocket that is not copied changes with w)",
            {"returns": "the last"},
        ),
        tasks=("pocket",),
    ),
    *_known(
        _RESULT,
        (
            "pocket is not a copy",
            "keeps w itself in the pocket, not a copy: it changes with every update, and is "
            "returned with the b of the best weights",
            {"returns": "not copied"},
        ),
        tasks=("pocket",),
        needs="intercept",
    ),
    *_known(
        "Look at what the new weights are compared with.",
        (
            "pocket compared with the last",
            "compares with the errors of the weights before the update, not with those in the "
            "pocket",
            {"returns": "compared with the last"},
        ),
        tasks=("pocket",),
    ),
    *_known(
        "Look at the comparison: what happens with equally many errors?",
        (
            "pocket replaced by equals",
            "replaces the pocket by newer weights with as many errors",
            {"returns": "newer of equal"},
        ),
        tasks=("pocket",),
    ),
    *_known(
        "Look at when weights are compared.",
        (
            "pocket once an epoch",
            "looks at the pocket once an epoch, not after every update",
            {"returns": "once an epoch"},
        ),
        tasks=("pocket",),
    ),
)


def of_task(task: str, *, intercept: bool, tie: str, has: frozenset[str]) -> list[Mistake]:
    """Those that a program for this task can have; `has`: "rate", "labels 0 and 1"."""
    able = has | ({"intercept"} if intercept else set())
    if {"rate", "intercept"} <= able:
        able |= {"rate and intercept"}
    return [
        m
        for m in MISTAKES
        if task in m.tasks and (not m.needs or m.needs in able) and m.how.calls != tie
    ]


# --- The same order in every epoch ---------------------------------------------------------------
#
# Rows that are no mistakes leave no record. But the recorded updates say what is a mistake at every
# moment, so for an order of the rows it is known which updates an epoch in that order makes.


SHUFFLES_ONCE = Mistake(
    "shuffles once",
    DEFINITION,  # each of its updates is right
    "goes through the rows in one order of its own, the same in every epoch; the notes shuffle "
    "anew",
    "Look at where the rows are shuffled.",
    _TO_THE_END,
)

NOT_RECORDED = Mistake(
    "an order that is not recorded",
    DEFINITION,  # its weights can be reached
    "visits the rows in an order of its own and does not record its updates, so that they cannot "
    "be followed; its weights separate the rows",
    "Add a parameter record, and call record(i, w, b) after each update.",
    _TO_THE_END,
)

RECORD_MISUSED = Mistake(
    "record is misused",
    DEFINITION,  # what it returns is right
    "does not call record once after each update, so that its updates cannot be followed",
    "Look at where record is called.",
)

W_ALONE = Mistake(
    "w returned alone", DEFINITION, "returns w alone, without b", "Look at what is returned."
)

NO_B = Mistake(
    "no intercept",
    replace(DEFINITION, step_b="0"),
    "has no b: it returns w alone, where the notes have w·x + b",
    "Look at the score: which parts does it have in the notes?",
)

HAS_B = Mistake(
    "an intercept",
    DEFINITION,
    "has an intercept b, and these notes have none: the hyperplane goes through the origin",
    "Look at the score: which parts does it have in the notes?",
)

RETURNS_W = Mistake(
    "w in the place of α",
    DEFINITION,
    "returns w, where α is asked for, with one number for each row",
    "Look at what is returned.",
    ("dual",),
)

EXCHANGED = {
    layout: Mistake(
        "rows and columns exchanged",
        DEFINITION,
        f"takes the points as the {layout} of X, and here they are its {others}",
        "Look at the shape of X: which index is that of the points?",
    )
    for layout, others in (("rows", "columns"), ("columns", "rows"))
}
"""By what the program takes for a point."""

ONLY_FOR_W = next(mistake for mistake in MISTAKES if mistake.name == "rate forgotten in b")
USUAL_RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.5, 3, 5, 10)

CHANCE = 1e-4
"""At most so often a program that shuffles in every epoch is taken for one that does not."""


def repeats_one_order(
    tables: Sequence[Table], setting: Setting, updates: Sequence[list[int]]
) -> bool:
    """The same order, other than that of the rows, in all epochs of each table; not by chance.

    Of K tables, one with n rows: at most n! lists of updates come from one order, so a fresh
    shuffle makes one of those whose probability is at most CHANCE / (K n!) with a probability of at
    most CHANCE / K, and one such table among K with at most CHANCE. Tables need not be independent:
    a program may set its seed again for each.
    """
    in_the_order_of_the_rows, improbable = True, False
    for table, rows in zip(tables, updates, strict=True):
        called = mistakes_along(table, setting, rows)
        orders = list(permutations(range(len(table.y))))
        repeated = [order for order in orders if _repeated(order, called, rows)]
        if not repeated:
            return False
        in_the_order_of_the_rows &= orders[0] in repeated
        most = CHANCE / (len(tables) * math.factorial(len(table.y)))
        improbable = improbable or _probability(orders, called, rows) <= most
    return improbable and not in_the_order_of_the_rows


def _epoch(order: tuple[int, ...], called: list[list[bool]], rows: list[int], k: int) -> int | None:
    """After k updates, how many there are after an epoch in this order; None: it makes others."""
    for i in order:
        if called[k][i]:
            if k == len(rows) or rows[k] != i:
                return None
            k += 1
    return k


def _repeated(order: tuple[int, ...], called: list[list[bool]], rows: list[int]) -> bool:
    k: int | None = 0
    while k is not None and k < len(rows):
        k = _epoch(order, called, rows, k)
    return k is not None


def _probability(orders: list[tuple[int, ...]], called: list[list[bool]], rows: list[int]) -> float:
    """Of these updates, when each epoch has an order drawn anew.

    p(k) = Σ p(k after the epoch) / n! over the orders that make the next updates, and p(all) = 1.
    """
    p = [0.0] * len(rows) + [1.0]
    for k in reversed(range(len(rows))):
        ends = [_epoch(order, called, rows, k) for order in orders]
        p[k] = sum(p[end] for end in ends if end is not None) / len(orders)
    return p[0]


# --- Tables: for each two mistakes, one on which they differ -------------------------------------
#
# They were found by a search that takes, again and again, the table which tells apart the most
# pairs that are left. Half numbers are exact, too. A program sees them with columns exchanged and
# signs turned at random: what it does is the same but for that, and a list of answers is of no use.

# Rows, labels, and what the rows are divided by.
_CASES: dict[str, list[tuple[list[list[int]], list[int], int]]] = {
    "pla": [
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[0, 2], [0, -3], [-3, 3]], [-1, 1, 1], 1),
        ([[-1, 0], [-2, -1], [0, 2]], [1, -1, 1], 2),
        ([[2, 3], [0, 1], [-1, 2]], [1, -1, -1], 2),
        ([[-1, 1], [-1, 1], [-1, 3], [0, -3]], [1, 1, 1, -1], 1),
        ([[-1, 3], [-2, -1], [-1, 1], [2, -1]], [-1, -1, -1, 1], 2),
        ([[3, 0], [-2, 1], [1, 2], [-1, -3]], [1, -1, 1, -1], 1),
    ],
    "pocket": [
        ([[-3, 2], [-1, 1], [-3, -3], [0, -3], [2, 3]], [1, -1, -1, 1, -1], 1),
        ([[-1, -2], [-3, 1], [-2, 2], [0, -3], [2, -3], [2, 1]], [1, 1, -1, 1, -1, -1], 2),
        ([[-3, -3], [0, -2], [-1, 3], [0, 2], [-1, 0], [3, 3]], [1, 1, 1, -1, -1, -1], 1),
        ([[-2, -1], [0, -1], [3, 1]], [1, -1, -1], 1),
        ([[0, 1], [-1, -3], [-2, 0], [-1, 1], [0, 1]], [-1, 1, 1, -1, 1], 1),
        ([[-2, 3], [2, 0], [-3, -1], [1, -1], [2, -1], [2, -3]], [1, -1, -1, 1, 1, -1], 1),
        ([[-2, -1], [1, 2], [1, -3]], [1, -1, -1], 1),
        ([[2, 3], [-3, 2], [2, 3], [-1, -3], [0, 3]], [1, 1, 1, 1, -1], 2),
    ],
    "averaged": [
        ([[-2, -3], [2, -2], [2, 2], [-1, 2]], [1, -1, 1, -1], 1),
        ([[2, 0], [-3, -1], [-1, 0], [-3, -3], [-3, 2], [-3, -3]], [1, -1, -1, -1, 1, -1], 2),
        ([[2, 1], [-1, -3], [3, 1]], [-1, 1, -1], 1),
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[1, 0], [-1, 0]], [1, -1], 1),
    ],
    "dual": [
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[0, -1], [-1, -2], [2, -3], [0, -3]], [1, 1, -1, 1], 2),
        ([[-1, 0], [-1, 2], [0, -2]], [-1, 1, -1], 2),
        ([[-3, 3], [1, 2], [-2, -3]], [1, -1, 1], 1),
        ([[0, -1], [2, -1], [1, -1], [3, -1], [1, 1]], [-1, -1, -1, -1, 1], 1),
    ],
    "kernel": [
        ([[-1, -3], [2, 3], [1, -1], [2, 0], [-1, 1], [2, -3]], [1, -1, 1, -1, 1, -1], 1),
        ([[2, 3], [-2, 3], [2, 0], [1, 1], [-1, 0], [0, 2]], [-1, -1, 1, 1, -1, -1], 1),
        ([[-1, 1], [1, 1], [-1, -2]], [-1, 1, -1], 2),
        ([[3, -1], [2, 2], [-2, -2], [-3, 3], [1, 2], [3, -3]], [-1, -1, 1, -1, -1, 1], 1),
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1], 1),
    ],
}

_LONG = ([[20, 1], [21, 1]], [1, -1], 1)
"""It takes more than a thousand epochs: a program that ends after a fixed number shows here."""

_LINEAR = ([[5, 0], [-1, 0], [-1, 0], [-5, -1]], [-1, 1, 1, -1], 1)
_MANY_EPOCHS = {
    "pla": _LINEAR,
    "dual": _LINEAR,
    "kernel": ([[-5, 0], [-4, -3], [2, -4], [-2, -3]], [1, -1, -1, 1], 1),
}
"""Most orders make updates in so many epochs that one order is told from fresh ones."""


def tables(task: str, seed: int, *, shuffled: bool = False) -> list[Table]:
    """Those of a task; `seed` permutes their columns and flips signs."""
    chance = random.Random(seed)
    more = [_MANY_EPOCHS[task]] if shuffled and task in _MANY_EPOCHS else []
    given = [*_CASES[task], *more, *([_LONG] if task in ("pla", "dual") else [])]
    return [_turned(_table(*case), chance) for case in given]


def _table(X: list[list[int]], y: list[int], by: int) -> Table:
    def exact(v: int) -> Any:
        return v if by == 1 else Fraction(v, by)

    return Table([[exact(v) for v in x] for x in X], y)


def _turned(table: Table, chance: random.Random) -> Table:
    order = list(range(table.d))
    chance.shuffle(order)
    signs = [chance.choice((-1, 1)) for _ in order]
    X = [[s * x[j] for j, s in zip(order, signs, strict=True)] for x in table.X]
    return Table(X, table.y)
