"""The page: one file of HTML that holds all it needs."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
import webbrowser
import zlib
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from rosenblatt._util.files import write_whole
from rosenblatt._util.palette import css
from rosenblatt._util.spelling import either, option
from rosenblatt._util.version import __version__
from rosenblatt.errors import InputError
from rosenblatt.play.bundle import bundled
from rosenblatt.play.examples import examples, page_table

LANGUAGES = {"en": "english", "de": "german", "zh": "chinese"}
MOST_ROWS, MOST_COLUMNS, MOST_CLASSES = 2000, 60, 3


@overload
def asset(name: str) -> str: ...
@overload
def asset(name: str, *, binary: Literal[True]) -> bytes: ...
def asset(name: str, *, binary: bool = False) -> str | bytes:
    """One of the files beside this one."""
    content = (files("rosenblatt.play") / "assets" / name).read_bytes()
    return content if binary else content.decode()


def page(X: Any = None, y: Any = None, *, feature_names: Any = None, settings: Any = None) -> str:
    """The playground as a page of HTML that needs nothing else: no network, no fonts.

    Parameters
    ----------
    X, y : arrays, optional
        Rows to begin with, at most 2,000, with two or three labels; the examples alone by default.
    feature_names : list of str, optional
        What to call the columns.
    settings : dict, optional
        How to train: "order", "keep", "margin", "intercept", "seed".

    >>> from rosenblatt.play import page
    >>> "Perceptron playground" in page([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    True
    """
    table = None if X is None else table_of(X, y, feature_names)
    if table is not None and settings is not None:
        table["settings"] = settings
    return page_of(table)


def page_of(table: dict[str, Any] | None) -> str:
    """The page with a table as `table_of` and `table_of_trace` give it."""
    parts = {
        "palette": css(),
        "style": style(),
        "given": embedded(begun_with()),
        "table": embedded(table),
        "script": script(),
    }
    return re.sub(r"\{\{ (\w+) \}\}", lambda name: parts[name[1]], asset("page.html"))


@cache
def style() -> str:
    """The style without notes, and without space that means nothing."""
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", asset("style.css")))
    return re.sub(r"(:) | ?([{};,]) ?", r"\1\2", text).replace(";}", "}")


@cache
def script() -> str:
    """All modules of the page as one script."""
    return bundled("app", lambda name: asset(f"{name}.js"))


@cache
def begun_with() -> dict[str, Any]:
    """What the page and the notebook are given: the core, the examples and all texts, packed."""
    presets = json.dumps(examples(), allow_nan=False, separators=(",", ":"))
    return {
        "version": __version__,
        "core": packed_core(),
        "presets": _packed(presets.encode()),
        "texts": _packed(json.dumps({tag: texts(tag) for tag in LANGUAGES}).encode()),
    }


def texts(tag: str) -> dict[str, str]:
    """Every text of the page in one language, by its key."""
    by_key: dict[str, str] = json.loads(asset(f"{LANGUAGES[tag]}.json"))
    return by_key


def packed_core() -> str:
    """The compiled core as it travels."""
    return _packed(asset("core.wasm", binary=True))


def _packed(content: bytes) -> str:
    """Deflated, in base64: assets/packed.js takes it out again."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


def table_of(X: Any, y: Any, feature_names: Any = None) -> dict[str, Any]:
    """Rows and labels as the page reads them, checked."""
    from rosenblatt._core.rows import as_table, dense
    from rosenblatt._validation import targets
    from rosenblatt._validation.rows import checked_rows
    from rosenblatt.perceptron import Perceptron

    checked = Perceptron()  # rows are checked as those of an estimator, which notes their names
    rows = checked_rows(checked, X, reset=True)
    labels = targets.labels(y, rows.shape[0])
    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError(
            f"y has {len(classes)} different label{'s'[: len(classes) != 1]}; the playground "
            "shows two or three."
        )
    check_classes(len(classes))
    n, d = rows.shape
    check_size(n, d)
    names = getattr(checked, "feature_names_in_", None) if feature_names is None else feature_names
    called = [f"x{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]
    if len(called) != d:
        raise InputError(f"There are {len(called)} feature_names, but X has {d} columns.")
    y = numbers if len(classes) > 2 else np.where(numbers > 0, 1, -1)
    return page_table(dense(as_table(rows)), y, called, [str(c) for c in classes])


def check_classes(k: int) -> None:
    if k > MOST_CLASSES:
        raise InputError(
            f"There are {k} classes; the playground shows two or three. Of more show one against "
            f"the rest: {either('y == label', '--positive LABEL')}."
        )


def check_size(n: int, d: int) -> None:
    if n > MOST_ROWS:
        raise InputError(
            f"There are {n:,} rows; the playground shows up to {MOST_ROWS:,}. Give some of them."
        )
    if not 2 <= d <= MOST_COLUMNS:
        raise InputError(
            f"There are {d} columns; the playground shows from 2 to {MOST_COLUMNS}. Choose some."
        )


def embedded(content: Any) -> str:
    """JSON that no HTML parser takes for the end of the script element."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


# --- To a browser: as a file, or from this machine's own address ---------------------------------


def open_page(content: str, path: str | os.PathLike[str] | None, *, show: bool) -> Path:
    """Write the page to `path`, or into a folder of the system's for such files, and open it."""
    if path is None:
        target = Path(tempfile.mkdtemp(prefix="rosenblatt-")) / "playground.html"
    else:
        target = Path(path)
    write_whole(target, content.encode(), overwrite=True)
    if show:
        webbrowser.open(target.absolute().as_uri())
    return target


def server(content: str, port: int) -> ThreadingHTTPServer:
    """Answers with the page, to this machine alone and to nothing but its own address."""
    body = content.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = f":{self.server.server_port}"  # type: ignore[attr-defined]
            ours = self.headers.get("Host") in (f"127.0.0.1{here}", f"localhost{here}")
            here_it_is = ours and self.path in ("/", "/index.html")
            self.send_response(200 if here_it_is else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body) if here_it_is else 0))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if here_it_is:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads a line for every request."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise InputError(
            f"Nothing can be served on port {port} ({error.strerror}): give another "
            f"{option('port')}, or none for one that is free."
        ) from None
