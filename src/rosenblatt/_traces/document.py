"""A trace as JSON and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt._examples import Csr
from rosenblatt._gram import Kernel
from rosenblatt._tables import as_table, dense
from rosenblatt._traces.run import Run
from rosenblatt.errors import InputError

SCHEMA = "rosenblatt.trace/1"
_FEW = 100_000  # numbers of a table that goes into the file whole, unless told otherwise


def about(estimator: Any) -> dict[str, Any]:
    """What is said of the fitted estimator."""
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "estimator": str(estimator).replace("\n", ""),
        "classes": estimator.classes_.tolist(),
        "feature_names": None if names is None else [str(name) for name in names],
        "converged": bool(estimator.converged_),
        "ended": str(estimator.stop_reason_.value),
        "all_rows": True,
    }


def write(
    run: Run, about: dict[str, Any], path: str | os.PathLike[str] | None, all_rows: bool | None
) -> str:
    """The JSON text, also written to `path` where one is given."""
    if all_rows is None:
        all_rows = about["all_rows"] and run.X.shape[0] * run.X.shape[1] <= _FEW
    if all_rows and not about["all_rows"]:
        raise InputError("This trace itself was read without all rows.")
    document = {
        "schema": SCHEMA,
        **about,
        "all_rows": all_rows,
        "n_rows": run.X.shape[0],
        "n_features": run.X.shape[1],
        "order": run.order,
        "keep": run.keep,
        "eta0": run.eta,
        "margin": run.margin,
        "fit_intercept": run.intercept,
        "kernel": _kernel(run.kernel),
        "start": run.start.tolist(),
        "rows": _rows(run, np.arange(len(run.y)) if all_rows else np.unique(run.rows)),
        "updates": {
            "row": run.rows.tolist(),
            "visit": run.visits.tolist(),
            "score": run.scores.tolist(),
        },
        "kept": [list(pair) for pair in run.judged],
    }
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=None)
    if path is not None:
        from rosenblatt._files import write_whole

        write_whole(Path(path), (text + "\n").encode(), overwrite=True)
    return text


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


# --- Reading: the file may come from anywhere ----------------------------------------------------


def read(source: str | os.PathLike[str]) -> tuple[Run, dict[str, Any]]:
    """From the text itself, or from a file."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        text, name = source, "The text"
    else:
        name = str(source)
        try:
            text = Path(source).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{name} is not a trace: it is not text.") from None
    try:
        document = json.loads(text)
        if document.get("schema") != SCHEMA:
            raise InputError(
                f"{name} is not a trace of this version: its schema is not {SCHEMA!r}."
            )
        return _run(document), _about(document)
    except InputError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as e:
        raise InputError(
            f"{name} is not a trace: a field is missing or is not what it should be "
            f"({type(e).__name__}: {e})."
        ) from None


def _about(document: dict[str, Any]) -> dict[str, Any]:
    found = {
        name: document[name]
        for name in ("estimator", "classes", "feature_names", "converged", "ended", "all_rows")
    }
    if len(found["classes"]) != 2:
        raise ValueError("classes are not two")
    return found


def _run(document: dict[str, Any]) -> Run:
    n, d = int(document["n_rows"]), int(document["n_features"])
    rows, updates = document["rows"], document["updates"]
    index = _ints(rows["row"], n)
    x = _floats(rows["x"]).reshape(len(index), d).astype(np.dtype(rows["type"]))
    whole = len(index) == n and bool(document["all_rows"])
    X: Any = x
    if not whole:  # only the rows that made updates: the others are left empty
        lengths = np.zeros(n, dtype=np.int64)
        lengths[index] = d
        indptr = np.append(0, np.cumsum(lengths))
        columns = np.tile(np.arange(d), len(index))
        X = Csr(x.ravel(), columns, indptr, (n, d))
    y = np.ones(n, dtype=np.int8)
    y[index] = np.array(rows["y"])
    if not np.isin(y, (-1, 1)).all():
        raise ValueError("y holds something that is not -1 or +1")
    c = None
    if rows["weight"] is not None:
        c = np.ones(n)
        c[index] = _floats(rows["weight"])
    kernel = None if document["kernel"] is None else Kernel(**document["kernel"])
    made = _ints(updates["row"], n)
    visits, scores = np.array(updates["visit"], dtype=np.int64), _floats(updates["score"])
    size = n if kernel is not None else d
    start = _floats(document["start"])
    if not (len(made) == len(visits) == len(scores)) or len(start) != size + 1:
        raise ValueError("lists are not of the same length")
    return Run(
        X=X,
        y=y,
        c=c,
        start=start,
        eta=float(document["eta0"]),
        margin=float(document["margin"]),
        intercept=bool(document["fit_intercept"]),
        order=str(document["order"]),
        keep=str(document["keep"]),
        n=int(rows["n_present"]),
        rows=made,
        visits=visits,
        scores=scores,
        kernel=kernel,
        judged=[(int(u), int(m)) for u, m in document["kept"]],
    )


def _ints(values: Any, below: int) -> Any:
    found = np.array(values, dtype=np.int64).ravel()
    if len(found) and not (found.min() >= 0 and found.max() < below):
        raise ValueError(f"a row is not in 0 .. {below - 1}")
    return found


def _floats(values: Any) -> Any:
    found = np.array(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("a number is not finite")
    return found.ravel()
