"""A release: its version is the same everywhere, what is wrong is said, and nothing is uploaded."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ["pyproject.toml", "CITATION.cff", "CHANGELOG.md", "src/rosenblatt/_util/version.py"]
NAMES = ["-cp311-cp311-manylinux2014_x86_64.whl", "-cp312-abi3-manylinux2014_x86_64.whl"]


@pytest.fixture
def release(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import release

    return release


@pytest.fixture
def project(tmp_path):
    """The files that say the version, committed."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "all")
    return tmp_path


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def test_the_version_and_the_date_are_the_same_everywhere(release):
    assert release.wrong_version(ROOT) == []


@pytest.mark.parametrize("file", FILES[1:])
def test_another_version_in_one_file_is_named(release, project, file):
    version = release.found_in(project, "CITATION.cff", release.VERSIONS["CITATION.cff"])
    path = project / file
    path.write_text(path.read_text().replace(version, "9.9.9", 1))
    assert release.wrong_version(project) == [f"{file} says 9.9.9, pyproject.toml {version}."]


def test_a_changelog_without_a_date_is_not_released(release, project):
    path = project / "CHANGELOG.md"
    date = release.found_in(project, "CHANGELOG.md", release.DATES["CHANGELOG.md"])
    path.write_text(path.read_text().replace(f" - {date}", "", 1))
    (said,) = release.wrong_version(project)
    assert "date" in said


def test_only_a_committed_tree_without_the_tag_is_released(release, project):
    assert release.wrong_tree(project, "0.2.0") == []
    git(project, "tag", "v0.2.0")
    assert "v0.2.0 already" in release.wrong_tree(project, "0.2.0")[0]
    (project / "new.txt").write_text("")
    assert "not committed" in release.wrong_tree(project, "0.3.0")[0]


def made(folder, names, version="0.2.0"):
    for name in names:
        (folder / f"rosenblatt-{version}{name}").write_text(name)
    return folder


def test_the_files_of_a_release_are_two_wheels_and_a_source(release, tmp_path):
    found = release.files_of(made(tmp_path, [*NAMES, ".tar.gz"]), "0.2.0")
    assert len(found) == 3
    with pytest.raises(SystemExit, match="make wheel"):
        release.files_of(tmp_path, "0.3.0")
    found[0].unlink()
    with pytest.raises(SystemExit, match="make wheel"):
        release.files_of(tmp_path, "0.2.0")


def test_it_checks_everything_and_stops_before_uploading(release, tmp_path, monkeypatch, capsys):
    steps = []
    monkeypatch.setattr(release.sys, "argv", ["release.py"])
    monkeypatch.setattr(release, "wrong_tree", lambda root, version: [])
    monkeypatch.setattr(release, "step", lambda what, *command: steps.append(map(str, command)))
    files = sorted(made(tmp_path, [*NAMES, ".tar.gz"]).iterdir())
    monkeypatch.setattr(release, "files_of", lambda folder, version: files)
    release.main()
    commands = [" ".join(command) for command in steps]
    assert "twine check" in commands[0]
    assert not any("upload" in command for command in commands)
    assert commands[1].startswith("scripts/check_wheel.py")
    assert commands[1].count(".whl") == 2
    assert commands[2] == "scripts/portable.py"
    assert "Nothing was uploaded" in capsys.readouterr().out


def test_a_step_that_fails_ends_it(release, capsys):
    with pytest.raises(SystemExit, match="No release:\n  a check: it failed"):
        release.step("a check", "-c", "raise SystemExit(3)")
