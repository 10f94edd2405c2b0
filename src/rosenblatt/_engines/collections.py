"""Dask arrays and frames: their rows are computed by the workers, and stay there."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rosenblatt._engines.divided import Bundle, Divided, bundled
from rosenblatt._engines.parts import ArrayPart
from rosenblatt._engines.team import Team
from rosenblatt._engines.work import labels
from rosenblatt._inputs import targets, validate
from rosenblatt._streams.batches import refuse_not_finite
from rosenblatt.errors import InputError, InputTypeError


def are_collections(source: Any) -> bool:
    """A pair of them; either may be in memory."""
    pair = isinstance(source, tuple) and len(source) == 2
    return pair and any(hasattr(part, "__dask_graph__") for part in source)


def of_collections(team: Team, X: Any, y: Any) -> Divided:
    """Rows and labels, divided into whole shards."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    X, y = _array(X, "X"), _array(y, "y")
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
        raise InputError(
            f"X has the shape {X.shape} and y {y.shape}: give as many labels as there are rows."
        )
    n, d = (int(size) for size in X.shape)
    edges = bundled(n, team.engine.at_once)
    given = [(begin, X[begin:end], y[begin:end]) for begin, end in edges]
    found = [team.place(_labels, some) for _, _, some in given]
    classes = targets.classes_of(np.concatenate(team.results(found)))
    bundles = [
        Bundle(begin, begin + len(some), team.place(_load, begin, classes, names, rows, some))
        for begin, rows, some in given
    ]
    team.settle([bundle.handle for bundle in bundles])
    rows = Divided(team, bundles, n, d, classes, (), names, None, 8 * n * d)
    counts = np.sum(rows.each(labels, len(classes)), axis=0)
    return Divided(team, bundles, n, d, classes, tuple(counts.tolist()), names, None, 8 * n * d)


def _array(given: Any, name: str) -> Any:
    """As a Dask array whose parts have known lengths."""
    da: Any = import_module("dask.array")
    if hasattr(given, "to_dask_array"):  # a frame or a series
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # text becomes objects: so be it
            return given.to_dask_array(lengths=True)
    if not hasattr(given, "__dask_graph__"):
        return da.from_array(np.asarray(given))
    if not isinstance(given, da.Array):
        raise InputTypeError(
            f"{name} is a {type(given).__module__}.{type(given).__qualname__}: give a Dask array, "
            "frame or series."
        )
    return given.compute_chunk_sizes() if np.isnan(given.shape[0]) else given


def _labels(y: Any) -> NDArray[Any]:
    """On a worker: which there are."""
    found = np.asarray(computed(y))
    return targets.found_classes(targets.labels(found, len(found)), many=True)


def _load(begin: int, classes: NDArray[Any], names: list[str] | None, X: Any, y: Any) -> ArrayPart:
    """On a worker: these rows, checked."""
    X, y = np.asarray(computed(X)), np.asarray(computed(y))
    called = f"X, from row {begin:,} on,"
    rows = validate.rows(BaseEstimator(), X, reset=True, finite=False, name=called)
    refuse_not_finite(rows, names, called)
    return ArrayPart(begin, rows, targets.encoded(targets.labels(y, len(y)), classes))


def computed(given: Any) -> Any:
    """Engines other than Dask's bring the recipe to the worker."""
    if hasattr(given, "__dask_graph__"):
        return given.compute(scheduler="synchronous")
    return given
