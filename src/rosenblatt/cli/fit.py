"""rosenblatt fit: from a table to an honest error, a rule, a verdict and a report."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command

if TYPE_CHECKING:
    from collections.abc import Iterable


INTERRUPTED = 130
_BOLD = ("Test cost", "Balanced", "Test error", "Warning", "Rerun")


@click.command(cls=Command)
@_options.table_options
@click.option(
    "-o", "--output", metavar="FOLDER", help="Folder to write.  [default: FILE-rosenblatt]"
)
@_options.seed_option(
    "Seed of all random choices: how rows are divided and shuffled.",
)
@click.option(
    "--cv",
    type=int,
    metavar="K",
    help="Nested K-fold cross-validation, for small tables.  [default: one division into training, "
    "validation and test rows]",
)
@click.option(
    "--group",
    "groups",
    metavar="COLUMN",
    help="Keep rows with the same value in this column together: never one in training and "
    "another in the test.  [default: rows are divided one by one]",
)
@click.option(
    "--split-by-time",
    metavar="COLUMN",
    help="Train on the earliest rows and test on the latest, by the dates or numbers in this "
    "column, which is not learned from.  [default: rows are divided at random]",
)
@click.option(
    "--cost",
    "costs",
    multiple=True,
    metavar="ACTUAL:PREDICTED=NUMBER",
    help="Cost of one kind of error: with yes:no=5, predicting no for a yes costs 5 (repeatable).  "
    "[default: every error costs 1]",
)
@_options.sign_option(
    "Of two labels: demand a weight on COLUMN that is not negative (COLUMN:-: not positive), for "
    "the positive label, and say what that costs (repeatable). With --scorecard: of points.  "
    "[default: none]"
)
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Give the rows of rare labels more weight in training.  [default: the same weight]",
)
@click.option(
    "--objective",
    type=click.Choice(["error", "cost", "balanced"]),
    help="What the chosen rule minimises: the error rate, the cost of errors, or the mean of the "
    "labels' error rates.  [default: cost with --cost, balanced with --class-weight, else error]",
)
@click.option(
    "--linear-only/--no-linear-only",
    default=None,
    help="Never choose a kernel rule, or choose one whenever it wins.  [default: choose it only if "
    "it wins by a standard error]",
)
@_options.flag(
    "--scorecard",
    "Make a scorecard: a few terms, each worth whole points, added up by hand.  [default: a "
    "weight for each feature]",
)
@click.option(
    "--max-points",
    type=int,
    metavar="N",
    help="With --scorecard: the most points that a term may be worth.  [default: 5]",
)
@click.option(
    "--max-terms",
    type=int,
    metavar="K",
    help="With --scorecard: the most terms that the scorecard may have.  [default: 5]",
)
@click.option(
    "--comparison/--no-comparison",
    default=None,
    help="Compare with logistic regression and gradient boosting however large the table is, or "
    "not at all.  [default: compare if the table is not too large]",
)
@_options.flag(
    "--no-retrain",
    "Test the chosen rule as it is after training on three fifths of the rows.  [default: it "
    "is trained again on four fifths]",
)
@_options.flag(
    "--private",
    "Write nothing derived from individual rows, for confidential tables.",
)
@_options.flag(
    "--embed-data",
    "Put all rows into the report, so that the page checks the whole proof when it is opened. "
    "Whoever gets the report gets the data.",
)
@_options.flag(
    "--thorough",
    "Also: the fewest errors that any linear rule makes, weights whose sign is forced, second "
    "opinions about test rows, and a bound on the error by one pass. Takes some seconds more.",
)
@_options.seconds_option(
    "--time-limit",
    "Stop the separability check after SECONDS; its verdict is then undecided.  [default: 10]",
)
@_options.flag(
    "--stream",
    "Train from disk (out-of-core), for tables larger than memory.",
)
@click.option(
    "--cache",
    metavar="FOLDER",
    help="With --stream: folder for the encoded rows.  [default: the user's cache folder]",
)
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Save the state of training here; the same command resumes it.  [default: not saved]",
)
@_options.seconds_option(
    "--checkpoint-every",
    "With --checkpoint: seconds between checkpoints.  [default: 60]",
)
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Train the candidates at the same time on a Dask cluster, such as tcp://scheduler:8786, "
    "or on ray; implies --stream.  [default: one after the other, here]",
)
@_options.flag(
    "--force",
    "Replace the folder even if rosenblatt did not write its files.  [default: only what an "
    "earlier rosenblatt fit wrote is replaced]",
)
@_options.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    out: _common.Output,
    **options: Any,
) -> int:
    """Train a classifier on a table, estimate its error, and write a report.

    Several candidates learn from three fifths of the rows (training). The next fifth (validation)
    chooses the best one, which then learns again from both. The last fifth (test) is used once, to
    estimate its error on new rows.

    The folder has report.html, model.json for `rosenblatt predict`, and certificate.json: the proof
    whether a linear rule can be right about all rows. It replaces the folder of an earlier fit.
    Ctrl-C saves partial results and exits with 130.

    \b
    Examples:
      rosenblatt fit credit.csv --target card
      rosenblatt fit credit.csv --target card --scorecard -o scorecard
    """
    from rosenblatt._study import folder as folders

    opened = _common.open_table(files, options)
    for name in ("groups", "split_by_time"):
        if options[name] is not None:
            opened.check_column(name, options[name])
    options["signs"] = _options.signs_of(options["signs"])
    options |= {"retrain": not options.pop("no_retrain")}
    folder = output if output is not None else folders.default_folder(files)
    force = force or folders.is_ours(folder)
    folders.check(folder, force=force, checkpoint=options["checkpoint"])

    from rosenblatt._study.options import Options
    from rosenblatt._study.reading import of_files
    from rosenblatt._study.study import StudyInterrupted, studied
    from rosenblatt._util.progress import to_the_end
    from rosenblatt.report.terminal import detail_lines, short_lines

    try:
        study = studied(of_files(files, opened), Options.of(**options), quiet=out.quiet)
    except StudyInterrupted as stopped:
        study = stopped.study
    with to_the_end():
        study.save(folder, force=force)
    for what, seconds in study.seconds.items():
        out.say_detail(f"{what}: {seconds:.2f} s")
    if out.as_json:
        _common.print_json("fit", dict(study.to_dict()))
    else:
        _show(short_lines(study.to_dict()))
        if out.verbose:
            _show(chain([("", "")], detail_lines(study.to_dict())))
    if study.interrupted:
        resume = " To resume, run the same command again." if options["checkpoint"] else ""
        _common.say_error(f"Interrupted: {folder} has what was found so far.{resume}")
        return INTERRUPTED
    return 0


def _show(lines: Iterable[tuple[str, str]]) -> None:
    import shutil
    import sys

    from rosenblatt.report.terminal import WIDTH, wrapped

    plain = _common.plain(sys.stdout)
    width = WIDTH if not sys.stdout.isatty() else max(60, shutil.get_terminal_size().columns)
    for subject, head, line in wrapped(lines, width):
        strong = subject in _BOLD and not plain
        click.echo(head + (click.style(line, bold=True) if strong else line))
