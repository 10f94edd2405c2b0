"""Libraries that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosenblatt.errors import MissingExtraError

_EXTRA_OF = {
    "anywidget": "notebook",
    "cupy": "gpu",
    "distributed": "dask",
    "formulaic": "formulaic",
    "formulas": "formulas",
    "fsspec": "s3",
    "matplotlib": "plot",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "openpyxl": "excel",
    "pyreadstat": "spss",
    "ray": "ray",
    "s3fs": "s3",
}


def installing(library: str) -> str:
    """What to type. The package is on no index: extras are installed from its source."""
    if library not in _EXTRA_OF:
        return f"pip install {library}"
    return f'pip install ".[{_EXTRA_OF[library]}]" in the folder of the project'


def needed(library: str, what: str) -> Any:
    """The library that `what` needs, or an error that says how to install it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs {library} ({error}). Install it: {installing(library)}."
        ) from None
