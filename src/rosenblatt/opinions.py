"""How firmly the known rows answer for new ones: forced, contested or open, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from rosenblatt._bounds import conflicts, rules
from rosenblatt._bounds.directions import directions
from rosenblatt._bounds.one_more_row import BestCuts, SharedCones, with_row
from rosenblatt._bounds.problem import Problem, Rule
from rosenblatt._bounds.tolerance import Tolerance, tolerance
from rosenblatt._certify import document as say
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.document import head
from rosenblatt._certify.parts import Hyperplane
from rosenblatt._certify.rows import Rows
from rosenblatt._certify.table import Table, has_words, in_numbers, in_numbers_again, read
from rosenblatt._core.rows import as_table
from rosenblatt._util.budget import Budget, LimitReached
from rosenblatt._util.progress import progress, shown
from rosenblatt._util.text import first_few, many, one_line
from rosenblatt._validation import exact, parameters, rows
from rosenblatt.certificate import Certificate
from rosenblatt.data.stack import below
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


Status = Literal["forced", "overruled", "contested", "open"]
STATUSES: tuple[Status, ...] = ("forced", "overruled", "contested", "open")
_NAMED = 12  # rows of a conflict that are named in a sentence


def second_opinion(
    X: Any,
    y: Any,
    X_new: Any,
    rule: Any = None,
    *,
    work_limit: int | None = None,
    verbose: int = 0,
) -> Opinions:
    """Do other linear rules that fit the known rows as well give new rows another answer?

    Where some linear rule makes no error on the known rows, all such rules are compared: an answer
    that they share is forced, by a few rows that are named. Otherwise all rules are compared that
    make no more errors than `rule`: what does the other answer cost, and which rule gives it?

    An error is a row with y_i (w·x_i + b) <= 0. It is about the known rows, in exact arithmetic.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The known rows. Columns of text or categories become 0/1 columns.
    y : array of shape (n,)
        Their labels, two different ones.
    X_new : array, data frame or CSR matrix of shape (m, d)
        The new rows.
    rule : fitted classifier, optional
        Whose answers are to be judged, by its `predict`: any that takes X and X_new as they are
        given here, a pipeline for example. By default the best linear rule found on the known rows.
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
    work_limit = parameters.whole_or_none("work_limit", work_limit)
    numbers, preprocessing = in_numbers(X, decimal=False) if has_words(X) else (X, None)
    table = read(numbers, y, numbers="float", function="second_opinion")
    if len(table.classes) < 2:
        raise InputError(
            f"y holds one label, {table.classes[0]!r}: a second opinion needs known rows of two."
        )
    matrix = new_rows(table, X_new, preprocessing, like=numbers)
    answers, errors = None, None
    if rule is not None:
        answers, errors = _answers(rule, X, table.y, X_new, table.origin.classes)
    rule_set = RuleSet(table, matrix, answers=answers, errors=errors, work_limit=work_limit)
    with shown(quiet=not verbose):
        return rule_set.all(list(rule_set.opinions()))


def _answers(
    rule: Any, X: Any, y: NDArray[Any], X_new: Any, classes: NDArray[Any]
) -> tuple[NDArray[np.int8], int]:
    if not callable(getattr(rule, "predict", None)):
        raise InputTypeError(
            f"rule is a {type(rule).__name__}: give a fitted classifier with a method predict, or "
            "None for the best linear rule found."
        )
    both = []
    for matrix in (X_new, X):
        answers = np.asarray(rule.predict(matrix))
        strange = answers[~np.isin(answers, classes)].tolist()
        if strange:
            raise InputError(
                f"rule answers {strange[0]!r}, and y holds {classes.tolist()}: give a rule that "
                "was trained on these labels."
            )
        both.append(np.where(answers == classes[1], 1, -1).astype(np.int8))
    return both[0], int((both[1] != y).sum())


