"""svmlight text: what is read is what scikit-learn reads, in chunks and in bounded memory."""

import io
import math
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from raising import raises
from rosenblatt.data import svmlight
from rosenblatt.data import svmlight as readers
from rosenblatt.data.svmlight import SvmlightInfo, iterate_svmlight, read_svmlight
from rosenblatt.errors import InputError, RosenblattError
from svmlight_texts import READERS, TEXT, Dripping, expected_of_text, read, same


def same_as_peer(text, **choices):
    ours = read(text, **choices)
    same(ours[:2], load_svmlight_file(io.BytesIO(text), **choices))
    return ours


# --- What is read ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("either")
def test_a_text_with_everything_that_is_allowed():
    X, y, info = read(TEXT)
    assert y.tolist() == [1, -1, 0.5, 0]
    assert X.toarray().tolist() == [[0.5, 0, -20, 0], [0, 0.25, 0, 1], [0] * 4, [0] * 4]
    assert X.indptr.tolist() == [0, 2, 4, 4, 6]  # a zero that is written is kept
    assert np.signbit([y[3], *X.data[4:]]).tolist() == [True, True, False]
    assert (X.dtype, X.indices.dtype, X.indptr.dtype, y.dtype) == ("f8", "i4", "i4", "f8")
    assert X.has_canonical_format
    assert info == SvmlightInfo(
        rows=4, entries=6, n_features=4, zero_based=False, qid=True, comments=3
    )
    same((X, y), load_svmlight_file(io.BytesIO(TEXT)))


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    ("text", "zero_based", "columns", "d"),
    [
        (b"1 1:5 3:6", "auto", [0, 2], 3),
        (b"1 0:5 3:6", "auto", [0, 3], 4),
        (b"1 1:5\n1 0:6", "auto", [1, 0], 2),
        (b"1 1:5 3:6", True, [1, 3], 4),
        (b"1 1:5 3:6", False, [0, 2], 3),
        (b"1\n1 2:5", "auto", [1], 2),
    ],
)
def test_the_first_feature_is_0_or_1(text, zero_based, columns, d):
    X, _, info = same_as_peer(text, zero_based=zero_based)
    assert X.indices.tolist() == columns
    assert info.n_features == d
    assert info.zero_based == (text[2:3] == b"0" or b" 0:" in text or zero_based is True)


@pytest.mark.usefixtures("either")
def test_the_number_of_features_can_be_more_than_the_largest_index():
    assert same_as_peer(b"1 3:1", n_features=10)[0].shape == (1, 10)
    assert same_as_peer(b"1\n2", n_features=10)[0].shape == (2, 10)
    assert read(b"1 3:1", n_features=2**63 - 1)[0].shape == (1, 2**63 - 1)


@pytest.mark.usefixtures("either")
def test_a_chunk_may_be_larger_than_any_file():
    ((X, y),) = iterate_svmlight(io.BytesIO(TEXT), 10**30)
    same((X, y), load_svmlight_file(io.BytesIO(TEXT)))


@pytest.mark.usefixtures("either")
def test_a_byte_order_mark_is_left_out():
    assert read(b"\xef\xbb\xbf1 1:2")[1].tolist() == [1]
    for text in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        with raises(InputError):
            read(text)
    assert read(b"\xef\xbb\xbf# only a comment\n1 1:2")[2].comments == 1
    with raises(InputError):
        read(b"1 1:2\n\xef\xbb\xbf1 1:2")


def test_indices_take_32_bits_where_they_fit():
    most = 2**31 - 1
    for text, dtype, d in [
        (b"1 %d:1" % most, "i4", most),
        (b"1 0:1 %d:1" % (most - 1), "i4", most),
        (b"1 0:1 %d:1" % most, "i8", most + 1),
        (b"1 %d:1" % (most + 1), "i8", most + 1),
        (b"1 1:2\n1 1:2 %d:1\n2 1:3" % 2**40, "i8", 2**40),
        (b"1 0:2 %d:1" % (2**63 - 2), "i8", 2**63 - 1),
    ]:
        X, _, info = read(text)
        assert X.indices.dtype == X.indptr.dtype == dtype
        assert X.shape[1] == info.n_features == d
        first = 0 if info.zero_based else 1
        expected = [int(i) - first for i in re.findall(rb"(\d+):", text)]
        assert X.indices.tolist() == expected
    assert read(b"1 1:2\n1 1:2 %d:1\n2 1:3" % 2**40)[0].data.tolist() == [2, 2, 1, 3]


