"""The steps of a trace in words, and in a table for a terminal, a notebook or a worksheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise, repeat, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._tracing.loss_steps import growing
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._tracing.space import Features
from rosenblatt._util.text import counted, first_few, html_table, row_number

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


def number(value: Any) -> str:
    return f"{float(value):.6g}" if value is not None else ""


def vector(values: Any) -> str:
    shown = [number(v) for v in values[:6]]
    return "(" + ", ".join([*shown, "…"][: len(shown) + (len(values) > 6)]) + ")"


def step(trace: Trace, k: int) -> str:
    space = trace.replay.space
    if k == 0:
        return f"step 0: training starts with {_start(trace)}"
    if not isinstance(space, Features):
        return f"step {k}: {_why(trace, k)}: {_alpha(trace, k)}"
    p = trace.precision_at(k - 1) if trace.replay.run.rule == "AROW" else None
    before, after = space.at([k - 1, k])
    return _of_weights(trace, k, before, after, p)


def steps(trace: Trace) -> Iterator[str]:
    """All steps but the start, in one replay; of AROW with a line on its precisions above."""
    space, run = trace.replay.space, trace.replay.run
    if not isinstance(space, Features):
        yield from (step(trace, k) for k in range(1, len(trace) + 1))
        return
    precisions: Iterator[Floats | None] = repeat(None)
    if run.rule == "AROW" and len(trace):
        yield _about_precisions(run)
        precisions = (p for part in growing(run) for p in part.precisions[:-1])
    for begin, block in space.blocks():
        for k, (before, after) in enumerate(pairwise(block), start=begin + 1):
            yield _of_weights(trace, k, before, after, next(precisions))


def _about_precisions(run: Run) -> str:
    plain = bool((run.weights == 1).all())
    r = f"r = {number(run.number)}" if plain else f"r = {number(run.number)}/(weight of the row)"
    b = (", and b by α over that of b", " (1/r to that of b)") if run.intercept else ("", "")
    return (
        f"Each weight moves by α·x over its own precision{b[0]}. Precisions are 1 at first; a step "
        f"adds x²/r to them{b[1]}, {r}."
    )


def _of_weights(trace: Trace, k: int, before: Floats, after: Floats, p: Floats | None) -> str:
    """Step k, where the weights before and after it are known in units of η; p is AROW's."""
    run = trace.replay.run
    before, after = run.eta * before, run.eta * after
    if run.k is not None:
        return f"step {k}: {_why(trace, k)}: {_moves(trace, k, before, after, p)}"
    made = run.updates_of(k)
    rows, sizes, change = run.rows[made], run.eta * run.steps[made], after - before
    x = run.lifted(rows)[0, :-1] if len(rows) == 1 else change[:-1]
    b = change[-1] if run.mixed else sizes.sum()
    if run.signs is not None:
        moved = before + (sizes[:, None] * run.lifted(rows)).sum(axis=0)
        if run.beyond(moved).any():
            x = x if len(rows) == 1 else (moved - before)[:-1]
            words = _moved(run, before, moved, x, sizes, b, p)
            signs = f"projected onto the signs: w {vector(after[:-1])}"
            return f"step {k}: {_why(trace, k)}: {words}; {signs}"
    return f"step {k}: {_why(trace, k)}: {_moved(run, before, after, x, sizes, b, p)}"


def _start(trace: Trace) -> str:
    start, classes = trace.replay.run.start, trace.replay.about.classes
    if not isinstance(trace.replay.space, Features):
        return "zero coefficients" if not start.any() else "the given coefficients"
    if start.ndim > 1 and not start.any():
        return f"zero weights for each of {len(classes)} classes"
    w, b = trace.weights_at(0)
    if start.ndim > 1:
        each = (
            f"{label}: w {vector(of_class)}, b {number(of_b)}"
            for label, of_class, of_b in zip(classes, w, b, strict=True)
        )
        return _some("; ", list(each))
    return f"w {vector(w)}, b {number(b)}"


def _why(trace: Trace, k: int) -> str:
    run = trace.replay.run
    made = run.updates_of(k)
    rows = run.rows[made].tolist()
    if len(rows) == 1:
        return _one(trace, made.start)
    return f"{len(rows)} rows call for an update: {first_few([*map(row_number, rows)], 8)}"


