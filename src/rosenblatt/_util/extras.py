"""Libraries that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosenblatt.errors import MissingExtraError

_INSTALLED_BY = {
    "openpyxl": '"rosenblatt[excel]"',
    "distributed": '"rosenblatt[dask]"',
    "fsspec": '"rosenblatt[s3]"',
    "s3fs": '"rosenblatt[s3]"',
    "formulaic": '"rosenblatt[formulaic]"',
    "formulas": '"rosenblatt[formulas]"',
    "onnxruntime": '"rosenblatt[onnx]"',
    "pyreadstat": '"rosenblatt[spss]"',
    "ray": '"rosenblatt[ray]"',
}


def needed(library: str, what: str) -> Any:
    """The library that `what` needs, or an error that says how to install it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs {library} ({error}). Install it: pip install "
            f"{_INSTALLED_BY.get(library, library)}."
        ) from None
