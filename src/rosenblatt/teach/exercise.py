"""Exercises: tables of whole numbers on which the perceptron makes so many updates, by hand."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.teach.definition import Setting, Table, run
from rosenblatt.teach.notes import algorithm, notes_of

if TYPE_CHECKING:
    from rosenblatt import Certificate, Trace

_TRIES = 20_000
_REACH = 4  # numbers are from -4 to 4, so that sums stay small


@dataclass(frozen=True)
class Exercise:
    """A table, and what is certain about it.

    Attributes
    ----------
    X, y : arrays
        Rows of whole numbers, and labels -1 and +1.
    trace : Trace
        The solution: every update of the algorithm of the notes, in the order of the rows.
    certificate : Certificate
        The proof that the rows are separable, with the largest margin and the bound.
    """

    X: NDArray[np.int64]
    y: NDArray[np.int64]
    trace: Trace
    certificate: Certificate

    @property
    def updates(self) -> int:
        return len(self.trace)

    @property
    def bound(self) -> int | None:
        """The most updates that the convergence theorem allows, whatever the order."""
        return self.certificate.mistake_bound

    def to_latex(self, *, solution: bool = True) -> str:
        """The table as a tabular; with the solution also every update, and the bound."""
        d = self.X.shape[1]
        names = " & ".join(f"$x_{{{j + 1}}}$" for j in range(d))
        lines = [rf"\begin{{tabular}}{{{'r' * (d + 2)}}}", rf"row & {names} & $y$ \\ \hline"]
        for i, (x, label) in enumerate(zip(self.X.tolist(), self.y.tolist(), strict=True)):
            lines.append(rf"{i} & {' & '.join(map(str, x))} & {label:+d} \\")
        lines.append(r"\end{tabular}")
        if solution:
            lines += ["", self.trace.to_latex(), "", f"At most {self.bound} updates (Novikoff)."]
        return "\n".join(lines)


def exercise(
    d: int = 2,
    n: int = 5,
    updates: int = 7,
    *,
    margin: float = 0.0,
    notes: str = "li-hang",
    random_state: int = 0,
) -> Exercise:
    """A table of n rows and d columns on which the algorithm makes so many updates.

    Parameters
    ----------
    d, n, updates : int
        Columns, rows, and updates in the order of the rows, from zero weights.
    margin : float
        The largest geometric margin is at least this.
    notes : {"li-hang", "mit", "ntu", "cornell"}
        Whose algorithm it is.
    random_state : int
        For example the number of a student: each gets a table of their own, always the same.

    Examples
    --------
    >>> from rosenblatt import teach
    >>> e = teach.exercise(updates=7, random_state=1234)
    >>> e.updates, e.certificate.separable
    (7, True)
    """
    from rosenblatt import certify, trace

    for name, value in (("d", d), ("n", n), ("updates", updates)):
        parameters.whole(name, value)
    at_least = parameters.not_negative("margin", margin)
    conventions = notes_of(notes)
    setting = Setting("pla", conventions.tie, conventions.intercept)
    chance = random.Random(parameters.level("random_state", random_state))
    for _ in range(_TRIES):
        table = _table(chance, n, d, intercept=conventions.intercept)
        if table is None:
            continue
        made = run(table, setting, most=updates + 1)
        if not made.ended or len(made.updates) != updates:
            continue
        X, y = np.array(table.X), np.array(table.y)
        certificate = certify(X, y, fit_intercept=conventions.intercept)
        largest = certificate.geometric_margin or certificate.homogeneous_margin
        if certificate.separable and largest is not None and largest.lo >= at_least:
            solution = trace(algorithm("pla", notes), X, y)
            return Exercise(X, y, solution, certificate)
    raise InputError(
        f"No table with n={n}, d={d}, updates={updates} and margin={margin:g} was found among "
        f"{_TRIES:,}. Ask for a smaller margin, or for other numbers of rows and updates."
    )


def _table(chance: random.Random, n: int, d: int, *, intercept: bool) -> Table | None:
    """Rows on both sides of a hyperplane of small whole numbers."""

    def numbers() -> list[int]:
        return [chance.randint(-_REACH, _REACH) for _ in range(d)]

    w, b = numbers(), chance.randint(-_REACH, _REACH) if intercept else 0
    X = [numbers() for _ in range(n)]
    scores = [sum(a * v for a, v in zip(w, x, strict=True)) + b for x in X]
    y = [1 if s > 0 else -1 for s in scores]
    return Table(X, y) if all(scores) and len(set(y)) == 2 else None


# --- The dual form, as the book has it -----------------------------------------------------------


def dual_table(trace: Trace, *, latex: bool = False) -> str:
    """The Gram matrix and α after each update, from the start to the end, as Li Hang prints them.

    >>> from rosenblatt import teach, trace
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(teach.dual_table(trace(teach.algorithm("dual"), X, y)))
    Gram matrix
      18  21  6
      21  25  7
       6   7  2
    k  row  α0  α1  α2   b
    0        0   0   0   0
    1    0   1   0   0   1
    2    2   1   0   1   0
    3    2   1   0   2  -1
    4    2   1   0   3  -2
    5    0   2   0   3  -1
    6    2   2   0   4  -2
    7    2   2   0   5  -3
    """
    run = trace.replay.run
    if run.k is not None or run.order == "batch":
        raise InputError("dual_table is about two classes, and one update at a time.")
    X = run.lifted(np.arange(len(run.y)))[:, :-1]
    gram = X @ X.T if run.kernel is None else run.kernel.matrix(run.X, run.X)
    head = ["k", "row", *(f"α{i}" for i in range(len(run.y))), "b"]
    rows = []
    b = run.eta * np.concatenate([[run.start[-1]], run.start[-1] + np.cumsum(run.steps)])
    for k in range(len(trace) + 1):
        which = "" if k == 0 else str(int(trace.row[k - 1]))
        alpha = [_short(v) for v in trace.alpha_at(k)]
        rows.append([str(k), which, *alpha, _short(b[k] if run.intercept else 0.0)])
    of_gram = [[_short(v) for v in row] for row in np.asarray(gram)]
    if latex:
        matrix = r" \\ ".join(" & ".join(row) for row in of_gram)
        names = [re.sub(r"α(\d+)", r"$\\alpha_{\1}$", name) for name in head]
        return "\n".join(
            [
                rf"\[ G = \begin{{pmatrix}} {matrix} \end{{pmatrix}} \]",
                rf"\begin{{tabular}}{{{'r' * len(head)}}}",
                " & ".join(names) + r" \\ \hline",
                *(" & ".join(row) + r" \\" for row in rows),
                r"\end{tabular}",
            ]
        )
    return "\n".join(["Gram matrix", *_aligned(of_gram, "  "), *_aligned([head, *rows], "")])


def _short(v: Any) -> str:
    return f"{float(v) + 0.0:.6g}"


def _aligned(rows: list[list[str]], indent: str) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
