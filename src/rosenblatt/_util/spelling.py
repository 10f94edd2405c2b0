"""How a sentence spells an option: header=False in Python, --no-header in a shell.

It is spelled when the sentence is made; the command line says once, around all its work, that the
reader is at a shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_Spelled = Callable[[str], str]
_at_shell: _Spelled | None = None  # of the whole process: its threads make sentences, too
_about_frame = ContextVar("about_frame", default=False)
# Options that are not the parameter with dashes before it.
_TYPED = {"C": "-C", "costs": "--cost", "fit_intercept": "--intercept"}
_TYPED |= {
    "signs": "--sign",
    "sample_weight": "--weight",
    "groups": "--group",
    "random_state": "--seed",
}
_METAVARS = {
    "cache": "FOLDER",
    "checkpoint": "FOLDER",
    "positive": "LABEL",
    "target": "COLUMN",
    "time_limit": "SECONDS",
}


@contextmanager
def in_shell(with_command: _Spelled = str) -> Iterator[None]:
    """Sentences that are made inside are read by someone who typed a command. `with_command` puts
    the command that has it before an option that this one does not have."""
    global _at_shell  # noqa: PLW0603 - a process is a command, or it is not
    before, _at_shell = _at_shell, with_command
    try:
        yield
    finally:
        _at_shell = before


@contextmanager
def about_frame() -> Iterator[None]:
    """Sentences that are made inside are about a data frame X, given to a function that has no
    options for reading it."""
    token = _about_frame.set(True)
    try:
        yield
    finally:
        _about_frame.reset(token)


def option(name: str, *values: object) -> str:
    """A parameter with its value; without one, its name; with several, a list, or the option
    several times. `...` stands for a value that the reader has to find."""
    if _at_shell is not None:
        typed = " ".join(_typed(name, value) for value in _single(name, values))
        return _at_shell(typed or _typed_name(name))
    if not values:
        return name
    if values == (...,):
        return f"{name}={_METAVARS.get(name, name.upper())}"
    some = repr(values[0]) if len(values) == 1 else repr(list(values))
    if _about_frame.get():
        return f"X.drop(columns={some})" if name == "ignore" else f"data.read(X, {name}={some})"
    return f"{name}={some}"


def words(name: str, value: object) -> Iterator[str]:
    """An option with its value, as words of a command for `command_line`."""
    for one in _single(name, (value,)):
        yield _typed(name, one) if isinstance(one, bool) else f"{_typed_name(name)}={one}"


def command_line(words: Iterable[str]) -> str:
    """As people type it: --target card; but a value that begins with a dash stays behind its =."""
    apart: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        split = name.startswith("--") and equals and value and not value.startswith("-")
        apart += [name, value] if split else [word]
    return shlex.join(apart)


def either(python: str, shell: str) -> str:
    """Words that are not an option, as one says them in Python and in a shell."""
    return python if _at_shell is None else shell


def _single(name: str, values: tuple[object, ...]) -> Iterator[object]:
    between = ":" if name == "signs" else "="
    for value in values:
        if isinstance(value, Mapping):
            yield from (f"{key}{between}{_short(given)}" for key, given in value.items())
        elif isinstance(value, list | tuple):
            yield from value
        else:
            yield value


def _short(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _typed_name(name: str) -> str:
    return _TYPED.get(name, f"--{name.replace('_', '-')}")


def _typed(name: str, value: Any) -> str:
    typed = _typed_name(name)
    if value is True:
        return typed
    if value is False:
        return f"--no-{typed.removeprefix('--')}"
    if value is ...:
        return f"{typed} {_METAVARS.get(name, name.upper())}"
    text = shlex.quote(str(value))
    return f"{typed}={text}" if text.startswith("-") else f"{typed} {text}"
