"""How a table was read, kept with its encoding: later tables are read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, final

from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.data.dates import UNITS, Days, moment
from rosenblatt.data.formatted_numbers import MARKS, Style
from rosenblatt.data.text_options import divides, names_of, separator


@final
@dataclass(frozen=True)
class Reading:
    """What was said about a table, and what was found out.

    `header`: False: there is no line of names; None: there is, and it is refused if it looks like
    data. `delimiter` and `decimal` are looked for in every text anew, and those of the first table
    are preferred where one leaves it open, but `sep` holds for all. `names` are those of the
    columns, where the file has none or others. `sheet` is that of a workbook. `drop_unlabelled`:
    rows without a label are left out. `numeric`: columns whose numbers have a unit or divided
    thousands, or are dates.
    """

    header: bool | None = None
    missing: tuple[str, ...] = ()
    charset: str | None = None
    sep: str | None = None
    names: tuple[str, ...] | None = None
    sheet: str | None = None
    drop_unlabelled: bool = False
    delimiter: str = ","
    decimal: str = "."
    numeric: Mapping[str, Style | Days] = field(default_factory=dict)

    def told(
        self,
        *,
        header: bool | None = None,
        missing: Iterable[str] = (),
        charset: str | None = None,
        sep: str | None = None,
        names: str | Iterable[str] | None = None,
        sheet: str | None = None,
        drop_unlabelled: bool = False,
    ) -> Self:
        """The same, but for what is said about another table."""
        words = (missing,) if isinstance(missing, str) else tuple(missing)
        named = names_of(names)
        if named is not None and header is None:
            header = False
        return replace(
            self,
            header=self.header if header is None else header,
            sep=self.sep if sep is None else separator(sep),
            names=self.names if named is None else named,
            sheet=self.sheet if sheet is None else sheet,
            drop_unlabelled=self.drop_unlabelled or drop_unlabelled,
            missing=tuple(dict.fromkeys((*self.missing, *words))),
            charset=self.charset if charset is None else charset,
        )

    @property
    def has_names(self) -> bool:
        """Whether the columns have names of their own, and are not called x0, x1, and so on."""
        return self.header is not False or self.names is not None

    def to_dict(self) -> dict[str, Any]:
        numeric = [
            {"column": name, "unit": style.unit, "decimal": style.mark}
            for name, style in self.numeric.items()
            if isinstance(style, Style)
        ]
        dates = [
            {"column": name, "since": style.since, "unit": style.unit}
            for name, style in self.numeric.items()
            if isinstance(style, Days)
        ]
        return {
            "header": self.header,
            "missing": list(self.missing),
            "charset": self.charset,
            "sep": self.sep,
            "names": None if self.names is None else list(self.names),
            "sheet": self.sheet,
            "drop_unlabelled": self.drop_unlabelled,
            "delimiter": self.delimiter,
            "decimal": self.decimal,
            "numeric": numeric,
            "dates": dates,
        }


def read_reading(given: Part) -> Reading:
    """What `to_dict` gave; nothing is trusted."""
    with given as part:
        numeric: dict[str, Style | Days] = {}
        for column in part.parts("numeric"):
            with column as style:
                name = style.text("column")
                numeric[name] = Style(style.text("unit"), style.one_of("decimal", MARKS))
        delimiter = part.text("delimiter")
        if len(delimiter) != 1:
            raise InvalidDocument(f"{part.name('delimiter')} is not one character")
        numeric |= _dates(part)
        return Reading(
            **_layout(part),
            header=part.optional(part.flag, "header"),
            missing=tuple(part.texts("missing")),
            charset=part.optional(part.text, "charset"),
            delimiter=delimiter,
            decimal=part.one_of("decimal", MARKS),
            numeric=numeric,
        )


def _dates(part: Part) -> dict[str, Days]:
    found: dict[str, Days] = {}
    for column in part.parts("dates"):
        with column as date:
            name, since = date.text("column"), date.text("since")
            if moment(since) is None:
                raise InvalidDocument(f"{date.name('since')} is no date")
            found[name] = Days(since, date.one_of("unit", UNITS))
    return found


def _layout(part: Part) -> dict[str, Any]:
    sep = part.optional(part.text, "sep")
    if sep is not None and not divides(sep):
        raise InvalidDocument(f"{part.name('sep')} cannot divide fields")
    names = part.optional(part.texts, "names")
    if names is not None and (not names or "" in names or len(set(names)) < len(names)):
        raise InvalidDocument(f"{part.name('names')} are none, empty, or one stands twice")
    return {
        "sep": sep,
        "names": None if names is None else tuple(names),
        "sheet": part.optional(part.text, "sheet"),
        "drop_unlabelled": part.flag("drop_unlabelled"),
    }
