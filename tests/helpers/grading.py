"""A task of some notes, and a program judged right here: without a process of its own."""

from rosenblatt.teach import child
from rosenblatt.teach.check import LIMITS, Assignment

QUICK = LIMITS._replace(of_a_table=0.1)  # processor time until a run counts as endless


def assigned(task, notes="li-hang", seed=1, **given):
    choices = dict.fromkeys(("layout", "fit_intercept", "tie", "order")) | given
    labels = choices.pop("labels", (-1, 1))
    return Assignment.of(task, notes, labels=labels, points=10, random_state=seed, **choices)


def judged(a, source, name="train"):
    return a.judge(name, child.observe(child.load(source, name), a.cases(QUICK)))
