"""CuPy and the GPU behind it, or one error that names the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from rosenblatt.errors import DeviceError, DeviceMemoryError, MissingExtra

_CPU = 'Until then train with device="cpu", the default: the weights are the same to the bit.'


@cache
def cupy() -> Any:
    """CuPy, with a GPU that it can use."""
    try:
        library = import_module("cupy")
    except ImportError as error:
        raise MissingExtra(
            f"Training on a GPU needs CuPy ({error}). Install it: pip install 'rosenblatt[gpu]' "
            f"for CUDA 13, or pip install cupy-cuda12x for CUDA 12. {_CPU}"
        ) from None
    try:
        found = library.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy's own, of a driver that is missing or too old
        raise DeviceError(
            f"CuPy {library.__version__} finds no usable GPU ({_first_line(error)}). Run "
            "`nvidia-smi`: where it fails, install NVIDIA's driver; where it works, install the "
            f"CuPy of its CUDA version (cupy-cuda12x or cupy-cuda13x). {_CPU}"
        ) from None
    if not found:
        raise DeviceError(f"CuPy {library.__version__} works, but this machine has no GPU. {_CPU}")
    return library


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


@contextmanager
def errors_in_words() -> Iterator[None]:
    """CuPy's errors become ours."""
    library = cupy()
    try:
        yield
    except library.cuda.memory.OutOfMemoryError as error:
        free, total = library.cuda.runtime.memGetInfo()
        raise DeviceMemoryError(
            f"The GPU has too little memory: {_first_line(error).rstrip('.')}; {free / 1e9:.1f} of "
            f"{total / 1e9:.1f} GB are free. Give float32 rows instead of float64, free what other "
            'arrays take (cupy.get_default_memory_pool().free_all_blocks()), or use device="cpu".'
        ) from None
    except library.cuda.compiler.CompileException as error:
        raise DeviceError(_unusable(library, error)) from None
    except library.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(_unusable(library, error)) from None
    except library.cuda.driver.CUDADriverError as error:
        raise DeviceError(_unusable(library, error)) from None


def _unusable(library: Any, error: BaseException) -> str:
    return (
        f"The GPU could not do it ({_first_line(error)}). If it happens every time, CuPy "
        f"{library.__version__} does not fit this machine's CUDA: install cupy-cuda12x or "
        f"cupy-cuda13x, as `nvidia-smi` says. {_CPU}"
    )
