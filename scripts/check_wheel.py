"""Install wheels into empty environments without a compiler, and see that they do what they should.

    python scripts/check_wheel.py dist/*.whl

For every Python that a wheel serves: it installs, its core is the compiled one, the training hash
is the recorded one, `rosenblatt fit` writes its report and the proof is accepted, and the core of
the tests passes. Then uvx and pipx run the command from the file. `make release` calls this.
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
SERVES = {"cp311": ("3.11",), "cp312": ("3.12", "3.13")}
TABLE = ROOT / "src" / "rosenblatt" / "datasets" / "credit_card.csv"
FIT = ("fit", "credit.csv", "--target", "card", "--ignore", "share", "--ignore", "expenditure")
TESTS = [
    *("training/test_textbook.py", "training/test_recorded_fits.py"),
    *("model/test_kept_model_files.py", "certify/test_kept_certificates.py"),
    *("core/test_native_equals_reference.py", "certify/test_verify.py"),
]
NEEDED = ["pytest", "hypothesis", "pandas", "polars"]  # by these tests


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
        tests = [f"tests/{test}" for test in TESTS]
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
    for wheel in wheels:
        for version in SERVES[wheel.name.split("-")[2]]:
            check(wheel, version)
    here = f"cp3{sys.version_info.minor}" if sys.version_info < (3, 12) else "cp312"
    check_runners(next(wheel for wheel in wheels if here in wheel.name))


if __name__ == "__main__":
    main([Path(name).absolute() for name in sys.argv[1:]] or sys.exit(__doc__))
