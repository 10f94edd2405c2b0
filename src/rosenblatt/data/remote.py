"""Files of other machines, named by an address: s3://bucket/part-*.parquet.

A file is brought into the cache of the machine that reads it, when it does. Where a table goes to
another machine, the address goes along, and that machine brings the file for itself.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt._util.extras import needed
from rosenblatt._util.files import cache_folder
from rosenblatt.errors import InputError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_FOLDER = "remote"


def is_remote(name: str) -> bool:
    return bool(_ADDRESS.match(name))


def matching(address: str) -> list[str]:
    """The addresses that a pattern stands for, in order; one without a pattern for itself."""
    if not glob.has_magic(address):
        return [address]
    system, path = _system(address)
    with _answering(address):
        names = sorted(str(name) for name in system.glob(path))
    if not names:
        raise InputError(f"No file matches the pattern {address}.")
    return [system.unstrip_protocol(name) for name in names]


class Fetched(type(Path())):  # type: ignore[misc] # which one depends on the system
    """The path of a copy. Pickled, it is the address: whoever unpickles it has a copy of their
    own."""

    address: str
    mark: str

    def __reduce__(self) -> tuple[Any, ...]:
        return fetch, (self.address, self.mark)


def fetch(address: str, mark: str | None = None) -> Fetched:
    """A copy of this file in the cache; made now if it is not there. With a mark: if the file is
    still the same."""
    system, path = _system(address)
    with _answering(address):
        about = system.info(path)
    if about.get("type") == "directory":
        raise InputError(f"{address} is a folder. Give its files, as in {address}/*.parquet.")
    now = _mark(address, about)
    if mark is not None and mark != now:
        raise InputError(f"{address} was changed while it was read. Read it again.")
    place = cache_folder().absolute() / _FOLDER / now / path.rstrip("/").rsplit("/", 1)[-1]
    if not place.exists():
        _bring(system, path, address, place, now)
    copy = Fetched(place)
    copy.address, copy.mark = address, now
    return copy


def _mark(address: str, about: dict[str, Any]) -> str:
    """Changes with the file, as far as its machine tells."""
    version = {k: str(v) for k, v in about.items() if k in _CHANGING and v is not None}
    return hashlib.sha256(json.dumps([address, version], sort_keys=True).encode()).hexdigest()


_CHANGING = ("size", "ETag", "etag", "mtime", "LastModified", "last_modified", "created", "updated")


def _bring(system: Any, path: str, address: str, place: Path, mark: str) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=place.parent)
    os.close(handle)
    try:
        with _answering(address):
            system.get_file(path, part)
        # Every copy has the same time, so that all machines see the same file.
        seconds = int(mark[:8], 16)
        os.utime(part, ns=(seconds * 10**9, seconds * 10**9))
        os.replace(part, place)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _system(address: str) -> tuple[Any, str]:
    """The file system, and the path there: fsspec's, else pyarrow's."""
    fsspec = needed("fsspec", f"Reading {address}")
    try:
        return fsspec.core.url_to_fs(address)  # type: ignore[no-any-return]
    except (ImportError, ValueError) as missing:
        from fsspec.implementations.arrow import ArrowFSWrapper
        from pyarrow import fs

        head = re.split(r"[*?\[]", address)[0]
        try:
            system, base = fs.FileSystem.from_uri(head)
        except (ValueError, OSError, NotImplementedError):
            raise InputError(f"{address} cannot be read: {missing}.") from None
        return ArrowFSWrapper(system), base + address[len(head) :]


@contextmanager
def _answering(address: str) -> Iterator[None]:
    """What a file system refuses becomes one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"There is no file {address}.") from None
    except InputError:
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"{address} cannot be read: {reason}.") from None
