"""The same in another engine: Firefox computes the same bits, verdicts and proofs as Chromium.

In `make soak` only, and where a Firefox is on the PATH.
"""

import os
import random

import numpy as np
import pytest

import firefox
import playing
import twins
from rosenblatt import Perceptron, certify, study, trace
from rosenblatt.datasets import load_credit
from rosenblatt.play import fingerprint, page
from rosenblatt.play.html_page import packed_core

VERDICT = """
import { verdict } from "./verdict.js";
export const verdicts = (asked) => asked.map(({ x, y, n, d }) => {
  const found = verdict({ x: Float64Array.from(x), y: Int8Array.from(y), n, d }, true, 0);
  return [found.status, found.bound === undefined ? null : String(found.bound)];
});
"""
STATUS = {"complete separation": "separable", "quasi-complete separation": "quasi"}


@pytest.fixture(scope="module")
def window():
    if os.environ.get("ROSENBLATT_SOAK") != "1":
        pytest.skip("Firefox is started in make soak")
    path = firefox.program()
    if path is None:
        pytest.skip("no Firefox found (apt-get install firefox-esr)")
    with firefox.started(path) as found:
        found.open("about:blank")
        yield found


@pytest.mark.parametrize("compiled", [True, False], ids=["wasm", "javascript"])
def test_every_update_has_the_same_bits(window, heavy, compiled):
    sets, some = playing.data_sets(), playing.cases()[: heavy(1200)]
    tasks = [playing.task(*sets[name], *choices) for name, *choices in some]
    core = packed_core() if compiled else ""
    script = playing.script(playing.TRAIN)
    its, found = window.run(f"{script}\nreturn play.runs(arguments[0], arguments[1]);", core, tasks)
    assert its == ("wasm" if compiled else "javascript")
    wanted = [playing.expected(name, *choices) for name, *choices in some]
    assert [case for case, a, b in zip(some, wanted, found, strict=True) if a != b] == []


def test_the_verdict_is_the_certified_one(window, heavy, rng):
    sets = []
    for _ in range(heavy(500)):
        X = rng.integers(-3, 4, size=(int(rng.integers(3, 12)), 2)) / 4
        y = np.where(X @ rng.normal(size=2) + rng.normal() / 2 > 0, 1, -1)
        y[:2] = [-1, 1]
        sets.append((X, y))
    asked = [{"x": X.ravel().tolist(), "y": y.tolist(), "n": len(X), "d": 2} for X, y in sets]
    found = window.run(f"{playing.script(VERDICT)}\nreturn play.verdicts(arguments[0]);", asked)
    for (X, y), (status, bound) in zip(sets, found, strict=True):
        ours = certify(X, y)
        assert status == STATUS.get(ours.verdict, "overlap")
        if status == "separable":
            assert int(bound) == ours.best_possible_mistake_bound


def test_the_verifier_says_what_verify_py_says(window, heavy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = [(text, table) for kept, table in twins.kept() for text in twins.tampered(kept)]
    cases = [*twins.kept(), *random.Random(5).sample(cases, heavy(2000))]
    asked = [[certificate, "t.csv", table] for certificate, table in cases]
    found = window.run(f"{twins.script()}\nreturn twin.plain(arguments[0]);", asked)
    for (certificate, table), (status, lines) in zip(cases, found, strict=True):
        expected, said = twins.python_says(certificate, table)
        assert status == expected
        if status < 2 and "not a certificate" not in said[0]:
            assert lines == said


def test_the_report_proves_itself(window, tmp_path):
    path = tmp_path / "report.html"
    study(load_credit().filename, target="card", embed_data=True).save_report(path)
    window.open(path.as_uri())
    said = window.run("return document.getElementById('checked').innerText;")
    assert said.startswith("checked in your browser just now")
    assert "quasi-complete separation, 1,319 rows, proved." in said


def test_the_playground_opens_from_the_disk_and_learns(window, tmp_path):
    path = tmp_path / "playground.html"
    X, y, settings = [[3, 3], [4, 3], [1, 1]], [1, 1, -1], {"order": "cyclic", "keep": "last"}
    path.write_text(page(X, y, settings=settings), encoding="utf-8")
    window.open(path.as_uri())
    points = window.run("return playground.then(() => document.querySelectorAll('.point').length);")
    assert points == 3
    window.run("document.querySelector('.more').click();")
    shown = window.run("return document.querySelector('.fingerprint dd').textContent;")
    assert shown.strip() == fingerprint(trace(Perceptron(**settings), X, y))
