"""For courses: programs checked update by update, exercises, the algorithms of lecture notes."""

from rosenblatt.teach.check import check
from rosenblatt.teach.exercise import Exercise, dual_table, exercise
from rosenblatt.teach.notes import ALGORITHMS, NOTES, algorithm
from rosenblatt.teach.report import Report
from rosenblatt.teach.sandbox import Limits

__all__ = [
    "ALGORITHMS",
    "NOTES",
    "Exercise",
    "Limits",
    "Report",
    "algorithm",
    "check",
    "dual_table",
    "exercise",
]
