"""An export, run on a table: every row has the label of `predict`, or the first that has not is
named with its column."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._export import javascript
from rosenblatt._export.c import C
from rosenblatt._export.excel import Excel
from rosenblatt._export.expression import Language, inputs, readings, spelled
from rosenblatt._export.javascript import JavaScript
from rosenblatt._export.python import Python, read
from rosenblatt._export.sql import Sql, quoted
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._util.extras import needed
from rosenblatt._util.text import listed
from rosenblatt.data.batch import TRUTH, Batch
from rosenblatt.data.dates import Days, moment
from rosenblatt.data.features import Words
from rosenblatt.data.options import FileOptions
from rosenblatt.data.preprocessing import Number, Preprocessing
from rosenblatt.errors import InputError

_NUMBERS = 1 << 22  # that are compared at a time
_SHOWN = 10  # columns
_ROUNDED = 64  # units in the last place, beside one for each term of a score
_EPOCH = datetime(1899, 12, 30)  # of the dates of a sheet


class Checked(NamedTuple):
    """Every row had the same answer."""

    rows: int
    without: int  # rows without a label, here as there
    rounded: int  # rows whose score is so near 0 that what rounds otherwise may differ
    where: str

    def __str__(self) -> str:
        more = f" {self.without:,} of them have none." if self.without else ""
        if self.rounded:
            more += f" {self.rounded:,} differ by rounding: their score is 0 but for that."
        return f"Checked in {self.where}: {self.rows:,} rows have the label of predict.{more}"


class Rows(NamedTuple):
    cells: list[tuple[str, ...]]  # as they stand in the table, all columns
    unfilled: NDArray[np.float64]  # as features that are neither filled nor scaled
    X: NDArray[np.float64]  # as the rule takes them


class Program(ABC):
    """What runs an export."""

    where: ClassVar[str]
    precision: float = 0.0  # of a score, as a share of its terms
    takes_features: ClassVar = False  # True: rows without a value are not its concern
    language: Language | None = None  # that of `value`; None: it is not asked for values

    @abstractmethod
    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        """None where there is no answer."""

    def value(self, text: str, cells: dict[str, str]) -> float | None:
        """What an expression is in one row."""
        raise NotImplementedError


def check(
    estimator: Any,
    preprocessing: Preprocessing,
    program: Program,
    source: Any,
    options: FileOptions | None = None,
    *,
    on_unseen: str = "error",
) -> Checked:
    """Compares every row of a table, read as that of training but for `options`. InputError at the
    first that differs."""
    reader = preprocessing.reader(source, options)
    names, texts = reader.as_written().texts(None)
    size = max(1, _NUMBERS // max(1, len(preprocessing.feature_names)))
    rows = without = rounded = 0
    for large in preprocessing.read(reader):
        for batch in large.some(size):
            cells = list(islice(texts, batch.rows))
            compared = _Compared(estimator, preprocessing, program, names, batch, cells, on_unseen)
            rows, without = rows + batch.rows, without + compared.expected.count(None)
            rounded += compared.rounded
    return Checked(rows, without, rounded, program.where)


class _Compared:
    """Some rows, with both answers; made only where they are the same."""

    def __init__(
        self,
        estimator: Any,
        preprocessing: Preprocessing,
        program: Program,
        names: list[str],
        batch: Batch,
        cells: list[tuple[str, ...]],
        on_unseen: str,
    ):
        self._estimator, self._preprocessing, self._program = estimator, preprocessing, program
        self._names, self._batch, self._on_unseen = names, batch, on_unseen
        self._no_answer = _no_answer(preprocessing, batch, on_unseen)
        there = np.ones(batch.rows, dtype=bool)
        there[list(self._no_answer)] = False
        self._rows = Rows(cells, *_features(preprocessing, batch, there, on_unseen))
        self.expected = [None] * batch.rows
        labels = self._predicted(self._rows.X[there])
        for i, label in zip(np.flatnonzero(there), labels, strict=True):
            self.expected[i] = label
        answers = program.labels(names, self._rows)
        if program.takes_features:
            answers = [a if known else None for a, known in zip(answers, there, strict=True)]
        wrong = np.array([e != a for e, a in zip(self.expected, answers, strict=True)], dtype=bool)
        near = wrong & there & self._near()
        self.rounded = int(near.sum())
        wrong &= ~near
        if wrong.any():
            raise self._error(int(wrong.argmax()), answers)

    def _predicted(self, X: NDArray[np.float64]) -> list[Any]:
        labels: list[Any] = self._estimator.predict(X).tolist() if len(X) else []
        return labels

    def _near(self) -> NDArray[np.bool_]:
        """Rows whose labels rounding may change."""
        rule, X = self._estimator._rule, self._rows.X
        if not isinstance(rule, LinearRule) or not self._program.precision:
            return np.zeros(len(X), dtype=bool)
        weights = np.abs(np.atleast_2d(rule.weights))
        shifts = np.zeros(X.shape[1])  # which weights may have inside
        preprocessing = self._preprocessing
        for place, column in zip(preprocessing.number_places, preprocessing.numbers, strict=True):
            shifts[place] = abs(column.center / column.scale)
        size = ((np.abs(X) + shifts) @ weights[:, :-1].T + weights[:, -1]).max(axis=1) * rule.eta
        scores = np.asarray(self._estimator.decision_function(X)).reshape(len(X), -1)
        ahead = np.abs(scores[:, 0])
        if scores.shape[1] > 1:
            ahead = np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
        return np.asarray(ahead <= self._program.precision * size)

    def _error(self, row: int, answers: list[Any]) -> InputError:
        column = self._no_answer.get(row) or self._column_read_otherwise(row)
        if column is None:
            names = listed([repr(name) for name in self._preprocessing.inputs], _SHOWN)
            which = f"one of {names} counts otherwise"
        else:
            value = self._rows.cells[row][self._names.index(column)]
            which = f"column {column!r} holds {value!r}, which is read otherwise"
        here, there = _named(answers[row]), _named(self.expected[row])
        return self._batch.place(row).error(
            f"{which}: in {self._program.where} the row has {here}, with predict {there}. "
            "Nothing was written.",
            column=column,
        )

    def _column_read_otherwise(self, row: int) -> str | None:
        cells = dict(zip(self._names, self._rows.cells[row], strict=True))
        language = self._program.language
        if language is None:
            return None
        own = readings(self._estimator, self._preprocessing, language, on_unseen=self._on_unseen)
        for j, column, text in own:
            value, expected = self._program.value(text, cells), self._rows.X[row, j]
            if value is None or abs(value - expected) > self._program.precision * abs(expected):
                return column
        return None


def _no_answer(preprocessing: Preprocessing, batch: Batch, on_unseen: str) -> dict[int, str]:
    """The rows that predict has no label for, and a column why."""
    columns = {row: names[0] for row, names in preprocessing.lacking(batch).items()}
    for column in preprocessing.columns if on_unseen == "error" else ():
        if isinstance(column, Words):
            columns |= dict.fromkeys(column.unseen(batch), column.name)
    return columns


def _features(
    preprocessing: Preprocessing, batch: Batch, there: NDArray[np.bool_], on_unseen: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Neither filled nor scaled, and as the rule takes them. NaN and 0 where there is no label."""
    plain = tuple(
        replace(column, fill=None, center=0.0, scale=1.0) if isinstance(column, Number) else column
        for column in preprocessing.columns
    )
    both = []
    for one, seen in ((replace(preprocessing, columns=plain), True), (preprocessing, False)):
        shape = (batch.rows, len(preprocessing.feature_names))
        both.append(np.full(shape, np.nan if seen else 0.0))
        if there.any():
            rows = one.rows(batch.only(there), on_unseen=on_unseen, seen=seen)
            both[-1][there] = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return both[0], both[1]


