"""How long a study searches for what its rows force, and for other opinions of new rows."""

from rosenblatt._study import forced, opinions

FULL = (forced.WORK, opinions.ROWS, opinions.WORK)
SHORT = (forced.WORK // 20, 3, opinions.WORK // 20)


def search(amounts):
    forced.WORK, opinions.ROWS, opinions.WORK = amounts


def amounts():
    """As it is now: what a process that is started shall do, too."""
    return forced.WORK, opinions.ROWS, opinions.WORK
