"""Tables as people have them become rows of numbers and labels, and what was done is recorded."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt.data.open_table import read
    from rosenblatt.data.preprocessing import Preprocessing
    from rosenblatt.data.table import Table

__all__ = ["Preprocessing", "Table", "read"]

# Imported when first used, so that a command can look at the names of columns without all of it.
_HOME = {"Preprocessing": "preprocessing", "Table": "table", "read": "open_table"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
    value = getattr(import_module(f"rosenblatt.data.{_HOME[name]}"), name)
    globals()[name] = value
    return value
