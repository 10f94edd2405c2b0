"""Compile native/wasm.cpp to src/rosenblatt/play/assets/core.wasm, beside a record of how.

The bytes are committed, so that nobody needs this compiler. Where nothing that goes in has changed,
the same bytes must come out: anything else is an error. `make wasm` calls this.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "native"
CORE = ROOT / "src" / "rosenblatt" / "play" / "assets" / "core.wasm"
RECORD = CORE.with_suffix(".json")
COMPILER = "ziglang 0.17.0"
FLAGS = [
    *("--target=wasm32-freestanding", "-msimd128", "-std=c++17", "-O3", "-ffp-contract=off"),
    *("-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"),
    *("-Wl,--no-entry", "-Wl,--strip-all", "-Wl,--export=__heap_base"),
]


def inputs() -> list[Path]:
    """wasm.cpp, all it includes, and what stands in for the standard library."""
    found, waiting = set(), [NATIVE / "wasm.cpp"]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            included = re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE)
            waiting += [NATIVE / name for name in included]
    return sorted(found | set((NATIVE / "freestanding").iterdir()))


def record_of(core: bytes) -> dict[str, object]:
    digest = hashlib.sha256()
    for path in inputs():
        digest.update(f"{path.relative_to(NATIVE).as_posix()}\n".encode() + path.read_bytes())
    return {
        "compiler": COMPILER,
        "flags": FLAGS,
        "inputs": [path.relative_to(ROOT).as_posix() for path in inputs()],
        "inputs_sha256": digest.hexdigest(),
        "core_sha256": hashlib.sha256(core).hexdigest(),
    }


def compiled() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "core.wasm"
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, "-Inative/freestanding"]
        subprocess.run([*command, "-o", str(made), "native/wasm.cpp"], check=True, cwd=ROOT)
        return made.read_bytes()


def main() -> str:
    core = compiled()
    record = record_of(core)
    before = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if before == record and CORE.read_bytes() == core:
        return f"{CORE.relative_to(ROOT)} is what its sources give, byte for byte."
    same = {key: before.get(key) for key in record if key != "core_sha256"}
    if same.items() <= record.items():
        sys.exit("The same sources, compiler and flags gave other bytes: is this another system?")
    CORE.write_bytes(core)
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return f"{CORE.relative_to(ROOT)} is new: {len(core):,} bytes. Commit it with its record."


if __name__ == "__main__":
    print(main())
