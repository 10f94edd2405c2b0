"""rosenblatt trace: train on a table, and show every update."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import click

from rosenblatt._util.text import of_files
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Trace


# The keys of ORDERS and KEEPS, and the kinds of rules: their modules would make --help slow.
_ORDERS = ("cyclic", "shuffle", "fixed", "blocks", "mixed", "random", "batch")
_KEEPS = ("last", "best", "pocket", "average", "vote", "auto")
_TIES = ("mistake", "positive", "negative")
_FORMATS = ("table", "markdown", "latex")
_RULES = ("perceptron", "PA-I", "PA-II", "AROW")


@click.command(cls=Command)
@_options.table_options
@_options.flag("--steps", "Explain every step in words, with its numbers.")
@_options.flag("--check", "Test the inequalities of the convergence proofs on this run.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="table",
    show_default=True,
    help="How the table of updates is written.",
)
@_options.choice(
    "--rule", _RULES, "perceptron", "Learning rule; PA-I and PA-II are PassiveAggressive."
)
@click.option(
    "-C",
    "C",
    type=float,
    metavar="C",
    help="With PA-I or PA-II: aggressiveness; larger means larger steps.  [default: 1]",
)
@click.option(
    "--r",
    type=float,
    metavar="R",
    help="With AROW: regularisation; larger means smaller steps.  [default: from the rows' size]",
)
@_options.choice("--order", _ORDERS, "cyclic", "Order in which rows are visited.")
@_options.choice("--keep", _KEEPS, "last", "Which weights are returned at the end.")
@click.option("--eta0", type=float, help="With the perceptron: learning rate.  [default: 1]")
@click.option(
    "--margin",
    type=float,
    help="With the perceptron: update also on correct rows with a margin of at most this.  "
    "[default: 0]",
)
@click.option(
    "--tie",
    type=click.Choice(_TIES),
    help="With the perceptron: what a score of 0 is: a mistake, or the score of a positive or a "
    "negative row.  [default: mistake]",
)
@_options.flag("--no-intercept", "Train a hyperplane through the origin, without intercept.")
@click.option(
    "--max-iter",
    type=int,
    help="Stop after this many epochs.  [default: 1000 for the perceptron, 10 for other rules]",
)
@click.option(
    "--max-updates", type=int, metavar="K", help="Stop after K updates.  [default: no limit]"
)
@_options.seed_option(
    "Seed of the orders that are random: shuffle, fixed, blocks, mixed and random.",
)
@_options.flag("--scale", "Standardise numbers before training.")
@_options.file_option("-o", "--output", help="Write the trace to FILE as JSON.")
@_options.file_option(
    "--html", help="Write a page to FILE in which the training can be stepped through."
)
@_options.file_option(
    "--gif", "gif", help="Write an animated GIF of the training in the plane to FILE."
)
@_options.force_option
@_options.output_options
def command(
    files: tuple[str, ...],
    steps: bool,
    check: bool,
    form: str,
    rule: str,
    scale: bool,
    output: str | None,
    html: str | None,
    gif: str | None,
    force: bool,
    out: _common.Output,
    **options: Any,
) -> int:
    """Train on a small table and show every update.

    Rows are counted from 1, without the header; in JSON and on the page from 0.

    \b
    Examples:
      printf 'x1,x2,y\\n3,3,1\\n4,3,1\\n1,1,-1\\n' > toy.csv
      rosenblatt trace toy.csv --target y --steps
      rosenblatt trace toy.csv --target y --check --format latex
      rosenblatt trace toy.csv --target y --check --rule AROW
    """
    opened = _common.open_table(files, options)
    outputs = [path for path in (output, html, gif) if path is not None]
    if len(set(outputs)) < len(outputs):
        twice = next(path for path in outputs if outputs.count(path) > 1)
        raise InputError(f"-o, --html and --gif need different files; {twice} is given twice.")
    for path in outputs:
        _common.check_output(path, files, force=force)
    estimator = _estimator(rule, options)
    if html is not None and rule != "perceptron":
        raise InputError("--html works with --rule perceptron only: leave out --html or --rule.")

    with out.reading():
        X, y, preprocessing = opened.read().encode(scale=scale)
    if html is not None:
        from rosenblatt.play.html_page import check_classes

        check_classes(len(set(y.tolist())))
    trace = _trained(estimator, X, y, preprocessing, out)
    if output is not None:
        trace.to_json(output)
        out.say(f"The trace is in {output}.")
    if html is not None:
        trace.play(html, show=False)
        out.say(f"The page is in {html}.")
    if gif is not None:
        from rosenblatt.plots import animate

        animate(trace, gif)
        out.say(f"The film is in {gif}.")
    with of_files(not out.as_json):
        checked = trace.check() if check else None
        if out.as_json:
            content: dict[str, Any] = {"files": list(files), "trace": json.loads(trace.to_json())}
            if checked is not None:
                content["check"] = [vars(claim) for claim in checked.claims]
            _common.print_json("trace", content)
            return 0
        table = {"table": trace.__str__, "markdown": trace.to_markdown, "latex": trace.to_latex}
        _common.print_text(trace.steps() if steps else table[form]())
        if checked is not None:
            _common.print_text(f"\n{checked}")
    return 0


_COMMON = ("order", "keep", "max_updates", "random_state")
_TAKES = {
    "perceptron": ("eta0", "margin", "tie", "max_iter"),
    "PA-I": ("C", "max_iter"),
    "PA-II": ("C", "max_iter"),
    "AROW": ("r", "max_iter"),
}
_OPTIONS = {"C": "-C", "r": "--r", "eta0": "--eta0", "margin": "--margin", "tie": "--tie"}


def _estimator(rule: str, options: dict[str, Any]) -> Any:
    """Without parameters that are left to its defaults; an option of another rule is an error."""
    from rosenblatt import AROW, PassiveAggressive, Perceptron

    own = {n: options[n] for n in (*_OPTIONS, "max_iter") if options[n] is not None}
    for name in own:
        if name not in _TAKES[rule]:
            raise InputError(
                f"{_OPTIONS[name]} does not go with --rule {rule}, which takes "
                f"{', '.join(_OPTIONS[n] for n in _TAKES[rule] if n in _OPTIONS)}."
            )
    if rule != "perceptron" and options["order"] == "batch":
        raise InputError(
            f"--order batch goes with --rule perceptron only: {rule} updates row by row."
        )
    own |= {name: options[name] for name in _COMMON}
    own["fit_intercept"] = not options["no_intercept"]
    if rule.startswith("PA-"):
        return PassiveAggressive(loss="hinge" if rule == "PA-I" else "squared_hinge", **own)
    return {"perceptron": Perceptron, "AROW": AROW}[rule](**own)


def _trained(estimator: Any, X: Any, y: Any, preprocessing: Any, out: _common.Output) -> Trace:
    from rosenblatt import trace

    names = None if preprocessing is None else preprocessing.feature_names
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with out.working(f"training on {X.shape[0]:,} rows"):
            trained = trace(estimator, X, y, feature_names=names)
    for warning in caught:
        out.say(str(warning.message))
    return trained
