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
from rosenblatt._out_of_core.progress import Silent
from rosenblatt._out_of_core.sources import Source, key_of, source_of, stamps
from rosenblatt._out_of_core.store import Stored, writing
from rosenblatt._util.files import Lock, onto_disk, sync_folder
from rosenblatt._util.files import cache_folder as cache_folder
from rosenblatt.errors import FileError


@contextmanager
def stored(source: Any, *, folder: Path | None, say: Silent | None) -> Iterator[Stored]:
    """The rows of a source on disk: as they were kept, or encoded now.

    Rows that come from files are kept for the next time, under a name that changes with the files
    and with how they are encoded. Others are removed in the end.
    """
    found, say = source_of(source), say or Silent()
    key = key_of(found)
    root = cache_folder(folder).absolute()
    with writing(root):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as until_the_end:
        if key is None:
            written = _written(root, f"once-{os.urandom(8).hex()}", found, say)
            rows = _open(until_the_end.enter_context(written))
        else:
            rows = _kept(root, key, found, say)
        if rows is None:
            raise FileError(
                f"Rows just written into {root} are gone: another program deleted them. Try again."
            )
        until_the_end.callback(rows.close)
        yield rows


def kept(source: Source, folder: Path | None) -> Path:
    """The folder with the rows of a source that comes from files, in the cache of this machine."""
    key, root = key_of(source), cache_folder(folder).absolute()
    assert key is not None
    with writing(root):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    rows = _kept(root, key, source, Silent())
    if rows is None:
        raise FileError(
            f"Rows just written into {root} are gone: another program deleted them. Try again."
        )
    rows.close()
    return root / key


def _kept(root: Path, key: str, source: Source, say: Silent) -> Stored | None:
    rows = _open(root / key)
    if rows is None:
        _keep(root, key, source, say)
        rows = _open(root / key)
    return rows


def _open(place: Path) -> Stored | None:
    """None where there is nothing, or nothing that can be trusted."""
    about = store.read(place)
    with suppress(OSError):  # removed meanwhile
        return None if about is None else Stored(place, about)
    return None


def _keep(root: Path, key: str, source: Source, say: Silent) -> None:
    """The folder of this name holds the rows afterwards, written by us or by somebody else."""
    with _written(root, key, source, say) as place:
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
def _written(root: Path, name: str, source: Source, say: Silent) -> Iterator[Path]:
    """A folder with the rows, gone in the end; or the one of this name, if it is there by then."""

    def wait() -> None:
        say.note(f"Another process is encoding the same rows into {root}: waiting for it.")

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
            try:
                source.write(place, say)
            finally:
                say.end()
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
