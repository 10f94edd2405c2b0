"""The mistakes that are known by name: what differs, in the words of the formula, and a hint."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rosenblatt.teach.definition import DEFINITION, IN_DUAL_FORM, TASKS, How


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
    name: str,
    says: str,
    hint: str,
    *,
    tasks: tuple[str, ...] = TASKS,
    needs: str = "",
    **change: object,
) -> Mistake:
    return Mistake(name, replace(DEFINITION, **change), says, hint, tasks, needs)  # type: ignore[arg-type]


_CONDITION = "Look at the condition of the update: what exactly is a mistake in the notes?"
_UPDATE = "Look at the line that changes w."
_INTERCEPT = "Look at the line that changes b."
_SCORE = "Look at the line that computes the score."
_LOOP = "Look at the loop: which row comes after which?"
_END = "Look at when the loop ends."
_RESULT = "Look at what is returned."

MISTAKES: tuple[Mistake, ...] = (
    # What calls for an update.
    _known(
        "a score of 0 is right",
        "passes a row whose score is 0, whatever its label: < where the notes have <=",
        _CONDITION,
        calls="right",
    ),
    _known(
        "sign(0) = +1",
        "takes sign(0) as +1, so that a score of 0 is right for a positive row",
        _CONDITION,
        calls="positive",
    ),
    _known(
        "sign(0) = -1",
        "takes sign(0) as -1, so that a score of 0 is right for a negative row",
        _CONDITION,
        calls="negative",
    ),
    _known(
        "a score of 0 is a mistake",
        "updates at a score of 0 whatever the label: <= where the notes have a sign",
        _CONDITION,
        calls="mistake",
    ),
    _known(
        "label forgotten in the condition",
        "compares the score with 0, not y times the score",
        _CONDITION,
        calls="whatever the label",
    ),
    _known(
        "margin 1",
        "updates while y times the score is below 1: that is the hinge loss, not the perceptron",
        _CONDITION,
        calls="below 1",
    ),
    # The score.
    _known(
        "b forgotten in the score",
        "leaves b out of the score: w·x where the notes have w·x + b",
        _SCORE,
        scores_b=False,
        needs="intercept",
    ),
    _known(
        "label forgotten in the sum",
        "sums α_j k(x_j, x) where the notes have α_j y_j k(x_j, x)",
        _SCORE,
        scores_y=False,
        tasks=IN_DUAL_FORM,
    ),
    # The update of w or α.
    _known(
        "label forgotten in the update",
        "adds x where the notes add y x",
        _UPDATE,
        step_w="x",
        tasks=_PRIMAL,
    ),
    _known(
        "label forgotten in w and b",
        "adds x to w and 1 to b where the notes add y x and y",
        _UPDATE,
        step_w="x",
        step_b="1",
        tasks=_PRIMAL,
        needs="intercept",
    ),
    _known(
        "y added to α",
        "adds y to α where the notes add 1: the label is in the sum already",
        "Look at the line that changes α.",
        step_w="x",
        tasks=IN_DUAL_FORM,
    ),
    _known(
        "wrong way",
        "subtracts what the notes add",
        _UPDATE,
        step_w="-y x",
        step_b="-y",
    ),
    _known(
        "wrong way for w",
        "subtracts y x from w where the notes add it",
        _UPDATE,
        step_w="-y x",
        needs="intercept",
    ),
    _known(
        "doubled step",
        "adds twice the step: (y - sign(score)) x is 2 y x at a mistake",
        _UPDATE,
        step_w="2 y x",
        step_b="2 y",
        needs="rate",
    ),
    _known(
        "doubled step for w",
        "adds twice the step to w and not to b",
        _UPDATE,
        step_w="2 y x",
        needs="intercept",
    ),
    # The update of b.
    _known(
        "b never changes",
        "never changes b",
        _INTERCEPT,
        step_b="0",
        needs="intercept",
    ),
    _known(
        "label forgotten in b",
        "adds 1 to b where the notes add y",
        _INTERCEPT,
        step_b="1",
        needs="intercept",
    ),
    _known(
        "wrong way for b",
        "subtracts y from b where the notes add it",
        _INTERCEPT,
        step_b="-y",
        needs="intercept",
    ),
    _known(
        "doubled step for b",
        "adds 2 y to b where the notes add y",
        _INTERCEPT,
        step_b="2 y",
        needs="intercept",
    ),
    _known(
        "b scaled by R²",
        "adds y R² to b, with R the length of the longest row, where the notes add y",
        _INTERCEPT,
        step_b="R² y",
        tasks=(*_PRIMAL, "dual"),
        needs="intercept",
    ),
    # The learning rate.
    _known(
        "rate applied twice",
        "multiplies by the learning rate twice",
        _UPDATE,
        rate="twice",
        needs="rate",
    ),
    _known("rate ignored", "does not use the learning rate", _UPDATE, rate="not", needs="rate"),
    _known(
        "rate forgotten in b",
        "uses the learning rate for w and not for b",
        _INTERCEPT,
        rate="not in b",
        needs="rate and intercept",
    ),
    # Labels.
    _known(
        "labels 0 and 1 used as they are",
        "uses the label 0 in formulas that are about -1 and +1",
        "Look at the values of y before the first update.",
        zero_label=True,
        needs="labels 0 and 1",
    ),
    # The way through the rows.
    _known(
        "starts again after an update",
        "goes back to the first row after every update",
        _LOOP,
        restarts=True,
        tasks=(*_TO_THE_END, "pocket"),
    ),
    _known(
        "one look for all",
        "looks at all rows under the weights from before the epoch, and then makes all updates",
        _LOOP,
        together=True,
    ),
    _known("first row left out", "never visits the first row", _LOOP, leaves_out="first"),
    _known("last row left out", "never visits the last row", _LOOP, leaves_out="last"),
    # The start.
    _known("starts from ones", "starts from ones, not from zeros", "Look at the start.", start=1),
    # The end.
    _known(
        "ends at the first right row",
        "ends at the first row that is right; all rows must be right under the same weights",
        _END,
        ends="first right row",
    ),
    _known(
        "one epoch",
        "ends after one epoch",
        _END,
        ends="1 epochs",
    ),
    _known(
        "ends when an epoch is clean",
        "ends when an epoch is clean; the average is over all epochs that were asked for",
        _END,
        ends="when clean",
        tasks=("averaged",),
    ),
    # What is returned.
    _known(
        "weights from before the last update",
        "returns the weights from before the last update",
        _RESULT,
        returns="before the last update",
        tasks=_TO_THE_END,
    ),
    _known(
        "last weights, no average",
        "returns the last weights, not their average",
        _RESULT,
        returns="the last",
        tasks=("averaged",),
    ),
    _known(
        "average of the last epoch",
        "averages over the last epoch alone",
        _RESULT,
        returns="the last epoch",
        tasks=("averaged",),
    ),
    _known(
        "average over updates",
        "averages over updates, where every visit counts",
        _RESULT,
        returns="after updates",
        tasks=("averaged",),
    ),
    _known(
        "average over epochs",
        "averages the weights at the ends of epochs, where every visit counts",
        _RESULT,
        returns="after epochs",
        tasks=("averaged",),
    ),
    _known(
        "average includes the start",
        "counts the weights before each visit, the start among them, not those after it",
        _RESULT,
        returns="before each visit",
        tasks=("averaged",),
    ),
    _known(
        "average counts the start",
        "divides by one visit too many: it counts the start",
        _RESULT,
        returns="with the start",
        tasks=("averaged",),
    ),
    _known(
        "sum, not divided",
        "returns the sum of the weights, not divided by the visits",
        _RESULT,
        returns="the sum",
        tasks=("averaged",),
    ),
    _known(
        "sum divided by the rows",
        "divides the sum of the weights by the rows, where there are rows times epochs visits",
        _RESULT,
        returns="the sum by rows",
        tasks=("averaged",),
    ),
    _known(
        "sum divided by the updates",
        "divides the sum over visits by the updates",
        _RESULT,
        returns="the sum by updates",
        tasks=("averaged",),
    ),
    _known(
        "b not averaged",
        "averages w and returns the last b",
        _RESULT,
        returns="w alone",
        tasks=("averaged",),
        needs="intercept",
    ),
    _known(
        "pocket is the last",
        "returns the last weights (a pocket that is not copied changes with w)",
        _RESULT,
        returns="the last",
        tasks=("pocket",),
    ),
    _known(
        "pocket compared with the last",
        "compares with the errors of the weights before the update, not with those in the pocket",
        "Look at what the new weights are compared with.",
        returns="compared with the last",
        tasks=("pocket",),
    ),
    _known(
        "pocket replaced by equals",
        "replaces the pocket by newer weights with as many errors",
        "Look at the comparison: what happens with equally many errors?",
        returns="newer of equal",
        tasks=("pocket",),
    ),
    _known(
        "pocket once an epoch",
        "looks at the pocket once an epoch, not after every update",
        "Look at when weights are compared.",
        returns="once an epoch",
        tasks=("pocket",),
    ),
)

SHUFFLES_ONCE = Mistake(
    "shuffles once",
    DEFINITION,  # each of its updates is right
    "goes through the rows in one order of its own, the same in every epoch; the notes shuffle "
    "anew",
    "Look at where the rows are shuffled.",
    _TO_THE_END,
)
"""Seen in the order of recorded updates, not by a run: see order.py."""


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
