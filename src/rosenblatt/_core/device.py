"""Where rows are read: on the host, or on a GPU. CuPy is imported only where a GPU is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._core.gpu.rows import DeviceRows


DEVICES = ("cpu", "cuda")
_CUDA_OF_DLPACK = 2  # kDLCUDA

chosen_device: ContextVar[str] = ContextVar("device", default="cpu")
"""Where somebody wants to compute who does not say it himself."""


def config_context(*, device: Literal["cpu", "cuda"]) -> AbstractContextManager[None]:
    """Where `Perceptron` computes inside a `with` block: "cpu", or "cuda" for NVIDIA's GPU.

    Rows of the host are copied to the GPU, once for each fit or prediction; the weights are the
    same to the bit. Arrays that are on a GPU (CuPy, PyTorch, anything with
    `__cuda_array_interface__` or DLPack) are used where they are, with or without this.

    >>> import rosenblatt
    >>> with rosenblatt.config_context(device="cpu"):
    ...     p = rosenblatt.Perceptron().fit([[1.0], [-1.0]], [1, 0])
    >>> p.training_errors_
    0
    """
    if device not in DEVICES:
        names = ", ".join(map(repr, DEVICES))
        raise InputError(
            f"device={device!r} is not known. Allowed: {names}.", option="device", value=device
        )
    if device == "cuda":
        _driver().cupy()  # an error now, not in the middle of something
    return _set(device)


@contextmanager
def _set(device: str) -> Iterator[None]:
    token = chosen_device.set(device)
    try:
        yield
    finally:
        chosen_device.reset(token)


class OnDevice:
    """Dense rows on a GPU: float32 or float64, C-contiguous."""

    def __init__(self, array: Any, host: NDArray[Any] | None = None):
        self.array, self._host = array, host
        self.shape = int(array.shape[0]), int(array.shape[1])

    @cached_property
    def host(self) -> NDArray[Any]:
        """These rows on the host; a copy, unless they came from there."""
        return np.asarray(self.array.get()) if self._host is None else self._host

    def rows(self) -> DeviceRows:
        from rosenblatt._core.gpu.rows import DeviceRows

        return DeviceRows(self.array)


def is_on_gpu(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return False
    if hasattr(values, "__cuda_array_interface__"):
        return True
    device = getattr(values, "__dlpack_device__", None)
    return callable(device) and int(device()[0]) == _CUDA_OF_DLPACK


def to_host(values: Any) -> Any:
    """Labels and weights are read on the host, wherever they were; other values stay what they are.

    Names and objects of other libraries are none of an array's business.
    """
    return np.asarray(_taken(values).get()) if is_on_gpu(values) else values


def take(X: Any) -> OnDevice:
    """An array that is on the GPU; copied only where its numbers are of another type or order."""
    with _driver().errors_in_words():
        found = _taken(X)
        if found.dtype not in (np.float32, np.float64):
            found = found.astype(np.float64)
        cupy = _driver().cupy()
        return OnDevice(cupy.ascontiguousarray(found))


def send(X: NDArray[Any]) -> OnDevice:
    """Rows of the host, copied to the GPU."""
    with _driver().errors_in_words():
        return OnDevice(_driver().cupy().asarray(X), X)


def _taken(values: Any) -> Any:
    cupy = _driver().cupy()
    if hasattr(values, "__cuda_array_interface__"):
        return cupy.asarray(values)
    return cupy.from_dlpack(values)


def _driver() -> Any:
    from rosenblatt._core.gpu import driver

    return driver
