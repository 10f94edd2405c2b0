"""A page of the repository becomes one of the site: its links, and its living examples."""

import os
import re
from pathlib import PurePosixPath

import formulas
from contents import ROOT, place_of

LINK = re.compile(r"(\]\()(?!https?:|#|mailto:)([^)#\s]+)")
# A comment, which viewers of repositories hide; a picture right below it stands for what lives.
LIVE = re.compile(r"^<!-- (playground|report)(?:: (\S+))? -->$(?:\n!\[.*\]\(.*\)$)?", re.MULTILINE)

PLAYGROUND = """<div class="live">
<iframe src="{up}live/playground.html#{state}" title="The playground" loading="lazy"></iframe>
<p><a href="{up}live/playground.html#{state}">Open it on a page of its own</a></p>
</div>"""
REPORT = """<div class="live">
<iframe src="{up}live/report.html" title="The report of a study" loading="lazy"></iframe>
<p><a href="{up}live/report.html">Open the report on a page of its own</a>, and
<a href="{up}live/credit.csv" download>its table</a>: drop the table there, and the page checks
the whole proof.</p>
</div>"""


def page_of(text: str, file: str) -> str:
    """The Markdown of a file, as the site's source has it."""
    page = place_of(file)
    assert page is not None
    up = "../" * (len(PurePosixPath(page).parts) - 1)
    live = {"playground": PLAYGROUND, "report": REPORT}
    if file in formulas.PAGES:
        text = formulas.typeset(text)
    text = LIVE.sub(lambda m: live[m[1]].format(up=up, state=m[2] or "e=lihang"), text)
    return LINK.sub(lambda m: m[1] + _target(m[2], file, page), text)


def _target(target: str, file: str, page: str) -> str:
    """Where a link of `file` leads on the site."""
    there = os.path.normpath(PurePosixPath(file).parent / target)
    if not (ROOT / there).exists():
        raise SystemExit(f"{file} links to {target}, and there is no {there}")
    place = place_of(there)
    if place is None:
        raise SystemExit(
            f"{file} links to {target}, which the site does not have: ELSEWHERE in "
            "scripts/site/contents.py says which files from outside docs/ it has"
        )
    return os.path.relpath(re.sub(r"\.ipynb$", ".md", place), PurePosixPath(page).parent)
