"""A trace as JSON, and back: a file may come from anywhere, and nothing in it is believed."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt._core.fingerprint import of_examples
from rosenblatt._core.protocol import TIES
from rosenblatt._core.rows import Csr, Examples, as_table, dense
from rosenblatt._tracing.run import About, Run
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.kernels import KERNELS, Kernel, kernel_of
from rosenblatt._training.orders import ORDERS
from rosenblatt._util.strict_json import InvalidDocument, Part, parse
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError

SCHEMA = "rosenblatt.trace/1"
_FEW = 100_000  # numbers of a table that goes into the file whole, unless told otherwise


def write(
    run: Run, about: About, path: str | os.PathLike[str] | None, all_rows: bool | None
) -> str:
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
        **({} if run.tie == "mistake" else {"tie": run.tie}),
        **({} if run.signs is None else {"signs": run.signs}),
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
        from rosenblatt._util.files import write_whole

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


# --- Reading -------------------------------------------------------------------------------------

_MOST_ROWS = 100_000_000  # rows that are announced but not there take memory, too
_MOST_CLASSES = 1_000_000
_MOST_VALUES = 1_000_000_000  # numbers are text here: a trace of many rows has many of them


def read(source: str | os.PathLike[str]) -> tuple[Run, About]:
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        content, name = source.encode(errors="surrogatepass"), "The text"
    else:
        content, name = Path(source).read_bytes(), str(source)
    try:
        with parse(content, _MOST_VALUES) as document:
            if document.value("schema") != SCHEMA:
                raise InvalidDocument(f"its schema is not {SCHEMA!r}, that of this version")
            return _run(document), _about(document)
    except (InvalidDocument, InputError, MemoryError) as why:
        raise InputError(f"{name} is not a trace: {str(why).rstrip('.')}.") from None


def _about(document: Part) -> About:
    names, classes = document.optional(document.texts, "feature_names"), document.values("classes")
    if names is not None and len(names) != document.value("n_features"):
        raise InvalidDocument("feature_names is not one name for each feature")
    return About(
        estimator=document.text("estimator"),
        classes=classes,
        feature_names=names,
        converged=document.flag("converged"),
        ended=document.text("ended"),
        all_rows=document.flag("all_rows"),
        data_fingerprint=document.optional(document.text, "data_fingerprint"),
    )


def _run(document: Part) -> Run:
    n, d = (parameters.whole(name, document.value(name)) for name in ("n_rows", "n_features"))
    if n > _MOST_ROWS:
        raise InvalidDocument(f"n_rows is {n}, more than {_MOST_ROWS}")
    kernel = None
    if document.value("kernel") is not None:
        kernel = _read_kernel(document.part("kernel"), n, d)
    k = _classes(document)
    size = (n if kernel is not None else d) + 1
    start = _floats(document, "start", None if k is None else (k, size))
    if start.shape[-1] != size:
        raise InvalidDocument("start is not of the same length as the weights")
    with document.part("rows") as rows, document.part("updates") as updates:
        index = _ints(rows, "row", n)
        if (np.diff(index) <= 0).any():
            raise InvalidDocument("rows.row does not rise")
        if document.flag("all_rows") and len(index) != n:
            raise InvalidDocument(f"{len(index)} rows are there, not all {n}")
        made, visits = _ints(updates, "row", n), _ints(updates, "visit", 1 << 62)
        scores = _floats(updates, "score")
        if not np.isin(made, index).all():
            raise InvalidDocument("an update has a row that is not there")
        if not (len(made) == len(visits) == len(scores)):
            raise InvalidDocument("the lists of updates are not of the same length")
        y, c = _labels(rows, index, n, k)
        rivals = None if k is None else _rivals(updates, y[made], k)
        if k is None and updates.value("rival") is not None:
            raise InvalidDocument("updates.rival is there, but there are two classes")
        run = Run(
            X=_table(rows, index, (n, d)),
            y=y,
            c=c,
            start=start,
            eta=parameters.positive("eta0", document.value("eta0")),
            margin=parameters.not_negative("margin", document.value("margin")),
            intercept=document.flag("fit_intercept"),
            order=document.one_of("order", ORDERS),
            keep=document.one_of("keep", KEEPS),
            n=parameters.whole("rows.n_present", rows.value("n_present")),
            rows=made,
            visits=visits,
            scores=scores,
            kernel=kernel,
            judged=_pairs(document, "kept"),
            rivals=rivals,
            tie=document.one_of("tie", TIES) if "tie" in document else "mistake",
            signs=_signs(document, d) if "signs" in document else None,
            **_rule(document),
        )
    plain = run.kernel is None and run.order != "batch" and run.eta == run.margin == 1
    projects = run.by_count and run.kernel is None and not run.mixed and k is None
    if run.signs is not None and (not projects or run.beyond(run.start).any()):
        raise InvalidDocument("signs are of a perceptron with two classes, and start obeys them")
    if not (run.by_count or plain):
        raise InvalidDocument(
            f"{run.rule} has no kernel, no order='batch', eta0 = 1 and margin = 1"
        )
    return run


def _signs(document: Part, d: int) -> list[int]:
    signs = document.values("signs")
    if len(signs) != d or not all(type(v) is int and v in (-1, 0, 1) for v in signs):
        raise InvalidDocument("signs is not -1, 0 or 1 for each feature")
    return signs


def _rule(document: Part) -> dict[str, Any]:
    with document.part("rule") as rule:
        kind = rule.one_of("kind", ("perceptron", "PA-I", "PA-II", "AROW"))
        if kind == "perceptron":
            if rule.value("number") is not None:
                raise InvalidDocument("rule.number is there, and the perceptron has none")
            return {}
        return {"rule": kind, "number": parameters.positive("rule.number", rule.value("number"))}


def _classes(document: Part) -> int | None:
    labels = document.values("classes")
    if any(type(label) not in (str, bool, int, float) for label in labels):
        raise InvalidDocument("classes holds something that is no label")
    if not 2 <= len(labels) <= _MOST_CLASSES:
        raise InvalidDocument(f"classes are {len(labels)} labels, not two or more")
    return len(labels) if len(labels) > 2 else None


def _rivals(updates: Part, own: Any, k: int) -> Any:
    rivals = _ints(updates, "rival", k)
    if len(rivals) != len(own):
        raise InvalidDocument("the lists of updates are not of the same length")
    if (rivals == own).any():
        raise InvalidDocument("updates.rival has a row whose rival is its own class")
    return rivals


def _table(rows: Part, index: Any, shape: tuple[int, int]) -> Any:
    """X; with only the rows that made updates the others are left empty."""
    n, d = shape
    kind = rows.one_of("type", ("float32", "float64"))
    with np.errstate(over="ignore"):
        x = _floats(rows, "x", (len(index), d)).astype(kind)
    if not np.isfinite(x).all():
        raise InvalidDocument("rows.x holds a number beyond float32")
    if len(index) == n:
        return x
    lengths = np.zeros(n, dtype=np.int64)
    lengths[index] = d
    indptr = np.append(0, np.cumsum(lengths))
    return Csr(x.ravel(), np.tile(np.arange(d), len(index)), indptr, (n, d))


def _labels(rows: Part, index: Any, n: int, k: int | None) -> tuple[Any, Any]:
    codes = _floats(rows, "y", (len(index),))
    if not np.isin(codes, (-1, 1) if k is None else np.arange(k)).all():
        allowed = "-1 or +1" if k is None else f"the number of a class, 0 .. {k - 1}"
        raise InvalidDocument(f"rows.y holds something that is not {allowed}")
    y = np.ones(n, dtype=np.int8) if k is None else np.zeros(n, dtype=np.int32)
    y[index] = codes
    if rows.value("weight") is None:
        return y, None
    c = np.ones(n)
    c[index] = _floats(rows, "weight", (len(index),))
    if (c < 0).any() or not c.any():
        raise InvalidDocument("rows.weight holds a negative weight, or zeros only")
    return y, c


def _read_kernel(kernel: Part, n: int, d: int) -> Kernel:
    with kernel as part:
        name = part.one_of("kernel", KERNELS)
        if KERNELS[name].precomputed and n != d:
            raise InvalidDocument("a precomputed kernel is not square")
        return kernel_of(
            name,
            degree=parameters.not_negative("degree", part.value("degree")),
            gamma=parameters.not_negative("gamma", part.value("gamma")),
            coef0=part.finite("coef0"),
        )


def _ints(part: Part, field: str, below: int) -> Any:
    return _whole_numbers(part.values(field), part.name(field), below)


def _whole_numbers(values: Any, name: str, below: int) -> Any:
    if type(values) is not list or any(type(v) is not int for v in values):
        raise InvalidDocument(f"{name} is not a list of whole numbers")
    if any(not 0 <= v < below for v in values):
        raise InvalidDocument(f"{name} holds a number that is not in 0 .. {below - 1}")
    return np.array(values, dtype=np.int64)


def _pairs(part: Part, field: str) -> list[tuple[int, int]]:
    pairs = [_whole_numbers(v, part.name(field), 1 << 62).tolist() for v in part.values(field)]
    if any(len(pair) != 2 for pair in pairs):
        raise InvalidDocument(f"{part.name(field)} is not made of pairs")
    return [(first, second) for first, second in pairs]


def _floats(part: Part, field: str, shape: tuple[int, ...] | None = None) -> Any:
    values = part.values(field)
    try:
        array = np.array(values) if values else np.empty(shape if shape and 0 in shape else 0)
    except ValueError:  # lists of several lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "if" or array.shape != (shape or (len(array),)):
        raise InvalidDocument(f"{part.name(field)} is not numbers as many as there should be")
    return array.astype(np.float64)