@final
@dataclass(frozen=True)
class Opinion:
    """One new row.

    Attributes
    ----------
    row : int
        Its number in X_new.
    answer, other : labels
        What the rule says, and what it does not say.
    status : "forced", "overruled", "contested" or "open"
        Forced: every rule with at most `errors` errors on the known rows gives the answer.
        Overruled: all of them give the other one. Contested: one of them gives the other answer:
        `rival`. Open: neither was settled.
    at_least, at_most : int, or None
        The fewest errors of rules that give the other answer lie between these; None where that was
        not searched, because a few rows have already settled it.
    cost : (int, int) or None
        What the other answer costs: these errors minus the fewest of all rules, as a bracket.
    rival : Hyperplane or None
        A rule that gives the other answer and makes `at_most` errors, with `coef` and `intercept`.
    tolerates : Tolerance or None
        How firm a forced answer is, where the other one makes `at_least` errors. This many `labels`
        of the known rows may be wrong, or this many known `rows` removed or added: every rule that
        makes no more errors than the given one still gives it.
    because : list of int
        Where the known rows have a separator and the answer is forced: at most d + 1 of them that
        leave no other.
    """

    row: int
    answer: Any
    other: Any
    status: Status
    at_least: int | None = None
    at_most: int | None = None
    cost: tuple[int, int] | None = None
    rival: Hyperplane | None = None
    tolerates: Tolerance | None = None
    conflict: Blend | None = None  # by row of the table; the new row is the last one

    @property
    def because(self) -> list[int]:
        return sorted(self.conflict)[:-1] if self.conflict else []


