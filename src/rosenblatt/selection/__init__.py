"""Honest comparison: candidates train, are chosen on other rows, and are tested once.

They learn on one part of the rows and are chosen on a second; the winner's error is measured once,
on a third.
"""

from rosenblatt.selection.candidates import candidates
from rosenblatt.selection.comparison import Candidate
from rosenblatt.selection.measures import clopper_pearson
from rosenblatt.selection.selector import Selection, SelectionInterrupted, select

__all__ = [
    "Candidate",
    "Selection",
    "SelectionInterrupted",
    "candidates",
    "clopper_pearson",
    "select",
]
