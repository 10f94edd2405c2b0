"""The core in a browser computes what the core here computes: every update, every bit."""

import hashlib
import json
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import playing
from rosenblatt import KernelPerceptron, trace
from rosenblatt._training.training import _drawn
from rosenblatt.play import fingerprint
from rosenblatt.play.html_page import packed_core

FUSED = """
// a b + c with one rounding, but for rare ties: exact product and sum (Dekker 1971), then rounded.
const split = (v) => { const t = 134217729 * v, high = t - (t - v); return [high, v - high]; };
const fused = (a, b, c) => {
  const p = a * b, [ah, al] = split(a), [bh, bl] = split(b);
  const e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  const s = c + p, t = s - c, f = (c - (s - t)) + (p - t);
  return s + (f + e);
};"""
MANY = ("cyclic", "last", 0.0, True, 1)
ROOT = Path(__file__).parents[2]


def runs(page, tasks, *, compiled):
    text = packed_core() if compiled else ""
    return page.evaluate("([text, tasks]) => play.runs(text, tasks)", [text, tasks])


def compared(page, some, *, compiled):
    sets = playing.data_sets()
    tasks = [playing.task(*sets[name], *choices) for name, *choices in some]
    name, found = runs(page, tasks, compiled=compiled)
    assert name == ("wasm" if compiled else "javascript")
    wanted = [playing.expected(name, *choices) for name, *choices in some]
    return [case for case, ours, its in zip(some, wanted, found, strict=True) if ours != its]


def test_a_random_state_becomes_numpys_seed(browser):
    states = [0, 1, 42, 2**31, 2**32 - 1, *range(100, 160)]
    page = playing.opened(browser, playing.TRAIN)
    assert page.evaluate("(states) => play.seeds(states)", states) == [
        str(_drawn(k)) for k in states
    ]


def test_hashes_are_sha_256(browser):
    page = playing.opened(browser, playing.TRAIN)
    for length in (0, 1, 55, 56, 63, 64, 65, 119, 1000):
        text = "perceptron" * 100
        wanted = hashlib.sha256(text[:length].encode()).hexdigest()
        assert page.evaluate("(text) => play.digest(text)", text[:length]) == wanted


def test_numbers_are_written_as_each_language_writes_them(browser):
    entry = """import { speaker } from "./strings.js";
export const all = (language, values) => {
  const say = speaker({}, language);
  return [values.map(say.number), say.vector([0.5, -2]), say.count(22133n)];
};
"""
    page = playing.opened(browser, entry)
    values = [3, -0.5, 1234.5678, 0.000123456, -0.0, 2.5e12]
    asked = "([language, values]) => play.all(language, values)"
    assert page.evaluate(asked, ["en", values]) == [
        ["3", "−0.5", "1,234.57", "0.000123", "0", "2.5E12"],
        "(0.5, −2)",
        "22,133",
    ]
    assert page.evaluate(asked, ["de", values]) == [
        ["3", "−0,5", "1.234,57", "0,000123", "0", "2,5E12"],
        "(0,5; −2)",
        "22.133",
    ]


@pytest.mark.parametrize("compiled", [True, False], ids=["wasm", "javascript"])
def test_every_update_has_the_same_bits(browser, heavy, compiled):
    page = playing.opened(browser, playing.TRAIN)
    assert compared(page, playing.cases()[: heavy(1200)], compiled=compiled) == []


@pytest.mark.parametrize(
    "change",
    [
        {"LANES = 16": "LANES = 8"},
        {
            "const LANES": f"{FUSED}\nconst LANES",
            "lane[j % LANES] += x[i * d + j] * w[at + j]": (
                "lane[j % LANES] = fused(x[i * d + j], w[at + j], lane[j % LANES])"
            ),
        },
        {"0x94d049bb133111ebn": "0x94d049bb133111edn"},
        {"> margin) return": ">= margin) return"},
    ],
    ids=["lanes", "fused", "mixer", "a row on the line"],
)
def test_another_definition_has_other_bits(browser, change):
    page = playing.opened(browser, playing.TRAIN, change)
    wide = ("100 x 17, noise 0", "shuffle", "last", 0.0, True, 1)
    assert compared(page, [wide], compiled=False)


@pytest.mark.parametrize(
    "change",
    [{"all[c] > all[rival]": "all[c] >= all[rival]"}, {"add(i, -factor": "add(i, -factor * 0"}],
    ids=["ties", "the rival stays"],
)
def test_another_rival_has_other_bits(browser, change):
    page = playing.opened(browser, playing.TRAIN, change)
    assert compared(page, [("9 x 2 of 3, noise 0", *MANY)], compiled=False)


@pytest.mark.parametrize("name", ["40 x 2, noise 0.1", "9 x 2 of 3, noise 0.1"])
@pytest.mark.parametrize("order", playing.ORDERS)
def test_kernels_visit_and_update_the_same_rows(browser, order, name):
    """Their values may differ in the last bit, so that scores are not compared."""
    page = playing.opened(browser, playing.TRAIN)
    X, y = playing.data_sets()[name]
    X = np.round(X / np.abs(X).max() * 128) / 64
    for kernel, degree in (("rbf", 3), ("poly", 2), ("poly", 3)):
        task = playing.task(X, y, order, "best", 0.0, True, 5)
        task["settings"] |= {"kernel": kernel, "gamma": 0.5, "degree": degree}
        p = KernelPerceptron(
            kernel=kernel, gamma=0.5, degree=degree, order=order, random_state=5
        ).set_params(max_iter=60, max_updates=3000, patience=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = trace(p, X, y)
        (its,) = runs(page, [task], compiled=True)[1]
        assert its[:3] == [
            fingerprint(found),
            found.estimator.mistakes_.tolist(),
            found.estimator.training_errors_,
        ]


def test_a_page_that_may_not_compile_trains_all_the_same(browser):
    page = playing.opened(browser, playing.TRAIN)
    X, y = playing.data_sets()["li hang"]
    task = playing.task(X, y, "cyclic", "last", 0.0, True, 0)
    broken = "AGFzbQ=="  # the first bytes of a module alone
    found = page.evaluate("([text, tasks]) => play.runs(text, tasks)", [broken, [task]])
    assert found == ["javascript", [playing.expected("li hang", "cyclic", "last", 0.0, True, 0)]]


def test_weights_that_overflow_end_it(browser):
    page = playing.opened(browser, playing.TRAIN)
    X, y = np.array([[1.7e308], [1.7e308], [-1.0]]), np.array([1, 1, -1])
    task = playing.task(X, y, "batch", "last", 0.0, True, 0)
    for compiled in (True, False):
        assert runs(page, [task], compiled=compiled)[1][0][3] == "overflow"


def test_the_committed_core_is_of_these_sources():
    script = runpy.run_path(str(ROOT / "scripts" / "wasm.py"))
    core, record = script["CORE"].read_bytes(), json.loads(script["RECORD"].read_text())
    assert record == script["record_of"](core), "native/ has changed: make wasm"
    assert f'"{record["compiler"].replace(" ", "==")}"' in (ROOT / "pyproject.toml").read_text()
