"""Dates as numbers: days since the first one, or seconds where there are times.

Both are whole, or have the digits that were written, so that nothing is rounded: a proof holds for
the dates as they stand. Nothing heavy is imported, and `rosenblatt export --python` writes out the
functions that read dates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from typing import NamedTuple, final

UNITS = ("days", "seconds")
_ISO = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"([T ](?P<clock>\d{2}:\d{2})(:(?P<second>\d{2})([.,](?P<digits>\d{1,9}))?)?"
    r"\s?(?P<zone>Z|[-+]\d{2}:?\d{2})?)?"
)
_DAY = 86400


class Moment(NamedTuple):
    """To the second, in UTC where it has a zone; what is written behind the second; zone or not."""

    at: datetime
    digits: str
    zone: bool | None  # None: a day by itself


@final
@dataclass(frozen=True)
class Days:
    since: str  # a day; of seconds a moment, with Z where all have a zone
    unit: str = "days"
    format: str = ""  # of the words; of ISO 8601

    @property
    def words(self) -> str:
        return f"{self.unit} since {self.since}"

    @cached_property
    def _first(self) -> Moment | None:
        return moment(self.since)

    def number(self, word: str) -> float | None:
        plain = self._plain(word)
        return None if plain is None else float(plain)

    def plain(self, word: str) -> str:
        """As programs write numbers; the word itself if it is no date."""
        return self._plain(word) or word

    def _plain(self, word: str) -> str | None:
        return None if self._first is None else counted(word, self._first, self.unit, self.format)

    def date(self, number: float) -> str:
        """The date that a number stands for, as it would be written; to the second."""
        first = self._first
        if first is None:
            return f"{number:g}"
        at = first.at + timedelta(**{self.unit: round(number)})
        if self.unit == "days":
            return at.date().isoformat()
        return at.isoformat(" ") + "Z" * bool(first.zone)

    @property
    def expected(self) -> str:
        kind = "date" if self.unit == "days" else "date and time"
        return f"a {kind} " + (f"written as {self.format}" if self.format else f"like {self.since}")

    def __str__(self) -> str:  # behind "read as numbers"
        return f", {self.words}"


def moment(word: str, form: str = "") -> Moment | None:
    """What a date says, of ISO 8601 without a format; None of anything else, also of the 31st of
    February."""
    match = _ISO.fullmatch((iso(word, form) or "") if form else word)
    if match is None:
        return None
    zone = (match["zone"] or "").replace("Z", "+00:00")
    try:
        clock = f"{match['clock'] or '00:00'}:{match['second'] or '00'}"
        at = datetime.fromisoformat(f"{match['day']}T{clock}{zone}")
        if zone:
            at = at.replace(tzinfo=None) - (at.utcoffset() or timedelta())
    except (ValueError, OverflowError):
        return None
    return Moment(at, match["digits"] or "", bool(zone) if match["clock"] else None)


def counted(word: str, first: Moment, unit: str, form: str = "") -> str | None:
    """Days or seconds since the first moment; None where a date does not stand so."""
    date = moment(word, form)
    if date is None:
        return None
    whole, rest = divmod(round((date.at - first.at).total_seconds()), _DAY)
    if unit == "days":
        midnight = not rest and not date.digits.strip("0") and not date.zone
        return str(whole) if midnight else None
    if date.zone is not None and date.zone is not bool(first.zone):
        return None
    seconds = whole * _DAY + rest
    digits = date.digits.rstrip("0")
    return _with_digits(seconds, digits) if digits else str(seconds)


def _with_digits(seconds: int, digits: str) -> str:
    """Seconds and the digits behind them; before the first moment both count backwards."""
    if seconds >= 0:
        return f"{seconds}.{digits}"
    rest = 10 ** len(digits) - int(digits)
    return f"-{-seconds - 1}.{rest:0{len(digits)}d}"


# --- Dates as people write them: by a format of strptime they become those of ISO 8601 ------------

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


def format_of(words: Collection[str]) -> str | None:
    """How all of these are written: "" is ISO 8601; None if in no way, or if in two."""
    formats = formats_of(words)
    return formats[0] if len(formats) == 1 else None


def formats_of(words: Collection[str], among: Iterable[str] = COMMON) -> list[str]:
    """Every format that all of these words have; ISO 8601 alone where they have that."""
    if all(map(moment, words)):
        return [""]
    return [form for form in among if all(moment(word, form) for word in words)]


def days_of(words: Iterable[str], form: str = "") -> Days | None:
    """Days since the first of these, or seconds if one has a time; None if they are no dates of
    this format, or some have a zone and others none."""
    first, times, zones = None, False, set[bool]()
    for word in words:
        date = moment(word, form)
        if date is None:
            return None
        first = date.at if first is None else min(first, date.at)
        if date.zone is not None:
            zones.add(date.zone)
        midnight = date.at.time() == datetime.min.time() and not date.digits.strip("0")
        times |= bool(date.zone) or not midnight
    if first is None or len(zones) > 1:
        return None
    if not times:
        return Days(first.date().isoformat(), format=form)
    return Days(first.isoformat() + "Z" * (True in zones), "seconds", form)
