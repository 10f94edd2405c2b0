"""Files that pretend: only our errors leave, and no process takes more than it may.

Model files have theirs in tests/model/test_model_file_attacks.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "helpers" / "spoiled_files.py"


@pytest.mark.parametrize("kind", ["checkpoint", "trace", "typed"])
def test_thousands_of_spoiled_files(kind, heavy):
    count = heavy(10_000)
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", SCRIPT, kind, str(count), "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    fates = json.loads(done.stdout.splitlines()[-1])
    assert sum(fates.values()) == count
    assert fates["refused"] > count / 4
