"""Commands in processes of their own, forked from a server that has imported everything.

To start one costs milliseconds; a new interpreter takes more than a second to import libraries.
"""

import functools
import multiprocessing
import os
import sys
import tempfile
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

import searching


@functools.cache
def server():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["everything"])
    with mock.patch.dict(os.environ, PYTHONPATH=str(Path(__file__).parent)):
        forkserver.ensure_running()  # it finds `everything` there
    return context


def ended(arguments, place):
    """Exit code, standard output and standard error of the command in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        printed = [Path(folder, name) for name in ("out", "err")]
        given = (list(map(str, arguments)), place, dict(os.environ), searching.amounts(), printed)
        process = server().Process(target=_command, args=given)
        process.start()
        process.join()
        return process.exitcode, *(path.read_text(encoding="utf-8") for path in printed)


def _command(arguments, place, environment, amounts, printed):
    from rosenblatt.cli import run

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(place)
    searching.search(amounts)
    for number, path in enumerate(printed, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    code = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
