"""Files are written whole or not at all, and read only where they can be."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from rosenblatt.errors import (
    FileError,
    InputError,
    InputTypeError,
    MissingFileError,
    RosenblattError,
)


def write_whole(path: Any, content: bytes, *, overwrite: bool) -> None:
    """The file has this content afterwards, or is as it was before and an error says why."""
    with writing_whole(path, overwrite=overwrite) as file:
        file.write(content)


@contextmanager
def writing_whole(path: Any, *, overwrite: bool) -> Iterator[BinaryIO]:
    """A file to write into; `path` is that file once all is written, or is as it was before.

    What is written goes into a file beside it, named `.rosenblatt-…`, and onto the disk; then that
    one takes its name. Whoever reads meanwhile, or after a crash, finds the old file or the new.
    A symbolic link is followed. Permissions of a file that was there are kept. What a killed
    process left of such a file is removed with the next writing.
    """
    target = _target(path)
    mode = _checked_place(target, overwrite=overwrite)
    part = target.with_name(f"{beside(target)}-{os.getpid()}-{secrets.token_hex(8)}")
    _remove_leftovers(target)
    try:
        with open(part, "xb") as file:
            if mode is not None:
                with suppress(OSError):  # not every file system has permissions
                    os.chmod(part, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            os.replace(part, target)
        else:
            _move_to_free_name(part, target)
    except RosenblattError:  # of whoever writes: what was to be written could not be made
        raise
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise cannot("write", path, error) from None
    finally:
        with suppress(OSError):  # gone if all went well
            part.unlink()
    sync_folder(target.parent)


def beside(target: Path) -> str:
    """How the names of files begin that will be this one. They lie in the same folder, which may
    itself move, so that its path has no part in them."""
    return ".rosenblatt-" + hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]


def _remove_leftovers(target: Path) -> None:
    """What processes that are no more were about to write."""
    ours = re.compile(rf"{re.escape(beside(target))}-([0-9]+)-[0-9a-f]{{16}}")
    with suppress(OSError):
        for found in os.listdir(target.parent):
            match = ours.fullmatch(found)
            if match and not lives(int(match[1])):
                os.unlink(target.with_name(found))


def lives(process: int) -> bool:
    """Is it still there? True where nobody can say."""
    if os.name == "nt":  # there is no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except OSError as error:  # or it lives and is somebody else's
        return not isinstance(error, ProcessLookupError)
    return True


def make_folder(path: Path) -> None:
    """It is there afterwards."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(f"{path} is a file, not a folder: give another name.") from None
    except OSError as error:
        raise cannot("write", path, error) from None


def read_whole(path: Any, *, most: int) -> bytes:
    """The content of an ordinary file of at most `most` bytes."""
    source = as_path(path)
    try:
        status = source.stat()
        if stat.S_ISDIR(status.st_mode):
            raise FileError(f"{source} is a folder, not a file.")
        if not stat.S_ISREG(status.st_mode):  # a pipe could be waited for, a device read, for ever
            raise FileError(f"{source} is not an ordinary file; save its content to one first.")
        with open(source, "rb") as file:
            content = file.read(min(status.st_size, most) + 1)
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {source}.") from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise cannot("read", source, error) from None
    if len(content) > most:
        raise FileError(
            f"{source} has {status.st_size:,} bytes; at most {most:,} are read at once."
        )
    return content


def as_path(path: Any) -> Path:
    """What was given as one, or the error that says what a path is."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise InputTypeError(
            f"A path is text or a pathlib.Path; got {path!r}, a {type(path).__name__}."
        )
    text = os.fspath(path)
    if not text or "\0" in text:
        raise InputError(f"{text!r} is not a path: give the name of a file.")
    return Path(text)


def _target(path: Any) -> Path:
    return Path(os.path.realpath(as_path(path)))


def _checked_place(target: Path, *, overwrite: bool) -> int | None:
    """The permissions of the file that is there; None where there is none."""
    if not target.parent.is_dir():
        raise MissingFileError(f"There is no folder {target.parent} to save into.")
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot("write", target, error) from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
        raise FileError(f"{target} is {what}: give the name of a file.")
    if not overwrite:
        raise _exists(target)
    if not os.access(target, os.W_OK):  # it could be replaced all the same
        raise FileError(f"{target} is write-protected: give another name, or chmod u+w it.")
    return stat.S_IMODE(mode)


def _move_to_free_name(part: Path, target: Path) -> None:
    try:
        os.link(part, target)  # fails, unlike a renaming, where somebody was faster
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if target.exists():
            raise FileExistsError from None
        os.replace(part, target)


def sync_folder(folder: Path) -> None:
    """The new name reaches the disk, too, where a folder can be asked for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


_NO_SPACE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def _exists(target: Path) -> FileError:
    return FileError(f"{target} exists already and is not overwritten: give another name.")


def cannot(
    verb: str, path: Any, error: OSError, otherwise: str = "", of: str = "file"
) -> FileError:
    """What could not be done, why, and what to do."""
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    advice = " Make room, or write somewhere else." if error.errno in _NO_SPACE else ""
    advice += f" {otherwise}" if otherwise else ""
    kept = f" A {of} that was there is as it was." if verb == "write" else ""
    found = FileError(f"Cannot {verb} {path}: {reason}.{advice}{kept}")
    found.errno = error.errno
    return found
