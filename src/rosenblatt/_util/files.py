"""Files, written whole or not at all and read only where they can be; and the cache folder."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Self, final

from rosenblatt._util.remote import Remote, remote
from rosenblatt._util.spelling import option
from rosenblatt.errors import (
    FileError,
    InputError,
    InputTypeError,
    MissingFileError,
    RosenblattError,
)

Place = Path | Remote


def place_of(path: Any) -> Place:
    """A file or folder of this machine, or of another one, named by an address."""
    return remote(path) or as_path(path)


def write_whole(path: Any, content: bytes, *, overwrite: bool) -> None:
    """The file has this content afterwards, or is as it was before and an error says why."""
    if (there := remote(path)) is not None:
        there.write(content, overwrite=overwrite)
        return
    with writing_whole(path, overwrite=overwrite) as file:
        file.write(content)


@contextmanager
def writing_whole(path: Any, *, overwrite: bool) -> Iterator[BinaryIO]:
    """A file to write into; `path` is that file once all is written, or is as it was before.

    What is written goes into a file beside it, named `.rosenblatt-…`, and onto the disk; then that
    one takes its name. Whoever reads meanwhile, or after a crash, finds the old file or the new.
    A symbolic link is followed. Permissions of a file that was there are kept. What a killed
    process left of such a file is removed with the next writing. A file of another machine is
    uploaded in the end.
    """
    if (there := remote(path)) is not None:
        with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
            with open(here := Path(folder, "part"), "xb") as file:
                yield file
            there.upload(here)
        return
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
        for name in os.listdir(target.parent):
            match = ours.fullmatch(name)
            if match and not lives(int(match[1])):
                os.unlink(target.with_name(name))


def lives(process: int) -> bool:
    """Is it still there? True where nobody can say."""
    if os.name == "nt":  # there is no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except OSError as error:  # or it lives and is somebody else's
        return not isinstance(error, ProcessLookupError)
    return True


def make_folder(folder: Any) -> None:
    """It is there afterwards, and may be written into."""
    if (there := remote(folder)) is not None:
        there.check_writable()
        return
    path = as_path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(
            f"{path} is a file, not a folder: give another name.", file=str(path)
        ) from None
    except OSError as error:
        raise cannot("write", path, error) from None


def read_whole(path: Any, *, most: int) -> bytes:
    """The content of an ordinary file of at most `most` bytes."""
    if (there := remote(path)) is not None:
        return there.read(most=most)
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


def beginning(path: Any, n: int) -> bytes:
    """The first bytes of a file."""
    if (there := remote(path)) is not None:
        return there.beginning(n)
    with open(path, "rb") as file:
        return file.read(n)


@contextmanager
def nearby(path: Any) -> Iterator[str]:
    """The path of the file, or of a copy of one of another machine, for who can open only that."""
    if (there := remote(path)) is None:
        yield os.fspath(path)
        return
    with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
        there.download(copy := os.path.join(folder, "copy"))
        yield copy


def as_path(path: Any) -> Path:
    """Of this machine: an address would become a folder named s3:."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise InputTypeError(
            f"A path is text or a pathlib.Path; got {path!r}, a {type(path).__name__}."
        )
    text = os.fspath(path)
    if not text or "\0" in text:
        raise InputError(f"{text!r} is not a path: give the name of a file.")
    if remote(path) is not None:
        raise InputError(
            f"{text} is an address: give the path of a file or folder of this machine."
        )
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


def check_writable(path: Any, *, of: str = "file") -> None:
    """Before any work: may something be written beside this place? Only trying tells."""
    if (there := remote(path)) is not None:
        there.check_writable()
        return
    target = Path(os.path.abspath(as_path(path)))
    part = target.with_name(f"{beside(target)}-{os.getpid()}-{secrets.token_hex(8)}")
    try:
        part.mkdir()
        part.rmdir()
    except OSError as error:
        raise cannot("write", path, error, of=of) from None


_NO_SPACE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def _exists(target: Path) -> FileError:
    return FileError(f"{target} exists already and is not overwritten: give another name.")


def cannot(
    verb: str, path: Any, error: OSError, otherwise: str = "", of: str = "file"
) -> FileError:
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    advice = " Make room, or write somewhere else." if error.errno in _NO_SPACE else ""
    advice += f" {otherwise}" if otherwise else ""
    kept = f" A {of} that was there is as it was." if verb == "write" else ""
    refusal = FileError(f"Cannot {verb} {path}: {reason}.{advice}{kept}")
    refusal.errno = error.errno
    return refusal


# --- Folders are written whole or not at all, as files are ---------------------------------------
#
# A folder is written beside its place, under a name that begins with `.rosenblatt-`, and onto the
# disk; then it and the one that was there change names. Where no system call does that in one step,
# the old one moves aside first, and what a process was killed in the middle of is completed by the
# next one that wants to write there:
#
#     PART                  being written, or, after an exchange, the old folder: to be removed
#     PART and PART-old     PART is complete, the old folder is PART-old: PART takes its place
#     PART-gone             being removed


_HIDDEN = ".rosenblatt-"


