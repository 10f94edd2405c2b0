"""What tests of the playground share: its modules in a real browser, and runs to compare."""

import itertools
import warnings
from functools import cache

import numpy as np

from rosenblatt import Perceptron, trace
from rosenblatt.play import fingerprint
from rosenblatt.play.bundle import bundled
from rosenblatt.play.html_page import asset

ORDERS = ("cyclic", "shuffle", "random", "batch")
KEEPS = ("last", "best", "pocket", "average")


def script(entry, changed=None):
    """The modules that `entry` imports as one script that leaves its exports in `window.play`."""

    def read(name):
        text = entry if name == "entry" else asset(f"{name}.js")
        for before, after in (changed or {}).items():
            text = text.replace(before, after)
        return text

    return bundled("entry", read) + "\nwindow.play = $entry;"


def opened(browser, entry, changed=None):
    """An empty page with these modules."""
    page = browser.new_page()
    page.goto("about:blank")
    page.evaluate(f"() => {{ {script(entry, changed)} }}")
    return page


@cache
def data_sets():
    """Separable and not, two classes and more, few and many columns, rows more than a block."""
    rng = np.random.default_rng(7)
    made = {
        "li hang": ([[3, 3], [4, 3], [1, 1]], [1, 1, -1]),
        "xor": ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]),
    }
    for n, d in ((8, 2), (40, 2), (150, 2), (30, 5), (100, 17), (60, 40)):
        for noise in (0, 0.1):
            X = rng.normal(size=(n, d)) * rng.choice([0.01, 1, 100])
            y = np.where(X @ rng.normal(size=d) + 0.1 > 0, 1, -1)
            y[rng.random(n) < noise] *= -1
            y[:2] = [-1, 1]
            made[f"{n} x {d}, noise {noise}"] = (X, y)
    for n, d, k in ((9, 2, 3), (150, 2, 3), (70, 17, 3), (40, 3, 5)):
        for noise in (0, 0.1):
            made[f"{n} x {d} of {k}, noise {noise}"] = classes_of(rng, n, d, k, noise)
    return {name: (np.array(X, dtype=float), np.array(y)) for name, (X, y) in made.items()}


def classes_of(rng, n, d, k, noise):
    """Rows of k classes, the highest of k random scores; some have another label."""
    X = rng.normal(size=(n, d)) * rng.choice([0.01, 1, 100])
    y = (X @ rng.normal(size=(d, k)) + rng.normal(size=k) / 4).argmax(axis=1)
    y = np.where(rng.random(n) < noise, rng.integers(k, size=n), y)
    y[:k] = np.arange(k)
    return X, y


def cases():
    """Every data set with every choice that the page offers, in an order without a pattern."""
    choices = list(
        itertools.product(data_sets(), ORDERS, KEEPS, (0.0, 0.5), (True, False), (0, 1, 2**32 - 1))
    )
    return [choices[k] for k in np.random.default_rng(3).permutation(len(choices))]


def estimator(order, keep, margin, intercept, seed, max_iter=60, max_updates=3000):
    return Perceptron(
        order=order,
        keep=keep,
        margin=margin,
        fit_intercept=intercept,
        random_state=seed,
        max_iter=max_iter,
        max_updates=max_updates,
        patience=None,
    )


def task(X, y, order, keep, margin, intercept, seed):
    """What the page is asked for."""
    settings = {"order": order, "keep": keep, "margin": margin, "intercept": intercept}
    return {
        "x": X.ravel().tolist(),
        "y": y.tolist(),
        "n": len(X),
        "d": X.shape[1],
        "k": len(np.unique(y)),
        "settings": settings | {"maxIter": 60, "maxUpdates": 3000},
        "seed": seed,
    }


@cache
def expected(name, *choices):
    """The same of Python: fingerprint, mistakes by epoch, errors, how it ended."""
    X, y = data_sets()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = trace(estimator(*choices), X, y)
    p = found.estimator
    counts = p.update_counts_ if len(p.classes_) == 2 else p.update_counts_.toarray()
    return [
        fingerprint(found),
        p.mistakes_.tolist(),
        p.training_errors_,
        p.stop_reason_.name.lower(),
        counts.ravel().tolist(),
    ]


TRAIN = """
import { train } from "./learn.js";
import { seedOf } from "./seed.js";
import { fingerprint } from "./fingerprint.js";
import { sha256 } from "./sha256.js";
import { compiled } from "./wasm.js";
import { twin } from "./twin.js";
export const core = async (text) => (text ? compiled(text) : twin);
export const seeds = (states) => states.map((k) => String(seedOf(k)));
export const digest = (text) => sha256(new TextEncoder().encode(text));
export async function runs(text, tasks) {
  const its = await core(text);
  return [its.name, tasks.map((task) => {
    const { n, d, k } = task, [x, y] = [Float64Array.from(task.x), Int8Array.from(task.y)];
    const rows = { x, y, n, d, k };
    const run = train(its, rows, task.settings, seedOf(task.seed));
    const counts = Array.from(task.k > 2 ? run.byClass() : run.counts());
    return [fingerprint(run), run.mistakes, run.errors, run.stop, counts];
  })];
}
"""
