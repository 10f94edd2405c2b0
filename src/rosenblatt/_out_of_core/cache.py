"""Rows that were encoded once are kept in a folder, and read from there the next time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from rosenblatt._out_of_core import store
from rosenblatt._out_of_core.housekeeping import (
    folder_of,
    lock_of,
    note_source,
    remove,
    remove_leftovers,
    remove_outdated,
)
from rosenblatt._out_of_core.sources import Source, key_of, source_of, stamps
from rosenblatt._out_of_core.store import Stored, writing
from rosenblatt._util.files import Lock, onto_disk, sync_folder
from rosenblatt._util.files import cache_folder as cache_folder
from rosenblatt._util.progress import heard_by, note
from rosenblatt.errors import FileError


@contextmanager
def stored(source: Any, *, folder: Path | None) -> Iterator[Stored]:
    """The rows of a source on disk: as they were kept, or encoded now.

    Rows that come from files are kept for the next time, under a name that changes with the files
    and with how they are encoded. Others are removed in the end.
    """
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
    """The rows of a source that comes from files, in the cache of this machine."""
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
    """None where there is nothing, or nothing that can be trusted."""
    about = store.read(place)
    with suppress(OSError):  # removed meanwhile
        return None if about is None else Stored(place, about)
    return None


def _keep(root: Path, key: str, source: Source) -> None:
    """The folder of this name holds the rows afterwards, written by us or by somebody else."""
    with _written(root, key, source) as place:
        if store.read(root / key) is not None:  # somebody was faster
            return
        files = stamps(source) or []
        with writing(root):
            note_source(place, files)
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
    """A folder with the rows, gone in the end; or the one of this name, if it is there by then."""

    def wait() -> None:
        note(f"Another process is encoding the same rows into {root}: waiting for it.")

    with writing(root):
        lock = Lock(lock_of(root, name), wait)
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
