"""Every snippet in the documentation runs and shows the output that the reader will see."""

import doctest
import importlib.util
import inspect
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from forked import ended

ROOT = Path(__file__).parents[2]
ROOTS = [ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "CONTRIBUTING.md"]
PAGES = [*ROOTS, *sorted((ROOT / "docs").glob("*.md"))]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")
    if module.name not in ("rosenblatt._core._native", "rosenblatt.__main__")
]
SHOWING = [  # by their file, so that a module without an example is no test
    name for name in MODULES if ">>>" in Path(importlib.util.find_spec(name).origin).read_text()
]

ESTIMATORS = ["KernelPerceptron", "Perceptron", "RandomLinearClassifier", "Scorecard"]


def run(examples, name, names):
    runner = doctest.DocTestRunner(verbose=False)
    test = doctest.DocTestParser().get_doctest(examples, names, name, name, 0)
    test.globs = names  # the snippets of a page go on from each other
    runner.run(test, clear_globs=False)
    return runner.summarize(verbose=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_snippets_of_a_page_give_what_they_show(page):
    names = {}
    fenced = r"^ *```python\n(.*?)^ *```$"  # in a list, too
    for block in re.findall(fenced, page.read_text(), re.DOTALL | re.MULTILINE):
        assert ">>>" in block, "a snippet without output is not tested"
        assert run(block, page.name, names).failed == 0


def test_every_module_can_be_imported():
    for name in MODULES:
        importlib.import_module(name)


@pytest.mark.parametrize("name", SHOWING)
def test_the_examples_in_docstrings_give_what_they_show(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", rosenblatt.__all__)
def test_everything_public_has_a_docstring(name):
    assert getattr(rosenblatt, name).__doc__


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_documented_in_order(name):
    estimator = getattr(rosenblatt, name)
    parameters = inspect.getdoc(estimator).split("Parameters")[1].split("Attributes")[0]
    headings = re.findall(r"^(\w+(?:, \w+)*)(?: : .*)?$", parameters, re.MULTILINE)
    documented = [name for heading in headings for name in heading.split(", ")]
    assert sorted(documented) == sorted(estimator().get_params())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_attribute_is_documented(name):
    X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
    estimator = getattr(rosenblatt, name)().fit(X, [1, 1, -1])
    described = estimator.__doc__.split("Attributes")[1]
    for attribute in vars(estimator):
        if attribute.endswith("_") and attribute != "n_features_in_":
            assert attribute in described


def test_the_readme_shows_what_the_demo_prints(tmp_path):
    """Of the first run the warning, of the second some lines in their order."""
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    shown = re.findall(r"^```text\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.M)
    commands = re.findall(r"bin/rosenblatt (.*)", recipe)
    for command, part in zip(commands, shown, strict=True):
        code, printed, _ = ended(shlex.split(command), tmp_path)
        assert code == 0
        lines = iter(printed.splitlines())
        assert [line for line in part.splitlines() if line not in lines] == []


def test_the_page_of_commands_is_what_the_commands_say():
    command = [sys.executable, ROOT / "scripts" / "commands_page.py", "--check"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def consoles(page):
    """The commands in ```console blocks of a page, each with the lines that follow it."""
    for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


VISITS = (
    "Vet visits of 2024,,,\nbreed,seen,weight,bites\n"
    "Beagle,3/4/2024,12.5,no\nBeagle,5/4/2024,11,no\nBoxer,7/5/2024,30,yes\nBoxer,2/6/2024,,yes\nCollie,9/6/2024,24,no\nPug,1/7/2024,8,yes\n"
    "Beagle,4/8/2024,13,no\nBoxer,6/9/2024,28.5,yes\nBeagle,8/10/2024,12,no\n"
    "Saluki,3/11/2024,22,maybe\nBoxer,5/12/2024,31,yes\nBeagle,6/12/2024,10,no\nTotal,,202,\n"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_shell_sessions_show_what_is_printed(page, tmp_path):
    from rosenblatt.datasets import load_credit

    shutil.copy(load_credit().filename, tmp_path / "credit.csv")
    (tmp_path / "broken.csv").write_text("income,paid\n1,0\n2,1\n3,0\n4.1o,1\n5,1\n6.5,0\n")
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "toy.csv").write_text("x1,x2,y\n3,3,1\n4,3,1\n1,1,-1\n")
    for command, shown in consoles(page):
        code, printed = typed(command, shown, tmp_path)
        lines = [line.rstrip() for line in printed.splitlines()]
        assert lines == shown.splitlines() or (not shown and code == 0), command


def typed(command, shown, place):
    """Exit code and all that is printed."""
    name, *arguments = shlex.split(command)
    if name == "rosenblatt":
        if {"--min-errors", "--forced-signs"} & set(arguments) and "--search-time" not in arguments:
            arguments += ["--search-time", "1"]
        code, out, err = ended(arguments, place)
        return code, err + out
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [name, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env=os.environ | {"PATH": path},
    )
    return done.returncode, done.stderr + done.stdout


def test_the_command_that_pip_installs_is_the_one_of_the_pages():
    done = subprocess.run(
        [Path(sys.executable).parent / "rosenblatt", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"rosenblatt, version {rosenblatt.__version__}\n"
