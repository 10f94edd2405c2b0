"""Where files are kept that can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder(folder: Path | None = None) -> Path:
    """The folder that was given, else $ROSENBLATT_CACHE, else the user's."""
    if folder is not None:
        return Path(folder)
    if given := os.environ.get("ROSENBLATT_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rosenblatt"
