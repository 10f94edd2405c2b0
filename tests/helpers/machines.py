"""What tests of engines share: engines that do their worst, and workers that die inside a call."""

import os
import pickle
import random
import signal
import threading
import time
from pathlib import Path

from rosenblatt._out_of_core.engine import Lost
from rosenblatt._util.progress import check_interrupt


def learned(p):
    """All that training leaves behind, but for the counts by row."""
    names = ["n_iter_", "n_updates_", "training_errors_", "converged_", "stop_reason_"]
    arrays = [p.coef_, p.intercept_, p.mistakes_]
    return [getattr(p, name) for name in names] + [a.tobytes() for a in arrays]


class Hostile:
    """Does calls in any order, some of them twice, and loses some; nothing is shared with it."""

    def __init__(self, seed, at_once=3, loses=0.2):
        self.random, self.at_once, self.loses = random.Random(seed), at_once, loses
        self.calls = self.lost = 0
        self.streak = 0  # gatherings in a row that lost something: five times is given up

    def place(self, load, *given):
        return pickle.dumps(load(*pickle.loads(pickle.dumps(given))))

    def call(self, work, *given):
        return [
            pickle.dumps(work),
            *(v if isinstance(v, bytes) else pickle.dumps(v) for v in given),
        ]

    def gather(self, handles):
        check_interrupt()
        results, lost = {}, []
        for place in self.random.sample(range(len(handles)), len(handles)):
            for _ in range(self.random.choice([1, 1, 2])):
                self.calls += 1
                results[place] = self._done(handles[place])
            if self.streak < 5 and self.random.random() < self.loses:
                lost.append(place)
        self.streak = self.streak + 1 if lost else 0
        if lost:
            self.lost += len(lost)
            raise Lost(lost, "a machine went away")
        return [results[place] for place in range(len(handles))]

    def _done(self, handle):
        if isinstance(handle, bytes):  # what was placed
            return pickle.loads(handle)
        work, *given = map(pickle.loads, handle)
        return pickle.loads(pickle.dumps(work(*given)))


class Deadly:
    """An engine whose n-th call of some work is killed: its worker says that it has begun, waits,
    and gets SIGKILL."""

    def __init__(self, engine, folder, doomed, number=2):
        self._engine, self._folder, self.doomed, self._left = engine, Path(folder), doomed, number
        self.at_once = engine.at_once
        self.killed = []

    def place(self, load, *given):
        return self._engine.place(load, *given)

    def call(self, work, *given):
        if self.doomed in [getattr(v, "__name__", None) for v in given]:
            self._left -= 1
            if self._left == 0:
                begun = self._folder / "begun"
                threading.Thread(target=self._kill, args=[begun], daemon=True).start()
                return self._engine.call(waiting_for_death, given[0], str(begun), work, *given[1:])
        return self._engine.call(work, *given)

    def gather(self, handles):
        return self._engine.gather(handles)

    def _kill(self, begun):
        while not begun.exists() or not begun.read_text():
            time.sleep(0.01)
        self.killed.append(int(begun.read_text()))
        os.kill(self.killed[-1], signal.SIGKILL)


def waiting_for_death(part, begun, work, *given):
    """The first time it says who works on it, and waits."""
    try:
        with open(begun, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return work(part, *given)
    time.sleep(60)
    raise AssertionError("nobody came")
