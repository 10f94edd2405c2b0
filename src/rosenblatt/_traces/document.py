"""A trace as JSON and back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import _validate
from rosenblatt._examples import Csr
from rosenblatt._gram import KERNELS, Kernel
from rosenblatt._keeps import KEEPS
from rosenblatt._orders import ORDERS
from rosenblatt._tables import as_table, dense
from rosenblatt._traces.run import Run
from rosenblatt.errors import InputError

SCHEMA = "rosenblatt.trace/1"
_MOST_ROWS = 100_000_000  # rows that are announced but not there take memory, too
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
        few = run.X.shape[0] * run.X.shape[1] <= _FEW
        whole = run.kernel is not None and run.kernel.precomputed
        all_rows = about["all_rows"] and (few or whole)
    if all_rows and not about["all_rows"]:
        raise InputError("This trace itself was read without all rows.")
    if not all_rows and run.kernel is not None and run.kernel.precomputed:
        raise InputError("A trace with kernel='precomputed' is made of all rows: all_rows=True.")
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
        "rows": _rows(run, np.arange(len(run.y)) if all_rows else _used(run)),
        "updates": {
            "row": run.rows.tolist(),
            "visit": run.visits.tolist(),
            "score": run.scores.tolist(),
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


def _used(run: Run) -> Any:
    """The rows that weights are made of: those of updates, and of a start with coefficients."""
    if run.kernel is None:
        return np.unique(run.rows)
    return np.union1d(run.rows, np.flatnonzero(run.start[:-1]))


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
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        text, name = source, "The text"
    else:
        name = str(source)
        try:
            text = Path(source).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{name} is not a trace: it is not text.") from None
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise InputError(
                f"{name} is not a trace of this version: its schema is not {SCHEMA!r}."
            )
        return _run(document), _about(document)
    except InputError as error:
        if str(error).startswith(name):
            raise
        raise InputError(f"{name} is not a trace: {error}") from None
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as e:
        raise InputError(
            f"{name} is not a trace: a field is missing or is not what it should be "
            f"({type(e).__name__}: {e})."
        ) from None


def _about(document: dict[str, Any]) -> dict[str, Any]:
    names, classes, d = document["feature_names"], document["classes"], document["n_features"]
    if names is not None and not (_list_of(names, str) and len(names) == d):
        raise ValueError("feature_names is not one name for each feature")
    if not (_list_of(classes, str, bool, int, float) and len(classes) == 2):
        raise ValueError("classes are not two labels")
    return {
        "estimator": _typed(document, "estimator", str),
        "classes": classes,
        "feature_names": names,
        "converged": _typed(document, "converged", bool),
        "ended": _typed(document, "ended", str),
        "all_rows": _typed(document, "all_rows", bool),
    }


def _run(document: dict[str, Any]) -> Run:
    n, d = (_validate.whole(name, document[name]) for name in ("n_rows", "n_features"))
    rows, updates, kept = document["rows"], document["updates"], document["kept"]
    index = _ints("rows.row", rows["row"], n)
    if n > _MOST_ROWS:
        raise ValueError(f"n_rows is {n}, more than {_MOST_ROWS}")
    if (np.diff(index) <= 0).any():
        raise ValueError("rows.row does not rise")
    if document["all_rows"] and len(index) != n:
        raise ValueError(f"{len(index)} rows are there, not all {n}")
    made = _ints("updates.row", updates["row"], n)
    if not np.isin(made, index).all():
        raise ValueError("an update has a row that is not there")
    visits = _ints("updates.visit", updates["visit"], 1 << 62)
    scores = _floats("updates.score", updates["score"])
    kernel = _read_kernel(document["kernel"], n, d)
    start = _floats("start", document["start"])
    size = n if kernel is not None else d
    if not (len(made) == len(visits) == len(scores)) or len(start) != size + 1:
        raise ValueError("lists are not of the same length")
    y, c = _labels(rows, index, n)
    return Run(
        X=_table(rows, index, (n, d)),
        y=y,
        c=c,
        start=start,
        eta=_validate.positive("eta0", document["eta0"]),
        margin=_validate.not_negative("margin", document["margin"]),
        intercept=_typed(document, "fit_intercept", bool),
        order=_one_of(document, "order", ORDERS),
        keep=_one_of(document, "keep", KEEPS),
        n=_validate.whole("rows.n_present", rows["n_present"]),
        rows=made,
        visits=visits,
        scores=scores,
        kernel=kernel,
        judged=[(u, m) for u, m in (_ints("kept", pair, 1 << 62).tolist() for pair in kept)],
    )


def _table(rows: dict[str, Any], index: Any, shape: tuple[int, int]) -> Any:
    """X; with only the rows that made updates the others are left empty."""
    n, d = shape
    if rows["type"] not in ("float32", "float64"):
        raise ValueError(f"rows.type is {rows['type']!r}, not 'float32' or 'float64'")
    with np.errstate(over="ignore"):
        x = _floats("rows.x", rows["x"], (len(index), d)).astype(rows["type"])
    if not np.isfinite(x).all():
        raise ValueError("rows.x holds a number beyond float32")
    if len(index) == n:
        return x
    lengths = np.zeros(n, dtype=np.int64)
    lengths[index] = d
    indptr = np.append(0, np.cumsum(lengths))
    return Csr(x.ravel(), np.tile(np.arange(d), len(index)), indptr, (n, d))


def _labels(rows: dict[str, Any], index: Any, n: int) -> tuple[Any, Any]:
    """y and c, by row of X."""
    signs = _floats("rows.y", rows["y"], (len(index),))
    if not np.isin(signs, (-1, 1)).all():
        raise ValueError("rows.y holds something that is not -1 or +1")
    y = np.ones(n, dtype=np.int8)
    y[index] = signs
    if rows["weight"] is None:
        return y, None
    c = np.ones(n)
    c[index] = _floats("rows.weight", rows["weight"], (len(index),))
    if (c < 0).any() or not c.any():
        raise ValueError("rows.weight holds a negative weight, or zeros only")
    return y, c


def _read_kernel(given: Any, n: int, d: int) -> Kernel | None:
    if given is None:
        return None
    name = _one_of(given, "kernel", KERNELS)
    if name == "precomputed" and n != d:
        raise ValueError("a precomputed kernel is not square")
    return Kernel(
        name,
        degree=_validate.not_negative("degree", given["degree"]),
        gamma=_validate.not_negative("gamma", given["gamma"]),
        coef0=float(_floats("coef0", [given["coef0"]])[0]),
    )


def _typed(document: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(document[name], kind):
        raise TypeError(f"{name} is {document[name]!r}")
    return document[name]


def _one_of(document: dict[str, Any], name: str, allowed: Iterable[str]) -> str:
    _validate.one_of(name, document[name], allowed)
    return str(document[name])


def _list_of(values: Any, *kinds: type) -> bool:
    return isinstance(values, list) and all(isinstance(v, kinds) for v in values)


def _ints(name: str, values: Any, below: int) -> Any:
    if not _list_of(values, int):
        raise TypeError(f"{name} is not a list of whole numbers")
    found = np.array(values, dtype=np.int64)
    if len(found) and not (found.min() >= 0 and found.max() < below):
        raise ValueError(f"{name} holds a number that is not in 0 .. {below - 1}")
    return found


def _floats(name: str, values: Any, shape: tuple[int, ...] | None = None) -> Any:
    found = np.array(values)
    if values == []:
        found = np.empty(shape if shape and 0 in shape else 0)
    if found.dtype.kind not in "if" or found.shape != (shape or (len(found),)):
        raise TypeError(f"{name} is not numbers as many as there should be")
    found = found.astype(np.float64)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds a number that is not finite")
    return found
