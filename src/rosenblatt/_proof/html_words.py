"""A certificate in words, for a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from rosenblatt._proof import lifted_words
from rosenblatt._proof.words import sections, shares

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, Conflict


def as_html(certificate: Certificate) -> str:
    """The first line in bold, each further part under it, all rows of a conflict folded."""
    (_, (first, *rest)), *others = sections(certificate)
    out = [f"<p><b>{html.escape(first)}</b></p>"]
    out += [f"<p>{_lines(lines)}</p>" for lines in ([rest] if rest else [])]
    for kind, lines in others:
        out.append(f"<p>{_lines(lines)}</p>")
        if kind == "conflict" and certificate.conflict is not None:
            out.append(_folded(certificate.conflict))
    return f'<div class="rosenblatt-certificate">{"".join(out)}</div>'


def _lines(lines: list[str]) -> str:
    return "<br>".join(html.escape(line.strip()) for line in lines)


def _folded(conflict: Conflict) -> str:
    if conflict.rivals is not None:
        return _folded_rivals(conflict)
    head = "<tr><th>row</th><th>label</th><th>weight in its class</th></tr>"
    body = "".join(
        f"<tr><td>{row}</td><td>{html.escape(label)}</td><td>{share:.2%}</td></tr>"
        for row, label, share in sorted(shares(conflict), key=lambda item: -item[2])
    )
    return _details(f"all {len(conflict.rows)} rows of the conflict", head + body)


def _folded_rivals(conflict: Conflict) -> str:
    head = "<tr><th>row</th><th>label</th><th>rival</th><th>weight</th></tr>"
    body = "".join(
        f"<tr><td>{row}</td><td>{html.escape(label)}</td><td>{html.escape(rival)}</td>"
        f"<td>{share:.2%}</td></tr>"
        for row, label, rival, share in lifted_words.shares(conflict)
    )
    return _details(f"all {len(conflict.rows)} comparisons of the conflict", head + body)


def _details(summary: str, table: str) -> str:
    return f"<details><summary>{summary}</summary><table>{table}</table></details>"