def _named(label: Any) -> str:
    return "no label" if label is None else f"the label {label!r}"


# --- What runs an export --------------------------------------------------------------------------


class InSqlite(Program):
    """As `.import` leaves a table: text in every cell."""

    where, language = "SQLite", Sql()

    def __init__(self, query: str, table: str, labels: Sequence[Any]):
        self._query, self._table = query, table
        self._labels = {int(v) if isinstance(v, bool) else v: v for v in labels}

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        return [self._labels.get(row[0]) for row in self._asked(self._query, names, rows.cells)]

    def _asked(
        self, query: str, names: Sequence[str], cells: Sequence[tuple[str, ...]]
    ) -> list[tuple[Any, ...]]:
        lower = [name.lower() for name in names]
        if twice := [name for name in names if lower.count(name.lower()) > 1]:
            raise InputError(
                f"SQL does not tell the columns {' and '.join(map(repr, twice[:2]))} apart: give "
                "one of them another name.",
                column=twice[0],
            )
        with closing(sqlite3.connect(":memory:")) as base:
            columns = ", ".join(f"{quoted(name)} TEXT" for name in names)
            base.execute(f"CREATE TABLE {quoted(self._table)} ({columns})")
            places = ", ".join("?" * len(names))
            base.executemany(f"INSERT INTO {quoted(self._table)} VALUES ({places})", cells)
            return base.execute(query).fetchall()

    def value(self, text: str, cells: dict[str, str]) -> float | None:
        query = f"SELECT {text} FROM {quoted(self._table)}"
        value: float | None = self._asked(query, list(cells), [tuple(cells.values())])[0][0]
        return value


