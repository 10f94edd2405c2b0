"""The public face: names, imports, types, versions, and building without a compiler."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_alone_loads_nothing_heavy():
    code = "import sys, rosenblatt; print([m for m in ('numpy', 'sklearn') if m in sys.modules])"
    assert run(code) == "[]"


def test_training_quietly_does_not_load_the_progress_bar():
    code = (
        "import sys; from rosenblatt import Perceptron; Perceptron().fit([[0], [1]], [0, 1]);"
        "print('rich' in sys.modules)"
    )
    assert run(code) == "False"


def test_every_public_name_is_there_and_listed():
    assert set(rosenblatt.__all__) <= set(dir(rosenblatt))
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'Perceptrons'"):
        _ = rosenblatt.Perceptrons


def test_the_version_is_the_one_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert rosenblatt.__version__ == project["version"]


def test_the_package_is_typed():
    assert (ROOT / "src" / "rosenblatt" / "py.typed").exists()


def test_the_stub_of_the_core_is_the_one_that_nanobind_writes(tmp_path):
    pytest.importorskip("rosenblatt._core._native")
    written = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "rosenblatt._core._native"]
    subprocess.run([*command, "-o", str(written)], check=True)
    kept = ROOT / "src" / "rosenblatt" / "_core" / "_native.pyi"
    assert kept.read_text() == written.read_text(), "make stub"


def test_the_reference_has_every_function_of_the_core():
    core = pytest.importorskip("rosenblatt._core._native")
    from rosenblatt._core import reference

    # Screening and whole epochs have the results of visit and count; scikit-learn reads svmlight;
    # linear algebra modulo a prime is done by NumPy in _certify/linear_algebra.py. The reference
    # uses one thread.
    own = {"epochs", "refer", "screened_visit", "screened_count", "SvmlightReader"}
    own |= {"eliminate", "invert", "lift", "rank_along"}
    own |= {"threads", "threads_for", "use_threads"}
    for name in vars(core):
        assert name.startswith("_") or name in own or hasattr(reference, name)


def pip_install(target, **environment):
    """Install the project into an empty folder, with a compiler that cannot compile."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--no-deps", "--quiet"),
            *("--config-settings", f"build-dir={target}-build"),
            *("--target", str(target), str(ROOT)),
        ],
        env={**os.environ, "CXX": "/bin/false", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_compiler_it_installs_and_trains(tmp_path):
    done = pip_install(tmp_path / "site", ROSENBLATT_REQUIRE_NATIVE="0")
    assert done.returncode == 0, done.stderr
    installed = tmp_path / "site" / "rosenblatt"
    assert (installed / "_core" / "reference.py").exists()
    assert (installed / "report" / "templates" / "page.html").exists()
    assert not list(installed.rglob("_native.*so"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "import rosenblatt; from rosenblatt import Perceptron\n"
        "print(rosenblatt.__file__)\n"
        "p = Perceptron(order='cyclic', keep='last', margin=0)\n"
        "print(p.fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1]).intercept_)"
    )
    # -S -E: without the editable installation of this environment, but with its packages.
    packages = next(p for p in sys.path if p.endswith("site-packages"))
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            code.replace("import sys;", f"import sys; sys.path.append({packages!r});", 1),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path) in done.stdout
    assert "[-3.]" in done.stdout


def test_a_required_core_that_does_not_build_is_an_error(tmp_path):
    done = pip_install(tmp_path / "site", ROSENBLATT_REQUIRE_NATIVE="1")
    assert done.returncode != 0
    assert "CMake Error" in done.stderr or "CMake Error" in done.stdout


def test_the_page_of_the_api_has_every_name_and_no_other():
    page = (ROOT / "docs" / "api.md").read_text()
    code = re.findall(r"`([^`]+)`", page)
    shown = {name for part in code for name in re.findall(r"(?<![\w.\"])[A-Za-z]\w+", part)}
    assert set(rosenblatt.__all__) <= shown
    assert set(rosenblatt._MODULES) <= shown
    for part in code:
        if owner := re.match(r"([a-z]\w+|[A-Z]\w+)\.(\w+)", part):
            assert hasattr(getattr(rosenblatt, owner[1]), owner[2]), part
