"""A table that was read: what its columns hold, and its rows as numbers."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many
from rosenblatt._validation import parameters
from rosenblatt.data import transformation
from rosenblatt.data.bag_of_words import INTO, Prose, prose_of
from rosenblatt.data.batch import (
    Batch,
    Kind,
    Place,
    Recode,
    RowsFrom,
    Unwanted,
    first_of,
    left_out_of,
    same_label,
    some_of,
)
from rosenblatt.data.column import (
    Column,
    dates,
    encoded,
    how_to_fill,
    is_like_an_id,
    leave_out,
    problems_of_column,
    see,
    too_many_words,
)
from rosenblatt.data.dates import Days, days_of, format_of, moment
from rosenblatt.data.dialect import Dialect
from rosenblatt.data.features import measured
from rosenblatt.data.files import File
from rosenblatt.data.formatted_numbers import (
    MISSING_LIKE,
    FormattedNumbers,
    Style,
    detect_numbers,
    problems_of_numbers,
    styles_of,
)
from rosenblatt.data.identifiers import is_rounded, is_whole, left_out, rounded
from rosenblatt.data.open_table import OpenTable
from rosenblatt.data.options import Reading
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.stack import below
from rosenblatt.data.svmlight import MOST_HELD, read_up_to
from rosenblatt.data.target import Target, problems_of_target
from rosenblatt.errors import InputError

_KEPT = 256 << 20  # bytes of batches that are kept; a larger table is read again when encoded


@final
class Table:
    """A table, looked through once.

    Attributes
    ----------
    n_rows, rows_by_file : int, list of int
    columns : list of Column
        What was seen in each column but the target.
    target : Column or None
    left_out : array of int
        The numbers of rows without a label, where these are left out; they are not in n_rows.
    problems : list of str
        What stands against encoding it, a sentence each.
    """

    def __init__(self, opened: OpenTable):
        options, wanted, target = opened.options, list(opened.wanted), opened.options.target
        self.reader = reader = opened.reader()
        self.positive, self.impute = options.positive, options.impute
        self._target, self._least = target, options.min_count or 1
        self._kept: list[Batch] | None = []
        self._prose, self._words = opened.prose, dict[str, Prose]()
        categorical, numeric = (
            {*names} & {*wanted} for names in (options.categorical, options.numeric)
        )
        self._formats = {name: form for name, form in options.date if name in wanted}
        as_text = dict.fromkeys(categorical | numeric | {*self._prose, *self._formats}, Kind.TEXT)
        self._kinds = reader.kinds(wanted) | as_text
        self._categorical = categorical | set(filter(reader.is_category, wanted))
        self._all_labels = True  # are counted before some are left out
        columns = self._seen()
        self._all_labels = False
        if target is not None and self._drops_labels(columns[target], options.min_rows or 1):
            columns = self._seen()
        features = [column for name, column in columns.items() if name != target]
        styles: dict[str, Style | Days] = dict(self._dates(features))
        numeric = (numeric | self._meant_as_numbers(features)) - styles.keys()
        styles |= styles_of({name: columns[name].words for name in numeric}, self.reader.decimal)
        if styles:
            reader.styles |= styles
            self._kinds |= dict.fromkeys(styles, Kind.NUMBER)
            columns = self._seen()
        self.target = columns.pop(target) if target is not None else None
        self.columns = list(columns.values())

    def _drops_labels(self, target: Column, least: int) -> bool:
        """Those of few rows, beside those that were said."""
        said = self.reading.drop_label
        for label in said if not target.too_many else ():
            if not any(same_label(label, word) for word in target.words):
                raise InputError(
                    f"{option('drop_label', label)} is not a label of {target.name!r}: it has "
                    f"{target.some_words()}.",
                    option="drop_label",
                    value=label,
                )
        rare = [_spelled(label) for label, count in target.words.items() if count < least]
        self.reader.drop_labels(label for label in rare if label not in said)
        return bool(said or rare)

    def _seen(self) -> dict[str, Column]:
        try:
            return self._look()
        except Recode as recode:
            self._kinds = recode.kinds
            return self._look()

    def _meant_as_numbers(self, columns: list[Column]) -> set[str]:
        """Text of typed columns that is numbers, and words that were said to be missing ones."""
        if self.dialect is not None or not self.reading.na_values:
            return set()
        text = [c for c in columns if c.kind is Kind.TEXT and c.missing and not c.categorical]
        looks = {column.name: detect_numbers(column.words, ".") for column in text}
        return {n for n, d in looks.items() if d and d.plain and not (d.others or d.missing)}

    def _dates(self, columns: list[Column]) -> dict[str, Days]:
        """Columns of dates whose format is known or leaves no doubt, but those that were said to be
        categories."""
        dates: dict[str, Days] = {}
        for column in columns:
            said = self._formats.get(column.name)
            text = column.kind is Kind.TEXT and not column.categorical
            if said is None and (not text or self._is_constant(column)):
                continue
            form = format_of(column.words) if said is None else said
            if form is None:
                continue
            words: Iterable[str] = column.words
            if column.too_many:  # not all of them were counted
                words = (w for batch in self.batches() for w in batch.words(column.name)[1] if w)
            if days := days_of(words, form):
                dates[column.name] = days
            elif said is not None:
                raise self._no_date(column, said)
        return dates

    def _no_date(self, column: Column, form: str) -> InputError:
        if wrong := first_of(self.batches(), column.name, lambda word: moment(word, form) is None):
            place, word = wrong
            return place.error(
                f"column {column.name!r} holds {word!r}, which is no date written as {form}. "
                f"Correct it or the format; if it stands for a missing value, use "
                f"{option('na_values', word)}.",
                option="date",
                column=column.name,
                value=word,
            )
        return InputError(
            f"{option('date', f'{column.name}={form}')}: the column has no dates, or some have a "
            "time zone and others none. Write all of them alike.",
            option="date",
            column=column.name,
        )

    @property
    def files(self) -> list[File]:
        return self.reader.files

    @property
    def source(self) -> list[str]:
        return [file.name for file in self.files]

    @property
    def reading(self) -> Reading:
        """How other tables like this one are read."""
        return self.reader.reading

    @property
    def dialect(self) -> Dialect | None:
        return self.reader.dialect

    def _look(self) -> dict[str, Column]:
        columns = {
            name: Column(
                name,
                kind,
                categorical=name in self._categorical,
                prose=name in self._prose,
                least=1 if name == self._target else self._least,
            )
            for name, kind in self._kinds.items()
        }
        self.n_rows, size, self._kept = 0, 0, []
        by_file = dict.fromkeys(map(id, self.files), 0)
        rows = self._rows().all()
        for batch in rows:
            see(columns, batch, self._target)
            self.n_rows += batch.rows
            by_file[id(batch.file)] += batch.rows
            size += batch.columns.nbytes
            if size > _KEPT:
                self._kept = None
            if self._kept is not None:
                self._kept.append(batch)
        self.rows_by_file = list(by_file.values())
        self.left_out = left_out_of(rows)
        return columns

    def batches(self, begin: int = 0, end: int | None = None) -> Iterator[Batch]:
        """The rows, or some, batch by batch: from memory, or from their files if they are large."""
        end = self.n_rows if end is None else end
        if self._kept is not None:
            return some_of(self._kept, begin, end)
        return self.rows_from(begin, end).batches()

    def rows_from(self, begin: int, end: int) -> RowsFrom:
        """How some of the rows are read, here or on another machine."""
        return self._rows().between(begin, end, self.rows_by_file)

    def _rows(self) -> RowsFrom:
        reading = replace(self.reading, drop_label=()) if self._all_labels else self.reading
        unwanted = Unwanted.of(reading, self._target, self._kinds.get(self._target or ""))
        return RowsFrom(self.reader, self._kinds, unwanted)

    def refuse_rounded(self, preprocessing: Preprocessing, *, decimal: bool) -> None:
        transformation.refuse_rounded(self.reader, preprocessing, decimal=decimal)

    @property
    def problems(self) -> list[str]:
        return problems_of(self)

    @cached_property
    def formatted_numbers(self) -> dict[str, FormattedNumbers]:
        """Columns of text that hold numbers in most rows, by name."""
        formatted = {}
        for column in self.columns:
            text = column.kind is Kind.TEXT and not column.categorical
            if text and not self._is_constant(column):
                rows = None if column.too_many else self.n_rows
                numbers = detect_numbers(column.words, self.reader.decimal, rows)
                if numbers is not None:
                    formatted[column.name] = numbers
        return formatted

    @property
    def constant(self) -> list[str]:
        """Columns of text that are the same in every row: they tell nothing, and are left out."""
        return [column.name for column in self.columns if self._is_constant(column)]

    @cached_property
    def identifiers(self) -> list[str]:
        """Columns of numbers that name the rows, and are left out."""
        columns = [c for c in self.columns if c.name not in self.reader.styles]
        return [column.name for column in columns if column.candidate.is_identifier]

    @cached_property
    def rounded(self) -> list[str]:
        """About columns of whole numbers that are no floats, but those that are left out."""
        sentences = []
        for column in [*([self.target] if self.target else []), *self.columns]:
            exempt = column.name in self.reader.styles or column.name in self.identifiers
            if column.beyond and not exempt and (problem := self._first_rounded(column.name)):
                sentences.append(problem)
        return sentences

    def _first_rounded(self, name: str) -> str | None:
        def first(holds: Callable[[str], bool]) -> tuple[Place, str] | None:
            batches = self.reader.batches({name: Kind.TEXT}, declared=True)
            return first_of(batches, name, holds)

        if first(lambda word: not is_whole(word)):
            return None  # measured numbers, some of them large
        wrong = first(is_rounded)
        return wrong and f"{wrong[0]}, {rounded(name, wrong[1])}"

    def _is_constant(self, column: Column) -> bool:
        text = column.read_as is Kind.TEXT and self.n_rows > 1
        return text and len(column.values) == 1 and not column.missing

    def first_place(self, name: str, wanted: set[str]) -> Place | None:
        """The first row of a column that holds one of these words."""
        first = first_of(self.batches(), name, wanted.__contains__)
        return first and first[0]

    def weigh(self, weights: NDArray[np.float64]) -> None:
        """Words count what their rows weigh: that decides about reference levels."""
        row = 0
        counts: dict[str, Counter[Any]] = {c.name: Counter() for c in self.columns if c.words}
        for batch in self.batches():
            some = weights[row : row + batch.rows]
            row += batch.rows
            for name, count in counts.items():
                codes, words = batch.words(name)
                total = np.bincount(codes[codes >= 0], some[codes >= 0], len(words))
                count.update(dict(zip(words, total.tolist(), strict=True)))
        for column in self.columns:
            column.words = {word: counts[column.name][word] for word in column.words}

    def preprocessing(self, *, identifiers: bool = False) -> Preprocessing:
        """Before fills and scales. `identifiers`: they are features, too."""
        if problems := self.problems:
            more = f" ({len(problems)} problems in all: rosenblatt inspect shows them.)"
            raise InputError(problems[0] + (more if len(problems) > 1 else ""))
        others = self.constant + ([] if identifiers else self.identifiers)
        columns = [c for c in self.columns if c.name not in others]
        preprocessing = Preprocessing(
            (
                *(measured(encoded(c), self.reading) for c in columns if not c.prose),
                *(self.prose(c.name) for c in columns if c.prose),
            ),
            None if self.target is None else Target.of(self.target, self.positive),
            self.reading,
        )
        names = preprocessing.feature_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(
                f"Two columns of numbers would be named {twice!r}. Rename the column of that name."
            )
        return preprocessing

    def prose(self, name: str) -> Prose:
        if name not in self._words:
            buckets = INTO if self._prose[name] else None
            self._words[name] = prose_of(self.batches(), name, self.n_rows, buckets)
        return self._words[name]

    def encode(self, *, scale: bool = True) -> tuple[Any, Any, Preprocessing]:
        """Rows as numbers, labels, and what was done.

        Parameters
        ----------
        scale : bool
            True: numbers are shifted and scaled to mean 0 and standard deviation 1; 0/1 columns
            stay. False: numbers stay as they are. Whether rows are separable does not depend on
            it; margins and bounds do.

        Returns
        -------
        X : array of shape (n_rows, number of features); a CSR matrix where columns are prose
        y : array of shape (n_rows,), or None without a target
        preprocessing : Preprocessing
        """
        from rosenblatt.data.scaling import finished, learned

        parameters.flag("scale", scale)
        X, y, preprocessing = self.encode_with_missing()
        if self.identifiers:
            warnings.warn(f"{left_out(self.identifiers)}.", UserWarning, stacklevel=2)
        preprocessing = learned(preprocessing, X, scale=scale, impute=self.impute)
        return finished(preprocessing, X, copy=False), y, preprocessing

    def stream(self, *, scale: bool = True) -> TableStream:
        """For `rosenblatt.train`, which encodes rows a batch at a time into files: for tables that
        memory cannot hold. `scale` is that of `encode`."""
        parameters.flag("scale", scale)
        return TableStream(self, scale)

    def encode_with_missing(self) -> tuple[Any, Any, Preprocessing]:
        """As `encode`, before anything is filled or scaled: NaN where a number is missing."""
        preprocessing, row = self.preprocessing(), 0
        X = np.empty((0 if preprocessing.prose else self.n_rows, preprocessing.n_dense))
        sparse, labels = [], []
        for batch in self.batches():
            if preprocessing.prose:
                sparse.append(preprocessing.rows(batch, seen=True))
            else:
                preprocessing.rows(batch, out=X[row : row + batch.rows], seen=True)
                row += batch.rows
            if self.target is not None:
                labels.append(preprocessing.labels(batch))
        X = below(sparse, len(preprocessing.feature_names)) if preprocessing.prose else X
        return X, np.concatenate(labels) if labels else None, preprocessing


@final
@dataclass(frozen=True)
class TableStream:
    """A table that is not to be encoded in memory, and whether its numbers are scaled."""

    table: Table
    scale: bool


def _spelled(label: Any) -> str:
    """As a person would name it: 3, not 3.0."""
    return label if isinstance(label, str) else repr(label).removesuffix(".0")


def weights_of(column: Table) -> NDArray[np.float64]:
    """Of a column by itself: how often a row was seen, or how much it matters."""
    (weight,) = column.columns
    if weight.read_as is not Kind.NUMBER:
        raise InputError(
            f"The column {weight.name!r} holds {weight.some_words()}: weights are numbers, 0 or "
            "greater.",
            column=weight.name,
        )
    weights = []
    for batch in column.batches():
        numbers = batch.numbers(weight.name)
        wrong = ~(np.isfinite(numbers) & (numbers >= 0))
        if wrong.any():
            row = int(wrong.argmax())
            held = "is missing" if np.isnan(numbers[row]) else f"is {numbers[row]:g}"
            raise batch.place(row).error(
                f"weight {weight.name!r} {held}: give a finite number, 0 or greater; a row of "
                "weight 0 is left out."
            )
        weights.append(numbers)
    return np.concatenate(weights) if weights else np.empty(0)


# --- What stands against encoding a table: a sentence each, with what to do -----------------------

_NAMED = 8  # columns with missing values
_NAMED_WITH = 5  # columns with a word that may stand for one


def problems_of(table: Table) -> list[str]:
    problems = [*_of_nothing(table), *_totals(table)]
    if table.n_rows and table.target:
        problems += problems_of_target(table.target, table.n_rows, table.positive)
    impute, formatted = table.impute is not None, table.formatted_numbers
    problems += table.rounded
    problems += problems_of_numbers(
        formatted,
        impute=impute,
        mark=None if table.dialect is None else table.reader.decimal,
        first=table.first_place,
    )
    features = [c for c in table.columns if c.name not in table.identifiers]
    lacking = [c for c in features if 0 < c.missing < table.n_rows]
    lacking_and_not_filled = [c for c in lacking if c.kind is not Kind.PROSE and not impute]
    if lacking_and_not_filled:
        problems.append(_missing_values(lacking_and_not_filled, table.n_rows))
    for column in features:
        problems += problems_of_column(column, table.n_rows)
        if column.prose and not (prose := table.prose(column.name)).words:
            which = "" if prose.hashed else " that occurs in two or more rows but not in all"
            problems.append(
                f"The column {column.name!r} has no word{which}: there is nothing to learn from "
                f"its text. So {leave_out(column.name)}."
            )
        if column.name in formatted:
            continue
        if dated := dates(column):
            problems.append(dated)
        elif is_like_an_id(column, table.n_rows):
            problems.append(too_many_words(column, table.n_rows))
    return problems


def _of_nothing(table: Table) -> list[str]:
    problems, name = [], table.source[0]
    if table.n_rows == 0 and len(table.left_out):
        problems.append(f"{name} has no rows with a label.")
    elif table.n_rows == 0:
        problems.append(f"{name} has no rows, only the names of its columns.")
    if not table.columns:
        problems.append(f"{name} has no column to learn from.")
    elif len(table.constant) + len(table.identifiers) == len(table.columns):
        reasons = [left_out(table.identifiers)] if table.identifiers else []
        if names := ", ".join(map(repr, table.constant)):
            verb = "is" if len(table.constant) == 1 else "are"
            reasons.insert(0, f"{names} {verb} the same in every row")
        problems.append(f"{name} has no column to learn from: {'; '.join(reasons)}.")
    return problems


_TOTALS = {"total", "totals", "grand total", "sum", "summe", "gesamt", "insgesamt", "total général"}
_TOTALS |= {"somme", "totale", "suma", "subtotal", "totaal", "mean", "average"}


def _totals(table: Table) -> Iterator[str]:
    if (last := totals(table)) is not None:
        place, column, word = last
        yield (
            f"{place}, the last, holds {word!r} in the column {column!r}: is it a row of totals? "
            f"Leave it out: {option('skip_footer', 1)}. If it is a row like the others, use "
            f"{option('categorical', column)}."
        )


def totals(table: Table) -> tuple[Place, str, str] | None:
    """The last row, a column, and a word there, and there alone, that says what the row is."""
    for column in table.columns if table.n_rows > 2 and table.dialect is not None else ():
        text = column.kind is Kind.TEXT and not (column.categorical or column.too_many)
        for word in column.words if text else ():
            if column.words[word] > 1 or word.casefold().strip(" :") not in _TOTALS:
                continue
            place = table.first_place(column.name, {word})
            if place is not None and place.row == table.rows_by_file[-1] - 1:
                return place, column.name, word
    return None


def _missing_values(columns: list[Column], rows: int) -> str:
    first = columns[0]
    place = f"{first.first_missing}, column {first.name!r}: the value is missing"
    if len(columns) == 1:
        return (
            f"{place}, as in {many(first.missing, 'row')} of {rows:,}. {how_to_fill(first)}; or "
            f"{leave_out(first.name)}."
        )
    named = [f"{c.name!r} ({many(c.missing, 'row')})" for c in columns[:_NAMED]]
    more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
    text = any(c.kind is not Kind.NUMBER for c in columns)
    category = ", and makes '(missing)' a category of text" if text else ""
    ignored = option("ignore", *(c.name for c in columns[:_NAMED]))
    return (
        f"{len(columns)} columns lack values: {', '.join(named)}{more}, of {rows:,} rows. The "
        f"first: {place}. Fill them in, or use {option('impute', 'median')}, which fills in "
        f"numbers{category}; or leave columns out ({ignored}{' …' * bool(more)})."
    )


# --- svmlight files: rows that are numbers already ------------------------------------------------


@final
class SparseTable:
    """Rows and labels of an svmlight file; features are counted, and have no names."""

    def __init__(self, files: list[File], *, positive: Any = None, n_features: int | None = None):
        if len(files) > 1:
            raise InputError("svmlight files are read one at a time: put them into one file.")
        self.files, self.positive, self.n_features = files, positive, n_features
        self.source = [files[0].name]
        self.X, self._y, self.info = read_up_to(MOST_HELD, str(files[0].path), n_features)
        labels, counts = np.unique(self._y, return_counts=True)
        words = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        self.target = Column("y", Kind.NUMBER, words)

    @property
    def n_rows(self) -> int:
        return len(self._y)

    @property
    def problems(self) -> list[str]:
        if self.n_rows == 0:
            return [f"{self.source[0]} has no rows."]
        return list(problems_of_target(self.target, self.n_rows, self.positive))

    def refuse_rounded(self, preprocessing: None, *, decimal: bool) -> None:
        """As of a `Table`."""
        transformation.refuse_rounded_entries(self.files[0], decimal=decimal)

    def labels(self) -> NDArray[Any]:
        """As they are read, also where there is only one."""
        return Target.of(self.target, self.positive).named(self._y)

    def encode(self, *, scale: bool = True) -> tuple[Any, NDArray[Any], None]:
        """X as a CSR matrix, y, and None: there is no preprocessing, and nothing is scaled."""
        if problems := self.problems:
            raise InputError(problems[0])
        return self.X, self.labels(), None


def words_like_missing(table: Table) -> Any:
    """'?' among words counts as one of them."""
    columns_with: dict[str, list[str]] = {}
    formatted = table.formatted_numbers
    for column in table.columns:
        if column.kind is Kind.TEXT and column.name not in formatted:
            for word in column.words:
                if word.casefold() in MISSING_LIKE:
                    columns_with.setdefault(word, []).append(repr(column.name))
    for word, names in columns_with.items():
        yield (
            f"{word!r} counts as a category of {listed(names, _NAMED_WITH)}. If it stands for a "
            f"missing value, use {option('na_values', word)}."
        )