def _one(trace: Trace, u: int) -> str:
    run, space = trace.replay.run, trace.replay.space
    i, score = int(run.rows[u]), run.eta * run.scores[u]
    x = " " + vector(run.lifted([i])[0, :-1]) if isinstance(space, Features) else ""
    label, margin = trace.label[u], float(run.eta * run.margins[u])
    if not run.by_count:
        other = "" if run.k is None else f" over {trace.rival[u]}"
        size = f"{_LETTER[run.rule]} = {number(abs(trace.step_size[u]))}"
        loss = f"loss {number(trace.loss[u])}"
        why = f"is {label} with the margin {number(margin)}{other}, {loss}, {size}"
    elif run.k is not None:
        why = f"is {label} {_against(trace, trace.rival[u], margin)}"
    elif margin < 0:
        why = f"is {label} but scores {number(score)}"
    elif margin == 0:
        why = f"is {label} and is on the hyperplane, score 0"
    else:
        mu = number(run.margin * run.eta)
        why = f"is {label} and has the margin {number(margin)} only, μ is {mu}"
    return f"row {row_number(i)}{x} {why}"


_LETTER = {"PA-I": "τ", "PA-II": "τ", "AROW": "α"}  # of the step, as in the papers


def _against(trace: Trace, rival: Any, margin: float) -> str:
    if margin < 0:
        return f"but {rival} scores {number(-margin)} more"
    if margin == 0:
        return f"and {rival} scores as much"  # they tie, which is a mistake
    mu = number(trace.replay.run.margin * trace.replay.run.eta)
    return f"and scores only {number(margin)} more than {rival}, μ is {mu}"


def _moves(trace: Trace, k: int, before: Floats, after: Floats, p: Floats | None) -> str:
    run, classes = trace.replay.run, trace.replay.about.classes
    assert run.rivals is not None
    made = run.updates_of(k)
    own, rivals, size = run.own[made], run.rivals[made], run.eta * run.steps[made]
    if len(own) == 1:
        x = run.lifted(run.rows[made])[0, :-1]
        moved = {int(own[0]): (" moves towards it", x, size), int(rivals[0]): (" away", x, -size)}
    else:
        changed = np.unique([*own, *rivals]).tolist()
        moved = {c: ("", x, np.zeros(2)) for c in changed for x in [(after - before)[c, :-1]]}
    changes = []
    for c, (how, x, steps) in moved.items():
        of_c = None if p is None else p[c]
        b = (after - before)[c, -1] if of_c is None else steps[0]
        words = _moved(run, before[c], after[c], x, steps, b, of_c)
        changes.append(f"{classes[c]}{how}: {words}")
    return _some("; ", changes)


def _some(between: str, parts: list[str], most: int = 4) -> str:
    return between.join([*parts[:most], "…"][: most + 1] if len(parts) > most else parts)


def _moved(
    run: Run, before: Floats, after: Floats, x: Floats, sizes: Floats, b: float, p: Floats | None
) -> str:
    """From weights to weights: by a multiple of the row x, or by x, where that is a sum of rows."""
    added, over_b = f"+ {vector(x)}", ""
    if len(sizes) == 1:
        size, over = abs(float(sizes[0])), ""
        if p is not None:
            over, over_b = f"/{vector(p[:-1])}", f"/{number(p[-1])}"
        factor = "" if size == 1 else f"{number(size)}·"
        added = f"{'+' if sizes[0] > 0 else '-'} {factor}{vector(x)}{over}"
    words = f"w {vector(before[:-1])} {added} = {vector(after[:-1])}"
    if run.intercept:
        words += f", b {_sum(before[-1], float(b))}{over_b} = {number(after[-1])}"
    return words


def _sum(before: float, change: float) -> str:
    return f"{number(before)} {'+' if change >= 0 else '-'} {number(abs(change))}"


def _alpha(trace: Trace, k: int) -> str:
    run = trace.replay.run
    before, after = trace.alpha_at(k - 1), trace.alpha_at(k)
    made = run.updates_of(k)
    if run.k is not None:
        return _alpha_of_classes(trace, made, after, after - before)
    sums = [
        f"α of row {row_number(i)}: {_sum(before[i], after[i] - before[i])} = {number(after[i])}"
        for i in run.rows[made].tolist()[:8]
    ]
    if run.intercept:
        b = run.eta * (run.start[-1] + np.append(0, np.cumsum(run.steps)))
        sums.append(
            f"b {_sum(b[made.start], b[made.stop] - b[made.start])} = {number(b[made.stop])}"
        )
    return ", ".join(sums)


def _alpha_of_classes(trace: Trace, made: slice, after: Floats, change: Floats) -> str:
    run, classes = trace.replay.run, trace.replay.about.classes
    assert run.rivals is not None
    sums = []
    for i, *both in zip(run.rows[made], run.own[made], run.rivals[made], strict=True):
        words = ", ".join(
            f"for {classes[c]} {_sum(after[i, c] - change[i, c], change[i, c])}"
            f" = {number(after[i, c])}"
            for c in both
        )
        sums.append(f"α of row {row_number(i)}: {words}")
    return _some("; ", sums, 8)


# --- The table -----------------------------------------------------------------------------------