def test_chunks_after_a_wide_index_are_wide_as_well():
    text = b"1 1:2\n2 1:2\n1 %d:1\n2 1:3\n1 2:4" % 2**40
    chunks = [X for X, _ in iterate_svmlight(io.BytesIO(text), 2)]
    assert [X.indices.dtype for X in chunks] == ["i8"] * 3
    assert [X.indices.tolist() for X in chunks] == [[0, 0], [2**40 - 1, 0], [1]]


# --- Against scikit-learn -------------------------------------------------------------------------


digits = st.text("0123456789", min_size=1, max_size=25)
sign = st.sampled_from(["", "", "+", "-"])
exponent = st.just("") | st.builds("e{}{}".format, sign, st.integers(0, 300))
mantissa = st.one_of(
    digits,
    st.builds("{}.".format, digits),
    st.builds(".{}".format, digits),
    st.builds("{}.{}".format, digits, digits),
)


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}{}{}".format, sign, mantissa, exponent | exponent.map(str.upper)),
).filter(lambda text: not math.isinf(float(text)))


blanks = st.sampled_from([" ", " ", "  ", "\t", " \t "])
ends = st.sampled_from(["\n", "\n", "\r\n", " \n", "\t\r\n", "# 1:2 ü\n", " #\n", "\n\n", "\n#\n"])


@st.composite
def lines(draw, first):
    label = draw(st.one_of(st.sampled_from(["1", "-1", "+1", "0"]), numbers))
    query = draw(st.sampled_from(["", "", "qid:3", "qid:-12"]))
    indices = sorted(draw(st.sets(st.integers(first, 10 ** draw(st.integers(1, 9))), max_size=6)))
    pairs = [f"{'0' * draw(st.integers(0, 1))}{i}:{draw(numbers)}" for i in indices]
    text = draw(st.sampled_from(["", "", " "])) + label
    for part in [query] * bool(query) + pairs:
        text += draw(blanks) + part
    return text + draw(ends)


@st.composite
def texts(draw):
    first = draw(st.sampled_from([0, 1]))
    text = "".join(draw(st.lists(lines(first), min_size=1, max_size=8)))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return text.encode()


@given(texts(), st.sampled_from(["auto", True, False]), st.sampled_from([None, 10**9 + 1]))
def test_it_agrees_with_scikit_learn(text, zero_based, d):
    try:
        ours = read(text, zero_based=zero_based, n_features=d)
    except InputError as error:
        assert "features in any" in str(error) or "zero_based=False" in str(error)  # noqa: PT017
        return
    same(ours[:2], load_svmlight_file(io.BytesIO(text), zero_based=zero_based, n_features=d))


@given(texts(), st.integers(2, 200), st.integers(1, 5))
def test_however_it_is_cut_the_rows_are_the_same(text, block, rows):
    try:
        X, y, info = read(text)
    except InputError:
        return
    d, zero_based = info.n_features, info.zero_based
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "BLOCK", block)
        again = read(text)
        same(again[:2], (X, y))
        assert again[2] == info
        for known in ({}, {"n_features": d, "zero_based": zero_based}):
            chunks = list(iterate_svmlight(io.BytesIO(text), rows, **known))
            assert [len(part) for _, part in chunks[:-1]] == [rows] * (len(chunks) - 1)
            assert {part.shape[1] for part, _ in chunks} == {d}
            for k, chunk in enumerate(chunks):
                some = slice(k * rows, (k + 1) * rows)
                same(chunk, (X[some], y[some]))
            assert sum(len(part) for _, part in chunks) == len(y)


