"""Who reads what a person names: by what its files hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

from rosenblatt._util.spelling import option
from rosenblatt.data import files
from rosenblatt.data.ahead import ahead
from rosenblatt.data.batch import Batch, Kind
from rosenblatt.data.columnar import ColumnFiles, frame
from rosenblatt.data.numbering import some_of
from rosenblatt.data.options import Reading
from rosenblatt.data.text import TextFiles
from rosenblatt.data.unlabelled import Labelled
from rosenblatt.data.watching import watchable
from rosenblatt.data.workbook import as_text
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data.table import Table


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
            f"{option('sheet')} goes with .xlsx workbooks, and {found[0].name} is none: leave it "
            "out.",
            option="sheet",
            value=reading["sheet"],
            file=found[0].name,
        )
    if found[0].kind == "text":
        return TextFiles(found, how)
    return ColumnFiles(found, how)


# How the rows of some files of a table are read, once its columns are known: anywhere.


@final
@dataclass(frozen=True)
class RowsFrom:
    """Some files, what is known of their columns, and which of their rows are meant."""

    reader: Reader
    kinds: dict[str, Kind]
    label: str | None  # rows that have none are left out
    skip: int = 0  # rows before,
    rows: int = 0  # and how many there are

    def all(self) -> Iterable[Batch]:
        """Whichever are meant."""
        parts = watchable(ahead(self.reader.parts(self.kinds)), self.reader.files)
        return parts if self.label is None else Labelled(parts, self.label, self.kinds[self.label])

    def parts(self) -> Iterator[Batch]:
        """Those that are meant."""
        return some_of(self.all(), 0, self.skip, self.skip + self.rows)


@final
@dataclass(frozen=True)
class TableStream:
    """A table that is not to be encoded in memory, and whether its numbers are scaled."""

    table: Table
    scale: bool
