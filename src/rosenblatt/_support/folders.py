"""Folders are written whole or not at all, as files are.

A folder is written beside its place, under a name that begins with `.rosenblatt-`, and onto the
disk; then it and the one that was there change names. Where no system call does that in one step,
the old one moves aside first, and what a process was killed in the middle of is completed by the
next one that wants to write there:

    PART                  being written, or, after an exchange, the old folder: to be removed
    PART and PART-old     PART is complete, the old folder is PART-old: PART takes its place
    PART-gone             being removed
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rosenblatt._support.exchange import exchange
from rosenblatt._support.files import as_path, beside, cannot, lives, sync_folder
from rosenblatt.errors import FileError, MissingFileError, RosenblattError

_HIDDEN = ".rosenblatt-"


def check_folder(path: Any, *, ours: Collection[str], overwrite: bool) -> None:
    """Before any work: may this folder be written? It may where there is none, where it is empty,
    and, with `overwrite`, where it holds files of our names only."""
    target = _target(path)
    if not target.parent.is_dir():
        raise MissingFileError(f"There is no folder {target.parent} to make {target.name} in.")
    _recover(target, ours)
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise FileError(f"{path} is no folder; give the name of one to write.")
    held = _held(target)
    if others := sorted(entry.name for entry in held if not _is_ours(entry, ours)):
        raise FileError(
            f"{path} holds other files ({', '.join(others[:3])}), and a folder is replaced as a "
            "whole. Give another one."
        )
    if held and not overwrite:
        raise FileError(
            f"{path} exists already. Give another folder, or force=True (--force) to replace it."
        )


@contextmanager
def writing_whole_folder(path: Any, *, ours: Collection[str], overwrite: bool) -> Iterator[Path]:
    """A folder to write files of our names into; it takes its place once all is written.

    Killed at any moment, the old folder is there or the new one (where the system cannot exchange
    names, perhaps not before the next writing or `check_folder`), and nothing between the two.
    What a killed process left is removed with the next writing. A file of another name that
    somebody puts into the old folder meanwhile moves to the new one.
    """
    check_folder(path, ours=ours, overwrite=overwrite)
    target = _target(path)
    part = target.with_name(f"{beside(target)}-{os.getpid()}-{secrets.token_hex(8)}")
    try:
        part.mkdir()
        yield part
        onto_disk(part)
        check_folder(path, ours=ours, overwrite=overwrite)  # somebody may have been faster
        _take_place(part, target, ours)
    except FileError as error:
        raise _named(error, part, path) from None
    except RosenblattError:
        raise
    except OSError as error:
        raise cannot("write", path, error, of="folder") from None
    finally:
        _remove(part, target, ours)  # the old one, or what could not be completed
    sync_folder(target.parent)


def _target(path: Any) -> Path:
    return Path(os.path.abspath(as_path(path)))  # a symbolic link is not followed, but refused


def _named(error: FileError, part: Path, path: Any) -> FileError:
    """The same of the folder that somebody asked for, instead of the one that nobody knows."""
    found = type(error)(str(error).replace(str(part), str(path)))
    found.errno = error.errno
    return found


def onto_disk(folder: Path) -> None:
    """What was written into it outlives a loss of power."""
    for path in folder.iterdir():
        with open(path, "r+b") as file:
            os.fsync(file.fileno())
    sync_folder(folder)
    sync_folder(folder.parent)


def _take_place(part: Path, target: Path, ours: Collection[str]) -> None:
    if not os.path.lexists(target):
        os.rename(part, target)
        return
    with suppress(OSError):  # permissions are kept, where the file system has them
        shutil.copymode(target, part)
    if exchange(part, target):
        sync_folder(target.parent)  # before the old one goes
        return
    old = _old(part)
    try:
        os.rename(target, old)
        sync_folder(target.parent)
        os.rename(part, target)
    except BaseException:
        with suppress(OSError):  # unless somebody has put another one there
            os.rename(old, target)
        raise
    sync_folder(target.parent)
    _remove(old, target, ours)


def _old(part: Path) -> Path:
    return part.with_name(f"{part.name}-old")


# --- What killed processes left ------------------------------------------------------------------


def _recover(target: Path, ours: Collection[str]) -> None:
    """Complete an exchange that was cut short, and remove leftovers."""
    known = re.compile(rf"({re.escape(beside(target))}-([0-9]+)-[0-9a-f]{{16}})(-old|-gone)?")
    with suppress(OSError):
        matches = [match for name in os.listdir(target.parent) if (match := known.fullmatch(name))]
        for part, process in sorted({(match[1], int(match[2])) for match in matches}):
            place = target.with_name(part)
            if os.path.lexists(_old(place)) and not os.path.lexists(target):
                os.rename(place if place.exists() else _old(place), target)
                sync_folder(target.parent)
            if not lives(process):
                for rest in (_old(place), place, place.with_name(f"{part}-gone")):
                    _remove(rest, target, ours)


def _remove(folder: Path, target: Path, ours: Collection[str]) -> None:
    """A folder of ours goes away; what is not ours in it moves to the target."""
    with suppress(OSError):
        if folder.name.endswith("-old"):  # whole or not there: it could be put back
            gone = folder.with_name(folder.name.removesuffix("-old") + "-gone")
            os.rename(folder, gone)
            folder = gone
        for entry in _held(folder):
            if _is_ours(entry, ours) or entry.name.startswith(_HIDDEN):
                entry.unlink()
            elif not os.path.lexists(target / entry.name):
                os.rename(entry, target / entry.name)
        folder.rmdir()


def _held(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def _is_ours(entry: Path, ours: Collection[str]) -> bool:
    return entry.name in ours and (entry.is_symlink() or not entry.is_dir())
