"""A trace as JSON; `read_document.py` reads it back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt._compute.examples import Examples
from rosenblatt._compute.fingerprint import of_examples
from rosenblatt._compute.matrices import as_table, dense
from rosenblatt._rules.gram import Kernel
from rosenblatt._traces.about import About
from rosenblatt._traces.run import Run
from rosenblatt.errors import InputError

SCHEMAS = tuple(f"rosenblatt.trace/{version}" for version in (1, 2, 3, 4))
SCHEMA = SCHEMAS[-1]
_FEW = 100_000  # numbers of a table that goes into the file whole, unless told otherwise


def write(
    run: Run, about: About, path: str | os.PathLike[str] | None, all_rows: bool | None
) -> str:
    """The JSON text, also written to `path` where one is given."""
    if all_rows is None:
        few = run.X.shape[0] * run.X.shape[1] <= _FEW
        whole = run.kernel is not None and run.kernel.precomputed
        all_rows = about.all_rows and (few or whole)
    if all_rows and not about.all_rows:
        raise InputError("This trace itself was read without all rows.")
    if not all_rows and run.kernel is not None and run.kernel.precomputed:
        raise InputError("A trace with kernel='precomputed' is made of all rows: all_rows=True.")
    document = {
        "schema": SCHEMA,
        **asdict(about),
        "all_rows": all_rows,
        "data_fingerprint": _fingerprint(run, about),
        "n_rows": run.X.shape[0],
        "n_features": run.X.shape[1],
        "order": run.order,
        "keep": run.keep,
        "eta0": run.eta,
        "margin": run.margin,
        "fit_intercept": run.intercept,
        "rule": {"kind": run.rule, "number": None if run.by_count else run.number},
        "kernel": _kernel(run.kernel),
        "start": run.start.tolist(),
        "rows": _rows(run, np.arange(len(run.y)) if all_rows else _used(run)),
        "updates": {
            "row": run.rows.tolist(),
            "visit": run.visits.tolist(),
            "score": run.scores.tolist(),
            "rival": None if run.rivals is None else run.rivals.tolist(),
        },
        "kept": [list(pair) for pair in run.judged],
    }
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"This trace cannot be written as JSON: {error}. Labels must be numbers or text, and "
            "scores finite."
        ) from None
    if path is not None:
        from rosenblatt._support.files import write_whole

        write_whole(Path(path), (text + "\n").encode(), overwrite=True)
    return text


def _fingerprint(run: Run, about: About) -> str | None:
    """Of all rows: as the file said that had only some of them, if it did."""
    if not about.all_rows:
        return about.data_fingerprint
    return of_examples(Examples(run.X, run.y, run.c, run.k))


def _kernel(kernel: Kernel | None) -> dict[str, Any] | None:
    if kernel is None:
        return None
    if callable(kernel.kernel):
        raise InputError("A trace with a kernel function cannot be written: code is no data.")
    return {
        "kernel": kernel.kernel,
        "degree": kernel.degree,
        "gamma": kernel.gamma,
        "coef0": kernel.coef0,
    }


def _used(run: Run) -> Any:
    """The rows that weights are made of: those of updates, and of a start with coefficients."""
    if run.kernel is None:
        return np.unique(run.rows)
    coefficients = np.atleast_2d(run.start)[:, :-1]
    return np.union1d(run.rows, np.flatnonzero(coefficients.any(axis=0)))


def _rows(run: Run, index: Any) -> dict[str, Any]:
    x = dense(as_table(run.X)[index])
    return {
        "row": index.tolist(),
        "type": str(x.dtype),
        "x": x.astype(np.float64).tolist(),
        "y": run.y[index].tolist(),
        "weight": None if run.c is None else run.c[index].tolist(),
        "n_present": run.n,
    }
