"""Planted mistakes, in programs of many styles: each is told by its name, and right ones pass."""

from itertools import combinations

import pytest

from grading import assigned, judged
from rosenblatt.teach.check import RATE
from rosenblatt.teach.definition import DEFINITION, TASKS, run
from rosenblatt.teach.mistakes import MISTAKES, of_task
from student_programs import program, styles

MORE = {"pla": ["ends after 50 epochs"], "dual": ["ends after 50 epochs"]}


def known(task):
    return [m.name for m in of_task(task, intercept=True, tie="mistake", has=frozenset({"rate"}))]


def planted(task):
    """Mistake after mistake, each in the next style first: a few are of many styles."""
    names, all_styles = [*known(task), *MORE.get(task, [])], styles(task)
    for turn in range(len(all_styles)):
        for k, name in enumerate(names):
            yield name, all_styles[(k + turn) % len(all_styles)]


def test_there_are_enough_of_them():
    assert len(MISTAKES) >= 25
    for task in TASKS:
        assert len(styles(task)) >= 8
        assert len(known(task)) >= 25


@pytest.mark.parametrize("task", TASKS)
def test_a_planted_mistake_is_told_by_its_name(task, heavy):
    wrong = []
    for (name, style), _ in zip(planted(task), range(heavy(200)), strict=False):
        a = assigned(task, style.notes, **dict(style.options))
        report = judged(a, program(task, style, name))
        allowed = name == "starts again after an update" and a.notes.order == "any"
        if allowed:  # the notes leave the order open
            good = report.ok
        else:
            good = [m.name for m in report.mistakes] == [name] and not report.ok
        if not good:
            wrong.append((name, style.name, [m.name for m in report.mistakes]))
    assert wrong == []


@pytest.mark.parametrize("task", TASKS)
def test_right_programs_of_all_styles_pass(task):
    for style in styles(task):
        a = assigned(task, style.notes, **dict(style.options))
        report = judged(a, program(task, style))
        assert (report.ok, report.points, report.mistakes) == (True, 10, ()), style.name


@pytest.mark.parametrize("task", TASKS)
def test_a_program_that_changes_its_input_does_not_pass(task):
    style = styles(task)[0]
    report = judged(assigned(task), program(task, style, "changes its input"))
    assert not report.ok
    assert report.changed == ["X"]


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("task", TASKS)
def test_tables_tell_every_two_mistakes_apart(task, tie):
    """By updates, and by what is returned where both end: chosen by mutation."""
    a = assigned(task, tie=tie)
    setting = a.setting._replace(eta=RATE)
    ways = [DEFINITION]
    ways += [m.how for m in of_task(task, intercept=True, tie=tie, has=frozenset({"rate"}))]
    of_each = []
    for how in ways:
        runs = [run(table, setting, how, most=200) for table in a.tables[:9]]
        of_each.append([(r.updates, (r.w, r.b) if r.ended else None) for r in runs])
    alike = [
        (ways[i], ways[k]) for i, k in combinations(range(len(ways)), 2) if of_each[i] == of_each[k]
    ]
    hard = {"below 1"} if task == "kernel" else set()  # scores of whole numbers
    assert [pair for pair in alike if not hard & {pair[0].calls, pair[1].calls}] == []
