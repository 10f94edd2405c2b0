"""The command starts in half the time: what scikit-learn imports and no command uses comes late.

`import sklearn` takes about a second of a processor. Most of it is `scipy.stats`, of which it wants
a few functions when they are called, and pandas, where that is installed, for data frames; no
command hands it any. Only the program `rosenblatt` does this: in Python a program of the user
imports what it likes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
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
            spec.loader = _LateLoader(spec.loader)
        return spec


@final
class _LateLoader(Loader):
    """Unlike LazyLoader's, its module bears `from scipy.stats import rankdata` of scikit-learn."""

    def __init__(self, loader: Loader):
        self._loader, self._lock, self._begun = loader, RLock(), False

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _LateModule

    def execute(self, module: ModuleType) -> None:
        with self._lock:  # other threads wait; this one comes here from within the module, too
            if not self._begun:
                self._begun = True
                self._loader.exec_module(module)
                module.__class__ = ModuleType


class _LateModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        """What is not there yet."""
        if _asks().startswith("sklearn."):
            return _StandIn(self, name)
        loader: Any = self.__loader__
        loader.execute(self)
        return object.__getattribute__(self, name)


@final
class _StandIn:
    """A function or an object, asked for when it is used."""

    def __init__(self, module: ModuleType, name: str):
        self._module, self._name = module, name

    def __call__(self, *args: Any, **options: Any) -> Any:
        return getattr(self._module, self._name)(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._module, self._name), name)


def _asks() -> str:
    """The module that asks a late one for a name, itself or by an import statement."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals["__name__"] == "importlib._bootstrap":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))


def _is_being_imported(package: str, module: str) -> bool:
    """Begun, and not yet bound in its package."""
    return f"{package}.{module}" in sys.modules and not hasattr(sys.modules[package], module)
