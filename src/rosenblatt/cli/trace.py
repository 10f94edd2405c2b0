"""rosenblatt trace: train on a table, and show every update."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Trace

_ORDERS = ("cyclic", "shuffle", "blocks", "mixed", "random", "batch")
_KEEPS = ("last", "best", "pocket", "average", "vote")
_FORMATS = ("table", "markdown", "latex")


@click.command()
@_common.table_options
@click.option("--steps", is_flag=True, help="Every step in words, with its numbers.")
@click.option("--check", is_flag=True, help="Test the convergence proofs on it.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("--order", type=click.Choice(_ORDERS), default="cyclic", show_default=True)
@click.option("--keep", type=click.Choice(_KEEPS), default="last", show_default=True)
@click.option("--eta0", type=float, default=1.0, show_default=True, help="The learning rate.")
@click.option("--margin", type=float, default=0.0, show_default=True, help="μ.")
@click.option("--no-intercept", is_flag=True, help="A hyperplane through the origin.")
@click.option("--max-iter", type=int, default=1000, show_default=True, help="Epochs at most.")
@click.option("--max-updates", type=int, metavar="K", help="Updates at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="For shuffle and random.")
@click.option("--scale", is_flag=True, help="Scale numbers first.")
@click.option("-o", "--output", metavar="FILE", help="Write the trace here, as JSON.")
@click.option("--html", metavar="FILE", help="Write it into a page to step through.")
@click.option("--film", metavar="FILE", help="Write a GIF of the training in the plane here.")
@_common.force_option
@_common.output_options
def command(
    files: tuple[str, ...],
    steps: bool,
    check: bool,
    form: str,
    order: str,
    keep: str,
    eta0: float,
    margin: float,
    no_intercept: bool,
    max_iter: int,
    max_updates: int | None,
    seed: int,
    scale: bool,
    output: str | None,
    html: str | None,
    film: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Train a perceptron on a table and show every update.

    \b
    rosenblatt trace toy.csv --target y --steps
    rosenblatt trace toy.csv --target y --check --format latex
    """
    _common.check_table(files, reading)
    asked = [path for path in (output, html, film) if path is not None]
    if len(set(asked)) < len(asked):
        twice = next(path for path in asked if asked.count(path) > 1)
        raise InputError(f"{twice} cannot be both the trace and the film, or its page.")
    for path in asked:
        _common.check_output(path, files, force=force)

    from rosenblatt import Perceptron, trace

    with _common.reading(quiet=quiet):
        X, y, encoding = _common.read_table(files, **reading).encode(scale=scale)
    if html is not None:
        from rosenblatt.play.recorded import check_classes

        check_classes(len(set(y.tolist())))
    estimator = Perceptron(
        order=order,  # type: ignore[arg-type] # one of the choices
        keep=keep,  # type: ignore[arg-type]
        eta0=eta0,
        margin=margin,
        fit_intercept=not no_intercept,
        max_iter=max_iter,
        max_updates=max_updates,
        random_state=seed,
    )
    names = None if encoding is None else encoding.feature_names
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with _common.working(f"training on {X.shape[0]:,} rows", quiet=quiet):
            found = trace(estimator, X, y, feature_names=names)
    for warning in caught:
        _common.say(str(warning.message), quiet=quiet)
    if output is not None:
        found.to_json(output)
        _common.say(f"The trace is in {output}.", quiet=quiet)
    if html is not None:
        found.play(html, show=False)
        _common.say(f"The page is in {html}.", quiet=quiet)
    if film is not None:
        from rosenblatt.plots import animate

        animate(found, film)
        _common.say(f"The film is in {film}.", quiet=quiet)
    _show(found, files, steps=steps, check=check, form=form, as_json=as_json)
    return 0


def _show(
    found: Trace, files: tuple[str, ...], *, steps: bool, check: bool, form: str, as_json: bool
) -> None:
    checked = found.check() if check else None
    if as_json:
        content: dict[str, Any] = {"files": list(files), "trace": json.loads(found.to_json())}
        if checked is not None:
            content["check"] = [vars(claim) for claim in checked.claims]
        _common.print_json("trace", content)
        return
    table = {"table": found.__str__, "markdown": found.to_markdown, "latex": found.to_latex}
    _common.tell(found.steps() if steps else table[form]())
    if checked is not None:
        _common.tell(f"\n{checked}")
