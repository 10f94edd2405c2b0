"""Rows that were encoded once are kept in a folder, and read from there the next time."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from rosenblatt._out_of_core import store
from rosenblatt._out_of_core.sources import Source, key_of, source_of, stamps
from rosenblatt._out_of_core.store import Stored, writing
from rosenblatt._util.files import Lock, cache_folder, onto_disk, sync_folder
from rosenblatt._util.progress import heard_by, note
from rosenblatt.data.files import stamp
from rosenblatt.errors import FileError

_MARK = ".rosenblatt-"  # how folders begin in which something is being written
_NAME = "(?:[0-9a-f]{64}|once-[0-9a-f]{16})"  # of what is written: a key, or for one training
_LOCK = re.compile(rf"({_NAME})\.lock")
_FOLDER = re.compile(rf"{re.escape(_MARK)}({_NAME})-[0-9a-f]{{16}}")
_SOURCE = "source.json"


@contextmanager
def stored(source: Any, *, folder: Path | None) -> Iterator[Stored]:
    """Rows that come from files are kept for the next time, under a name that changes with the
    files and with how they are encoded. Others are removed in the end."""
    with heard_by(None):
        source = source_of(source)
    key, root = key_of(source), _root(folder)
    with ExitStack() as until_the_end:
        if key is None:
            written = _written(root, f"once-{os.urandom(8).hex()}", source)
            rows = _there(_open(until_the_end.enter_context(written)), root)
        else:
            rows = _kept(root, key, source)
        until_the_end.callback(rows.close)
        yield rows


def kept(source: Source, folder: Path | None) -> Stored:
    key = key_of(source)
    assert key is not None
    with heard_by(None):
        return _kept(_root(folder), key, source)


def _root(folder: Path | None) -> Path:
    root = cache_folder(folder).absolute()
    with writing(root):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    return root


def _kept(root: Path, key: str, source: Source) -> Stored:
    rows = _open(root / key)
    if rows is None:
        _keep(root, key, source)
        rows = _there(_open(root / key), root)
    return rows


def _there(rows: Stored | None, root: Path) -> Stored:
    if rows is None:
        raise FileError(
            f"Rows just written into {root} are gone: another program deleted them. Try again."
        )
    return rows


def _open(place: Path) -> Stored | None:
    about = store.read(place)
    with suppress(OSError):  # removed meanwhile
        return None if about is None else Stored(place, about)
    return None


def _keep(root: Path, key: str, source: Source) -> None:
    with _written(root, key, source) as place:
        if store.read(root / key) is not None:  # somebody was faster
            return
        files = stamps(source) or []
        with writing(root):
            (place / _SOURCE).write_text(json.dumps(files))
            onto_disk(place)
            remove(root, key)  # if it is there, it is damaged
            try:
                os.rename(place, root / key)
            except OSError:
                if store.read(root / key) is None:
                    raise
            sync_folder(root)
        with suppress(OSError):  # a file is gone: what it was is not outdated
            remove_outdated(root, key, files)


@contextmanager
def _written(root: Path, name: str, source: Source) -> Iterator[Path]:
    def wait() -> None:
        note(f"Another process is encoding the same rows into {root}: waiting for it.")

    with writing(root):
        lock = Lock(root / f"{name}.lock", wait)
    with lock:
        if store.read(root / name) is not None:
            yield root / name
            return
        remove_leftovers(root, name if lock.held else None)
        place = folder_of(root, name)
        try:
            with writing(root):
                place.mkdir(mode=0o700)
            source.write(place)
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


# --- The folder: what is being written, what somebody left there, what is outdated --------------


def folder_of(root: Path, name: str) -> Path:
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
    with Lock(root / f"{name}.lock", None) as lock:
        yield lock.held


def remove(root: Path, name: str) -> None:
    """The folder of this name loses it at once, and then its files, one by one."""
    going = folder_of(root, name)
    with suppress(FileNotFoundError):
        os.rename(root / name, going)
    shutil.rmtree(going, ignore_errors=True)


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
