"""How the rows of some files of a table are read, once its columns are known: anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from rosenblatt.data._ahead import ahead
from rosenblatt.data._watching import watchable
from rosenblatt.data.files import File
from rosenblatt.data.part import Kind, Part
from rosenblatt.data.readers import Reader
from rosenblatt.data.unlabelled import Labelled

if TYPE_CHECKING:
    from rosenblatt.data.table import Table


@final
@dataclass(frozen=True)
class RowsFrom:
    """Some files, and what is known of their columns."""

    reader: Reader
    kinds: dict[str, Kind]
    label: str | None  # rows that have none are left out

    @classmethod
    def of(
        cls, reader: Reader, files: list[File], kinds: dict[str, Kind], label: str | None
    ) -> RowsFrom:
        """Of these files, by a reader of more."""
        some = copy(reader)
        some.files = files
        return cls(some, kinds, label)

    def parts(self) -> Iterable[Part]:
        parts = watchable(ahead(self.reader.parts(self.kinds)), self.reader.files)
        return parts if self.label is None else Labelled(parts, self.label, self.kinds[self.label])


@final
@dataclass(frozen=True)
class TableStream:
    """A table that is not to be encoded in memory, and whether its numbers are scaled."""

    table: Table
    scale: bool
