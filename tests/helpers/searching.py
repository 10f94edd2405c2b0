"""How long a study searches for what its rows force, and for other opinions of new rows."""

from rosenblatt._study import robustness

FULL = (robustness.SIGNS_WORK, robustness.ROWS, robustness.OPINIONS_WORK)
SHORT = (robustness.SIGNS_WORK // 20, 3, robustness.OPINIONS_WORK // 20)


def search(amounts):
    robustness.SIGNS_WORK, robustness.ROWS, robustness.OPINIONS_WORK = amounts


def amounts():
    """As it is now: what a process that is started shall do, too."""
    return robustness.SIGNS_WORK, robustness.ROWS, robustness.OPINIONS_WORK
