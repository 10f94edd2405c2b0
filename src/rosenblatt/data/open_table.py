"""`rosenblatt.data.read`: from what a person names to a table.

Between them is a table whose columns are known, and whose rows are not read yet. Its files are
found, its dialect is looked at once, and the columns that somebody named are there.

Of text nothing heavy is imported: a command says what is wrong here before it has loaded what reads
rows and learns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NoReturn, final

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.data import files
from rosenblatt.data.dialect import Sniffed, sniff
from rosenblatt.data.files import STANDARD_INPUT, File, is_svmlight
from rosenblatt.data.formats import FORMATS, names_of
from rosenblatt.data.json_lines import LINE
from rosenblatt.data.naming import find_columns, numbers_of, prose_columns
from rosenblatt.data.options import Columns, FileOptions, Reading, ReadOptions, options_of
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data.batch import Reader
    from rosenblatt.data.columnar import ColumnFiles
    from rosenblatt.data.table import SparseTable, Table


def read(
    source: Any,
    *,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    impute: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    sep: str | None = None,
    names: str | Iterable[str] | None = None,
    sheet_name: str | None = None,
    na_values: str | Iterable[str] = (),
    decimal: str | None = None,
    skip_rows: int | None = None,
    header_rows: int | None = None,
    skip_footer: int | None = None,
    drop_unlabelled: bool = False,
    drop_label: Any = (),
    min_rows: int | None = None,
    min_count: int | None = None,
    categorical: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    date: Mapping[str, str] | str | Iterable[str] = (),
    text: str | Iterable[str] = (),
) -> Table | SparseTable:
    """Read a table: CSV, TSV, .xlsx, JSON lines, Parquet, Feather, Arrow, Stata, SPSS,
    svmlight, or a data frame.

    Parameters
    ----------
    source : path, pattern, "-", list of these, or data frame
        One file or several with the same columns; text may be compressed by gzip, zstd or bz2, or
        be the one file in a zip archive.
    target : str, optional
        The column of labels.
    ignore : str or list of str
        Columns to leave out: all that have such a name.
    positive : label, list of labels, or condition, optional
        What is to be told from all others, of a target with more than two labels: one, several, or
        a condition on numbers like ">=7". None: all of them are classes.
    impute : "mean" or "median", optional
        What stands for missing numbers; missing text and booleans become a value of their own.
        None: missing values are refused.
    encoding : str, optional
        How the text is written, where that is not UTF-8.
    header : bool, optional
        False: there is no line of names; the columns are x0, x1, and so on. True: the first line
        has the names. By default it has, and is refused if it looks like data.
    sep : str, optional
        The character between the fields of text, or "tab", or "whitespace" for any number of
        blanks. By default it is found out.
    names : list of str, or str, optional
        The names of the columns, in their order, for text that has none; "age,income,label" is the
        same as a list. With header=True they stand for those of the first line.
    sheet_name : str, optional
        The sheet of a workbook that holds the table, where it has several.
    na_values : str or list of str
        Further words that stand for a missing value, like "?".
    decimal : "." or ",", optional
        The decimal mark of text. By default it is found out.
    skip_rows, skip_footer : int, optional
        How many lines to leave out above the header, as titles, and rows at the end, as totals.
    header_rows : int, optional
        How many lines make the names of the columns: they are joined by blanks, and a name of an
        upper line holds for the columns on its right that have none. 1 by default.
    drop_unlabelled : bool
        True: rows whose label is missing are left out. Other rows keep their numbers in messages
        and certificates. By default they are refused.
    drop_label : label or list of labels
        Rows with these labels are left out in the same way.
    min_rows : int, optional
        Labels that fewer rows have are left out.
    min_count : int, optional
        Words of a column that fewer rows have are pooled as one, `(other)`, and so are words that
        did not occur.
    categorical : str or list of str
        Columns whose values are categories, also where they are numbers.
    numeric : str or list of str
        Columns of numbers that are written with a unit or divided thousands: "$1,200", "35 %",
        "12 kg"; or that look like identifiers, which are left out with a warning.
    date : dict of str to str, or "column=format", or a list of these
        How the dates of columns are written, by the letters of strptime: {"signup": "%d/%m/%Y"}. A
        time may follow a day. ISO 8601, years first, names of months, and days beyond 12 need no
        format.
    text : str or list of str
        Columns of prose: each word that stands in two rows or more, and not in all, becomes a
        column of 0 and 1, the 20,000 most frequent at most. "review:hashed" puts all words of the
        column "review" into 262,144 buckets instead, as scikit-learn's HashingVectorizer does: for
        very many different words. X is a CSR matrix then.

    Returns
    -------
    Table
        Its `problems` say what stands against encoding it. A SparseTable for svmlight files: they
        hold numbers and labels already.

    Examples
    --------
    >>> from rosenblatt import data, datasets
    >>> table = data.read(datasets.load_credit().filename, target="card")
    >>> X, y, preprocessing = table.encode()
    >>> X.shape, y[:2].tolist(), preprocessing.feature_names[5:7]
    ((1319, 11), ['yes', 'yes'], ['owner=yes', 'selfemp=yes'])
    """
    options = {name: value for name, value in locals().items() if name != "source"}
    return open_table(source, ReadOptions.of(**options)).read()


_OF_TEXT = ("sep", "names", "skip_rows", "header_rows", "skip_footer")
_SHOWN = 30  # columns, one of which must be chosen
_KINDS = ("categorical", "numeric", "date", "text")  # options that say what a column holds


@final
@dataclass(frozen=True)
class OpenTable:
    layout: Sniffed | ColumnFiles
    options: ReadOptions
    wanted: tuple[str, ...]  # columns that are to be read
    prose: Mapping[str, bool]  # those of text, and whether their words are hashed

    @property
    def names(self) -> list[str]:
        return self.layout.names

    def reader(self) -> Reader:
        """What it finds out about columns does not touch other readers of the same files."""
        return _reader(self.layout)

    def check_column(self, use: str, name: str) -> None:
        header = self.layout.reading.has_names
        find_columns(self.names, self.layout.files[0].name, [(use, name)], header=header)

    def with_options(self, **changes: Any) -> OpenTable:
        return _open(self.layout, replace(self.options, **changes))

    def split_off(self, name: str, use: str) -> tuple[Table, OpenTable]:
        """A column that is no feature, but tells something about the rows, and the table without
        it; `use` is the option that names it."""
        options = self.options
        if self.layout.files[0].name == STANDARD_INPUT:
            raise _no_column(use, name)
        self.check_column(use, name)
        if name == options.target:
            raise InputError(
                f"The column {name!r} is the target and cannot also be the {use}.", column=name
            )
        label = options.target if options.leaves_out else None  # of the same rows
        others = tuple(other for other in self.names if other not in (name, label))
        dates = tuple(pair for pair in options.date if pair[0] == name)
        alone = _open(
            self.layout,
            ReadOptions(target=label, ignore=others, min_rows=options.min_rows, date=dates),
        )
        table = alone.read()
        if table.rounded:
            raise InputError(table.rounded[0], column=name)
        without = tuple(pair for pair in options.date if pair[0] != name)
        return table, self.with_options(ignore=(*options.ignore, name), date=without)

    def read(self) -> Table:
        from rosenblatt.data.table import Table

        return Table(self)


@final
@dataclass(frozen=True)
class OpenSvmlight:
    """A file of labels and numbers, which has no names of columns."""

    files: list[File]
    options: ReadOptions

    def check_column(self, use: str, name: str) -> NoReturn:
        raise _no_column(use, name)

    def split_off(self, name: str, use: str) -> NoReturn:
        raise _no_column(use, name)

    def read(self) -> SparseTable:
        from rosenblatt.data.table import SparseTable

        return SparseTable(self.files, positive=self.options.positive)


def _no_column(use: str, name: str) -> InputError:
    return InputError(
        f"{option(use)} needs a table in a file: it reads the column by itself.",
        option=use,
        value=name,
    )


def open_table(
    source: Any, options: ReadOptions, *, labelled: bool = False
) -> OpenTable | OpenSvmlight:
    """`labelled`: its labels are in a column, which must be named."""
    if is_svmlight(source):
        for name in ("target", "ignore", "drop_label", "min_rows"):
            if value := getattr(options, name):
                raise InputError(
                    "An svmlight file has no names of columns, and its first field is the label: "
                    f"leave out {option(name)}.",
                    option=name,
                    value=value,
                )
        return OpenSvmlight(files.find(source), options)
    layout = _layout(source, Reading(), options)
    if labelled and options.target is None:
        names = listed([repr(name) for name in layout.names], _SHOWN)
        raise InputError(
            f"Which column holds the labels? Add {option('target', ...)}. The columns: {names}.",
            option="target",
        )
    if (by := options.leaves_out) and options.target is None:
        raise InputError(
            f"{option(by, getattr(options, by))} leaves out rows for their label: name the column "
            f"of labels, too: {option('target', ...)}.",
            option=by,
            value=getattr(options, by),
        )
    if options.header is False and options.header_rows is not None:
        raise InputError(
            f"{option('header_rows', options.header_rows)} is about lines of names, and "
            f"{option('header', False)} says that there are none: leave one of them out.",
            option="header_rows",
            value=options.header_rows,
        )
    said = [name for name in _OF_TEXT if getattr(options, name) is not None]
    if said and (not isinstance(layout, Sniffed) or layout.files[0].called == LINE):
        raise InputError(
            f"{option(said[0])} is about text, and {layout.files[0].name} has columns with names "
            "of their own: leave it out.",
            option=said[0],
            value=getattr(options, said[0]),
            file=layout.files[0].name,
        )
    return _open(layout, options)


def reader_of(source: Any, reading: Reading, options: FileOptions) -> Reader:
    """For a table that is read like an earlier one, but for what is said about it."""
    return _reader(_layout(source, reading, options))


def reader_for(
    inputs: list[str], target: str | None, source: Any, reading: Reading, options: FileOptions
) -> Reader:
    """`reader_of` for a table with these columns. Where they had no names, those of a file are
    found by their numbers, unless its first line has what the columns are called."""
    if reading.has_names or hasattr(source, "__arrow_c_stream__"):
        return reader_of(source, reading, options)
    table_files = files.find(source)
    if options.header is None and options.names is None:
        named = replace(options, header=True)
        if set(inputs) <= set(reader_of(table_files[:1], reading, named).names):
            return reader_of(table_files, reading, named)
    reader = reader_of(table_files, reading, options)
    columns = inputs if target is None else [*inputs, target]
    if (numbers := numbers_of(columns)) is None:  # the labels have a name
        columns, numbers = inputs, numbers_of(inputs)
    if reader.reading.has_names or numbers is None:
        return reader
    known = dict(zip(numbers, columns, strict=True))
    if max(numbers[: len(inputs)]) >= len(reader.names):  # the error says which is not there
        return reader
    names = tuple(known.get(j, name) for j, name in enumerate(reader.names))
    return reader_of(table_files, reading, replace(options, names=names))


def _reader(layout: Sniffed | ColumnFiles) -> Reader:
    if not isinstance(layout, Sniffed):
        return layout.copy()
    from rosenblatt.data.text import TextFiles

    return TextFiles(layout)


def _layout(source: Any, reading: Reading, options: FileOptions) -> Sniffed | ColumnFiles:
    reading, sheet = reading.for_another(options), reading.sheet_name
    if hasattr(source, "__arrow_c_stream__"):
        from rosenblatt.data.columnar import ColumnFiles, frame

        return ColumnFiles([frame(source)], reading)
    table_files = files.find(source)
    if len({file.kind for file in table_files}) > 1:
        kinds = ", ".join(f"{file.name} ({file.kind})" for file in table_files[:3])
        raise InputError(f"Files that are read together must be of one kind; these are {kinds}.")
    reader = FORMATS[table_files[0].kind].reader
    if reader == "sheet":
        from rosenblatt.data.workbook import as_text

        earlier = replace(reading, sheet_name=sheet)
        table_files = [as_text(file, earlier, options.sheet_name) for file in table_files]
        return sniff(
            table_files, replace(reading, sheet_name=table_files[0].sheet, encoding=None, sep=None)
        )
    if options.sheet_name is not None:
        raise InputError(
            f"{option('sheet_name')} applies only to {' and '.join(names_of('sheet'))} files, and "
            f"{table_files[0].name} is not one: leave it out.",
            option="sheet_name",
            value=options.sheet_name,
            file=table_files[0].name,
        )
    if reader == "lines":
        from rosenblatt.data import json_lines

        table_files = [json_lines.as_text(file, reading) for file in table_files]
        own: dict[str, Any] = {**dict.fromkeys(_OF_TEXT), "header": True, "encoding": None}
        return sniff(table_files, replace(reading, **own))
    if reader == "text":
        return sniff(table_files, reading)
    from rosenblatt.data.columnar import ColumnFiles, held

    if reader == "held":
        table_files = list(map(held, table_files))
    return ColumnFiles(table_files, reading)


def _open(layout: Sniffed | ColumnFiles, options: ReadOptions) -> OpenTable:
    names, file, target = layout.names, layout.files[0].name, options.target
    hashed = prose_columns(options.text, names)
    columns = {
        n: getattr(options, n) for n, o in options_of(ReadOptions).items() if type(o) is Columns
    }
    columns["text"] = tuple(hashed)
    columns["date"] = tuple(name for name, _ in options.date)
    named = [(use, name) for use, of in columns.items() for name in of]
    find_columns(names, file, [*named, ("target", target)], header=layout.reading.has_names)
    if target in columns["ignore"]:
        raise InputError(
            f"The column {target!r} is both the target and ignored: give one of them.",
            column=target,
        )
    for one, other in combinations(_KINDS, 2):
        if both := set(columns[one]) & set(columns[other]):
            raise InputError(
                f"The column {min(both)!r} is given both as {one} and as {other}: give one of "
                "them.",
                column=min(both),
            )
    if kinds := [kind for kind in _KINDS if target in columns[kind]]:
        raise InputError(
            f"The column {target!r} is the target: its labels are taken as they are. Leave it out "
            f"of {kinds[0]}.",
            column=target,
        )
    wanted = tuple(name for name in names if name not in set(columns["ignore"]))
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        places = [str(j + 1) for j, name in enumerate(names) if name == twice]
        raise InputError(
            f"{file} has several columns named {twice!r}: columns {', '.join(places)}. Give each a "
            f"name of its own; or leave all of them out: {option('ignore', twice)}.",
            file=file,
            column=twice,
        )
    prose = {name: hashed[name] for name in hashed if name in wanted}
    return OpenTable(layout, options, wanted, prose)
