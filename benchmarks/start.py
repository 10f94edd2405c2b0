"""What a command costs before it works: python benchmarks/start.py

Processor seconds of fresh processes on the shipped table, taking turns, the least of five; beside
them what the libraries cost that they import. Bytecode is stored, as it is after an installation.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from run import machine

from rosenblatt.datasets import load_credit

REPEATS = 5
COMMAND = str(Path(sys.executable).parent / "rosenblatt")
COMPARED = (
    "from sklearn.linear_model import LogisticRegression;"
    "from sklearn.ensemble import HistGradientBoostingClassifier"
)
IMPORTS = {
    "Python alone": "pass",
    "import rosenblatt": "import rosenblatt",
    "import numpy, scipy.sparse": "import numpy, scipy.sparse",
    "import sklearn": "import sklearn",
    "from sklearn.linear_model import Perceptron": "from sklearn.linear_model import Perceptron",
    "from rosenblatt import Perceptron": "from rosenblatt import Perceptron",
    "what fit compares with (import)": COMPARED,
    "import pyarrow.csv": "import pyarrow.csv",
    "import rich.console, jinja2, click": "import rich.console, jinja2, click",
}


def commands(table: str) -> dict[str, list[str]]:
    """In this order: the first run makes what the others read."""
    fit = [COMMAND, "fit", table, "--target", "card", "--force", "-o", "credit"]
    return {
        "fit, both comparisons": fit,
        "predict": [COMMAND, "predict", "credit/model.json", table],
        "certify": [COMMAND, "certify", table, "--target", "card"],
        "verify": [COMMAND, "verify", "credit/certificate.json", table],
        "inspect": [COMMAND, "inspect", table, "--target", "card"],
        "fit --help": [COMMAND, "fit", "--help"],
    } | {name: [sys.executable, "-c", code] for name, code in IMPORTS.items()}


def seconds(command: list[str], folder: str) -> float:
    def processor() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = processor()
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True)
    return processor() - before


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        asked = commands(str(load_credit().filename))
        for command in asked.values():
            seconds(command, folder)
        least = dict.fromkeys(asked, float("inf"))
        for _ in range(REPEATS):
            for name, command in asked.items():
                least[name] = min(least[name], seconds(command, folder))
    for name, spent in least.items():
        print(f"| {name} | {spent:.2f} s |")


if __name__ == "__main__":
    main()
