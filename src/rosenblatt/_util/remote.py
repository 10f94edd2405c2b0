"""Files of other machines, named by an address: s3://bucket/model.json. fsspec opens them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

from rosenblatt._util.extras import needed
from rosenblatt.errors import FileError, InputError, MissingExtraError, MissingFileError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SQUEEZED = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?=[^/])")  # pathlib leaves one slash of two
# An upload to these is an object, whole, or nothing; elsewhere a part of a file could stay.
_STORES = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "memory")


def remote(path: Any) -> Remote | None:
    """The file of another machine, if that is what the path names."""
    if isinstance(path, Remote):
        return path
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        return None
    text = _SQUEEZED.sub(r"\1://", text)
    return Remote(text) if _ADDRESS.match(text) else None


@final
@dataclass(frozen=True)
class Remote:
    """A file or a folder there, with the names that pathlib.Path has for the same."""

    address: str

    def __str__(self) -> str:
        return self.address

    def __reduce__(self) -> tuple[Any, ...]:  # whoever gets it opens it anew
        return Remote, (self.address,)

    def __truediv__(self, name: str) -> Remote:
        return Remote(f"{self.address.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        return self.address.rstrip("/").rsplit("/", 1)[-1]

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system, and the path there."""
        protocol = self.address.split(":")[0].lower()
        if protocol in ("s3", "s3a"):
            needed("s3fs", self.address)
        fsspec = needed("fsspec", self.address)
        with self._asked("open"):
            try:
                system, path = fsspec.core.url_to_fs(self.address)
            except ImportError as missing:
                raise MissingExtraError(f"{self.address} cannot be opened: {missing}.") from None
            except ValueError as unknown:
                raise InputError(f"{self.address} cannot be opened: {unknown}.") from None
        return system, str(path)

    # --- What is there ---

    def about(self) -> dict[str, Any] | None:
        """What its machine says of it; None where there is nothing."""
        system, path = self._opened
        with self._asked("read"):
            system.invalidate_cache()
            try:
                return dict(system.info(path))
            except FileNotFoundError:
                return None

    def exists(self) -> bool:
        return self.about() is not None

    def is_dir(self) -> bool:
        about = self.about()
        return about is not None and about["type"] == "directory"

    def is_symlink(self) -> bool:
        return False

    def iterdir(self) -> Iterator[Remote]:
        system, path = self._opened
        with self._asked("read"):
            system.invalidate_cache()
            try:
                names = [str(name).rstrip("/") for name in system.ls(path, detail=False)]
            except FileNotFoundError:
                names = []
        for name in sorted(names):
            yield self / name.rsplit("/", 1)[-1]

    def matching(self) -> list[Remote]:
        """What a pattern stands for, in order; itself where it is none."""
        if not glob.has_magic(self.address):
            return [self]
        system, path = self._opened
        with self._asked("read"):
            names = sorted(str(name) for name in system.glob(path))
            bucket = path.partition("/")[0]
            if not names and bucket and not system.exists(bucket):
                raise FileNotFoundError(f"there is no bucket {bucket}")
        return [Remote(system.unstrip_protocol(name)) for name in names]

    # --- Reading and writing ---

    def read(self, *, most: int) -> bytes:
        about = self.about()
        if about is None:
            raise MissingFileError(f"There is no file {self}.")
        if about["type"] == "directory":
            raise FileError(f"{self} is a folder, not a file.")
        if about["size"] > most:
            raise FileError(
                f"{self} has {about['size']:,} bytes; at most {most:,} are read at once."
            )
        return self.beginning(None)

    def beginning(self, n: int | None) -> bytes:
        system, path = self._opened
        with self._asked("read"):
            return bytes(system.cat_file(path, end=n))

    def download(self, place: str) -> None:
        system, path = self._opened
        with self._asked("read"):
            system.get_file(path, place)

    def write(self, content: bytes, *, overwrite: bool) -> None:
        system, path = self._to_write()
        with self._asked("write"):
            system.pipe_file(path, content, mode="overwrite" if overwrite else "create")

    def upload(self, place: Path) -> None:
        system, path = self._to_write()
        with self._asked("write"):
            system.put_file(str(place), path)

    def _to_write(self) -> tuple[Any, str]:
        protocol = self.address.split(":")[0].lower()
        if protocol not in _STORES:
            what = "a path of this machine" if protocol == "file" else "no object store"
            raise InputError(
                f"{self} is {what}: give a plain path, or an address that begins with "
                f"{', '.join(f'{store}://' for store in _STORES[:-1])}."
            )
        system, path = self._opened
        if not path.strip("/").partition("/")[2]:
            raise InputError(f"{self} is a bucket; give the name of a file or folder in it.")
        return system, path

    def check_writable(self) -> None:
        """Only trying tells. Where nothing may be deleted, one empty object stays."""
        probe = Remote(f"{self.address.rstrip('/')}.rosenblatt-probe")
        probe.write(b"", overwrite=True)
        with suppress(FileError):
            probe.unlink()

    def unlink(self, missing_ok: bool = True) -> None:
        system, path = self._opened
        with self._asked("delete"), suppress(FileNotFoundError):
            system.rm_file(path)

    def rmdir(self) -> None:
        """There are no folders but the names of files."""

    @contextmanager
    def _asked(self, verb: str) -> Iterator[None]:
        """Errors of a file system, of the network and of whoever checks rights, as ours."""
        try:
            yield
        except (FileError, InputError, MissingExtraError):
            raise
        except FileExistsError:
            raise FileError(
                f"{self} exists already and is not overwritten: give another name."
            ) from None
        except FileNotFoundError as error:  # of what is read, it was said before
            raise MissingFileError(
                f"Cannot {verb} {self}: {_reason(error)}. Make the bucket, or check its name."
            ) from None
        except Exception as error:
            rights = isinstance(error, PermissionError) or "credentials" in str(error)
            advice = " Check the credentials and what they allow." if rights else ""
            raise FileError(f"Cannot {verb} {self}: {_reason(error)}.{advice}") from None


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".")
