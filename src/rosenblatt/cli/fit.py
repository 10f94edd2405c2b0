"""rosenblatt fit: from a table to an honest error, a rule, a verdict and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rosenblatt._study.document import Beginning

INTERRUPTED = 130
_BOLD = ("error", "rule", "warning")


@click.command()
@_common.table_options
@click.option("-o", "--output", metavar="FOLDER", help="Where to write. [default: FILE-rosenblatt]")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the division of rows and all orders."
)
@click.option(
    "--cv", type=int, metavar="K", help="Nested K-fold cross-validation, for small tables."
)
@click.option("--group", metavar="COLUMN", help="Rows with equal values here stay together.")
@click.option(
    "--cost",
    "costs",
    multiple=True,
    metavar="ACTUAL:PREDICTED=NUMBER",
    help="Price of an error, as yes:no=5: a yes called no costs 5; others cost 1. Repeatable.",
)
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Training weighs the rows of each label by how rare it is.",
)
@click.option(
    "--objective",
    type=click.Choice(["error", "cost", "balanced"]),
    help="What chooses candidate and threshold: errors, their price, or the mean of the errors of "
    "each label. [default: cost with --cost, balanced with --class-weight, else error]",
)
@click.option(
    "--linear-only/--no-linear-only",
    default=None,
    help="Never a kernel: the rule can be shown; or one whenever it wins. [default: only if it "
    "wins by a standard error]",
)
@click.option(
    "--points",
    type=int,
    metavar="N",
    help="The rule is a card: few terms, each worth whole points up to N, added up by hand.",
)
@click.option(
    "--terms", type=int, metavar="K", help="How many terms the card may have.  [default: 5]"
)
@click.option(
    "--no-peers", is_flag=True, help="Do not compare with logistic regression and boosting."
)
@click.option(
    "--no-retrain",
    is_flag=True,
    help="Test the chosen rule as compared: it learned from three fifths of the rows.",
)
@click.option("--no-rows", is_flag=True, help="Write nothing derived from individual rows.")
@click.option(
    "--embed-data",
    is_flag=True,
    help="Put all rows into the report: it checks the whole proof when opened, and the data "
    "travel with it.",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="For the verdict, which may then be undecided. [default: 10]",
)
@click.option("--stream", is_flag=True, help="For tables larger than memory: rows go to disk.")
@click.option(
    "--cache", metavar="FOLDER", help="Where these rows are kept. [default: the user's cache]"
)
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Save training state here; rerun the same command to resume.",
)
@click.option(
    "--checkpoint-every",
    type=float,
    metavar="SECONDS",
    help="Seconds between checkpoints. [default: 60]",
)
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Train the candidates side by side on a Dask cluster, as tcp://scheduler:8786, or on ray; "
    "implies --stream.",
)
@_common.force_option
@_common.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> int:
    """From a table to an honest error, a rule, a verdict with its proof, and files of all that.

    Three fifths of the rows train, one fifth chooses among the candidates. The chosen one learns
    again, from both; one fifth tests it, once. The verdict is about all rows; margins are those of
    the rows it learned from. Ctrl-C writes what there is and exits with 130.

    \b
    rosenblatt fit loans.csv --target approved
    rosenblatt fit loans.csv --target approved --points 5
    """
    from rosenblatt._study import folder as folders

    _common.check_table(files, options)
    options |= {"peers": not options.pop("no_peers"), "retrain": not options.pop("no_retrain")}
    folder = output if output is not None else folders.default_folder(files)
    folders.check(folder, force=force, checkpoint=options["checkpoint"])

    from rosenblatt._study.options import Options
    from rosenblatt._study.result import StudyInterrupted
    from rosenblatt._study.source import source_of
    from rosenblatt._study.study import studied
    from rosenblatt._study.words import first_lines, last_lines
    from rosenblatt._support.interrupt import to_the_end

    def told(begun: Beginning) -> None:
        if not as_json:
            _show(first_lines(begun))

    source, asked = source_of(list(files), None, None, Options.of(**options))
    try:
        found = studied(source, asked, quiet=quiet, told=told)
    except StudyInterrupted as stopped:
        found = stopped.study
    with to_the_end():
        found.save(folder, force=force)
    for what, seconds in found.seconds.items():
        _common.say(f"{what}: {seconds:.2f} s", quiet=not verbose)
    if as_json:
        _common.print_json("fit", dict(found.to_dict()))
    else:
        _show(last_lines(found.to_dict()))
    if found.interrupted:
        on = " The same command with --force goes on." if options["checkpoint"] else ""
        _common.say_error(f"Interrupted: {folder} has what there was.{on}")
        return INTERRUPTED
    return 0


def _show(lines: Iterator[tuple[str, str]]) -> None:
    """One subject a line, the error and the rule in bold."""
    import shutil
    import sys

    from rosenblatt._study.words import WIDTH, wrapped

    plain = _common.plain(sys.stdout)
    width = WIDTH if not sys.stdout.isatty() else max(60, shutil.get_terminal_size().columns)
    for subject, head, line in wrapped(lines, width):
        strong = subject in _BOLD and not plain
        click.echo(head + (click.style(line, bold=True) if strong else line))
