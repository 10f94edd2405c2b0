"""How a table was read, kept with its encoding: later tables are read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, final

from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.data.disguise import MARKS, Style


@final
@dataclass(frozen=True)
class Reading:
    """What was said about a table, and what was found out.

    `header`: False: there is no line of names; None: there is, and it is refused if it looks like
    data. `delimiter` and `decimal` are looked for in every text anew, and those of the first table
    are preferred where one leaves it open. `numeric`: columns whose numbers have a unit or divided
    thousands.
    """

    header: bool | None = None
    missing: tuple[str, ...] = ()
    charset: str | None = None
    delimiter: str = ","
    decimal: str = "."
    numeric: Mapping[str, Style] = field(default_factory=dict)

    def told(
        self,
        *,
        header: bool | None = None,
        missing: Iterable[str] = (),
        charset: str | None = None,
    ) -> Self:
        """The same, but for what is said about another table."""
        words = (missing,) if isinstance(missing, str) else tuple(missing)
        return replace(
            self,
            header=self.header if header is None else header,
            missing=tuple(dict.fromkeys((*self.missing, *words))),
            charset=self.charset if charset is None else charset,
        )

    def to_dict(self) -> dict[str, Any]:
        numeric = [
            {"column": name, "unit": style.unit, "decimal": style.mark}
            for name, style in self.numeric.items()
        ]
        return {
            "header": self.header,
            "missing": list(self.missing),
            "charset": self.charset,
            "delimiter": self.delimiter,
            "decimal": self.decimal,
            "numeric": numeric,
        }


def read_reading(given: Part) -> Reading:
    """What `to_dict` gave; nothing is trusted."""
    with given as part:
        numeric: dict[str, Style] = {}
        for column in part.parts("numeric"):
            with column as style:
                name = style.text("column")
                numeric[name] = Style(style.text("unit"), style.one_of("decimal", MARKS))
        delimiter = part.text("delimiter")
        if len(delimiter) != 1:
            raise InvalidDocument(f"{part.name('delimiter')} is not one character")
        return Reading(
            header=part.optional(part.flag, "header"),
            missing=tuple(part.texts("missing")),
            charset=part.optional(part.text, "charset"),
            delimiter=delimiter,
            decimal=part.one_of("decimal", MARKS),
            numeric=numeric,
        )
