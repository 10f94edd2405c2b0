"""The commands, or the calls of Python, that do a study again, check it and use it."""

from __future__ import annotations

import csv
import io
import shlex
from typing import Any

from rosenblatt._study.document import Reproduce
from rosenblatt._study.options import Options
from rosenblatt._study.source import Origin
from rosenblatt.data.chosen import given_labels

_NOT_OF_THE_RESULT = {"cache", "checkpoint", "checkpoint_every", "engine"}


def reproduce(
    origin: Origin, options: Options, folder: str, written: dict[str, str], *, linear: bool
) -> Reproduce:
    """`written` are the files in the folder, by kind: none before it is saved."""
    verify = predict = None
    if not origin.files:
        again = _call(origin, options)
    else:
        command = ["rosenblatt", "fit", *origin.files, *_arguments(options), "-o", folder]
        again = shlex.join(command)
        if "certificate" in written:
            check = ["rosenblatt", "verify", written["certificate"], *origin.files]
            verify = shlex.join(check)
    if "model" in written:
        ask = ["rosenblatt", "predict", written["model"], *origin.new]
        predict = shlex.join([*ask, *(["--explain"] if linear else [])])
    return {"command": again, "seed": options.seed, "verify": verify, "predict": predict}


def ignored(origin: Origin, names: list[str]) -> str:
    """How columns are left out."""
    if not origin.files:
        return f"ignore={names}"
    return " ".join(f"--ignore {shlex.quote(name)}" for name in names)


def tested_by_all(origin: Origin) -> str:
    """How every row is a test row once."""
    return "--cv 5" if origin.files else "cv=5"


def _arguments(options: Options) -> list[str]:
    """The options that the result depends on, as they would be typed."""
    one: dict[str, Any] = {"target": options.target, "impute": options.impute}
    one |= {"class-weight": options.class_weight, "objective": options.objective}
    one |= {"cv": options.cv, "group": options.group, "time-limit": options.time_limit}
    one |= {"points": options.points, "terms": options.terms}
    found = [f"--{name}={value}" for name, value in one.items() if value is not None]
    found += [f"--positive={label}" for label in given_labels(options.positive)]
    named = {"ignore": options.ignore, "categorical": options.categorical}
    named |= {"numeric": options.numeric, "text": options.text}
    found += [f"--{option}={name}" for option, names in named.items() for name in names]
    found += [f"--cost={pair}={cost:.17g}" for pair, cost in (options.costs or {}).items()]
    found += _how_to_read(options)
    flags = {"--no-rows": options.no_rows, "--stream": options.stream}
    flags |= {"--no-peers": not options.peers, "--no-retrain": not options.retrain}
    flags |= {"--linear-only": options.linear_only is True}
    flags |= {"--no-linear-only": options.linear_only is False}
    flags["--embed-data"] = options.embed_data
    found += [flag for flag, given in flags.items() if given]
    return [*found, f"--seed={options.seed}"]


def _how_to_read(options: Options) -> list[str]:
    found = [f"--missing={text}" for text in options.missing]
    names = None if options.names is None else _line(options.names)
    one = {"charset": options.charset, "sep": options.sep, "names": names}
    one["sheet"] = options.sheet
    found += [f"--{name}={value}" for name, value in one.items() if value is not None]
    found += ["--drop-unlabelled"] if options.drop_unlabelled else []
    flags = {None: [], True: ["--header"], False: ["--no-header"]}
    return found + flags[options.header]


def _line(names: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def _call(origin: Origin, options: Options) -> str:
    """As one writes it in Python."""
    apart = {*origin.arrays, *_NOT_OF_THE_RESULT}
    given = {name: value for name, value in options.given.items() if name not in apart}
    words = [f"{name}={list(v) if isinstance(v, tuple) else v!r}" for name, v in given.items()]
    return f"rosenblatt.study({', '.join([origin.called, *words])})"
