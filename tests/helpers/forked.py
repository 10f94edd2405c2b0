"""Processes of their own, forked from a server that has imported everything.

To start one costs milliseconds; a new interpreter takes more than a second to import libraries.
"""

import functools
import multiprocessing
import os
import pty
import select
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
    path = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, path))):
        forkserver.ensure_running()  # it finds `everything` there
    return context


def started(work, *given, place=".", environment=None, streams=None):
    """A process that does work(*given) in a folder, searching as long as the test that asks.

    `streams`: paths of standard input, output and error; files, pipes or terminals.
    """
    about = (str(Path(place).resolve()), dict(environment or os.environ), searching.amounts())
    process = server().Process(target=_begin, args=(work, given, *about, streams or ()))
    process.start()
    return process


def _begin(work, given, place, environment, amounts, streams):
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(place)
    searching.search(amounts)
    for number, path in enumerate(streams):
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT if number else os.O_RDONLY
        os.dup2(os.open(path, how | os.O_NOCTTY), number)
    if streams:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - until the process ends
    work(*given)


def on_a_terminal(start, look=lambda process, shown: None):
    """Exit code and what a terminal shows of the process that `start` makes of its path.

    `look` is called with both whenever something may have come.
    """
    ours, theirs = pty.openpty()
    process, shown = start(os.ttyname(theirs)), b""
    while process.is_alive() or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.02)[0]:
            shown += os.read(ours, 1 << 16)
        look(process, shown)
    os.close(theirs)
    os.close(ours)
    return process.exitcode, shown.decode()


def command(*arguments, **about):
    """The command, as `started`."""
    return started(_command, list(map(str, arguments)), **about)


def _command(arguments):
    from rosenblatt.cli import run

    code = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def ended(arguments, place, given=""):
    """Exit code, standard output and standard error of the command; `given` is its input."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        streams[0].write_text(given, encoding="utf-8")
        process = command(*arguments, place=place, streams=streams)
        process.join()
        return process.exitcode, *(path.read_text(encoding="utf-8") for path in streams[1:])
