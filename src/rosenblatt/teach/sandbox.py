"""A submission in a process of its own: tables go in, limits hold, all that it starts is ended."""

from __future__ import annotations

import contextlib
import json
import os
import random
import selectors
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.teach import child

_MOST_BYTES = 64 << 20  # of what is told about the runs


class Limits(NamedTuple):
    """Of one submission, however many processes it starts."""

    seconds: float = 20.0  # of the clock, for all tables; and of the processor
    of_a_table: float = 0.5  # processor time until a run counts as endless
    memory: int = 1 << 30
    output: int = 1 << 20  # of each file that it writes
    processes: int = 16


class Isolation(NamedTuple):
    """What keeps a submission from files and network."""

    bubblewrap: str | None
    uid: int | None  # another user, where this one is root

    def __str__(self) -> str:
        if self.bubblewrap is not None:
            return "isolated by bubblewrap: no network, files read-only, an empty folder"
        if self.uid is not None:
            return (
                "not isolated: bubblewrap is not installed. Submissions run as a user without "
                "rights, which can read files that everybody may read, and use the network"
            )
        return (
            "not isolated: bubblewrap is not installed. Submissions can read and change your files "
            "and use the network; run only what you trust, or install bubblewrap"
        )


def isolation() -> Isolation:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Isolation(_bubblewrap(), _free_uid() if root else None)


def _free_uid() -> int:
    """One that nobody has: all its processes are of one submission."""
    used = {p.stat().st_uid for p in Path("/proc").glob("[0-9]*") if p.exists()}
    return random.SystemRandom().choice([uid for uid in range(61184, 65520) if uid not in used])


@cache
def _bubblewrap() -> str | None:
    """Where it is, if it works here: containers often forbid it."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return None
    command = [*_wrapped(bubblewrap), sys.executable, "-I", "-c", "import numpy"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return bubblewrap if done.returncode == 0 else None


def _wrapped(bubblewrap: str) -> list[str]:
    """System folders, Python and its modules, read-only; and an empty folder in memory."""
    paths = {sys.prefix, sys.base_prefix, sysconfig.get_paths()["platlib"]}
    real = [os.path.realpath(path) for path in paths] + sorted(paths)
    system = [
        p for p in ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache") if os.path.exists(p)
    ]
    binds = [part for path in [*system, *dict.fromkeys(real)] for part in ("--ro-bind", path, path)]
    # Made by itself, a folder on the way to Python would be closed to the submission's user.
    on_the_way = {parent for path in real for parent in Path(path).parents} - {Path("/")}
    folders = [
        part
        for parent in sorted(on_the_way)
        if not any(parent.is_relative_to(path) for path in [*system, *real])
        for part in ("--perms", "0755", "--dir", str(parent))
    ]
    alone = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    if os.geteuid() != 0:
        alone.append("--unshare-user")
    return [
        bubblewrap,
        *(*alone, "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(16 << 20), "--tmpfs", "/tmp"),
        *folders,
        *binds,
        *("--chdir", "/tmp"),
    ]


def of_source(
    source: str, name: str, cases: list[dict[str, Any]], limits: Limits, where: Isolation
) -> dict[str, Any]:
    """Run the function of this name in the text of a program."""
    most = {
        "uid": where.uid,
        "seconds": int(limits.seconds) + 1,
        "memory": limits.memory,
        "output": limits.output,
        # Of a user who has other processes these count, too.
        "processes": limits.processes + (0 if where.uid is not None else _own_processes()),
    }
    request = {
        "source": source,
        "name": name,
        "cases": cases,
        "limits": most,
        "seconds": limits.of_a_table,
    }
    token = f"{random.SystemRandom().getrandbits(128):032x}"
    read, write = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        if where.uid is not None:
            os.chmod(folder, 0o777)
        program = Path(child.__file__).read_text(encoding="utf-8")
        command = [sys.executable, "-I", "-B", "-c", program, str(write)]
        if where.bubblewrap is not None:
            command = [*_wrapped(where.bubblewrap), *command]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=_environment(token),
                pass_fds=(write,),
                start_new_session=True,
            )
        finally:
            os.close(write)
        try:
            threading.Thread(target=_send, args=(process, request), daemon=True).start()
            return _answer(read, process.poll, limits.seconds)
        finally:
            os.close(read)
            _end(process.pid, where, token)
            process.wait()


def _environment(token: str) -> dict[str, str]:
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"PATH": os.defpath, "HOME": "/tmp", "ROSENBLATT_SUBMISSION": token, **threads}


def _send(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError), process.stdin as stdin:
        stdin.write(json.dumps(request).encode())


def _own_processes() -> int:
    me, number = os.geteuid(), 0
    for path in Path("/proc").glob("[0-9]*/task/[0-9]*"):
        with contextlib.suppress(OSError):
            number += path.stat().st_uid == me
    return number


def _answer(read: int, ended: Callable[[], int | None], seconds: float) -> dict[str, Any]:
    """What it tells within the time; it may tell anything, and so it is read as numbers only."""
    os.set_blocking(read, False)
    answer, until, chooser = bytearray(), time.monotonic() + seconds, selectors.DefaultSelector()
    chooser.register(read, selectors.EVENT_READ)
    with chooser:
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return {"trouble": f"it was ended after {seconds:g} s"}
            if not chooser.select(min(left, 0.1)):
                if ended() is not None:
                    break
                continue
            some = os.read(read, 1 << 16)
            answer += some
            if not some:
                break
            if len(answer) > _MOST_BYTES:
                return {"trouble": "it sent more than a program can send"}
    try:
        report = json.loads(answer)
    except ValueError:
        return {"trouble": "it ended without an answer: out of memory or time, or it left Python"}
    return report if isinstance(report, dict) else {"trouble": "its answer is no answer"}


def _end(pid: int, where: Isolation, token: str) -> None:
    """The group; all processes of its user; and whatever else has the mark of this submission."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    if where.uid is not None:
        _end_user(where.uid)
        return
    for _ in range(20):  # one that is being ended may just have started another
        marked = list(_marked(token))
        if not marked:
            return
        for other in marked:
            with contextlib.suppress(OSError):
                os.kill(other, signal.SIGKILL)


