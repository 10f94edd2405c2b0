"""The commands that do the work of `rosenblatt fit` again, check it and use it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.cli._fit_content import Reproduce


def options(
    seed: int,
    cv: int | None,
    group: str | None,
    no_rows: bool,
    time_limit: float | None,
    stream: bool,
    reading: dict[str, Any],
) -> list[str]:
    """The options that the result depends on, as they would be typed."""
    one = {"target": reading["target"], "positive": reading["positive"]}
    one |= {"impute": reading["impute"], "cv": cv, "group": group, "time-limit": time_limit}
    found = [f"--{name}={value}" for name, value in one.items() if value is not None]
    found += [f"--ignore={name}" for name in reading["ignore"]]
    found += _how_to_read(reading)
    flags = {"--no-rows": no_rows, "--stream": stream}
    return [*found, *(flag for flag, given in flags.items() if given), f"--seed={seed}"]


def _how_to_read(reading: dict[str, Any]) -> list[str]:
    found = [f"--missing={text}" for text in reading["missing"]]
    found += [] if reading["charset"] is None else [f"--charset={reading['charset']}"]
    return found + ([] if reading["header"] else ["--no-header"])


def reproduce(
    files: tuple[str, ...],
    written: dict[str, str],
    folder: str,
    options: list[str],
    reading: dict[str, Any],
    linear: bool,
) -> Reproduce:
    again = ["rosenblatt", "fit", *files, *options, "-o", folder]
    verify = None
    if "certificate" in written:
        check = ["rosenblatt", "verify", written["certificate"], *files, *_how_to_read(reading)]
        verify = shlex.join(check)
    suffix = "".join(Path(files[0]).suffixes) or ".csv"
    new = ["rosenblatt", "predict", written["model"], f"new{suffix}"]
    return {
        "command": shlex.join(again),
        "seed": int(options[-1].removeprefix("--seed=")),
        "verify": verify,
        "predict": shlex.join([*new, *(["--explain"] if linear else [])]),
    }
