"""rosenblatt fit: from a table to an honest error, a rule, a verdict and a report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common, _fit_folder

if TYPE_CHECKING:
    from rosenblatt.cli._fit_checkpoints import Checkpoints
    from rosenblatt.cli._fit_content import Data, Fit, Reproduce
    from rosenblatt.cli._fit_work import Work

INTERRUPTED = 130
_EVERY = 60.0  # seconds


@click.command()
@_common.table_options
@click.option("-o", "--output", metavar="FOLDER", help="Where to write. [default: FILE-rosenblatt]")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@click.option("--cv", type=click.IntRange(2), metavar="K", help="For few rows: K folds, nested.")
@click.option("--group", metavar="COLUMN", help="Rows with equal values here stay together.")
@click.option("--no-rows", is_flag=True, help="Nothing that comes from single rows is written.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Of the verdict: or undecided.")
@click.option("--checkpoint", metavar="FOLDER", help="Killed, the same command goes on from here.")
@click.option(
    "--checkpoint-every",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="From one writing of it to the next. [default: 60]",
)
@_common.force_option
@_common.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    seed: int,
    cv: int | None,
    group: str | None,
    no_rows: bool,
    time_limit: float | None,
    checkpoint: str | None,
    checkpoint_every: float | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """From a table to an honest error, a rule, a verdict with its proof, and files of all that.

    Three fifths of the rows train, one fifth chooses among the candidates, one fifth tests the
    chosen rule, once. The verdict is about all rows; margins are those of the training rows. Ctrl-C
    writes what there is and exits with 130.

    \b
    rosenblatt fit loans.csv --target approved
    """
    from rosenblatt.cli import _fit_words, _fit_work

    _common.need_target(files, reading)
    folder = output if output is not None else _fit_folder.default_folder(files)
    _fit_folder.check_folder(folder, force=force)
    checkpoints = _checkpoints(checkpoint, checkpoint_every, folder)
    with _bar(quiet) as now:
        now("reading", 0, 1)
        work, groups = _fit_work.read(files, reading, group)
        _fit_work.compare(
            work,
            groups=groups,
            cv=cv,
            seed=seed,
            kernel=not no_rows,
            checkpoints=checkpoints,
            progress=lambda done, total, name: now(f"training: {name}", done, total + 3),
        )
        _fit_work.decide(work, time_limit=time_limit, now=now)
    options = _options(seed, cv, group, no_rows, time_limit, reading)
    with work.timed("describing and writing"), _to_the_end():
        found = _content(work, files, folder, options, group, no_rows, reading)
        _write(work, found, folder, force)
    for what, seconds in work.seconds.items():
        _common.say(f"{what}: {seconds:.2f} s", quiet=not verbose)
    if as_json:
        _common.print_json("fit", dict(found))
    else:
        _fit_words.show(found)
    if work.interrupted:
        on = "" if checkpoints is None else " The same command with --force goes on."
        _common.say_error(f"Interrupted: {folder} has what there was.{on}")
        return INTERRUPTED
    if checkpoints is not None:
        checkpoints.remove()
    return 0


def _checkpoints(folder: str | None, every: float | None, output: str) -> Checkpoints | None:
    from rosenblatt.cli._fit_checkpoints import Checkpoints

    if folder is None:
        if every is not None:
            raise click.UsageError("--checkpoint-every is about a folder: --checkpoint FOLDER.")
        return None
    return Checkpoints(folder, _EVERY if every is None else every, output=output)


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Ctrl-C does not stop the writing of what there is: a matter of seconds."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(quiet: bool) -> Iterator[Any]:
    """One progress bar on a terminal: now(what, done, total), or now(what) for one step more."""
    if quiet or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=20),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1)

        def now(what: str, done: int | None = None, total: int | None = None) -> None:
            if done is None:
                bar.update(task, description=what, advance=1)
            else:
                bar.update(task, description=what, completed=done, total=total)

        yield now


# --- What was found ------------------------------------------------------------------------------


def _content(
    work: Work,
    files: tuple[str, ...],
    folder: str,
    options: list[str],
    group: str | None,
    no_rows: bool,
    reading: dict[str, Any],
) -> Fit:
    from rosenblatt.cli import _fit_evidence as evidence
    from rosenblatt.cli import _fit_parts as parts
    from rosenblatt.cli._fit_work import training_rows
    from rosenblatt.cli.doctor import core

    selection, certificate = work.selection, work.certificate
    assert selection is not None
    estimator = selection.estimator
    X, y = training_rows(work)
    ignored = [*reading["ignore"], *([group] if group else [])]
    data = _data(work, files, ignored)
    written = {"model": f"{folder}/model.json"}
    # Its proof that no hyperplane separates names a point that may be one person's row.
    if certificate is not None and not (no_rows and certificate.conflict is not None):
        written["certificate"] = f"{folder}/certificate.json"
    written["report"] = f"{folder}/report.html"
    rule = parts.rule(selection, X, work.names, work.learned, data["target"])
    linear = bool(rule["terms"])
    content = {
        "interrupted": work.interrupted,
        "rosenblatt": core(),
        "data": data,
        "split": parts.split(selection, group),
        "candidates": parts.candidates(selection),
        "error": parts.error(selection),
        "rule": rule,
        "learning": evidence.learning(estimator, X, y),
        "margins": evidence.margins(estimator, X, y),
        "confusion": parts.confusion(selection),
        "hardest_rows": [] if no_rows else evidence.hardest_rows(work, X, rule["terms"]),
        "verdict": certificate and parts.verdict(certificate, rows=not no_rows),
        "training": None
        if work.of_training is None
        else parts.training(work.of_training, len(y), getattr(estimator, "n_updates_", None)),
        "proof": work.proof,
        "reproduce": _reproduce(files, written, folder, options, reading, linear),
        "files": written,
    }
    found: Any = _common.document_of("fit", content)
    checked: Fit = found
    return checked


def _data(work: Work, files: tuple[str, ...], ignored: list[str]) -> Data:
    import numpy as np

    from rosenblatt.cli import _fit_parts, _fit_warnings
    from rosenblatt.cli._fit_content import LISTED

    assert work.selection is not None
    labels, counts = np.unique(work.y, return_counts=True)
    names = [str(label) for label in labels.tolist()]
    by_label = dict(zip(names, counts.tolist(), strict=True))
    warnings = _fit_warnings.column_warnings(work.X, work.y, work.encoding, work.certificate)
    return {
        "files": list(files),
        "rows": len(work.y),
        "columns": work.X.shape[1] if work.encoding is None else len(work.encoding.columns),
        "features": work.names[:LISTED],
        "n_features": len(work.names),
        "classes": names,
        "counts": by_label,
        "target": work.target,
        "ignored": ignored,
        "encoding": _fit_parts.encoded_columns(work.learned),
        "warnings": warnings + _fit_warnings.result_warnings(work.selection, by_label),
    }


def _write(work: Work, found: Fit, folder: str, force: bool) -> None:
    from rosenblatt import save
    from rosenblatt.report import render

    assert work.selection is not None
    with _fit_folder.whole_folder(folder, force=force) as part:
        save(work.selection.estimator, part / "model.json", encoding=work.learned)
        if "certificate" in found["files"] and work.certificate is not None:
            work.certificate.save(part / "certificate.json")
        (part / "report.html").write_text(render(dict(found)), encoding="utf-8")


# --- To do it again ------------------------------------------------------------------------------


def _options(
    seed: int,
    cv: int | None,
    group: str | None,
    no_rows: bool,
    time_limit: float | None,
    reading: dict[str, Any],
) -> list[str]:
    """The options that the result depends on, as they would be typed."""
    one = {"target": reading["target"], "positive": reading["positive"]}
    one |= {"impute": reading["impute"], "cv": cv, "group": group, "time-limit": time_limit}
    found = [f"--{name}={value}" for name, value in one.items() if value is not None]
    found += [f"--ignore={name}" for name in reading["ignore"]]
    return [*found, *_how_to_read(reading), *(["--no-rows"] if no_rows else []), f"--seed={seed}"]


def _how_to_read(reading: dict[str, Any]) -> list[str]:
    found = [f"--missing={text}" for text in reading["missing"]]
    found += [] if reading["charset"] is None else [f"--charset={reading['charset']}"]
    return found + ([] if reading["header"] else ["--no-header"])


def _reproduce(
    files: tuple[str, ...],
    written: dict[str, str],
    folder: str,
    options: list[str],
    reading: dict[str, Any],
    linear: bool,
) -> Reproduce:
    again = ["rosenblatt", "fit", *files, *options, "-o", folder]
    verify = None
    if "certificate" in written:
        check = ["rosenblatt", "verify", written["certificate"], *files, *_how_to_read(reading)]
        verify = shlex.join(check)
    suffix = "".join(Path(files[0]).suffixes) or ".csv"
    new = ["rosenblatt", "predict", written["model"], f"new{suffix}"]
    return {
        "command": shlex.join(again),
        "seed": int(options[-1].removeprefix("--seed=")),
        "verify": verify,
        "predict": shlex.join([*new, *(["--explain"] if linear else [])]),
    }
