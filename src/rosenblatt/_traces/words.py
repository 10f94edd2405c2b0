"""The steps of a trace in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._support.row_numbers import row_number
from rosenblatt._traces.loss_steps import growing
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import Features

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace


def number(value: Any) -> str:
    """As short as it is: 7, 0.5, 1.234e-05."""
    return f"{float(value):.6g}" if value is not None else ""


def vector(values: Any) -> str:
    shown = [number(v) for v in values[:6]]
    return "(" + ", ".join([*shown, "…"][: len(shown) + (len(values) > 6)]) + ")"


def step(trace: Trace, k: int) -> str:
    """What happened in step k, and why."""
    space = trace.replay.space
    if k == 0:
        return f"step 0: training starts with {_start(trace)}"
    if not isinstance(space, Features):
        return f"step {k}: {_why(trace, k)}: {_alpha(trace, k)}"
    p = trace.precision_at(k - 1) if trace.replay.run.rule == "AROW" else None
    return _of_weights(trace, k, space.at(k - 1), space.at(k), p)


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
    rows, sizes = run.rows[made], run.eta * run.steps[made]
    x = run.lifted(rows[:1])[0, :-1]
    sign, what = _change((after - before)[:-1], x, sizes, over=_over(p))
    moved = f"w {vector(before[:-1])} {sign} {what} = {vector(after[:-1])}"
    if run.intercept:
        summed = float((after - before)[-1]) if run.mixed else float(sizes.sum())
        moved += f", b {_sum(before[-1], summed)}{_over_b(p)} = {number(after[-1])}"
    return f"step {k}: {_why(trace, k)}: {moved}"


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
    listed = ", ".join(str(row_number(i)) for i in rows[:8]) + (", …" if len(rows) > 8 else "")
    return f"{len(rows)} rows call for an update: {listed}"


def _one(trace: Trace, u: int) -> str:
    """Why update u was made."""
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


def _over(p: Floats | None) -> str:
    return "" if p is None else f"/{vector(p[:-1])}"


def _over_b(p: Floats | None) -> str:
    return "" if p is None else f"/{number(p[-1])}"


def _against(trace: Trace, rival: Any, margin: float) -> str:
    """Why a row is a mistake, or has a margin that is too small."""
    if margin < 0:
        return f"but {rival} scores {number(-margin)} more"
    if margin == 0:
        return f"and {rival} scores as much"  # they tie, which is a mistake
    mu = number(trace.replay.run.margin * trace.replay.run.eta)
    return f"and scores only {number(margin)} more than {rival}, μ is {mu}"


def _moves(trace: Trace, k: int, before: Floats, after: Floats, p: Floats | None) -> str:
    """What step k did to the weights of the classes that it changed."""
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
    found = []
    for c, (how, x, steps) in moved.items():
        of_c = None if p is None else p[c]
        sign, what = _change(x, x, steps, over=_over(of_c))
        words = f"w {vector(before[c, :-1])} {sign} {what} = {vector(after[c, :-1])}"
        if run.intercept:
            change = float((after - before)[c, -1] if of_c is None else steps[0])
            words += f", b {_sum(before[c, -1], change)}{_over_b(of_c)} = {number(after[c, -1])}"
        found.append(f"{classes[c]}{how}: {words}")
    return _some("; ", found)


def _some(between: str, parts: list[str], most: int = 4) -> str:
    return between.join([*parts[:most], "…"][: most + 1] if len(parts) > most else parts)


def _change(total: Any, x: Any, sizes: Any, *, over: str) -> tuple[str, str]:
    """The sign and what is added: x, a multiple of it, or the sum of a batch step."""
    if len(sizes) > 1:
        return "+", vector(total)
    size = abs(float(sizes[0]))
    factor = "" if size == 1 else f"{number(size)}·"
    return ("+" if sizes[0] > 0 else "-"), factor + vector(x) + over


def _sum(before: float, change: float) -> str:
    return f"{number(before)} {'+' if change >= 0 else '-'} {number(abs(change))}"


def _alpha(trace: Trace, k: int) -> str:
    """What step k did to the coefficients of its rows."""
    run = trace.replay.run
    before, after = trace.alpha_at(k - 1), trace.alpha_at(k)
    made = run.updates_of(k)
    if run.k is not None:
        return _alpha_of_classes(trace, made, after, after - before)
    found = [
        f"α of row {row_number(i)} {_sum(before[i], after[i] - before[i])} = {number(after[i])}"
        for i in run.rows[made].tolist()[:8]
    ]
    if run.intercept:
        b = run.eta * (run.start[-1] + np.append(0, np.cumsum(run.steps)))
        found.append(
            f"b {_sum(b[made.start], b[made.stop] - b[made.start])} = {number(b[made.stop])}"
        )
    return ", ".join(found)


def _alpha_of_classes(trace: Trace, made: slice, after: Floats, change: Floats) -> str:
    """The same for the class and the rival of each row."""
    run, classes = trace.replay.run, trace.replay.about.classes
    assert run.rivals is not None
    found = []
    for i, *both in zip(run.rows[made], run.own[made], run.rivals[made], strict=True):
        words = ", ".join(
            f"for {classes[c]} {_sum(after[i, c] - change[i, c], change[i, c])}"
            f" = {number(after[i, c])}"
            for c in both
        )
        found.append(f"α of row {row_number(i)} {words}")
    return _some("; ", found, 8)
