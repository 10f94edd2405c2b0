"""Dates as people write them: by a format of strptime they become those of ISO 8601.

Nothing heavy is imported, and `rosenblatt export --python` writes these functions out.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ZONE = r"Z|[-+]\d{2}:?\d{2}"
_PARTS = {
    **dict.fromkeys("ymdHIMS", r"\d{1,2}"),
    **dict.fromkeys("bB", r"[A-Za-z]{3,9}\.?"),
    **dict.fromkeys("aA", r"[A-Za-z]{2,9}\.?"),
    "Y": r"\d{4}",
    "f": r"\d{1,9}",
    "p": r"[AaPp]\.?[Mm]\.?",
    "z": _ZONE,
}
_CLOCK = (
    r"(?:(?:T|\s+)(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    rf"(?:\s?(?P<p>[AaPp]\.?[Mm]\.?))?(?:\s?(?P<z>{_ZONE}))?)?"
)

# What is found out by itself, where no other order of day and month fits.
COMMON = (
    *(f"%Y{mark}%m{mark}%d" for mark in "-/."),
    *(order.replace("/", mark) for mark in "/.-" for order in ("%d/%m/%Y", "%m/%d/%Y")),
    *("%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%b %d %Y"),
)
SHORT = tuple(form.replace("%Y", "%y") for form in COMMON if not form.startswith("%Y"))


@lru_cache(64)
def pattern(form: str) -> re.Pattern[str] | None:
    """Of words that are written so; None of what is no format. A clock may follow a day."""
    text = ""
    for percent, part, other in re.findall(r"(%)(.)|([^%]+|%)", form, re.DOTALL):
        if percent and part in _PARTS and f"<{part}>" not in text:
            text += f"(?P<{part}>{_PARTS[part]})"
        elif (percent and part != "%") or other == "%":
            return None
        else:
            text += r"\s+".join(map(re.escape, re.split(r"\s+", other or "%")))
    if not ("<Y>" in text) ^ ("<y>" in text):
        return None
    clock = any(f"<{part}>" in text for part in "HIMSfpz")
    return re.compile(text + ("" if clock else _CLOCK))


def iso(word: str, form: str) -> str | None:
    """The date in ISO 8601, which need not exist; None of anything else."""
    known = pattern(form)
    match = known.fullmatch(word.strip()) if known else None
    if match is None:
        return None
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    year = int(parts.get("Y") or parts["y"])
    if "Y" not in parts:
        year += 1900 if year > 68 else 2000  # as strptime does
    name = (parts.get("b") or parts.get("B") or "").lower()[:3]
    if name and name not in _MONTHS:
        return None
    month = _MONTHS.index(name) + 1 if name else int(parts.get("m", 1))
    day = f"{year:04}-{month:02}-{int(parts.get('d', 1)):02}"
    if not parts.keys() & set("HI"):
        return day
    hour, half = int(parts.get("H") or parts["I"]), parts.get("p", "").lower()
    if half or "I" in parts:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * half.startswith("p")
    digits = f".{parts['f']}" if "f" in parts else ""
    minute, second = int(parts.get("M", 0)), int(parts.get("S", 0))
    return f"{day} {hour:02}:{minute:02}:{second:02}{digits}{parts.get('z', '')}"