def check_folder(path: Any, *, ours: Collection[str], overwrite: bool) -> None:
    """Before any work: may this folder be written? It may where there is none, where it is empty,
    and, with `overwrite`, where it holds files of our names only."""
    if (there := remote(path)) is not None:
        names = [entry.name for entry in there.iterdir()]
        _refuse_held(path, set(names) - set(ours), names, overwrite=overwrite)
        return
    target = _folder_target(path)
    if not target.parent.is_dir():
        raise MissingFileError(f"There is no folder {target.parent} to make {target.name} in.")
    _recover(target, ours)
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise FileError(f"{path} is no folder; give the name of one to write.", file=str(path))
    held = list(target.iterdir())
    others = {entry.name for entry in held if not _is_ours(entry, ours)}
    _refuse_held(path, others, held, overwrite=overwrite)


def _refuse_held(path: Any, others: set[str], held: Collection[Any], *, overwrite: bool) -> None:
    if others:
        raise FileError(
            f"{path} holds other files ({', '.join(sorted(others)[:3])}), and a folder is replaced "
            "as a whole. Give another one.",
            file=str(path),
        )
    if held and not overwrite:
        raise FileError(
            f"{path} exists already. Give another folder, or {option('force', True)} to replace "
            "it.",
            option="force",
            value=False,
            file=str(path),
        )


@contextmanager
def writing_whole_folder(path: Any, *, ours: Sequence[str], overwrite: bool) -> Iterator[Path]:
    """A folder to write files of our names into; it takes its place once all is written.

    Killed at any moment, the old folder is there or the new one (where the system cannot exchange
    names, perhaps not before the next writing or `check_folder`), and nothing between the two.
    What a killed process left is removed with the next writing. A file of another name that
    somebody puts into the old folder meanwhile moves to the new one.

    An object store cannot exchange names: there the first of our names goes first and comes last,
    so that a folder that has it is whole.
    """
    check_folder(path, ours=ours, overwrite=overwrite)
    if (there := remote(path)) is not None:
        with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
            yield Path(folder)
            _upload(Path(folder), there, ours)
        return
    target = _folder_target(path)
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


def _upload(folder: Path, there: Remote, ours: Sequence[str]) -> None:
    for name in ours:
        (there / name).unlink()
    for name in reversed(ours):
        if (folder / name).exists():
            (there / name).upload(folder / name)


def _folder_target(path: Any) -> Path:
    return Path(os.path.abspath(as_path(path)))  # a symbolic link is not followed, but refused


def _named(error: FileError, part: Path, path: Any) -> FileError:
    """The error about the folder that the user named, not about our temporary one."""
    renamed = type(error)(str(error).replace(str(part), str(path)))
    renamed.errno = error.errno
    return renamed


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
        for entry in list(folder.iterdir()):
            if _is_ours(entry, ours) or entry.name.startswith(_HIDDEN):
                entry.unlink()
            elif not os.path.lexists(target / entry.name):
                os.rename(entry, target / entry.name)
        folder.rmdir()


def _is_ours(entry: Path, ours: Collection[str]) -> bool:
    return entry.name in ours and (entry.is_symlink() or not entry.is_dir())


# --- Two files or folders change names in one step, where the system can do that -----------------


_HERE = -100  # AT_FDCWD: relative paths begin in the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}  # nor can every file system


def exchange(a: Path, b: Path) -> bool:
    """Whoever looks sees both as they were, or both exchanged. False: it cannot be done here."""
    rename = _renameat2()
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(a), _HERE, os.fsencode(b), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(a), None, str(b))


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Of Linux, by its C library."""
    try:
        call: Any = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # another system, or an old library
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call  # type: ignore[no-any-return]


# --- Who is at work: locks that the system frees when a process ends, however it ends ------------


try:
    import fcntl
except ImportError:  # Windows: nobody waits, and nobody knows who is at work
    fcntl = None  # type: ignore[assignment]

# A link that somebody put there is not followed: it may lead anywhere.
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


@final
class Lock:
    """A lock, to be held by `with`; where the system has none, nobody holds it and nobody waits.

    `wait` is called before waiting for whoever has it. None: don't; then it may not be `held`.
    """

    def __init__(self, path: Path, wait: Callable[[], None] | None):
        self._path = path
        self._handle = None if fcntl is None else self._take(wait)

    @property
    def held(self) -> bool:
        return self._handle is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            with suppress(OSError):
                os.unlink(self._path)  # while it is held: the next one makes a file of its own
            os.close(self._handle)

    def _take(self, wait: Callable[[], None] | None) -> int | None:
        while True:
            handle = os.open(self._path, _OPEN, 0o600)
            try:
                if not _locked(handle, wait):
                    os.close(handle)
                    return None
                if self._is(handle):
                    return handle
            except BaseException:  # Ctrl-C while waiting
                os.close(handle)
                raise
            os.close(handle)  # who had it before has removed the file

    def _is(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(handle))
        except FileNotFoundError:
            return False


def _locked(handle: int, wait: Callable[[], None] | None) -> bool:
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait is None:
                return False
            wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return False
    return True


# --- Where files are kept that can be made again -------------------------------------------------


def cache_folder(folder: Any = None) -> Path:
    """The folder that was given, else $ROSENBLATT_CACHE, else the user's."""
    given = folder if folder is not None else os.environ.get("ROSENBLATT_CACHE") or None
    if (there := remote(given)) is not None:
        raise InputError(
            f"The cache cannot be {there}: rows are mapped from it into memory, so it is a folder "
            f"on a disk of this machine. Give {option('cache', ...)}, or set ROSENBLATT_CACHE.",
            option="cache",
            value=str(there),
        )
    if given is not None:
        return as_path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rosenblatt"
