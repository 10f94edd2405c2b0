"""Compile native/driver.cpp for other processors, train under qemu, and compare the bits.

    python scripts/portable.py [PROCESSOR ...]      aarch64 and riscv64 if none is named; or native

The compiler is zig, as for the playground (`pip install --group wasm`); native: the system's own.
qemu-user runs what was compiled; as root it is installed from Debian's package where it is missing.
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


def compiler(processor: str) -> list[str]:
    if processor == "native":
        return [os.environ.get("CXX", "c++")]
    target = f"--target={processor}-linux-musl"  # without a library of that system
    return [sys.executable, "-m", "ziglang", "c++", target, "-static"]


def emulator(processor: str) -> list[str]:
    """What runs a program of this processor."""
    if processor == "native":
        return []
    name = f"qemu-{processor}"
    if not shutil.which(name) and os.name == "posix" and os.geteuid() == 0:
        install = "DEBIAN_FRONTEND=noninteractive apt-get install -y -q qemu-user"
        subprocess.run(
            ["sh", "-c", f"{{ {install} || {{ apt-get update -q && {install}; }}; }} >&2"],
            check=False,
        )
    if not shutil.which(name):
        sys.exit(f"There is no {name}. To mend it: apt-get install qemu-user")
    return [name]


def driver(processor: str, folder: Path) -> list[str]:
    """Compiled for this processor; the command that runs it."""
    run, made = emulator(processor), str(folder / f"driver-{processor}")
    source = str(ROOT / "native" / "driver.cpp")
    subprocess.run([*compiler(processor), *FLAGS, "-o", made, source], check=True)
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