@final
class Opinions:
    """The answer of `second_opinion`: one Opinion for each row of X_new, in order.

    Attributes
    ----------
    separable : bool
        Some linear rule makes no error on the known rows; forced is what all such rules say.
    errors : int
        Rules with at most this many errors are compared: 0 where one makes none, else as many as
        the rule makes, or as the best linear rule found where that is more.
    fewest : (int, int)
        The fewest errors of any linear rule lie between these.
    bound : float or None
        Where the known rows are separable, (d + 2)/(m + 1). For m known rows and a new one in
        random order, the probability that the known ones are separable, the answer is forced, and
        it is wrong, all three, is at most this. It is not the probability that a forced answer is
        wrong.
    """

    def __init__(
        self,
        table: Table,
        X_new: Any,
        opinions: list[Opinion],
        *,
        separable: bool,
        errors: int,
        fewest: tuple[int, int],
        n_rows: int,
    ):
        self._table, self._X_new, self._opinions = table, X_new, opinions
        self.separable, self.errors, self.fewest, self.n_rows = separable, errors, fewest, n_rows

    @property
    def bound(self) -> float | None:
        if not self.separable:
            return None
        return min(1.0, (len(self._table.columns) + 2) / (self.n_rows + 1))

    @property
    def tolerates(self) -> Tolerance | None:
        """How firm all forced answers together are; None where that is not known of one."""
        forced = [opinion.tolerates for opinion in self if opinion.status == "forced"]
        known = [firm for firm in forced if firm is not None]
        return Tolerance.least(known) if len(known) == len(forced) else None

    def count(self, status: Status) -> int:
        return Counter(opinion.status for opinion in self)[status]

    def __getitem__(self, row: int) -> Opinion:
        return self._opinions[row]

    def __iter__(self) -> Iterator[Opinion]:
        return iter(self._opinions)

    def __len__(self) -> int:
        return len(self._opinions)

    # --- The proof ---

    def certificate(self, row: int) -> Certificate:
        """Why an answer is forced: the known rows with this one, labelled otherwise, have no
        separator. `python -m rosenblatt.verify` checks it against `rows_of(row)`."""
        opinion = self[row]
        if opinion.conflict is None:
            raise InputError(
                f"Row {row} is {opinion.status}, and there is a certificate only where a few rows "
                "force the answer: where the known rows have a separator."
            )
        table = self._with(opinion)
        rows = Rows(table.X, table.y, intercept=True, decimal=False, budget=Budget())
        part = say.conflict(rows, rows.names(None), opinion.conflict)
        document = say.one_conflict(head(table, True, "float"), part)
        return Certificate(document, checked=True)

    def rows_of(self, row: int) -> tuple[Any, NDArray[Any]]:
        """X and y of the certificate: the known rows, and this one labelled otherwise."""
        opinion = self[row]
        table = self._with(opinion)
        names = np.array(table.origin.classes)
        return table.X, names[(table.y > 0).astype(np.intp)]

    def _with(self, opinion: Opinion) -> Table:
        label = opinion.answer if opinion.status == "overruled" else opinion.other
        sign = 1 if label == self._table.origin.classes[1] else -1
        X = below([self._table.X, self._X_new[[opinion.row]]], len(self._table.columns))
        return replace(self._table, X=X, y=np.append(self._table.y, sign).astype(np.int8))

    # --- In words ---

    def __repr__(self) -> str:
        counted = ((self.count(status), status) for status in STATUSES)
        return f"<Opinions: {', '.join(f'{k} {status}' for k, status in counted if k)}>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        yield self.about
        for status in STATUSES:
            if k := self.count(status):
                yield f"  {status}: {k:,} of {many(len(self), 'row')}. {self._meaning(status)}"
        if self.bound is not None:
            yield self.bound_sentence
        yield "This is about the known rows and linear rules, not about which answer is right."

    @property
    def about(self) -> str:
        """Which rules are asked."""
        if self.separable:
            return f"A second opinion of all linear rules that fit all {self.n_rows:,} known rows."
        least, most = self.fewest
        best = f"the fewest possible are {most:,}"
        if least != most:
            best = f"the best rule found makes {most:,}"
        return (
            f"A second opinion of all linear rules with at most {self.errors:,} errors on the "
            f"{self.n_rows:,} known rows ({best})."
        )

    @property
    def bound_sentence(self) -> str:
        assert self.bound is not None
        return (
            "If the known rows and a new one come in random order, three things happen together "
            f"with probability at most {self.bound:.2g}: the known rows are separable, the new "
            "answer is forced, and it is wrong. That is not the probability that a forced answer "
            "is wrong."
        )

    def _meaning(self, status: Status) -> str:
        none = f"Not settled: no rule with at most {many(self.errors, 'error')} was found"
        return {
            "forced": "All these rules give the same answer as this rule.",
            "overruled": "All these rules give the other answer.",
            "contested": "At least one of these rules gives the other answer.",
            "open": f"{none} that gives the other answer, but none is ruled out.",
        }[status]

    def sentence(self, row: int, number: Callable[[int], int] = int) -> str:
        """About one row; `number`: what known rows are called."""
        opinion = self[row]
        answer, other = one_line(str(opinion.answer)), one_line(str(opinion.other))
        if opinion.conflict is not None:
            right = other if opinion.status == "overruled" else answer
            why = _named([number(i) for i in opinion.because])
            return f"{opinion.status}: every rule that fits says {right}, because of {why}"
        if opinion.status == "forced":
            least = f"{opinion.at_least:,} errors, more than {self.errors:,}"
            firm = opinion.tolerates.words(self.n_rows) if opinion.tolerates else ""
            even = f"; {answer} even if {firm}" if firm else ""
            return f"forced: every rule that says {other} makes at least {least}{even}"
        if opinion.status == "contested":
            if self.separable:
                return f"contested: a rule that fits says {other}"
            return f"contested: a rule with {many(opinion.at_most or 0, 'error')} says {other}"
        return (
            f"open: no rule with at most {many(self.errors, 'error')} was found that says {other} "
            f"(the best one found makes {opinion.at_most:,}), but none is ruled out"
        )


def _named(rows: list[int]) -> str:
    return f"{'row' if len(rows) == 1 else 'rows'} {first_few(rows, _NAMED)}"


# --- All rules that fit the known rows well, asked about one new row after the other -------------


ALL, EACH = 3_000_000, 120_000  # row evaluations: of the known rows, and of each new one
LINES, _MOST_LINES = 60, 200  # along which a rival becomes better: of few columns, of many
_AT_ONCE = 256  # new rows that share a search, at least
_KEPT = 20  # separators that are tried first


