"""How a table is read: every option with its help, its checks, and how it is typed and stored.

Keywords of `rosenblatt.data.read` and `rosenblatt.study`, options of the commands, what is kept in
model files, and printed commands are made of the fields below: a new option is one field, and a
keyword of both functions. Nothing heavy is imported: a command says what is wrong here before it
has loaded anything.
"""

from __future__ import annotations

import csv
import io
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Self, final

from rosenblatt._util.spelling import option
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.data.dates import UNITS, Days, moment, pattern
from rosenblatt.data.formats import names_of
from rosenblatt.data.formatted_numbers import MARKS, Style
from rosenblatt.data.naming import name_of
from rosenblatt.errors import InputTypeError

BLANKS = " "  # the delimiter of text whose fields are divided by any number of blanks and tabs
IMPUTE = ("mean", "median")
_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": BLANKS, "whitespace": BLANKS}


# --- Kinds of options -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """Text, or None."""

    help: str
    metavar: str | None = None
    short: str | None = None
    of_labels: bool = False  # means nothing where rows have no labels

    default: ClassVar[Any] = None
    multiple: ClassVar[bool] = False

    def check(self, name: str, value: Any) -> Any:
        """The value as it is kept; InputError where it is not allowed."""
        if value is not None and not isinstance(value, str):
            raise InputTypeError(
                f"{option(name, value)} is not text: give text.", option=name, value=value
            )
        return value

    def for_another(self, first: Any, value: Any) -> Any:
        """What holds for another table, if `first` held for the first one."""
        return first if value is None else value

    def typed(self, flag: str, value: Any) -> list[str]:
        """As words of a command."""
        return [] if value is None else [f"{flag}={value}"]

    def restored(self, document: Part, name: str) -> Any:
        """From what preprocessing stores."""
        return document.optional(document.text, name)


@final
@dataclass(frozen=True)
class Column(Option):
    def check(self, name: str, value: Any) -> Any:
        return name_of(name, value)


@dataclass(frozen=True)
class Texts(Option):
    default: ClassVar[Any] = ()
    multiple: ClassVar[bool] = True

    def check(self, name: str, value: Any) -> Any:
        one = isinstance(value, str) or not isinstance(value, Iterable)
        texts = (value,) if one else tuple(value)
        return tuple(self.check_text(name, value, text) for text in texts)

    def check_text(self, name: str, value: Any, text: Any) -> Any:
        if not isinstance(text, str):
            raise InputTypeError(
                f"{option(name, value)} is not allowed: give text, or a list of texts.",
                option=name,
                value=value,
            )
        return text

    def for_another(self, first: Any, value: Any) -> Any:
        return tuple(dict.fromkeys((*first, *value)))

    def typed(self, flag: str, value: Any) -> list[str]:
        return [f"{flag}={text}" for text in value]

    def restored(self, document: Part, name: str) -> Any:
        return tuple(document.texts(name))


@final
@dataclass(frozen=True)
class LabelTexts(Texts):
    def check(self, name: str, value: Any) -> Any:
        return super().check(name, tuple(map(str, given_labels(value))))


@final
@dataclass(frozen=True)
class Columns(Texts):
    def check_text(self, name: str, value: Any, text: Any) -> Any:
        return name_of(name, text)


@final
@dataclass(frozen=True)
class Dates(Option):
    """How dates are written, by column: pairs, from a mapping or from texts COLUMN=FORMAT."""

    default: ClassVar[Any] = ()
    multiple: ClassVar[bool] = True

    def check(self, name: str, value: Any) -> Any:
        from rosenblatt._validation.parameters import not_allowed

        if isinstance(value, Mapping):
            pairs = tuple(value.items())
        else:
            one = isinstance(value, str) or not isinstance(value, Iterable)
            pairs = tuple(map(_column_and_format, (value,) if one else value))
        pairs = tuple((name_of(name, column), form) for column, form in pairs)
        for _, form in pairs:
            if not isinstance(form, str) or pattern(form) is None:
                instead = (
                    "give a column and how its dates are written, as 'signup=%d/%m/%Y', with the "
                    "letters Y, y, m, b, d, H, I, M, S, f, p and z of strptime"
                )
                raise not_allowed(name, value, instead)
        return pairs

    def typed(self, flag: str, value: Any) -> list[str]:
        return [f"{flag}={column}={form}" for column, form in value]


