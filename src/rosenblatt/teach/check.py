"""Check a program for the perceptron, update by update."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from rosenblatt._util.spelling import option
from rosenblatt._util.text import many
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError, MissingFileError
from rosenblatt.teach import sandbox
from rosenblatt.teach.definition import (
    DEFINITION,
    IN_DUAL_FORM,
    MOST_UPDATES,
    TASKS,
    How,
    Run,
    Setting,
    Table,
    Update,
    ends_in_any_order,
    mistakes_along,
    run,
    same,
    separates,
)
from rosenblatt.teach.mistakes import (
    EXCHANGED,
    HAS_B,
    NO_B,
    NOT_RECORDED,
    ONLY_FOR_W,
    RECORD_MISUSED,
    RETURNS_W,
    SHUFFLES_ONCE,
    USUAL_RATES,
    W_ALONE,
    Mistake,
    of_task,
    repeats_one_order,
    tables,
)
from rosenblatt.teach.notes import Notes, notes_of
from rosenblatt.teach.report import Case, Difference, Report
from rosenblatt.teach.sandbox import Limits

LIMITS = Limits()
RATE = 3  # that a program is given which asks for one: its square and its double differ
LONG = 10**6  # epochs for a program that asks for a limit and should not need it
RECORD_IT = "To see the wrong update, add a parameter record, and call record(i, w, b) after each"
_EPOCHS = {"averaged": 10}
_UPDATES = {"pocket": 25}
_ALLOWED = {
    # Of the library's own averaged perceptron, and of a pocket that begins without weights.
    "averaged": (DEFINITION, replace(DEFINITION, ends="when clean")),
    "pocket": (DEFINITION, replace(DEFINITION, returns="filled by the first update")),
}


def check(
    function: Callable[..., Any] | str | os.PathLike[str],
    task: str = "pla",
    notes: str = "li-hang",
    *,
    labels: Sequence[int] = (-1, 1),
    layout: Literal["rows", "columns"] | None = None,
    fit_intercept: bool | None = None,
    tie: Literal["mistake", "positive", "negative"] | None = None,
    order: Literal["any", "cyclic", "shuffle"] | None = None,
    points: float = 10.0,
    random_state: int = 0,
    limits: Limits = LIMITS,
) -> Report:
    """Compare a program with the definition of the notes, update by update, and name its mistake.

    Parameters
    ----------
    function : function, "file.py:name" or "file.py"
        What a student has written, in one of these forms; a file without a name has one such
        function. `train(X, y)` returns `w, b` (or one
        vector of d + 1 weights); with a parameter `record` it calls `record(i, w, b)` after every
        update; as a generator it yields `i, w, b`. `update(w, b, x, y)` returns the new `w, b`. For
        task="dual" there is α in the place of w, and for task="kernel", too, where X is the Gram
        matrix of (x·z + 1)², unless the program asks for a `kernel`. It may ask for a learning rate
        (`eta`), for `epochs` and for `max_updates`.
    task : {"pla", "pocket", "averaged", "dual", "kernel"}, default="pla"
        "pocket" makes 25 updates, or fewer where none is called for; "averaged" makes 10 epochs,
        and may stop after one without a mistake.
    notes : {"li-hang", "mit", "ntu", "cornell"}, default="li-hang"
        Whose conventions hold. The next five arguments change one of them.
    labels : pair of int, default=(-1, 1)
        (0, 1): what y has.
    layout : {"rows", "columns"}
        What a point is in X.
    fit_intercept : bool
        False: there is no b.
    tie : {"mistake", "positive", "negative"}
        What a score of 0 is.
    order : {"any", "cyclic", "shuffle"}
        Whether updates may come in another order than that of the rows; those that are recorded.
        "shuffle": any order, but not one that is drawn once and repeated in every epoch.
    points : float, default=10
        For a program without a mistake.
    random_state : int, default=0
        Seed for permuting columns and flipping their signs.
    limits : Limits
        Of time, memory, processes and output.

    Returns
    -------
    Report
        `ok`, `points`, the name of the mistake, the first difference; `print` shows them in words.

    Examples
    --------
    >>> from rosenblatt import teach
    >>> def train(X, y):
    ...     w, b, clean = 0 * X[0], 0, False
    ...     while not clean:
    ...         clean = True
    ...         for x, t in zip(X, y):
    ...             if t * (w @ x + b) < 0 or not w.any():
    ...                 w, b, clean = w + t * x, b + t, False
    ...     return w, b
    >>> report = teach.check(train)
    >>> report.ok
    False
    """
    parameters.one_of("task", task, TASKS)
    assignment = Assignment.of(
        task,
        notes,
        labels=labels,
        layout=layout,
        fit_intercept=fit_intercept,
        tie=tie,
        order=order,
        points=parameters.positive("points", points),
        random_state=random_state,
    )
    if callable(function):
        name = getattr(function, "__name__", "function")
        own = function

        def observed(a: Assignment) -> dict[str, Any]:
            return sandbox.of_function(own, a.cases(limits), limits)

        return assignment.judge_by(name, observed)
    return assignment.grade(*named(function), limits, sandbox.isolation())


def named(text: str | os.PathLike[str]) -> tuple[Path, str]:
    """hw.py:my_perceptron, or hw.py: then the name is empty."""
    path, colon, name = os.fspath(text).rpartition(":")
    if not colon or os.path.exists(text):
        return Path(text), ""
    if not name.isidentifier():
        raise InputError(
            f"{os.fspath(text)!r} names no function: give FILE.py:NAME, for example "
            "hw.py:my_perceptron."
        )
    return Path(path), name


@dataclass(frozen=True)
class Assignment:
    """A task under the conventions of some notes."""

    task: str
    notes: Notes
    labels: tuple[int, int]
    points: float
    tables: list[Table] = field(repr=False)

    @classmethod
    def of(
        cls,
        task: str,
        notes: str,
        *,
        labels: Sequence[int],
        points: float,
        random_state: int,
        **changed: Any,
    ) -> Assignment:
        if tuple(labels) not in ((-1, 1), (0, 1)):
            raise InputError(
                f"{option('labels', tuple(labels))} is not allowed: give (-1, 1) or (0, 1).",
                option="labels",
                value=tuple(labels),
            )
        allowed = {
            "layout": ("rows", "columns"),
            "tie": ("mistake", "positive", "negative"),
            "order": ("any", "cyclic", "shuffle"),
        }
        given = {name: value for name, value in changed.items() if value is not None}
        for name, values in allowed.items():
            if name in given:
                parameters.one_of(name, given[name], values)
        if "fit_intercept" in given:
            given["intercept"] = parameters.flag("fit_intercept", given.pop("fit_intercept"))
        conventions = replace(notes_of(notes), **given)
        seed = parameters.level("random_state", random_state)
        made = tables(task, seed, shuffled=conventions.order == "shuffle")
        whole = [t for t in made if _ends(t, task, conventions)]
        return cls(task, conventions, (int(labels[0]), int(labels[1])), points, whole)

    @property
    def setting(self) -> Setting:
        return Setting(
            self.task,
            self.notes.tie,
            self.notes.intercept,
            1,
            _EPOCHS.get(self.task),
            _UPDATES.get(self.task),
        )

    def cases(self, limits: Limits) -> list[dict[str, Any]]:
        """What a program is given: tables, and no answers."""
        return [self._case(table, limits) for table in self.tables]

    def _case(self, table: Table, limits: Limits) -> dict[str, Any]:
        columns = self.notes.layout == "columns"
        X = np.array([[float(v) for v in x] for x in table.X])
        gram = ((X @ X.T + 1) ** 2).tolist() if self.task == "kernel" else None
        y = np.where(np.array(table.y) > 0, self.labels[1], self.labels[0])
        return {
            "X": (X.T if columns else X).tolist(),
            "gram": gram,
            "y": [y.tolist()] if columns else y.tolist(),
            "layout": self.notes.layout,
            "eta": RATE,
            "epochs": self.setting.epochs or LONG,
            "until_clean": self.setting.epochs is None,
            "updates": self.setting.updates,
            "seconds": limits.of_a_table,
        }

    def grade(self, path: Path, name: str, limits: Limits, where: sandbox.Isolation) -> Report:
        try:
            source = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise MissingFileError(f"There is no file {path}.") from None
        except UnicodeDecodeError:
            return self.judge(name, {"trouble": f"{path.name} is not text in UTF-8"})
        return self.judge_by(
            name, lambda a: sandbox.of_source(source, name, a.cases(limits), limits, where)
        )

    def judge_by(self, name: str, observed: Callable[[Assignment], dict[str, Any]]) -> Report:
        """Where nothing known explains a program, it is run on the transposed tables, too."""
        report = self.judge(name, observed(self))
        if report.ok or report.mistakes or report.trouble is not None:
            return report
        layout: Literal["rows", "columns"] = "rows" if self.notes.layout == "columns" else "columns"
        other = replace(self, notes=replace(self.notes, layout=layout))
        if not other.judge(name, observed(other)).ok:
            return report
        return replace(report, mistakes=(EXCHANGED[layout],))

    def judge(self, name: str, answer: dict[str, Any]) -> Report:
        """Of what a program did; nothing in it is believed to have the right shape."""
        try:
            observed = Observed.read(answer, self)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            return Report(
                name or "the program",
                self,
                trouble="it sent something that no run of a program can send",
            )
        if observed.trouble is not None:
            return Report(name or "the program", self, trouble=observed.trouble)
        return _Comparison(self, observed).report(name or observed.name)


def _ends(table: Table, task: str, notes: Notes) -> bool:
    """Through the origin some tables are not separable."""
    limits = _EPOCHS.get(task), _UPDATES.get(task)
    return run(table, Setting(task, notes.tie, notes.intercept, 1, *limits)).ended


# --- What was seen --------------------------------------------------------------------------------


class State(NamedTuple):
    """An update, or what was returned: w (or α) and b."""

    row: int
    w: tuple[float, ...]
    b: tuple[float, ...]


class ObservedRun(NamedTuple):
    """Of one table."""

    updates: list[State]
    end: State | None
    trouble: tuple[str, str] | None
    changed: list[str]
    values: dict[str, list[tuple[float, ...]]]  # of variables, if it did not end and told nothing

    @property
    def left_out(self) -> bool:
        return self.trouble is not None and self.trouble[0] == "left out"


class Observed(NamedTuple):
    """Of one program."""

    form: str
    asked: frozenset[str]
    runs: list[ObservedRun]
    trouble: str | None = None
    name: str = ""  # of the function

    @classmethod
    def read(cls, answer: dict[str, Any], a: Assignment) -> Observed:
        if answer.get("trouble") is not None:
            return cls("", frozenset(), [], str(answer["trouble"]))
        runs = [_read(part, table, a) for part, table in zip(answer["runs"], a.tables, strict=True)]
        asked, name = frozenset(map(str, answer["asked"])), str(answer["name"])
        name = name[:100] if name.isidentifier() else "the program"
        return cls(str(answer["form"]), asked, runs, name=name)

    @property
    def recorded(self) -> bool:
        return self.form != "train"


def _read(part: dict[str, Any], table: Table, a: Assignment) -> ObservedRun:
    recorded = [_state(int(i), w, b, table, a) for i, w, b in part["updates"]]
    updates = [s for k, s in enumerate(recorded) if not k or s[1:] != recorded[k - 1][1:]]
    if updates and not any(updates[0].w + updates[0].b):
        del updates[0]  # weights that did not change are no update
    end = None if part["end"] is None else _state(-1, part["end"][0], part["end"][1], table, a)
    trouble = part["trouble"]
    changed = [str(name) for name in part["changed"]]
    of_all = part.get("values", {}).items()
    values = {str(name): [tuple(map(float, v)) for v in of] for name, of in of_all}
    why = None if trouble is None else (str(trouble[0]), str(trouble[1]))
    return ObservedRun(updates, end, why, changed, values)


def _state(row: int, w: Any, b: Any, table: Table, a: Assignment) -> State:
    """One vector of d + 1 weights has b first or last, as the notes say."""
    weights, rest = tuple(map(float, w)), tuple(map(float, b))
    size = len(table.y) if a.task in IN_DUAL_FORM else table.d
    if not rest and len(weights) == size + 1:
        first = a.notes.b_first
        return State(row, weights[first : size + first], (weights[0 if first else -1],))
    return State(row, weights, rest)


# --- The comparison -------------------------------------------------------------------------------


class _Comparison:
    """One program, and the runs of the definition and of mistakes on its tables."""

    def __init__(self, a: Assignment, observed: Observed):
        self.a, self.observed = a, observed
        self._of_definition: dict[int, int] = {}
        rate = "eta" in observed.asked
        self.setting = a.setting._replace(eta=RATE if rate else 1)
        self.ways = _ALLOWED.get(a.task, (DEFINITION,))
        self.ignores_b = False
        has = {"rate"} if rate else set()
        has |= {"labels 0 and 1"} if a.labels == (0, 1) else set()
        known = of_task(a.task, intercept=a.notes.intercept, tie=a.notes.tie, has=frozenset(has))
        self.mistakes = [m for m in known if not self._allowed(m)]
        self.scale, self.own_rate = 1.0, 1.0 if rate else self._own_rate()

    def _allowed(self, m: Mistake) -> bool:
        """Another order is none where the notes leave it open; the loop of `update` is ours."""
        loop = m.how.restarts or m.how.together or m.how.leaves_out or m.how.ends != "clean"
        if self.observed.form == "update":
            return bool(loop or m.how.returns != "notes" or m.how.start)
        return m.how.restarts and self._open

    @property
    def _open(self) -> bool:
        """An average depends on the visits between updates, which are not seen."""
        return self.a.notes.order != "cyclic" and self.a.task != "averaged"

    def _own_rate(self) -> float:
        """From zero weights a constant rate scales what is learned, and nothing else.

        Of an average alone it cannot be told from a wrong divisor.
        """
        if self.a.task == "averaged" and not self.observed.recorded:
            return 1.0
        for table, observed in zip(self.a.tables, self.observed.runs, strict=True):
            if observed.updates:
                i = observed.updates[0].row
                base = table.X[i] if 0 <= i < len(table.y) else []
                base = [1] if self.a.task in IN_DUAL_FORM else base
                size = max((abs(float(v)) for v in base), default=0)
                largest = max(map(abs, observed.updates[0].w), default=0)
                return largest / size if size and 0 < largest < math.inf else 1.0
            if observed.end is not None:
                wanted = run(table, self.setting)
                size = max(abs(float(v)) for v in wanted.w)
                largest = max(map(abs, observed.end.w), default=0)
                rate = largest / size if size and largest else 0.0
                if rate and self._same(observed.end, wanted.w, wanted.b, rate):
                    return rate
        return 1.0

    def report(self, name: str) -> Report:
        right = self._right()
        cases = [
            Case(ok, run.trouble, self._theorem(table, run))
            for table, ok, run in zip(self.a.tables, right, self.observed.runs, strict=True)
        ]
        changed = sorted({n for run in self.observed.runs for n in run.changed})
        if all(right):
            remarks = [] if self.scale == 1 else [f"its own learning rate is {self.scale:g}"]
            wrong = (SHUFFLES_ONCE,) if self._repeats_one_order() else ()
            return Report(
                name, self.a, cases=cases, changed=changed, mistakes=wrong, remarks=remarks
            )
        mistakes = tuple(self._named())
        if RECORD_MISUSED in mistakes:  # what it recorded says nothing about its updates
            cases = [case._replace(theorem=None) for case in cases]
            return Report(name, self.a, cases=cases, changed=changed, mistakes=mistakes)
        first = self._first_difference(right.index(False))
        ends = [run.end for run in self.observed.runs if run.end is not None]
        remarks = []
        if not mistakes and not self.a.notes.intercept and any(any(end.b) for end in ends):
            remarks.append("your program returns an intercept b, and these notes have none")
        if not mistakes and first.update is None and not self.observed.recorded:
            first = first._replace(says=f"{first.says}. {RECORD_IT}")
        return Report(
            name,
            self.a,
            cases=cases,
            changed=changed,
            mistakes=mistakes,
            first=first,
            remarks=remarks,
        )

    def _repeats_one_order(self) -> bool:
        """A fault only where the notes shuffle: the theorem holds in any order."""
        if self.a.notes.order != "shuffle" or self.a.task not in SHUFFLES_ONCE.tasks:
            return False
        if self.observed.form not in ("record", "generator"):
            return False
        updates = [[state.row for state in observed.updates] for observed in self.observed.runs]
        return repeats_one_order(self.a.tables, self.setting, updates)

    def _right(self) -> list[bool]:
        """With the rate 1, or with one of its own where that explains more tables."""
        best: tuple[list[bool], float] = ([], 1.0)
        for scale in dict.fromkeys((1.0, self.own_rate)):
            self.scale = scale
            for way in self.ways:
                right = [
                    self._explains(k, way) and not run.left_out
                    for k, run in enumerate(self.observed.runs)
                ]
                if all(right):
                    return right
                if not best[0] or sum(right) > sum(best[0]):
                    best = right, scale
        self.scale = best[1]
        return best[0]

    def _theorem(self, table: Table, observed: ObservedRun) -> bool | None:
        """Both lemmas of the convergence proof at each update that was recorded, and the bound.

        ‖w̃_k‖² <= k η² R² and ⟨w̃_k, w*⟩ >= k η γ, with the last weights of the definition as w*.
        """
        if not self.observed.recorded or self.a.task != "pla":
            return None
        lift = [[*map(float, x), float(self.a.notes.intercept)] for x in table.X]
        made, rate = run(table, self.setting), self.scale * self.setting.eta
        star = np.array([*map(float, made.w), float(made.b)])
        margins = np.array(table.y) * (np.array(lift) @ star)
        square, gamma = max(float(np.dot(x, x)) for x in lift), float(margins.min())
        for k, state in enumerate(observed.updates, start=1):
            b = state.b[0] if self.a.notes.intercept and len(state.b) == 1 else 0.0
            w = np.array([*state.w, b])
            if len(w) != len(star):
                return False
            slack = 1e-9 * (1 + k * square * rate**2)
            if w @ w > k * square * rate**2 + slack or w @ star < k * gamma * rate - slack:
                return False
        # Where a score of 0 is right the definition may end with a row on the hyperplane.
        most = square * float(star @ star) / gamma**2 if gamma > 0 else math.inf
        return len(observed.updates) <= most * (1 + 1e-9)

    # --- Which known mistake does exactly this ---

    def _named(self) -> list[Mistake]:
        """One that explains all that was seen; else two together; none where several do."""
        troubles = [run.trouble for run in self.observed.runs if run.trouble is not None]
        if any(kind == "raised" for kind, _ in troubles):
            return []
        if mistakes := self._about_b() or self._returns_w():
            return mistakes
        if self._rate_for_w_alone():
            return [ONLY_FOR_W]
        for scale in dict.fromkeys((self.scale, 1.0, self.own_rate)):
            self.scale = scale
            for way in self.ways:
                if alone := self._alone(way):
                    return alone if len(alone) == 1 else []
                for limit in self._limits(way):
                    return [limit]
        if mistakes := self._misrecorded():
            return mistakes
        limited = [[m, limit] for m in self.mistakes for limit in self._limits(m.how)]
        if limited:
            return limited[0] if len(limited) == 1 else []
        if "eta" not in self.observed.asked and self.a.task != "averaged":
            at_a_rate = list(self._at_a_rate_of_its_own())
            if at_a_rate:
                return at_a_rate[0] if len(at_a_rate) == 1 else []
        both = []
        for one, other in combinations(self.mistakes, 2):
            how = _together(one.how, other.how)
            if how is not None and self._explains_all(how):
                both.append([one, other])
        if not both and self._in_another_order():
            return [NOT_RECORDED]
        return both[0] if len(both) == 1 else []

    def _alone(self, way: How = DEFINITION) -> list[Mistake]:
        together = [(m, _together(m.how, way)) for m in self.mistakes]
        return [m for m, how in together if how is not None and self._explains_all(how)]

    def _about_b(self) -> list[Mistake]:
        """It is not returned, or there is one where the notes have none."""
        ends = [run.end for run in self.observed.runs if run.end is not None]
        states = [*ends, *(state for run in self.observed.runs for state in run.updates)]
        if not states:
            return []
        setting, mistakes = self.setting, list[Mistake]()
        if not setting.intercept and any(any(state.b) for state in states):
            self.setting = setting._replace(intercept=True)
            if any(map(self._explains_all, self.ways)):
                mistakes = [HAS_B]
        elif setting.intercept and not any(state.b for state in states):
            self.ignores_b = True
            if any(map(self._explains_all, self.ways)):
                mistakes = [W_ALONE]
            elif self._explains_all(NO_B.how):
                mistakes = [NO_B]
            elif limit := next(self._limits(NO_B.how), None):
                mistakes = [NO_B, limit]
            elif len(alone := self._alone()) == 1:
                mistakes = [*alone, W_ALONE]
        self.setting, self.ignores_b = setting, False
        return mistakes

    def _returns_w(self) -> list[Mistake]:
        """In dual form, w where α is asked for."""
        if self.a.task != "dual":
            return []
        primal = _Comparison(replace(self.a, task="pla"), self.observed)
        return [RETURNS_W] if all(primal._right()) else []

    def _misrecorded(self) -> list[Mistake]:
        """What is returned is explained, and what was recorded are moments on the way there."""
        if self.observed.form != "record":
            return []
        runs = [run._replace(updates=[]) for run in self.observed.runs]
        silent = _Comparison(self.a, self.observed._replace(form="train", runs=runs))
        if all(silent._right()):
            ways, mistakes = self.ways, [RECORD_MISUSED]
        elif len(alone := silent._alone()) == 1:
            ways, mistakes = (alone[0].how,), [*alone, RECORD_MISUSED]
        else:
            return []
        self.scale = silent.scale
        orders = (False, True) if self._open else (False,)
        known = all(
            any(
                self._on_the_way(
                    run(table, self.setting, replace(way, restarts=first or way.restarts)), observed
                )
                for way in ways
                for first in orders
            )
            for table, observed in zip(self.a.tables, self.observed.runs, strict=True)
        )
        return mistakes if known else []

    def _on_the_way(self, made: Run, observed: ObservedRun) -> bool:
        """Every state that was recorded is one of this run, in their order."""
        left = iter([Update(-1, *made.start), *made.updates])
        return all(
            any(self._same(state, update.w, update.b) for update in left)
            for state in observed.updates
        )

    def _rate_for_w_alone(self) -> bool:
        """A constant rate that is in the line of w and not in that of b."""
        rate_or_dual = "eta" in self.observed.asked or self.a.task in IN_DUAL_FORM
        if rate_or_dual or not self.a.notes.intercept or self.a.task == "averaged":
            return False
        rates: Sequence[float] = USUAL_RATES
        if self.observed.recorded:
            rates = [float(f"{self.own_rate:.10g}")]
        return any(
            self._explains_at(ONLY_FOR_W.how, rate, exactly=True)
            for rate in rates
            if rate not in (0, 1, 2)  # 2: a doubled step
        )

    def _at_a_rate_of_its_own(self) -> Iterator[list[Mistake]]:
        """Mistakes whose runs are those that were seen but for a constant rate."""
        for mistake in self.mistakes:
            if (rate := self._rate_of(mistake.how)) is None:
                continue
            if self._explains_at(mistake.how, rate):
                yield [mistake]
                continue
            before, self.scale = self.scale, rate
            yield from ([mistake, limit] for limit in self._limits(mistake.how))
            self.scale = before

    def _explains_at(self, how: How, rate: float, *, exactly: bool = False) -> bool:
        """As a factor of all weights, which is exact, or with the roundings of a program.

        `exactly`: the rate is no factor of everything, so it stands in the steps.
        """
        setting, scale = self.setting, self.scale
        ways: list[tuple[Any, float]] = [] if exactly else [(1, rate)]
        ways += [(Fraction(rate).limit_denominator(10_000), 1.0)] * exactly + [(rate, 1.0)]
        for eta, factor in ways:
            self.setting, self.scale = setting._replace(eta=eta), factor
            explained = self._explains_all(how)
            self.setting, self.scale = setting, scale
            if explained:
                return True
        return False

    def _rate_of(self, how: How) -> float | None:
        """By the first weights of both that are not 0."""
        for table, observed in zip(self.a.tables, self.observed.runs, strict=True):
            made = run(table, self.setting, how, most=100)
            pair: tuple[Sequence[Any], Sequence[Any]] | None = None
            if observed.updates and made.updates:
                pair = observed.updates[0].w, made.updates[0].w
            elif observed.values and made.updates:
                begin = [0.0] * len(made.w)
                of_w = [of[1] for of in observed.values.values() if [*of[0]] == begin and of[1:]]
                pair = (of_w[0], made.updates[0].w) if of_w else None
            elif observed.end is not None and made.ended:
                pair = observed.end.w, made.w
            if pair is not None:
                seen, wanted = (max(abs(float(v)) for v in w) for w in pair)
                rate = seen / wanted if wanted else 0.0
                return float(f"{rate:.10g}") if 0 < rate < math.inf else None
        return None

    def _in_another_order(self) -> bool:
        """All weights that were returned can come of updates of mistakes, at one rate."""
        ends = [observed.end for observed in self.observed.runs if observed.end is not None]
        recorded = self.observed.recorded or self.a.task in ("averaged", "pocket")
        if recorded or len(ends) < len(self.a.tables):
            return False
        reached = [ends_in_any_order(table, self.setting) for table in self.a.tables]
        first = next((k for k, weights in enumerate(reached) if weights), None)
        if first is None:
            return False
        seen = max(map(abs, ends[first].w), default=0)
        sizes = {max(abs(float(v)) for v in w) for w, _ in reached[first] or []}
        return any(
            all(
                any(self._same(end, *weights, scale) for weights in of_table)
                if of_table is not None  # not too many
                else separates(table, self.setting, end.w, end.b if self.setting.intercept else ())
                for table, end, of_table in zip(self.a.tables, ends, reached, strict=True)
            )
            for scale in {seen / size for size in sizes if size and 0 < seen < math.inf}
        )

    def _explains_all(self, how: How) -> bool:
        # The last differs most often: tables are listed by what they tell apart.
        return all(self._explains(k, how) for k in range(len(self.a.tables)))

    def _explains(self, k: int, how: How) -> bool:
        table, observed = self.a.tables[k], self.observed.runs[k]
        if observed.left_out:
            return True
        made = run(table, self.setting, how, most=self._most(k))
        if self._like(made, observed):
            return True
        if how.restarts or how.together or not self._open:
            return False
        if self.observed.recorded:
            return self._like_in_its_order(table, observed, how)
        turned = replace(how, restarts=True)
        return self._like(run(table, self.setting, turned, most=self._most(k)), observed)

    def _most(self, k: int) -> int:
        """Updates until a run counts as endless: many more than the definition makes."""
        if k not in self._of_definition:
            self._of_definition[k] = len(run(self.a.tables[k], self.setting).updates)
        return 20 * self._of_definition[k] + 100 if self._of_definition[k] < 100 else MOST_UPDATES

    def _like(self, made: Run, observed: ObservedRun) -> bool:
        if observed.trouble is not None:
            if observed.trouble[0] != "endless" or made.ended:
                return False
            if self.observed.recorded:
                return self._same_updates(made, observed, at_least=20)
            return self._has_values(made, observed)
        if not made.ended or (observed.end is None and self.observed.form != "generator"):
            return False
        if observed.end is not None and not self._same(observed.end, made.w, made.b):
            return False
        return not self.observed.recorded or self._same_updates(made, observed)

    def _has_values(self, made: Run, observed: ObservedRun) -> bool:
        """Some variable went through the weights of this run, and another through its b."""
        zero = made.start
        w = _different([zero[0], *(update.w for update in made.updates)])
        b = _different([(zero[1],), *((update.b,) for update in made.updates)])
        both = [
            _different([first + last for first, last in _pairs(made, b_first)])
            for b_first in (True, False)
        ]

        def gone_through(states: list[Any]) -> bool:
            return any(
                len(of) > 1 or len(states) == 1
                for of in observed.values.values()
                if all(same(v, s, self.scale) for v, s in zip(of, states, strict=False))
                and (len(of) >= min(len(states), 8))
                and (len(of) <= len(states) or not made.clean)
            )

        if self.ignores_b or not self.setting.intercept:
            return gone_through(w)
        return (gone_through(w) and gone_through(b)) or any(map(gone_through, both))

    def _same_updates(self, made: Run, observed: ObservedRun, at_least: int = 0) -> bool:
        n = min(len(made.updates), len(observed.updates)) if at_least else len(made.updates)
        if len(observed.updates) != n and not (at_least and n >= at_least):
            return False
        return all(
            state.row == update.row and self._same(state, update.w, update.b)
            for state, update in zip(observed.updates[:n], made.updates[:n], strict=True)
        )

    def _like_in_its_order(self, table: Table, observed: ObservedRun, how: How) -> bool:
        rows = [state.row for state in observed.updates]
        if not all(0 <= i < len(table.y) for i in rows):
            return False
        # Of visits between updates there is no record: epochs have no end here.
        if how.ends != "clean" or how.leaves_out or how.returns == "once an epoch":
            return False
        if observed.trouble is not None:
            return False
        most = self.setting.updates
        if most is not None and len(rows) > most:
            return False
        made = run(table, self.setting, how, rows)
        return (made.clean or len(made.updates) == most) and self._like(made, observed)

    def _same(self, state: State, w: Sequence[Any], b: Any, scale: float | None = None) -> bool:
        scale = self.scale if scale is None else scale
        if not same(state.w, w, scale):
            return False
        if self.ignores_b or not self.setting.intercept:
            return True
        return len(state.b) == 1 and same(state.b, [b], scale)

    # --- Ends too soon ---

    def _limits(self, how: How) -> Iterator[Mistake]:
        """After a fixed number of epochs or updates, the same on all tables."""
        if self.setting.epochs is not None or self.setting.updates is not None:
            if how in self.ways:
                yield from self._another_limit(how)
            return
        if how.ends != "clean" or any(run.trouble is not None for run in self.observed.runs):
            return
        runs = zip(self.a.tables[:-1], self.observed.runs[:-1], strict=True)  # the last is long
        first = [(run(t, self.setting, how, most=100), observed) for t, observed in runs]
        endless = how.predicts and not any(made.ended for made, _ in first)
        if not endless and not any(self._like(made, observed) for made, observed in first):
            return  # some table needs few epochs
        for unit in ("epochs", "updates"):
            for number in _candidates(unit, self):
                epochs, updates = (number, None) if unit == "epochs" else (None, number)
                setting = self.setting._replace(epochs=epochs, updates=updates)
                if all(
                    self._like(run(table, setting, how), observed)
                    for table, observed in zip(self.a.tables, self.observed.runs, strict=True)
                ):
                    yield Mistake(
                        f"ends after {number} {unit}",
                        DEFINITION,
                        f"ends after {number} {unit}, with rows that are still mistakes",
                        "Look at when the loop ends.",
                    )
                    return

    def _another_limit(self, how: How) -> Iterator[Mistake]:
        """A number of its own where the notes have one."""
        setting, unit = self.setting, "epochs" if self.setting.updates is None else "updates"
        asked = setting.epochs if setting.updates is None else setting.updates
        numbers = list[int]()
        for number in _candidates(unit, self):
            if number != asked and number <= 200:  # an average of more is slow to compute
                self.setting = (
                    setting._replace(epochs=number)
                    if unit == "epochs"
                    else setting._replace(updates=number)
                )
                if self._explains_all(how):
                    numbers.append(number)
        self.setting = setting
        if not numbers:
            return
        more = "more" if numbers[0] > (asked or 0) else "fewer"
        made = f"{numbers[0]} {unit}" if len(numbers) == 1 else f"{more} than {asked} {unit}"
        yield Mistake(
            f"makes {made}",
            DEFINITION,
            f"makes {made}, where {asked} were asked for",
            "Look at when the loop ends.",
        )

    # --- The first difference, in words ---

    def _first_difference(self, k: int) -> Difference:
        table, observed = self.a.tables[k], self.observed.runs[k]
        made = run(table, self.setting)
        if self.observed.recorded and self._open:
            return self._first_wrong_update(k, table, observed)
        for u, (state, update) in enumerate(zip(observed.updates, made.updates, strict=False)):
            if state.row != update.row or not self._same(state, update.w, update.b):
                return Difference(k, u + 1, _words(state), u + 1)
        if len(observed.updates) > len(made.updates) and self.observed.recorded:
            u = len(made.updates)
            return Difference(k, u + 1, f"{_words(observed.updates[u])}; no update is left", u)
        if observed.trouble is not None:
            variable = None if self.observed.recorded else self._in_a_variable(k, made, observed)
            return variable or Difference(k, None, observed.trouble[1], len(made.updates))
        if self.observed.recorded and len(observed.updates) < len(made.updates):
            u = len(observed.updates)
            return Difference(k, u + 1, f"it ends after {many(u, 'update')}", u + 1)
        assert observed.end is not None
        return Difference(k, None, f"returns {_words(observed.end)}", len(made.updates), made)

    def _in_a_variable(self, k: int, made: Run, observed: ObservedRun) -> Difference | None:
        """Of a program that did not end: where the variable that is most like w leaves its way."""
        wanted = _different([made.start[0], *(update.w for update in made.updates)])
        agreed = dict[str, int]()
        for name, values in observed.values.items():
            if same(values[0], wanted[0]) and len(values) > 1:
                both = zip(values, wanted, strict=False)
                agreed[name] = sum(1 for _ in takewhile(lambda v: same(*v, self.scale), both))
        if not agreed:
            return None
        name = max(agreed, key=lambda name: agreed[name])
        u, values = agreed[name], observed.values[name]
        if u in (len(values), len(wanted)):
            return None
        shown = ", ".join(map(_number, values[u]))
        return Difference(k, u, f"{name} becomes ({shown}), and it does not end", u)

    def _first_wrong_update(self, k: int, table: Table, observed: ObservedRun) -> Difference:
        """In an order of its own: was the row a mistake, and was it added in the right amount?"""
        rows = [state.row for state in observed.updates]
        of_notes = [update.row for update in run(table, self.setting).updates]
        for u, state in enumerate(observed.updates):
            if not 0 <= state.row < len(table.y):
                return Difference(k, u + 1, f"there is no row {state.row}", None)
            made = run(table, self.setting, DEFINITION, rows[: u + 1])
            if len(made.updates) <= u:
                score = _number(self.scale * float(made.scores[state.row]))
                says = f"row {state.row} has the score {score} and is no mistake"
                return Difference(k, u + 1, says, None)
            last = made.updates[-1]
            if not self._same(state, last.w, last.b):
                w, b = _scaled(last.w, self.scale), _scaled([last.b], self.scale)
                says = f"{_words(state)}, where it should be {_words(State(state.row, w, b))}"
                in_order = rows[: u + 1] == of_notes[: u + 1]
                return Difference(k, u + 1, says, u + 1 if in_order else None)
        if observed.trouble is not None:
            return Difference(k, None, observed.trouble[1], None)
        made, most = run(table, self.setting, DEFINITION, rows), self.setting.updates
        if most is not None and len(rows) > most:
            return Difference(k, most + 1, f"makes {len(rows)} updates, not {most}", None)
        left = sum(mistakes_along(table, self.setting, rows)[-1])
        if left and len(rows) != most:
            rows_left = "one row" if left == 1 else f"{left} rows"
            after = f"stops after {many(len(rows), 'update')}"
            return Difference(k, None, f"{after} with {rows_left} still misclassified", None)
        returned = "nothing" if observed.end is None else _words(observed.end)
        kept = "the weights of its last update"
        if self.a.task == "pocket":
            of_pocket = State(-1, _scaled(made.w, self.scale), _scaled([made.b], self.scale))
            kept = f"the best of its weights, {_words(of_pocket)}"
        return Difference(k, None, f"returns {returned}, not {kept}", None)


def _candidates(unit: str, comparison: _Comparison) -> list[int]:
    if comparison.observed.recorded and unit == "updates":
        return sorted({len(run.updates) for run in comparison.observed.runs})[-1:]
    usual = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 128, 150]
    return [*usual, 200, 250, 256, 300, 400, 500, 512, 600, 750, 800, 1000, 1024, 1200]


def _together(one: How, other: How) -> How | None:
    """Both, where they are about different things."""
    fields = [name for name in vars(DEFINITION) if name != "__doc__"]
    changed = {n: getattr(one, n) for n in fields if getattr(one, n) != getattr(DEFINITION, n)}
    more = {n: getattr(other, n) for n in fields if getattr(other, n) != getattr(DEFINITION, n)}
    return None if changed.keys() & more.keys() else replace(DEFINITION, **changed | more)


def _different(states: list[Any]) -> list[Any]:
    """Without those that are as the one before."""
    return [state for k, state in enumerate(states[:40]) if not k or state != states[k - 1]]


def _pairs(made: Run, b_first: bool) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    states = [made.start, *((update.w, update.b) for update in made.updates)]
    return [((b,), w) if b_first else (w, (b,)) for w, b in states[:40]]


def _number(v: Any) -> str:
    return f"{float(v):.6g}"


def _scaled(values: Sequence[Any], scale: float) -> tuple[float, ...]:
    return tuple(scale * float(v) for v in values)


def _words(state: State) -> str:
    row = "" if state.row < 0 else f"row {state.row}: "
    w = ", ".join(map(_number, state.w))
    return f"{row}w ({w})" + (f", b {_number(state.b[0])}" if len(state.b) == 1 else "")
