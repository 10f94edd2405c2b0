"""The kernels: CUDA source that is compiled when it is first used, and kept by CuPy for next time.

Nothing is fused unless the source says so: the score is a defined function.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from rosenblatt._compute.gpu.driver import cupy

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
    folder = files("rosenblatt._compute.gpu") / "kernels"
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
