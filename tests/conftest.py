"""Shared by all tests: how long to run, and which core runs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import pairs
import searching
from raising import WRITING
from rosenblatt._core import reference
from rosenblatt._core.backend import compute

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are drawn where no screen is
# Hundreds of tests start a process of their own: let the first of them keep what it compiles.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
FLAGS = [  # of Chromium
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
]
SOAK = os.environ.get("ROSENBLATT_SOAK") == "1"

settings.register_profile("test", max_examples=25, deadline=None, derandomize=True)
settings.register_profile(
    "soak", max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("soak" if SOAK else "test")


def pytest_collection_modifyitems(config, items):
    if SOAK or WRITING or any("::" in argument for argument in config.args):
        return
    if left_out := pairs.left_out(items):
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk():
    """Files are whole without it, but for a loss of power, which no test can bring about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_tests(tmp_path_factory):
    """Rows of streams do not go into the user's cache."""
    os.environ["ROSENBLATT_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["ROSENBLATT_CACHE"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """What the rows of a study force is searched in full where that is what is tested, or shown."""
    shown = "project" in item.path.parts or item.get_closest_marker("in_full")
    searching.search(searching.FULL if shown or SOAK else searching.SHORT)


@pytest.fixture(scope="session")
def heavy():
    """How many times a heavy test runs: all of its count in `make soak`, a twentieth otherwise."""
    return lambda count: count if SOAK else max(count // 20, 1)


@pytest.fixture
def with_core(monkeypatch):
    """A function that makes estimators run on another core: `_core` or `_reference`."""

    def use(core):
        monkeypatch.setattr(compute, "backend", core)

    return use


@pytest.fixture
def on_reference(with_core):
    with_core(reference)


@pytest.fixture(autouse=True)
def no_picture_stays_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def shell(tmp_path, monkeypatch, capfd):
    """Run the command in an empty folder; returns exit code, standard output, standard error.

    Every option that it names is one of its own, or of a command that is named before it.
    """
    from commands import check_options
    from rosenblatt.cli import run

    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = run([str(a) for a in arguments])
        out, err = capfd.readouterr()
        check_options(arguments, out + err)
        return code, out, err

    return call


@pytest.fixture(scope="session")
def granted():
    """The study of the credit table without what is known only afterwards; nobody changes it."""
    from rosenblatt import study
    from rosenblatt.datasets import load_credit

    return study(load_credit().filename, target="card", ignore=["share", "expenditure"])


@pytest.fixture(scope="module")
def browser():
    """A real one, by playwright."""
    if os.environ.get("ROSENBLATT_BROWSER") == "no":
        pytest.skip("needs a browser: left out by BROWSER=no")
    found = subprocess.run(
        ["sh", Path(__file__).parents[1] / "scripts" / "browser.sh"],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        pytest.fail(found.stderr)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.stdout.strip().splitlines()[-1], args=FLAGS
        )
        yield browser
        browser.close()
