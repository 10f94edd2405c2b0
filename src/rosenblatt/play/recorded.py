"""A recorded training as the page reads it, so that any trace can be stepped through there."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._core.rows import as_table, dense
from rosenblatt.errors import InputError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.play.examples import page_table
from rosenblatt.play.html_page import check_classes, check_size

if TYPE_CHECKING:
    from rosenblatt._tracing.run import Run
    from rosenblatt._tracing.trace import Trace


# The page trains by these when points are changed, else by "shuffle"; as assets/model.js has them.
_ORDERS = ("cyclic", "shuffle", "random", "batch")
MOST_WITH_KERNEL = 400  # as assets/model.js has it
_STOPS = {"max_iter": "max_iter", "max_updates": "max_updates"}


def table_of_trace(trace: Trace) -> dict[str, Any]:
    """Rows, settings and every update; lengths are in units of the learning rate."""
    run, about, estimator = trace.replay.run, trace.replay.about, trace.estimator
    _refuse(trace)
    d = run.X.shape[1]
    names = about.feature_names or [f"x{j + 1}" for j in range(d)]
    table = page_table(dense(as_table(run.X)), run.y, names, [str(c) for c in about.classes])
    seed = estimator.random_state
    table["settings"] = {
        "order": run.order if run.order in _ORDERS else "shuffle",
        "keep": run.keep,
        "margin": run.margin,
        "intercept": run.intercept,
        "seed": int(seed) if isinstance(seed, (int, np.integer)) and 0 <= seed < 2**32 else 0,
        **_kernel(run),
    }
    returned = np.zeros(0)  # with a kernel there are no weights of the features
    if run.kernel is None:
        returned = np.column_stack([estimator.coef_, estimator.intercept_]).ravel() / run.eta
    reason = str(estimator.stop_reason_.name).lower()
    table["record"] = {
        "row": run.rows.tolist(),
        "visit": run.visits.tolist(),
        "score": run.scores.tolist(),
        "rival": [] if run.rivals is None else run.rivals.tolist(),
        "mistakes": estimator.mistakes_.tolist(),
        "returned": returned.tolist(),
        "errors": estimator.training_errors_,
        "stop": "clean" if about.converged else _STOPS.get(reason, "given_up"),
    }
    return table


def _kernel(run: Run) -> dict[str, Any]:
    if run.kernel is None:
        return {"kernel": "none"}
    return {
        "kernel": run.kernel.kernel,
        "gamma": run.kernel.gamma,
        "degree": int(run.kernel.degree),
    }


def _refuse(trace: Trace) -> None:
    run = trace.replay.run
    if not run.by_count:
        raise InputError(
            "The playground shows the perceptron's rule only: trace a Perceptron, or look at "
            "trace.steps() and rosenblatt.plots."
        )
    check_size(*run.X.shape)
    check_classes(len(trace.replay.about.classes))
    why = None
    if trace.estimator is None:
        why = "it was read from a file, which has not all of it: trace the estimator again"
    elif run.c is not None:
        why = "its rows have weights"
    elif run.start.any():
        why = "it did not start from zero weights"
    elif run.signs is not None:
        why = "its weights have signs that were demanded"
    elif run.tie != "mistake":
        why = f"on the page a score of 0 is a mistake, and here tie={run.tie!r}"
    elif run.keep == "vote":
        why = "keep='vote' returns no line"
    elif run.kernel is not None and not _known_kernel(run):
        why = (
            "of kernels the page knows rbf, and poly of degree 2 or 3 with coef0=1, for up to "
            f"{MOST_WITH_KERNEL} rows of 2 columns"
        )
    if why is not None:
        raise InputError(f"The playground cannot show this training: {why}.")


def _known_kernel(run: Run) -> bool:
    assert run.kernel is not None
    n, d = run.X.shape
    return n <= MOST_WITH_KERNEL and d == 2 and run.kernel.on_page()


# --- The fingerprint of a run, which the page shows, too -----------------------------------------


def fingerprint(trace: Trace) -> str:
    """16 digits that are the same where every update, every score and the returned weights are.

    The playground shows them for its run, and its Python code prints them. Of a KernelPerceptron
    they are about the rows, visits and rivals of its updates alone: kernel values may differ in
    their last bits.

    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.play import fingerprint
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> fingerprint(trace(Perceptron(order="cyclic", keep="last"), X, y))
    '5f8110e454c99333'
    """
    estimator = trace.estimator
    if estimator is None:
        raise InputError("A trace that was read from a file has no estimator to be fingerprinted.")
    parts = [trace.row.astype("<u8"), trace.visit.astype("<u8")]
    if (rivals := trace.replay.run.rivals) is not None:
        parts.append(rivals.astype("<u8"))
    if not isinstance(estimator, KernelPerceptron):
        weights = np.append(estimator.coef_, estimator.intercept_)
        parts += [trace.score.astype("<f8"), weights.astype("<f8")]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