class RuleSet:
    """What is known of the rows of a table, and of the rules that fit them."""

    def __init__(
        self,
        table: Table,
        X_new: Any,
        *,
        answers: NDArray[np.int8] | None,
        errors: int | None,
        work_limit: int | None = None,
        work: int = ALL,
        lines: int | None = None,
    ):
        self.table, self.X_new = table, X_new
        self.each = EACH if work_limit is None else work_limit
        self.problem = Problem.of(table, None, intercept=True)
        if self.problem.wide:
            raise InputError(
                f"X has {self.problem.rows.d:,} columns, too many for a second opinion: rules that "
                "fit the rows answer almost everything both ways. Choose the columns that matter."
            )
        self._work, self._lower = work, 0
        self._lines = lines or min(max(LINES, 20 * self.problem.rows.d), _MOST_LINES)
        self._step = max(_AT_ONCE, self.problem.rows.n)
        with np.errstate(all="ignore"):
            self._begin()
            self._first = None if self.separable else self._prepared(X_new[: self._step])
        allowed = max(self.problem.best.cost, errors or 0)
        self.errors = 0 if self.separable else allowed
        self._answers = self._best_answers() if answers is None else answers

    def _begin(self) -> None:
        progress("looking for a rule with few errors")
        everything = np.ones(self.problem.rows.n, dtype=bool)
        answer = conflicts.ask(self.problem, everything)
        self.separable = answer.separator is not None
        self._separators: list[list[Any]] = []
        if answer.separator is not None:
            self._separators.append(answer.separator)
            self.problem.offer_exact(answer.separator)
            return
        self._lower = 1
        rules.constant(self.problem)
        self.problem.rows.budget = Budget(work_limit=self._work)
        with suppress(LimitReached):
            rules.improve(self.problem)
        self.problem.rows.budget = Budget()

    def _best_answers(self) -> NDArray[np.int8]:
        if self.separable:
            return _signs(self._of(self.X_new), self._separators[0])
        return _signs(self._of(self.X_new), [*self.problem.best.w.tolist()])

    def _of(self, X_new: Any) -> Rows:
        ones = np.ones(X_new.shape[0], dtype=np.int8)
        return Rows(X_new, ones, intercept=True, decimal=False, budget=Budget())

    def all(self, opinions: list[Opinion]) -> Opinions:
        return Opinions(
            self.table,
            self.X_new,
            opinions,
            separable=self.separable,
            errors=self.errors,
            fewest=(self._lower, self.problem.best.cost if not self.separable else 0),
            n_rows=len(self.table.y),
        )

    # --- One after the other ---

    def opinions(self) -> Iterator[Opinion]:
        with np.errstate(all="ignore"):
            yield from self._by_separators() if self.separable else self._by_errors()

    def _labels(self, row: int) -> tuple[int, Any, Any]:
        sign, names = int(self._answers[row]), self.table.origin.classes.tolist()
        answer, other = (names[1], names[0]) if sign > 0 else (names[0], names[1])
        return sign, answer, other

    def _progress(self, row: int) -> None:
        n = self.X_new.shape[0]
        progress(f"new row {row + 1:,} of {n:,}", row + 1, n)

    # --- A separator, or a few rows that leave none ---

    def _by_separators(self) -> Iterator[Opinion]:
        for row in range(self.X_new.shape[0]):
            self._progress(row)
            sign, answer, other = self._labels(row)
            conflict, rival = self._forced(row, -sign)
            status: Status = "forced"
            if conflict is None:
                conflict, _ = self._forced(row, sign)
                status = "contested" if conflict is None else "overruled"
            yield Opinion(row, answer, other, status, rival=rival, conflict=conflict)

    def _forced(self, row: int, sign: int) -> tuple[dict[int, int] | None, Hyperplane | None]:
        x = self.X_new[[row]]
        for known in self._separators:
            if int(_signs(self._of(x), known, strictly=True)[0]) == sign:
                return None, Hyperplane.of_lifted(np.array([float(v) for v in known]))
        problem = with_row(self.problem, x, sign)
        last = problem.rows.n - 1
        answer = conflicts.ask(problem, np.ones(problem.rows.n, dtype=bool), always=last)
        if answer.separator is not None:
            if len(self._separators) < _KEPT:
                self._separators.append(answer.separator)
            problem.offer_exact(answer.separator)
            return None, Hyperplane.of_lifted(problem.best.w)
        assert answer.conflict is not None
        name, n = self.problem.first, len(self.table.y)
        return {n if i == last else int(name[i]): v for i, v in answer.conflict.items()}, None

    # --- What the other answer costs ---

    def _by_errors(self) -> Iterator[Opinion]:
        for begin in range(0, self.X_new.shape[0], self._step):
            part = self.X_new[begin : begin + self._step]
            best_cuts, cones = self._first or self._prepared(part)
            self._first = None  # of the other parts another one
            for k in range(part.shape[0]):
                self._progress(begin + k)
                yield self._searched(begin + k, k, part, best_cuts, cones)

    def _prepared(self, part: Any) -> tuple[BestCuts, SharedCones | None]:
        progress("looking at all directions")
        best_cuts = BestCuts(self.problem, part)
        cones = None
        if directions(self.problem) is not None and not sparse.issparse(part):
            cones = SharedCones(self.problem, part)
            if cones.table.possible:
                bound = cones.grow(Budget(work_limit=self._work), best_cuts)
                self._lower = max(self._lower, bound)
            else:
                cones = None
        best_cuts.add(self.problem.best.w[:-1])
        return best_cuts, cones

    def _searched(
        self, row: int, k: int, part: Any, best_cuts: BestCuts, cones: SharedCones | None
    ) -> Opinion:
        sign, answer, other = self._labels(row)
        problem = with_row(self.problem, part[[k]], -sign)
        rules.constant(problem)
        low, budget = self._lower, Budget(work_limit=self.each)
        if (start := best_cuts.rule(k, -sign)) is not None:
            problem.offer(start)
            rules.descend(problem, start, self._lines)
        better = cones is not None
        while cones is not None and better and low < problem.best.cost:
            low = max(low, cones.least(k, -sign, problem.best.cost, budget))
            start = best_cuts.rule(k, -sign)  # along directions that were tried meanwhile
            better = start is not None and problem.offer(start)
        best = problem.best
        best_cuts.add(best.w[:-1])
        if best.cost < self.problem.best.cost:  # the new row was right, and cost nothing
            self.problem.best = Rule(best.w, best.wrong[:-1], best.cost)
        status: Status = "open"
        if best.cost <= self.errors:
            status = "contested"
        elif low > self.errors:
            status = "forced"
        ones = self.problem.single
        firm = tolerance(low - self.errors, ones, both=True) if status == "forced" else None
        cost = max(0, low - self.problem.best.cost), best.cost - self._lower
        rival = Hyperplane.of_lifted(best.w)
        return Opinion(row, answer, other, status, low, best.cost, cost, rival, firm)


