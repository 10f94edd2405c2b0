"""Libraries that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosenblatt.errors import MissingExtra


def pandas(what: str) -> Any:
    """pandas, or an error that says what to install."""
    return _needed("pandas", "pandas", what)


def openpyxl(what: str) -> Any:
    """openpyxl, which reads workbooks, or an error that says what to install."""
    return _needed("openpyxl", '"rosenblatt[excel]"', what)


def distributed(what: str) -> Any:
    """Dask's distributed, or an error that says what to install."""
    return _needed("distributed", '"rosenblatt[dask]"', what)


def dask(what: str) -> Any:
    """Dask, or an error that says what to install."""
    return _needed("dask", '"rosenblatt[dask]"', what)


def ray(what: str) -> Any:
    """Ray, or an error that says what to install."""
    return _needed("ray", '"rosenblatt[ray]"', what)


def fsspec(what: str) -> Any:
    """fsspec, which reads files of other machines, or an error that says what to install."""
    return _needed("fsspec", "fsspec", what)


def _needed(library: str, install: str, what: str) -> Any:
    try:
        return import_module(library)
    except ImportError as error:
        raise MissingExtra(
            f"{what} needs {library} ({error}). Install it: pip install {install}."
        ) from None