def _column_and_format(text: Any) -> tuple[Any, Any]:
    if not isinstance(text, str):
        return text if isinstance(text, tuple) and len(text) == 2 else ("", None)
    column, _, form = text.partition("=")
    return column, form


@final
@dataclass(frozen=True)
class Labels(Option):
    """One label by itself, several as a tuple."""

    multiple: ClassVar[bool] = True

    def check(self, name: str, value: Any) -> Any:
        labels = given_labels(value)
        return labels if len(labels) > 1 else next(iter(labels), None)

    def typed(self, flag: str, value: Any) -> list[str]:
        labels = value if isinstance(value, tuple) else () if value is None else (value,)
        return [f"{flag}={label}" for label in labels]


def given_labels(value: Any) -> tuple[Any, ...]:
    """One label or several, as they were given."""
    import numpy as np

    if value is None:
        return ()
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return tuple(value)
    return (value,)


@final
@dataclass(frozen=True)
class Choice(Option):
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        from rosenblatt._validation import parameters

        if value is not None:
            parameters.one_of(name, value, self.choices)
        return value

    def restored(self, document: Part, name: str) -> Any:
        return document.optional(document.one_of, name, self.choices)


@final
@dataclass(frozen=True)
class Flag(Option):
    default: ClassVar[Any] = False

    def check(self, name: str, value: Any) -> Any:
        from rosenblatt._validation import parameters

        return parameters.flag(name, value)

    def for_another(self, first: Any, value: Any) -> Any:
        return first or value

    def typed(self, flag: str, value: Any) -> list[str]:
        return [flag] if value else []

    def restored(self, document: Part, name: str) -> Any:
        return document.flag(name)


@final
@dataclass(frozen=True)
class Count(Option):
    """A whole number, or None."""

    least: int = 1

    def check(self, name: str, value: Any) -> Any:
        from rosenblatt._validation.parameters import not_allowed

        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if value is not None and not (whole and value >= self.least):
            raise not_allowed(name, value, f"give a whole number, {self.least} or greater")
        return None if value is None else int(value)

    def restored(self, document: Part, name: str) -> Any:
        number = document.optional(document.whole, name)
        if number is not None and number < self.least:
            raise InvalidDocument(f"{document.name(name)} is less than {self.least}")
        return number


@final
@dataclass(frozen=True)
class YesOrNo(Option):
    """True, False, or None, which leaves it open."""

    def check(self, name: str, value: Any) -> Any:
        from rosenblatt._validation import parameters

        return None if value is None else parameters.flag(name, value)

    def typed(self, flag: str, value: Any) -> list[str]:
        return [] if value is None else [flag if value else f"--no-{flag.removeprefix('--')}"]

    def restored(self, document: Part, name: str) -> Any:
        return document.optional(document.flag, name)


@final
@dataclass(frozen=True)
class Separator(Option):
    """The character between fields; a blank stands for any number of blanks and tabs."""

    def check(self, name: str, value: Any) -> Any:
        if value is None:
            return None
        from rosenblatt._validation.parameters import not_allowed

        character = _SEPARATORS.get(value, value) if isinstance(value, str) else ""
        if not _separates(character):
            instead = "give the one character between the fields, like ';', or 'tab', or "
            raise not_allowed(name, value, f"{instead}'whitespace' for any number of blanks")
        return character

    def restored(self, document: Part, name: str) -> Any:
        character = super().restored(document, name)
        if character is not None and not _separates(character):
            raise InvalidDocument(f"{document.name(name)} cannot divide fields")
        return character


def _separates(text: str) -> bool:
    return len(text) == 1 and text.isascii() and not text.isalnum() and text not in '".\r\n+-\0'


@final
@dataclass(frozen=True)
class Names(Option):
    """The names of all columns, one by one or as a line of them with commas."""

    def check(self, name: str, value: Any) -> Any:
        if value is None:
            return None
        from rosenblatt._validation.parameters import not_allowed

        texts = next(csv.reader([value]), []) if isinstance(value, str) else list(value)
        names = tuple(str(text).strip() for text in texts)
        if not names or not all(names) or len(set(names)) < len(names):
            instead = "give a different name for each column, in their order, as 'age,income,label'"
            raise not_allowed(name, value, instead)
        return names

    def typed(self, flag: str, value: Any) -> list[str]:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(value or ())
        return [] if value is None else [f"{flag}={line.getvalue()}"]

    def restored(self, document: Part, name: str) -> Any:
        names = document.optional(document.texts, name)
        if names is not None and (not names or "" in names or len(set(names)) < len(names)):
            raise InvalidDocument(f"{document.name(name)} are none, empty, or one stands twice")
        return None if names is None else tuple(names)


