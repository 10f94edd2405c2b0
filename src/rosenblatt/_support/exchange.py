"""Two files or folders change names in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

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
        found = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # another system, or an old library
        return None
    found.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    found.restype = ctypes.c_int
    call: Callable[[int, bytes, int, bytes, int], int] = found
    return call
