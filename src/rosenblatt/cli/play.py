"""rosenblatt play: the playground, as one page that opens in a browser."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError


@click.command(cls=Command)
@_options.maybe_table_options
@click.option(
    "-o", "--output", metavar="FILE", help="Write the page to FILE.  [default: a temporary file]"
)
@_options.flag("--no-open", "Do not open the page in a browser.")
@_options.flag(
    "--serve",
    "Serve the page at 127.0.0.1, this computer only, until Ctrl-C.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="With --serve: port to use.  [default: any free one]",
)
@_options.force_option
@_options.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    no_open: bool,
    serve: bool,
    port: int,
    force: bool,
    out: _common.Output,
    **reading: Any,
) -> int:
    """Open a page in the browser in which a perceptron learns, step by step.

    Points can be moved, every update is shown, and the verdict comes with its proof. The page is
    one file and needs no network. With a table, its rows are the points.

    \b
    Examples:
      rosenblatt play
      rosenblatt play credit.csv --target card --no-open -o credit.html
      rosenblatt play --serve --port 8000
    """
    from rosenblatt.play.html_page import open_page, page, server

    if serve and output is not None:
        raise InputError("Give -o to write the page or --serve to serve it, not both.")
    _common.check_output(output, files, force=force)
    if not files:
        made = page()
    else:
        opened = _common.open_table(files, reading)
        with out.reading():
            X, y, preprocessing = opened.read().encode(scale=False)
        made = page(
            X, y, feature_names=None if preprocessing is None else preprocessing.feature_names
        )
    if serve:
        with server(made, port) as serving, suppress(KeyboardInterrupt):
            url = f"http://127.0.0.1:{serving.server_port}/"
            _common.say(f"The playground is at {url} (Ctrl-C ends it).")
            serving.serve_forever()
        return 0
    written = open_page(made, output, show=not no_open)
    if out.as_json:
        _common.print_json("play", {"files": list(files), "page": str(written)})
    else:
        out.say(f"The playground is in {written}.")
    return 0
