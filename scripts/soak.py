"""The heavy tests in full, in parts: a machine that is switched off loses the files that it was at.

    python scripts/soak.py [--fresh] [--minutes 90] [FILE OR FOLDER …]

Every test file runs in a process of its own, one on each processor. What came of it is a line of
.soak/done.jsonl, its output a file beside that. After so many minutes what still runs is ended, and
comes first the next time, with all processors to itself; a file that had such a part and did not
end has failed. When all files are done, a table says what came of them, and `--fresh` begins again.

It runs where the package and its tests are installed, without git, too. A machine without a browser
sets ROSENBLATT_BROWSER=no. Lines of done.jsonl of several machines can be put into one file: each
says on which Python it ran, and whether there was a browser.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
Outcome = dict[str, Any]


def files_of(root: Path, among: Sequence[str]) -> list[str]:
    paths = [root / name for name in among]
    files = {f for path in paths for f in ([path] if path.is_file() else path.rglob("test_*.py"))}
    return sorted(str(file.relative_to(root)) for file in files)


def outcomes(root: Path) -> dict[str, Outcome]:
    """By file; a line that was cut short by a loss of power is not one."""
    done = {}
    with suppress(FileNotFoundError):
        for line in (root / ".soak" / "done.jsonl").read_text().splitlines():
            with suppress(json.JSONDecodeError):
                outcome = json.loads(line)
                done[outcome["file"]] = outcome
    return done


def commit(root: Path) -> str:
    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        with suppress(FileNotFoundError):  # there is no git
            ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
            return ran.stdout.strip()
        return ""

    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short", "HEAD") + "+" * bool(changed)


_PR_SET_PDEATHSIG = 1  # of Linux; elsewhere nothing of the kind is asked for


def _dies_with(parent: int) -> Callable[[], None] | None:
    """In a child before its program starts: it is killed when its parent is, however that ends.

    What runs on after `kill -9` would write into the report of the next part.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was too late to ask
            os.kill(os.getpid(), signal.SIGKILL)

    return ask


class Running:
    """A file in a process of its own, or several, ended with all that they have started."""

    def __init__(self, root: Path, file: str, processes: int = 1):
        base = root / ".soak" / file.replace("/", "-").removesuffix(".py")
        self.file, self._begin, self._commit = file, time.monotonic(), commit(root)
        self._report = base.with_suffix(".xml")
        self._report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
        if processes > 1:
            command += ["--numprocesses", str(processes), "--dist", "worksteal"]
        with open(base.with_suffix(".txt"), "w") as output:
            self.process = subprocess.Popen(
                [*command, f"--junitxml={self._report}"],
                cwd=root,
                env=os.environ | {"ROSENBLATT_SOAK": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_dies_with(os.getpid()),  # noqa: PLW1509 - there are no threads
            )

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def outcome(self) -> Outcome:
        seconds = round(time.monotonic() - self._begin)
        browser = os.environ.get("ROSENBLATT_BROWSER") != "no"
        about = {"file": self.file, "commit": self._commit, "seconds": seconds}
        about |= {"python": platform.python_version(), "browser": browser}
        return about | counts(self._report, self.process.returncode)


def counts(report: Path, code: int) -> Outcome:
    """5 is pytest's code for a file without tests."""
    if not report.exists():
        return {"passed": 0, "skipped": 0, "failed": [] if code == 5 else [f"exit code {code}"]}
    passed, skipped, failed = 0, 0, []
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(case.get("name", ""))
        else:
            skipped += case.find("skipped") is not None
            passed += case.find("skipped") is None
    if code not in (0, 1, 5):  # it crashed after its last test
        failed.append(f"exit code {code}")
    return {"passed": passed, "skipped": skipped, "failed": failed}


def part(root: Path, minutes: float, workers: int, among: Sequence[str] = ("tests",)) -> None:
    folder = root / ".soak"
    folder.mkdir(exist_ok=True)
    stopped = folder / "stopped.json"  # files that were running when the last part was over
    first = json.loads(stopped.read_text()) if stopped.exists() else []
    done = outcomes(root)
    left = [file for file in files_of(root, among) if file not in done]
    left.sort(key=lambda file: file not in first)
    until = time.monotonic() + 60 * minutes
    running: list[Running] = []
    try:
        while left or running:
            while left and not (running and left[0] in first) and len(running) < workers:
                running.append(Running(root, left[0], workers if left[0] in first else 1))
                if left.pop(0) in first:
                    break
            time.sleep(0.1)
            over = time.monotonic() > until
            for one in list(running):
                if one.process.poll() is not None:
                    note(folder, one.outcome())
                    running.remove(one)
                elif over and one.file in first:
                    one.end()
                    note(folder, one.outcome() | {"failed": [f"not done in {minutes:g} minutes"]})
                    running.remove(one)
            if over:
                break
    finally:
        for one in running:
            one.end()
        stopped.write_text(json.dumps([one.file for one in running]))


def note(folder: Path, outcome: Outcome) -> None:
    with open(folder / "done.jsonl", "a") as lines:
        lines.write(f"\n{json.dumps(outcome)}\n")  # below a line that was cut short
        lines.flush()
        os.fsync(lines.fileno())
    word = "FAILED" if outcome["failed"] else "passed"
    print(f"{word} {outcome['file']} ({outcome['seconds']} s)", flush=True)


def table(done: dict[str, Outcome]) -> Iterator[str]:
    """In Markdown; the tests that failed below it."""
    passed, skipped = (sum(o[name] for o in done.values()) for name in ("passed", "skipped"))
    failed = [f"{o['file']}::{name}" for o in done.values() for name in o["failed"]]
    commits = list(dict.fromkeys(o["commit"] for o in done.values()))
    between = commits[0] if len(commits) == 1 else f"{commits[0]} to {commits[-1]}"
    hours = sum(o["seconds"] for o in done.values()) / 3600
    without = sum(not o["browser"] for o in done.values())
    where = ", ".join(sorted({f"Python {o['python']}" for o in done.values()}))
    where += f"; {without} without a browser" if without else ""
    yield "| files | passed | failed | skipped | hours, file by file | commit | where |"
    yield "|---|---|---|---|---|---|---|"
    yield (
        f"| {len(done)} | {passed:,} | {len(failed)} | {skipped} | {hours:.1f} | {between} "
        f"| {where} |"
    )
    yield from (f"FAILED {name}" for name in failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("among", nargs="*", default=["tests"], metavar="FILE OR FOLDER")
    asked = parser.parse_args()
    if asked.fresh:
        rmtree(ROOT / ".soak", ignore_errors=True)
    part(ROOT, asked.minutes, asked.workers, asked.among)
    done, files = outcomes(ROOT), files_of(ROOT, ["tests"])
    if len(done) < len(files):
        print(f"{len(done)} of {len(files)} files are done: make soak continues.")
    print(*table(done), sep="\n")
    return int(any(outcome["failed"] for outcome in done.values()))


if __name__ == "__main__":
    sys.exit(main())