class InPython(Program):
    where, language = "Python", Python()

    def __init__(self, text: str, estimator: Any, preprocessing: Preprocessing):
        self._module: dict[str, Any] = {"__name__": "exported"}
        exec(text, self._module)
        sources = spelled(estimator, preprocessing, Python()).sources
        self._read = {source.name: read(source) for source in sources}

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        predict = self._module["predict"]
        return [predict(dict(zip(names, cells, strict=True))) for cells in rows.cells]

    def value(self, text: str, cells: dict[str, str]) -> float | None:
        x = {name: eval(read, self._module, {"row": cells}) for name, read in self._read.items()}
        value: float | None = eval(text, self._module, {"x": x})
        return value


class InSheet(Program):
    """Cells as a spreadsheet has them once it has opened the file."""

    where, precision = "a sheet", 1e-12

    def __init__(self, text: str, cells: dict[str, str], preprocessing: Preprocessing):
        self._parser = needed("formulas", "Checking a formula").Parser()
        self._formula, self.language = self._compiled(text), Excel(cells)
        self._names = {cell.replace("$", ""): name for name, cell in cells.items()}
        self._decimal = preprocessing.reading.mark
        styles = preprocessing.reading.styles.items()
        self._formats = {name: s.format for name, s in styles if isinstance(s, Days)}
        self._typed = (
            preprocessing.reading.sheet_name is not None
        )  # a workbook keeps text that is text
        self._words = {
            c.name for c in preprocessing.columns if isinstance(c, Words) and not c.boolean
        }

    def _compiled(self, text: str) -> Any:
        return self._parser.ast(text)[1].compile()

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        return self._evaluated(self._formula, names, rows.cells)

    def value(self, text: str, cells: dict[str, str]) -> float | None:
        formula, row = self._compiled(f"={text}"), tuple(cells.values())
        value: float | None = self._evaluated(formula, list(cells), [row])[0]
        return value

    def _evaluated(
        self, formula: Any, names: Sequence[str], rows: Sequence[tuple[str, ...]]
    ) -> list[Any]:
        columns = []
        for cell in formula.inputs:
            name = self._names[str(cell)]
            j, keep = names.index(name), self._typed and name in self._words
            values = np.empty((len(rows), 1), dtype=object)
            for i, written in enumerate(rows):
                values[i, 0] = written[j] if keep else self._cell(name, written[j])
            columns.append(values)
        answers = np.broadcast_to(np.asarray(formula(*columns)), (len(rows), 1)).ravel()
        return [None if str(value) == "#N/A" else _plain(value) for value in answers]

    def _cell(self, name: str, written: str) -> Any:
        text = written.strip()
        if text.lower() in ("true", "false"):
            return TRUTH[text.lower()]
        number = text.replace(self._decimal, ".")
        if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", number):
            return float(number)
        date = moment(text, self._formats.get(name, ""))
        if date is not None and not date.zone:
            return (date.at - _EPOCH).total_seconds() / 86400
        return written


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


