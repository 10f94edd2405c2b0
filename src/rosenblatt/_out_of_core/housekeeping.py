"""The folder of the cache: what is being written, what somebody left there, what is outdated."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rosenblatt._util.files import Lock
from rosenblatt._util.files import cache_folder as cache_folder
from rosenblatt.data.files import stamp

_MARK = ".rosenblatt-"  # how folders begin in which something is being written
_NAME = "(?:[0-9a-f]{64}|once-[0-9a-f]{16})"  # of what is written: a key, or for one training
_LOCK = re.compile(rf"({_NAME})\.lock")
_FOLDER = re.compile(rf"{re.escape(_MARK)}({_NAME})-[0-9a-f]{{16}}")
_SOURCE = "source.json"


def lock_of(root: Path, name: str) -> Path:
    return root / f"{name}.lock"


def folder_of(root: Path, name: str) -> Path:
    """A new name of a folder, for whoever has the lock of this name."""
    return root / f"{_MARK}{name}-{os.urandom(8).hex()}"


def remove_leftovers(root: Path, own: str | None) -> None:
    """What writers left who are gone: their locks are free, or `own`, which we hold."""
    folders: dict[str, list[Path]] = {}  # a folder may be anybody's: only names like ours
    for path in root.iterdir():
        if match := _LOCK.fullmatch(path.name):
            folders.setdefault(match[1], [])
        elif match := _FOLDER.fullmatch(path.name):
            folders.setdefault(match[1], []).append(path)
    for name, left in folders.items():
        with suppress(OSError), _lock_if_free(root, name, own) as free:
            for folder in left if free else []:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _lock_if_free(root: Path, name: str, own: str | None) -> Iterator[bool]:
    if name == own:
        yield True
        return
    with Lock(lock_of(root, name), None) as lock:
        yield lock.held


def remove(root: Path, name: str) -> None:
    """The folder of this name loses it at once, and then its files, one by one."""
    going = folder_of(root, name)
    with suppress(FileNotFoundError):
        os.rename(root / name, going)
    shutil.rmtree(going, ignore_errors=True)


def note_source(folder: Path, files: list[list[Any]]) -> None:
    """Write down from which files the rows come: path, size and time of the last change."""
    (folder / _SOURCE).write_text(json.dumps(files))


def remove_outdated(root: Path, key: str, files: list[list[Any]]) -> None:
    """Rows of these files as they once were. Who reads them has them open, and goes on."""
    now = [[path, *stamp(path)] for path, *_ in files]
    for folder in root.iterdir():
        if folder.name == key or folder.name.startswith(_MARK):
            continue
        with suppress(OSError, ValueError, LookupError, TypeError):  # not ours, or damaged
            kept = json.loads((folder / _SOURCE).read_text())
            if [file[0] for file in kept] == [file[0] for file in now] and kept != now:
                remove(root, folder.name)


def size(folder: Path) -> int:
    """How many bytes it takes."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                total += os.lstat(os.path.join(path, name)).st_size
    return total
