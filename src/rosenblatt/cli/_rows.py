"""New rows for a trained rule: encoded as in training, with what they lack and what is unknown."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple

from rosenblatt._util.text import Numbered
from rosenblatt.cli._common import check_exists
from rosenblatt.errors import InputError

ALL = "all"


class Batch(NamedTuple):
    """Some rows of a table."""

    X: Any  # as numbers: those that lack nothing
    rows: int  # with those that do
    lacking: dict[int, list[str]]  # which these are, and what they lack
    unseen: dict[int, list[str]]  # words that did not occur in training, by row
    kept: list[tuple[str, ...]]  # the values of the columns that were asked for, by row
    wordless: dict[int, list[str]]  # columns of prose without a known word, by row
    y: Any = None  # the labels of the rows that lack nothing


class NewRows(NamedTuple):
    """Rows of files, as a model takes them."""

    names: Sequence[str]  # of the features
    kept: list[str]  # the columns that were asked for
    batches: Iterator[Batch]
    prose: bool = False  # some columns are
    unlabelled: Callable[[], int] = lambda: 0  # rows left out so far for lack of a label
    numbers: Mapping[int, Any] = {}  # columns of numbers that are compared with their means


def read_model(model: str, files: Sequence[str], command: str) -> Any:
    """Neither a folder, nor a table in the place of the model; and the files are there, too."""
    from rosenblatt.data.files import find

    if os.path.isdir(model):
        inside = os.path.join(model, "model.json")
        there = os.path.exists(inside)
        where = f"give the model file in it: {inside}" if there else "give a model file"
        raise InputError(f"{model} is a folder: {where}.")
    if len(files) == 1 and _is_json(files[0]) and not _is_json(model) and os.path.isfile(model):
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
        with open(path, "rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False


def new_rows(
    known: Any,
    model: str,
    files: tuple[str, ...],
    reading: dict[str, Any],
    *,
    unseen: str,
    gaps: str = "refuse",
    keep: Sequence[str] = (),
    labelled: bool = False,
) -> NewRows:
    """The rows of files for a model that was read. `gaps`: rows with a missing value that was not
    filled in training are refused, or marked as lacking it."""
    from rosenblatt import data
    from rosenblatt.data.files import find, is_svmlight
    from rosenblatt.data.numbering import left_out_of
    from rosenblatt.data.open_table import reader_of
    from rosenblatt.data.options import FileOptions
    from rosenblatt.data.reread import batches_like, texts_like

    if known.encoding is None:
        if not is_svmlight(list(files)):
            raise InputError(
                f"{model} was saved without the encoding of its table: here it reads only svmlight "
                "files. Use it in Python, or save it again with save(..., encoding=...)."
            )
        if keep:
            raise InputError(
                "--keep copies columns of a table, and svmlight files have none: leave it out."
            )
        return _of_svmlight(known.estimator, find(list(files)))
    encoding = data.Encoding.from_dict(known.encoding)
    vars(known.estimator).pop("feature_names_in_", None)  # it has seen to the names
    reader = reader_of(list(files), encoding.reading, FileOptions.of(**reading))
    kept: list[str] = []
    texts: Iterator[tuple[str, ...]] = repeat(())
    if keep:
        kept, texts = texts_like(reader, None if ALL in keep else list(keep))
    parts = batches_like(reader, encoding, labelled=labelled)
    batches = _batches(encoding, parts, unseen, gaps, texts, labelled)
    return NewRows(
        encoding.feature_names,
        kept,
        batches,
        bool(encoding.prose),
        lambda: len(left_out_of(parts)),
        _centred(encoding),
    )


def _centred(encoding: Any) -> dict[int, Any]:
    """By their places among the features; a number that was not shifted is in its own units."""
    columns = [column for column in encoding.columns for _ in column.features]
    numbers = {j: columns[j] for j in encoding.number_places}
    return {j: column for j, column in numbers.items() if column.center and not column.measure}


def _of_svmlight(estimator: Any, files: Any) -> NewRows:
    from rosenblatt.data.table import SparseTable

    d = estimator.n_features_in_
    table = SparseTable(files, n_features=d)
    y = table.labels()
    return NewRows(Numbered(d), [], iter([Batch(table.X, len(y), {}, {}, [()] * len(y), {}, y)]))


def _batches(
    encoding: Any,
    parts: Any,
    unseen: str,
    gaps: str,
    texts: Iterator[tuple[str, ...]],
    labelled: bool,
) -> Iterator[Batch]:
    import numpy as np

    for part in parts:
        lacking = encoding.lacking(part) if gaps == "mark" else {}
        strange = encoding.unseen(part) if unseen == "zero" else {}
        kept = list(islice(texts, part.rows))
        rows = part.rows
        if lacking:
            there = np.ones(rows, dtype=bool)
            there[list(lacking)] = False
            part = part.only(there)  # noqa: PLW2901 - what is left of it
        y = encoding.labels(part) if labelled else None
        X = encoding.rows(part, unseen=unseen)
        numbers = [i for i in range(rows) if i not in lacking]
        wordless = {numbers[row]: names for row, names in encoding.wordless(X).items()}
        yield Batch(X, rows, lacking, strange, kept, wordless, y)
