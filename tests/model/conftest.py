"""Checkpoints of trainings that crash."""

import itertools

import pytest

from crashing import Crash
from rosenblatt._model import checkpoint


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.checkpoint"


@pytest.fixture
def crash_after(monkeypatch):
    """The process dies with the k-th writing of the checkpoint, after it or before it."""
    write = checkpoint.Checkpoint.write

    def crash(k, *, before=False):
        turns = itertools.count(1)

        def writing(self, state):
            turn = next(turns)
            if turn == k and before:
                raise Crash
            write(self, state)
            if turn == k:
                raise Crash

        monkeypatch.setattr(checkpoint.Checkpoint, "write", writing)

    yield crash
    monkeypatch.setattr(checkpoint.Checkpoint, "write", write)
