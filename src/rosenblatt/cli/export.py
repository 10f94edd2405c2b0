"""rosenblatt export: a trained rule for other programs."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.data.options import FileOptions
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rosenblatt._export.check import Program

_FORMATS = {  # the option that asks for one, and what is written
    "onnx": ("--onnx FILE", "graph"),
    "sql": ("--sql", "query"),
    "excel": ("--excel-formula", "formula"),
    "python": ("--python", "module"),
    "javascript": ("--javascript", "module"),
    "c": ("--c", "program"),
    "pmml": ("--pmml", "document"),
}


@click.command(cls=Command)
@_options.model_argument
@_options.file_option("--onnx", help="Write an ONNX graph to FILE.")
@_options.flag("--sql", "Print a SQL query that gives every row its label.")
@click.option(
    "--excel-formula",
    "excel",
    is_flag=True,
    help="Print a spreadsheet formula for the first row, to be filled down.",
)
@_options.flag("--python", "Print a Python module that needs no other package.")
@_options.flag("--javascript", "Print a JavaScript module for browsers and Node.")
@_options.flag("--c", "Print a function in C99, and the struct of columns that it takes.")
@_options.flag("--pmml", "Print a scorecard as PMML, with reason codes.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the query, formula, module or document to FILE.  [default: standard output]",
)
@click.option(
    "--table", metavar="NAME", help="With --sql: the table that is queried.  [default: data]"
)
@click.option(
    "--columns-of",
    metavar="TABLE",
    help="With --excel-formula: use the cells where the columns are in the file TABLE.  [default: "
    "the columns that the rule uses are A, B and so on]",
)
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32"]),
    help="With --onnx: type of the numbers that the graph takes; it computes in float64.  "
    "[default: float64]",
)
@_options.flag("--fast", "With --onnx: one matrix product, whose rounding may differ.")
@_options.unseen_option()
@_options.file_options()
@click.option(
    "--check",
    metavar="TABLE",
    help="Compare every row of the file TABLE with `rosenblatt predict`: run the query in SQLite, "
    "the module in Python or Node, the program by a C compiler, the formula or the graph. Stops at "
    "the first row that differs.  "
    "[default: it is not checked]",
)
@_options.force_option
@_options.output_options
def command(
    model: str,
    output: str | None,
    table: str | None,
    columns_of: str | None,
    dtype: str | None,
    fast: bool,
    on_unseen: str,
    check: str | None,
    force: bool,
    out: _common.Output,
    **options: Any,
) -> int:
    """Turn a trained model into SQL, Python, JavaScript, C, a formula, ONNX or PMML.

    MODEL is a file that `rosenblatt fit` or rosenblatt.save wrote.

    --sql, --excel-formula, --python and --javascript take the columns as they are in the table,
    read them as training did, and give the label. A column that a language cannot read in this way
    is refused: SQL and formulas do not read numbers with a unit, Python and JavaScript read all. In
    a sheet dates are dates. --c takes numbers and words that were read before. Scorecards give the
    same labels everywhere. Other linear rules do so to the last bit in SQLite, Python, JavaScript
    and C; in a spreadsheet, rows within rounding error of the boundary may differ.

    --pmml takes scorecards: points, label, and the terms that cost a row the most points.

    --onnx takes a matrix X and gives label and score. The columns of X are the features, in the
    order that --json shows: numbers as they are in the table (the graph fills and scales them), 1
    or 0 for categories. Scorecards cannot be exported to ONNX; use --sql or --python. Needs the
    extra: pip install ".[onnx]" in the folder of the project.

    --check TABLE compares every row with `rosenblatt predict`. At the first row that differs it
    names row and column, writes nothing, and exits with 2. Formulas are evaluated as in a
    spreadsheet that has opened TABLE; that needs the extra: pip install ".[formulas]".
    TABLE is read like the training table; options such as --sep say what is different.

    \b
    Examples:
      rosenblatt fit credit.csv --target card
      rosenblatt export credit-rosenblatt/model.json --sql --table applicants
      rosenblatt export credit-rosenblatt/model.json --excel-formula --columns-of credit.csv
      rosenblatt export credit-rosenblatt/model.json --python -o card.py --check credit.csv
      rosenblatt export credit-rosenblatt/model.json --onnx credit.onnx
    """
    kind = _kind({kind: bool(options[kind]) for kind in _FORMATS})
    onnx = options["onnx"]
    if kind == "pmml" and check is not None:
        raise click.UsageError("--check runs no PMML: have the program check it that will read it.")
    said = {"table": table, "columns_of": columns_of, "dtype": dtype, "fast": fast or None}
    _check_options(kind, output=output, **said)
    reading = FileOptions.of(**{name: options[name] for name in options if name not in _FORMATS})
    if check is None and columns_of is None and (typed := reading.typed()):
        flag = typed[0].partition("=")[0]
        raise click.UsageError(f"{flag} says how a table is read: add --check or --columns-of.")
    inputs = (model, *(path for path in (columns_of, check) if path is not None))
    if check is not None:
        _common.check_exists(check)
    _common.check_output(onnx or output, inputs, force=force)

    from rosenblatt import formulas, model_file
    from rosenblatt.data import Preprocessing

    known = model_file.read(model)
    preprocessing = (
        None if known.preprocessing is None else Preprocessing.from_dict(known.preprocessing)
    )
    if check is not None and preprocessing is None:
        raise InputError(
            f"--check: {model} was saved without the preprocessing of its table, so that no table "
            "can be read for it. rosenblatt fit writes models that have one."
        )
    rule = _Rule(known.estimator, preprocessing, on_unseen)
    checked = None
    if onnx is not None:
        dtype = dtype or "float64"
        if check is not None:
            from rosenblatt._export.check import InOnnx

            with TemporaryDirectory() as folder:
                trial = os.path.join(folder, "trial.onnx")
                _write_onnx(rule, trial, dtype, exact=not fast)
                graph = InOnnx(trial, dtype, exact=not fast)
                checked = _checked(rule, graph, check, reading, out)
        content = _write_onnx(rule, onnx, dtype, exact=not fast)
        _tell(checked, out)
        told = f"it takes X with {len(content['features'])} {content['dtype']} columns and gives"
        out.say(f"The graph is in {onnx}: {told} label and score.")
    else:
        columns = formulas.inputs(rule.estimator, preprocessing=preprocessing)
        cells = _cells(columns, preprocessing, columns_of, reading) if kind == "excel" else {}
        table = table or "data"
        text = _text(rule, kind, table, cells)
        content = {"format": kind, "columns": columns, "text": text}
        if check is not None:
            program = _program(rule, kind, text, table, cells)
            checked = _checked(rule, program, check, reading, out)
        if kind == "excel":
            where = ", ".join(f"{name} in {cell}" for name, cell in cells.items())
            out.say(f"Paste the formula beside the first row and fill it down. It reads {where}.")
        _tell(checked, out)
        if output is not None:
            with _common.whole_file(output) as file:
                file.write(text)
            out.say(f"The {_FORMATS[kind][1]} is in {output}.")
        elif not out.as_json:
            click.echo(text, nl=not text.endswith("\n"))
    if out.as_json:
        labels = known.estimator.classes_.tolist()
        document = {"model": model, **content, "labels": labels}
        document["checked"] = None if checked is None else checked._asdict()
        _common.print_json("export", document)
    return 0


def _tell(checked: Any, out: _common.Output) -> None:
    out.say(str(checked or "Not checked: --check TABLE compares every row with predict."))


class _Rule(NamedTuple):
    estimator: Any
    preprocessing: Any
    on_unseen: str


def _kind(asked: dict[str, bool]) -> str:
    kinds = [kind for kind, wanted in asked.items() if wanted]
    if len(kinds) != 1:
        some = ", ".join(option for option, _ in _FORMATS.values())
        got = " and ".join(_FORMATS[kind][0] for kind in kinds) or "none"
        raise click.UsageError(f"Choose one format: {some}; got {got}.")
    return kinds[0]


_ONLY_WITH = {
    "output": tuple(kind for kind in _FORMATS if kind != "onnx"),
    "table": ("sql",),
    "columns_of": ("excel",),
    "dtype": ("onnx",),
    "fast": ("onnx",),
}


def _check_options(kind: str, **values: Any) -> None:
    for name, value in values.items():
        if value is not None and kind not in _ONLY_WITH[name]:
            option = name.replace("_", "-")
            kinds = " or ".join(_FORMATS[k][0] for k in _ONLY_WITH[name])
            raise click.UsageError(f"--{option} goes with {kinds}, not with {_FORMATS[kind][0]}.")


def _write_onnx(rule: _Rule, output: str, dtype: str, *, exact: bool) -> dict[str, Any]:
    from rosenblatt._export.expression import feature_names
    from rosenblatt.onnx import export

    export(rule.estimator, output, preprocessing=rule.preprocessing, dtype=dtype, exact=exact)
    features = list(feature_names(rule.estimator, rule.preprocessing))
    return {"onnx": output, "dtype": dtype, "features": features}


def _checked(
    rule: _Rule, program: Program, source: str, reading: FileOptions, out: _common.Output
) -> Any:
    from rosenblatt._export.check import check

    about = rule.estimator, rule.preprocessing
    with out.working("checking every row"), out.reading():
        return check(*about, program, source, reading, on_unseen=rule.on_unseen)


def _text(rule: _Rule, kind: str, table: str, cells: dict[str, str]) -> str:
    from rosenblatt import formulas

    about: dict[str, Any] = {"preprocessing": rule.preprocessing, "on_unseen": rule.on_unseen}
    if kind == "sql":
        return formulas.to_sql(rule.estimator, table=table, **about)
    if kind == "excel":
        return formulas.to_excel_formula(rule.estimator, cells=cells, **about)
    return str(getattr(formulas, f"to_{kind}")(rule.estimator, **about))


def _program(rule: _Rule, kind: str, text: str, table: str, cells: dict[str, str]) -> Program:
    from rosenblatt._export import check

    if kind == "sql":
        return check.InSqlite(text, table, rule.estimator.classes_.tolist())
    if kind == "excel":
        return check.InSheet(text, cells, rule.preprocessing)
    modules: dict[str, Callable[..., Program]]
    modules = {"python": check.InPython, "javascript": check.InJavaScript, "c": check.InC}
    return modules[kind](text, rule.estimator, rule.preprocessing)


def _cells(
    columns: list[str], preprocessing: Any, columns_of: str | None, options: FileOptions
) -> dict[str, str]:
    """Where the columns are in the first row of a sheet, below the names."""
    from rosenblatt._export.excel import letters

    if columns_of is None:
        return {name: f"{letters(k)}2" for k, name in enumerate(columns)}
    from rosenblatt.data.naming import find_columns
    from rosenblatt.data.open_table import reader_of
    from rosenblatt.data.options import Reading

    known = Reading() if preprocessing is None else preprocessing.reading
    reader = reader_of([columns_of], known, options)
    names, reading = reader.names, reader.reading
    find_columns(names, columns_of, [("", name) for name in columns], header=reading.has_names)
    header = 0 if reading.header is False else reading.header_rows or 1
    first = 1 + (reading.skip_rows or 0) + header
    return {name: f"{letters(names.index(name))}{first}" for name in columns}
