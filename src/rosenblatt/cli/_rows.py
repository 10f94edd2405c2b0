"""New rows for a trained rule: encoded as in training, with what they lack and what is unknown."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, NamedTuple, final

from rosenblatt._study.reasons import centred
from rosenblatt._util.files import beginning, place_of
from rosenblatt._util.text import Numbered, listed, many
from rosenblatt.cli._common import check_exists
from rosenblatt.errors import InputError

ALL = "all"
_NAMED = 5  # columns that are not there


class Batch(NamedTuple):
    """Some rows of a table."""

    X: Any  # as numbers: those that lack nothing
    rows: int  # with those that do
    lacking: dict[int, list[str]]  # which these are, and what they lack
    unseen_categories: dict[int, list[str]]  # by row
    copied: list[tuple[str, ...]]  # the values of the columns that are copied, by row
    wordless: dict[int, list[str]]  # columns of prose without a known word, by row
    y: Any = None  # the labels of the rows that lack nothing


class NewRows(NamedTuple):
    """Rows of files, as a model takes them."""

    names: Sequence[str]  # of the features
    copied: list[str]  # columns of the files
    batches: Iterator[Batch]
    prose: bool = False  # some columns are
    unlabelled: Callable[[], int] = lambda: 0  # rows left out so far for lack of a label
    numbers: Mapping[int, Any] = {}  # columns of numbers that are compared with their means
    outside: Callable[[], list[dict[str, Any]]] = list  # columns with values unlike in training
    narrower: str | None = None  # columns without names, fewer than the table of training had


def read_model(model: str, files: Sequence[str], command: str) -> Any:
    """Neither a folder, nor a table in the place of the model; and the files are there, too."""
    from rosenblatt.data.files import find

    place = place_of(model)
    if place.is_dir():
        inside = place / "model.json"
        where = f"give the model file in it: {inside}" if inside.exists() else "give a model file"
        raise InputError(f"{model} is a folder: {where}.")
    if len(files) == 1 and os.path.isfile(model) and _is_json(files[0]) and not _is_json(model):
        raise InputError(
            f"{model} is not a model file, and {files[0]} may be one. The model comes first: "
            f"rosenblatt {command} {shlex.quote(files[0])} {shlex.quote(model)}"
        )
    check_exists(model)
    if "-" not in files:  # it is read once
        find(list(files))

    from rosenblatt import model_file

    return model_file.read(model)


def _is_json(path: str) -> bool:
    """Whether it begins as model files do."""
    try:
        return beginning(path, 64).lstrip().startswith(b"{")
    except OSError:
        return False


@final
@dataclass(frozen=True)
class RowFiles:
    """Files of rows, and how they are read for a model; each time `of` is called, once more."""

    model: str  # its path
    files: Sequence[str]
    reading: dict[str, Any]
    on_unseen: str
    on_missing: str = "error"  # or "skip": rows that lack a value not filled in training are marked
    copy: Sequence[str] = ()
    labelled: bool = False

    def of(self, known: Any) -> NewRows:
        from rosenblatt import data
        from rosenblatt.data.batch import left_out_of
        from rosenblatt.data.options import FileOptions

        if known.preprocessing is None:
            return self._of_svmlight(known.estimator)
        preprocessing = data.Preprocessing.from_dict(known.preprocessing)
        vars(known.estimator).pop("feature_names_in_", None)  # it has seen to the names
        options = FileOptions.of(**self.reading)
        reader = preprocessing.reader(list(self.files), options, labelled=self.labelled)
        copied: list[str] = []
        texts: Iterator[tuple[str, ...]] = repeat(())
        if self.copy:
            copied, texts = reader.texts(None if ALL in self.copy else list(self.copy))
        parts = preprocessing.read(reader, labelled=self.labelled)
        ranges = Ranges(preprocessing)
        return NewRows(
            preprocessing.feature_names,
            copied,
            self._batches(preprocessing, parts, texts, ranges),
            bool(preprocessing.prose),
            lambda: len(left_out_of(parts)),
            centred(preprocessing),
            ranges.outside,
            _narrower(reader),
        )

    def _of_svmlight(self, estimator: Any) -> NewRows:
        from rosenblatt.data.files import find, is_svmlight
        from rosenblatt.data.table import SparseTable

        if not is_svmlight(list(self.files)):
            raise InputError(
                f"{self.model} was saved without the preprocessing of its table: here it reads "
                "only svmlight files. Use it in Python, or save it again with "
                "save(..., preprocessing=...)."
            )
        if self.copy:
            raise InputError(
                "--copy copies columns of a table, and svmlight files have none: leave it out."
            )
        d = estimator.n_features_in_
        table = SparseTable(find(list(self.files)), n_features=d)
        y = table.labels()
        whole = Batch(table.X, len(y), {}, {}, [()] * len(y), {}, y)
        return NewRows(Numbered(d), [], iter([whole]))

    def _batches(
        self, preprocessing: Any, parts: Any, texts: Iterator[tuple[str, ...]], ranges: Ranges
    ) -> Iterator[Batch]:
        import numpy as np

        for part in parts:
            lacking = preprocessing.lacking(part) if self.on_missing == "skip" else {}
            unseen = preprocessing.unseen(part) if self.on_unseen == "reference" else {}
            copied = list(islice(texts, part.rows))
            rows = part.rows
            if lacking:
                there = np.ones(rows, dtype=bool)
                there[list(lacking)] = False
                part = part.only(there)  # noqa: PLW2901 - what is left of it
            y = preprocessing.labels(part) if self.labelled else None
            X = preprocessing.rows(part, on_unseen=self.on_unseen)
            ranges.see(part)
            numbers = [i for i in range(rows) if i not in lacking]
            wordless = {numbers[row]: names for row, names in preprocessing.wordless(X).items()}
            yield Batch(X, rows, lacking, unseen, copied, wordless, y)


def _narrower(reader: Any) -> str | None:
    names, here = reader.reading.names, reader.names
    if names is None or len(names) == len(here):
        return None
    lacking = [repr(name) for name in names if name not in here]
    return (
        f"{reader.files[0].name} has {many(len(here), 'column')}: read as those of the training "
        f"table without {listed(lacking, _NAMED)}."
    )


# --- Values unlike those of training --------------------------------------------------------------

_FAR = 10  # ranges of training beyond its range: heavy tails go further once in many tables
_MOST = 0.5  # of the rows outside the range, however far: new rows like those of training are not
_FEW = 10  # rows that most of are looked at


class Ranges:
    """Of each column of numbers in training, and how many new rows are outside."""

    def __init__(self, preprocessing: Any):
        self._reading = preprocessing.reading
        self._columns = [column for column in preprocessing.numbers if column.seen is not None]
        self._rows = dict.fromkeys((column.name for column in self._columns), 0)
        self._outside, self._far = dict(self._rows), dict(self._rows)
        self._furthest: dict[str, tuple[float, float, Any]] = {}  # how far, value, place

    def see(self, batch: Any) -> None:
        import numpy as np

        for column in self._columns:
            name, (low, high, _) = column.name, column.seen
            numbers = batch.numbers(name)
            away = np.maximum(low - numbers, numbers - high)  # NaN where one is missing
            self._rows[name] += int((~np.isnan(numbers)).sum())
            self._outside[name] += int((away > 0).sum())
            if high > low:
                self._far[name] += int((away > _FAR * (high - low)).sum())
            if (away > 0).any():
                row = int(np.nanargmax(away))
                if away[row] > self._furthest.get(name, (0.0,))[0]:
                    self._furthest[name] = float(away[row]), float(numbers[row]), batch.place(row)

    def outside(self) -> list[dict[str, Any]]:
        """Columns with values far outside, or with most values outside, when all rows were seen."""
        return [
            {
                "column": c.name,
                "low": c.seen.low,
                "high": c.seen.high,
                "rows": self._rows[c.name],
                "outside": self._outside[c.name],
                "far": self._far[c.name],
                "furthest": self._furthest[c.name][1],
                "sentence": self._sentence(c),
            }
            for c in self._columns
            if self._far[c.name] or self._most_outside(c.name)
        ]

    def _most_outside(self, name: str) -> bool:
        rows = self._rows[name]
        return rows >= _FEW and self._outside[name] > _MOST * rows

    def _sentence(self, column: Any) -> str:
        from rosenblatt.data.dates import Days

        style = self._reading.styles.get(column.name)
        shown, unit = _shown, "Is it in another unit? "
        if isinstance(style, Days):
            shown, unit = style.date, ""
        _, value, place = self._furthest[column.name]
        far, n, rows = self._far[column.name], self._outside[column.name], self._rows[column.name]
        how_far = f" ({'all' if far == n else f'{far:,}'} of them far outside)" if far else ""
        return (
            f"{column.name!r}: {n:,} of {many(rows, 'row')} are outside the range of the training "
            f"rows, {shown(column.seen.low)} to {shown(column.seen.high)}{how_far}, as "
            f"{shown(value)} in {place}. {unit}Nothing was learned about such values."
        )


def _shown(number: float) -> str:
    large = number.is_integer() or abs(number) >= 1e6
    return f"{number:,.0f}" if large and abs(number) < 1e15 else f"{number:,.6g}"


class Fingerprint:
    """Whether rows are all those that a model was fitted and tested on."""

    def __init__(self, known: Any):
        self._wanted = known.about["data_fingerprint"]
        self._classes = known.estimator.classes_
        self._waiting: list[tuple[Any, Any]] = []
        self._blocks: list[bytes] = []
        self._rows = self._width = 0

    def see(self, X: Any, y: Any) -> None:
        if self._wanted is not None:
            self._waiting.append((X, y))
            self._rows, self._width = self._rows + len(y), X.shape[1]
            self._hash_blocks()

    def _hash_blocks(self, *, last: bool = False) -> None:
        import numpy as np

        from rosenblatt._core.fingerprint import BLOCK, of_block
        from rosenblatt._core.rows import as_matrix
        from rosenblatt._validation.targets import encoded
        from rosenblatt.data.stack import below

        while self._waiting and (last or sum(len(y) for _, y in self._waiting) >= BLOCK):
            X = below([rows for rows, _ in self._waiting], self._width)
            y = np.concatenate([labels for _, labels in self._waiting])
            signs = encoded(y[:BLOCK], self._classes)
            signs = signs if len(self._classes) == 2 else signs + np.int32(1)
            self._blocks.append(of_block(as_matrix(X[:BLOCK]), signs))
            self._waiting = [(X[BLOCK:], y[BLOCK:])] if len(y) > BLOCK else []

    def matches(self) -> bool | None:
        """None: the model does not say."""
        if self._wanted is None or not self._rows:
            return None
        from rosenblatt._core.fingerprint import of_blocks

        self._hash_blocks(last=True)
        return of_blocks((self._rows, self._width), self._blocks) == str(self._wanted)
