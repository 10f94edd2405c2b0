"""What was found about a program: for the student, for the instructor, and for graders' systems."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from rosenblatt._util.text import many
from rosenblatt.teach.definition import Run, Table
from rosenblatt.teach.mistakes import Mistake

if TYPE_CHECKING:
    from rosenblatt import Trace
    from rosenblatt.teach.check import Assignment


class Case(NamedTuple):
    """One table: whether all was as defined; why it did not end, if it did not; and whether the
    inequalities of the convergence theorem hold on the program's own updates (None: not seen)."""

    ok: bool
    trouble: tuple[str, str] | None
    theorem: bool | None


class Difference(NamedTuple):
    """The first that was found."""

    case: int  # the number of the table, from 0
    update: int | None  # from 1; None: it is about the end
    says: str  # what the program did
    step: int | None  # of the reference that should have come there
    returned: Run | None = None  # what should have been returned


@dataclass(frozen=True)
class Report:
    """Of one program.

    Attributes
    ----------
    ok : bool
        Every run was as the notes define it, in an order that they allow, and X and y are as they
        were.
    points : float
        All of them for a program that is right, else the share of tables, at most half.
    mistakes : tuple
        Those that explain everything that was seen: one, or two together. Empty where nothing known
        explains it; then `first` describes it.
    first : Difference or None
        The first difference.
    changed : list of str
        Which of X and y the program has changed.
    trouble : str or None
        Why there was nothing to compare.
    """

    name: str
    assignment: Assignment = field(repr=False)
    cases: list[Case] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    mistakes: tuple[Mistake, ...] = ()
    first: Difference | None = None
    remarks: list[str] = field(default_factory=list)
    trouble: str | None = None

    @property
    def ok(self) -> bool:
        right = all(c.ok for c in self.cases) and not self.mistakes
        return self.trouble is None and right and not self.changed

    @property
    def points(self) -> float:
        most = self.assignment.points
        if self.ok:
            return most
        right = sum(case.ok for case in self.cases)
        return round(most / 2 * right / max(len(self.cases), 1), 2)

    # --- In words ---

    def __str__(self) -> str:
        return self.words(hints=3)

    def words(self, hints: int = 3) -> str:
        """0: right or not; 1: where to look; 2: the mistake; 3: the step of the notes, too."""
        lines = [f"{self.name}: {'right' if self.ok else 'not right'}, {self._points()}"]
        lines += [f"  {remark}" for remark in self.remarks]
        if self.trouble is not None:
            return "\n".join([*lines, f"  nothing to compare: {self.trouble}"])
        right = sum(case.ok for case in self.cases)
        untried = sum(
            case.trouble is not None and case.trouble[0] == "left out" for case in self.cases
        )
        were = "was" if untried == 1 else "were"
        why = f"; {untried} {were} skipped because it did not terminate on others"
        why = why if untried else ""
        lines.append(f"  tables     {right} of {len(self.cases)} as the notes define it{why}")
        lines += self._theorem()
        if self.changed:
            lines.append(f"  input      your program changes {' and '.join(self.changed)}")
        if self.ok or hints == 0:
            return "\n".join(lines)
        if hints == 1:
            lines += [
                f"  hint       {hint}" for hint in dict.fromkeys(m.hint for m in self.mistakes)
            ]
        if hints >= 2:
            lines += [f"  mistake    your program {m.says}" for m in self.mistakes]
        if not self.mistakes and self.first is not None:
            more = "" if hints >= 3 else " hints=3 shows the first difference."
            lines.append(f"  mistake    Not one of the known mistakes.{more}")
            trouble = self.cases[self.first.case].trouble
            if hints < 3 and trouble is not None and trouble[0] == "raised":
                lines.append(f"  error      {trouble[1]}")
        if self.first is not None and hints >= 3:
            lines += self._difference(self.first)
        return "\n".join(lines)

    def _theorem(self) -> list[str]:
        known = [case.theorem for case in self.cases if case.theorem is not None]
        if not known:
            return []
        if all(known):
            return [
                "  theorem    both inequalities of its proof hold at every update that you made"
            ]
        failed = many(known.count(False), "run")
        return [
            f"  theorem    an inequality of its proof fails in {failed} of {len(known)}: your "
            "updates are not those of a perceptron"
        ]

    def _points(self) -> str:
        return f"{self.points:g} of {self.assignment.points:g} points"

    def _difference(self, first: Difference) -> list[str]:
        table = self.assignment.tables[first.case]
        where = "the end" if first.update is None else f"update {first.update}"
        lines = [f"  first      table {first.case + 1}, {where}", *_rows(table)]
        lines.append(f"    yours    {first.says}")
        if first.returned is not None:
            values = (float(v) for v in first.returned.w)
            b = f", b {float(first.returned.b):.6g}" if self.assignment.notes.intercept else ""
            lines.append(f"    notes    return w ({', '.join(f'{v:.6g}' for v in values)}){b}")
        elif first.update is not None and first.step is not None:
            trace = self.trace(first.case)
            if 0 < first.step <= len(trace):
                lines.append(f"    notes    {trace.step(first.step)}")
        if (link := self.link) is not None:
            lines.append(f"    look     Run rosenblatt play and add this to its address: {link}")
        return lines

    def trace(self, case: int) -> Trace:
        """The definition on this table, every update in the order of the rows."""
        from rosenblatt import KernelPerceptron, Perceptron, trace

        a, table = self.assignment, self.assignment.tables[case]
        same: dict[str, Any] = {"order": "cyclic", "keep": "last", "patience": None}
        same |= {"tie": a.notes.tie, "fit_intercept": a.notes.intercept, "max_iter": 10_000}
        same |= {"max_updates": a.setting.updates}
        if a.setting.epochs is not None:
            same |= {"max_iter": a.setting.epochs, "keep": "average"}
        X = np.array([[float(v) for v in x] for x in table.X])
        if a.task == "kernel":
            kernel: dict[str, Any] = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
            return trace(KernelPerceptron(**kernel, **same), X, table.y)
        return trace(Perceptron(**same), X, table.y)

    @property
    def link(self) -> str | None:
        """What to add to the address of the playground; None where it cannot show the step."""
        a, first = self.assignment, self.first
        if first is None or a.notes.tie != "mistake" or a.task not in ("pla", "pocket"):
            return None
        table = self.assignment.tables[first.case]
        if any(not -16 <= v < 16 for x in table.X for v in x):
            return None
        step = first.step or first.update or 0
        kept = "pocket" if a.task == "pocket" else "last"
        intercept = "true" if a.notes.intercept else "false"
        return f"#p={_packed(table)}&o=cyclic&k={kept}&m=0&i={intercept}&t={step}"

    # --- For other programs ---

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ok": self.ok,
            "points": self.points,
            "most_points": self.assignment.points,
            "task": self.assignment.task,
            "mistakes": [m.name for m in self.mistakes],
            "says": [m.says for m in self.mistakes],
            "first_difference": None
            if self.first is None
            else {"table": self.first.case, "update": self.first.update, "says": self.first.says},
            "tables": [case.ok for case in self.cases],
            "changed": self.changed,
            "trouble": self.trouble,
        }

    def to_gradescope(self, hints: int = 3) -> dict[str, Any]:
        """What Gradescope reads from results/results.json."""
        return {
            "score": self.points,
            "output": self.words(hints),
            "tests": [
                {
                    "name": self.name,
                    "score": self.points,
                    "max_score": self.assignment.points,
                    "status": "passed" if self.ok else "failed",
                    "output": self.words(hints),
                }
            ],
        }

    def to_otter(self, hints: int = 3) -> dict[str, Any]:
        """A test of Otter-Grader: its result for one question."""
        return {
            "total": self.points,
            "possible": self.assignment.points,
            "tests": [
                {
                    "name": self.name,
                    "score": self.points,
                    "possible": self.assignment.points,
                    "passed": self.ok,
                    "message": self.words(hints),
                }
            ],
        }

    def require(self, hints: int = 3) -> None:
        """An AssertionError with the words unless the program is right: for nbgrader and pytest."""
        assert self.ok, self.words(hints)


