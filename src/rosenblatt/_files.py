"""Files are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from rosenblatt.errors import InputError


def write_whole(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Through a temporary file in the same folder, then renamed."""
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already.")
    part = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with open(part, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