# --- The options ----------------------------------------------------------------------------------


def _field(option: Option) -> Any:
    return field(default=option.default, metadata={"option": option})


def options_of(kind: type[FileOptions]) -> dict[str, Option]:
    """The options that a class has as fields, by name: columns first, then files."""
    declared = {f.name: f.metadata["option"] for f in fields(kind) if "option" in f.metadata}
    of_files = FileOptions.__dataclass_fields__
    return dict(sorted(declared.items(), key=lambda item: item[0] in of_files))


@dataclass(frozen=True)
class FileOptions:
    """How files are read: what holds for later tables, too, and is stored with a preprocessing."""

    header: bool | None = _field(
        YesOrNo(
            "Whether the first line holds the column names; without it they are x0, x1, ...  "
            "[default: it does, unless --names is given]"
        )
    )
    na_values: tuple[str, ...] = _field(
        Texts(
            "Treat TEXT as a missing value, as empty fields, NA, NaN and NULL are (repeatable).",
            "TEXT",
        )
    )
    encoding: str | None = _field(
        Option("Character encoding of a text file, such as cp1252.  [default: UTF-8]", "NAME")
    )
    sep: str | None = _field(
        Separator(
            "Field separator of a text file: one character, or the word tab or whitespace.  "
            "[default: detected]",
            "CHARACTER",
        )
    )
    names: tuple[str, ...] | None = _field(
        Names(
            "Column names for a file that has no header line.  [default: the header line]",
            "A,B,...",
        )
    )
    sheet_name: str | None = _field(
        Option(
            f"Sheet of a workbook ({', '.join(names_of('sheet'))}) to read.  "
            "[default: the only one with a table]",
            "NAME",
        )
    )
    decimal: str | None = _field(
        Choice(
            "Decimal mark of the numbers in a text file.  [default: detected]",
            "MARK",
            choices=MARKS,
        )
    )
    skip_rows: int | None = _field(
        Count("Leave out the first N lines, above the header.  [default: 0]", "N", least=0)
    )
    header_rows: int | None = _field(
        Count(
            "Number of lines that together make the column names, joined by blanks.  [default: 1]",
            "N",
        )
    )
    skip_footer: int | None = _field(
        Count("Leave out the last N rows, such as a row of totals.  [default: 0]", "N", least=0)
    )
    drop_unlabelled: bool = _field(
        Flag(
            "Leave out rows without a label.  [default: such a row is an error]",
            of_labels=True,
        )
    )
    drop_label: tuple[str, ...] = _field(
        LabelTexts("Leave out rows with this label (repeatable).", "LABEL", of_labels=True)
    )

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Checked values; TypeError for what is no option."""
        options = options_of(cls)
        checked = {n: o.check(n, values[n]) for n, o in options.items() if n in values}
        return cls(**(values | checked))

    @property
    def has_names(self) -> bool:
        """Whether columns have names of their own, and are not called x0, x1, and so on."""
        return self.header is not False or self.names is not None

    @property
    def leaves_out(self) -> str | None:
        """The option that leaves out rows for their label."""
        names = ("drop_unlabelled", "drop_label", "min_rows")
        return next((name for name in names if getattr(self, name, None)), None)

    def typed(self) -> list[str]:
        """As words of a command."""
        options = options_of(type(self)).items()
        return [word for n, o in options for word in o.typed(flag_of(n), getattr(self, n))]


def flag_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class ReadOptions(FileOptions):
    """How a table is read: its files, and what is meant by its columns."""

    target: str | None = _field(
        Column(
            "Column with the labels to be predicted. svmlight files need none.",
            "COLUMN",
            short="-y",
        )
    )
    min_rows: int | None = _field(
        Count("Leave out labels that fewer than N rows have.  [default: none]", "N")
    )
    min_count: int | None = _field(
        Count(
            "Pool the values of a category that fewer than N rows have as one, '(other)'.  "
            "[default: they are not pooled]",
            "N",
        )
    )
    ignore: tuple[str, ...] = _field(Columns("Leave this column out (repeatable).", "COLUMN"))
    positive: Any = _field(  # noqa: RUF009 - a field
        Labels(
            "Predict this label against all others (repeatable); for numbers a condition such as "
            "'>=7'.  "
            "[default: every label is a class of its own]",
            "LABEL",
        )
    )
    categorical: tuple[str, ...] = _field(
        Columns(
            "Treat the values of this column as categories (one-hot encoding), even where they are "
            "numbers (repeatable).",
            "COLUMN",
        )
    )
    numeric: tuple[str, ...] = _field(
        Columns(
            "Read this column as numbers although they are written with a currency or a unit, as "
            "$1,200 or 12 kg, or look like identifiers (repeatable).",
            "COLUMN",
        )
    )
    date: tuple[tuple[str, str], ...] = _field(
        Dates(
            "Read this column as dates written so, as in signup=%d/%m/%Y (repeatable).  [default: "
            "formats that leave no doubt are detected]",
            "COLUMN=FORMAT",
        )
    )
    text: tuple[str, ...] = _field(
        Columns(
            "Treat this column as free text and use its words as features (repeatable). "
            "COLUMN:hashed takes less memory when there are very many different words.",
            "COLUMN",
        )
    )
    impute: str | None = _field(
        Choice(
            "Fill missing numbers with the mean or median of their column, and missing text with "
            "the category '(missing)'.  [default: a missing value is an error]",
            choices=IMPUTE,
        )
    )


@final
@dataclass(frozen=True)
class Reading(FileOptions):
    """How a table was read, kept with its preprocessing: what was said, and what was found out.

    `delimiter` and `mark` are looked for in every text anew, and those of the first table are
    preferred where one leaves it open, but `sep` and `decimal` hold for all. `styles`: columns
    whose numbers have a unit or divided thousands, or are dates. `needed` and `target`, which are
    not stored: the columns of new rows that must be there, where `names` are those of the training
    table; none where the names were given for the file itself.
    """

    delimiter: str = ","
    mark: str = "."  # decimal
    styles: Mapping[str, Style | Days] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    target: str | None = None

    def for_another(self, other: FileOptions) -> Reading:
        """How a later table is read, with options of its own."""
        options = options_of(FileOptions).items()
        values = {n: o.for_another(getattr(self, n), getattr(other, n)) for n, o in options}
        if other.names is not None and other.header is None:
            values["header"] = False
        needed = self.needed if other.names is None else frozenset[str]()
        return replace(self, **values, needed=needed)

    def to_dict(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in FileOptions.__dataclass_fields__}
        return {
            **{name: list(v) if isinstance(v, tuple) else v for name, v in values.items()},
            "delimiter": self.delimiter,
            "mark": self.mark,
            **self.styles_to_dict(),
        }

    def styles_to_dict(self) -> dict[str, list[dict[str, str]]]:
        stored: dict[type, list[dict[str, str]]] = {Style: [], Days: []}
        for column, style in self.styles.items():
            stored[type(style)].append({"column": column} | asdict(style))
        return {"numeric": stored[Style], "dates": stored[Days]}


def read_reading(document: Part) -> Reading:
    """What `to_dict` gave; nothing is trusted."""
    with document as part:
        delimiter = part.text("delimiter")
        if len(delimiter) != 1:
            raise InvalidDocument(f"{part.name('delimiter')} is not one character")
        options = options_of(FileOptions).items()
        return Reading(
            **{name: option.restored(part, name) for name, option in options},
            delimiter=delimiter,
            mark=part.one_of("mark", MARKS),
            styles=_styles(part) | _dates(part),
        )


def _styles(part: Part) -> dict[str, Style | Days]:
    styles: dict[str, Style | Days] = {}
    for column in part.parts("numeric"):
        with column as style:
            name = style.text("column")
            styles[name] = Style(style.text("unit"), style.one_of("decimal", MARKS))
    return styles


def _dates(part: Part) -> dict[str, Days]:
    dates: dict[str, Days] = {}
    for column in part.parts("dates"):
        with column as date:
            name, since = date.text("column"), date.text("since")
            if moment(since) is None:
                raise InvalidDocument(f"{date.name('since')} is no date")
            form = date.text("format")
            if form and pattern(form) is None:
                raise InvalidDocument(f"{date.name('format')} is no format of dates")
            dates[name] = Days(since, date.one_of("unit", UNITS), form)
    return dates