def to_junit(reports: list[tuple[str, Report]], hints: int = 3) -> str:
    """JUnit XML, a test case for each submission."""
    failed = sum(not report.ok for _, report in reports)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuite name="rosenblatt grade" tests="{len(reports)}" failures="{failed}">',
    ]
    for file, report in reports:
        opened = f"  <testcase classname={quoteattr(file)} name={quoteattr(report.name)}"
        if report.ok:
            lines.append(f"{opened}/>")
            continue
        words = _printable(report.words(hints))
        what = quoteattr(", ".join(m.name for m in report.mistakes) or "not right")
        lines += [f"{opened}>", f"    <failure message={what}>{escape(words)}</failure>"]
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


def write_json(content: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def _rows(table: Table) -> list[str]:
    def words(x: list[int]) -> str:
        return ", ".join(f"{float(v):.6g}" for v in x)

    rows = [f"({words(x)}) {y:+d}" for x, y in zip(table.X, table.y, strict=True)]
    return [f"    rows     {'; '.join(f'{i}: {row}' for i, row in enumerate(rows))}"]


_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def _packed(table: Table) -> str:
    """As play/assets/link.js does: on a grid of 1/64, 11 bits a number, one for the class."""
    bits = ""
    for x, y in zip(table.X, table.y, strict=True):
        bits += "".join(f"{int((v + 16) * 64):011b}" for v in x) + str(int(y > 0))
    sixes = [bits[k : k + 6].ljust(6, "0") for k in range(0, len(bits), 6)]
    return "".join(_DIGITS[int(six, 2)] for six in sixes)