def _marked(token: str) -> Iterator[int]:
    mark = f"ROSENBLATT_SUBMISSION={token}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                yield int(path.parent.name)


def _end_user(uid: int) -> None:
    program = (
        f"import os, signal; os.setgroups([]); os.setgid({uid}); os.setuid({uid}); "
        "os.kill(-1, signal.SIGKILL)"
    )
    until = time.monotonic() + 10
    while time.monotonic() < until:
        command = [sys.executable, "-I", "-S", "-c", program]
        subprocess.run(command, check=False, capture_output=True)
        if not any(_runs_as(uid, path) for path in Path("/proc").glob("[0-9]*")):
            return


def _runs_as(uid: int, path: Path) -> bool:
    """Not so of one that has ended and waits for its parent to look."""
    with contextlib.suppress(OSError):
        state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        return path.stat().st_uid == uid and state not in "ZX"
    return False


# --- A function at hand, of one who checks a program of their own --------------------------------


def of_function(
    function: Callable[..., Any], cases: list[dict[str, Any]], limits: Limits
) -> dict[str, Any]:
    """In a fork, with the same limits of time and memory; where there is none, right here."""
    if not hasattr(os, "fork"):
        return child.observe(function, cases)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _in_fork(function, cases, limits, write)
    os.close(write)
    try:
        return _answer(read, lambda: _exited(pid), limits.seconds)
    finally:
        os.close(read)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)


def _exited(pid: int) -> int | None:
    with contextlib.suppress(OSError):
        info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return None if info is None else 0
    return 0


def _in_fork(
    function: Callable[..., Any], cases: list[dict[str, Any]], limits: Limits, write: int
) -> None:
    try:
        os.setsid()
        own = {"seconds": int(limits.seconds) + 1, "output": limits.output, "uid": None}
        child.confine({**own, "memory": limits.memory + _size(), "processes": 1 << 20})
        answer = child.observe(function, cases)
    except BaseException as error:
        answer = {"trouble": f"{type(error).__name__}: {error}"[:500]}
    with contextlib.suppress(BaseException), os.fdopen(write, "w") as out:
        json.dump(answer, out)
    os._exit(0)


def _size() -> int:
    """Of memory that this process has reserved already."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 1 << 32
