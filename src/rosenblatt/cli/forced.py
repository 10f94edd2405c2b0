"""What the rows force, as a part of `rosenblatt certify`: signs, and proofs in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt._support.files import make_folder
from rosenblatt.cli import _common
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.error_bracket import ErrorBracket
    from rosenblatt.sign_report import SignReport

_SECONDS = 10.0  # where no other time was asked for


def check(
    proofs: str | None, signs: bool, *, decimal: bool, no_intercept: bool, force: bool
) -> None:
    """Before anything is read."""
    if signs and (decimal or no_intercept):
        raise click.UsageError(
            "--signs works for rules with an intercept on float64 numbers: leave out --decimal and "
            "--no-intercept."
        )
    if proofs is not None and Path(proofs).exists() and not force:
        raise InputError(
            f"{proofs} exists already. Give another folder, or --force to write into it."
        )


def check_columns(files: tuple[str, ...], columns: int) -> None:
    """Before any search."""
    from rosenblatt._minimum.directions import MOST_COLUMNS

    if columns > MOST_COLUMNS:
        raise InputError(
            f"--signs takes at most {MOST_COLUMNS} columns of numbers; {', '.join(files)} has "
            f"{columns:,}. Leave some out with --ignore COLUMN."
        )


def signs(
    X: Any,
    y: Any,
    weights: Any,
    bracket: ErrorBracket | None,
    seconds: float,
    encoding: Any,
    *,
    separable: bool,
    quiet: bool,
) -> SignReport:
    """Of the best rule that this search and that for the fewest errors find."""
    from rosenblatt._minimum.clock import Clock
    from rosenblatt._minimum.forced_signs import found_within

    seconds = seconds or _SECONDS
    with _common.working("looking for signs that the rows force", quiet=quiet):
        return found_within(
            Clock(seconds),
            X,
            y,
            errors=0 if separable else None,
            sample_weight=weights,
            encoding=encoding,
            longer=f"more time than {seconds:g} seconds",
            known=bracket,
        )


def describe(report: SignReport) -> dict[str, Any]:
    """For --json."""
    columns = [
        {
            "column": c.name,
            "sign": c.sign,
            "free": c.free,
            "collinear": c.collinear,
            "otherwise_at_least": c.at_least,
            "otherwise_at_most": c.at_most,
        }
        for c in report
    ]
    return {"signs": {"errors": report.errors, "columns": columns}}


def write(
    folder: str,
    bracket: ErrorBracket | None,
    report: SignReport | None,
    *,
    quiet: bool,
) -> None:
    """fewest-errors.json, and sign-1.json for the first column; each says how to read the table."""
    documents = {}
    if bracket is not None and bracket.proof == "directions":
        documents["fewest-errors.json"] = bracket.to_dict()
    for place, column in enumerate(report or (), 1):
        if column.sign is not None and report is not None:
            documents[f"sign-{place}.json"] = report.to_dict(column.name)
    groups = ""
    if bracket is not None and bracket.proof == "conflicts" and bracket.proved_lower:
        groups = (
            "The bound on the errors has no file: it is proved by groups of rows (conflicts), and "
            "only proofs by directions have one."
        )
    if not documents:
        why = groups or "No bound on the errors and no sign was proved here."
        _common.say(f"--proofs: nothing was written. {why}", quiet=quiet)
        return
    from rosenblatt._minimum.proof_file import save

    make_folder(Path(folder))
    for name, document in documents.items():
        save(document, Path(folder) / name)
    told = f"The proofs are in {folder}: {', '.join(documents)}."
    _common.say(f"{told} {groups}".rstrip(), quiet=quiet)
