"""The steps of a trace in a table: for a terminal, a notebook, a worksheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rosenblatt._support.row_numbers import counted, row_number
from rosenblatt._traces.space import Features
from rosenblatt._traces.words import number

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace

_MOST_FEATURES = 4  # weights of so many are shown
_MOST_WEIGHTS = 9  # and of all classes together
_EDGE = 10  # steps at either end of a long table
_WITH_STAR = ("⟨w, ŵ*⟩", "cos∠(w, w*)")
_DISTANCE = {"PA-I": "‖w - u‖²", "PA-II": "‖w - u‖²", "AROW": "Σ p (w - u)²"}


def columns(trace: Trace, steps: Sequence[int] | None = None) -> dict[str, list[Any]]:
    """By name, one value for each step."""
    run = trace.replay.run
    steps = list(range(1, len(trace) + 1) if steps is None else steps)
    made = [run.updates_of(k) for k in steps]
    first = [updates.start for updates in made]
    single = run.single
    rows = [run.rows[updates] for updates in made]
    found: dict[str, list[Any]] = {
        "k": list(steps),
        "epoch": run.epochs[first].tolist(),
        "visit": run.visits[first].tolist(),
        "row": [row_number(r[0]) for r in rows] if single else [_listed(r.tolist()) for r in rows],
    }
    if single:
        found["label"] = trace.label[first].tolist()
        if run.k is not None:
            found["rival"] = trace.rival[first].tolist()
        found["score" if run.k is None else "margin"] = trace.score[first].tolist()
        if not run.by_count:
            found["loss"] = trace.loss[first].tolist()
        if run.rule == "AROW":
            found["v"] = trace.variance[first].tolist()
        found["step"] = trace.step_size[first].tolist()
    norm = "‖(w, b)‖" if run.intercept else "‖w‖"
    found |= _weights(trace, steps)
    found[norm] = trace.norm[steps].tolist()
    if not run.by_count:
        distances = trace.replay.distances
        if distances is not None:
            found[_DISTANCE[run.rule]] = distances[steps].tolist()
    elif trace.replay.star is not None:
        for name, values in zip(_WITH_STAR, (trace.product, trace.cosine), strict=True):
            found[name] = values[steps].tolist()
    return found


def _listed(rows: list[int]) -> str:
    return ", ".join(str(row_number(i)) for i in rows[:6]) + (
        f", … ({len(rows)} rows)" if len(rows) > 6 else ""
    )


def _weights(trace: Trace, steps: Sequence[int]) -> dict[str, list[Any]]:
    """The columns of weights: w(x1) of feature x1, or w0 where features have no names."""
    run, space = trace.replay.run, trace.replay.space
    if not isinstance(space, Features) or not len(steps):
        return {}
    if space.d > _MOST_FEATURES or run.start.size > _MOST_WEIGHTS:
        return {}
    wanted, found = set(steps), {}
    for begin, block in space.blocks():
        for k in range(begin, begin + len(block)):
            if k in wanted:
                found[k] = run.eta * block[k - begin]
    out: dict[str, list[Any]] = {}
    names = [f"w{j}" for j in range(space.d)]
    if run.k is None and trace.replay.about.feature_names is not None:
        names = [f"w({name})" for name in trace.replay.about.feature_names]
    classes: list[tuple[str, tuple[int, ...]]] = [("", ())]
    if run.k is not None:
        classes = [(f" ({label})", (c,)) for c, label in enumerate(trace.replay.about.classes)]
    for of_class, at in classes:
        for j, name in enumerate(names):
            twice = name + of_class in out  # a file may have two features of one name
            out[(f"w{j} {name}" if twice else name) + of_class] = [
                float(found[k][*at, j]) for k in steps
            ]
        if run.intercept:
            out[f"b{of_class}"] = [float(found[k][*at, -1]) for k in steps]
    return out


def _cells(table: dict[str, list[Any]]) -> list[list[str]]:
    shown = [
        [number(v) if isinstance(v, float) else _in_line(v) for v in column]
        for column in table.values()
    ]
    return [list(line) for line in zip(*shown, strict=True)]


def _in_line(value: Any) -> str:
    """As text without line breaks."""
    return " ".join(str(value).split())


def _ends(trace: Trace) -> tuple[list[int], list[int]]:
    steps = list(range(1, len(trace) + 1))
    return (steps, []) if len(steps) <= 2 * _EDGE + 1 else (steps[:_EDGE], steps[-_EDGE:])


def _summary(trace: Trace) -> str:
    run, about = trace.replay.run, trace.replay.about
    updates = f"{len(run.rows)} updates"
    if not run.single:
        updates += f" in {len(trace)} {'epochs' if run.mixed else 'steps'}"
    if not run.by_count:
        updates += f", {int((run.margins <= 0).sum())} of them at mistakes"
    bound = ""
    if trace.bound is not None:
        what = " epochs" if run.mixed else "" if run.by_count else " mistakes"
        theorem = "the convergence theorem" if run.by_count else "its theorem"
        bound = f", at most {trace.bound:,}{what} by {theorem}"
    return f"{about.estimator}: {updates}{bound}. {about.ended}"


def _reading(trace: Trace) -> str:
    """How the table is read."""
    if not trace.replay.run.single:
        return f"{counted().capitalize()}."
    before = "Score" if trace.replay.run.k is None else "Margin"
    return f"{before}: before the update. Weights and lengths: after it. {counted().capitalize()}."


def _kept(trace: Trace) -> list[str]:
    """Which weights were kept, where training judged them."""
    if not trace.kept:
        return []
    fewest = trace.kept[-1][1]
    alike = takewhile(lambda judged: judged[1] == fewest, reversed(trace.kept))
    *_, (since, _) = alike
    return [f"Kept: weights with {fewest} mistakes (since update {since})."]


def as_text(trace: Trace) -> str:
    head, tail = _ends(trace)
    table = columns(trace, [*head, *tail])
    names, lines = [_in_line(name) for name in table], _cells(table)
    widths = [max(map(len, column)) for column in zip(names, *lines, strict=True)]

    def line(cells: Iterable[str]) -> str:
        return "  ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)).rstrip()

    shown = [line(names), *(line(cells) for cells in lines)]
    if tail:
        hidden = len(trace) - len(head) - len(tail)
        shown.insert(1 + len(head), f"… {hidden} more steps …")
    return "\n".join([_summary(trace), _reading(trace), *shown, *_kept(trace)])


def as_html(trace: Trace) -> str:
    head, tail = _ends(trace)
    table = columns(trace, [*head, *tail])
    lines = ["".join(f"<td>{escape(c)}</td>" for c in line) for line in _cells(table)]
    if tail:
        hidden = len(trace) - len(head) - len(tail)
        lines.insert(len(head), f'<td colspan="{len(table)}">… {hidden} more steps …</td>')
    names = "".join(f"<th>{escape(str(name))}</th>" for name in table)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    above = escape(f"{_summary(trace)} {_reading(trace)}")
    below = "".join(f"<p>{escape(line)}</p>" for line in _kept(trace))
    return f"<p>{above}</p><table><tr>{names}</tr>{body}</table>{below}"


def as_markdown(trace: Trace) -> str:
    table = columns(trace)

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(_marked_down(cell) for cell in cells) + " |"

    rule = "|" + "---:|" * len(table)
    return "\n".join([line(table), rule, *(line(cells) for cells in _cells(table))])


def _marked_down(text: str) -> str:
    """Without a meaning in Markdown, and without HTML."""
    text = _in_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join("\\" + c if c in "\\|`[]!" else c for c in text)


_LATEX = {
    "‖(w, b)‖": r"$\|(w,b)\|$",
    "‖w‖": r"$\|w\|$",
    "⟨w, ŵ*⟩": r"$\langle w,\hat w^*\rangle$",
    "cos∠(w, w*)": r"$\cos\angle(w,w^*)$",
    "‖w - u‖²": r"$\|w-u\|^2$",
    "Σ p (w - u)²": r"$\sum p(w-u)^2$",
}


def as_latex(trace: Trace) -> str:
    table = columns(trace)
    names = " & ".join(_LATEX.get(name, _escaped(name)) for name in table)
    lines = [" & ".join(_escaped(c) for c in cells) + r" \\" for cells in _cells(table)]
    begin = rf"\begin{{tabular}}{{{'r' * len(table)}}}"
    return "\n".join(
        [begin, r"\hline", names + r" \\", r"\hline", *lines, r"\hline", r"\end{tabular}"]
    )


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in _in_line(text))
