"""CuPy and the GPU behind it, or one error that names the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from rosenblatt._util.extras import installing
from rosenblatt.errors import DeviceError, DeviceMemoryError, MissingExtraError

_CPU = 'Until then train with device="cpu", the default: the weights are the same to the bit.'


@cache
def cupy() -> Any:
    try:
        library = import_module("cupy")
    except ImportError as error:
        raise MissingExtraError(
            f"Training on a GPU needs CuPy ({error}). Install it: {installing('cupy')} "
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
    except (
        library.cuda.compiler.CompileException,
        library.cuda.runtime.CUDARuntimeError,
        library.cuda.driver.CUDADriverError,
    ) as error:
        raise DeviceError(
            f"The GPU could not do it ({_first_line(error)}). If it happens every time, CuPy "
            f"{library.__version__} does not fit this machine's CUDA: install cupy-cuda12x or "
            f"cupy-cuda13x, as `nvidia-smi` says. {_CPU}"
        ) from None


# --- The kernels: CUDA source, compiled when it is first used, and kept by CuPy ------------------
#
# Nothing is fused unless the source says so: the score is a defined function.


COOPERATIVE = ("speculate.cu",)  # all its blocks run at the same time and talk to each other
WALK = ("prepare.cu", "between.cu", "decide.cu", "keep.cu", "walk.cu")
OTHERS = ("permute.cu", "judge.cu", *WALK)


@cache
def kernel(name: str, value: str, *, wide: bool = False, slice_bytes: int = 512) -> Any:
    """A kernel for X of this type of numbers.

    `wide`: weights do not fit into shared memory; `slice_bytes`: of a row that one multiprocessor
    of the walk cares for.
    """
    cooperative = name.startswith("speculate")
    return _module(value, cooperative, wide and cooperative, slice_bytes).get_function(name)


@cache
def _module(value: str, cooperative: bool, wide: bool, slice_bytes: int) -> Any:
    folder = files("rosenblatt._core.gpu") / "kernels"
    names = ("score.cuh", *(COOPERATIVE if cooperative else OTHERS))
    code = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    number = {"float32": "float", "float64": "double"}[value]
    return cupy().RawModule(
        code=code.replace("#pragma once\n", ""),
        options=(
            *("--std=c++17", "--fmad=false", f"-DVALUE={number}"),
            *(f"-DWIDE={int(wide)}", f"-DSLICE_BYTES={slice_bytes}"),
        ),
        enable_cooperative_groups=cooperative,
    )
