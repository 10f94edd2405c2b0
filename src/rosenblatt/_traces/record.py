"""Is a trace the record of a run on this data?"""

from __future__ import annotations

import numpy as np

from rosenblatt._compute.examples import margins as margins_of
from rosenblatt._support.row_numbers import row_number
from rosenblatt._traces.rounding import running
from rosenblatt._traces.run import Floats, Ints, Run
from rosenblatt._traces.verdict import HELD, VIOLATED, WITHIN, Claim, step_of
from rosenblatt._traces.walk import Path, Standing

_STATEMENT = "a replay visits rows in the same order, with the same scores, and ends alike"


def record(run: Run, path: Path, *, converged: bool, kernel_doubt: float) -> Claim:
    """The order of visits, every score, and that training ended clean where it says so.

    `kernel_doubt`: how far a kernel value can be off, since another machine may have trained.
    """
    found = _of_visits(run)
    if found is not None:
        return found
    added = running(np.abs(run.steps)) * (1 if run.k is None else 2)
    doubts = kernel_doubt * (np.abs(run.start[..., :-1]).sum() + added)
    scores = _of_scores(run, path, doubts[:-1])
    rivals = None if path.standing is None else _of_rivals(run, path, path.standing, doubts[:-1])
    end = _of_the_end(run, path, doubts[-1]) if converged else None
    claims = [claim for claim in (scores, rivals, end) if claim is not None]
    for status in (VIOLATED, WITHIN):
        for claim in claims:
            if claim.status == status:
                return claim
    return Claim("record", _STATEMENT, HELD)


def _of_visits(run: Run) -> Claim | None:
    """Whether no run in this order can have made these updates at these visits."""
    batch, rows, visits = run.order == "batch", run.rows, run.visits
    present = np.flatnonzero(run.weights)
    late = np.diff(visits, prepend=-1)
    wrong = (late < 0) | (late > 1) if batch else late < 1
    if wrong.any():
        u = int(np.argmax(wrong))
        before = f"after visit {visits[u - 1]}" if u else "first"
        return _odd(run, u, f"visit {visits[u]} comes {before}")
    if run.n != len(present):
        return _odd(run, 0, f"{len(present)} rows have a weight, but {run.n} were visited")
    absent = run.weights[rows] == 0
    if absent.any():
        u = int(np.argmax(absent))
        return _odd(run, u, f"row {rows[u]} has weight 0 and was never visited")
    if run.order == "cyclic":
        expected = present[visits % run.n]
        if (expected != rows).any():
            u = int(np.argmax(expected != rows))
            return _odd(run, u, f"visit {visits[u]} is to row {expected[u]}, not {rows[u]}")
    if batch or run.order in ("shuffle", "blocks", "mixed"):
        twice = _again(run.epochs, rows)
        if len(twice):
            u = int(twice[0])
            return _odd(run, u, f"row {rows[u]} is there twice in epoch {run.epochs[u]}")
    return None


def _again(epochs: Ints, rows: Ints) -> Ints:
    """The updates whose row was there before in the same epoch."""
    order = np.lexsort((np.arange(len(rows)), rows, epochs))
    same = (np.diff(rows[order]) == 0) & (np.diff(epochs[order]) == 0)
    return np.sort(order[1:][same])


def _odd(run: Run, u: int, detail: str) -> Claim:
    return Claim("record", _STATEMENT, VIOLATED, step_of(run, u), detail=detail)


def _of_scores(run: Run, path: Path, of_kernel: Floats) -> Claim | None:
    assert path.doubts is not None
    replayed, doubts = path.scores, path.doubts.scores + of_kernel
    same = run.scores == replayed  # also where both are infinite
    if same.all():
        return None
    difference = np.where(same, 0.0, np.abs(run.scores - replayed))
    far = np.nan_to_num(difference - 2 * doubts, nan=-np.inf)
    u = int(np.argmax(far))
    return Claim(
        "record",
        _STATEMENT,
        VIOLATED if far[u] > 0 else WITHIN,
        step_of(run, u),
        run.scores[u],
        replayed[u],
        f"row {run.rows[u]} is recorded with the score {run.scores[u]:.6g}, a replay gives "
        f"{replayed[u]:.6g}",
    )


def _of_rivals(run: Run, path: Path, by_replay: Standing, of_kernel: Floats) -> Claim | None:
    assert path.doubts is not None
    other = by_replay.rivals != run.rivals
    if not other.any():
        return None
    # Weights of the features have the bits of training: the rival is the same, or it is not one.
    sure = other
    if run.kernel is not None:
        sure = other & (by_replay.ahead > 2 * (path.doubts.scores + of_kernel))
    u = int(np.argmax(sure if sure.any() else other))
    detail = f"the rival of row {row_number(run.rows[u])} is another class by a replay"
    status = VIOLATED if sure.any() else WITHIN
    return Claim("record", _STATEMENT, status, step_of(run, u), detail=detail)


def _of_the_end(run: Run, path: Path, of_kernel: float) -> Claim | None:
    assert path.doubts is not None
    assert path.last is not None
    # The bits are those of training, unless that was in dual form and the replay is not.
    doubts = np.zeros(len(path.last)) if run.kernel is None else path.doubts.last + of_kernel
    margins = np.where(run.weights > 0, margins_of(path.last, run.y), np.inf)
    i = int(np.argmin(margins))
    calls = np.less_equal if run.by_count else np.less  # other rules are content with 1 itself
    if not calls(margins[i], run.margin):
        return None
    sure = bool(calls(margins + 2 * doubts, run.margin).any())
    detail = (
        f"training ended clean, but row {row_number(i)} has the margin {margins[i]:.6g} in the end"
    )
    return Claim("record", _STATEMENT, VIOLATED if sure else WITHIN, run.n_steps, detail=detail)