def _signs(rows: Rows, w: list[Any], *, strictly: bool = False) -> NDArray[np.int8]:
    """Which side rows are on, exactly; those on the hyperplane are on the positive one."""
    signs = rows.signs([Fraction(v) for v in w])
    return signs if strictly else np.where(signs >= 0, 1, -1).astype(np.int8)


# --- New rows beside a table: the same columns, as finite numbers --------------------------------


def new_rows(table: Table, X_new: Any, preprocessing: Preprocessing | None, *, like: Any) -> Any:
    """Numbers in the columns of the table, dense or sparse as it is; `like`: what that was."""
    if preprocessing is not None:
        if not has_words(X_new) and not hasattr(X_new, "columns"):
            raise InputError(
                "X is a data frame with words: give X_new as one with the same columns."
            )
        X_new = in_numbers_again(X_new, preprocessing, decimal=False)
    else:
        exact.refuse_rounded(X_new, decimal=False)
    reader = BaseEstimator()
    names = getattr(like, "columns", None)
    if preprocessing is None and names is not None:
        other = [str(name) for name in getattr(X_new, "columns", names)]
        if other != [str(name) for name in names]:
            raise InputError(
                f"X_new has the columns {other}, and X {table.columns}: give the same ones in the "
                "same order."
            )
    matrix = as_table(rows.checked_rows(reader, X_new, reset=True, name="X_new"))
    if matrix.shape[1] != len(table.columns):
        raise InputError(
            f"X_new has {matrix.shape[1]} columns, and X has {len(table.columns)}: give the same "
            "ones."
        )
    if sparse.issparse(table.X):
        return sparse.csr_matrix(matrix)
    return np.asarray(matrix.todense() if sparse.issparse(matrix) else matrix, dtype=np.float64)
