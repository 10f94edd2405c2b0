"""Install wheels into empty environments without a compiler, and see that they do what they should.

    python scripts/check_wheel.py dist/*.whl

For every Python that a wheel serves: it installs, its core is the compiled one, the training hash
is the recorded one, `rosenblatt fit` writes its report and the proof is accepted, and the core of
the tests passes; on a free-threaded Python those of threads, too, and the lock stays off. Then uvx
and pipx run the command from the file. `make release` calls this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_wheel import interpreter

ROOT = Path(__file__).parents[1]
SERVES = {"cp311": ("3.11",), "abi3": ("3.12", "3.13")}  # and a free-threaded Python its own
TABLE = ROOT / "src" / "rosenblatt" / "datasets" / "credit_card.csv"
FIT = ("fit", "credit.csv", "--target", "card", "--ignore", "share", "--ignore", "expenditure")
TESTS = [
    *("training/test_textbook.py", "training/test_recorded_fits.py"),
    *("model/test_kept_model_files.py", "certify/test_kept_certificates.py"),
    *("core/test_native_equals_reference.py", "certify/test_verify.py"),
]
THREADS = ["core/test_threads.py", "training/test_threads.py", "data/test_ahead.py"]
LOCKED = "import sys, rosenblatt._core._native; print(sys._is_gil_enabled())"
NEEDED = ["pytest", "hypothesis", "pandas"]  # by these tests


class Room:
    """An empty environment in an empty folder, where nothing is on the path but itself."""

    def __init__(self, folder: Path, version: str):
        self.folder, self.bin = folder, folder / "env" / "bin"
        subprocess.run([interpreter(version), "-m", "venv", folder / "env"], check=True)
        shutil.copy(TABLE, folder / "credit.csv")

    def run(self, program: str, *arguments: object, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [self.bin / program, *map(str, arguments)],
            cwd=cwd or self.folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{program} {' '.join(map(str, arguments))}\n{done.stdout}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ROSENBLATT"))}
        return kept | {
            "PATH": str(self.bin),
            "HOME": str(self.folder),
            "CC": "/bin/false",
            "CXX": "/bin/false",
        }


def install(room: Room, *packages: object) -> None:
    """Wheels alone: nothing is compiled."""
    room.run("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *packages)


def check(wheel: Path, version: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        room = Room(Path(name), version)
        install(room, wheel)
        place = room.run("python", "-c", "import rosenblatt; print(rosenblatt.__file__)")
        if not place.startswith(name):
            sys.exit(f"rosenblatt is {place}, not the one that was installed")
        about = room.run("rosenblatt", "doctor").splitlines()[0]
        if "compiled core" not in about:
            sys.exit(f"{wheel.name}: {about}")
        print(f"{wheel.name} on Python {version}: {about}", flush=True)
        print(room.run("python", ROOT / "scripts" / "training_hash.py").splitlines()[-1])
        room.run("rosenblatt", *FIT)
        certificate = Path("credit-rosenblatt", "certificate.json")
        print(room.run("rosenblatt", "verify", certificate, "credit.csv").splitlines()[0])
        install(room, *NEEDED)
        free = version.endswith("t")
        if free and "False" not in room.run("python", "-W", "error", "-c", LOCKED):
            sys.exit(f"{wheel.name} switches the global lock on")
        tests = [f"tests/{test}" for test in (*TESTS, *THREADS * free)]
        told = room.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=ROOT)
        print(told.splitlines()[-1], flush=True)


def check_runners(wheel: Path) -> None:
    """uvx and pipx, which newcomers use without an environment of their own."""
    tool = [sys.executable, "-m"]
    runners = {
        "uvx": [*tool, "uv", "tool", "run", "--isolated", "--from", str(wheel), "rosenblatt"],
        "pipx": [*tool, "pipx", "run", "--no-cache", "--spec", str(wheel), "rosenblatt"],
    }
    for name, command in runners.items():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TABLE, Path(folder) / "credit.csv")
            done = subprocess.run(
                [*command, *FIT], cwd=folder, capture_output=True, text=True, check=False
            )
            if done.returncode or not (Path(folder) / "credit-rosenblatt" / "report.html").exists():
                sys.exit(f"{name}: {done.stdout}{done.stderr}")
            print(f"{name}: {done.stdout.splitlines()[0]}", flush=True)


def main(wheels: list[Path]) -> None:
    by_abi = {wheel.name.split("-")[3]: wheel for wheel in wheels}
    for abi, wheel in by_abi.items():
        for version in SERVES.get(abi, (f"3.{abi.removeprefix('cp3')}",)):
            check(wheel, version)
    here = f"cp3{sys.version_info.minor}" if sys.version_info < (3, 12) else "abi3"
    if here in by_abi:
        check_runners(by_abi[here])


if __name__ == "__main__":
    main([Path(name).absolute() for name in sys.argv[1:]] or sys.exit(__doc__))
