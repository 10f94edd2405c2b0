"""A program that shuffles once is told from one that shuffles in every epoch, by its updates."""

from itertools import permutations

import pytest

from grading import assigned, judged
from rosenblatt.teach.definition import Setting, Table, mistakes_along
from rosenblatt.teach.mistakes import _probability, repeats_one_order
from student_programs import program, styles

IN_ANY_ORDER = ("pla", "dual", "kernel")
TELLING = ("record", "generator")


def programs(task, mistake=None):
    return [program(task, s, mistake) for s in styles(task) if s.name in TELLING]


def seeded(source, seed):
    return source.replace("default_rng(0)", f"default_rng({seed})")


def once_for_all_tables(source):
    """One generator for all runs: other numbers for each table."""
    line = "rng = np.random.default_rng(0)"
    return source.replace(line, "pass").replace("import math\n", f"import math\n{line}\n")


@pytest.mark.parametrize("task", IN_ANY_ORDER)
def test_a_program_that_shuffles_once_is_named(task, heavy):
    named = 0  # not all: a seed may draw the order of the rows, or one that tells nothing
    asked, free = assigned(task, order="shuffle"), assigned(task)
    seeds = range(heavy(40))
    for seed in seeds:
        for source in programs(task, "shuffles once"):
            report = judged(asked, seeded(once_for_all_tables(source), seed))
            one = [m.name for m in report.mistakes] == ["shuffles once"]
            assert report.ok != one
            named += one
            allowed = judged(free, seeded(once_for_all_tables(source), seed))
            assert (allowed.ok, allowed.points, allowed.mistakes) == (True, 10, ())
    assert named >= len(seeds)


@pytest.mark.parametrize("task", IN_ANY_ORDER)
def test_a_program_that_shuffles_in_every_epoch_is_not_accused(task, heavy):
    a = assigned(task, order="shuffle")
    for seed in range(heavy(200)):
        source = programs(task, "shuffles anew")[seed % 2]
        for fresh in (source, once_for_all_tables(source)):
            report = judged(a, seeded(fresh, seed))
            assert (report.ok, report.mistakes) == (True, ()), seed


@pytest.mark.parametrize("mistake", [None, "starts again after an update"])
@pytest.mark.parametrize("task", IN_ANY_ORDER)
def test_a_program_in_the_order_of_the_rows_is_not_accused(task, mistake):
    for source in programs(task, mistake):
        report = judged(assigned(task, order="shuffle"), source)
        assert (report.ok, report.mistakes, report.remarks) == (True, (), [])


@pytest.mark.parametrize("how", ["rng.choice(wrong)", "max(wrong, key=lambda i: -y[i] * s[i])"])
def test_a_program_without_epochs_is_not_accused(how):
    source = f"""
import numpy as np
def train(X, y):
    w, b, rng = np.zeros(X.shape[1]), 0, np.random.default_rng(5)
    while True:
        s = X @ w + b
        wrong = [i for i in range(len(y)) if y[i] * s[i] <= 0]
        if not wrong: return
        i = int({how})
        w, b = w + y[i] * X[i], b + y[i]
        yield i, w, b
"""
    assert judged(assigned("pla", order="shuffle"), source).ok


def test_probability_of_updates_by_hand():
    """(1) + and (-1) -: a score of 0 is a mistake, and the first of the two makes both right.

    Through the origin either row is first with the probability 1/2, and there is nothing more.
    """
    table, setting = Table([[1], [-1]], [1, -1]), Setting("pla", intercept=False)
    orders = list(permutations(range(2)))
    for rows in ([0], [1]):
        assert _probability(orders, mistakes_along(table, setting, rows), rows) == 0.5
        assert not repeats_one_order([table], setting, [rows])
