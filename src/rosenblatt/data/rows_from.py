"""How the rows of some files of a table are read, once its columns are known: anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from rosenblatt.data._ahead import ahead
from rosenblatt.data._watching import watchable
from rosenblatt.data.numbering import some_of
from rosenblatt.data.part import Kind, Part
from rosenblatt.data.readers import Reader
from rosenblatt.data.unlabelled import Labelled

if TYPE_CHECKING:
    from rosenblatt.data.table import Table


@final
@dataclass(frozen=True)
class RowsFrom:
    """Some files, what is known of their columns, and which of their rows are meant."""

    reader: Reader
    kinds: dict[str, Kind]
    label: str | None  # rows that have none are left out
    skip: int = 0  # rows before,
    rows: int = 0  # and how many there are

    def all(self) -> Iterable[Part]:
        """Whichever are meant."""
        parts = watchable(ahead(self.reader.parts(self.kinds)), self.reader.files)
        return parts if self.label is None else Labelled(parts, self.label, self.kinds[self.label])

    def parts(self) -> Iterator[Part]:
        """Those that are meant."""
        return some_of(self.all(), 0, self.skip, self.skip + self.rows)


@final
@dataclass(frozen=True)
class TableStream:
    """A table that is not to be encoded in memory, and whether its numbers are scaled."""

    table: Table
    scale: bool
