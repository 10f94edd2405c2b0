"""rosenblatt verify: a certificate against the data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from rosenblatt import verify, verify_errors
from rosenblatt._util.text import of_files, one_line
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing
    from rosenblatt.data.batch import Reader


_SHOWN = 5  # columns of which is said what was done to them
_MODEL = "rosenblatt-model"  # what model files say they are


@click.command(cls=Command)
@click.argument("certificate", type=click.Path())
@_options.row_options()
@_options.file_option(
    "--encoded",
    help="Write the numbers that the certificate is about to FILE as CSV, for the stand-alone "
    "verifier.",
)
@_options.force_option
@_options.output_options
def command(
    certificate: str,
    files: tuple[str, ...],
    encoded: str | None,
    force: bool,
    out: _common.Output,
    **reading: Any,
) -> int:
    """Check a certificate against the table that it is about.

    The table is turned into numbers again, as the certificate says, and every claim is checked in
    exact arithmetic. The output says what is proved: about which label and columns, with an
    intercept or without, and how many rows were left out. Exits with 0 if all claims are proved,
    with 1 if one is not, with 2 if a file cannot be read or is no certificate, and with 3 if the
    certificate leaves the question open.

    The last two examples do the same with the stand-alone verifier: one file, python -m
    rosenblatt.verify, that needs nothing but Python.

    \b
    Examples:
      rosenblatt certify credit.csv --target card -o certificate.json
      rosenblatt verify certificate.json credit.csv
      rosenblatt verify certificate.json credit.csv --encoded numbers.csv
      python -m rosenblatt.verify certificate.json numbers.csv
    """
    _common.check_output(encoded, (certificate, *files), force=force)
    _check_readable(certificate, files)
    told: list[str] = []
    unused: list[str] = []
    with ExitStack() as stack:

        def read(claim: dict[str, Any]) -> verify.Reading:
            with _rejecting(), out.reading(), of_files():
                X, y, beside = _numbers(claim, files, reading, told, unused)
            if encoded is not None:
                _write_encoded(encoded, claim, X, y, beside)
                out.say(f"The encoded numbers are in {encoded}.")
            stack.enter_context(out.working("checking"))
            return _data(claim, X, y, beside), _about(files, told), unused

        judge = verify_errors.judge if _is_about_errors(certificate) else verify.judge
        status, lines, claim = judge(certificate, read)
    if status == 2 and isinstance(claim, dict) and claim.get("format") == _MODEL:
        raise InputError(f"{_instead(certificate)}.")
    if status == 2:
        raise InputError(f"{lines[0]}.")
    if out.as_json:
        _common.print_json("verify", _document(status, lines, claim, told, unused))
    else:
        _common.print_text("\n".join(map(one_line, lines)))
    return status


def _is_about_errors(path: str) -> bool:
    try:
        claim = verify.load(path)
    except (json.JSONDecodeError, UnicodeError):  # a table, as one is easily named first
        raise InputError(
            f"{path} is not a certificate: it is not JSON. Name the certificate first, then the "
            "table."
        ) from None
    except Exception:  # whatever is wrong with it, the judge will say
        return False
    return isinstance(claim, dict) and claim.get("schema") == verify_errors.SCHEMA


def _instead(model: str) -> str:
    beside = os.path.join(os.path.dirname(model), "certificate.json")
    there = os.path.exists(beside)
    instead = f"{beside} is beside it" if there else "rosenblatt certify -o FILE writes one"
    return f"{model} is a model file, not a certificate; {instead}"


def _check_readable(certificate: str, files: tuple[str, ...]) -> None:
    """What cannot be opened is no reason to reject a certificate."""
    from rosenblatt.data.files import find

    _common.check_exists(certificate)
    for name in files:
        try:
            if name != "-":
                open(name, "rb").close()
        except OSError:
            find([name])  # says why, unless it is a pattern that some files match


@contextmanager
def _rejecting() -> Iterator[None]:
    """A table that is not as the certificate says speaks against the certificate."""
    try:
        yield
    except InputError as error:
        raise verify.Rejected(str(error).removesuffix(".")) from None


def _write_encoded(path: str, claim: dict[str, Any], X: Any, y: Any, beside: Any) -> None:
    from rosenblatt._certify.check import with_columns

    names = [*claim["columns"], *(() if beside is None else beside.names.values())]
    _common.write_encoded(path, names, claim["target"], with_columns(X, beside), y)


def _data(claim: dict[str, Any], X: Any, y: Any, beside: Any) -> verify.Data:
    from rosenblatt._certify.check import codes, data_of

    texts = [str(label) for label in y.tolist()]
    data = data_of(claim, X, codes(verify.label_signs(claim, texts, 1), claim["labels"]), beside)
    getattr(data, "points", data).first = 1
    return data


def _about(files: tuple[str, ...], told: list[str]) -> str:
    names = "standard input" if files == ("-",) else ", ".join(files)
    if not told:
        return f"those in {names}"
    more = f"; and {len(told) - _SHOWN} more, see --json" if len(told) > _SHOWN else ""
    return f"made of {names} ({'; '.join(told[:_SHOWN])}{more})"


def _document(
    status: int, lines: list[str], claim: Any, told: list[str], unused: list[str]
) -> dict[str, Any]:
    about = dict.fromkeys(("verdict", "target", "labels", "columns", "fit_intercept", "sha256"))
    rows = left_out = None
    if status != 1:
        about = {name: claim.get(name) for name in about}
        left_out = len(claim["dropped"])
        rows = claim["rows"] - left_out
    errors = status != 1 and claim["schema"] == verify_errors.SCHEMA
    return {
        "accepted": status == 0,
        "reason": lines[0].removeprefix("REJECTED: ") if status == 1 else None,
        "sentence": lines[0],
        **about,
        **(verify_errors.figures(claim) | _among(claim) if errors else {}),
        "coefficient_signs": None if status == 1 or errors else _signs(claim),
        "rows": rows,
        "rows_left_out": left_out,
        "columns_not_used": unused,
        "about": None if status == 1 else lines[1],
        "numbers": None if status == 1 else lines[2],
        "transformations": told,
    }


def _among(claim: Any) -> dict[str, Any]:
    """The rules that it is about: all, or those whose weight on one column has not this sign."""
    if claim["column"] is None:
        return {"column": None, "weight_is_not": None}
    j, sign = claim["column"]
    return {"column": claim["columns"][j], "weight_is_not": "negative" if sign > 0 else "positive"}


def _signs(claim: Any) -> Any:
    """As `certify --json` has them; of many classes by class."""
    from rosenblatt._certify.parts import class_coefficient_signs, coefficient_signs

    many = len(claim["labels"]) > 2
    return class_coefficient_signs(claim) if many else coefficient_signs(claim)


def _numbers(
    claim: dict[str, Any],
    files: tuple[str, ...],
    reading: dict[str, Any],
    told: list[str],
    unused: list[str],
) -> Any:
    """The rows and labels that it is about, and columns beside them; what was done to them is
    `told`, and which columns of the table are `unused`."""
    from rosenblatt import data
    from rosenblatt._certify.families import Beside
    from rosenblatt.data.files import is_svmlight
    from rosenblatt.data.transformation import reread

    decimal = claim["numbers"] == "decimal"
    if is_svmlight(list(files)):
        table: Any = data.read(list(files))
        table.refuse_rounded(None, decimal=decimal)
        X, y, _ = table.encode(scale=False)
        return X, y, None
    preprocessing, reader = _preprocessing(claim, files, reading)
    X, y, left_out, done = reread(reader, preprocessing, decimal=decimal)
    if not set(left_out.tolist()) <= set(claim["dropped"]):
        raise InputError("The certificate counts rows that have no label in this table.")
    told += done
    beside = {role: verify.column_of(claim, role) for role in verify.roles(claim)}
    family = claim.get("family", {"name": "logistic"})["name"]
    _, columns = Beside.of(None, family, None, **_common.columns_beside(reader, beside, left_out))
    used = {*preprocessing.inputs, claim["target"], *beside.values()}
    unused += [name for name in reader.names if name not in used]
    names = preprocessing.feature_names
    if names == claim["columns"]:
        return X, y, columns
    place = {name: j for j, name in enumerate(names)}
    return X[:, [place[name] for name in claim["columns"]]], y, columns


def _preprocessing(
    claim: dict[str, Any], files: tuple[str, ...], reading: dict[str, Any]
) -> tuple[Preprocessing, Reader]:
    """As the certificate says; for one made from arrays or frames, columns by name."""
    from rosenblatt import data
    from rosenblatt.data.open_table import OpenTable, open_table
    from rosenblatt.data.options import FileOptions, ReadOptions

    names, target = claim["columns"], claim["target"]
    if "preprocessing" in claim:
        preprocessing = data.Preprocessing.from_dict(claim["preprocessing"])
        if (
            preprocessing.feature_names != names
            or getattr(preprocessing.target, "name", None) != target
        ):
            raise InputError(
                "The certificate contradicts itself: its preprocessing gives other "
                "columns than it has."
            )
        return preprocessing, preprocessing.reader(list(files), FileOptions.of(**reading))
    opened = open_table(list(files), ReadOptions.of(**reading))
    assert isinstance(opened, OpenTable)  # svmlight is read before
    lacking = [name for name in (*names, target) if name not in opened.names]
    there = f"no column {lacking[:1]}; the columns are {list(opened.names[:20])}"
    verify.demand(not lacking, there, verify.Unreadable)
    others = tuple(column for column in opened.names if column not in (target, *names))
    table = opened.with_options(target=target, ignore=others).read()
    preprocessing = table.preprocessing(identifiers=True)
    if sorted(preprocessing.feature_names) != sorted(names):
        raise InputError(
            f"The certificate is about the columns {', '.join(map(repr, names))}, but the table "
            f"gives {', '.join(map(repr, preprocessing.feature_names))}."
        )
    return preprocessing, table.reader
