"""rosenblatt fit: from a table to an honest error, a rule, a verdict and a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common, _fit_again, _fit_folder

if TYPE_CHECKING:
    from rosenblatt.cli._fit_checkpoints import Checkpoints
    from rosenblatt.cli._fit_content import Data, Fit
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
@click.option("--stream", is_flag=True, help="For tables that memory cannot hold: rows on disk.")
@click.option("--cache", metavar="FOLDER", help="Where these are. [default: the user's cache]")
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
    stream: bool,
    cache: str | None,
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
    _check_stream(stream, cache, cv, group)
    folder = output if output is not None else _fit_folder.default_folder(files)
    _fit_folder.check_folder(folder, force=force)
    checkpoints = _checkpoints(checkpoint, checkpoint_every, folder)
    with _common.bar(quiet=quiet) as now:

        def progress(done: int, total: int, name: str) -> None:
            now(f"training: {name}", done, total + 3)

        how: dict[str, Any] = {"seed": seed, "checkpoints": checkpoints, "progress": progress}
        if stream:
            from rosenblatt.cli import _fit_stream

            work = _fit_stream.work_on(files, reading, cache=cache, now=now, **how)
        else:
            with _common.shows_reading(now):
                work, groups = _fit_work.read(files, reading, group)
            _fit_work.compare(work, groups=groups, cv=cv, kernel=not no_rows, **how)
        _fit_work.decide(work, time_limit=time_limit, now=now)
    options = _fit_again.options(seed, cv, group, no_rows, time_limit, stream, reading)
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


def _check_stream(stream: bool, cache: str | None, cv: int | None, group: str | None) -> None:
    if cache is not None and not stream:
        raise click.UsageError("--cache is the folder of --stream: give both, or none.")
    if stream and (cv is not None or group is not None):
        option, why = ("--group", "keeps rows together") if group else ("--cv", "is for few rows")
        raise click.UsageError(
            f"{option} {why}, and --stream divides rows one by one, by their numbers: give one of "
            "them."
        )


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
    rows = len(selection.train)
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
        "split": parts.split(selection, group, stream="--stream" in options),
        "candidates": parts.candidates(selection),
        "error": parts.error(selection),
        "rule": rule,
        "learning": evidence.learning(estimator, X, y, rows),
        "margins": evidence.margins(estimator, X, y, rows),
        "confusion": parts.confusion(selection),
        "hardest_rows": [] if no_rows else evidence.hardest_rows(work, X, rule["terms"]),
        "verdict": certificate and parts.verdict(certificate, rows=not no_rows),
        "unasked": work.unasked,
        "training": None
        if work.of_training is None
        else parts.training(work.of_training, rows, getattr(estimator, "n_updates_", None)),
        "proof": work.proof,
        "reproduce": _fit_again.reproduce(files, written, folder, options, reading, linear),
        "files": written,
    }
    found: Any = _common.document_of("fit", content)
    checked: Fit = found
    return checked


def _data(work: Work, files: tuple[str, ...], ignored: list[str]) -> Data:
    from rosenblatt.cli import _fit_parts, _fit_warnings
    from rosenblatt.cli._fit_content import LISTED

    assert work.selection is not None
    rows = sum(work.counts.values())
    warnings = _fit_warnings.column_warnings(work.X, work.y, work.encoding, work.certificate, rows)
    return {
        "files": list(files),
        "rows": rows,
        "columns": work.X.shape[1] if work.encoding is None else len(work.encoding.columns),
        "features": work.names[:LISTED],
        "n_features": len(work.names),
        "classes": list(work.counts),
        "counts": work.counts,
        "target": work.target,
        "ignored": ignored,
        "encoding": _fit_parts.encoded_columns(work.learned),
        "warnings": warnings + _fit_warnings.result_warnings(work.selection, work.counts),
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
