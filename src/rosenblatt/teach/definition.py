"""The algorithms of a course in exact numbers, and the ways in which programs differ from them.

`run` is the definition where `How()` is left as it is. A known mistake is a `How` with other
fields: so what a wrong program does is computed, and compared with what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

Number = int | Fraction | float  # floats only where a program has a rate of its own

TASKS = ("pla", "pocket", "averaged", "dual", "kernel")
IN_DUAL_FORM = ("dual", "kernel")


class Table(NamedTuple):
    """Rows of whole numbers with labels -1 and +1."""

    X: list[list[int]]
    y: list[int]

    @property
    def d(self) -> int:
        return len(self.X[0])


class Setting(NamedTuple):
    """What the notes say, and what the program was given."""

    task: str
    tie: str = "mistake"
    intercept: bool = True
    eta: Number = 1
    epochs: int | None = None  # None: until an epoch is clean
    updates: int | None = None


class Update(NamedTuple):
    """After it: w, or in dual form α."""

    row: int
    w: tuple[Number, ...]
    b: Number


class Run(NamedTuple):
    """All updates, and what is returned; `ended` is False where the limits here ended it."""

    updates: list[Update]
    w: tuple[Number, ...]
    b: Number
    ended: bool
    scores: list[Number]  # in the end, under the last weights
    clean: bool  # no row calls for an update then
    start: tuple[tuple[Number, ...], Number]


@dataclass(frozen=True)
class How:
    """How it is done. The defaults are the definition."""

    calls: str = "notes"  # a mistake: as the notes have it
    predicts: str = ""  # w += (y - p) x at every row, with this p
    scores_b: bool = True
    scores_y: bool = True  # in dual form: Σ α_j y_j k(x_j, x), not Σ α_j k(x_j, x)
    step_w: str = "y x"
    step_b: str = "y"
    rate: str = "once"
    zero_label: bool = False  # the negative label is 0 in the formulas
    start: int = 0
    restarts: bool = False  # at the first row, after an update
    together: bool = False  # all rows of an epoch are looked at under the weights of its start
    leaves_out: str = ""  # the first or the last row
    ends: str = "clean"
    returns: str = "notes"


MOST_EPOCHS, MOST_UPDATES = 6000, 3000
DEFINITION = How()


class _Learner:
    """w and b, or α and b."""

    def __init__(self, table: Table, setting: Setting, how: How):
        self.how, self.setting, self.table = how, setting, table
        self.dual = setting.task in IN_DUAL_FORM
        self.negative = 0 if how.zero_label else -1
        self.y = [1 if label > 0 else self.negative for label in table.y]
        self.ended = True  # False: the limits of this file came first
        size = len(table.y) if self.dual else table.d
        self.w: list[Number] = [how.start] * size
        self.b: Number = how.start if setting.intercept else 0
        self.size_of_rows = max(sum(v * v for v in x) for x in table.X)
        if self.dual:
            self.gram = [[_kernel(x, z, setting.task) for z in table.X] for x in table.X]

    def score(self, i: int) -> Number:
        b = self.b if self.how.scores_b else 0
        if not self.dual:
            return sum(a * v for a, v in zip(self.w, self.table.X[i], strict=True)) + b
        signed = self.how.scores_y
        return b + sum(
            a * (self.y[j] if signed else 1) * self.gram[j][i] for j, a in enumerate(self.w) if a
        )

    def prediction(self, i: int) -> int:
        s = self.score(i)
        if self.how.predicts == "sign(0) = 0":
            return (s > 0) - (s < 0)
        return int(s > 0 or (s == 0 and self.how.predicts == "1 at 0, else 0"))

    def calls(self, i: int) -> bool:
        s, y, how = self.score(i), self.y[i], self.how.calls
        if self.how.predicts:
            return self.prediction(i) != y
        if how == "whatever the label":
            return s <= 0
        how = self.setting.tie if how == "notes" else how
        if how in ("positive", "negative"):  # what sign(0) is
            predicted = 1 if s > 0 or (s == 0 and how == "positive") else self.negative
            return predicted != y
        if how == "right":
            return y * s < 0
        return y * s < 1 if how == "below 1" else y * s <= 0

    def update(self, i: int) -> None:
        how, y, eta = self.how, self.y[i], self.setting.eta
        if how.predicts:
            y -= self.prediction(i)
        rate = {"once": eta, "twice": eta * eta, "not": 1, "not in b": eta}[how.rate]
        size = 2 * rate if how.step_w == "2 y x" else rate
        sign = {"y x": y, "2 y x": y, "x": 1, "-y x": -y}[how.step_w]
        if self.dual:
            self.w[i] += size * (abs(sign) if how.step_w == "y x" else sign * y)
        else:
            self.w = [a + size * sign * v for a, v in zip(self.w, self.table.X[i], strict=True)]
        if not self.setting.intercept:
            return
        of_b = rate if how.rate != "not in b" else 1
        self.b += (
            of_b
            * {
                "y": y,
                "2 y": 2 * y,
                "0": 0,
                "1": 1,
                "-y": -y,
                "R² y": y * self.size_of_rows,
            }[how.step_b]
        )

    @property
    def now(self) -> tuple[tuple[Number, ...], Number]:
        return tuple(self.w), self.b

    def errors(self) -> int:
        return sum(self.calls(i) for i in range(len(self.y)))


def _kernel(x: Sequence[int], z: Sequence[int], task: str) -> int:
    product = sum(a * b for a, b in zip(x, z, strict=True))
    return product if task == "dual" else (product + 1) ** 2


def run(
    table: Table,
    setting: Setting,
    how: How = DEFINITION,
    rows: list[int] | None = None,
    most: int = MOST_UPDATES,
) -> Run:
    """`rows`: those that made updates, whatever the order they were found in."""
    learner = _Learner(table, setting, how)
    start, made = learner.now, list[Update]()
    seen = _Returned(learner, setting, how)
    steps = _visits(learner, setting, how, made) if rows is None else _followed(learner, rows)
    for i, updated in steps:
        if updated:
            made.append(Update(i, *learner.now))
            if len(made) >= most:
                learner.ended = False
                break
        seen.visit(updated, epoch_over=i == len(table.y) - 1)
    scores = [learner.score(i) for i in range(len(table.y))]
    return Run(made, *seen.result(made), learner.ended, scores, learner.errors() == 0, start)


def _followed(learner: _Learner, rows: list[int]) -> Iterator[tuple[int, bool]]:
    for i in rows:
        if not learner.calls(i):
            return  # no update of this program: the lists will not be the same
        learner.update(i)
        yield i, True


def mistakes_along(table: Table, setting: Setting, rows: list[int]) -> list[list[bool]]:
    """For each row whether it calls for an update: at the start, and after each of these."""
    learner = _Learner(table, setting, DEFINITION)
    mistakes = [[learner.calls(i) for i in range(len(table.y))]]
    for i in rows:
        learner.update(i)
        mistakes.append([learner.calls(j) for j in range(len(table.y))])
    return mistakes


MOST_STATES = 3000


def ends_in_any_order(table: Table, setting: Setting) -> list[tuple[list[Number], Number]] | None:
    """All weights that make no mistake and are reached by updates of mistakes, in whatever order.

    None: there are too many to be listed.
    """
    learner = _Learner(table, setting, DEFINITION)
    todo, ends = [learner.now], list[tuple[list[Number], Number]]()
    known = set(todo)
    while todo:
        state = todo.pop()
        learner.w, learner.b = list(state[0]), state[1]
        mistakes = [i for i in range(len(table.y)) if learner.calls(i)]
        if not mistakes:
            ends.append((list(state[0]), state[1]))
        for i in mistakes:
            learner.w, learner.b = list(state[0]), state[1]
            learner.update(i)
            if learner.now not in known:
                known.add(learner.now)
                todo.append(learner.now)
        if len(known) > MOST_STATES:
            return None
    return ends


def separates(table: Table, setting: Setting, w: Sequence[float], b: Sequence[float]) -> bool:
    """No row is a mistake under these weights."""
    learner = _Learner(table, setting, DEFINITION)
    if len(w) != len(learner.w) or len(b) > 1:
        return False
    learner.w, learner.b = [Fraction(v) for v in w], Fraction(b[0]) if b else 0
    return learner.errors() == 0


def _visits(
    learner: _Learner, setting: Setting, how: How, made: list[Update]
) -> Iterator[tuple[int, bool]]:
    """Rows as they are visited, and whether each made an update."""
    rows = list(range(len(learner.y)))
    rows = {"": rows, "first": rows[1:], "last": rows[:-1]}[how.leaves_out]
    most = setting.epochs if setting.epochs is not None else MOST_EPOCHS
    for epoch in range(most):
        clean, place = True, 0
        called = [learner.calls(i) for i in rows] if how.together else []
        while place < len(rows):
            i = rows[place]
            updated = called[place] if how.together else learner.calls(i)
            if updated:
                learner.update(i)
                clean = False
            yield i, updated
            if setting.updates is not None and len(made) >= setting.updates:
                return
            if not updated and how.ends == "first right row":
                return
            place += 1
            if updated and how.restarts:
                place, clean = 0, True
        stops = setting.epochs is None or setting.task != "averaged" or how.ends == "when clean"
        if (clean and stops) or how.ends == f"{epoch + 1} epochs":
            learner.ended = how.ends != "never"
            return
    learner.ended = setting.epochs is not None


class _Returned:
    """What is returned: the last weights, an average, or those in the pocket."""

    def __init__(self, learner: _Learner, setting: Setting, how: How):
        self.learner, self.task, self.how = learner, setting.task, how.returns
        size = len(learner.w) + 1
        self.sum: list[Number] = [0] * size
        self.sum_of_epoch: list[Number] = [0] * size
        self.visits = self.updates = self.epochs = self.visits_of_epoch = 0
        self.of_last_epoch: list[Number] = [0] * size
        self.before = learner.now  # before the last visit
        self.stale = learner.now  # before the last update
        self.pocket = learner.now
        self.fewest = learner.errors() if setting.task == "pocket" else 0
        self.last_errors = self.fewest

    def visit(self, updated: bool, *, epoch_over: bool) -> None:
        if self.task == "averaged":
            self._average(updated, epoch_over)
        if updated:
            self.updates += 1
            self.stale = self.before
            if self.task == "pocket" and self.how not in ("once an epoch", "the last"):
                self._compare()
        if self.task == "pocket" and self.how == "once an epoch" and epoch_over:
            self._compare()
        self.before = self.learner.now

    def _compare(self) -> None:
        errors = self.learner.errors()
        best = self.last_errors if self.how == "compared with the last" else self.fewest
        first = self.how == "filled by the first update" and self.updates == 1
        if first or errors < best or (self.how == "newer of equal" and errors == best):
            self.pocket, self.fewest = self.learner.now, errors
        self.last_errors = errors

    def _average(self, updated: bool, epoch_over: bool) -> None:
        w, b = self.before if self.how == "before each visit" else self.learner.now
        wanted = {"after updates": updated, "after epochs": epoch_over}.get(self.how, True)
        self.visits += 1
        self.visits_of_epoch += 1
        if wanted:
            self.sum = [a + v for a, v in zip(self.sum, (*w, b), strict=True)]
            self.sum_of_epoch = [a + v for a, v in zip(self.sum_of_epoch, (*w, b), strict=True)]
        if epoch_over:
            self.epochs += 1
            self.of_last_epoch = [Fraction(v) / self.visits_of_epoch for v in self.sum_of_epoch]
            self.sum_of_epoch, self.visits_of_epoch = [0] * len(self.sum), 0

    def result(self, made: list[Update]) -> tuple[tuple[Number, ...], Number]:
        last = self.learner.now
        if self.how == "before the last update":
            return self.stale
        if self.task == "pocket":
            w, b = last if self.how in ("the last", "not copied") else self.pocket
            return w, self.pocket[1] if self.how == "not copied" else b
        if self.task != "averaged" or self.how == "the last":
            return last
        n = len(self.learner.y)
        by = {
            "after updates": self.updates,
            "after epochs": self.epochs,
            "the sum": 1,
            "the sum by rows": n,
            "the sum by updates": self.updates,
            "with the start": self.visits + 1,
        }.get(self.how, self.visits)
        mean: list[Number] = [Fraction(v) / max(by, 1) for v in self.sum]
        if self.how == "the last epoch":
            mean = self.of_last_epoch
        if self.how == "w alone":
            mean[-1] = Fraction(last[1])
        return tuple(mean[:-1]), mean[-1]


def same(seen: Sequence[float], wanted: Sequence[Any], scale: float = 1.0) -> bool:
    return len(seen) == len(wanted) and all(
        abs(s - scale * float(w)) <= 1e-9 * (1 + abs(scale * float(w)))
        for s, w in zip(seen, wanted, strict=True)
    )
