"""Checks of rows that are on a GPU, or are to go there; `rows.py` has those of the host."""

from __future__ import annotations

from typing import Any

from rosenblatt._core import device
from rosenblatt._core.device import OnDevice
from rosenblatt._core.rows import Csr, Placed
from rosenblatt._validation.rows import checked_rows, learn_features
from rosenblatt.errors import InputError

_MOST_ROWS = (1 << 31) - 2  # row numbers have 31 bits there


def checked_rows_on_gpu(
    estimator: Any, X: Any, *, reset: bool, finite: bool = True, name: str = "X"
) -> Placed:
    """X on the GPU; on the host where its estimator has device="cpu"."""
    wanted = vars(estimator).get("device")
    if device.is_on_gpu(X) and wanted != "cpu":
        return _checked(estimator, X, reset=reset, finite=finite, name=name)
    host = checked_rows(estimator, device.to_host(X), reset=reset, finite=finite, name=name)
    if (wanted or device.chosen_device.get()) == "cpu":
        return host
    if isinstance(host, Csr):
        raise InputError(
            f"{name} is sparse, and a GPU takes dense rows only. Train on the CPU (device='cpu'), "
            f"or give {name}.toarray() if it fits into memory."
        )
    _refuse_too_many(host.shape[0], name)
    return device.send(host)


def _checked(estimator: Any, X: Any, *, reset: bool, finite: bool, name: str) -> OnDevice:
    if len(X.shape) != 2:
        raise InputError(
            f"Expected 2D array, got an array of {len(X.shape)} dimensions instead: {name} has one "
            "row for each example, one column for each feature."
        )
    n, d = (int(size) for size in X.shape)
    if n < 1 or d < 1:
        raise InputError(
            f"Found array with {n} sample(s) and {d} feature(s) (shape=({n}, {d})) while a minimum "
            f"of 1 is required: {name} is empty."
        )
    _refuse_too_many(n, name)
    if reset:
        learn_features(estimator, d, None)
    elif d != estimator.n_features_in_:
        raise InputError(
            f"{name} has {d} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    rows = device.take(X)
    broken = rows.rows().survey()[1] if finite else None
    if broken is not None:
        raise InputError(
            f"Input {name} contains NaN or infinity, first in row {broken}: fill it in, or drop "
            "the row.",
            row=int(broken),
        )
    return rows


def _refuse_too_many(n: int, name: str) -> None:
    if n > _MOST_ROWS:
        raise InputError(f"{name} has {n:,} rows; a GPU takes at most {_MOST_ROWS:,}.")
