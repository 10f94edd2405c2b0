"""Who reads what a person names: by what its files hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rosenblatt.data import files
from rosenblatt.data.columnar import ColumnFiles, frame
from rosenblatt.data.how import Reading
from rosenblatt.data.text import TextFiles
from rosenblatt.data.workbook import as_text
from rosenblatt.errors import InputError

Reader = TextFiles | ColumnFiles


def reader_of(source: Any, how: Reading, **reading: Any) -> Reader:
    """For a source that is read like this, but for what is said about it."""
    like, how = how.sheet, how.told(**reading)
    if hasattr(source, "__arrow_c_stream__"):
        return ColumnFiles([frame(source)], how)
    found = files.find(source)
    if len({file.kind for file in found}) > 1:
        kinds = ", ".join(f"{file.name} ({file.kind})" for file in found[:3])
        raise InputError(f"Files that are read together must be of one kind; these are {kinds}.")
    if found[0].kind == "workbook":
        found = [as_text(file, reading.get("sheet"), like) for file in found]
        return TextFiles(found, replace(how, sheet=found[0].sheet, charset=None, sep=None))
    if reading.get("sheet") is not None:
        raise InputError(
            f"sheet (--sheet) goes with .xlsx workbooks, and {found[0].name} is none: leave it out."
        )
    if found[0].kind == "text":
        return TextFiles(found, how)
    return ColumnFiles(found, how)
