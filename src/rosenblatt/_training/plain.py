"""What pickles hold of a fitted estimator: arrays and plain values instead of private classes.

Those may have other names in the next version, and what reads pickles with care (skops, and so
MLflow) asks about each class in one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from importlib import import_module
from types import FunctionType
from typing import Any

_IS = "<is>"  # beside the fields of an object: its class; a function stands alone
_OURS = "rosenblatt."


def plain(value: Any) -> Any:
    return _Plain().of(value)


def restored(value: Any) -> Any:
    return _Restored().of(value)


class _Copy(ABC):
    """A copy in other words; what is there twice stays one object."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # by id: what was met, and its copy

    def of(self, value: Any) -> Any:
        if id(value) not in self._made:
            self._made[id(value)] = value, self._copied(value)
        return self._made[id(value)][1]

    def _copied(self, value: Any) -> Any:
        kind = type(value)
        if kind is list or kind is tuple:
            return kind(self.of(inner) for inner in value)
        if kind is dict:
            return {key: self.of(inner) for key, inner in value.items()}
        return value

    @abstractmethod
    def _made_of(self, value: Any) -> Any: ...


class _Plain(_Copy):
    def _copied(self, value: Any) -> Any:
        kind = type(value)
        named = value if isinstance(value, FunctionType) else kind
        if not named.__module__.startswith(_OURS + "_"):
            return super()._copied(value)
        return self._made_of(value)

    def _made_of(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return {_IS: _name(value)}
        document = {_IS: _name(type(value))}
        if isinstance(value, Enum):
            return document | {"name": value.name}
        fields = value._asdict() if isinstance(value, tuple) else vars(value)  # type: ignore[attr-defined] # a NamedTuple
        return document | self.of(dict(fields))


class _Restored(_Copy):
    def _copied(self, value: Any) -> Any:
        if type(value) is dict and _IS in value:
            return self._made_of(value)
        return super()._copied(value)

    def _made_of(self, value: Any) -> Any:
        kind, fields = _found(value[_IS]), {k: self.of(v) for k, v in value.items() if k != _IS}
        if not isinstance(kind, type):
            return kind
        if issubclass(kind, Enum):
            return kind[fields["name"]]
        if issubclass(kind, tuple):
            return kind(**fields)
        made = kind.__new__(kind)
        made.__dict__.update(fields)
        return made


def _name(of: Any) -> str:
    return f"{of.__module__}:{of.__qualname__}"


def _found(name: str) -> Any:
    module, _, path = name.partition(":")
    found = getattr(import_module(module), path, None) if module.startswith(_OURS) else None
    if not isinstance(found, type | FunctionType):
        raise ValueError(f"{name} is nothing that a pickle of rosenblatt holds")
    return found
