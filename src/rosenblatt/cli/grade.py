"""rosenblatt grade: check students' programs, update by update."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from rosenblatt.teach.report import Report

# The names in rosenblatt.teach: its modules would make --help slow.
_TASKS = ("pla", "pocket", "averaged", "dual", "kernel")
_NOTES = ("li-hang", "mit", "ntu", "cornell")
_LABELS = {"-1,1": (-1, 1), "0,1": (0, 1)}


@click.command(cls=Command)
@click.argument("submission", metavar="FILE.py[:FUNCTION]")
@_options.choice("--task", _TASKS, "pla", "Algorithm that the function should be.")
@_options.choice("--notes", _NOTES, "li-hang", "Lecture notes whose conventions hold.")
@_options.choice("--labels", list(_LABELS), "-1,1", "The two labels in y.")
@click.option(
    "--layout",
    type=click.Choice(("rows", "columns")),
    help="What a point is in X.  [default: as in the notes]",
)
@click.option(
    "--tie",
    type=click.Choice(("mistake", "positive", "negative")),
    help="How a score of 0 counts.  [default: as in the notes]",
)
@click.option(
    "--order",
    type=click.Choice(("any", "cyclic", "shuffle")),
    help="Order of the updates; shuffle: a new one in every epoch.  [default: as in the notes]",
)
@click.option(
    "--intercept/--no-intercept",
    "fit_intercept",
    default=None,
    help="Whether there is an intercept b.  [default: as in the notes]",
)
@click.option(
    "--points", type=float, default=10.0, show_default=True, help="Points for a correct program."
)
@click.option(
    "--hints",
    type=click.IntRange(0, 3),
    default=3,
    show_default=True,
    help="How much the report says: 0: right or not; 1: where to look; 2: the mistake; 3: also the "
    "first wrong step.",
)
@click.option(
    "--seed",
    "random_state",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed by which columns of the tables are permuted and change their signs.",
)
@click.option(
    "--time", "seconds", type=float, default=20.0, show_default=True, help="Seconds for a program."
)
@_options.file_option("--gradescope", help="Write results.json for Gradescope to FILE.")
@_options.file_option("--otter", help="Write results for Otter-Grader to FILE as JSON.")
@_options.file_option("--junit", help="Write JUnit XML to FILE.")
@_options.flag("--exit-code", "Exit with 1 if a program is not correct.")
@_options.force_option
@_options.output_options
def command(
    submission: str,
    labels: str,
    hints: int,
    seconds: float,
    gradescope: str | None,
    otter: str | None,
    junit: str | None,
    exit_code: bool,
    force: bool,
    out: _common.Output,
    **assignment: Any,
) -> int:
    """Compare a program with the definition in the notes, update by update, and name its mistake.

    The function is train(X, y), which returns w, b; or a generator of i, w, b; or it has a
    parameter record, and calls record(i, w, b) after every update; or it is update(w, b, x, y).
    :FUNCTION can be left out if the file has only one function, or only one that begins with X and
    y. With a folder in place of FILE.py, all programs in it are checked.

    Each program runs in its own process, with limits on time, memory, processes and output. With
    bubblewrap it has no network, and files are read-only; without it, a warning says so first.

    \b
    Examples:
      rosenblatt grade hw.py:my_perceptron
      rosenblatt grade hw.py:train --task averaged --notes mit --hints 1
      rosenblatt grade submissions/:my_perceptron --junit marks.xml
    """
    from rosenblatt._util.progress import progress, shown, stage
    from rosenblatt._validation.parameters import positive
    from rosenblatt.teach import sandbox
    from rosenblatt.teach.check import Assignment, named
    from rosenblatt.teach.report import to_junit, write_json

    path, name = named(submission)
    files = _programs(path)
    for target in (gradescope, otter, junit):
        _common.check_output(target, tuple(map(str, files)), force=force)
    if len(files) > 1 and (gradescope or otter):
        raise InputError(
            "--gradescope and --otter are about one program; --junit and --json take a folder."
        )
    positive("points", assignment["points"])
    made = Assignment.of(labels=_LABELS[labels], **assignment)
    limits, where = sandbox.Limits(positive("time", seconds)), sandbox.isolation()
    out.say(str(where)[0].upper() + str(where)[1:] + ".")
    reports: list[tuple[str, Report]] = []
    with shown(quiet=out.quiet), stage("grading"):
        for k, file in enumerate(files):
            progress(f"{k + 1} of {len(files)}: {file.name}")
            reports.append((str(file), made.grade(file, name, limits, where)))
    first = reports[0][1]
    if gradescope is not None:
        write_json(first.to_gradescope(hints), Path(gradescope))
    if otter is not None:
        write_json(first.to_otter(hints), Path(otter))
    if junit is not None:
        Path(junit).write_text(to_junit(reports, hints), encoding="utf-8")
    if out.as_json:
        each = [{"file": file, **report.to_dict()} for file, report in reports]
        _common.print_json("grade", {"isolation": str(where), "submissions": each})
    else:
        for program, report in reports:
            which = f"{program}: " if path.is_dir() else ""
            _common.print_text(which + report.words(hints))
    return int(exit_code and not all(report.ok for _, report in reports))


def _programs(path: Path) -> list[Path]:
    if not path.exists():
        raise MissingFileError(f"There is no file {path}.")
    if not path.is_dir():
        return [path]
    found = sorted(p for p in path.rglob("*.py") if p.is_file())
    if not found:
        raise MissingFileError(f"There is no program in {path}: no file ends in .py.")
    return found