_MOST_FEATURES = 4  # weights of so many are shown
_MOST_WEIGHTS = 9  # and of all classes together
_EDGE = 10  # steps at either end of a long table
_WITH_STAR = ("⟨w, ŵ*⟩", "cos∠(w, w*)")
_DISTANCE = {"PA-I": "‖w - u‖²", "PA-II": "‖w - u‖²", "AROW": "Σ p (w - u)²"}


def columns(trace: Trace, steps: Sequence[int] | None = None) -> dict[str, list[Any]]:
    run = trace.replay.run
    steps = list(range(1, len(trace) + 1) if steps is None else steps)
    made = [run.updates_of(k) for k in steps]
    first = [updates.start for updates in made]
    single = run.single
    rows = [run.rows[updates] for updates in made]
    table: dict[str, list[Any]] = {
        "k": list(steps),
        "epoch": run.epochs[first].tolist(),
        "visit": run.visits[first].tolist(),
        "row": [row_number(r[0]) for r in rows] if single else [_listed(r.tolist()) for r in rows],
    }
    if single:
        table["label"] = trace.label[first].tolist()
        if run.k is not None:
            table["rival"] = trace.rival[first].tolist()
        table["score" if run.k is None else "margin"] = trace.score[first].tolist()
        if not run.by_count:
            table["loss"] = trace.loss[first].tolist()
        if run.rule == "AROW":
            table["v"] = trace.variance[first].tolist()
        table["step"] = trace.step_size[first].tolist()
    norm = "‖(w, b)‖" if run.intercept else "‖w‖"
    table |= _weights(trace, steps)
    table[norm] = trace.norm[steps].tolist()
    if not run.by_count:
        distances = trace.replay.distances
        if distances is not None:
            table[_DISTANCE[run.rule]] = distances[steps].tolist()
    elif trace.replay.star is not None:
        for name, values in zip(_WITH_STAR, (trace.product, trace.cosine), strict=True):
            table[name] = values[steps].tolist()
    return table


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
    lifted: Any = run.eta * np.array(list(space.at(steps)))
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
            called = (f"w{j} {name}" if twice else name) + of_class
            out[called] = lifted[:, *at, j].tolist()
        if run.intercept:
            out[f"b{of_class}"] = lifted[:, *at, -1].tolist()
    return out


def _cells(table: dict[str, list[Any]]) -> list[list[str]]:
    shown = [
        [number(v) if isinstance(v, float) else _in_line(v) for v in column]
        for column in table.values()
    ]
    return [list(line) for line in zip(*shown, strict=True)]


def _in_line(value: Any) -> str:
    return " ".join(str(value).split())


def _ends(trace: Trace) -> tuple[list[str], list[list[str]], int]:
    """Names and cells of a table that is not long; how many steps in its middle are left out."""
    hidden = max(len(trace) - 2 * _EDGE, 0)
    hidden = hidden if hidden > 1 else 0
    steps = range(1, len(trace) + 1)
    table = columns(trace, [*steps[:_EDGE], *steps[-_EDGE:]] if hidden else steps)
    return [_in_line(name) for name in table], _cells(table), hidden


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
    if not trace.replay.run.single:
        return f"{counted().capitalize()}."
    before = "Score" if trace.replay.run.k is None else "Margin"
    return f"{before}: before the update. Weights and lengths: after it. {counted().capitalize()}."


def _kept(trace: Trace) -> list[str]:
    if not trace.kept:
        return []
    fewest = trace.kept[-1][1]
    alike = takewhile(lambda judged: judged[1] == fewest, reversed(trace.kept))
    *_, (since, _) = alike
    return [f"Kept: weights with {fewest} mistakes (since update {since})."]


def as_text(trace: Trace) -> str:
    names, lines, hidden = _ends(trace)
    widths = [max(map(len, column)) for column in zip(names, *lines, strict=True)]

    def line(cells: Iterable[str]) -> str:
        return "  ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)).rstrip()

    shown = [line(names), *(line(cells) for cells in lines)]
    if hidden:
        shown.insert(1 + _EDGE, f"… {hidden} more steps …")
    return "\n".join([_summary(trace), _reading(trace), *shown, *_kept(trace)])


def as_html(trace: Trace) -> str:
    table, cells, hidden = _ends(trace)
    lines: list[list[str] | str] = [*cells]
    if hidden:
        lines.insert(_EDGE, f"… {hidden} more steps …")
    above = escape(f"{_summary(trace)} {_reading(trace)}")
    below = "".join(f"<p>{escape(line)}</p>" for line in _kept(trace))
    return f"<p>{above}</p>{html_table(table, lines)}{below}"


def as_markdown(trace: Trace) -> str:
    table = columns(trace)

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(_marked_down(cell) for cell in cells) + " |"

    rule = "|" + "---:|" * len(table)
    return "\n".join([line(table), rule, *(line(cells) for cells in _cells(table))])


def _marked_down(text: str) -> str:
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
