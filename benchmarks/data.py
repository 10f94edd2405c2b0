"""Tables beside pyarrow's own reader, and how soon the command answers.

Run with `make bench`; name cases to run only those: `python benchmarks/data.py csv`.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from run import best_of, machine, main

from rosenblatt import data


def bench_csv():
    """200k x 30 to X: numbers of 17 digits, 118 MB of text."""
    X = np.random.default_rng(0).standard_normal((200_000, 30))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        csv.write_csv(pa.table({f"x{j}": X[:, j] for j in range(30)}), path)
        sides = [
            lambda: csv.read_csv(path),
            lambda: data.read(path).encode(scale=False),
            lambda: data.read(path).encode(),
        ]
        assert (data.read(path).encode(scale=False)[0] == X).all()
        theirs, plain, scaled = best_of(20, *sides)
    yield "CSV of 200k x 30 to X", theirs, plain, plain / theirs, "<= 1.3"
    yield "the same, scaled", theirs, scaled, scaled / theirs, ""


def processor_ms(command):
    """Processor time of a command, of all its threads: other work on the machine does not count."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, child.returncode, used = os.wait4(child.pid, 0)
    return 1000 * (used.ru_utime + used.ru_stime)


def bench_help():
    """The peer is Python that does nothing."""
    command = [Path(sys.executable).parent / "rosenblatt", "--help"]
    python = min(processor_ms([sys.executable, "-c", "pass"]) for _ in range(30))
    ours = min(processor_ms(command) for _ in range(30))
    yield "rosenblatt --help, processor ms", python, ours, ours / 150, "<= 1 (150 ms)"


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | peer | rosenblatt | ratio | target |")
