"""Wheels: the recorded bits, what they need, and (in `make soak`) building and installing them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
WITHOUT = ("pyarrow", "rich", "click", "jinja2")  # of the command, the tables and the report


def script(name, *arguments):
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def hashing(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    import training_hash

    return training_hash


@pytest.mark.filterwarnings("ignore")  # a few epochs do not end it
def test_the_training_hash_is_the_recorded_one(hashing, capsys):
    assert hashing.main().endswith("as recorded")
    assert "compiled core" in capsys.readouterr().out


def test_other_bits_are_refused(hashing, monkeypatch):
    monkeypatch.setattr(hashing, "training_hash", lambda: "0" * 64)
    with pytest.raises(SystemExit, match="other bits"):
        hashing.main()


def test_estimators_and_proofs_need_none_of_the_libraries_of_the_command(tmp_path):
    """`pip install --no-deps` with numpy, scipy, scikit-learn and threadpoolctl is enough."""
    code = f"""
import sys
for name in {WITHOUT!r}:
    sys.modules[name] = None  # an import of it fails
from rosenblatt import AROW, KernelPerceptron, Perceptron, certify, load, save, trace
X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
p = Perceptron(order="cyclic").fit(X, y)
save(p, "model.json")
assert load("model.json").predict(X).tolist() == y
certificate = certify(X, y)
certificate.save("certificate.json")
certificate.verify(X, y)
AROW().fit(X, y), KernelPerceptron(kernel="rbf").fit(X, y)
print(certificate.mistake_bound, len(trace(Perceptron(order="cyclic", keep="last"), X, y)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout.split() == ["117", "7"], done.stderr


def test_wheels_of_other_systems_have_to_give_the_same_bits():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    command = settings["test-command"].replace("{project}", str(ROOT))
    assert command.split() == ["python", str(SCRIPTS / "training_hash.py")]
    assert all(part.get("archs") for part in (settings["linux"], settings["macos"]))


def test_wheels_are_built_and_work_where_there_is_no_compiler(heavy, tmp_path):
    if heavy(20) == 1:
        pytest.skip("a few minutes: make soak")
    code, said = script("build_wheel.py", tmp_path)
    assert code == 0, said
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(first) == 3
    code, said = script("check_wheel.py", *sorted(tmp_path.glob("*.whl")))
    assert code == 0, said
    assert said.count("as recorded") == said.count("ACCEPTED: overlap") == 3  # 3.11, 3.12, 3.13
