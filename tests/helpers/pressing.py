"""Ctrl-C at a chosen moment: the signal comes with a chosen call of the backend."""

import signal

from rosenblatt._core.backend import compute


class Pressing:
    """The backend; Ctrl-C is pressed at the calls with the given numbers, counted from 0."""

    SCREENED = ("refer", "screened_visit", "screened_count")
    READING = ("visit", "search", "look", "count", "vote", "arrange", *SCREENED)

    def __init__(self, *presses, only=READING):
        self.presses, self.only, self.calls = presses, only, 0
        self.backend = compute.backend

    def __getattr__(self, name):
        kernel = getattr(self.backend, name)
        if name not in self.only:
            return kernel

        def call(*args):
            self.calls += 1
            if self.calls - 1 in self.presses:
                signal.raise_signal(signal.SIGINT)
            return kernel(*args)

        return call
