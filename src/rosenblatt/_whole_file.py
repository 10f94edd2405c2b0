"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """UTF-8 text to write into; it takes its place when all of it is on the disk."""
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.absolute().parent} to save into.")
    part = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    try:
        with open(part, "x", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
