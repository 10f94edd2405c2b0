"""report.html: the document that `rosenblatt fit --json` prints, as one page for people."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["render"]


def render(content: dict[str, Any]) -> str:
    """The document as a page of HTML that needs nothing else: no network, no fonts, no scripts.

    Parts that are missing or None are left out. Names and labels are shown as text, whatever they
    are. The same document is embedded as JSON, in the element with the id "report".

    >>> page = render({"data": {"target": "<b>", "rows": 3}})
    >>> "<h1><bdi>&lt;b&gt;</bdi>" in page
    True
    """
    from rosenblatt.report.view import derived, environment, script

    page = environment().get_template("page.html")
    shown = derived(content) | script()
    text = page.render(content=content, document=_embedded(content), **shown)
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text


def _embedded(content: dict[str, Any]) -> str:
    """JSON that no HTML parser takes for the end of the script element."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
