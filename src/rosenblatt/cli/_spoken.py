"""Errors say how a thing is done in Python and in a shell; who typed a command is told the latter.

"say header=False (--no-header)" becomes "say --no-header", and "points=0 (--points) is not allowed"
becomes "--points 0 is not allowed". What is not of this form stays as it is.
"""

from __future__ import annotations

import ast
import re
import shlex

_VALUE = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^\s,;:()]+)"""
_BOTH = re.compile(rf"(?<!['\"\w])([a-z_]+)=({_VALUE})(?:, [a-z_]+={_VALUE})* \((--[^()]*)\)")
_NAMED = re.compile(r"\b([a-z_]+(?: and [a-z_]+)*) \((--[a-z-]+(?:, --[a-z-]+| [^()]+)?)\)")
# What an error may begin with, without saying that it is an option.
_OPTIONS = (
    *("target", "ignore", "positive", "categorical", "numeric", "text", "group", "weight"),
    *("keep", "missing", "charset", "sheet", "time_limit", "engine"),
)
_FIRST = re.compile(rf"^({'|'.join(_OPTIONS)})=({_VALUE})(?= (?:is|holds)\b)")


def as_options(message: str) -> str:
    return _FIRST.sub(_first, _NAMED.sub(_named, _BOTH.sub(_both, message)))


_SPOKEN = (
    (re.compile(r"\bmax_iter=(\d+)"), r"--max-iter \1"),
    (re.compile(r"\bmax_iter\b"), "--max-iter"),
    (re.compile(r"\w+\(keep='(\w+)'\)"), r"--keep \1"),
    (re.compile(r"\bkeep='(\w+)'"), r"--keep \1"),
    (re.compile(r"the features, if they are not \(StandardScaler\)"), "the columns with --scale"),
    (re.compile(r"\bcertify\(X, y\)"), "rosenblatt certify"),
)


def advice_as_options(warning: str) -> str:
    """A warning of an estimator, which speaks of its parameters."""
    for python, option in _SPOKEN:
        warning = python.sub(option, warning)
    return warning


def _both(found: re.Match[str]) -> str:
    """positive='a' (--positive a), or points=0 (--points)."""
    name, value, options = found.groups()
    bare = options == _option(name)
    return options if value == "True" or not bare else _typed(name, value)


def _named(found: re.Match[str]) -> str:
    """terms (--terms), sep and names (--sep, --names), or checkpoint (--checkpoint FOLDER)."""
    names, options = found[1].split(" and "), found[2].split(", ")
    last = names[-1].split()[-1]
    if len(names) == len(options) and all(map(_is, names, options)):
        return " and ".join(options)
    if len(options) == 1 and _is(last, options[0]):  # words stand before it
        return found[0].replace(f"{last} ({options[0]})", options[0])
    return found[0]


def _first(found: re.Match[str]) -> str:
    """target='paid' is not a column."""
    return _typed(found[1], found[2])


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is(name: str, option: str) -> bool:
    """costs are given by --cost."""
    return option.split()[0] in (_option(name), _option(name.removesuffix("s")))


def _typed(name: str, value: str) -> str:
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        text = value
    return f"{_option(name)} {shlex.quote(str(text))}"
