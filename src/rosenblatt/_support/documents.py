"""What a command found, as the JSON that it prints."""

from __future__ import annotations

import math
from typing import Any

SCHEMA_VERSION = 1


def document_of(command: str, content: dict[str, Any]) -> dict[str, Any]:
    """What a command found, as it is printed by --json."""
    found: dict[str, Any] = finite({"schema_version": SCHEMA_VERSION, "command": command} | content)
    return found


def finite(value: Any) -> Any:
    """JSON has no infinity: it becomes null."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
