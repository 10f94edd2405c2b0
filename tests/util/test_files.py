"""Files are written whole or not at all: full disks, folders that refuse, kills in the middle."""

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from raising import raises
from rosenblatt._util.files import read_whole, write_whole, writing_whole
from rosenblatt.errors import FileError, InputError, MissingFileError, RosenblattError

OLD, NEW = b"old", b"new" * 1000


def names(folder):
    return sorted(os.listdir(folder))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


@pytest.fixture
def old(path):
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_new_file_has_the_content_and_nothing_is_beside_it(path, overwrite):
    write_whole(path, NEW, overwrite=overwrite)
    assert path.read_bytes() == NEW
    assert names(path.parent) == ["file"]
    plain = path.with_name("plain")
    plain.write_bytes(b"")
    assert path.stat().st_mode == plain.stat().st_mode  # as the user's umask has it


def test_an_old_file_is_replaced_and_keeps_its_permissions(old):
    old.chmod(0o640)
    write_whole(str(old), NEW, overwrite=True)
    assert old.read_bytes() == NEW
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_without_overwrite_an_old_file_stays(old):
    with raises(FileError):
        write_whole(old, NEW, overwrite=False)
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["file"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_overwritten(path, monkeypatch, links):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr(os, "link", no_links)

    def slowly():
        with writing_whole(path, overwrite=False) as file:
            file.write(NEW)
            path.write_bytes(OLD)  # somebody else is faster

    with raises(FileError):
        slowly()
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["file"]


def test_a_file_system_without_links(path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    write_whole(path, NEW, overwrite=False)
    assert path.read_bytes() == NEW
    assert names(path.parent) == ["file"]


def test_a_symbolic_link_is_followed(old):
    link = old.with_name("link")
    link.symlink_to(old)
    write_whole(link, NEW, overwrite=True)
    assert link.is_symlink()
    assert old.read_bytes() == NEW


def test_the_longest_name_that_a_folder_takes(tmp_path):
    path = tmp_path / ("n" * 255)
    write_whole(path, NEW, overwrite=True)
    assert path.read_bytes() == NEW
    with raises(FileError):
        write_whole(tmp_path / ("n" * 256), NEW, overwrite=True)


@pytest.mark.parametrize("overwrite", [True, False])
def test_places_that_are_no_files(tmp_path, overwrite):
    with raises(FileError):
        write_whole(tmp_path, NEW, overwrite=overwrite)
    with raises(FileError):
        write_whole("/dev/null", NEW, overwrite=overwrite)
    with raises(MissingFileError):
        write_whole(tmp_path / "nowhere" / "file", NEW, overwrite=overwrite)
    for strange in ("", "a\0b"):
        with raises(InputError):
            write_whole(strange, NEW, overwrite=overwrite)
    assert names(tmp_path) == []


# --- Real faults ------------------------------------------------------------------------------


def written_by_another_process(path, *first):
    """What it says when it replaces the file after some other statements."""
    code = (
        "import sys, os, resource; from rosenblatt._util.files import write_whole\n"
        "{}\n"
        "try: write_whole(sys.argv[1], b'new' * 1000, overwrite=True)\n"
        "except OSError as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.format("\n".join(first)), path],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_disk_that_is_full(old):
    # The kernel refuses every byte beyond the 1500th, as a full disk does.
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))"
    said = written_by_another_process(old, limit)
    assert said.startswith("FileError Cannot write")
    assert "Make room" in said
    assert "as it was" in said
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["file"]


def test_a_file_system_that_is_full(tmp_path):
    """A real one of 64 kB, where this process may mount it."""
    code = (
        "import sys; from rosenblatt._util.files import write_whole\n"
        "write_whole(sys.argv[1] + '/file', b'old', overwrite=True)\n"
        "try: write_whole(sys.argv[1] + '/file', bytes(1_000_000), overwrite=True)\n"
        "except OSError as error: print(type(error).__name__, error.errno, error)\n"
        "import os; print(open(sys.argv[1] + '/file').read(), os.listdir(sys.argv[1]))\n"
    )
    mount = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", tmp_path, sys.executable, code],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"cannot mount a small file system: {done.stderr.strip()}")
    first, second = done.stdout.splitlines()
    assert first.startswith(f"FileError {errno.ENOSPC} Cannot write")
    assert second == "old ['file']"


def test_a_folder_that_refuses():
    """To somebody who is not root, since nothing is refused to root."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(OLD)
        path.chmod(0o666)
        os.chmod(folder, 0o555)
        nobody = "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)"
        said = written_by_another_process(path, nobody)
        os.chmod(folder, 0o777)
        path.chmod(0o444)
        assert "write-protected" in written_by_another_process(path, nobody)
        assert said.startswith("FileError Cannot write")
        assert "Permission denied" in said
        assert path.read_bytes() == OLD
        assert names(folder) == ["file"]


def test_what_cannot_be_written_is_found_before_any_work(shell, tmp_path, monkeypatch):
    """Of a read-only file system the answer is given by hand: root may write anywhere else."""
    (tmp_path / "t.csv").write_text("a,label\n" + "1,yes\n2,no\n" * 30)
    made = Path.mkdir

    def refusing(self, *given, **more):
        if self.parent == tmp_path / "full":
            raise OSError(errno.EROFS, "Read-only file system")
        made(self, *given, **more)

    (tmp_path / "full").mkdir()
    monkeypatch.setattr(Path, "mkdir", refusing)
    monkeypatch.setattr("rosenblatt.data.open_table.OpenTable.read", None)  # nothing is read
    for command in ("fit", "certify"):
        place = str(tmp_path / "full" / "out")
        code, out, err = shell(command, str(tmp_path / "t.csv"), "-y", "label", "-o", place)
        assert (code, out) == (2, "")
        assert "Read-only file system" in err
    assert names(tmp_path / "full") == []


@pytest.mark.parametrize("overwrite", [True, False])
def test_killed_in_the_middle_there_is_the_old_file_or_the_new_one(tmp_path, overwrite, heavy):
    """SIGKILL at a random moment of writing again and again."""
    content = {bytes([letter]) * 3_000_000 for letter in b"ab"}
    code = (
        "import sys; from rosenblatt._util.files import write_whole\n"
        "k = 0\n"
        "while True:\n"
        "    k += 1\n"
        f"    name = sys.argv[1] + ('/file' if {overwrite} else f'/file-{{k}}')\n"
        f"    write_whole(name, b'ab'[k % 2:k % 2 + 1] * 3_000_000, overwrite={overwrite})\n"
        "    k == 1 and print('first', flush=True)\n"
    )
    for k in range(heavy(200)):
        folder = tmp_path / str(k)
        folder.mkdir()
        child = subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE)
        assert child.stdout.readline() == b"first\n"
        time.sleep(0.002 + 0.05 * (k * 0.618 % 1))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        files = list(folder.glob("file*"))
        assert files
        assert all(file.read_bytes() in content for file in files)
        assert len(list(folder.glob(".rosenblatt-*"))) <= 1
        for file in folder.iterdir():
            file.unlink()


def test_it_is_on_the_disk_before_it_takes_its_place(old, monkeypatch):
    steps, replace = [], os.replace

    def onto_disk(handle):
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    monkeypatch.setattr(os, "fsync", onto_disk)
    monkeypatch.setattr(os, "replace", lambda *paths: steps.append("replace") or replace(*paths))
    write_whole(old, NEW, overwrite=True)
    assert steps == ["file", "replace", "folder"]


def test_an_error_in_the_middle_leaves_nothing_behind(old, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(old, NEW, overwrite=True)
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["file"]


# --- Reading ------------------------------------------------------------------------------------


def test_reading_what_is_there(old):
    assert read_whole(old, most=3) == OLD
    assert read_whole(str(old), most=100) == OLD
    with raises(FileError):
        read_whole(old, most=2)


def test_what_is_not_read(tmp_path):
    with raises(MissingFileError) as caught:
        read_whole(tmp_path / "missing", most=9)
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, RosenblattError)
    with raises(FileError):
        read_whole(tmp_path, most=9)
    with raises(FileError):
        read_whole("/dev/zero", most=9)
    os.mkfifo(tmp_path / "pipe")
    with raises(FileError):
        read_whole(tmp_path / "pipe", most=9)
    with raises(FileError):
        read_whole(tmp_path / ("n" * 300), most=9)
