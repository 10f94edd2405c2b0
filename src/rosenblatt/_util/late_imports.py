"""The command starts in half the time: what scikit-learn imports and no command uses comes late.

`import sklearn` takes about a second of a processor. Most of it is `scipy.stats`, of which it wants
one function when that is called, and pandas, where that is installed, for data frames; no command
hands it any. Only the program `rosenblatt` does this: in Python a program of the user imports what
it likes, and the standard library advises against `LazyLoader` where an import may fail.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any, final

# Executed when something of them is used.
_LATE = {"scipy.stats", "numpy.f2py", "numpy.testing"}

_ASKS_FOR_PANDAS = "sklearn.utils", "fixes"  # while it is imported


def import_late() -> None:
    """Once, when the program starts."""
    sys.meta_path.insert(0, _Late())


@final
class _Late:
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "pandas" and _is_being_imported(*_ASKS_FOR_PANDAS):
            raise ModuleNotFoundError("No command needs pandas.", name=name)
        if name not in _LATE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            spec.loader = LazyLoader(loader)
        return spec


def _is_being_imported(package: str, module: str) -> bool:
    """Begun, and not yet bound in its package."""
    return f"{package}.{module}" in sys.modules and not hasattr(sys.modules[package], module)
