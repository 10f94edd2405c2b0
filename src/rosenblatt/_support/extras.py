"""Libraries that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosenblatt.errors import MissingExtra


def pandas(what: str) -> Any:
    """pandas, or an error that says what to install."""
    try:
        return import_module("pandas")
    except ImportError as error:
        raise MissingExtra(
            f"{what} needs pandas ({error}). Install it: pip install pandas."
        ) from None
