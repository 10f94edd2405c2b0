"""What a type checker of a user says: `examples/typed.py` is right, and a wrong use is found."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "typed.py"
WRONG = """from typing import Literal
from rosenblatt import Perceptron, certify, load

p = Perceptron(keep="first")
epochs: str = p.fit([[1.0], [2.0]], [0, 1]).n_iter_
share: str = p.score([[1.0]], [0])
word: Literal["separable"] = certify([[1.0], [2.0]], [0, 1]).verdict
print(load(3).predict([[1.0]]))
"""
LINES_THAT_ARE_WRONG = [4, 5, 6, 7, 8]


def mypy(path):
    pytest.importorskip("mypy")
    settings = ["--strict", "--no-error-summary", "--hide-error-context", "--no-pretty"]
    return _checked("mypy", *settings, "--config-file", ROOT / "pyproject.toml", path)


def pyright(path):
    """Its wheel brings all it needs; that of the original downloads when it is first run."""
    pytest.importorskip("basedpyright")
    interpreter = ["--pythonpath", sys.executable, "--level", "error"]
    return _checked("basedpyright", *interpreter, path)


def _checked(module, *arguments):
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("check", [mypy, pyright])
def test_the_example_has_the_types_it_says_and_wrong_ones_are_found(check, tmp_path):
    assert "error" not in check(EXAMPLE).replace("0 errors", "")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    found = check(wrong)
    for line in LINES_THAT_ARE_WRONG:
        assert f"wrong.py:{line}:" in found, found


def test_the_example_runs():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True)
    assert "['yes' 'yes' 'no']" in done.stdout
