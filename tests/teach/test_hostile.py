"""Submissions that mean harm: they do not pass, they end, and nothing is left of them."""

import os
import time
from pathlib import Path

import pytest

import rosenblatt
from grading import assigned
from rosenblatt.teach import sandbox
from rosenblatt.teach.sandbox import Isolation, Limits

SHORT = Limits(seconds=4, of_a_table=0.2, memory=1 << 30, processes=8)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX has these limits")

RIGHT = """
def train(X, y):
    w, b, clean = np.zeros(X.shape[1]), 0, False
    while not clean:
        clean = True
        for x, t in zip(X, y):
            if t * (w @ x + b) <= 0:
                w, b, clean = w + t * x, b + t, False
    return w, b
"""

HARM = {
    "endless": "def train(X, y):\n    while True: pass",
    "endless and deaf": """
def train(X, y):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "deaf to signals": """
import signal
def train(X, y):
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    while True: pass
""",
    "many processes": """
import os
def train(X, y):
    while True:
        try: os.fork()
        except OSError: pass
""",
    "a process that stays": """
import os, time
def train(X, y):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(100)
        os._exit(0)
    time.sleep(100)
""",
    "a file of a gigabyte": """
def train(X, y):
    with open('large', 'wb') as f:
        for _ in range(1024): f.write(bytes(1 << 20))
    return [0, 0], 0
""",
    "prints a gigabyte": """
import sys, os
def train(X, y):
    for fd in (1, 2):
        for _ in range(512): os.write(fd, bytes(1 << 20))
    return [0, 0], 0
""",
    "much memory": "import numpy as np\ndef train(X, y):\n    return np.ones(1 << 34), 0",
    "edits modules": f"""
import os
def train(X, y):
    for path in {[str(Path(rosenblatt.__file__)), str(Path(sandbox.__file__))]!r}:
        with open(path, 'a') as f: f.write('# harm')
    return [0, 0], 0
""",
    "imports the answers": """
def train(X, y):
    from rosenblatt import Perceptron
    p = Perceptron(order='cyclic', keep='last').fit(X, y)
    return p.coef_[0], p.intercept_[0]
""",
    "looks into the parent": """
import os
def train(X, y):
    open(f'/proc/{os.getppid()}/mem', 'rb').read(1)
    return [0, 0], 0
""",
    "tells lies": """
import os
def train(X, y):
    for fd in range(3, 64):
        try: os.write(fd, b'{"form": "train", "asked": [], "runs": []}')
        except OSError: pass
    os._exit(0)
""",
    "tells nonsense": """
import os
def train(X, y):
    for fd in range(3, 64):
        try: os.write(fd, b'[[[[')
        except OSError: pass
    os._exit(0)
""",
    "leaves": "import os\ndef train(X, y):\n    os._exit(0)",
    "at import": "while True: pass",
    "infinite numbers": "def train(X, y):\n    return [float('nan')] * 2, float('inf')",
    "words": "def train(X, y):\n    return 'w', 'b'",
}


def ways():
    """With bubblewrap, if it is here, and without."""
    here = sandbox.isolation()
    found = [Isolation(None, here.uid)]
    return [here, *found] if here.bubblewrap is not None else found


def of_users(uid):
    """Its processes, but for those that have ended and wait for their parent to look."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
            if path.stat().st_uid == uid and state != "Z":
                found.append(path.name)
        except OSError:
            pass
    return found


@pytest.mark.parametrize("where", ways(), ids=lambda where: "alone" if where[0] else "plain")
@pytest.mark.parametrize("name", HARM)
def test_harm_does_not_pass_and_leaves_nothing(name, where, tmp_path):
    if name == "edits modules" and where == Isolation(None, None):
        pytest.skip("as the same user, without bubblewrap, files are open: it is said before")
    before = Path(sandbox.__file__).read_bytes()
    path = tmp_path / "hw.py"
    path.write_text("import numpy as np\n" + HARM[name])
    a = assigned("pla")
    began = time.monotonic()
    report = a.grade(path, "train", SHORT, where)
    assert not report.ok
    assert report.points <= 5
    assert time.monotonic() - began < 60  # of a machine that is busy
    assert Path(sandbox.__file__).read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hw.py"]
    if where.uid is not None:
        assert of_users(where.uid) == []


@pytest.mark.parametrize("where", ways(), ids=lambda where: "alone" if where[0] else "plain")
def test_a_right_program_passes_under_the_same_limits(where, tmp_path):
    path = tmp_path / "hw.py"
    # numpy.random is read from its file at its first use, by the user of the submission
    libraries = "import heapq, statistics\nimport numpy as np\nnp.random.default_rng(0)\n"
    path.write_text(libraries + RIGHT)
    a = assigned("pla")
    report = a.grade(path, "train", SHORT, where)
    assert (report.ok, report.points) == (True, 10)
