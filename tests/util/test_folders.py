"""Folders are written whole or not at all: the old one is there, or the new one, or comes back."""

import os
import stat

import pytest

import crashing
from raising import raises
from rosenblatt._util import files
from rosenblatt._util import files as exchange
from rosenblatt._util import files as folders
from rosenblatt._util.files import check_folder, writing_whole_folder
from rosenblatt.errors import FileError, InputError, MissingFileError

OURS = {"a.txt", "b.txt"}
OLD, NEW = {"a.txt": "old a", "b.txt": "old b"}, {"a.txt": "new a"}
both = pytest.mark.parametrize("exchanging", [True, False], ids=["exchanged", "moved"])


def write(path="here", content=NEW, overwrite=True):
    with writing_whole_folder(path, ours=OURS, overwrite=overwrite) as part:
        for name, text in content.items():
            (part / name).write_text(text)


def held(path):
    return {file.name: file.read_text() for file in path.iterdir()}


def names(folder):
    return sorted(os.listdir(folder))


@pytest.fixture
def here(tmp_path):
    return tmp_path / "here"


@pytest.fixture
def old(here):
    write(here, OLD)
    return here


@pytest.fixture(params=[True, False], ids=["exchanged", "moved"])
def either(request, monkeypatch):
    """With the system call, and without."""
    if not request.param:
        monkeypatch.setattr(folders, "exchange", lambda a, b: False)


# --- Written --------------------------------------------------------------------------------------


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.usefixtures("either")
def test_a_new_folder_holds_what_was_written_and_nothing_is_beside_it(here, overwrite, empty):
    if empty:
        here.mkdir()
    write(here, overwrite=overwrite)
    assert held(here) == NEW
    assert names(here.parent) == ["here"]


@pytest.mark.usefixtures("either")
def test_an_old_folder_is_replaced_as_a_whole_and_keeps_its_permissions(old):
    old.chmod(0o750)
    write(old)
    assert held(old) == NEW
    assert stat.S_IMODE(old.stat().st_mode) == 0o750
    assert names(old.parent) == ["here"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.usefixtures("either")
def test_an_error_in_the_middle_leaves_the_old_one(old, error):
    def fails():
        with writing_whole_folder(old, ours=OURS, overwrite=True) as part:
            (part / "a.txt").write_text("new a")
            raise error

    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else FileError
    with pytest.raises(expected) as caught:
        fails()
    if expected is FileError:
        assert str(caught.value).startswith(f"Cannot write {old}: No space left on device. Make")
        assert caught.value.errno == 28
    assert held(old) == OLD
    assert names(old.parent) == ["here"]


@pytest.mark.parametrize("error", [OSError("now"), KeyboardInterrupt()])
def test_if_the_last_renaming_fails_the_old_one_is_back(old, monkeypatch, error):
    rename, calls = os.rename, []

    def fails_once(a, b):
        calls.append(a)
        if len(calls) == 2:
            raise error
        rename(a, b)

    monkeypatch.setattr(folders, "exchange", lambda a, b: False)
    monkeypatch.setattr(os, "rename", fails_once)
    with pytest.raises((FileError, KeyboardInterrupt)):
        write(old)
    assert held(old) == OLD
    assert names(old.parent) == ["here"]


def test_an_error_of_a_file_in_it_names_the_folder_that_was_asked_for(here):
    def fails():
        with writing_whole_folder(here, ours=OURS, overwrite=True) as part:
            raise FileError(f"Cannot write {part}/a.txt: reasons.")

    with pytest.raises(FileError) as caught:
        fails()
    assert str(caught.value) == f"Cannot write {here}/a.txt: reasons."


# --- Not written ----------------------------------------------------------------------------------


def test_what_may_not_be_replaced(old):
    with raises(FileError, option="force", value=False):
        write(old, overwrite=False)
    (old / "mine.txt").write_text("mine")
    with raises(FileError):
        write(old)
    assert held(old) == OLD | {"mine.txt": "mine"}
    assert names(old.parent) == ["here"]


def test_a_folder_of_our_name_is_not_ours(here):
    (here / "a.txt").mkdir(parents=True)
    with raises(FileError):
        write(here)


def test_places_that_are_no_folders(tmp_path, old):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("")
    link.symlink_to(old)
    for path in (file, link):
        with raises(FileError):
            write(path)
    with raises(MissingFileError):
        write(tmp_path / "nowhere" / "here")
    for strange in ("", "a\0b"):
        with raises(InputError):
            check_folder(strange, ours=OURS, overwrite=True)
    assert held(old) == OLD


@pytest.mark.usefixtures("either")
def test_what_somebody_puts_there_meanwhile_is_not_lost(old, monkeypatch):
    """After the last look at the old folder."""
    look = folders.check_folder

    def slow(*args, **more):
        look(*args, **more)
        (old / "mine.txt").write_text("mine")

    with writing_whole_folder(old, ours=OURS, overwrite=True) as part:
        (part / "a.txt").write_text("new a")
        monkeypatch.setattr(folders, "check_folder", slow)
    assert held(old) == NEW | {"mine.txt": "mine"}
    assert names(old.parent) == ["here"]


def test_what_dead_processes_left_goes_and_what_living_ones_write_stays(old):
    dead, living = 2**22 + 1, 1  # no number is so large (PID_MAX_LIMIT); and the first process
    for process in (dead, living):
        left = old.with_name(f"{files.beside(old)}-{process}-{'0' * 16}")
        left.mkdir()
        (left / "a.txt").write_text("half")
        (left / ".rosenblatt-half-of-a-file").touch()
    write(old)
    assert names(old.parent) == [f"{files.beside(old)}-1-{'0' * 16}", "here"]


# --- The system call ------------------------------------------------------------------------------


def test_names_are_exchanged_in_one_step(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.mkdir()
    b.mkdir()
    (a / "of a").touch()
    if not exchange.exchange(a, b):
        pytest.skip("neither this system nor this file system exchanges names")
    assert names(b) == ["of a"]
    assert names(a) == []
    with pytest.raises(FileNotFoundError):
        exchange.exchange(a, tmp_path / "c")


def test_a_system_without_the_call(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    assert not exchange.exchange(tmp_path, tmp_path)


# --- Kills ----------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("there", [True, False], ids=["old", "none"])
def test_killed_before_any_step_there_is_the_old_folder_or_the_new_one(
    tmp_path, exchanging, there, heavy
):
    """And the next one that wants to write finds it, and clears up, unless it is killed, too."""
    allowed = [OLD, NEW] if there else [None, NEW]

    def found(place):
        return held(place / "here") if (place / "here").exists() else None

    steps, seen = None, []
    step = 0
    while steps is None:
        step += 1
        place = tmp_path / str(step)
        place.mkdir()
        if there:
            write(place / "here", OLD)
        steps = crashing.killed_before(step, write, place, exchanging=exchanging)
        if exchanging or (place / "here").exists():
            assert found(place) in allowed
        if steps is None and step % max(1, 4 // heavy(20)) == 0:  # once more, another step
            crashing.killed_before(1 + 7 * step % 20, write, place, exchanging=exchanging)
            if exchanging or (place / "here").exists():
                assert found(place) in allowed
        check_folder(place / "here", ours=OURS, overwrite=True)
        assert found(place) in allowed
        assert names(place) in (["here"], [])
        seen.append(found(place))
    assert seen[0] == allowed[0]
    assert seen[-1] == NEW
    assert steps == step - 1 > 8  # it was killed before each one of them