@given(texts())
def test_both_readers_agree(text):
    seen = []
    for reader in READERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(svmlight, "reader_of", reader)
            try:
                seen.append(read(text))
            except InputError as error:
                seen.append(str(error))
    if isinstance(seen[0], str):
        assert seen[0] == seen[1]
    else:
        same(seen[0][:2], seen[1][:2])
        assert seen[0][2] == seen[1][2]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("zero_based", [True, False])
def test_what_scikit_learn_writes_comes_back(tmp_path, rng, zero_based):
    X = rng.standard_normal((30, 7)) * (rng.random((30, 7)) < 0.5)
    X[0] = 1
    y = rng.integers(0, 2, 30)
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"), comment="ä", zero_based=zero_based)
    ours, labels, info = read_svmlight(tmp_path / "a.svm")
    assert np.allclose(ours.toarray(), X, rtol=1e-15, atol=0)
    assert labels.tolist() == y.tolist()
    assert info.zero_based is zero_based


# --- Large ones -----------------------------------------------------------------------------------


def test_a_line_may_be_longer_than_a_block():
    d = 300_000
    text = b"1 " + b" ".join(b"%d:%d" % (j, j % 7) for j in range(d))
    assert len(text) > 2 * readers.BLOCK
    X, _, info = read(b"-1 5:3\n" + text + b"\n-1 0:2 # x")
    assert info.n_features == d
    assert X[1].toarray().ravel().tolist() == [j % 7 for j in range(d)]
    assert X[2].indices.tolist() == [0]


def test_a_text_without_ends_of_lines_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(readers, "LONGEST_LINE", 4 * readers.BLOCK)
    endless = Dripping(b"1" * (16 * readers.BLOCK), 1 << 16)
    with raises(InputError):
        read_svmlight(endless)
    assert len(endless.rest) > 8 * readers.BLOCK


MEMORY = """
import io, resource
from rosenblatt.data.svmlight import iterate_svmlight
line = b"1 " + b" ".join(b"%d:0.123456" % (17 * j) for j in range(1, 60)) + b"\\n"
total = MEGABYTES * 1_000_000 // len(line) * len(line)
class Long(io.RawIOBase):
    left = total
    block = line * 10_000
    def readable(self):
        return True
    def readinto(self, room):
        at = (total - self.left) % len(line)
        count = min(len(room), self.left)
        room[:count] = self.block[at : at + count]
        self.left -= count
        return count
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
chunks = iterate_svmlight(Long(), 10_000, n_features=2000, zero_based=False)
next(chunks)
before = peak()
rows = sum(len(y) for X, y in chunks)
print(rows, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes of resident memory")
def test_chunks_take_bounded_memory(heavy):
    megabytes = heavy(2000)
    code = MEMORY.replace("MEGABYTES", str(megabytes))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, more = map(int, done.stdout.split())
    assert rows > 1000 * megabytes
    assert more < 50  # two chunks are 14 MB; all of the rows would be more than what is read


def test_ctrl_c_is_heard_between_blocks():
    class Pressed(Dripping):
        def readinto(self, room):
            os.kill(os.getpid(), signal.SIGINT)
            return super().readinto(room)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_svmlight(Pressed(TEXT * 1000, 1000))
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_the_core_python_reads(tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT)
    code = (
        "import sys; from rosenblatt.data.svmlight import read_svmlight\n"
        "from rosenblatt.data.svmlight import PythonReader, reader_of\n"
        "from rosenblatt.data.opening import Bytes; import io\n"
        "assert type(reader_of(Bytes(io.BytesIO(b''), ''))) is PythonReader\n"
        "X, y, info = read_svmlight(sys.argv[1]); print(X.data.tolist(), y.tolist(), info.comments)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.svm"],
        env={**os.environ, "ROSENBLATT_CORE": "reference"},
        capture_output=True,
        text=True,
        check=True,
    )
    X, y = expected_of_text()
    assert done.stdout.strip() == f"{X.data.tolist()} {y.tolist()} 3"


def test_our_errors_are_ours():
    with pytest.raises(RosenblattError) as caught:
        read(b"x")
    assert isinstance(caught.value, ValueError)
