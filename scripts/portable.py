"""Compile native/driver.cpp for other processors, train under qemu, and compare the bits.

    python scripts/portable.py [PROCESSOR ...]      aarch64 and riscv64 if none is named; or native

Compilers and emulators are Debian's packages, which root need not install first. native: without an
emulator, by the compiler of this machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import training_hash

ROOT = Path(__file__).parents[1]
FLAGS = ["-std=c++17", "-O3", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"]
OTHERS = ("aarch64", "riscv64")


def tools(processor: str) -> tuple[list[str], list[str]]:
    """What compiles for this processor, and what runs its programs here."""
    if processor == "native":
        return [os.environ.get("CXX", "c++")], []
    compiler, emulator = f"{processor}-linux-gnu-g++", f"qemu-{processor}"
    packages = f"g++-{processor}-linux-gnu qemu-user"
    if not _there(compiler, emulator) and os.name == "posix" and os.geteuid() == 0:
        install = f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q {packages}"
        subprocess.run(
            ["sh", "-c", f"{{ {install} || {{ apt-get update -q && {install}; }}; }} >&2"],
            check=False,
        )
    if not _there(compiler, emulator):
        sys.exit(f"{compiler} and {emulator} are needed. To mend it: apt-get install {packages}")
    return [compiler, "-static"], [emulator]


def _there(*programs: str) -> bool:
    return all(map(shutil.which, programs))


def driver(processor: str, folder: Path) -> list[str]:
    """Compiled for this processor; the command that runs it."""
    (compiler, run), made = tools(processor), str(folder / f"driver-{processor}")
    source = str(ROOT / "native" / "driver.cpp")
    subprocess.run([*compiler, *FLAGS, "-o", made, source], check=True)
    return [*run, made]


def trained(command: list[str], task: bytes) -> bytes:
    """What the driver writes."""
    done = subprocess.run(command, input=task, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{command[-1]}: {done.stderr.decode().strip()}")
    return done.stdout


def main(processors: list[str]) -> None:
    task, wanted = training_hash.task(), training_hash.answer()
    print(f"here: {hashlib.sha256(wanted).hexdigest()}")
    for processor in processors or OTHERS:
        with tempfile.TemporaryDirectory() as folder:
            found = trained(driver(processor, Path(folder)), task)
        print(f"{processor}: {hashlib.sha256(found).hexdigest()}")
        if found != wanted:
            sys.exit(f"{processor}: other bits than here")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # a few epochs do not end it
    main(sys.argv[1:])
