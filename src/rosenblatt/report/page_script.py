"""The one script of the page, and its hash: the browser runs this and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from rosenblatt.play.joined import joined
from rosenblatt.play.page import asset


def module(name: str) -> str:
    """A module of the page: of its own, or one that it shares with the playground."""
    own = files("rosenblatt.report") / "assets" / f"{name}.js"
    text = own.read_text(encoding="utf-8") if own.is_file() else asset(f"{name}.js")
    return text.replace("\r\n", "\n")


@cache
def script(entry: str) -> dict[str, Markup]:
    """The module of this name and all that it imports."""
    text = joined(entry, module)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"script": Markup(text), "script_hash": Markup(f"sha256-{digest}")}


def embedded(content: Any) -> str:
    """JSON that no HTML parser takes for the end of the script element."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
