"""A trace in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._traces.run import Floats
from rosenblatt._traces.space import Features

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace

_MOST_FEATURES = 4  # weights of so many are shown
_EDGE = 10  # steps at either end of a long table


def number(value: Any) -> str:
    """As short as it is: 7, 0.5, 1.234e-05."""
    return f"{float(value):.6g}" if value is not None else ""


def vector(values: Any) -> str:
    shown = [number(v) for v in values[:6]]
    return "(" + ", ".join([*shown, "…"][: len(shown) + (len(values) > 6)]) + ")"


# --- One step ------------------------------------------------------------------------------------


def step(trace: Trace, k: int) -> str:
    """What happened in step k, and why."""
    space = trace._space
    if k == 0:
        return f"step 0: training starts with {_start(trace)}"
    if not isinstance(space, Features):
        first, last = trace._run.edges[k - 1 : k + 1].tolist()
        return f"step {k}: {_why(trace, first, last)}: {_alpha(trace, k, first, last)}"
    return _of_weights(trace, k, space.at(k - 1), space.at(k))


def steps(trace: Trace) -> Iterator[str]:
    """All steps but the start, in one replay."""
    if not isinstance(trace._space, Features):
        yield from (step(trace, k) for k in range(1, len(trace) + 1))
        return
    for begin, block in trace._space.blocks():
        for k, (before, after) in enumerate(pairwise(block), start=begin + 1):
            yield _of_weights(trace, k, before, after)


def _of_weights(trace: Trace, k: int, before: Floats, after: Floats) -> str:
    """Step k, where the weights before and after it are known in units of η."""
    run = trace._run
    first, last = run.edges[k - 1 : k + 1].tolist()
    before, after = run.eta * before, run.eta * after
    rows, sizes = run.rows[first:last], run.eta * run.steps[first:last]
    x = trace._features("step").lifted(rows[:1])[0, :-1]
    sign, what = _change((after - before)[:-1], x, sizes)
    moved = f"w {vector(before[:-1])} {sign} {what} = {vector(after[:-1])}"
    if run.intercept:
        moved += f", b {_sum(before[-1], float(sizes.sum()))} = {number(after[-1])}"
    return f"step {k}: {_why(trace, first, last)}: {moved}"


def _why(trace: Trace, first: int, last: int) -> str:
    return _one(trace, first) if last - first == 1 else _several(trace, first, last)


def _start(trace: Trace) -> str:
    if not isinstance(trace._space, Features):
        beta = trace._run.start
        return "zero coefficients" if not beta.any() else "the given coefficients"
    w, b = trace.weights_at(0)
    return f"w {vector(w)}, b {number(b)}"


def _one(trace: Trace, u: int) -> str:
    run = trace._run
    i, score = int(run.rows[u]), run.eta * run.scores[u]
    x = ""
    if isinstance(trace._space, Features):
        x = " " + vector(trace._space.lifted([i])[0, :-1])
    label = trace._about["classes"][int(run.y[i] > 0)]
    margin = float(run.y[i] * score)
    if margin < 0:
        why = f"is {label} but scores {number(score)}"
    elif margin == 0:
        why = f"is {label} and is on the hyperplane, score 0"
    else:
        mu = number(run.margin * run.eta)
        why = f"is {label} and has the margin {number(margin)} only, μ is {mu}"
    return f"row {i}{x} {why}"


def _several(trace: Trace, first: int, last: int) -> str:
    rows = trace._run.rows[first:last].tolist()
    listed = ", ".join(str(i) for i in rows[:8]) + (", …" if len(rows) > 8 else "")
    return f"{len(rows)} rows call for an update: {listed}"


def _change(total: Any, x: Any, sizes: Any) -> tuple[str, str]:
    """The sign and what is added: x, a multiple of it, or the sum of a batch step."""
    if len(sizes) > 1:
        return "+", vector(total)
    size = abs(float(sizes[0]))
    factor = "" if size == 1 else f"{number(size)}·"
    return ("+" if sizes[0] > 0 else "-"), factor + vector(x)


def _sum(before: float, change: float) -> str:
    return f"{number(before)} {'+' if change >= 0 else '-'} {number(abs(change))}"


def _alpha(trace: Trace, k: int, first: int, last: int) -> str:
    before, after = trace.alpha_at(k - 1), trace.alpha_at(k)
    rows = trace._run.rows[first:last].tolist()[:8]
    found = [
        f"α of row {i} {_sum(before[i], after[i] - before[i])} = {number(after[i])}" for i in rows
    ]
    if trace._run.intercept:
        b = trace._run.eta * (trace._run.start[-1] + np.append(0, np.cumsum(trace._run.steps)))
        found.append(f"b {_sum(b[first], b[last] - b[first])} = {number(b[last])}")
    return ", ".join(found)


# --- Tables --------------------------------------------------------------------------------------


def columns(trace: Trace, steps: Sequence[int] | None = None) -> dict[str, list[Any]]:
    """By name, one value for each step."""
    run = trace._run
    steps = list(range(1, len(trace) + 1) if steps is None else steps)
    first = [int(run.edges[k - 1]) for k in steps]
    single = run.order != "batch"
    rows = [run.rows[run.edges[k - 1] : run.edges[k]] for k in steps]
    found: dict[str, list[Any]] = {
        "k": list(steps),
        "epoch": run.epochs[first].tolist(),
        "visit": run.visits[first].tolist(),
        "row": [int(r[0]) for r in rows] if single else [_listed(r.tolist()) for r in rows],
    }
    if single:
        found |= {
            "label": trace.label[first].tolist(),
            "score": trace.score[first].tolist(),
            "step": trace.step_size[first].tolist(),
        }
    norm = "‖(w, b)‖" if run.intercept else "‖w‖"
    found |= _weights(trace, steps, {*found, norm, "b", *_WITH_STAR})
    found[norm] = trace.norm[steps].tolist()
    if trace._star is not None:
        for name, values in zip(_WITH_STAR, (trace.product, trace.cosine), strict=True):
            found[name] = values[steps].tolist()
    return found


_WITH_STAR = ("⟨w, ŵ*⟩", "cos∠(w, w*)")


def _listed(rows: list[int]) -> str:
    return ", ".join(str(i) for i in rows[:6]) + (
        f", … ({len(rows)} rows)" if len(rows) > 6 else ""
    )


def _weights(trace: Trace, steps: Sequence[int], taken: set[str]) -> dict[str, list[Any]]:
    """The columns of weights, under the names of their features where those are free."""
    space = trace._space
    if not isinstance(space, Features) or space.d > _MOST_FEATURES or not len(steps):
        return {}
    wanted, found = set(steps), {}
    for begin, block in space.blocks():
        for k in range(begin, begin + len(block)):
            if k in wanted:
                found[k] = trace._run.eta * block[k - begin]
    out: dict[str, list[Any]] = {}
    for j, name in enumerate(trace._about["feature_names"] or [f"w{j}" for j in range(space.d)]):
        free = name if name not in taken | {*out} else f"w{j} ({name})"
        out[free] = [float(found[k][j]) for k in steps]
    if trace._run.intercept:
        out["b"] = [float(found[k][-1]) for k in steps]
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
    run, about = trace._run, trace._about
    updates = f"{len(run.rows)} updates"
    if run.order == "batch":
        updates += f" in {len(trace)} steps"
    bound = "" if trace.bound is None else f", at most {trace.bound} by the convergence theorem"
    return f"{about['estimator']}: {updates}{bound}. {about['ended']}"


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
    return "\n".join([_summary(trace), *shown])


def as_html(trace: Trace) -> str:
    head, tail = _ends(trace)
    table = columns(trace, [*head, *tail])
    lines = ["".join(f"<td>{escape(c)}</td>" for c in line) for line in _cells(table)]
    if tail:
        hidden = len(trace) - len(head) - len(tail)
        lines.insert(len(head), f'<td colspan="{len(table)}">… {hidden} more steps …</td>')
    names = "".join(f"<th>{escape(str(name))}</th>" for name in table)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<p>{escape(_summary(trace))}</p><table><tr>{names}</tr>{body}</table>"


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
