"""Which browser shows the pages in the tests: found, or one line that says what to type."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "browser.sh"


def found(path, **environment):
    """What the script says where only the programs in `path` exist."""
    return subprocess.run(
        ["/bin/sh", SCRIPT],
        env={"PATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def program(path, text="#!/bin/sh\n"):
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_the_named_one_comes_first(tmp_path):
    program(tmp_path / "chromium")
    mine = program(tmp_path / "mine")
    assert found(tmp_path, ROSENBLATT_BROWSER=mine).stdout.strip() == mine


def test_a_named_one_that_is_none_is_an_error_and_not_replaced(tmp_path):
    program(tmp_path / "chromium")
    done = found(tmp_path, ROSENBLATT_BROWSER="/no/such/thing")
    assert done.returncode == 1
    assert "ROSENBLATT_BROWSER is /no/such/thing" in done.stderr
    assert done.stdout == ""


def test_then_what_is_on_the_path(tmp_path):
    chrome = program(tmp_path / "google-chrome")
    assert found(tmp_path).stdout.strip() == chrome
    chromium = program(tmp_path / "chromium")
    assert found(tmp_path).stdout.strip() == chromium


def test_then_the_systems_package_for_root_alone(tmp_path):
    chromium = tmp_path / "chromium"
    installs = f'echo "asked: $*"\n: > {chromium}\n/bin/chmod +x {chromium}\n'
    program(tmp_path / "apt-get", f"#!/bin/sh\n{installs}")
    program(tmp_path / "id", "#!/bin/sh\necho 1000\n")
    assert found(tmp_path).returncode == 1
    program(tmp_path / "id", "#!/bin/sh\necho 0\n")
    done = found(tmp_path)
    assert done.stdout.strip() == str(chromium)
    assert "asked: install -y -q chromium" in done.stderr


def test_none_at_all_says_what_to_type(tmp_path):
    program(tmp_path / "id", "#!/bin/sh\necho 1000\n")
    done = found(tmp_path)
    assert done.returncode == 1
    assert "apt-get install chromium" in done.stderr
    assert "make test BROWSER=no" in done.stderr
