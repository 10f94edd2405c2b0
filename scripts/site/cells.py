"""A notebook with its outputs as a page of Markdown and its pictures."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any


def markdown_of(notebook: str, page: Path, adapted: Callable[[str], str]) -> str:
    """The page; pictures are written beside it. Texts are `adapted` to the site."""
    parts = []
    for number, cell in enumerate(json.loads(notebook)["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(adapted(source))
            continue
        parts.append(_fenced("{code-block} python\n:class: cell\n", source))
        for k, output in enumerate(cell["outputs"]):
            picture = page.with_name(f"{page.stem}-{number}-{k}.png")
            parts.append(_shown(output, cell["metadata"].get("alt"), picture))
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any], alt: str | None, picture: Path) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        if not alt:
            raise SystemExit(f"{picture.name}: the cell needs what the picture shows, as 'alt'")
        picture.write_bytes(base64.b64decode(data["image/png"]))
        return f"![{alt}]({picture.name})"
    if "text/html" in data:
        return _fenced(
            "{raw} html", f'<div class="output">{_quiet("".join(data["text/html"]))}</div>'
        )
    return _fenced(
        "{code-block} text\n:class: output\n",
        "".join(data.get("text/plain", output.get("text", []))),
    )


def _quiet(html: str) -> str:
    """Tables of pandas without styles of their own, and with no heading that says nothing."""
    html = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    return html.replace("<th></th>", "<td></td>").replace(' border="1"', "")


def _fenced(kind: str, text: str) -> str:
    return f"````{kind}\n{text.rstrip()}\n````"