class InJavaScript(Program):
    """Cells as text, in Node."""

    where, language = "Node", JavaScript()

    def __init__(self, text: str, estimator: Any, preprocessing: Preprocessing):
        self._node, self._text = _tool("Checking JavaScript", "node"), text
        sources = spelled(estimator, preprocessing, JavaScript()).sources
        self._x = ", ".join(f"{json.dumps(s.name)}: {javascript.read(s)}" for s in sources)

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        cells = [dict(zip(names, row, strict=True)) for row in rows.cells]
        return self._asked(cells, self._text, "predict")

    def value(self, text: str, cells: dict[str, str]) -> float | None:
        value = f"export function value(row) {{ const x = {{{self._x}}}; return {text}; }}"
        found: float | None = self._asked([cells], f"{self._text}\n{value}\n", "value")[0]
        return found

    def _asked(self, rows: list[dict[str, str]], text: str, name: str) -> list[Any]:
        with TemporaryDirectory() as folder:
            Path(folder, "rule.mjs").write_text(text, encoding="utf-8")
            Path(folder, "rows.json").write_text(json.dumps(rows), encoding="utf-8")
            Path(folder, "run.mjs").write_text(
                'import { readFileSync } from "node:fs";\nimport * as module from "./rule.mjs";\n'
                'const rows = JSON.parse(readFileSync("rows.json", "utf8"));\n'
                f"console.log(JSON.stringify(rows.map(module.{name})));\n"
            )
            answers: list[Any] = json.loads(_output([self._node, "run.mjs"], folder))
            return answers


class InC(Program):
    """Numbers as doubles, and words as text, compiled."""

    where = "C"

    def __init__(self, text: str, estimator: Any, preprocessing: Preprocessing):
        self._compiler = _tool("Checking C", "cc", "gcc", "clang")
        self._text, self._labels = text, estimator.classes_.tolist()
        language = C(inputs(estimator, preprocessing))
        self._fields = language.fields
        self._sources = spelled(estimator, preprocessing, language).sources
        places = zip(preprocessing.number_places, preprocessing.numbers, strict=True)
        self._places = {column.name: j for j, column in places}

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        lines = []
        for i, cells in enumerate(rows.cells):
            for source in self._sources:
                if source.words:
                    word = cells[names.index(source.name)].strip()
                    size = -1 if word in source.missing else len(word.encode())
                    lines.append(f"{size}\n{word if size >= 0 else ''}")
                else:
                    number = repr(float(rows.unfilled[i, self._places[source.name]]))
                    lines.append(f"{len(number)}\n{number}")
        read = " ".join(
            f"row.{self._fields[source.name]} = "
            + ("cell(&used);" if source.words else "strtod(cell(&used), NULL);")
            for source in self._sources
        )
        harness = files("rosenblatt._export").joinpath("run.c").read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            macros = f"#define ROWS {len(rows.cells)}\n#define READ {read}\n"
            text = f"{self._text}\n{macros}{harness}"
            Path(folder, "rule.c").write_text(text, encoding="utf-8")
            flags = ["-std=c99", "-O2", "-ffp-contract=off", "-o", "rule"]
            _output([self._compiler, *flags, "rule.c", "-lm"], folder)
            places = _output([os.path.join(folder, "rule")], folder, "".join(lines)).split()
        return [None if k == "-1" else self._labels[int(k)] for k in places]


def _tool(what: str, *names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise InputError(f"{what} needs {' or '.join(names)}: install it, or export without --check.")


def _output(command: list[str], folder: str, text: str = "") -> str:
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise InputError(f"{command[0]} failed: {done.stderr.strip()[:500]}")
    return done.stdout


class InOnnx(Program):
    where, takes_features = "onnxruntime", True  # a graph takes features

    def __init__(self, path: Any, dtype: str, *, exact: bool = True):
        runtime = needed("onnxruntime", "Checking an ONNX file")
        self._session, self._dtype = runtime.InferenceSession(path), dtype
        terms = self._session.get_inputs()[0].shape[1]
        self.precision = 0.0 if exact else (_ROUNDED + terms) * float(np.finfo(dtype).eps)

    def labels(self, names: Sequence[str], rows: Rows) -> list[Any]:
        (labels,) = self._session.run(["label"], {"X": rows.unfilled.astype(self._dtype)})
        return np.asarray(labels).tolist()  # type: ignore[no-any-return] # of one dimension
