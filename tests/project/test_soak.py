"""make soak: in parts, of which each goes on where the last one was stopped."""

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "test_good.py": "def test_one(): pass\ndef test_two(): pass\n",
    "test_bad.py": "def test_wrong(): assert False\n",
    "test_left_out.py": "import pytest\npytest.skip('no GPU', allow_module_level=True)\n",
    "test_crash.py": "import os\ndef test_crash(): os._exit(7)\n",
}


@pytest.fixture
def soak(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import soak

    return soak


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def write(project, **files):
    for name, text in files.items():
        (project / "tests" / f"test_{name}.py").write_text(text)


def test_every_file_is_run_once_and_counted(soak, project, capsys):
    for name, text in FILES.items():
        (project / "tests" / name).write_text(text)
    soak.part(project, 5, 2)
    done = soak.outcomes(project)
    assert {Path(f).name: (o["passed"], o["skipped"], o["failed"]) for f, o in done.items()} == {
        "test_good.py": (2, 0, []),
        "test_bad.py": (0, 0, ["test_wrong"]),
        "test_left_out.py": (0, 1, []),
        "test_crash.py": (0, 0, ["exit code 7"]),
    }
    assert list(soak.table(done))[2].split(" | ")[:4] == ["| 4", "2", "2", "1"]
    capsys.readouterr()
    soak.part(project, 5, 2)
    assert capsys.readouterr().out == ""  # nothing was left


def test_a_file_that_was_stopped_comes_first_and_fails_when_it_is_stopped_again(
    soak, project, monkeypatch
):
    begun = project / "begun"
    clock = SimpleNamespace(monotonic=lambda: 1e9 if begun.exists() else 0, sleep=time.sleep)
    monkeypatch.setattr(soak, "time", clock)  # the time is over as soon as that runs
    slow = f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(1000)\n"
    write(project, a="def test_quick(): pass\n", z=slow)
    soak.part(project, 90, 1)
    assert {file: o["failed"] for file, o in soak.outcomes(project).items()} == {
        "tests/test_a.py": []
    }
    begun.unlink()
    write(project, b="def test_later(): pass\n")
    soak.part(project, 90, 1)
    done = soak.outcomes(project)
    assert list(done) == ["tests/test_a.py", "tests/test_z.py"]
    assert done["tests/test_z.py"]["failed"] == ["not done in 90 minutes"]
    begun.unlink()
    soak.part(project, 90, 1)
    assert list(soak.outcomes(project))[2:] == ["tests/test_b.py"]


def test_what_is_stopped_is_ended_with_all_that_it_started(soak, project):
    pid = project / "pid"
    child = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(1000)"
    write(project, a=f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\n")
    (project / ".soak").mkdir()
    running = soak.Running(project, "tests/test_a.py")
    while not pid.exists() or not pid.read_text():
        time.sleep(0.05)
    running.end()
    ends(int(pid.read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child outlives its parent")
def test_a_part_that_is_killed_takes_its_files_with_it(project):
    pid = project / "pid"
    text = f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    write(project, a=text)
    code = f"from pathlib import Path; import soak; soak.part(Path({str(project)!r}), 5, 1)"
    part = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT / "scripts")
    while not pid.exists() or not pid.read_text():
        time.sleep(0.05)
    part.kill()
    part.wait()
    ends(int(pid.read_text()))


def ends(process):
    limit = time.monotonic() + 60
    while is_running(process) and time.monotonic() < limit:
        time.sleep(0.05)  # until init has buried it
    assert not is_running(process)


def is_running(process):
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_a_line_that_was_cut_short_is_run_again(soak, project):
    write(project, a="def test_one(): pass\n")
    (project / ".soak").mkdir()
    (project / ".soak" / "done.jsonl").write_text('{"file": "tests/test_a.py", "comm')
    soak.part(project, 5, 1)
    assert soak.outcomes(project)["tests/test_a.py"]["passed"] == 1
