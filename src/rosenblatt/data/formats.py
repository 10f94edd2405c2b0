"""The formats of files that hold tables: how they begin, how they are named, and who reads them.

A new format is a line here, and its reader. Messages and help list what stands here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, final

Reader = Literal["text", "sheet", "lines", "columns", "held", "svmlight"]


@final
@dataclass(frozen=True)
class Format:
    """`begins`: the first bytes, of each version; `entry`: what is in the zip archive that such a
    file is. Formats that have neither are text, which may be compressed."""

    reader: Reader
    names: tuple[str, ...]
    suffixes: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()
    entry: str | None = None

    @property
    def is_text(self) -> bool:
        return not self.begins and self.entry is None


# Versions 113 to 115, in either order of bytes.
_OLD_STATA = tuple(bytes((version, order)) for version in (113, 114, 115) for order in (1, 2))
FORMATS = {  # by the kind of a File
    "text": Format("text", ("CSV", "TSV")),
    "json lines": Format("lines", ("JSON lines",), (".jsonl", ".ndjson", ".json")),
    "workbook": Format("sheet", (".xlsx",), entry="xl/workbook.xml"),
    "parquet": Format("columns", ("Parquet",), (".parquet",), (b"PAR1",)),
    "arrow": Format("columns", ("Feather", "Arrow"), (".feather", ".arrow"), (b"ARROW1",)),
    "arrow stream": Format("columns", (), (), (b"\xff\xff\xff\xff",)),
    "stata": Format("held", ("Stata",), (".dta",), (b"<stata_d", *_OLD_STATA)),
    "spss": Format("held", ("SPSS",), (".sav", ".zsav"), (b"$FL2", b"$FL3")),
    "svmlight": Format("svmlight", ("svmlight",), (".svm", ".svmlight", ".libsvm")),
}
# What is not read, by its first bytes and by what is in an archive; and what to do about it.
REFUSED = {
    b"\xd0\xcf\x11\xe0": "a workbook of an old kind, or with a password. Save it as .xlsx or CSV",
    b"\xfd7zXZ": "compressed by xz. Unpack it, or compress it by gzip or zstd",
    b"FEA1": "Feather version 1. Save it again as Feather version 2 or Parquet",
}
REFUSED_ENTRIES = {
    "mimetype": "an OpenDocument file. Save the sheet as .xlsx or CSV",
    "xl/workbook.bin": "a binary workbook. Save the sheet as .xlsx or CSV",
}


_OBJECT = re.compile(rb'\s*\{\s*"')  # how JSON lines begin


def kind_named(suffix: str) -> str:
    """What a file holds by its name; what is not known is text."""
    return next((kind for kind, f in FORMATS.items() if suffix.lower() in f.suffixes), "text")


def kind_beginning(begin: bytes) -> str | None:
    if _OBJECT.match(begin):
        return "json lines"
    return next((kind for kind, f in FORMATS.items() if begin.startswith(f.begins)), None)


def names_of(reader: Reader | None = None) -> list[str]:
    formats = (f for f in FORMATS.values() if reader in (None, f.reader))
    return [name for f in formats for name in f.names]


def in_words(last: str) -> str:
    """Names of all formats; `last` is "and" or "or"."""
    *names, final_name = names_of()
    return f"{', '.join(names)} {last} {final_name}"
