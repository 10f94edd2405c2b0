"""What tests of the command share: tables, processes, a terminal."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from rosenblatt.datasets import load_credit

CREDIT = load_credit().filename
SMALL = "a,town,label\n1,x,no\n2,y,no\n3,z,yes\n4,x,yes\n"


def write(name, text):
    Path(name).write_text(text)
    return name


def on_a_terminal(folder, *arguments, out=None, **variables):
    """What a terminal shows of standard error, and of standard output unless that goes to `out`."""
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color"} | variables
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rosenblatt", *arguments]
    subprocess.run(
        command, stdout=out or theirs, stderr=theirs, cwd=folder, env=environment, check=False
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:
            break
        if not block:
            break
        shown += block
    os.close(ours)
    return shown.decode()
