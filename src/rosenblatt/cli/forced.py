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


def signs(
    X: Any,
    y: Any,
    weights: Any,
    bracket: ErrorBracket | None,
    seconds: float,
    encoding: Any,
    *,
    quiet: bool,
) -> SignReport:
    from rosenblatt import forced_signs

    errors: Any = 0 if bracket is None else bracket.upper
    with _common.working("looking for signs that the rows force", quiet=quiet):
        return forced_signs(
            X,
            y,
            errors=errors,
            sample_weight=weights,
            time_limit=seconds or _SECONDS,
            encoding=encoding,
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
    if not documents:
        _common.say(
            "--proofs: no bound on the errors and no sign was proved here, so nothing was written.",
            quiet=quiet,
        )
        return
    from rosenblatt._minimum.proof_file import save

    make_folder(Path(folder))
    for name, document in documents.items():
        save(document, Path(folder) / name)
    _common.say(f"The proofs are in {folder}: {', '.join(documents)}.", quiet=quiet)
