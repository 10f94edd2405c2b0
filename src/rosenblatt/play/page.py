"""The page: one file of HTML that holds all it needs."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, overload


@overload
def asset(name: str) -> str: ...
@overload
def asset(name: str, *, binary: Literal[True]) -> bytes: ...
def asset(name: str, *, binary: bool = False) -> str | bytes:
    """One of the files beside this one."""
    content = (files("rosenblatt.play") / "assets" / name).read_bytes()
    return content if binary else content.decode()
