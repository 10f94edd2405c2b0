"""Where bytes come from: files, compressed or not, pipes, standard input, objects that read."""

import bz2
import gzip
import io
import os
import subprocess
import sys
from functools import partial

import pyarrow
import pytest

from raising import raises
from rosenblatt.data.svmlight import iterate_svmlight, read_svmlight
from rosenblatt.errors import InputError, InputTypeError
from svmlight_texts import TEXT, Dripping, expected_of_text, same


@pytest.fixture
def paths(tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT)
    with gzip.open(tmp_path / "a.svm.gz", "wb") as file:
        file.write(TEXT)
    with bz2.open(tmp_path / "a.svm.bz2", "wb") as file:
        file.write(TEXT)
    with pyarrow.CompressedOutputStream(str(tmp_path / "a.svm.zst"), "zstd") as file:
        file.write(TEXT)
    return [tmp_path / ("a.svm" + end) for end in ("", ".gz", ".bz2", ".zst")]


@pytest.mark.usefixtures("either")
def test_paths_plain_and_compressed(paths):
    for path in paths:
        for source in (path, str(path)):
            same(read_svmlight(source)[:2], expected_of_text())
            assert sum(len(y) for _, y in iterate_svmlight(source, 3)) == 4


@pytest.mark.usefixtures("either")
def test_an_open_file_is_read_from_where_it_stands_and_stays_open(paths):
    with open(paths[0], "rb") as file:
        file.readline()
        assert read_svmlight(file)[2].comments == 2
        assert not file.closed
        file.seek(TEXT.index(b"-1 "))
        assert [y.tolist() for _, y in iterate_svmlight(file, 2)] == [[-1, 0.5], [0]]
        assert not file.closed


class OnlyRead:
    def __init__(self, text):
        self.file = io.BytesIO(text)

    def read(self, size):
        return self.file.read(min(size, 7))


def test_a_file_may_give_a_few_bytes_at_a_time():
    for most in (1, 2, 5):
        same(read_svmlight(Dripping(TEXT, most))[:2], expected_of_text())
    same(read_svmlight(OnlyRead(TEXT))[:2], expected_of_text())
    assert read_svmlight(Dripping(b"\xef\xbb\xbf1 1:2", 1))[1].tolist() == [1]


@pytest.mark.usefixtures("either")
def test_standard_input(monkeypatch):
    def from_stdin(function, *arguments, **choices):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Dripping(TEXT, 1000)))
        return function("-", *arguments, **choices)

    monkeypatch.setattr(Dripping, "__iter__", lambda self: iter(io.BytesIO(TEXT)), raising=False)
    assert from_stdin(read_svmlight)[2].rows == 4
    chunks = from_stdin(iterate_svmlight, 2, n_features=4, zero_based=False)
    assert [y.tolist() for _, y in chunks] == [[1, -1], [0.5, 0]]
    for known in ({}, {"n_features": 4}, {"zero_based": True}):
        with raises(InputError):
            next(from_stdin(iterate_svmlight, **known))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_with_a_name_is_opened_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'printf "1 1:1\n2 2:2\n" > "$0"', tmp_path / "pipe"]):
        chunks = iterate_svmlight(tmp_path / "pipe", 1, n_features=2, zero_based=False)
        assert [y.tolist() for _, y in chunks] == [[1], [2]]


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with raises(InputError):
        read_svmlight("-")


def test_errors_of_standard_input_say_so():
    done = subprocess.run(
        [sys.executable, "-c", "from rosenblatt.data.svmlight import *; read_svmlight('-')"],
        input=b"1 1:1\n1 x",
        capture_output=True,
        check=False,
    )
    assert b"standard input, line 2, column 3: 'x'." in done.stderr


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("function", [read_svmlight, lambda source: list(iterate_svmlight(source))])
def test_files_that_cannot_be_read(tmp_path, function, paths):
    plain, *compressed = paths
    with raises(InputError):
        function(tmp_path / "nothing.svm")
    with raises(InputError):
        function(tmp_path)
    for path in compressed:
        whole = path.read_bytes()
        path.write_bytes(plain.read_bytes())  # not what its name says
        with raises(InputError):
            function(path)
        path.write_bytes(whole[:-9])  # cut off
        with raises(InputError):
            function(path)
    for source in (3.5, None, io.StringIO("1 1:1"), [b"1 1:1"]):
        with raises(InputTypeError):
            function(source)


def test_a_file_that_does_not_wait_is_refused():
    class Empty:
        def readinto(self, room):
            return None

        def read(self, size):
            return None

    with raises(InputError):
        read_svmlight(Empty())


def test_compressed_files_without_pyarrow(monkeypatch, paths):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    plain, *compressed = paths
    same(read_svmlight(plain)[:2], expected_of_text())
    for path in compressed:
        with raises(InputError):
            read_svmlight(path)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("name", ["b.svm", "b.svm.gz", "b.svm.bz2", "b.svm.zst", "b"])
def test_the_first_bytes_say_how_a_file_is_compressed(tmp_path, paths, name):
    for path in paths[1:]:
        (tmp_path / name).write_bytes(path.read_bytes())
        same(read_svmlight(tmp_path / name)[:2], expected_of_text())
        assert sum(len(y) for _, y in iterate_svmlight(tmp_path / name, 3)) == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_compressed_pipe(tmp_path, paths):
    for k, path in enumerate(paths):
        pipe = tmp_path / f"pipe-{k}"
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'cat "$1" > "$0"', pipe, path]):
            same(read_svmlight(pipe)[:2], expected_of_text())


def test_compressed_standard_input_stays_open(paths, rng, heavy):
    code = (
        "import sys; from rosenblatt.data.svmlight import read_svmlight\n"
        "X, y, info = read_svmlight('-'); print(y.tolist(), info.comments, sys.stdin.closed)"
    )
    run = partial(subprocess.run, [sys.executable, "-c", code], capture_output=True, check=True)
    for path in rng.permutation(paths)[: heavy(4)]:
        with open(path, "rb") as file:
            done = [run(input=path.read_bytes()), run(stdin=file)]
        for result in done:
            assert result.stdout.decode().strip() == f"{expected_of_text()[1].tolist()} 3 False"
