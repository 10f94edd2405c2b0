"""report.html: the document that `rosenblatt fit --json` prints, as one page for people."""

from __future__ import annotations

from typing import Any

__all__ = ["render"]


def render(content: dict[str, Any], carried: Any = None) -> str:
    """The document as a page of HTML that needs nothing else: no network, no fonts, no libraries.

    Parts that are missing or None are left out. Names and labels are shown as text, whatever they
    are. The same document is embedded as JSON, in the element with the id "report". `carried` is
    the certificate and rows of its proof: the page checks them when it is opened.

    >>> page = render({"data": {"target": "<b>", "rows": 3}})
    >>> "<h1>Can <bdi>&lt;b&gt;</bdi> be predicted" in page
    True
    """
    from rosenblatt._util.text import of_files
    from rosenblatt.report.page import environment, shown_with

    page = environment().get_template("page.html")
    with of_files(bool((content.get("data") or {}).get("files"))):
        text = page.render(shown_with(content, carried))
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
